// The engine as a thing that is made, used, freed, stopped and made again, in whatever surroundings: nothing of Node,
// nothing at import, nothing random, no clock, and no memory that grows.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { after, before, beforeEach, describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import * as esbuild from "esbuild"
import { createToolSearch } from "../../pkg/index.js"
import { assistant, call, chat, child, deferred, loads, pkg, searchCall, user } from "./support.mjs"

const tools = [
  chat("resident"),
  deferred("create_invoice", { description: "Bills a customer." }),
  deferred("refund_order"),
]
const messages = [user("hi"), ...loads(["refund_order"]), user("go on")]

/** Everything that an engine says of a catalogue and a conversation, as text. */
const SAYS = `async function says({ createToolSearch, rankTools, rankToolsByKeywords, estimateTokens }, tools, messages) {
  const search = createToolSearch({ tools, threshold: 0 })
  const said = { role: "assistant", tool_calls: [{ id: "s1", function: { name: "tool_search", arguments: '{"query":"bill a customer"}' } }] }
  const reply = await search.answer(said, messages)
  return JSON.stringify([
    search.searchTool, search.note, search.deferral, search.warnings, search.turn(messages), reply, reply.messages(),
    search.search("bills", { explain: true }), search.resolve({ function: { name: "refund_order", arguments: "{}" } }, messages),
    search.pending([...messages, said]), search.searchResults(messages), search.fingerprint(), search.update(tools).changed,
    rankTools("refund order", tools), rankToolsByKeywords("order", tools), estimateTokens("größe"),
  ])
}`
const says = new Function(`${SAYS}; return says`)()
const DATA = `const tools = ${JSON.stringify(tools)}, messages = ${JSON.stringify(messages)}\n${SAYS}`

/** A module of its own, with an instance of its own, that nobody else in this process has. */
let modules = 0
const fresh = () => import(`../../pkg/index.js?fresh=${modules++}`)

describe("free", () => {
  const ASK = {
    turn: (search) => search.turn([]),
    answer: (search) => search.answer(assistant(searchCall("x"))),
    resolve: (search) => search.resolve(call("refund_order", {})),
    search: (search) => search.search("x"),
    searchResults: (search) => search.searchResults([]),
    pending: (search) => search.pending([]),
    fingerprint: (search) => search.fingerprint(),
    update: (search) => search.update([]),
  }
  for (const [name, ask] of Object.entries(ASK)) {
    test(`${name} after free() is a clear error`, async () => {
      const search = createToolSearch({ tools, threshold: 0 })
      const other = createToolSearch({ tools, threshold: 0 })
      search.free()
      const freed = (error) =>
        error.code === "engine_freed" &&
        /has been freed; create a new one/.test(error.message) &&
        error.name === "ToolcribError"
      await assert.rejects(async () => ask(search), freed)
      assert.doesNotThrow(() => search.free(), "twice is once")
      await assert.rejects(async () => ask(search), freed)
      // What was read before is still there, and the others live.
      assert.equal(search.searchTool.function.name, "tool_search")
      assert.equal(search.deferral.applied, true)
      await ask(other)
      assert.equal(other.turn([]).tools[0], tools[0])
    })
  }

  test("Symbol.dispose, and an engine made by update lives on", () => {
    const search = createToolSearch({ tools, threshold: 0 })
    assert.equal(typeof Symbol.dispose, "symbol")
    assert.equal(typeof search[Symbol.dispose], "function")
    assert.ok(!Object.keys(search).includes("free"))
    const { search: next } = search.update(tools)
    search[Symbol.dispose]()
    search[Symbol.dispose]()
    assert.throws(
      () => search.turn([]),
      (error) => error.code === "engine_freed",
    )
    assert.equal(next.turn([]).tools.length, 2)
  })

  test("from within a call: the call ends, the next one is refused", async () => {
    const search = createToolSearch({ tools, threshold: 0 })
    const freeing = {
      role: "assistant",
      get tool_calls() {
        return (search.free(), [])
      },
    }
    assert.equal(search.turn([freeing]).tools.length, 2)
    assert.throws(
      () => search.turn([]),
      (error) => error.code === "engine_freed",
    )
    const ranked = createToolSearch({ tools, threshold: 0, rank: () => (ranked.free(), ["refund_order"]) })
    await assert.rejects(ranked.answer(assistant(searchCall("x"))), (error) => error.code === "engine_freed")
  })

  test("calls within a call: a getter may ask the same engine, or another", () => {
    const search = createToolSearch({ tools, threshold: 0 })
    let found
    const asking = {
      role: "user",
      get content() {
        return ""
      },
      get tool_calls() {
        found = search.search("refund")[0].name
        return undefined
      },
    }
    const before = JSON.stringify(search.turn([user()]))
    assert.equal(JSON.stringify(search.turn([asking])), before)
    assert.equal(found, "refund_order")
  })
})

