// cargo-deny over every lock file: licences, sources, bans, and advisories where their database can be had.

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { must, Problem, run } from "./process.mjs"
import { toolchain } from "./toolchain.mjs"

/** Its lock file comes with it (`--locked`), so this pins all that it is compiled from. */
const VERSION = "0.20.2"
/** A clone takes seconds; a network that swallows packets would take for ever. */
const FETCH_FOR = 120_000

const MANIFESTS = ["Cargo.toml", "fuzz/Cargo.toml"]

/** Resolves to the lines worth printing; a finding is a `Problem` with what cargo-deny said. */
export async function deny(root) {
  await toolchain(root)
  const program = await install(root)
  const check = (manifest, ...args) =>
    run(program, [...of(root, manifest), "--all-features", ...args], { cwd: root, doing: `cargo-deny ${manifest}` })

  const lines = []
  for (const manifest of MANIFESTS) {
    const { code, output } = await check(manifest, "--locked", "check", "bans", "licenses", "sources")
    if (code !== 0) throw new Problem(`cargo-deny objects to ${manifest} (the rules are in deny.toml)`, output)
    lines.push(`deny: ${manifest}: ${output.trim().split("\n").at(-1)}`)
  }
  lines.push(boundary(root), ...(await advisories(root, program, check)))
  return lines
}

function of(root, manifest) {
  return ["--config", join(root, "deny.toml"), "--manifest-path", join(root, manifest), "--workspace"]
}

/** The program, compiled once for each version. */
async function install(root) {
  const tools = join(root, ".cache", "tools")
  const program = join(tools, "bin", `cargo-deny${process.platform === "win32" ? ".exe" : ""}`)
  if (existsSync(program) && (await run(program, ["--version"])).output.trim() === `cargo-deny ${VERSION}`) return program
  mkdirSync(tools, { recursive: true })
  const target = join(tools, "target")
  // Unoptimised and without debug information it takes a minute on two cores, and checks a lock file in a second.
  await must(
    "cargo",
    ["install", "cargo-deny", `--version=${VERSION}`, "--locked", "--profile=dev", "--root", tools, "--force"],
    {
      cwd: root,
      doing: `compiling cargo-deny ${VERSION}, once`,
      env: { CARGO_TARGET_DIR: target, CARGO_PROFILE_DEV_DEBUG: "0", CARGO_INCREMENTAL: "0" },
    },
  )
  rmSync(target, { recursive: true, force: true })
  return program
}

/** bench/boundary has no lock file of its own: its run copies the package's. So it may only name crates of that. */
function boundary(root) {
  const text = (file) => readFileSync(join(root, file), "utf8")
  const locked = new Set([...text("Cargo.lock").matchAll(/^name = "(.+)"$/gm)].map(([, name]) => name))
  const listed = text("bench/boundary/Cargo.toml").split(/^\[dependencies\]$/m)[1]?.split(/^\[/m)[0] ?? ""
  const names = [...listed.matchAll(/^([\w-]+) = /gm)].map(([, name]) => name)
  const other = names.find((name) => !locked.has(name))
  if (names.length === 0) throw new Problem("bench/boundary/Cargo.toml has no [dependencies] to check")
  if (other) throw new Problem(`bench/boundary uses ${other}, which is in no lock file that cargo-deny checks`)
  return "deny: bench/boundary/Cargo.toml: builds with a copy of Cargo.lock, and names no crate that is not in it"
}

async function advisories(root, program, check) {
  const fetched = await run(program, [...of(root, "Cargo.toml"), "fetch", "db"], {
    cwd: root,
    doing: "fetching the advisories",
    timeout: FETCH_FOR,
  })
  const lines = []
  for (const manifest of MANIFESTS) {
    // Without a fresh database an older one still counts: what it finds is found.
    const { code, output } = await check(manifest, "--offline", "check", "advisories")
    if (code === 0) lines.push(`deny: ${manifest}: ${output.trim().split("\n").at(-1)}`)
    else if (fetched.code === 0 || /^error\[/m.test(output)) {
      throw new Problem(`cargo-deny has advisories for ${manifest}`, output)
    }
  }
  if (fetched.code === 0) return lines
  // There it is one hop away, so this is no place without a network but something to mend.
  if (process.env.GITHUB_ACTIONS) throw new Problem("the advisory database could not be fetched", fetched.output)
  if (lines.length > 0) return [...lines, "deny: (with an older database; a new one could not be fetched)"]
  return ["deny: advisories SKIPPED: their database, which is on GitHub, could not be fetched from here"]
}
