import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { Problem } from "./process.mjs"

/**
 * The most that `pkg/index.js` may weigh, gzipped. It is what a page that offers its agent tools makes people fetch;
 * Unicode tables are what fills it first.
 */
const CEILING = 150_000

/** `{ raw, gzip, brotli }` in bytes. */
export function weigh(bytes) {
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length,
  }
}

/** Prints the table and refuses a default entry over the ceiling. `sizes` maps a file's name to what `weigh` said. */
export function printSizes(sizes) {
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10)
  console.log(`${"".padEnd(18)}${["raw", "gzip -9", "brotli"].map((word) => word.padStart(10)).join("")}`)
  for (const [file, { raw, gzip, brotli }] of Object.entries(sizes)) {
    console.log(`${file.padEnd(18)}${[raw, gzip, brotli].map(kilobytes).join("")}`)
  }
  const { gzip } = sizes["pkg/index.js"]
  if (gzip > CEILING) {
    throw new Problem(
      `pkg/index.js is ${gzip} bytes gzipped, the ceiling is ${CEILING} (its reason: scripts/lib/sizes.mjs)`,
    )
  }
}
