// Node and what runs in it: its versions, test runners, bundlers for it, and TypeScript.

import bundlers from "./bundlers.mjs"
import runtimes from "./runtimes.mjs"
import testers from "./testers.mjs"
import typescript from "./typescript.mjs"

export default [...runtimes, ...testers, ...bundlers, ...typescript]