describe("after a trap", () => {
  // The smallest module there is whose only function is the instruction `unreachable`: a trap as a panic makes it.
  const TRAP = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0,
    11,
  ])
  const { trap } = new WebAssembly.Instance(new WebAssembly.Module(TRAP)).exports
  const Real = WebAssembly.Instance

  /** One module of its own for all of these tests. The next call of the export `next` does `how` instead. */
  const state = { made: 0, next: undefined, how: trap, frees: [] }
  let toolcrib
  before(async () => {
    WebAssembly.Instance = function (module, imports) {
      const { exports } = new Real(module, imports)
      const number = ++state.made
      const wrap = ([name, value]) => [
        name,
        typeof value !== "function"
          ? value
          : (...given) => {
              if (name.endsWith("engine_free")) state.frees.push(number)
              if (state.next === name) {
                state.next = undefined
                state.how()
              }
              return value(...given)
            },
      ]
      return { exports: Object.fromEntries(Object.entries(exports).map(wrap)) }
    }
    toolcrib = await fresh()
  })
  beforeEach(() => {
    toolcrib.estimateTokens("an instance lives")
    Object.assign(state, { made: 0, next: undefined, how: trap, frees: [] })
  })
  after(() => {
    WebAssembly.Instance = Real
  })

  const trapped = (error) =>
    error.code === "engine_trapped" &&
    error.name === "ToolcribError" &&
    error.cause instanceof Error &&
    /The next call starts it afresh/.test(error.message)

  const CALLS = {
    engine_turn: (search) => search.turn(messages),
    engine_search: (search) => search.search("refund"),
    engine_answer: (search) => search.answer(assistant(searchCall("refund")), messages),
    engine_resolve: (search) => search.resolve(call("refund_order", {}), messages),
    engine_searchResults: (search) => search.searchResults(messages),
    engine_pending: (search) => search.pending(messages),
    engine_new: (_, { createToolSearch }) => createToolSearch({ tools }),
    engine_report: (_, { createToolSearch }) => createToolSearch({ tools }),
    engine_definition: (_, { createToolSearch }) => createToolSearch({ tools }).turn([]),
    engine_calls: (_, { createToolSearch }) =>
      createToolSearch({ tools, threshold: 0, rank: () => ["refund_order"] }).answer(assistant(searchCall("x"))),
    engine_deferred: (_, { createToolSearch }) =>
      createToolSearch({ tools, threshold: 0, rank: () => ["refund_order"] }).answer(assistant(searchCall("x")), [], { exclude: ["nothing"] }),
    engine_order: async (search) => (await search.answer(assistant(searchCall("refund")))).messages(),
    definitions_new: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_kinds: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_names: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_alike: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_schemaAt: (_, { createToolSearch }) => createToolSearch({ tools }),
    identity: (search) => search.fingerprint(),
    rankTools: (_, { rankTools }) => rankTools("refund", tools),
    estimateTokens: (_, { estimateTokens }) => estimateTokens("x"),
  }

  test("every function of the engine is called here", () => {
    const module = new WebAssembly.Module(readFileSync(new URL("engine.wasm", pkg)))
    const functions = WebAssembly.Module.exports(module).filter(
      ({ name, kind }) => kind === "function" && !name.startsWith("__"),
    )
    assert.deepEqual(functions.map(({ name }) => name).sort(), Object.keys(CALLS).sort())
  })

  for (const [name, ask] of Object.entries(CALLS)) {
    test(`in ${name}: this call fails, the next one is answered as if nothing had been`, async () => {
      const search = toolcrib.createToolSearch({ tools, threshold: 0 })
      const other = toolcrib.createToolSearch({ tools, threshold: 0 })
      const before = await says(toolcrib, tools, messages)
      const turn = JSON.stringify(search.turn(messages))
      state.next = name
      await assert.rejects(async () => ask(search, toolcrib), trapped)
      assert.equal(state.next, undefined, "the trap was met")
      assert.equal(state.made, 0, "nothing is made before it is needed")
      state.frees = []
      assert.equal(JSON.stringify(search.turn(messages)), turn)
      assert.equal(JSON.stringify(other.turn(messages)), turn)
      assert.equal(state.made, 1, "one instance for all")
      await ask(search, toolcrib)
      assert.equal(await says(toolcrib, tools, messages), before)
      assert.equal(state.made, 1)
      assert.deepEqual(
        state.frees.filter((number) => number !== 1),
        [],
        "an engine of the dead instance is freed nowhere",
      )
      const freed = state.frees.length
      search.free()
      assert.equal(state.frees.length, freed + 1)
      assert.throws(
        () => search.turn([]),
        (error) => error.code === "engine_freed",
      )
      other.free()
    })
  }

  for (const [what, how] of Object.entries({
    "memory that ran out": () => {
      throw new RangeError("WebAssembly.Memory.grow(): Maximum memory size exceeded")
    },
    "an exhausted stack": () => {
      ;(function deeper() {
        deeper()
      })()
    },
    "a trap": trap,
    "an error without a message": () => {
      throw new Error()
    },
    "anything else thrown": () => {
      throw null
    },
  })) {
    test(`${what} is engine_trapped`, () => {
      const search = toolcrib.createToolSearch({ tools, threshold: 0 })
      state.how = how
      state.next = "engine_turn"
      assert.throws(
        () => search.turn(messages),
        (error) => error.code === "engine_trapped",
      )
      assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
      assert.equal(state.made, 1)
    })
  }

  test("an engine that is freed after one needs no instance for it", () => {
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    state.next = "engine_turn"
    assert.throws(() => search.turn([]), trapped)
    search.free()
    assert.equal(state.made, 0)
    assert.equal(toolcrib.createToolSearch({ tools }).turn([]).tools.length, 3)
    assert.equal(state.made, 1)
  })

  test("a stack that really is exhausted", async () => {
    const { createToolSearch } = await fresh()
    const search = createToolSearch({ tools, threshold: 0 })
    const before = JSON.stringify(search.turn(messages))
    const met = new Set()
    // Called closer and closer to the end of the stack: each call is answered whole, or says that it was not.
    const deeper = () => {
      try {
        deeper()
      } catch {
        // Here the stack is nearly full.
      }
      try {
        assert.equal(JSON.stringify(search.turn(messages)), before)
        met.add("answered")
      } catch (error) {
        met.add(error.code ?? error.constructor.name)
      }
      if (met.has("answered")) throw new Error("enough")
    }
    try {
      deeper()
    } catch {
      // The way back up.
    }
    assert.ok(met.has("answered"))
    for (const code of met)
      assert.ok(["answered", "engine_trapped", "wasm_unavailable", "RangeError"].includes(code), [...met].join())
    assert.equal(JSON.stringify(search.turn(messages)), before)
  })

  test("a memory that really is full", async () => {
    const wrapping = WebAssembly.Instance
    let memory
    WebAssembly.Instance = function (...given) {
      const made = new Real(...given)
      memory = made.exports.memory
      return made
    }
    try {
      const { createToolSearch } = await fresh()
      const search = createToolSearch({ tools, threshold: 0 })
      const before = JSON.stringify(search.turn(messages))
      const first = memory
      for (let pages = 32_768; pages >= 1; pages >>= 1) {
        try {
          while (first.buffer.byteLength / 65_536 + pages <= 65_536) first.grow(pages)
        } catch {
          // No more of this size.
        }
      }
      // Twenty megabytes that have to go in.
      const huge = "invoice ".repeat(2_500_000)
      assert.throws(
        () => search.search(huge),
        (error) => error.code === "engine_trapped",
      )
      assert.equal(JSON.stringify(search.turn(messages)), before)
      assert.notEqual(memory, first)
      assert.ok(memory.buffer.byteLength < 64e6)
    } finally {
      WebAssembly.Instance = wrapping
    }
  })
})

