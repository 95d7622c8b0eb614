// Writes tests/release/packed.json, the files that the package has. Read what it changed before you commit it.

import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { command } from "../../scripts/lib/process.mjs"
import { PACKED, pack } from "../../scripts/lib/release.mjs"

await command(async () => {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  const { files } = await pack(root, "--dry-run")
  writeFileSync(join(root, PACKED), `${JSON.stringify(files, null, 2)}\n`)
})
