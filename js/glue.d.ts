/** What the build puts in the place of wasm-bindgen's glue. engine.ts says what is in it. */
declare module "virtual:engine-glue" {
  /** A new copy of the glue module: it keeps one wasm instance in a variable of its own. */
  export function createGlue(): unknown
  /** What the wasm that belongs to this glue has in its section "toolcrib": the version, and a digest of both. */
  export const stamp: string
}
