// Declared here because the build makes it (scripts/lib/bundle.mjs); `virtual:engine-glue` is declared in glue.d.ts.

declare module "virtual:engine-wasm" {
  /** The characters in use, in the order of what they stand for. */
  export const alphabet: string
  /** How many at the alphabet's end begin a byte of two characters. */
  export const prefixes: number
  /** All byte values, the commonest first, in hexadecimal. */
  export const order: string
  /** The engine's wasm. */
  export const text: string
  /** The length of the wasm in bytes. */
  export const length: number
}
