// The runtimes that can be told to run a program, each time in a fresh process: those that tests/hosts installs.
//
// A place has an `id`, the `group` of tests/hosts that installs it, a `name`, and
//   load        the text of a function that resolves to the package
//   first       statements before it
//   heap        the text of a function that gives the bytes of JavaScript's heap in use, after a collection
//   version     of a lab
//   start       of a lab and a program, the text of a module that calls `give` once: `{ given, pid, ms, end }`, which
//               are what it gave, the process that still runs, the time from nothing to there, and how to end it

import { execFileSync } from "node:child_process"
import { printed } from "../../tests/hosts/lab.mjs"

// On demand, as these files import packages that are installed only when they are wanted.
const from = (file) => import(new URL(`../../tests/hosts/${file}`, import.meta.url))

// It stays until it is ended, so that it can be looked at from outside.
const script = (program) => `const give = (given) => console.log("GIVES " + JSON.stringify(given))
setTimeout(() => {}, 100_000)
${program}`

async function started(lab, path, args, env) {
  const began = performance.now()
  const child = lab.start(path, args, { env })
  const [, json] = await printed(child, /GIVES (.*)\n/)
  const ms = performance.now() - began
  return { ms, given: JSON.parse(json), pid: child.pid, end: () => lab.close() }
}

const IMPORT = 'import("toolcrib")'
const REQUIRE = 'createRequire(import.meta.url)("toolcrib")'
const SLIM = 'import("toolcrib/slim").then((slim) => (slim.init(module), slim))'
const COMPILED = `import { readFileSync } from "node:fs"
const module = new WebAssembly.Module(readFileSync("node_modules/toolcrib/pkg/engine.wasm"))`

const node = (major, how, load, first = "") => ({
  id: `node-${major}-${how.split(",")[0]}`,
  group: "node",
  name: `Node.js ${how}`,
  load: `async () => ${load}`,
  first: `import { createRequire } from "node:module"\n${first}`,
  heap: "() => (gc(), process.memoryUsage().heapUsed)",
  async version(lab) {
    const { nodeOf } = await from("node/binaries.mjs")
    return execFileSync(nodeOf(lab, major), ["--version"]).toString().trim().slice(1)
  },
  async start(lab, program) {
    const { nodeOf } = await from("node/binaries.mjs")
    lab.write({ "main.mjs": script(program) })
    return started(lab, nodeOf(lab, major), ["--expose-gc", "main.mjs"])
  },
})

const deno = {
  id: "deno",
  group: "edge",
  name: "Deno import",
  load: `() => ${IMPORT}`,
  heap: "() => (gc(), Deno.memoryUsage().heapUsed)",
  version: (lab) => lab.version("deno"),
  async start(lab, program) {
    const { binary } = await from("edge/binary.mjs")
    lab.write({ "main.mjs": script(program) })
    // What V8 made of the code of an earlier run would be no cold start.
    const args = ["run", "--no-prompt", "--no-code-cache", "--v8-flags=--expose-gc", "main.mjs"]
    const env = { DENO_DIR: `${lab.folder}/.deno`, DENO_NO_UPDATE_CHECK: "1" }
    return started(lab, binary(lab, "deno", "deno"), args, env)
  },
}

const bun = {
  id: "bun",
  group: "edge",
  name: "Bun import",
  load: `() => ${IMPORT}`,
  heap: "() => (Bun.gc(true), process.memoryUsage().heapUsed)",
  version: (lab) => lab.version("bun"),
  async start(lab, program) {
    const { binary } = await from("edge/binary.mjs")
    lab.write({ "main.mjs": script(program) })
    const env = { BUN_INSTALL: `${lab.folder}/.bun`, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" }
    return started(lab, binary(lab, "bun", "bin/bun"), ["run", "main.mjs"], env)
  },
}

// Such a page has a finer clock.
const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" }

/** A page is a fresh process with fresh caches, as it comes in a browser context of its own. */
const page = (id, name, load, first = "") => ({
  id,
  group: "browser",
  name,
  load: `() => ${load}`,
  first,
  heap: "() => performance.memory.usedJSHeapSize",
  version: async () => (await (await from("browser/chromium.mjs")).browser()).version(),
  async start(lab, program) {
    const { html, serve, visit } = await from("browser/pages.mjs")
    lab.write({
      "index.html": html('<script type="module" src="main.mjs"></script>'),
      "main.mjs": `const give = report\n${program}`,
    })
    const server = await serve(lab.folder, ISOLATED)
    try {
      const began = performance.now()
      const given = await visit(server.url)
      return { ms: performance.now() - began, given, pid: null, end: () => {} }
    } finally {
      server.close()
    }
  },
})

const PKG = "/node_modules/toolcrib/pkg"

export const places = [
  ...[20, 22, 26].flatMap((major) => [node(major, "import", IMPORT), node(major, "require", REQUIRE)]),
  node(26, "slim, compiled before", SLIM, COMPILED),
  deno,
  bun,
  page("chromium", "Chromium import", `import("${PKG}/index.js")`),
  page(
    "chromium-slim",
    "Chromium slim, compiled before",
    `import("${PKG}/slim.js").then((slim) => (slim.init(module), slim))`,
    `const module = await WebAssembly.compileStreaming(fetch("${PKG}/engine.wasm"))`,
  ),
]

/** Ends what the places of a group have started together. */
export async function done() {
  const { close } = await from("browser/chromium.mjs").catch(() => ({}))
  await close?.()
}
