// The text of what is shipped: what each file may name and import, the wasm in it once as bytes and once as text, and
// what bundlers keep of it.

import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative } from "node:path"
import { describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import * as esbuild from "esbuild"
import { CATALOGUE, CONVERSATION, fresh, installed, pkg, root, sections, says, WASM } from "./support.mjs"

const require = createRequire(import.meta.url)

/** All JavaScript that is shipped, and all that each of it may import. */
const IMPORTS = {
  "bytes.js": ["./face.js", "./inlined/engine.js"],
  "edge-light.js": ["./engine.wasm?module", "./face.js"],
  "face.cjs": [],
  "face.js": [],
  "index.cjs": ["./face.cjs", "./inlined/engine.js"],
  "index.js": ["./bytes.js", "./face.js"],
  "inlined/engine.js": [],
  "slim.cjs": ["./face.cjs"],
  "slim.js": ["./face.js"],
  "workerd.js": ["./engine.wasm", "./face.js"],
}
const read = (name) => readFileSync(new URL(name, pkg), "utf8")
const all = readdirSync(pkg, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(fileURLToPath(pkg), join(entry.parentPath ?? entry.path, entry.name)).replaceAll("\\", "/"))
  .sort()

const INLINED = read("inlined/engine.js")
const [, stamp, object] = /^Reflect\.set\(globalThis,Symbol\.for\("toolcrib ([^"]+)"\),(\{.*\})\);\n$/.exec(INLINED)
const inlined = JSON.parse(object)

describe("each file", () => {
  test("no script is missing here", () => {
    assert.deepEqual(
      all.filter((name) => /\.[cm]?js$/.test(name)),
      Object.keys(IMPORTS),
    )
  })

  for (const [name, imports] of Object.entries(IMPORTS)) {
    // Without the wasm's text, which may spell anything.
    const code = read(name).replace(/"text":"[^"\\\n]*"/, "")
      // A key of what a validator says is wrong.
      .replaceAll('"path"', "")

    test(`${name}: no builtin of Node, no file, no network, no console, no code from text`, () => {
      assert.ok(code.length > 100)
      for (const absent of [
        /\bnode:/,
        ...(name.endsWith(".cjs") ? [] : [/\brequire\b/, /\bmodule\.exports\b/]),
        /\bimport\s*\(/,
        /\bimport\.meta\b/,
        /\b(readFile|readFileSync|path|Buffer|process|__dirname|__filename)\b/,
        // Short enough for the minifier to call a function by.
        /(?<!\bfunction )\bfs\b(?!\(| as )/,
        // init's advice names it.
        /(?<!compileStreaming\()\bfetch\b/,
        /\bconsole\b/,
        /\beval\s*\(/,
        /\bnew Function\b/,
        /\bMath\.random\b/,
        /\bDate\b/,
        /\bperformance\b/,
        /\bwindow\b/,
        /\bdocument\b/,
        /\bWebSocket\b/,
        /\batob\b/,
        /\bglobalThis\.(?!crypto)\w+\s*=/,
        ...(name === "inlined/engine.js" ? [] : [/\bglobalThis\[[^\]]*\]+\s*=(?!=)/]),
        /\bsourceMappingURL\b/,
      ]) {
        const found = absent.exec(code)
        assert.equal(found, null, `${absent} in: ${found && code.slice(found.index - 60, found.index + 60)}`)
      }
    })

    test(`${name}: no top-level await, and it imports ${imports.join(", ") || "nothing"}`, async () => {
      const { metafile, warnings } = await esbuild.build({
        entryPoints: [fileURLToPath(new URL(name, pkg))],
        bundle: true,
        write: false,
        // esbuild refuses a top-level await in this format.
        format: "iife",
        platform: "neutral",
        metafile: true,
        logLevel: "silent",
        plugins: [
          {
            name: "alone",
            setup(build) {
              build.onResolve({ filter: /./ }, ({ path, kind }) =>
                kind === "entry-point" ? undefined : { path, external: true },
              )
            },
          },
        ],
      })
      const found = Object.values(metafile.inputs).flatMap(({ imports }) => imports)
      const kind = name.endsWith(".cjs") ? "require-call" : "import-statement"
      assert.deepEqual([...new Set(found.map(({ path }) => path))].sort(), imports)
      for (const each of found) assert.equal(each.kind, kind)
      assert.deepEqual(warnings, [])
    })
  }

  test("nothing but declarations, the wasm and a word for Node beside them", () => {
    const others = all.filter((name) => !(name in IMPORTS) && !/\.d\.c?ts$/.test(name))
    assert.deepEqual(others, ["engine.wasm", "inlined/package.json"])
    assert.deepEqual(JSON.parse(read("inlined/package.json")), { type: "commonjs" })
  })
})

describe("the wasm", () => {
  /** As bundle.mjs describes it, written anew. */
  function decoded({ alphabet, prefixes, order, text }) {
    const ranked = Buffer.from(order, "hex")
    const singles = alphabet.length - prefixes
    const bytes = []
    for (let at = 0; at < text.length; at++) {
      const first = alphabet.indexOf(text[at])
      const rank =
        first < singles ? first : singles + (first - singles) * alphabet.length + alphabet.indexOf(text[++at])
      bytes.push(ranked[rank])
    }
    return Buffer.from(bytes)
  }

  test("is there once as bytes and once as text, the same", () => {
    const named = (found) => all.filter((name) => found(readFileSync(new URL(name, pkg))))
    // What begins every wasm, as bytes, in base64 at each of its three offsets, and in hexadecimal.
    assert.deepEqual(
      named((bytes) => bytes.includes("\0asm\x01\0\0\0")),
      ["engine.wasm"],
    )
    for (const written of ["AGFzbQEAAAA", "AABhc20BAAAA", "YXNtAQAAAA", "0061736d01000000"]) {
      assert.deepEqual(
        named((bytes) => bytes.includes(written)),
        [],
        written,
      )
    }
    assert.deepEqual(
      named((bytes) => bytes.length > 80_000),
      ["engine.wasm", "inlined/engine.js"],
    )
    assert.deepEqual(
      named((bytes) => bytes.includes(inlined.text.slice(1000, 1100))),
      ["inlined/engine.js"],
    )
    assert.equal(inlined.length, WASM.length)
    assert.ok(decoded(inlined).equals(WASM))
    assert.ok(WebAssembly.validate(WASM))
    // One script for pages too, that any charset leaves as it is.
    assert.match(INLINED, /^[\x20-\x7e]+\n$/)
    assert.deepEqual(Object.keys(inlined), ["alphabet", "prefixes", "order", "text", "length"])
  })

  test("is marked with what the scripts are marked with, in its last section", async () => {
    const { version } = require("../../package.json")
    assert.match(stamp, /^\d+\.\d+\.\d+ [0-9a-f]{12}$/)
    assert.ok(stamp.startsWith(`${version} `))
    const marks = WebAssembly.Module.customSections(new WebAssembly.Module(WASM), "toolcrib")
    assert.deepEqual(
      marks.map((mark) => new TextDecoder().decode(mark)),
      [stamp],
    )
    const { id, content } = sections(WASM).at(-1)
    assert.deepEqual([id, content.toString()], [0, `\btoolcrib${stamp}`])
    assert.equal((await import("../../pkg/face.js")).stamp, stamp)
    assert.equal(require("../../pkg/face.cjs").stamp, stamp)
  })

  test("is what gets compiled, by import and by require", async () => {
    const { Module } = WebAssembly
    const compiled = []
    WebAssembly.Module = new Proxy(Module, {
      construct: (target, given) => (compiled.push(Buffer.from(given[0])), new target(...given)),
    })
    try {
      ;(await fresh()).estimateTokens("x")
      require(fileURLToPath(new URL("pkg/index.cjs", installed()))).estimateTokens("x")
    } finally {
      WebAssembly.Module = Module
    }
    assert.equal(compiled.length, 2)
    for (const bytes of compiled) assert.ok(bytes.equals(WASM))
  })
})

describe("what bundlers keep", () => {
  const home = fileURLToPath(new URL("../..", installed()))
  /** The bundle of a program that has the package in node_modules. */
  async function bundle(code, options = {}) {
    const { outputFiles, warnings } = await esbuild.build({
      stdin: { contents: code, resolveDir: home },
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      minify: true,
      logLevel: "silent",
      outdir: "out",
      loader: { ".wasm": "file" },
      ...options,
    })
    assert.deepEqual(warnings, [])
    return outputFiles.find(({ path }) => path.endsWith(".js")).text
  }
  const run = (text) => import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)
  const count = (text, part) => text.split(part).length - 1
  /** A piece of the inlined wasm, and one of the face. */
  const TEXT = inlined.text.slice(1000, 1100)
  const FACE = "The next call starts it afresh"

  for (const condition of [undefined, "workerd", "edge-light"]) {
    const conditions = condition ? [condition, "import"] : ["import"]
    for (const name of ["NEVER_DEFERRED", "ToolcribError"]) {
      test(`${name} alone carries no engine, with the condition ${condition ?? "import"}`, async () => {
        const text = await bundle(`export { ${name} } from "toolcrib"`, { conditions })
        assert.ok(text.length < 3000, `${text.length} bytes`)
        assert.equal(count(text, TEXT) + count(text, FACE) + count(text, ".wasm"), 0)
      })
    }
    test(`an import that uses nothing leaves nothing, with the condition ${condition ?? "import"}`, async () => {
      assert.equal(await bundle('import { estimateTokens } from "toolcrib"', { conditions }), "")
    })
  }

  test("NEVER_DEFERRED and ToolcribError of toolcrib/slim carry no engine", async () => {
    const text = await bundle('export { NEVER_DEFERRED, ToolcribError } from "toolcrib/slim"')
    assert.ok(text.length < 3000, `${text.length} bytes`)
  })

  test("one function carries the wasm's text once, and answers", async () => {
    const text = await bundle('export { estimateTokens } from "toolcrib"')
    assert.deepEqual([count(text, TEXT), count(text, FACE)], [1, 1])
    assert.equal((await run(text)).estimateTokens("größe"), 3)
  })

  for (const [format, code] of Object.entries({
    import: 'export * from "toolcrib"',
    require: 'module.exports = require("toolcrib")',
  })) {
    test(`all of it by ${format}, in a bundle of either format, says what the package says`, async () => {
      const expected = await says(await fresh(), CATALOGUE, CONVERSATION)
      for (const into of ["iife", "cjs"]) {
        const text = await bundle(code, { format: into, globalName: "toolcrib" })
        const module = { exports: {} }
        const bundled = new Function(
          "module",
          "exports",
          `${text}; return typeof toolcrib === "object" ? toolcrib : module.exports`,
        )
        const toolcrib = bundled(module, module.exports)
        assert.equal(await says(toolcrib, CATALOGUE, CONVERSATION), expected)
        assert.equal(count(text, TEXT), 1)
      }
    })
  }

  test("toolcrib/slim carries no text of the wasm, also where only the entry for require is taken", async () => {
    for (const code of ['export * from "toolcrib/slim"', 'module.exports = require("toolcrib/slim")']) {
      const text = await bundle(code)
      assert.ok(text.length < 80_000, `${text.length} bytes`)
      assert.deepEqual([count(text, TEXT), count(text, inlined.order), count(text, FACE)], [0, 0, 1])
    }
  })

  test("toolcrib and toolcrib/slim in one program are one face", async () => {
    const text = await bundle(
      'export { createToolSearch } from "toolcrib"; export { init, ToolcribError } from "toolcrib/slim"',
    )
    assert.deepEqual([count(text, TEXT), count(text, FACE)], [1, 1])
  })

  test("import and require in one program carry the text once", async () => {
    const text = await bundle(
      'import { rankTools } from "toolcrib"; export const both = [rankTools, require("toolcrib").rankTools]',
    )
    assert.deepEqual([count(text, TEXT), count(text, FACE)], [1, 2])
    const { both } = await run(text)
    for (const rankTools of both) assert.deepEqual(rankTools("refund", CATALOGUE), ["refund_order"])
  })

  test("an entry for an edge runtime imports the wasm and nothing inlined", async () => {
    for (const [condition, specifier] of [
      ["workerd", "engine.wasm"],
      ["edge-light", "engine.wasm?module"],
    ]) {
      const text = await bundle('export * from "toolcrib"', {
        conditions: [condition],
        external: ["*.wasm", "*?module"],
      })
      assert.deepEqual([count(text, TEXT), count(text, `${specifier}"`), count(text, FACE)], [0, 1, 1])
    }
  })

  test("the folder's own package.json lists what may not be dropped", () => {
    assert.deepEqual(JSON.parse(readFileSync(new URL("package.json", root), "utf8")).sideEffects, [
      "./pkg/inlined/engine.js",
    ])
  })
})
