// Rust to wasm to glue: `cargo build`, then the builder of this workspace. Both keep what they did in the target
// folder, so cargo itself decides what is stale.

import { copyFileSync, readdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join, sep } from "node:path"
import { must, Problem, run } from "./process.mjs"
import { mending, toolchain } from "./toolchain.mjs"

const TARGET = "wasm32-unknown-unknown"

/**
 * The engine is compiled for size, not by the profile's level, which is for who uses the crate natively. LLVM then puts a
 * function in the place of its calls only where that is hardly longer than the call: its own bounds are 50, and 325 for
 * what is marked `#[inline]`, and a loop's body after itself up to 150. Together with a wasm that is made alone, as no
 * Rust library besides it, these take an eighth of the compressed wasm (142.1 kB to 124.9). Code that runs for every
 * word of a catalogue is written for it: loops over bytes, `#[inline(always)]`, and no adapters of the standard library's.
 * Against level 2 with bounds of 50 and 200 a search is some 10 % slower, as is the making of an engine with its index.
 * For `#[inline]` each step from 25 down to 10 is some 200 bytes less; at 25 a search takes a tenth less than at 10, and
 * the making of an index a fifth. Bounds of 45 or 70 were 3 and 4 kB more and hardly faster, level 2 with these bounds 5 kB
 * more and no faster, level "z" with those before as small and a third slower.
 */
const LEVEL = "s"
const LESS_INLINED = ["-inline-threshold=5", "-inlinehint-threshold=12", "-unroll-threshold=30", "-unroll-runtime=false"]

async function cargo(root, args, options) {
  const { code, stdout, output } = await run("cargo", args, { cwd: root, ...options })
  if (code === 0) return stdout
  const words = `cargo ${args.join(" ")}`
  throw new Problem(mending(output) ?? `failed with exit code ${code}: ${words}`, output)
}

/** Compiles the engine and resolves to the path of the wasm that cargo made. */
export async function compile(root) {
  const { commit, sysroot } = await toolchain(root)
  const metadata = JSON.parse(
    await cargo(root, ["metadata", "--format-version", "1", "--locked", "--filter-platform", TARGET], {
      doing: "fetching crates",
    }),
  )
  // Panic messages hold source paths. These turn the ones of this machine into the same text everywhere, so that
  // no path is published and the same sources make the same bytes in every folder.
  const folders = new Set(
    metadata.packages.flatMap(({ source, manifest_path: path }) => (source ? [dirname(dirname(path))] : [])),
  )
  const renamed = [
    [root, "."],
    ...[...folders].sort().map((folder) => [folder, "crates"]),
    // Only where the component rust-src is installed; elsewhere the standard library already says this.
    [join(sysroot, "lib", "rustlib", "src", "rust"), `/rustc/${commit}`],
  ]
  const target = metadata.target_directory
  await cargo(root, ["rustc", "--release", "--target", TARGET, "--package", "toolcrib", "--lib", "--crate-type", "cdylib", "--locked"], {
    doing: "compiling the engine to wasm",
    env: {
      CARGO_TARGET_DIR: target,
      CARGO_PROFILE_RELEASE_OPT_LEVEL: LEVEL,
      // Wins over every other way to pass flags, and takes paths with spaces.
      CARGO_ENCODED_RUSTFLAGS: [
        // Half the size of the unrolled rounds, for hashes that are asked for once in a run.
        "--cfg=sha2_backend_soft=\"compact\"",
        ...LESS_INLINED.map((bound) => `-Cllvm-args=${bound}`),
        ...renamed.map(([from, to]) => `--remap-path-prefix=${from}=${to}`),
      ].join("\x1f"),
    },
  })
  const wasm = join(target, TARGET, "release", "toolcrib.wasm")
  return { wasm, target, paths: [root, sysroot, homedir(), ...folders] }
}

/** How the builder is compiled: debug information costs a sixth of the time, and nobody debugs it. */
export const BUILDER = { CARGO_PROFILE_DEV_DEBUG: "0" }

/** JavaScript that src/ brings along: `#[wasm_bindgen(raw_module = "./reader.js")]` means a file beside the glue. */
export function companions(root) {
  const source = join(root, "src")
  return readdirSync(source).flatMap((name) => (name.endsWith(".js") ? [join(source, name)] : []))
}

/** Runs wasm-bindgen on what `compile` resolved to; fills the folder `out`. */
export async function bind(root, { wasm, target, paths }, out) {
  // The dev profile: 21 s to compile and 0.2 s to run. With optimised dependencies it was 67 s and 0.07 s.
  await cargo(root, ["build", "--package", "toolcrib-builder", "--locked"], {
    doing: "compiling the builder",
    env: { CARGO_TARGET_DIR: target, ...BUILDER },
  })
  const program = join(target, "debug", `toolcrib-builder${process.platform === "win32" ? ".exe" : ""}`)
  await must(program, [wasm, out], { doing: "wasm-bindgen" })
  for (const file of companions(root)) copyFileSync(file, join(out, basename(file)))
  refusePaths(join(out, "toolcrib_bg.wasm"), paths)
}

function refusePaths(wasm, paths) {
  const bytes = readFileSync(wasm)
  for (const path of paths) {
    // A home folder of `/` would be found in any file.
    if (path !== sep && bytes.includes(`${path}${sep}`)) {
      throw new Problem(`${wasm} holds the machine path ${path}; scripts/lib/engine.mjs must rename it`)
    }
  }
}
