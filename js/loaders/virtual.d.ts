// Declared here because the build makes it (scripts/lib/bundle.mjs); `virtual:engine-glue` is declared in glue.d.ts.

declare module "virtual:engine-wasm" {
  /** The engine's wasm, deflated, as base64. */
  export const base64: string
  /** The length of the wasm in bytes. */
  export const length: number
}
