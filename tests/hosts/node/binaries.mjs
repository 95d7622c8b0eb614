// Node's versions, from npm. Each is an optional dependency per platform, so that npm fetches one of them.

import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Problem } from "../../../scripts/lib/process.mjs"
import { Skip } from "../lab.mjs"

const platform = `${process.platform}-${process.arch}`

/** The program of a version in package.json: `nodeOf(lab, 22)`. */
export function nodeOf(lab, major) {
  const name = `node-${major}-${platform}`
  const program = join(lab.group, "node_modules", name, "bin", "node")
  if (existsSync(program)) return program
  const { optionalDependencies } = JSON.parse(readFileSync(join(lab.group, "package.json"), "utf8"))
  if (!(name in optionalDependencies)) throw new Skip(`npm has no such Node.js ${major} for ${platform}`)
  // npm goes on where an optional package can't be fetched.
  throw new Problem(`${name} is not installed; remove tests/hosts/node/node_modules and run this again`)
}

/** The version as package.json has it for this platform, or for any. */
export function versionOf(lab, major) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(lab.group, "package.json"), "utf8"))
  const key = Object.keys(optionalDependencies).find((name) => name.startsWith(`node-${major}-`))
  return (optionalDependencies[`node-${major}-${platform}`] ?? optionalDependencies[key]).split("@").at(-1)
}
