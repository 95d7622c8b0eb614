// What the build puts in the place of these names (scripts/lib/bundle.mjs); `virtual:engine-glue` is declared in
// glue.d.ts.

/** The loader of the entry that is being built. */
declare module "virtual:source" {
  export const load: import("../engine.js").Source
}

/** `pkg/inlined/engine.js`, imported for what it leaves in a global. */
declare module "virtual:inlined"

/** `pkg/engine.wasm`, in the two spellings that bundlers for edge runtimes know. */
declare module "virtual:engine.wasm" {
  const module: WebAssembly.Module
  export default module
}
declare module "virtual:engine.wasm?module" {
  const module: WebAssembly.Module
  export default module
}
