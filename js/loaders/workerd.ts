import type { Source } from "../face.js"
// Workers compile wasm when they are uploaded and refuse to at run time; such an import is a WebAssembly.Module.
import wasm from "virtual:engine.wasm"

export const load: Source = () => wasm