describe("surroundings", () => {
  const expected = async () => says(await fresh(), tools, messages)

  const REFUSALS = {
    "WebAssembly.Module refuses":
      "WebAssembly.Module = function () { throw new WebAssembly.CompileError('Wasm code generation disallowed by embedder') }",
    "WebAssembly.Instance refuses": "WebAssembly.Instance = function () { throw new TypeError('refused') }",
    "there is no WebAssembly": "delete globalThis.WebAssembly",
  }
  for (const [what, code] of Object.entries(REFUSALS)) {
    test(`${what}: wasm_unavailable says what to do`, async () => {
      const said = await child(`${code}
        const { createToolSearch, rankTools, estimateTokens, NEVER_DEFERRED, ToolcribError } = await import(toolcrib)
        const errors = []
        for (const ask of [() => createToolSearch({ tools: [] }), () => rankTools("x", []), () => estimateTokens("x"), () => createToolSearch.async({ tools: [] })]) {
          try { await ask() } catch (error) { errors.push([error instanceof ToolcribError, error.code, error.message, error.cause instanceof Error]) }
        }
        // An option that is wrong is still named as such.
        try { createToolSearch({ tools: [], limt: 1 }) } catch (error) { errors.push([true, error.code, "", true]) }
        console.log(JSON.stringify({ errors, names: NEVER_DEFERRED.length }))`)
      assert.equal(said.errors.length, 5)
      assert.ok(said.names > 0)
      assert.equal(said.errors.pop()[1], "unknown_option")
      for (const [ours, code, message, caused] of said.errors) {
        assert.deepEqual([ours, code, caused], [true, "wasm_unavailable", true])
        assert.match(message, /'wasm-unsafe-eval' in script-src/)
        assert.match(message, /condition "workerd"/)
      }
    })
  }

  test("a refusal is not remembered: once it is allowed, it works", async () => {
    const Module = WebAssembly.Module
    const toolcrib = await fresh()
    WebAssembly.Module = function () {
      throw new WebAssembly.CompileError("not yet")
    }
    assert.throws(
      () => toolcrib.createToolSearch({ tools }),
      (error) => error.code === "wasm_unavailable" && error.message.includes("not yet"),
    )
    WebAssembly.Module = Module
    assert.equal(await says(toolcrib, tools, messages), await expected())
  })

  test("a Worker's global scope: no random value, no timer, no clock, no fetch; the same answers at module scope", async () => {
    const said = await child(`${DATA}
      const refuse = (what) => () => { throw new Error(what + ": disallowed operation called within global scope") }
      Object.defineProperty(globalThis, "crypto", { value: new Proxy({}, { get: (_, key) => refuse("crypto." + String(key)) }), configurable: true })
      Math.random = refuse("random")
      Date.now = refuse("Date.now")
      globalThis.Date = new Proxy(Date, { construct: refuse("Date"), apply: refuse("Date") })
      Object.defineProperty(globalThis, "performance", { get: refuse("performance"), configurable: true })
      for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "fetch"]) globalThis[name] = refuse(name)
      console.log(JSON.stringify(await says(await import(toolcrib), tools, messages)))`)
    assert.equal(said, await expected())
  })

  test("where crypto is missing, or its value can't be had", async () => {
    const said = await child(`${DATA}
      const answers = []
      const put = (property) => Object.defineProperty(globalThis, "crypto", { configurable: true, ...property })
      for (const crypto of [{ value: undefined }, { value: {} }, { value: { getRandomValues: 5 } }, { get() { throw new Error("no") } }, undefined]) {
        if (crypto) put(crypto); else delete globalThis.crypto
        answers.push(await says(await import(toolcrib + "?" + answers.length), tools, messages))
      }
      console.log(JSON.stringify(answers))`)
    assert.deepEqual([...new Set(said)], [await expected()])
    assert.equal(said.length, 5)
  })

  test("the seed of random values changes no answer", async () => {
    const real = globalThis.crypto.getRandomValues
    const answers = new Set()
    try {
      for (const byte of [0, 1, 255]) {
        globalThis.crypto.getRandomValues = (array) => array.fill(byte)
        answers.add(await says(await fresh(), tools, messages))
      }
    } finally {
      globalThis.crypto.getRandomValues = real
    }
    assert.equal(answers.size, 1)
    assert.ok(answers.has(await expected()))
  })

  test("an older runtime: no FinalizationRegistry, no Uint8Array.fromBase64, no Object.groupBy and the like", async () => {
    const said = await child(`${DATA}
      delete globalThis.FinalizationRegistry
      delete globalThis.WeakRef
      for (const [holder, name] of [[Uint8Array, "fromBase64"], [Object, "groupBy"], [Array, "fromAsync"], [Array.prototype, "toSorted"], [Array.prototype, "with"], [Array.prototype, "findLast"], [Promise, "withResolvers"], [String.prototype, "isWellFormed"], [String.prototype, "toWellFormed"], [Set.prototype, "union"], [AbortSignal, "timeout"], [AbortSignal, "any"], [globalThis, "structuredClone"]]) delete holder[name]
      const module = await import(toolcrib)
      const search = module.createToolSearch({ tools })
      const answer = await says(module, tools, messages)
      search.free()
      console.log(JSON.stringify(answer))`)
    assert.equal(said, await expected())
  })

  // What JavaScript itself has, WebAssembly, and two things that every runtime has since long.
  const BARE = `const bare = vm.createContext({ TextEncoder, TextDecoder })
    vm.runInContext("delete globalThis.console; for (const name of ['process', 'Buffer', 'require', 'module', 'console', 'setTimeout', 'crypto', 'fetch', 'AbortController', 'self', 'window', 'navigator']) if (name in globalThis) throw new Error(name + ' is there')", bare)`
  test("nothing of Node: the CJS bundle in a bare context", async () => {
    const said = await child(`import vm from "node:vm"; import { readFileSync } from "node:fs"
      ${BARE}
      const DISPOSE = "[typeof Symbol.dispose, 'undefined' in toolcrib.createToolSearch({ tools: [] })]"
      const text = readFileSync(toolcribCjs, "utf8")
      const load = vm.runInContext("(function (module, exports, require) {" + text + "\\nreturn module.exports })", bare)
      const required = []
      const module = { exports: {} }
      bare.toolcrib = load(module, module.exports, (name) => { required.push(name); throw new Error("no " + name) })
      vm.runInContext(${JSON.stringify(DATA.replace("const tools", "var tools"))}, bare)
      console.log(JSON.stringify({ answer: await vm.runInContext("says(toolcrib, tools, messages)", bare), required, dispose: vm.runInContext(DISPOSE, bare) }))`)
    assert.deepEqual(said.required, [])
    // Where there is no Symbol.dispose, no method is called "undefined".
    assert.equal(said.dispose[1], false)
    // A context of Node 20 has none; in a newer one there is nothing to see here.
    if (process.versions.node.startsWith("20.")) assert.equal(said.dispose[0], "undefined")
    assert.equal(said.answer, await expected())
  })

  test("nothing of Node: the ESM bundle in a bare context", async () => {
    const said = await child(
      `import vm from "node:vm"; import { readFileSync } from "node:fs"
      ${BARE}
      const linked = []
      const module = new vm.SourceTextModule(readFileSync(new URL(toolcrib), "utf8"), { context: bare, identifier: "toolcrib" })
      await module.link((name) => { linked.push(name); throw new Error("it imports " + name) })
      await module.evaluate()
      bare.toolcrib = module.namespace
      vm.runInContext(${JSON.stringify(DATA.replace("const tools", "var tools"))}, bare)
      console.log(JSON.stringify({ answer: await vm.runInContext("says(toolcrib, tools, messages)", bare), linked }))`,
      { flags: ["--experimental-vm-modules", "--no-warnings"] },
    )
    assert.deepEqual(said.linked, [])
    assert.equal(said.answer, await expected())
  })

  test("importing the package makes nothing; the first call makes one instance, and every later one uses it", async () => {
    const said = await child(`const made = { Module: 0, Instance: 0, Memory: 0, Table: 0, compile: 0, instantiate: 0 }
      for (const name of Object.keys(made)) {
        const real = WebAssembly[name]
        WebAssembly[name] = /^[A-Z]/.test(name) ? new Proxy(real, { construct: (...given) => (made[name]++, Reflect.construct(...given)) }) : (...given) => (made[name]++, real.apply(WebAssembly, given))
      }
      const atobs = []; const real = atob; globalThis.atob = (text) => (atobs.push(text.length), real(text))
      const log = []
      const note = () => log.push({ ...made, atob: atobs.length })
      const { createRequire } = await import("node:module")
      const esm = await import(toolcrib); note()
      const cjs = createRequire(toolcrib)(toolcribCjs); note()
      esm.NEVER_DEFERRED.includes("task"); new esm.ToolcribError("engine_freed", ""); try { esm.createToolSearch() } catch {} note()
      const first = esm.createToolSearch({ tools: [] }); note()
      first.turn([]); esm.createToolSearch({ tools: [{ name: "a" }] }).search("a"); esm.rankTools("a", []); note()
      console.log(JSON.stringify(log))`)
    const nothing = { Module: 0, Instance: 0, Memory: 0, Table: 0, compile: 0, instantiate: 0, atob: 0 }
    assert.deepEqual(said.slice(0, 3), [nothing, nothing, nothing])
    assert.deepEqual([said[3].Module, said[3].Instance, said[3].compile, said[3].instantiate], [1, 1, 0, 0])
    assert.deepEqual(said[4], said[3])
  })

  test("two copies of the package, ESM and CJS, live beside each other", async () => {
    const cjs = createRequire(import.meta.url)("../../pkg/index.cjs")
    const esm = await fresh()
    const [one, two] = [esm, cjs].map(({ createToolSearch }) => createToolSearch({ tools, threshold: 0 }))
    assert.equal(JSON.stringify(one.turn(messages)), JSON.stringify(two.turn(messages)))
    one.free()
    assert.equal(two.turn(messages).loaded[0], "refund_order")
    // The class differs, the code does not: types.ts says so.
    const freed = assert.throws(
      () => one.turn([]),
      (error) => !(error instanceof cjs.ToolcribError) && error.code === "engine_freed",
    )
    assert.equal(freed, undefined)
  })
})

