// toolcrib/slim: what init takes and what it says of the rest, when it counts, and the one engine that it shares.

import assert from "node:assert/strict"
import { createRequire } from "node:module"
import { describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import vm from "node:vm"
import { stamp } from "../../pkg/face.js"
import {
  capped,
  CATALOGUE as tools,
  CONVERSATION as messages,
  fresh,
  installed,
  says,
  sections,
  WASM,
} from "./support.mjs"

const require = createRequire(import.meta.url)
const slim = () => fresh("slim.js")
/** For errors of copies of the package, whose class is not that of any other. */
const fails =
  (code, ...words) =>
  (error) => {
    assert.deepEqual([error.name, error.code], ["ToolcribError", code], error.stack)
    for (const each of words)
      assert.ok(each.test ? each.test(error.message) : error.message.includes(each), error.message)
    return true
  }
const expected = async () => says(await fresh(), tools, messages)

const buffer = () => WASM.buffer.slice(WASM.byteOffset, WASM.byteOffset + WASM.length)
const into = (view) => (new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(WASM), view)
const realm = vm.createContext({ wasm: WASM })
const inRealm = (code) => vm.runInContext(code, realm)
const shared = () => into(new Uint8Array(new SharedArrayBuffer(WASM.length))).buffer
const transferred = () => {
  const bytes = buffer()
  structuredClone(bytes, { transfer: [bytes] })
  return bytes
}
/** The wasm with another mark, or none. */
function marked(words) {
  const { start } = sections(WASM).at(-1)
  const content = words && Buffer.from(`\btoolcrib${words}`)
  return Buffer.concat([WASM.subarray(0, start), ...(content ? [Buffer.from([0, content.length]), content] : [])])
}

describe("init takes", () => {
  for (const [what, make] of Object.entries({
    "a module": () => new WebAssembly.Module(WASM),
    "what WebAssembly.compile gives": () => WebAssembly.compile(WASM),
    "what WebAssembly.compileStreaming gives": () =>
      WebAssembly.compileStreaming(new Response(WASM, { headers: { "content-type": "application/wasm" } })),
    "an ArrayBuffer": buffer,
    "a Uint8Array": () => new Uint8Array(buffer()),
    "a view in the middle of a buffer": () => into(new Uint8Array(new ArrayBuffer(WASM.length + 30), 13, WASM.length)),
    "a Buffer of Node": () => Buffer.from(WASM),
    "a Buffer of Node's pool": () => Buffer.concat([Buffer.from("before"), WASM]).subarray(6),
    "a DataView": () => into(new DataView(new ArrayBuffer(WASM.length + 8), 8)),
    "a SharedArrayBuffer": shared,
    "a view of a SharedArrayBuffer": () => new Uint8Array(shared()),
    "a module of another realm": () => inRealm("new WebAssembly.Module(wasm)"),
    "an ArrayBuffer of another realm": () => inRealm("new Uint8Array(wasm).buffer"),
    "a Uint8Array of another realm": () => inRealm("new Uint8Array(wasm)"),
    "a module that was posted": () => structuredClone(new WebAssembly.Module(WASM)),
  })) {
    test(what, async () => {
      const toolcrib = await slim()
      assert.equal(toolcrib.init(await make()), undefined)
      assert.equal(await says(toolcrib, tools, messages), await expected())
    })
  }

  test("the same by require", async () => {
    const toolcrib = require(fileURLToPath(new URL("pkg/slim.cjs", installed())))
    toolcrib.init(WASM)
    assert.equal(await says(toolcrib, tools, messages), await expected())
  })
})

describe("init refuses", () => {
  const module = new WebAssembly.Module(WASM)
  const FETCH = "init(await WebAssembly.compileStreaming(fetch(url)))"
  for (const [what, [value, named, hint]] of Object.entries({
    "a Response": [() => new Response(WASM), "not Response", FETCH],
    "a promise of a module": [() => WebAssembly.compile(WASM), "not Promise", FETCH],
    "a path": [() => "./engine.wasm", "not String", FETCH],
    "a URL": [() => new URL("file:///engine.wasm"), "not URL", FETCH],
    "the namespace of an import": [() => ({ default: module }), "not Object", "init(it.default)"],
    "what WebAssembly.instantiate resolves to": [() => ({ module, instance: {} }), "not Object", "init(it.module)"],
    "a real namespace": [() => import("node:fs"), "not Module"],
    "an instance": [
      () => new WebAssembly.Instance(new WebAssembly.Module(WASM.subarray(0, 8))),
      "not WebAssembly.Instance",
    ],
    "an array of bytes": [() => [...WASM.subarray(0, 8)], "not Array"],
    "a Blob": [() => new Blob([WASM]), "not Blob"],
    "a function": [() => () => module, "not Function"],
    "a number": [() => 5, "not Number"],
    "an object": [() => ({}), "not Object"],
    null: [() => null, "not Null"],
    nothing: [() => undefined, "not Undefined"],
    "no bytes": [() => new Uint8Array(0), "not a buffer that is empty or was transferred"],
    "a transferred buffer": [transferred, "not a buffer that is empty or was transferred"],
    "a page that says it was not found": [() => Buffer.from("<!DOCTYPE html>"), "not bytes of something else"],
    "one still compressed": [() => Buffer.from([0x1f, 0x8b, 8, 0, 0]), "a compressed file"],
    "a view that begins too late": [() => WASM.subarray(1), "not bytes of something else"],
    "three bytes": [() => WASM.subarray(0, 3), "not bytes of something else"],
  })) {
    test(what, async () => {
      const toolcrib = await slim()
      let given = value()
      // Awaited here, it would be the module that is wanted.
      if (named === "not Module") given = await given
      assert.throws(
        () => toolcrib.init(given),
        fails("invalid_option", "WebAssembly.Module or as bytes", named, hint ?? ""),
      )
      // It was not taken, and what is right still is.
      assert.throws(() => toolcrib.estimateTokens("x"), fails("wasm_unavailable", "call init(wasm) first"))
      toolcrib.init(WASM)
      assert.throws(() => toolcrib.init(given), fails("invalid_option"))
      assert.equal(toolcrib.estimateTokens("größe"), 3)
    })
  }

  for (const [what, [bytes, ...words]] of Object.entries({
    "another release's": [
      marked("9.9.9 0123456789ab"),
      'marked "9.9.9 0123456789ab"',
      `should be "${stamp}"`,
      "same release",
    ],
    "another build's": [marked(`${stamp.slice(0, -1)}x`), `should be "${stamp}"`, "same release"],
    "an unmarked one": [marked(), 'marked ""', "same release"],
    "someone else's": [WASM.subarray(0, 8), 'marked ""', "same release"],
    "one cut off": [WASM.subarray(0, 100_000), "not the whole engine.wasm"],
    "one cut off by a byte": [WASM.subarray(0, -1), "not the whole engine.wasm"],
    "one with a byte changed": [
      Buffer.concat([WASM.subarray(0, 2000), Buffer.from([WASM[2000] ^ 255]), WASM.subarray(2001)]),
    ],
  })) {
    test(`${what} wasm, on the first call; init with the right one mends it`, async () => {
      const toolcrib = await slim()
      toolcrib.init(bytes)
      for (const ask of [
        () => toolcrib.estimateTokens("x"),
        () => toolcrib.rankTools("x", tools),
        () => toolcrib.createToolSearch({ tools }),
        () => toolcrib.createToolSearch.async({ tools }),
      ]) {
        await assert.rejects(async () => ask(), fails("wasm_unavailable", ...words))
      }
      toolcrib.init(new WebAssembly.Module(WASM))
      assert.equal(await says(toolcrib, tools, messages), await expected())
    })
  }

  test("a module of another release too", async () => {
    const toolcrib = await slim()
    toolcrib.init(new WebAssembly.Module(marked("9.9.9 0123456789ab")))
    assert.throws(() => toolcrib.estimateTokens("x"), fails("wasm_unavailable", "9.9.9", stamp))
  })
})

describe("when init counts", () => {
  test("a call before it says what to call; constants need none, and a wrong option is named first", async () => {
    const toolcrib = await slim()
    for (const ask of [
      () => toolcrib.estimateTokens("x"),
      () => toolcrib.rankTools("x", tools),
      () => toolcrib.rankToolsByKeywords("x", tools),
      () => toolcrib.createToolSearch({ tools }),
      () => toolcrib.createToolSearch.async({ tools }),
    ]) {
      await assert.rejects(
        async () => ask(),
        fails("wasm_unavailable", "call init(wasm) first", "toolcrib/engine.wasm"),
      )
    }
    assert.throws(() => toolcrib.createToolSearch({ tools, limt: 1 }), fails("unknown_option"))
    assert.ok(toolcrib.NEVER_DEFERRED.length > 0)
    toolcrib.init(WASM)
    assert.equal(await says(toolcrib, tools, messages), await expected())
  })

  test("it compiles nothing, and takes the bytes as they are then", async () => {
    const toolcrib = await slim()
    const { Module } = WebAssembly
    let compiled = 0
    WebAssembly.Module = new Proxy(Module, { construct: (...given) => (compiled++, Reflect.construct(...given)) })
    try {
      const [reused, sent] = [new Uint8Array(WASM), buffer()]
      toolcrib.init(reused)
      reused.fill(0)
      toolcrib.init(sent)
      structuredClone(sent, { transfer: [sent] })
      assert.equal(compiled, 0)
      assert.equal(toolcrib.estimateTokens("größe"), 3)
      toolcrib.createToolSearch({ tools }).turn([])
      assert.equal(compiled, 1)
    } finally {
      WebAssembly.Module = Module
    }
  })

  test("twice before the start the last one counts; after it none does, and none harms", async () => {
    const toolcrib = await slim()
    toolcrib.init(WASM.subarray(0, 8))
    toolcrib.init(capped(40))
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    toolcrib.init(WASM.subarray(0, 8))
    toolcrib.init(marked("9.9.9 0123456789ab"))
    // The first one's memory has an end, and an instance made anew is still of the first one.
    for (let times = 0; times < 3; times++) {
      assert.throws(() => search.search("invoice ".repeat(500_000)), fails("engine_trapped", "ran out of memory"))
      assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
    }
  })
})

describe("toolcrib and toolcrib/slim in one process", () => {
  /** Both entries of one copy, by import and by require. */
  const both = {
    import: async (copy) => [await import(new URL("pkg/index.js", copy)), await import(new URL("pkg/slim.js", copy))],
    require: (copy) => ["index", "slim"].map((name) => require(fileURLToPath(new URL(`pkg/${name}.cjs`, copy)))),
  }
  for (const [format, load] of Object.entries(both)) {
    test(`one class and one list, by ${format}`, async () => {
      const [whole, slim] = await load(installed())
      assert.equal(whole.ToolcribError, slim.ToolcribError)
      assert.equal(whole.NEVER_DEFERRED, slim.NEVER_DEFERRED)
    })

    test(`one engine, whichever starts it, by ${format}`, async () => {
      const Real = WebAssembly.Instance
      let made = 0
      WebAssembly.Instance = function (...given) {
        made++
        return new Real(...given)
      }
      try {
        const [whole, slim] = await load(installed())
        slim.init(WASM)
        const answers = [await says(slim, tools, messages), await says(whole, tools, messages)]
        assert.equal(made, 1)
        const [again, later] = await load(installed())
        answers.push(await says(again, tools, messages), await says(later, tools, messages))
        assert.equal(made, 2)
        assert.equal(new Set(answers).size, 1)
      } finally {
        WebAssembly.Instance = Real
      }
    })

    test(`whoever uses toolcrib/slim before its init takes no engine from toolcrib, by ${format}`, async () => {
      const [whole, slim] = await load(installed())
      assert.throws(() => slim.estimateTokens("x"), fails("wasm_unavailable", "call init(wasm) first"))
      assert.equal(whole.estimateTokens("größe"), 3)
      assert.equal(slim.estimateTokens("größe"), 3, "and now there is one")
    })

    test(`nor does a wrong wasm, by ${format}`, async () => {
      const [whole, slim] = await load(installed())
      slim.init(marked("9.9.9 0123456789ab"))
      assert.throws(() => slim.estimateTokens("x"), fails("wasm_unavailable", "9.9.9"))
      assert.equal(whole.estimateTokens("größe"), 3)
    })
  }
})
