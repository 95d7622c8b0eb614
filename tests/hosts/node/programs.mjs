// The programs that the hosts here run: each gets the package in a way of its own and prints `conformance()`.

/**
 * An ES module, without a top-level await, as it may be bundled to CommonJS. `load` are the statements that leave the
 * package in `toolcrib`.
 */
export const asModule = (load) => `${load}
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"
conformance(toolcrib, vectors).then((text) => process.stdout.write(text))
`

/** A CommonJS module. The conformance program is an ES module, which only newer versions can `require`. */
export const asCommonJs = (load) => `${load}
Promise.all([import("./conform.mjs"), import("./vectors.mjs")])
  .then(([{ conformance }, vectors]) => conformance(toolcrib, vectors.default))
  .then((text) => process.stdout.write(text))
`

export const IMPORT = 'import * as toolcrib from "toolcrib"'
export const REQUIRE = 'const toolcrib = require("toolcrib")'

/** After `slim` is there: what a call before `init` throws, else the program ends here. */
export const REFUSES_BEFORE_INIT = `
try {
  toolcrib.estimateTokens("too early")
  throw new Error("a call before init gave an answer")
} catch (error) {
  if (error.code !== "wasm_unavailable" || !/\\binit\\b/.test(error.message)) throw error
}
`

export const SLIM_IMPORT = `import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as toolcrib from "toolcrib/slim"
${REFUSES_BEFORE_INIT}
toolcrib.init(readFileSync(createRequire(import.meta.url).resolve("toolcrib/engine.wasm")))
`

export const SLIM_REQUIRE = `const { readFileSync } = require("node:fs")
const toolcrib = require("toolcrib/slim")
${REFUSES_BEFORE_INIT}
toolcrib.init(new WebAssembly.Module(readFileSync(require.resolve("toolcrib/engine.wasm"))))
`
