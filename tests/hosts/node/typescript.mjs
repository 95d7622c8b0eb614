// TypeScript: a program in each of the ways in which a module may be written, compiled as strictly as can be, and run.

import { readFileSync } from "node:fs"
import { join } from "node:path"

// Not called while the module loads: slim has no engine then. The misspelt option is refused by no type that is `any`.
const USE = `
const tools = [{ type: "function", function: { name: "get_weather", description: "Weather." }, run: () => 21 }] as const
export function use(): number {
  const search: ToolSearch<typeof tools> = createToolSearch({ tools })
  const loaded: "get_weather"[] = search.turn([]).loaded
  const rank: Rank = (_query, given) => given.map(({ name }) => name)
  using other = createToolSearch({ tools: [{ name: "get_time" }], rank })
  return loaded.length + other.turn([]).tools.length + estimateTokens("hello")
}
export function refused(): unknown {
  // @ts-expect-error
  return createToolSearch({ tools, treshold: 0 })
}
`

const imports = (entry) => `import * as toolcrib from "${entry}"
import { createToolSearch, estimateTokens, type Rank, type ToolSearch } from "${entry}"
${USE}
export { toolcrib }
`

const requires = (entry) => `import toolcrib = require("${entry}")
import type { Rank, ToolSearch } from "${entry}"
const { createToolSearch, estimateTokens } = toolcrib
${USE}
export { toolcrib }
`

// How slim is given its engine, where there are Node's types and where there are a page's.
const INIT = {
  node: `import { readFileSync } from "node:fs"
export const start = (path: string): void => init(readFileSync(path))
`,
  bare: "export const start = (wasm: object): void => init(wasm)\n",
  dom: "export const start = (wasm: WebAssembly.Module): void => init(wasm)\n",
}

/** The files of a program, `init` in those of slim; `.ts` is what the nearest package.json says. */
function files(entry, kinds, types) {
  const init = entry.endsWith("/slim") ? `import { init } from "${entry}"\n${INIT[types]}` : ""
  const name = entry.replace("/", "-")
  const all = {
    "import.mts": imports(entry) + init,
    "import.cts": imports(entry) + init,
    "require.cts": requires(entry) + init,
    "main.ts": imports(entry) + init,
    "commonjs/main.ts": imports(entry) + init,
  }
  return Object.fromEntries(kinds.map((kind) => [`${name}/${kind}`, all[kind]]))
}

const ALL = ["import.mts", "import.cts", "require.cts", "main.ts", "commonjs/main.ts"]
const PAGE = { lib: ["es2022", "dom"], types: [] }
// A program for Node has no use for a page's types, nor has the package.
const NODE = { lib: ["es2022"], types: ["node"] }
// Neither: the names that a runtime has are declared nowhere.
const BARE = { lib: ["es2022"], types: [] }
const MODES = {
  bundler: { kinds: ["main.ts"], types: "dom", options: { ...PAGE, module: "esnext", moduleResolution: "bundler" } },
  node16: { kinds: ALL, types: "bare", options: { ...BARE, module: "node16", moduleResolution: "node16" } },
  nodenext: { kinds: ALL, types: "node", options: { ...NODE, module: "nodenext", moduleResolution: "nodenext" } },
}

/** Runs what was compiled: each program by itself, and each copy of the package on all vectors. */
const RUN = `import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"

const path = createRequire(import.meta.url).resolve("toolcrib/engine.wasm")
const module = new WebAssembly.Module(readFileSync(path))
const copies = new Map()
for (const file of FILES) {
  const program = await import(file)
  program.start?.(file.startsWith("./nodenext/") ? path : module)
  if (!(program.use() > 0)) throw new Error(file + " gives " + program.use())
  copies.set(program.toolcrib.createToolSearch, program.toolcrib)
}
// Two entries, each by import and by require.
if (copies.size !== 4) throw new Error("the programs got " + copies.size + " copies of the package, not 4")
const texts = await Promise.all(Array.from(copies.values(), (toolcrib) => conformance(toolcrib, vectors)))
if (texts.some((text) => text !== texts[0])) throw new Error("copies of the package differ")
process.stdout.write(texts[0])
`

async function compile(lab, tsc, mode) {
  const { kinds, types, options } = MODES[mode]
  const sources = { ...files("toolcrib", kinds, types), ...files("toolcrib/slim", kinds, types) }
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false }
  const compilerOptions = { ...options, ...strict, target: "es2022", rootDir: "." }
  const placed = Object.entries(sources).map(([name, text]) => [join(mode, name), text])
  lab.write({
    ...Object.fromEntries(placed),
    [join(mode, "toolcrib", "commonjs", "package.json")]: '{ "type": "commonjs" }',
    [join(mode, "toolcrib-slim", "commonjs", "package.json")]: '{ "type": "commonjs" }',
    [join(mode, "tsconfig.json")]: JSON.stringify({ compilerOptions, files: Object.keys(sources) }),
  })
  await lab.exec(process.execPath, [tsc, "-p", mode])
  return Object.keys(sources).map((name) => `./${mode}/${name.replace(/ts$/, "js")}`)
}

function compiler(id, where, folder, version) {
  return {
    id,
    where,
    how: "`bundler`, `node16`, `nodenext`",
    version,
    async run(lab) {
      const tsc = join(folder(lab), "bin", "tsc")
      const compiled = []
      for (const mode of Object.keys(MODES)) compiled.push(...(await compile(lab, tsc, mode)))
      lab.write({ "run.mjs": RUN.replace("FILES", JSON.stringify(compiled)) })
      return lab.exec(process.execPath, ["run.mjs"])
    },
  }
}

// The newest is the one that builds the package: a second one would be the same.
const newest = (lab) => join(lab.root, "node_modules", "typescript")
// 5.1 does not know the library `esnext.disposable`, which the types name.
const oldest = (lab) => join(lab.group, "node_modules", "typescript-oldest")

export default [
  compiler("typescript", "TypeScript 7", newest, (lab) => JSON.parse(readFileSync(join(newest(lab), "package.json"), "utf8")).version),
  compiler("typescript-oldest", "TypeScript 5.2", oldest, (lab) => lab.version("typescript-oldest")),
]
