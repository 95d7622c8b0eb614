// Node itself: its versions, and what it can be told to refuse.

import { rmSync } from "node:fs"
import { join } from "node:path"
import { nodeOf, versionOf } from "./binaries.mjs"
import { asCommonJs, asModule, IMPORT, REQUIRE, SLIM_IMPORT, SLIM_REQUIRE } from "./programs.mjs"

const own = () => process.versions.node
/** The oldest that package.json's "engines" allows, a line in between and the newest. */
const MAJORS = [20, 22, 26]

/** A host that writes one file and runs Node on it. */
function program({ major, name = "Node.js", flags = () => [], file = "main.mjs", text, files, ...host }) {
  return {
    where: name,
    version: (lab) => (major ? versionOf(lab, major) : own()),
    run(lab) {
      lab.write({ [file]: text, ...files })
      return lab.exec(major ? nodeOf(lab, major) : process.execPath, [...flags(lab), file])
    },
    ...host,
  }
}

function loads(id, major, name) {
  return [
    program({ id: `${id}-import`, how: "`import`", major, name, text: asModule(IMPORT) }),
    program({ id: `${id}-require`, how: "`require`", major, name, file: "main.cjs", text: asCommonJs(REQUIRE) }),
  ]
}

/** Prints the error that a user would see, as JSON. */
const REFUSED = `import { createToolSearch } from "toolcrib"
try {
  createToolSearch({ tools: [] })
  console.log(null)
} catch ({ name, code, message }) {
  console.log(JSON.stringify({ name, code, message }))
}
`

// Only the folder that the program lies in may be read, and the package's own .wasm is not even there.
function permitted(major) {
  const host = program({
    id: `node-${major}-permission`,
    how: "`--permission` with no more than reading its modules",
    major,
    name: `Node.js ${major}`,
    flags: (lab) => ["--permission", `--allow-fs-read=${lab.folder}/*`],
    text: asModule(`${IMPORT}
const { permission } = process
if (permission.has("fs.read", "/etc") || permission.has("fs.write")) throw new Error("all is permitted")`),
  })
  const run = (lab) => {
    rmSync(join(lab.folder, "node_modules", "toolcrib", "pkg", "engine.wasm"))
    return host.run(lab)
  }
  return { ...host, run }
}

// Started twice at once, as an engine of one thread must not be seen by another.
const WORKERS = `import { isMainThread, parentPort, Worker } from "node:worker_threads"
import * as toolcrib from "toolcrib"
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"

if (isMainThread) {
  const run = () => new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url)).on("message", resolve).on("error", reject)
  })
  const texts = await Promise.all([run(), run(), conformance(toolcrib, vectors)])
  if (new Set(texts).size !== 1) throw new Error("threads differ")
  process.stdout.write(texts[0])
} else {
  parentPort.postMessage(await conformance(toolcrib, vectors))
}
`

// All copies of the package that one process can have, used in turn.
const COPIES = `import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import * as imported from "toolcrib"
import * as slim from "toolcrib/slim"
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"

const require = createRequire(import.meta.url)
const [required, slimRequired] = [require("toolcrib"), require("toolcrib/slim")]
const names = (exports) => Object.keys(exports).filter((name) => name !== "init").sort().join(" ")
const copies = { imported, required, slim, slimRequired }
for (const [name, copy] of Object.entries(copies)) {
  if (names(copy) !== names(imported)) throw new Error(\`import has \${names(imported)}, \${name} \${names(copy)}\`)
}
// What slim lacks must not be taken for what the others have.
for (const early of [slim, slimRequired]) {
  let code
  try {
    early.estimateTokens("too early")
  } catch (error) {
    code = error.code
  }
  if (code !== "wasm_unavailable") throw new Error("a call before init gave " + code)
}
for (const copy of [imported, required]) copy.estimateTokens("in time")
const bytes = readFileSync(require.resolve("toolcrib/engine.wasm"))
slim.init(bytes)
slimRequired.init(bytes)
const texts = await Promise.all(Object.values(copies).map((copy) => conformance(copy, vectors)))
for (const text of texts) if (text !== texts[0]) throw new Error("copies of the package differ")
process.stdout.write(texts[0])
`

// The package in a realm of its own, as test runners and plugin hosts do it; all that it is given is of another realm.
const REALM = `const { readFileSync } = require("node:fs")
const { dirname, join } = require("node:path")
const vm = require("node:vm")
const { AbortController, clearTimeout, crypto, setTimeout, TextDecoder, TextEncoder } = globalThis
const context = vm.createContext({ AbortController, clearTimeout, crypto, setTimeout, TextDecoder, TextEncoder })
const cache = new Map()
function load(file) {
  if (!cache.has(file)) {
    const module = { exports: {} }
    cache.set(file, module)
    const text = "(function (exports, require, module) {" + readFileSync(file, "utf8") + "\\n})"
    vm.runInContext(text, context)(module.exports, (name) => load(join(dirname(file), name)), module)
  }
  return cache.get(file).exports
}
const toolcrib = load(require.resolve("toolcrib"))
`

export default [
  ...loads("node", undefined),
  ...MAJORS.flatMap((major) => loads(`node-${major}`, major, `Node.js ${major}`)),
  program({ id: "node-slim-import", how: "`slim` with bytes", text: asModule(SLIM_IMPORT) }),
  program({
    id: "node-slim-require",
    how: "`slim` with a module",
    file: "main.cjs",
    text: asCommonJs(SLIM_REQUIRE),
  }),
  program({
    id: "node-26-source-import",
    how: "`slim` with `import source`",
    major: 26,
    text: asModule(`import * as toolcrib from "toolcrib/slim"
import source wasm from "toolcrib/engine.wasm"
toolcrib.init(wasm)`),
  }),
  program({
    id: "node-26-typescript",
    how: "a TypeScript file as it is",
    major: 26,
    file: "main.mts",
    text: asModule(`${IMPORT}
import type { ToolSearch } from "toolcrib"
const search: ToolSearch = toolcrib.createToolSearch({ tools: [{ name: "a" }] })
search.free()`),
  }),
  permitted(22),
  permitted(26),
  program({ id: "node-workers", how: "worker threads", text: WORKERS }),
  program({ id: "node-copies", how: "`import`, `require` and `slim` in one process", text: COPIES }),
  program({ id: "node-vm", how: "a `node:vm` context", file: "main.cjs", text: asCommonJs(REALM) }),
  program({
    id: "node-hardened",
    how: "`eval`, `__proto__` and changes to built-ins switched off",
    flags: () => ["--disallow-code-generation-from-strings", "--disable-proto=throw", "--frozen-intrinsics"],
    text: asModule(IMPORT),
  }),
  {
    ...program({ id: "node-jitless", how: "`--jitless`, which has no WebAssembly" }),
    refuses: "wasm_unavailable",
    async run(lab) {
      lab.write({ "main.mjs": REFUSED })
      return JSON.parse(await lab.exec(process.execPath, ["--jitless", "main.mjs"]))
    },
  },
]
