import { ToolcribError } from "../errors.js"
import { stamp, type Source } from "../face.js"
// Of its own file, and by way of a global: see `inlined` in scripts/lib/bundle.mjs.
import "virtual:inlined"

/** What the file of the inlined wasm leaves under `Symbol.for("toolcrib " + stamp)`. */
interface Inlined {
  /** The characters in use, in the order of what they stand for. */
  alphabet: string
  /** How many at the alphabet's end begin a byte of two characters. */
  prefixes: number
  /** All byte values, the commonest first, in hexadecimal. */
  order: string
  text: string
  /** The length of the wasm in bytes. */
  length: number
}

/**
 * The engine's wasm, carried by the package as text: nothing to fetch, nothing to configure in a bundler.
 *
 * One character for each of the commonest bytes, two for the others (scripts/lib/bundle.mjs). Base64 hides from the
 * compression of whatever serves the file what repeats in it, at 30 % of its size; deflating it first needs an
 * inflater here, which takes longer on the first call than everything else.
 */
export const load: Source = () => {
  const inlined = (globalThis as Record<symbol, unknown>)[Symbol.for(`toolcrib ${stamp}`)] as Inlined | undefined
  if (typeof inlined?.text !== "string") {
    throw new ToolcribError(
      "wasm_unavailable",
      `globalThis[Symbol.for("toolcrib ${stamp}")] does not hold the engine: a bundler has left out toolcrib/pkg/inlined/engine.js, which package.json lists under "sideEffects", or globalThis is frozen, or someone has written over it`,
    )
  }
  const { alphabet, length, order, prefixes, text } = inlined
  const bytes = new Uint8Array(length)
  const places = new Uint8Array(128)
  for (let place = 0; place < alphabet.length; place++) places[alphabet.charCodeAt(place)] = place
  const ranked = Uint8Array.from({ length: 256 }, (_, rank) => Number.parseInt(order.slice(2 * rank, 2 * rank + 2), 16))
  const singles = alphabet.length - prefixes
  for (let at = 0, to = 0; to < length; to++) {
    let rank = places[text.charCodeAt(at++)] as number
    if (rank >= singles) rank += (rank - singles) * (alphabet.length - 1) + (places[text.charCodeAt(at++)] as number)
    bytes[to] = ranked[rank] as number
  }
  return bytes
}
