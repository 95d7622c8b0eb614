import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { Problem } from "./process.mjs"

/**
 * The most that a Worker which does nothing but use the package may upload, gzipped, as wrangler counts it. The free
 * plan of Cloudflare takes 3 MB; what is not ours is its owner's. It was 125,000 before the engine read seven formats, 156,000 before it knew the whole life of a run (fit, keep-notes, estimates, models, texts).
 * `tests/hosts/edge/wrangler.mjs` holds it.
 */
export const WORKER_UPLOAD = 206_000

/** What each entry makes a program load: its files in pkg/, and the most that they may weigh together, gzipped. */
const ENTRIES = [
  // What a page that offers its agent tools makes people fetch; Unicode tables are what fills it first.
  { name: "toolcrib", files: ["index.js", "face.js", "bytes.js", "inlined/engine.js"], ceiling: 203_000 },
  { name: "toolcrib (require)", files: ["index.cjs", "face.cjs", "inlined/engine.js"], ceiling: 203_000 },
  { name: "toolcrib (workerd)", files: ["workerd.js", "face.js", "engine.wasm"], ceiling: WORKER_UPLOAD },
  { name: "toolcrib (edge-light)", files: ["edge-light.js", "face.js", "engine.wasm"], ceiling: WORKER_UPLOAD },
  { name: "toolcrib/slim", files: ["slim.js", "face.js"], ceiling: 28_000 },
  { name: "engine.wasm", files: ["engine.wasm"], ceiling: 174_000 },
]

/** `{ raw, gzip, brotli }` in bytes. */
export function weigh(bytes) {
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
  }
}

/** What each entry of the built package weighs: its files one by one, as they are sent, added up. */
export function entrySizes(pkg) {
  const weights = (files) => files.map((name) => weigh(readFileSync(join(pkg, name))))
  const sum = (all, what) => all.reduce((total, each) => total + each[what], 0)
  return Object.fromEntries(
    ENTRIES.map(({ name, files }) => {
      const all = weights(files)
      return [name, { raw: sum(all, "raw"), gzip: sum(all, "gzip"), brotli: sum(all, "brotli") }]
    }),
  )
}

/** Prints the table and refuses an entry over its ceiling. `sizes` is what `entrySizes` gave. */
export function printSizes(sizes) {
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10)
  console.log(`${"".padEnd(24)}${["raw", "gzip -9", "brotli"].map((word) => word.padStart(10)).join("")}`)
  for (const [name, { raw, gzip, brotli }] of Object.entries(sizes)) {
    console.log(`${name.padEnd(24)}${[raw, gzip, brotli].map(kilobytes).join("")}`)
  }
  for (const { name, ceiling } of ENTRIES) {
    const { gzip } = sizes[name]
    if (gzip > ceiling) {
      throw new Problem(`${name} is ${gzip} bytes gzipped, the ceiling is ${ceiling} (its reason: scripts/lib/sizes.mjs)`)
    }
  }
}
