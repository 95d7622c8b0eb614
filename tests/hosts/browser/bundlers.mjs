// Pages that a bundler makes, then served and opened in Chromium.

import * as esbuild from "esbuild"
import { join } from "node:path"
import { Problem } from "../../../scripts/lib/process.mjs"
import { printed } from "../lab.mjs"
import { classic, html, look, module, program, visit } from "./pages.mjs"

/** A host that is built from main.js; `build(lab)` makes it, and may give the folder with its index.html. */
const built = (id, where, how, build, files) => ({
  id,
  where,
  how,
  version: (lab) => lab.version(where.split(" ")[0].toLowerCase()),
  async run(lab) {
    lab.write({ "main.js": program("toolcrib"), "index.html": module("dist/main.js"), ...files })
    return look(join(lab.folder, (await build(lab)) ?? "."))
  },
})

/** Runs a program that may print nothing: what a bundler warns of, a user of the package would see. */
async function silent(lab, tool, args) {
  const text = await lab.exec("sh", ["-c", 'exec "$@" 2>&1', "sh", tool, ...args])
  if (text.trim()) throw new Problem(`${tool} has something to say`, text)
}

const worker = (path) => `const worker = new Worker(${path}, { type: "module" })
worker.onmessage = ({ data }) => report(data)
`
const fetched = (url) => `toolcrib.init(await WebAssembly.compileStreaming(fetch(${url})))`

// Vite ---------------------------------------------------------------------------------------------------------------

const viteFiles = (config) => ({
  "index.html": module("/main.js"),
  "main.js": program("toolcrib"),
  "vite.config.js": `export default ${JSON.stringify(config)}\n`,
  // A browser asks for it by itself.
  "favicon.ico": "",
})

async function viteBuild(lab) {
  await silent(lab, lab.bin("vite"), ["build", "--logLevel", "warn"])
  return "dist"
}

const vite = (id, how, files) =>
  // The vectors alone are larger than what Vite warns of.
  built(id, "Vite 8", how, viteBuild, { ...viteFiles({ build: { chunkSizeWarningLimit: 5_000 } }), ...files })

const viteServer = (id, how, config) => ({
  id,
  where: "Vite 8",
  how,
  version: (lab) => lab.version("vite"),
  async run(lab) {
    lab.write(viteFiles(config))
    const server = lab.start(lab.bin("vite"), ["--host", "127.0.0.1", "--port", "0"])
    const [url] = await printed(server, /http:\/\/127\.0\.0\.1:\d+\//)
    return visit(url)
  },
})

// webpack, esbuild, Rollup -------------------------------------------------------------------------------------------

async function webpack(lab) {
  lab.write({
    "build.mjs": `import webpack from "webpack"
const performance = { hints: false } // of the vectors
webpack({ mode: "production", entry: "./main.js", performance }, (error, stats) => {
  if (error) throw error
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString("errors-warnings"))
})
`,
  })
  await silent(lab, process.execPath, ["build.mjs"])
}

const esbuilt = (format) => async (lab) => {
  const { warnings } = await esbuild.build({
    absWorkingDir: lab.folder,
    entryPoints: ["main.js"],
    outdir: "dist",
    bundle: true,
    minify: true,
    format,
    logLevel: "silent",
  })
  if (warnings.length) throw new Problem("esbuild warns", JSON.stringify(warnings, null, 2))
}

const rollup = (...plugins) => (lab) =>
  silent(lab, lab.bin("rollup"), [
    ...["main.js", "--format", "es", "--dir", "dist", "--silent", "--failAfterWarnings"],
    ...plugins.flatMap((plugin) => ["--plugin", plugin]),
  ])

export default [
  vite("vite-build", "build"),
  vite("vite-build-worker", "build for a web worker", {
    "main.js": worker(`new URL("./worker.js", import.meta.url)`),
    "worker.js": program("toolcrib", { give: "postMessage" }),
  }),
  vite("vite-build-slim", "build of `slim`", {
    "main.js": `import url from "toolcrib/engine.wasm?url"\n${program("toolcrib/slim", { first: fetched("url") })}`,
  }),
  viteServer("vite-dev", "dev server", {}),
  viteServer("vite-dev-exclude", "dev server with `optimizeDeps.exclude`", { optimizeDeps: { exclude: ["toolcrib"] } }),
  built("webpack", "webpack 5", "for a page", webpack, { "index.html": classic("dist/main.js") }),
  built("webpack-slim", "webpack 5", "`slim`", webpack, {
    "index.html": classic("dist/main.js"),
    "main.js": program("toolcrib/slim", { first: fetched(`new URL("toolcrib/engine.wasm", import.meta.url)`) }),
  }),
  built("esbuild-esm", "esbuild 0.28", "ES module for a page", esbuilt("esm")),
  built("esbuild-iife", "esbuild 0.28", "IIFE", esbuilt("iife"), {
    "index.html": classic("dist/main.js"),
  }),
  built("esbuild-worker", "esbuild 0.28", "IIFE in a classic worker", esbuilt("iife"), {
    "main.js": program("toolcrib", { give: "postMessage" }),
    "page.js": `new Worker("dist/main.js").onmessage = ({ data }) => report(data)`,
    "index.html": html(`<script src="page.js"></script>`),
  }),
  built("rollup", "Rollup 4", "for a page, with commonjs", rollup("node-resolve", "commonjs")),
  built("rollup-resolve", "Rollup 4", "for a page", rollup("node-resolve")),
]
