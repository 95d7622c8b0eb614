// Packages from the lock file, installed when they are not there or the lock has changed since.

import { createHash } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { must, npm, Problem, say } from "./process.mjs"

/** Brings `folder/node_modules` to what `folder/package-lock.json` says. Does nothing when it already is. */
export async function install(folder, name = "package.json") {
  let lock
  try {
    lock = readFileSync(join(folder, "package-lock.json"))
  } catch {
    throw new Problem(`no package-lock.json beside the ${name} in ${folder}; run \`npm install\` there`)
  }
  // esbuild and the TypeScript compiler are one binary per platform.
  const wanted = createHash("sha256").update(lock).update(`${process.platform}-${process.arch}`).digest("hex")
  const stamp = join(folder, "node_modules", ".toolcrib-lock")
  try {
    if (readFileSync(stamp, "utf8") === wanted) return
  } catch {
    // Not installed yet.
  }
  say(`installing the packages of ${name}`)
  // Ended in the middle, it must not be taken for done.
  rmSync(stamp, { force: true })
  const [program, before] = npm()
  // Where NODE_ENV is "production" npm leaves out what the build and the tests run.
  // The scripts of dependencies are not run: not in .npmrc, where it would keep our own `prepack` from running too.
  // Inside `npm publish --dry-run` the flag is inherited, and nothing would be installed.
  const flags = ["--include=dev", "--ignore-scripts", "--dry-run=false", "--no-audit", "--no-fund"]
  await must(program, [...before, "ci", ...flags], { cwd: folder, doing: "npm ci" })
  writeFileSync(stamp, wanted)
}
