import { ToolcribError } from "../errors.js"
import { isModule, type Source } from "../face.js"

let given: WebAssembly.Module | BufferSource | undefined

/**
 * Says which wasm to run. Call it before anything else; it compiles nothing yet. After the engine has started it
 * changes nothing, so that calling it twice does no harm.
 *
 * @param wasm `toolcrib/engine.wasm` of this same release: a `WebAssembly.Module`, or its bytes (an `ArrayBuffer` or a
 * view of one).
 * @throws {ToolcribError} `invalid_option` for anything else.
 */
export function init(wasm: WebAssembly.Module | BufferSource): void {
  const type = Object.prototype.toString.call(wasm)
  if (!isModule(wasm) && !ArrayBuffer.isView(wasm) && !/^\[object (Shared)?ArrayBuffer\]$/.test(type)) {
    const hint = /Promise|Response|URL|String/.test(type) ? ": init(await WebAssembly.compileStreaming(fetch(url)))" : ""
    throw new ToolcribError(
      "invalid_option",
      `init takes the engine's wasm as a WebAssembly.Module or as bytes, not ${type.slice(8, -1)}${hint}`,
    )
  }
  given = wasm
}

/** @internal */
export const load: Source = () => {
  if (given === undefined) {
    throw new ToolcribError(
      "wasm_unavailable",
      "toolcrib/slim has no engine yet: call init(wasm) first, with toolcrib/engine.wasm as a WebAssembly.Module or as bytes",
    )
  }
  return given
}
