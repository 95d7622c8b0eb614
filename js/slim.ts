/**
 * toolcrib without its engine: the caller brings `toolcrib/engine.wasm`, as bytes or compiled, and the package's
 * JavaScript is a tenth of what it is otherwise.
 *
 * ```ts
 * import { createToolSearch, init } from "toolcrib/slim"
 *
 * init(await WebAssembly.compileStreaming(fetch("/engine.wasm")))
 * ```
 *
 * @module
 */

export * from "./index.js"
export { init, type EngineWasm } from "./loaders/given.js"
