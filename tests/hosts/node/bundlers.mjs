// Bundlers, for a program that Node runs: the bundle is all that is left when it does.

import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { Problem } from "../../../scripts/lib/process.mjs"
import { nodeOf, versionOf } from "./binaries.mjs"
import { asModule, IMPORT, REQUIRE } from "./programs.mjs"

/** What a bundle may take that uses a constant only: a hundredth of the engine. */
const SHAKEN = 5_000

const SOURCES = {
  "main.mjs": asModule(IMPORT),
  "main.cjs": `${REQUIRE}
const { conformance } = require("./conform.mjs")
conformance(toolcrib, require("./vectors.json")).then((text) => process.stdout.write(text))
`,
  "constant.mjs": 'export { NEVER_DEFERRED } from "toolcrib"\n',
}

const BUNDLERS = {
  async esbuild({ folder }, entry, format) {
    const { build } = await import("esbuild")
    const bundle = join(folder, "out", format === "esm" ? "main.mjs" : "main.cjs")
    const options = { platform: "node", format, outfile: bundle, bundle: true, minify: true, logLevel: "silent" }
    const { warnings } = await build({ ...options, absWorkingDir: folder, entryPoints: [entry] })
    if (warnings.length > 0) throw new Problem(`esbuild warns: ${warnings[0].text}`)
    return bundle
  },

  async rollup({ folder }, entry, plugins) {
    const { rollup } = await import("rollup")
    const file = join(folder, "out", "main.mjs")
    const loaded = await Promise.all(plugins.map(async (name) => (await import(`@rollup/plugin-${name}`)).default()))
    const bundle = await rollup({
      input: join(folder, entry),
      plugins: loaded,
      onLog(level, { message }) {
        if (level === "warn") throw new Problem(`rollup warns: ${message}`)
      },
    })
    await bundle.write({ file, format: "es" })
    await bundle.close()
    return file
  },

  async webpack({ folder }, entry) {
    const { default: webpack } = await import("webpack")
    const compiler = webpack({
      context: folder,
      mode: "production",
      target: "node20",
      entry: `./${entry}`,
      // webpack throws away what nothing imports from an entry.
      output: { path: join(folder, "out"), filename: "main.cjs", library: { type: "commonjs2" } },
      // It advises pages, not programs, to be small.
      performance: false,
    })
    const stats = await promisify(compiler.run.bind(compiler))()
    await promisify(compiler.close.bind(compiler))()
    const { errors, warnings } = stats.toJson({ errors: true, warnings: true })
    const wrong = [...errors, ...warnings][0]
    if (wrong) throw new Problem(`webpack says: ${wrong.message}`)
    return join(folder, "out", "main.cjs")
  },
}

/** With their majors, which the lock holds; as the browsers' group has them. */
const NAMES = { esbuild: "esbuild 0.28", rollup: "Rollup 4", webpack: "webpack 5" }

function bundled(id, tool, how, { entry = "main.mjs", option } = {}) {
  return {
    id,
    where: NAMES[tool],
    how,
    version: (lab) => lab.version(tool),
    async run(lab) {
      const bundle = BUNDLERS[tool]
      lab.write(SOURCES)
      await shaken(await bundle(lab, "constant.mjs", option))
      const file = await bundle(lab, entry, option)
      // The bundle must need nothing of the package.
      rmSync(join(lab.folder, "node_modules"), { recursive: true })
      return lab.exec(process.execPath, [file])
    },
  }
}

/** The bundle of a program that takes a constant only: it has the constant, and nothing of the engine. */
async function shaken(file) {
  const { size } = statSync(file)
  const loaded = await import(pathToFileURL(file))
  const { NEVER_DEFERRED } = loaded.default ?? loaded
  if (!Array.isArray(NEVER_DEFERRED)) throw new Problem("the bundle of a constant has no such constant")
  if (size > SHAKEN) {
    throw new Problem(`the bundle of \`import { NEVER_DEFERRED }\` takes ${size} bytes, more than ${SHAKEN}`)
  }
}

/** A bundle becomes a program of its own: the engine must come from it, as there are no files to read. */
const executable = {
  id: "node-26-executable",
  where: "Node.js",
  how: "a single executable",
  version: (lab) => versionOf(lab, 26),
  async run(lab) {
    lab.write(SOURCES)
    const main = await BUNDLERS.esbuild(lab, "main.mjs", "cjs")
    lab.write({ "sea.json": JSON.stringify({ main, output: "program", disableExperimentalSEAWarning: true }) })
    await lab.exec(nodeOf(lab, 26), ["--build-sea", "sea.json"])
    const program = join(lab.folder, "program")
    if (process.platform === "darwin") await lab.exec("codesign", ["--sign", "-", program])
    rmSync(join(lab.folder, "node_modules"), { recursive: true })
    const text = await lab.exec(program)
    // As large as Node, and labs stay.
    rmSync(program)
    return text
  },
}

/** The package is loaded before the snapshot is taken and used after it: it must not have started anything by then. */
const snapshot = {
  id: "node-26-snapshot",
  where: "Node.js",
  how: "a startup snapshot",
  version: (lab) => versionOf(lab, 26),
  async run(lab) {
    const used = SOURCES["main.cjs"].replace("\nconformance(", "\nconst main = () => conformance(")
    lab.write({ "main.cjs": `${used}require("node:v8").startupSnapshot.setDeserializeMainFunction(main)\n` })
    const main = await BUNDLERS.esbuild(lab, "main.cjs", "cjs")
    await lab.exec(nodeOf(lab, 26), ["--snapshot-blob", "main.blob", "--build-snapshot", main])
    rmSync(join(lab.folder, "node_modules"), { recursive: true })
    return lab.exec(nodeOf(lab, 26), ["--snapshot-blob", "main.blob"])
  },
}

export default [
  bundled("esbuild-node-cjs", "esbuild", "for Node, to CommonJS", { option: "cjs" }),
  bundled("esbuild-node-esm", "esbuild", "for Node, to an ES module", { option: "esm" }),
  bundled("esbuild-node-require", "esbuild", "for Node, from `require`", { entry: "main.cjs", option: "cjs" }),
  bundled("rollup-node", "rollup", "for Node", { option: ["node-resolve"] }),
  bundled("rollup-node-commonjs", "rollup", "for Node, with commonjs", {
    option: ["node-resolve", "commonjs"],
  }),
  bundled("webpack-node", "webpack", "for Node"),
  bundled("webpack-node-require", "webpack", "for Node, from `require`", { entry: "main.cjs" }),
  executable,
  snapshot,
]
