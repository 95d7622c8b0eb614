// What `npm publish` would send: the same bytes from a clean clone in another folder as the tests installed, the files
// that tests/release/packed.json lists and no others, and nothing in them that a linter of packages objects to.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join, sep } from "node:path"
import { install } from "./install.mjs"
import { must, npm, Problem } from "./process.mjs"

/** The names of the files that the package has, sorted. */
export const PACKED = join("tests", "release", "packed.json")
const REWRITE = "node tests/release/write.mjs"

// A machine may forbid scripts for all it installs; these are our own, and `prepack` is what is tested.
const SCRIPTS = "--ignore-scripts=false"
// Whether the registry has this version already is not asked: that would want the network, and after a release it has.
// The packages that the build installs were just fetched, so npm has them.
const UNASKED = ["--force", "--prefer-offline"]
// Where a CI offers an identity for publishing, even a dry run would go and use it.
const NO_IDENTITY = { ACTIONS_ID_TOKEN_REQUEST_URL: undefined, ACTIONS_ID_TOKEN_REQUEST_TOKEN: undefined }

/** Entry points that have no types because nobody imports them as JavaScript. */
const UNTYPED = {
  "./engine.wasm": "bytes, for those who load the engine themselves",
  "./package.json": "data, for tools that look for it",
}