describe("the text of the bundles", () => {
  for (const name of ["index.js", "index.cjs"]) {
    const text = readFileSync(new URL(name, pkg), "utf8")
    // Without the wasm's text, which may spell anything.
    const code = text.replace(/"[^"\\\n]{10000,}"/, '""')

    test(`${name}: no builtin of Node, no file, no network, no console, no code from text`, () => {
      assert.ok(code.length < text.length / 2 && code.length > 10_000)
      for (const absent of [
        /\bnode:/,
        /\brequire\b/,
        /\bimport\s*\(/,
        /\bimport\.meta\b/,
        /\b(readFile|readFileSync|fs|path|Buffer|process|__dirname|__filename)\b/,
        /\bfetch\b/,
        /\bconsole\b/,
        /\beval\s*\(/,
        /\bnew Function\b/,
        /\bMath\.random\b/,
        /\bDate\b/,
        /\bperformance\b/,
        /\bwindow\b/,
        /\bdocument\b/,
        /\bWebSocket\b/,
        /\bglobalThis\.(?!crypto)\w+\s*=/,
      ]) {
        const found = absent.exec(code)
        assert.equal(found, null, `${absent} in: ${found && code.slice(found.index - 60, found.index + 60)}`)
      }
      assert.doesNotMatch(code, /^\s*(import|export)\b.*\bfrom\b/m, "it imports nothing")
    })

    test(`${name}: no top-level await, nothing imported, nothing kept when nothing is used`, async () => {
      const path = fileURLToPath(new URL(name, pkg))
      // esbuild refuses a top-level await in this format.
      const whole = await esbuild.build({
        entryPoints: [path],
        bundle: true,
        write: false,
        format: "iife",
        globalName: "toolcrib",
        platform: "neutral",
        metafile: true,
        logLevel: "silent",
      })
      assert.deepEqual(
        Object.values(whole.metafile.inputs).flatMap(({ imports }) => imports),
        [],
      )
      assert.deepEqual(whole.warnings, [])
      if (name === "index.js") {
        // `sideEffects: false` is true: whoever uses one constant does not carry the engine.
        const bundle = (code) =>
          esbuild.build({
            stdin: { contents: code, resolveDir: fileURLToPath(pkg) },
            bundle: true,
            write: false,
            format: "esm",
            platform: "neutral",
            minify: true,
            logLevel: "silent",
          })
        const { outputFiles: unused } = await bundle('import "./index.js"')
        assert.ok(unused[0].text.length < 2000, `${unused[0].text.length} bytes stay of an import that uses nothing`)
      }
    })
  }

  test("engine.wasm is the one that is inlined, and a module of its own", async () => {
    let bytes
    const Module = WebAssembly.Module
    WebAssembly.Module = function (given) {
      bytes = Buffer.from(given)
      return new Module(given)
    }
    try {
      const { estimateTokens } = await fresh()
      estimateTokens("x")
    } finally {
      WebAssembly.Module = Module
    }
    assert.ok(bytes.equals(readFileSync(new URL("engine.wasm", pkg))))
    assert.ok(WebAssembly.validate(bytes))
  })
})

// In processes of their own, side by side: each sees its memory alone.
describe("memory", { concurrency: 2 }, () => {
  const SETUP = `const Real = WebAssembly.Instance
    let memory
    WebAssembly.Instance = function (...given) { const made = new Real(...given); memory = made.exports.memory; return made }
    const { createToolSearch, estimateTokens } = await import(toolcrib)
    const tools = ["create_invoice", "refund_order"].map((name) => ({ name, description: "Does " + name, inputSchema: { type: "object", properties: { id: { type: "string" } } }, deferLoading: true }))
    // Frees are run in idle moments, some time after the garbage was found.
    const idle = async () => { for (let i = 0; i < 3; i++) { gc(); await new Promise((resolve) => setImmediate(resolve)) } }
    const log = []
    const round = async (work) => { await work(); await idle(); log.push({ wasm: memory.buffer.byteLength, heap: process.memoryUsage().heapUsed, rss: process.memoryUsage().rss }) }
    const done = () => console.log(JSON.stringify(log))`
  const flags = ["--expose-gc"]

  /** The same wasm memory from the third round on; no more on the heap than noise makes. */
  function flat(log, { heap = 3e6, rss = 24e6 } = {}) {
    const [warm] = log.slice(2)
    const last = log.at(-1)
    const seen = log
      .map(({ wasm, heap, rss }) => `${wasm >> 10}k/${(heap / 1e6).toFixed(1)}M/${(rss / 1e6).toFixed(0)}M`)
      .join(" ")
    assert.ok(log.length >= 8)
    assert.equal(last.wasm, warm.wasm, `wasm memory grows: ${seen}`)
    assert.ok(last.wasm < 16e6, seen)
    assert.ok(last.heap - warm.heap < heap, `the heap grows: ${seen}`)
    assert.ok(last.rss - warm.rss < rss, `the process grows: ${seen}`)
  }

  test("ten thousand engines made and dropped", async () => {
    flat(
      await child(
        `${SETUP}
      for (let i = 0; i < 20; i++) await round(() => { for (let i = 0; i < 500; i++) createToolSearch({ tools, threshold: 0 }) })
      done()`,
        { flags },
      ),
    )
  })

  test("a million searches on one engine", async () => {
    flat(
      await child(
        `${SETUP}
      const search = createToolSearch({ tools, threshold: 0 })
      // One in ten finds something: what finds nothing is what a million of can be waited for.
      for (let i = 0; i < 10; i++) await round(() => { for (let i = 0; i < 100_000; i++) i % 10 ? search.search("nothing") : search.search("refund", { explain: i % 100 === 0 }) })
      done()`,
        { flags },
      ),
    )
  })

  test("a hundred thousand turns, and answers, calls and fingerprints between them", async () => {
    flat(
      await child(
        `${SETUP}
      const search = createToolSearch({ tools, threshold: 0 })
      const said = { role: "assistant", tool_calls: [{ id: "c1", function: { name: "tool_search", arguments: '{"query":"refund"}' } }] }
      const messages = [{ role: "user", content: "x".repeat(1000) }, said, { role: "tool", tool_call_id: "c1", content: '{"loaded":[{"name":"refund_order"}]}' }]
      for (let i = 0; i < 10; i++) await round(async () => {
        for (let i = 0; i < 10_000; i++) search.turn(i % 10 ? [] : messages)
        for (let i = 0; i < 300; i++) { const reply = await search.answer(said, messages); reply.messages([{ role: "tool" }]); search.resolve(said, messages); search.pending(messages); search.searchResults(messages) }
        search.update(tools).search.fingerprint()
        try { search.turn([], { loaded: [5] }) } catch {}
        try { createToolSearch({ tools: [...tools, { name: "refund_order" }] }) } catch {}
      })
      done()`,
        { flags },
      ),
    )
  })

  test("engines that are freed, and huge inputs, leave nothing behind", async () => {
    flat(
      await child(
        `${SETUP}
      const search = createToolSearch({ tools, threshold: 0 })
      const huge = "word ".repeat(100_000)
      for (let i = 0; i < 10; i++) await round(() => {
        for (let i = 0; i < 100; i++) createToolSearch({ tools, threshold: 0 }).free()
        search.search(huge)
        estimateTokens(huge)
        search.turn([{ role: "user", content: huge }, { role: "assistant", tool_calls: [{ id: "c1", function: { name: "tool_search", arguments: huge } }] }, { role: "tool", tool_call_id: "c1", content: huge }])
        createToolSearch({ tools: [{ name: "huge", description: huge, inputSchema: { description: huge } }], threshold: 0 }).free()
      })
      done()`,
        { flags },
      ),
    )
  })

  test("what is done at once, or fails, holds no memory", async () => {
    // Without an idle moment between them: nothing here may wait for the garbage collector.
    const log = await child(
      `${SETUP}
      const many = Array.from({ length: 50 }, (_, at) => ({ name: "tool_" + at, description: "Does something. ".repeat(40), inputSchema: { type: "object" }, deferLoading: true }))
      const { rankTools, rankToolsByKeywords } = await import(toolcrib)
      const attempt = (work) => { try { work() } catch {} }
      const once = () => {
        rankTools("something", many)
        rankToolsByKeywords("something", many)
        attempt(() => createToolSearch({ tools: many, deferred: () => { throw new Error("no") } }))
        attempt(() => createToolSearch({ tools: [...many, { name: "tool_0" }] }))
        attempt(() => createToolSearch({ tools: [...many, { name: "tool_search" }], threshold: 0 }))
        attempt(() => createToolSearch({ tools: many, countTokens: () => { throw new Error("no") } }).free())
        createToolSearch({ tools: many }).free()
      }
      once(); once()
      log.push(memory.buffer.byteLength)
      for (let i = 0; i < 60; i++) once()
      log.push(memory.buffer.byteLength)
      done()`,
      { flags },
    )
    const [warm, last] = log
    assert.ok(last - warm < 500_000, `wasm memory grew from ${warm} to ${last} bytes`)
  })

  test("instances that trapped are let go, and nobody calls into them again", async () => {
    const { alive, made, late } = await child(
      `
      const Real = WebAssembly.Instance
      let made = 0, alive = 0, next = false, late = 0
      const gone = new FinalizationRegistry(() => alive--)
      WebAssembly.Instance = function (...given) {
        const { exports } = new Real(...given)
        made++; alive++
        gone.register(exports.memory)
        let dead = false
        const wrap = ([name, value]) => [name, typeof value !== "function" ? value : (...given) => {
          if (dead) late++
          if (next && name === "engine_turn") { next = false; dead = true; throw new WebAssembly.RuntimeError("unreachable") }
          return value(...given)
        }]
        return { exports: Object.fromEntries(Object.entries(exports).map(wrap)) }
      }
      const { createToolSearch } = await import(toolcrib)
      const search = createToolSearch({ tools: [{ name: "a", deferLoading: true }], threshold: 0 })
      const idle = async () => { gc(); await new Promise((resolve) => setTimeout(resolve, 5)) }
      for (let i = 0; i < 30; i++) {
        // Forgotten, so that the registry of the old instance's glue would free them.
        for (let i = 0; i < 5; i++) createToolSearch({ tools: [{ name: "b" }] })
        next = true
        try { search.turn([]) } catch {}
        search.turn([])
        if (i % 10 === 9) for (let i = 0; i < 5; i++) await idle()
      }
      for (let i = 0; i < 10; i++) await idle()
      const counts = { alive, made }
      // One that lives on keeps the glue of its dead instance, and with it the registry that frees the forgotten ones.
      const kept = createToolSearch({ tools: [{ name: "c" }] })
      for (let i = 0; i < 5; i++) createToolSearch({ tools: [{ name: "b" }] })
      next = true
      try { search.turn([]) } catch {}
      for (let i = 0; i < 10; i++) await idle()
      kept.turn([])
      console.log(JSON.stringify({ ...counts, late }))`,
      { flags },
    )
    assert.equal(made, 31)
    assert.ok(alive <= 3, `${alive} of ${made} instances are kept`)
    assert.equal(late, 0, `${late} calls of dead instances`)
  })
})
