// Test runners. Each has a way of its own to load modules, and some give every test file a realm of its own.

import { join } from "node:path"
import { transform } from "esbuild"
import { Problem } from "../../../scripts/lib/process.mjs"
import { IMPORT, REFUSES_BEFORE_INIT, REQUIRE } from "./programs.mjs"

/** Where a test leaves its text: a test runner's output is its own. */
const TEXT = "conformance.txt"

/** Runs a test runner on one file; resolves to what its test wrote. */
async function tested(lab, args, files) {
  lab.write(files)
  const output = await lab.exec(process.execPath, args)
  try {
    return lab.read(TEXT)
  } catch {
    throw new Problem("no test wrote anything", output)
  }
}

const VITEST = `import { writeFileSync } from "node:fs"
import { expect, test } from "vitest"
${IMPORT}
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"

test("gives the bytes of the native engine", async () => {
  expect(typeof document).toBe(DOM)
  writeFileSync(${JSON.stringify(TEXT)}, await conformance(toolcrib, vectors))
}, 120_000)
`

function vitest(id, how, args = [], { dom = "undefined", config = {} } = {}) {
  return {
    id,
    where: "Vitest 4",
    how,
    version: (lab) => lab.version("vitest"),
    run: (lab) =>
      tested(lab, [join(lab.group, "node_modules", "vitest", "vitest.mjs"), "run", "--root", ".", ...args], {
        "vitest.config.mjs": `export default ${JSON.stringify({ test: config })}\n`,
        "main.test.mjs": VITEST.replace("DOM", JSON.stringify(dom)),
      }),
  }
}

const INLINE = { server: { deps: { inline: ["toolcrib"] } } }
const HAS_DOM = { dom: "object" }

const JEST = `
test("gives the bytes of the native engine", async () => {
  writeFileSync(${JSON.stringify(TEXT)}, await conformance(toolcrib, vectors))
}, 120_000)
`
// In its CommonJS mode Jest can't load an ES module; who has them compiles them first, as here.
const JEST_REQUIRE = `const { writeFileSync } = require("node:fs")
${REQUIRE}
const { conformance } = require("./conform.cjs")
const vectors = require("./vectors.json")
${JEST}`

const JEST_IMPORT = `import { writeFileSync } from "node:fs"
${IMPORT}
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"
${JEST}`

const JEST_SLIM = JEST_REQUIRE.replace(
  REQUIRE,
  `const toolcrib = require("toolcrib/slim")
const { readFileSync } = require("node:fs")
${REFUSES_BEFORE_INIT}
toolcrib.init(readFileSync(require.resolve("toolcrib/engine.wasm")))`,
)

function jest(id, how, file, text, { flags = [], args = [], files } = {}) {
  return {
    id,
    where: "Jest 30",
    how,
    version: (lab) => lab.version("jest"),
    async run(lab) {
      const compiled = await transform(lab.read("conform.mjs"), { format: "cjs" })
      const cli = join(lab.group, "node_modules", "jest", "bin", "jest.js")
      const options = ["--rootDir", ".", "--watchman=false", "--cacheDirectory", "cache", "--runInBand"]
      return tested(lab, [...flags, cli, ...options, ...args], {
        "jest.config.json": JSON.stringify({ moduleFileExtensions: ["js", "mjs", "cjs", "json"] }),
        "conform.cjs": compiled.code,
        ...files,
        [file]: text,
      })
    },
  }
}

const JSDOM = ["--env", "jsdom"]

// Jest's jsdom has no TextDecoder (https://github.com/jsdom/jsdom/issues/2524), and Jest passes on none of Node's.
const JEST_REFUSED = `const { writeFileSync } = require("node:fs")
${REQUIRE}
test("is refused", () => {
  try {
    toolcrib.createToolSearch({ tools: [] })
  } catch ({ code, message }) {
    writeFileSync(${JSON.stringify(TEXT)}, JSON.stringify({ code, message }))
  }
})
`

const SETUP = `const { TextDecoder, TextEncoder } = require("node:util")
Object.assign(globalThis, { TextDecoder, TextEncoder })
`

function refusedByJsdom() {
  const how = "jsdom as it comes, without `TextDecoder`"
  const host = jest("jest-jsdom", how, "main.test.cjs", JEST_REFUSED, { args: JSDOM })
  return { ...host, refuses: "wasm_unavailable", run: async (lab) => JSON.parse(await host.run(lab)) }
}

export default [
  vitest("vitest", "as it comes"),
  vitest("vitest-inline", "inlined", [], { config: INLINE }),
  vitest("vitest-vm", "`--pool vmThreads`", ["--pool", "vmThreads"]),
  vitest("vitest-happy-dom", "happy-dom", ["--environment", "happy-dom"], HAS_DOM),
  jest("jest", "as it comes", "main.test.cjs", JEST_REQUIRE),
  jest("jest-esm", "`--experimental-vm-modules`", "main.test.mjs", JEST_IMPORT, {
    flags: ["--experimental-vm-modules"],
  }),
  refusedByJsdom(),
  jest("jest-jsdom-setup", "jsdom with `TextDecoder` in its setup file", "main.test.cjs", JEST_REQUIRE, {
    args: [...JSDOM, "--setupFiles", "./setup.cjs"],
    files: { "setup.cjs": SETUP },
  }),
  jest("jest-slim", "`slim`", "main.test.cjs", JEST_SLIM),
]
