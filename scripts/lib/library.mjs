// The crate as a Rust program would use it: what would be published compiles and documents, without a word of wasm.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { BUILDER } from "./engine.mjs"
import { must, Problem } from "./process.mjs"
import { toolchain } from "./toolchain.mjs"

/** The crates behind the boundary, and a type that each of them would bring into a signature. */
const WASM = /\b(wasm[-_]bindgen|js[-_]sys|web[-_]sys|JsValue|JsCast)\b/
/** What is published besides `src/`: what a reader of the crate needs, nothing that makes the npm package. */
const BESIDES = [
  ...["Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"],
  ...["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD_PARTY.md"],
]

/** Resolves to a line worth printing. */
export async function library(root) {
  await toolchain(root)
  // Pages of what is gone would stay, and be read below.
  await must("cargo", ["clean", "--doc"], { cwd: root })
  await must("cargo", ["doc", "--no-deps", "--lib", "--package", "toolcrib", "--locked"], {
    cwd: root,
    doing: "cargo doc",
    env: { RUSTDOCFLAGS: "-D warnings" },
  })
  const metadata = await must("cargo", ["metadata", "--format-version=1", "--no-deps", "--locked"], { cwd: root })
  const pages = read(join(JSON.parse(metadata).target_directory, "doc", "toolcrib"))
  for (const [page, text] of pages) {
    const found = text.match(WASM)
    if (found || page.startsWith("wasm")) {
      throw new Problem(`the native API shows ${found?.[0] ?? "the module wasm"}: target/doc/toolcrib/${page}`)
    }
  }
  if (!pages.has("engine/struct.Engine.html")) throw new Problem("cargo doc wrote no page for the engine")

  const tree = await must(
    "cargo",
    ["tree", "--edges", "normal", "--prefix", "none", "--package", "toolcrib", "--locked"],
    { cwd: root },
  )
  const linked = tree.match(WASM)
  if (linked) throw new Problem(`a native program that uses the crate links ${linked[0]}`, tree)

  const list = await must("cargo", ["package", "--list", "--allow-dirty", "--locked"], { cwd: root })
  const files = list.trim().split("\n")
  const stray = files.filter((file) => !file.startsWith("src/") && !BESIDES.includes(file))
  if (stray.length > 0) {
    throw new Problem(`the crate would publish ${stray.length} files that are none of it (Cargo.toml, include)`, stray.join("\n"))
  }
  // Unpacks what would be published and compiles it there, so a file that is left out is missed.
  await must("cargo", ["package", "--allow-dirty", "--locked"], { cwd: root, doing: "cargo package", env: BUILDER })
  return `doc: ${pages.size} pages without wasm; the crate publishes ${files.length} files`
}

/** The pages by their names. */
function read(folder) {
  const pages = new Map()
  for (const name of readdirSync(folder, { recursive: true })) {
    if (name.endsWith(".html")) pages.set(name.replaceAll("\\", "/"), readFileSync(join(folder, name), "utf8"))
  }
  return pages
}
