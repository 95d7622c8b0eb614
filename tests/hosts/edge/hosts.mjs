// Runtimes other than Node and the browsers: what runs on servers and at the edge of networks.

import edgeRuntime from "./edge-runtime.mjs"
import standalone from "./standalone.mjs"
import workerd from "./workerd.mjs"
import wrangler from "./wrangler.mjs"

export default [...standalone, ...workerd, ...wrangler, ...edgeRuntime]
