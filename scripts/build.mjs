// `npm run build`: makes pkg/ from a clean clone. Needs Node 20 and rustup; installs the rest.

import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "./lib/bundle.mjs"
import { declarations } from "./lib/declarations.mjs"
import { bind, companions, compile } from "./lib/engine.mjs"
import { install } from "./lib/install.mjs"
import { command, isCommand, say, seconds } from "./lib/process.mjs"
import { entrySizes, printSizes } from "./lib/sizes.mjs"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pkg = join(root, "pkg")
const scratch = join(root, ".cache")

/** Builds pkg/, or finds that nothing has changed since it did. Prints the sizes on stdout, all else on stderr. */
export async function build() {
  const started = performance.now()
  await install(root)
  const engine = await compile(root)

  const stamp = join(scratch, "build.json")
  const key = digest([engine.wasm, ...inputs()])
  const before = readStamp(stamp)
  if (before?.key === key && before.made === digest(made())) {
    say(`pkg/ is up to date (${seconds(started)})`)
    printSizes(before.sizes)
    return
  }

  const glue = join(scratch, "glue")
  await bind(root, engine, glue)
  const files = await bundle(root, glue)
  for (const [name, text] of await declarations(root, join(scratch, "declarations"))) files.set(name, text)

  // Made beside it and then moved, so that whoever reads pkg/ meanwhile finds the old one or the new one.
  const next = join(scratch, "pkg")
  rmSync(next, { recursive: true, force: true })
  for (const [name, content] of files) {
    const path = join(next, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  rmSync(pkg, { recursive: true, force: true })
  renameSync(next, pkg)

  const sizes = entrySizes(pkg)
  writeFileSync(stamp, JSON.stringify({ key, made: digest(made()), sizes }))
  say(`built pkg/ (${seconds(started)})`)
  printSizes(sizes)
}

/** What pkg/ depends on besides the wasm that cargo made. */
function inputs() {
  const files = ["Cargo.lock", "package.json", "package-lock.json", "tsconfig.json", "scripts/build.mjs"]
  const folders = ["builder", "js", "scripts/lib"]
  return [
    ...files.map((file) => join(root, file)),
    ...folders.flatMap((folder) => filesIn(join(root, folder))),
    ...companions(root),
  ]
}

function made() {
  return filesIn(pkg)
}

function filesIn(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort()
  } catch {
    return []
  }
}

function digest(files) {
  const hash = createHash("sha256")
  for (const file of files) {
    const bytes = readFileSync(file)
    hash.update(`${file}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest("hex")
}

function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

if (isCommand(import.meta.url)) await command(build)
