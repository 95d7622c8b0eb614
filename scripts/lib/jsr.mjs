// The package as JSR would take it: `deno publish --dry-run`, and a program that uses it with its types.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { must, Problem } from "./process.mjs"

/** A type that is not there would be `any`, for which the comment that expects an error is one itself. */
const use = (entry) => `
import { createToolSearch } from ${JSON.stringify(entry)}
const search = createToolSearch({ tools: [{ name: "get_weather", description: "Forecast for a city", deferred: true }] })
const [hit] = search.search("city forecast")
if (hit?.name !== "get_weather") throw new Error("found nothing")
// @ts-expect-error a score is a number
hit.score satisfies string
`

/**
 * Checks jsr.json and the built package with the program `deno`; resolves to a line worth printing. Wants no network
 * and no account: a dry run stops before both.
 */
export async function jsr(root, deno) {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-jsr-"))
  const env = { DENO_DIR: join(folder, "cache"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" }
  try {
    // What is published is what is committed when the release is made; here it may still be being written.
    const args = ["publish", "--dry-run", "--allow-dirty", "--no-lock", "--config", join(root, "jsr.json")]
    await must(deno, args, { cwd: root, env })

    const program = join(folder, "use.ts")
    writeFileSync(program, use(pathToFileURL(join(root, "jsr", "index.ts")).href))
    await must(deno, ["run", "--check", "--no-lock", "--config", join(root, "jsr.json"), program], { cwd: folder, env })

    // Of a file that is listed and not there, the dry run says nothing.
    const { publish } = JSON.parse(readFileSync(join(root, "jsr.json"), "utf8"))
    for (const file of publish.include) {
      try {
        readFileSync(join(root, file))
      } catch {
        throw new Problem(`jsr.json lists ${file}, which the build does not make`)
      }
    }
    return `jsr: deno publish --dry-run takes ${publish.include.length} files`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
