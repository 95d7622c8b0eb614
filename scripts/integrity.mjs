// What `npm pack` makes here, as one hash: `integrity=sha512-...`, a line as a workflow's outputs want it.
//
//   node scripts/integrity.mjs              prints it
//   node scripts/integrity.mjs sha512-...   and fails when it is another

import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { command, Problem } from "./lib/process.mjs"
import { pack } from "./lib/release.mjs"

await command(async () => {
  const [wanted, ...rest] = process.argv.slice(2)
  if (rest.length > 0 || wanted === "") throw new Problem("usage: node scripts/integrity.mjs [INTEGRITY]")
  const { integrity } = await pack(dirname(dirname(fileURLToPath(import.meta.url))), "--dry-run")
  if (wanted !== undefined && wanted !== integrity) {
    throw new Problem(`this would publish ${integrity}, and what was tested is ${wanted}`)
  }
  console.log(`integrity=${integrity}`)
})
