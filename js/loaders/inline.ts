import { inflateSync } from "fflate"
import { base64, length } from "virtual:engine-wasm"

/**
 * The engine's wasm, carried in this file as text: nothing to fetch, nothing to configure in a bundler.
 *
 * Deflated before it becomes text. Base64 of plain wasm defeats the compression of whatever serves the file (302 kB
 * gzip of what is 213 as a file); base64 of deflated bytes costs next to nothing on top of them.
 */
export function bytes(): Uint8Array<ArrayBuffer> {
  return inflateSync(decode(base64), { out: new Uint8Array(length) }) as Uint8Array<ArrayBuffer>
}

function decode(base64: string): Uint8Array {
  // Newer than the oldest runtimes that count, and several times faster.
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array }
  if (fromBase64) return fromBase64.call(Uint8Array, base64)
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}
