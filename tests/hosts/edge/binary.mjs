import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { Problem } from "../../../scripts/lib/process.mjs"
import { Skip } from "../lab.mjs"

/**
 * A runtime's program: npm brings it in a package for each platform, of which it installs one. The runtime's own script
 * that would find it is not run here (`--ignore-scripts`).
 *
 * @param name The runtime's package, or its alias.
 * @param path Where the program lies in the platform's package.
 */
export function binary(lab, name, path) {
  const file = join(lab.group, "node_modules", name, "package.json")
  const { optionalDependencies } = JSON.parse(readFileSync(file, "utf8"))
  const { resolve } = createRequire(file)
  for (const each of Object.keys(optionalDependencies)) {
    try {
      return resolve(`${each}/${path}`)
    } catch {
      // Another platform's.
    }
  }
  const { packages } = JSON.parse(readFileSync(join(lab.group, "package-lock.json"), "utf8"))
  const isOurs = ([at, { os, cpu }]) =>
    os?.includes(process.platform) &&
    cpu?.includes(process.arch) &&
    at.split("node_modules/").at(-1) in optionalDependencies
  // npm goes on where an optional package can't be fetched.
  if (Object.entries(packages).some(isOurs)) {
    const folder = join(lab.group, "node_modules")
    throw new Problem(`${name} is installed without its program; remove ${folder} and run this again`)
  }
  throw new Skip(`npm has no ${name} for ${process.platform}-${process.arch}`)
}
