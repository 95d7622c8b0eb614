// Vercel's edge runtime, as the package that their builder runs functions in.

import * as esbuild from "esbuild"
import { Problem } from "../../../scripts/lib/process.mjs"
import { edgeFunction, IMPORT, refusedEdgeFunction, SLIM } from "./programs.mjs"

/** What the builder calls the wasm in the function's global scope; it adds a hash of the file. */
const NAME = "wasm_engine"

/** As Vercel's builder reads `x.wasm?module`: a global that the machine fills in with the compiled module. */
const wasmAsGlobal = (found) => ({
  name: "wasm-as-global",
  setup(build) {
    build.onResolve({ filter: /\.wasm\?module$/ }, async ({ path, importer, resolveDir }) => {
      const asked = path.replace(/\?module$/, "")
      const file = await build.resolve(asked, { importer, resolveDir, kind: "import-statement" })
      if (file.errors.length > 0) return { errors: file.errors }
      found.push(file.path)
      return { path: NAME, namespace: "wasm" }
    })
    build.onLoad({ filter: /.*/, namespace: "wasm" }, ({ path }) => ({ contents: `export default globalThis.${path}` }))
  },
})

/** Vercel's machines compile nothing for a function, neither code nor wasm; the package by itself allows wasm. */
const program = (wasm) => `import { readFileSync } from "node:fs"
import { EdgeRuntime } from "edge-runtime"

const modules = {}
for (const file of ${JSON.stringify(wasm)}) modules.${NAME} = new WebAssembly.Module(readFileSync(file))
const runtime = new EdgeRuntime({
  initialCode: readFileSync("out.js", "utf8"),
  codeGeneration: { strings: false, wasm: false },
  extend: (context) => Object.assign(context, modules),
})
const response = await runtime.dispatchFetch("https://edge.test/")
process.stdout.write(await response.text())
process.exitCode = response.ok ? 0 : 1
`

const host = ({ text, conditions = ["edge-light", "worker", "browser"], judge = (given) => given, ...more }) => ({
  where: "edge-runtime 4 (Vercel)",
  version: (lab) => lab.version("edge-runtime"),
  async run(lab) {
    const wasm = []
    lab.write({ "main.js": text })
    await esbuild.build({
      absWorkingDir: lab.folder,
      entryPoints: ["main.js"],
      outfile: "out.js",
      bundle: true,
      format: "iife",
      target: "es2022",
      conditions,
      plugins: [wasmAsGlobal(wasm)],
      logLevel: "silent",
    })
    lab.write({ "host.mjs": program(wasm) })
    return judge(await lab.exec(process.execPath, ["host.mjs"]))
  },
  ...more,
})

export default [
  host({ id: "edge-runtime", how: "as it comes", text: edgeFunction(IMPORT) }),
  host({
    id: "edge-runtime-slim",
    how: "`slim`",
    text: edgeFunction(SLIM.replace("engine.wasm", "engine.wasm?module")),
    conditions: [],
  }),
  host({
    id: "edge-runtime-inlined",
    how: 'bundled without the condition `edge-light`',
    refuses: "wasm_unavailable",
    text: refusedEdgeFunction,
    conditions: [],
    judge(answered) {
      const refused = JSON.parse(answered)
      if (refused?.message.includes('"edge-light"')) return refused
      throw new Problem(`the error should name the condition: ${answered}`)
    },
  }),
]
