import { alphabet, length, order, prefixes, text } from "virtual:engine-wasm"

/**
 * The engine's wasm, carried in this file as text: nothing to fetch, nothing to configure in a bundler.
 *
 * One character for each of the commonest bytes, two for the others (scripts/lib/bundle.mjs). Base64 hides from the
 * compression of whatever serves the file what repeats in it, at 30 % of its size; deflating it first needs an
 * inflater here, which takes longer on the first call than everything else.
 */
export function bytes(): Uint8Array<ArrayBuffer> {
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