/** Resolves to the lines worth printing. */
export async function release(root) {
  await install(root)
  // A space, as in the names of many people's folders.
  const folder = mkdtempSync(join(tmpdir(), "toolcrib release "))
  try {
    const packed = await pack(root, "--pack-destination", folder)
    refuseList(root, packed)
    const tarball = readFileSync(join(folder, packed.filename))
    const lines = await lint(tarball, [root, folder, homedir(), process.env.CARGO_HOME, process.env.RUSTUP_HOME])

    const clone = join(folder, "clone")
    const started = performance.now()
    await cleanCopy(root, clone)
    const published = await publish(clone)
    compare(root, packed, clone, published)
    const seconds = Math.round((performance.now() - started) / 1000)
    return [
      ...lines,
      `release: npm publish --dry-run from a clean copy, built anew in ${seconds} s, is what the tests installed:`,
      `release: ${packed.files.length} files, ${packed.size} bytes, ${packed.integrity}`,
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What `npm pack` says of the package; it builds it first. */
export async function pack(root, ...flags) {
  const [program, before] = npm()
  const args = [...before, "pack", "--json", SCRIPTS, ...flags]
  return said(await must(program, args, { cwd: root, doing: "npm pack" }))
}

async function publish(clone) {
  const [program, before] = npm()
  const args = [...before, "publish", "--dry-run", "--json", SCRIPTS, ...UNASKED]
  const env = { ...NO_IDENTITY, CARGO_TARGET_DIR: join(clone, "target") }
  return said(await must(program, args, { cwd: clone, env, doing: "npm publish --dry-run in a clean copy" }))
}

/** npm prints the report itself, a list of them, or an object with one for each package, as its version will. */
function said(stdout) {
  let report
  try {
    report = JSON.parse(stdout)
  } catch {
    throw new Problem("npm was to print JSON; whatever prepack prints must go to stderr", stdout)
  }
  const one = report.integrity ? report : Object.values(report)[0]
  return { ...one, files: one.files.map(({ path }) => path).sort() }
}

/** The names that packed.json holds. */
function refuseList(root, { files }) {
  const listed = JSON.parse(readFileSync(join(root, PACKED), "utf8"))
  const more = files.filter((file) => !listed.includes(file)).map((file) => `packed, not listed: ${file}`)
  const less = listed.filter((file) => !files.includes(file)).map((file) => `listed, not packed: ${file}`)
  if (more.length + less.length > 0) {
    throw new Problem(
      `the package has other files than ${PACKED} lists; if that is meant, run \`${REWRITE}\` and read what it changed`,
      [...more, ...less].join("\n"),
    )
  }
}

/** What git would clone, with what has been changed since; nothing that it ignores. */
async function cleanCopy(root, clone) {
  const list = await must("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  for (const file of list.split("\0")) {
    // One that was deleted is still in the index.
    if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(clone, file))
  }
  await lendBuilder(root, join(clone, "target"))
}

/**
 * Lends the copy the crates of the builder that come from the registry. They make nothing that is shipped but the
 * program that does, and take half of the time; cargo compiles what it does not find fresh. The engine, all its crates
 * and their macros are compiled anew.
 */
async function lendBuilder(root, target) {
  const cargo = (...args) => must("cargo", [...args, "--locked"], { cwd: root })
  const metadata = await cargo("metadata", "--format-version=1", "--no-deps")
  const tree = await cargo("tree", "--package=toolcrib-builder", "--edges=normal,build", "--prefix=none", "--format={p}")
  const crates = new Set(tree.split("\n").map((line) => line.split(" ")[0].replaceAll("-", "_")))
  crates.delete("toolcrib_builder")
  const from = join(JSON.parse(metadata).target_directory, "debug")
  for (const kind of [".fingerprint", "build", "deps"]) {
    if (!existsSync(join(from, kind))) continue
    for (const name of readdirSync(join(from, kind))) {
      const crate = name.replace(/-[0-9a-f]{16}.*$/, "").replaceAll("-", "_")
      if (!crates.has(crate) && !crates.has(crate.replace(/^lib/, ""))) continue
      mkdirSync(join(target, "debug", kind), { recursive: true })
      // cargo compares times.
      cpSync(join(from, kind, name), join(target, "debug", kind, name), { recursive: true, preserveTimestamps: true })
    }
  }
}

function compare(root, packed, clone, published) {
  const names = new Set([...packed.files, ...published.files])
  const other = [...names].filter((file) => {
    const [here, there] = [root, clone].map((folder) => join(folder, file))
    return !existsSync(here) || !existsSync(there) || !readFileSync(here).equals(readFileSync(there))
  })
  if (other.length > 0) throw new Problem("a clean copy in another folder publishes other files", other.join("\n"))
  if (packed.integrity !== published.integrity || packed.files.join() !== published.files.join()) {
    throw new Problem(
      "a clean copy in another folder publishes another tarball of the same files",
      `packed     ${packed.integrity}\npublished  ${published.integrity}`,
    )
  }
}

/** What is in the files, what publint says, what Are The Types Wrong says. */
async function lint(tarball, paths) {
  // Installed by the build, so they can't be imported when this file is read.
  const { publint } = await import("publint")
  const { formatMessage } = await import("publint/utils")
  const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core")

  const types = createPackageFromTarballData(new Uint8Array(tarball))
  for (const file of types.listFiles()) {
    const text = types.readFile(file)
    // A home folder of `/` would be found in any file.
    const path = paths.find((path) => path && dirname(path) !== path && text.includes(`${path}${sep}`))
    if (path) throw new Problem(`${file} holds ${path}, a path of this machine`)
    if (file.endsWith(".map") || text.includes("sourceMappingURL=")) throw new Problem(`${file} has to do with a source map`)
    if (/\/(tests?|fixtures)\/|\.test\./.test(file)) throw new Problem(`${file} is of the tests`)
  }

  const buffer = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length)
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, level: "suggestion", strict: true })
  if (messages.length > 0) {
    throw new Problem("publint objects to the package", messages.map((message) => formatMessage(message, pkg)).join("\n"))
  }

  const { problems, entrypoints } = await checkPackage(types, { excludeEntrypoints: Object.keys(UNTYPED) })
  if (problems.length > 0) {
    const sentences = problems.map((problem) => JSON.stringify(problem))
    throw new Problem("Are The Types Wrong objects to the package", sentences.join("\n"))
  }
  return [
    "release: publint: nothing to say, suggestions included",
    `release: attw: no problem in ${Object.keys(entrypoints).join(", ")}, however they are resolved`,
    ...Object.entries(UNTYPED).map(([entry, why]) => `release: attw: ${entry} left out: ${why}`),
  ]
}
