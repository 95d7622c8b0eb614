// The JavaScript face, the glue and the wasm in one file per module system.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Problem } from "./process.mjs"

const GLUE = "./toolcrib_bg.js"

/** Bundles `js/index.ts`; resolves to `{ esm, cjs }`, the texts of the two files. */
export async function bundle(root, glueFolder) {
  // Installed by the build itself, so it can't be imported when this file is read.
  const esbuild = await import("esbuild")
  const modules = virtualModules(
    await glueFactory(esbuild, glueFolder),
    asText(readFileSync(join(glueFolder, "toolcrib_bg.wasm"))),
  )
  const make = async (format) => {
    const { outputFiles } = await attempt(
      esbuild.build({
        absWorkingDir: root,
        entryPoints: ["js/index.ts"],
        bundle: true,
        write: false,
        format,
        platform: "neutral",
        target: "es2022",
        charset: "utf8",
        // The sources are in the repository; what is shipped is counted in bytes.
        minify: true,
        legalComments: "none",
        logLevel: "silent",
        plugins: [modules],
      }),
    )
    return outputFiles[0].text
  }
  return { esm: await make("esm"), cjs: await make("cjs") }
}

/**
 * The glue as the text of a module that exports `createGlue()`.
 *
 * wasm-bindgen's glue keeps its instance, its views of that instance's memory and the length of the last string it
 * passed in module variables. `__wbg_set_wasm` replaces the instance alone: after a trap, when a fresh instance takes
 * the place of the poisoned one, the kept `Uint8Array` would go on showing the memory of the old one. Wasm-bindgen
 * writes a function that resets all this only for targets that load the wasm themselves. So the module becomes a
 * function: esbuild's own `iife` format makes one of any module, imports bundled in, and each call of `createGlue()`
 * has variables of its own. Nothing here knows what the generated code looks like, and `checkGlue` holds what the
 * loaders rely on.
 */
async function glueFactory(esbuild, folder) {
  const { outputFiles, metafile } = await attempt(
    esbuild.build({
      absWorkingDir: folder,
      entryPoints: [GLUE],
      bundle: true,
      write: false,
      metafile: true,
      outdir: ".",
      // Written by no person and read by none; the rest stays as it was written, for the sake of stack traces.
      minify: true,
      format: "iife",
      globalName: "glue",
      platform: "neutral",
      target: "es2022",
      charset: "utf8",
      logLevel: "silent",
    }),
  )
  const text = `export function createGlue() {\n${outputFiles[0].text}return glue;\n}\n`
  checkGlue(outputFiles[0].text, Object.values(metafile.outputs)[0], readFileSync(join(folder, "toolcrib_bg.wasm")))
  return text
}

function checkGlue(code, { imports }, wasm) {
  const problem = (what) => new Problem(`the glue is not what the loaders expect: ${what} (scripts/lib/bundle.mjs)`)
  if (imports.length > 0) throw problem(`it still imports ${imports[0].path}`)
  const module = new WebAssembly.Module(wasm)
  const make = new Function(`${code}return glue;`)
  const glue = make()
  if (typeof glue.__wbg_set_wasm !== "function") throw problem("it exports no __wbg_set_wasm")
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from !== GLUE || typeof glue[name] !== "function") throw problem(`the wasm imports ${name} from ${from}`)
  }
  if (!WebAssembly.Module.exports(module).some(({ name }) => name === "__wbindgen_start")) {
    throw problem("the wasm exports no __wbindgen_start")
  }
  for (const section of ["name", "producers"]) {
    if (WebAssembly.Module.customSections(module, section).length > 0)
      throw problem(`the wasm has a ${section} section`)
  }
  if (make().__wbg_set_wasm === glue.__wbg_set_wasm) throw problem("two calls share their state")
}

function virtualModules(glue, wasm) {
  const loads = {
    "virtual:engine-glue": { contents: glue, loader: "js" },
    "virtual:engine-wasm": { contents: wasm, loader: "js" },
  }
  return {
    name: "engine",
    setup(build) {
      build.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: "engine", sideEffects: false }))
      build.onLoad({ filter: /.*/, namespace: "engine" }, ({ path }) => loads[path])
    },
  }
}

/** The characters that need no escape in any string literal: printable ASCII without " $ \\ and the backtick. */
const ALPHABET = [..."!#%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~ "].join("")
/** So many characters begin a byte of two: enough for all bytes that have no character of their own. */
const PREFIXES = 2

/**
 * The wasm as a module of text. The commonest bytes are one character each, the others two, so that what compresses the
 * file finds the same repetitions as in the wasm itself; base64 shifts them by thirds of a byte and hides them.
 */
function asText(wasm) {
  const counts = new Array(256).fill(0)
  for (const byte of wasm) counts[byte] += 1
  const order = counts.map((_, byte) => byte).sort((a, b) => counts[b] - counts[a] || a - b)
  const singles = ALPHABET.length - PREFIXES
  const codes = new Array(256)
  order.forEach((byte, rank) => {
    const rest = rank - singles
    codes[byte] =
      rest < 0
        ? ALPHABET[rank]
        : ALPHABET[singles + Math.floor(rest / ALPHABET.length)] + ALPHABET[rest % ALPHABET.length]
  })
  const text = Array.from(wasm, (byte) => codes[byte]).join("")
  return `export const alphabet = ${JSON.stringify(ALPHABET)}
export const prefixes = ${PREFIXES}
export const order = ${JSON.stringify(Buffer.from(order).toString("hex"))}
export const text = ${JSON.stringify(text)}
export const length = ${wasm.length}
`
}

async function attempt(building) {
  try {
    return await building
  } catch (error) {
    const first = error.errors?.[0]
    if (!first) throw error
    const at = first.location ? `${first.location.file}:${first.location.line}: ` : ""
    throw new Problem(`${at}${first.text}`)
  }
}
