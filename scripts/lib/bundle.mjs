// The JavaScript that is shipped: the face with the glue, an entry for each way in which the wasm comes, and the one
// file that carries it as text.

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Problem } from "./process.mjs"

const GLUE = "./toolcrib_bg.js"

/**
 * The entries: which file of js/, which loader gives it the wasm, and for which module systems it is made. They are thin.
 * All that they do stands in one face for each module system, which they import.
 */
export const ENTRIES = [
  { name: "index", source: "index.ts", loader: "bytes.ts", formats: ["esm", "cjs"] },
  { name: "slim", source: "slim.ts", loader: "given.ts", formats: ["esm", "cjs"] },
  { name: "workerd", source: "index.ts", loader: "workerd.ts", formats: ["esm"] },
  { name: "edge-light", source: "index.ts", loader: "edge-light.ts", formats: ["esm"] },
]
const EXTENSION = { esm: "js", cjs: "cjs" }

/** Resolves to a Map from the names of pkg/'s files to their contents: all JavaScript, and the wasm. */
export async function bundle(root, glueFolder) {
  // Installed by the build itself, so it can't be imported when this file is read.
  const esbuild = await import("esbuild")
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const unmarked = readFileSync(join(glueFolder, "toolcrib_bg.wasm"))
  const glue = await glueFactory(esbuild, glueFolder, unmarked)
  // Whoever brings the wasm himself may bring that of another release.
  const stamp = `${version} ${createHash("sha256").update(unmarked).update(glue).digest("hex").slice(0, 12)}`
  const wasm = marked(unmarked, stamp)

  const make = async (source, format, plugins, minifyWhitespace = false) => {
    const { outputFiles } = await attempt(
      esbuild.build({
        absWorkingDir: root,
        entryPoints: [join("js", source)],
        bundle: true,
        write: false,
        format,
        platform: "neutral",
        target: "es2022",
        charset: "utf8",
        // The sources are in the repository; what is shipped is counted in bytes.
        minifyIdentifiers: true,
        minifySyntax: true,
        // It drops the `@__PURE__` by which a bundler that finds only a constant used drops the rest.
        minifyWhitespace,
        // Node prints the line of an error that nobody caught.
        lineLimit: 400,
        legalComments: "none",
        logLevel: "silent",
        plugins,
      }),
    )
    return outputFiles[0].text
  }
  const files = new Map()
  const withGlue = virtualModule("virtual:engine-glue", `${glue}export const stamp = ${JSON.stringify(stamp)}\n`)
  for (const format of ["esm", "cjs"]) {
    files.set(`face.${EXTENSION[format]}`, await make("face.ts", format, [withGlue, leanValidator], true))
  }
  for (const { name, source, loader, formats } of ENTRIES) {
    for (const format of formats) {
      files.set(`${name}.${EXTENSION[format]}`, await make(source, format, [entryModules(root, loader, format)]))
    }
  }
  files.set("bytes.js", await make("loaders/bytes.ts", "esm", [entryModules(root, undefined, "esm")]))
  for (const [name, text] of inlined(wasm, stamp)) files.set(name, text)
  files.set("engine.wasm", wasm)
  return files
}

/**
 * What js/validate.ts does not use of @cfworker/json-schema, by the file that holds it; it was a tenth of the face. How
 * formats are checked, as none ever is. Where in the schema a fault was found, which no model is told. And the address
 * of the page as the base of references: with one fixed base they resolve alike everywhere, and reading the module makes
 * no URL, so that bundlers can drop it.
 */
