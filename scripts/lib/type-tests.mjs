// The tests of the types: files that a compiler must take, errors that it must find among them. By the compiler that
// builds the package, and by the oldest that its types are for.

import { join } from "node:path"
import { install } from "./install.mjs"
import { must } from "./process.mjs"

/** Those of the types alone, and those against the SDKs. */
const PROJECTS = ["tests/types", "tests/providers/types"]

/** Resolves to a line for each compiler. */
export async function typeTests(root) {
  const providers = join(root, "tests", "providers")
  await install(root)
  await install(providers, "tests/providers/package.json")
  const lines = []
  for (const folder of [join(root, "node_modules", "typescript"), join(providers, "node_modules", "typescript-oldest")]) {
    const tsc = join(folder, "bin", "tsc")
    const version = await must(process.execPath, [tsc, "--version"], { cwd: root })
    for (const project of PROJECTS) {
      await must(process.execPath, [tsc, "-p", project], { cwd: root, doing: `${version.trim()} on ${project}` })
    }
    lines.push(`type-tests: ${version.trim()} takes ${PROJECTS.join(" and ")}`)
  }
  return lines
}
