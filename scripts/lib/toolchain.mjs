// What has to be on the machine besides Node: cargo, the wasm target, a linker. Each missing one is installed by
// rustup where it can be, or named in one line with the command that mends it.

import { existsSync } from "node:fs"
import { Problem, run, say } from "./process.mjs"

/** The oldest Rust that compiles the crate: `rust-version` in Cargo.toml. */
const OLDEST = [1, 95]
const TARGET = "wasm32-unknown-unknown"

const RUSTUP = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
const TOOLCHAIN = `rustup toolchain install stable --profile minimal --component clippy,rustfmt --target ${TARGET}`

/** Checks cargo, rustc and the wasm target; resolves to `{ commit, sysroot }` of the compiler. */
export async function toolchain(root) {
  // The first call lets rustup install what rust-toolchain.toml lists.
  const cargo = await run("cargo", ["--version"], { cwd: root, doing: "asking rustup for the toolchain" })
  if (cargo.code === null) throw new Problem(`cargo is not installed; run: ${RUSTUP}`)
  if (cargo.code !== 0) throw new Problem(`cargo does not start; run: ${TOOLCHAIN}`, cargo.output)

  const rustc = await run("rustc", ["-vV"], { cwd: root })
  if (rustc.code !== 0) throw new Problem(`rustc does not start; run: ${TOOLCHAIN}`, rustc.output)
  const facts = Object.fromEntries(
    rustc.stdout.split("\n").flatMap((line) => (line.includes(": ") ? [line.split(": ", 2)] : [])),
  )
  const [major, minor] = (facts.release ?? "0.0").split(".").map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new Problem(`Rust ${facts.release} is too old, ${OLDEST.join(".")} is needed; run: rustup update stable`)
  }

  const library = await run("rustc", ["--print", "target-libdir", "--target", TARGET], { cwd: root })
  if (library.code !== 0 || !existsSync(library.stdout.trim())) {
    say(`rustup target add ${TARGET}`)
    const added = await run("rustup", ["target", "add", TARGET], { cwd: root, doing: "rustup target add" })
    if (added.code !== 0) throw new Problem(`no ${TARGET} target; run: rustup target add ${TARGET}`, added.output)
  }
  const sysroot = await run("rustc", ["--print", "sysroot"], { cwd: root })
  return { commit: facts["commit-hash"] ?? "unknown", sysroot: sysroot.stdout.trim() }
}

/** Adds clippy or rustfmt when `cargo NAME` is not there. */
export async function component(root, name, subcommand) {
  const there = await run("cargo", [subcommand, "--version"], { cwd: root })
  if (there.code === 0) return
  say(`rustup component add ${name}`)
  const added = await run("rustup", ["component", "add", name], { cwd: root, doing: `installing ${name}` })
  if (added.code !== 0) throw new Problem(`no ${name}; run: rustup component add ${name}`, added.output)
}

/** The line for a failure of cargo that says more than "failed", or undefined. */
export function mending(output) {
  if (/linker `[^`]+` not found/.test(output)) {
    return "no C linker; run: apt-get install build-essential (macOS: xcode-select --install)"
  }
  if (/lock file .* because --locked was passed/.test(output)) {
    return "Cargo.lock does not fit Cargo.toml; run: cargo update --workspace"
  }
  return undefined
}
