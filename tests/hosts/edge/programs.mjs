// The programs that the hosts here run. `load` are the statements that leave the package in `toolcrib`.

export const IMPORT = 'import * as toolcrib from "toolcrib"'
export const REQUIRE = 'const toolcrib = require("toolcrib")'
/** As Workers import wasm: a module, compiled when the Worker was uploaded. */
export const SLIM = `import wasm from "toolcrib/engine.wasm"
import * as toolcrib from "toolcrib/slim"
toolcrib.init(wasm)`

const CONFORM = `import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"`

/** Has to come before the conformance, as it watches the first instance. */
const FORGET = `import { forgotten } from "./forgotten.mjs"
`

/** Prints the text. Not by console.log, which adds a line break. */
export const script = `${IMPORT}
${CONFORM}
process.stdout.write(await conformance(toolcrib, vectors))
`

export const commonJs = `${REQUIRE}
const vectors = require("./vectors.json")
import("./conform.mjs").then(async ({ conformance }) => process.stdout.write(await conformance(toolcrib, vectors)))
`

/** Forgets engines, then prints the text. */
export const forgetful = (options = "{}") => `${IMPORT}
${CONFORM}
${FORGET}await forgotten(toolcrib, ${options})
process.stdout.write(await conformance(toolcrib, vectors))
`

/** A Worker whose requests are answered with the text. `first` runs in each request before it does. */
export const worker = (load = IMPORT, { imports = "", first = "" } = {}) => `${load}
${CONFORM}
${imports}
export default {
  async fetch() {
    ${first}
    return new Response(await conformance(toolcrib, vectors))
  },
}
`

/** One that has all work done before the first request, at module scope, where a Worker may draw no random values. */
export const eagerWorker = `${IMPORT}
${CONFORM}
let drawn
try {
  drawn = crypto.getRandomValues(new Uint8Array(1))
} catch {}
if (drawn) throw new Error("random values are drawn at module scope, which is what this is about")
const text = await conformance(toolcrib, vectors)
export default { fetch: () => new Response(text) }
`

export const forgetfulWorker = worker(IMPORT, { imports: FORGET, first: "await forgotten(toolcrib)" })

/** The error that a user would see where the package can't work, as JSON; `null` where it can. */
const REFUSED = `function refused() {
  try {
    toolcrib.createToolSearch({ tools: [] })
    return Response.json(null)
  } catch (error) {
    if (!(error instanceof toolcrib.ToolcribError)) throw error
    return Response.json({ code: error.code, message: error.message })
  }
}`

export const refusedWorker = `${IMPORT}
${REFUSED}
export default { fetch: refused }
`

/** A function of Vercel's edge, which is a script when it runs. */
export const edgeFunction = (load) => `${load}
${CONFORM}
const respond = async () => new Response(await conformance(toolcrib, vectors))
addEventListener("fetch", (event) => event.respondWith(respond()))
`

export const refusedEdgeFunction = `${IMPORT}
${REFUSED}
addEventListener("fetch", (event) => event.respondWith(refused()))
`
