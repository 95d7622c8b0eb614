import type { Source } from "../face.js"
// Vercel's edge runtime and Next.js know this spelling only.
import wasm from "virtual:engine.wasm?module"

export const load: Source = () => wasm
