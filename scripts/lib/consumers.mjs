// The packed package as its users get it: installed from the tarball, loaded both ways, its types checked as a
// module of every kind that TypeScript knows, library files included.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { must, npm, Problem } from "./process.mjs"

const USE = `
const search = createToolSearch({ tools: [{ type: "function", function: { name: "get_weather", description: "Weather." } }] });
const tokens: number = estimateTokens("hello");
export { search, tokens };
`
const FILES = {
  "import.mts": `import { createToolSearch, estimateTokens } from "toolcrib";${USE}`,
  "require.cts": `import toolcrib = require("toolcrib");\nconst { createToolSearch, estimateTokens } = toolcrib;${USE}`,
  "import.cts": `import { createToolSearch, estimateTokens } from "toolcrib";${USE}`,
}
const BUNDLED = { "bundled.ts": FILES["import.mts"] }

const MODULES = [
  { module: "node16", moduleResolution: "node16", files: FILES },
  { module: "nodenext", moduleResolution: "nodenext", files: FILES },
  { module: "esnext", moduleResolution: "bundler", files: BUNDLED },
]

// The first call instantiates the engine; everything before it must not.
const LOADS = {
  "load.mjs": `
    import * as imported from "toolcrib";
    import { createRequire } from "node:module";
    import { readFileSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    const names = (exports) => Object.keys(exports).sort().join(" ");
    const required = createRequire(import.meta.url)("toolcrib");
    if (names(imported) !== names(required)) throw new Error("import has " + names(imported) + ", require " + names(required));
    for (const { estimateTokens } of [imported, required]) if (!(estimateTokens("hello") > 0)) throw new Error("no estimate");
    new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve("toolcrib/engine.wasm"))));
  `,
}

/** Packs, installs, loads and type-checks; a `Problem` says which of it failed. */
export async function consumers(root) {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-consumers-"))
  try {
    const [program, before] = npm()
    await must(program, [...before, "pack", "--pack-destination", folder], { cwd: root })
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))
    if (tarball === undefined) throw new Problem("npm pack made no tarball")
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
    await must(program, [...before, "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], { cwd: folder })

    for (const [name, text] of Object.entries(LOADS)) {
      writeFileSync(join(folder, name), text)
      await must(process.execPath, [name], { cwd: folder })
    }
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
    for (const { files, ...compilerOptions } of MODULES) {
      const project = join(folder, compilerOptions.module)
      mkdirSync(project)
      for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
      // "dom" is where AbortSignal is declared for those who have no Node types.
      const lib = ["es2022", "esnext.disposable", "dom"]
      const options = {
        ...compilerOptions,
        target: "es2022",
        lib,
        types: [],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
      }
      writeFileSync(
        join(project, "tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files: Object.keys(files) }),
      )
      await must(process.execPath, [tsc, "-p", "."], { cwd: project })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