const UNUSED = {
  "format.js": [[/^.*$/s, "export const format = {}"]],
  "validate.js": [
    [/^\s*const keywordLocation = .*\n/gm, ""],
    [/^\s*keywordLocation(: .*)?,\n/gm, ""],
    [/, (keywordLocation|`\$\{(keyword|schema)Location\}\/[^`]*`)(?=[,)])/g, ""],
    [", schemaLocation = '#'", ""],
  ],
  "dereference.js": [
    [/^export let initialBaseURI = [^;]*;/m, ""],
    ["baseURI = initialBaseURI", "baseURI = { href: 'https://github.com/cfworker' }"],
    // References within a schema are all that most have, and need no URL, which costs and which not every place has.
    [
      "    const url = new URL(reference, baseURI.href);",
      `    if (reference[0] === '#') {
        const hash = reference === '#' ? '' : '#' + normalizeURIFragment(reference.slice(1));
        return { hash, href: baseURI.href.replace(/#.*/s, '') + hash };
    }
    const url = new URL(reference, baseURI.href);`,
    ],
  ],
}

const leanValidator = {
  name: "lean-validator",
  setup(build) {
    const changed = new Set()
    build.onLoad({ filter: /[\\/]@cfworker[\\/]json-schema[\\/].*\.js$/ }, ({ path }) => {
      const file = basename(path)
      let contents = readFileSync(path, "utf8")
      for (const [found, put] of UNUSED[file] ?? []) {
        const next = contents.replace(found, put)
        if (next === contents) throw new Error(`${path} has no ${found} any more (UNUSED in scripts/lib/bundle.mjs)`)
        contents = next
      }
      if (/keywordLocation|schemaLocation/.test(contents)) throw new Error(`${path} still tells places (scripts/lib/bundle.mjs)`)
      changed.add(file)
      return { contents }
    })
    build.onEnd(() => {
      const missed = Object.keys(UNUSED).filter((file) => !changed.has(file))
      if (missed.length) throw new Error(`the validator has no ${missed.join(", ")} any more (scripts/lib/bundle.mjs)`)
    })
  },
}

/** What an entry imports: its loader becomes part of it, everything else is the face's or stays a file of its own. */
function entryModules(root, loader, format) {
  const stays = {
    "virtual:inlined": `./${INLINED}`,
    "virtual:engine.wasm": "./engine.wasm",
    "virtual:engine.wasm?module": "./engine.wasm?module",
  }
  return {
    name: "entry",
    setup(build) {
      // A file of its own, as only what is imported for nothing but its exports is dropped with them.
      const isShared = loader === "bytes.ts" && format === "esm"
      const source = isShared ? { path: "./bytes.js", external: true } : { path: join(root, "js", "loaders", `${loader}`) }
      build.onResolve({ filter: /^virtual:source$/ }, () => source)
      build.onResolve({ filter: /\/(face|errors|never-deferred)\.js$/ }, () => ({
        path: `./face.${EXTENSION[format]}`,
        external: true,
      }))
      build.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path: stays[path], external: true }))
    },
  }
}

/**
 * The glue as the text of a module that exports `createGlue()`.
 *
 * wasm-bindgen's glue keeps its instance, its views of that instance's memory and the length of the last string it
 * passed in module variables. `__wbg_set_wasm` replaces the instance alone: after a trap, when a fresh instance takes
 * the place of the poisoned one, the kept `Uint8Array` would go on showing the memory of the old one. Wasm-bindgen
 * writes a function that resets all this only for targets that load the wasm themselves. So the module becomes a
 * function: esbuild's own `iife` format makes one of any module, imports bundled in, and each call of `createGlue()`
 * has variables of its own. It hands out an object that is written here; the one that esbuild would make of the exports
 * walks over what somebody has left on Object.prototype and fails. Nothing here knows what the generated code looks
 * like, and `checkGlue` holds what the loaders rely on.
 */
async function glueFactory(esbuild, folder, wasm) {
  const names = await exportsOf(esbuild, folder)
  const { outputFiles, metafile } = await attempt(
    esbuild.build({
      absWorkingDir: folder,
      stdin: { contents: `import { ${names} } from "${GLUE}"\nglue = { ${names} }\n`, resolveDir: folder },
      bundle: true,
      write: false,
      metafile: true,
      outdir: ".",
      // Written by no person and read by none; the rest stays as it was written, for the sake of stack traces.
      minify: true,
      format: "iife",
      platform: "neutral",
      target: "es2022",
      charset: "utf8",
      logLevel: "silent",
    }),
  )
  const code = `let glue;\n${outputFiles[0].text}`
  checkGlue(code, Object.values(metafile.outputs)[0], wasm)
  return `export function createGlue() {\n${code}return glue;\n}\n`
}

async function exportsOf(esbuild, folder) {
  const { metafile } = await attempt(
    esbuild.build({
      absWorkingDir: folder,
      entryPoints: [GLUE],
      bundle: true,
      write: false,
      metafile: true,
      outdir: ".",
      format: "esm",
      logLevel: "silent",
    }),
  )
  return Object.values(metafile.outputs)[0].exports.join(", ")
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

function virtualModule(name, contents) {
  return {
    name,
    setup(build) {
      build.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: "virtual", sideEffects: false }))
      build.onLoad({ filter: /.*/, namespace: "virtual" }, ({ path }) => (path === name ? { contents } : undefined))
    },
  }
}

/** The wasm with a custom section that says what it belongs to (https://webassembly.github.io/spec/core/binary/modules.html). */
function marked(wasm, stamp) {
  const text = (words) => [words.length, ...Buffer.from(words)]
  const content = [...text("toolcrib"), ...Buffer.from(stamp)]
  // Below 128 a number in LEB128 is one byte.
  if (content.length > 127) throw new Problem(`the stamp "${stamp}" is too long (scripts/lib/bundle.mjs)`)
  return Buffer.concat([wasm, Buffer.from([0, content.length, ...content])])
}

const INLINED = "inlined/engine.js"

/**
 * The wasm as text, once for `import` and `require`. A file can't export to both, so it exports to none and leaves the
 * text in a global, under a name that only this build knows. It is then at once a module, a CommonJS module and a
 * script: pages load it as it is, and every bundler and test runner takes it. Its folder says that it is CommonJS, for
 * Node; "sideEffects" in package.json names it, so that bundlers keep it where the engine is used and drop it where only
 * a constant is.
 */
function inlined(wasm, stamp) {
  return [
    // Not by assignment, which throws where the global is frozen, while importing; the loader has words for it.
    [INLINED, `Reflect.set(globalThis,Symbol.for(${JSON.stringify(`toolcrib ${stamp}`)}),${asText(wasm)});\n`],
    [join(INLINED, "..", "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`],
  ]
}

/** The characters that need no escape in any string literal: printable ASCII without " $ \\ and the backtick. */
const ALPHABET = [..."!#%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~ "].join("")
/** So many characters begin a byte of two: enough for all bytes that have no character of their own. */
const PREFIXES = 2

/**
 * The wasm as an object literal (`Inlined` in js/loaders/bytes.ts). The commonest bytes are one character each, the
 * others two, so that what compresses the file finds the same repetitions as in the wasm itself; base64 shifts them by
 * thirds of a byte and hides them.
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
  return JSON.stringify({
    alphabet: ALPHABET,
    prefixes: PREFIXES,
    order: Buffer.from(order).toString("hex"),
    text: Array.from(wasm, (byte) => codes[byte]).join(""),
    length: wasm.length,
  })
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
