import { ToolcribError } from "../errors.js"
import { isModule, type Source } from "../face.js"

/**
 * A `WebAssembly.Module`, an `ArrayBuffer`, or a view of one. Said so loosely because not every program has the names
 * in its `lib`, and because "dom" declares a module as an empty interface, which a text would fit.
 */
export type EngineWasm = object & { readonly then?: never; readonly default?: never }

/** How every wasm begins. */
const MAGIC = [0x00, 0x61, 0x73, 0x6d]

let given: WebAssembly.Module | BufferSource | undefined

/**
 * Says which wasm to run. Call it before anything else; it compiles nothing yet. After the engine has started it
 * changes nothing, so that calling it twice does no harm.
 *
 * @param wasm `toolcrib/engine.wasm` of this same release: a `WebAssembly.Module`, or its bytes (an `ArrayBuffer` or a
 * view of one).
 * @throws {ToolcribError} `invalid_option` for anything else.
 */
export function init(wasm: EngineWasm): void {
  const type = Object.prototype.toString.call(wasm)
  if (isModule(wasm)) given = wasm
  else if (ArrayBuffer.isView(wasm) || /^\[object (Shared)?ArrayBuffer\]$/.test(type)) given = copy(wasm as BufferSource)
  else refuse(`${type.slice(8, -1)}${hint(wasm, type)}`)
}

/** The host may transfer its buffer or reuse it, and not every runtime compiles from a DataView or shared memory. */
function copy(bytes: BufferSource): BufferSource {
  if (bytes.byteLength === 0) refuse("a buffer that is empty or was transferred")
  const [buffer, offset] = ArrayBuffer.isView(bytes) ? [bytes.buffer, bytes.byteOffset] : [bytes, 0]
  const copied = new Uint8Array(buffer, offset, bytes.byteLength).slice()
  if (MAGIC.some((byte, at) => copied[at] !== byte)) refuse("bytes of something else, such as a page or a compressed file")
  return copied
}

function refuse(what: string): never {
  throw new ToolcribError(
    "invalid_option",
    `init takes the engine's wasm as a WebAssembly.Module or as bytes, not ${what}`,
  )
}

/** What those who come by such a value want to write. */
function hint(value: unknown, type: string): string {
  if (/Promise|Response|URL|String/.test(type)) return ": init(await WebAssembly.compileStreaming(fetch(url)))"
  // The namespace of an import, and what WebAssembly.instantiate resolves to.
  const held = ["default", "module"].find((key) => isModule((value as { [key: string]: unknown } | null | undefined)?.[key]))
  return held ? ` with a module in it: init(it.${held})` : ""
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
