// Where the engine runs: nothing of Node, nothing at import, nothing random, no clock, and globals that others have
// changed.

import assert from "node:assert/strict"
import { createRequire } from "node:module"
import { describe, test } from "node:test"
import { stamp } from "../../pkg/face.js"
import { CATALOGUE as tools, child, CONVERSATION as messages, fresh, says, SAYS } from "./support.mjs"

const DATA = `const tools = ${JSON.stringify(tools)}, messages = ${JSON.stringify(messages)}\n${SAYS}`

describe("surroundings", () => {
  const expected = async () => says(await fresh(), tools, messages)

  const REFUSALS = {
    "an embedder refuses": [
      "WebAssembly.Module = function () { throw new WebAssembly.CompileError('WebAssembly.Module(): Wasm code generation disallowed by embedder') }",
      /the condition "workerd" \("edge-light" on Vercel\), or give toolcrib\/slim the module.*'wasm-unsafe-eval' in script-src\.$/,
    ],
    "a page's policy refuses": [
      "WebAssembly.Module = function () { throw new WebAssembly.CompileError(\"Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not an allowed source of script\") }",
      /source of script\. The page's Content-Security-Policy needs 'wasm-unsafe-eval' in script-src\.$/,
    ],
    "an older Chrome's main thread refuses": [
      "WebAssembly.Module = function () { throw new RangeError('WebAssembly.Compile is disallowed on the main thread, if the buffer size is larger than 4KB.') }",
      /only in a worker, or when toolcrib\/slim is given what WebAssembly\.compileStreaming gives\.$/,
    ],
    "there is no memory for it": [
      "WebAssembly.Instance = function () { throw new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance') }",
      /There is not enough memory for it\.$/,
    ],
    "the stack is nearly full": [
      "WebAssembly.Instance = function () { throw new RangeError('Maximum call stack size exceeded') }",
      /The call stack was nearly full\.$/,
    ],
    "it is refused in words that nobody knows": [
      "WebAssembly.Instance = function () { throw new TypeError('refused') }",
      /here: refused\. A page's Content-Security-Policy needs 'wasm-unsafe-eval' in script-src; edge runtimes need the condition "workerd"/,
    ],
    "there is no WebAssembly": ["delete globalThis.WebAssembly", /This runtime has none, or has it switched off/],
  }
  for (const [what, [code, words]] of Object.entries(REFUSALS)) {
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
        assert.match(message, words)
      }
    })
  }

  test("node --jitless has no WebAssembly, and is told so", async () => {
    const said = await child(
      "const { estimateTokens } = await import(toolcrib); try { estimateTokens('x') } catch ({ code, message }) { console.log(JSON.stringify([code, message])) }",
      { flags: ["--jitless"] },
    )
    assert.equal(said[0], "wasm_unavailable")
    assert.match(said[1], /node --jitless does/)
  })

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
    const said = await child(
      `${DATA}
      const answers = []
      const put = (property) => Object.defineProperty(globalThis, "crypto", { configurable: true, ...property })
      for (const crypto of [{ value: undefined }, { value: {} }, { value: { getRandomValues: 5 } }, { get() { throw new Error("no") } }, undefined]) {
        if (crypto) put(crypto); else delete globalThis.crypto
        answers.push(await says(await import(copies[answers.length] + "index.js"), tools, messages))
      }
      console.log(JSON.stringify(answers))`,
      { copies: 5 },
    )
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
  const DISPOSE = "[typeof Symbol.dispose, 'undefined' in toolcrib.createToolSearch({ tools: [] })]"
  const ASK = `vm.runInContext(${JSON.stringify(DATA.replace("const tools", "var tools"))}, bare)
    const wasm = readFileSync(new URL("engine.wasm", toolcrib))
    bare.toolcrib.init?.(wasm)
    console.log(JSON.stringify({ answer: await vm.runInContext("says(toolcrib, tools, messages)", bare), dispose: vm.runInContext(${JSON.stringify(DISPOSE)}, bare), loaded }))`
  const FILES = {
    "index.cjs": ["index.cjs", "face.cjs", "inlined/engine.js"],
    "slim.cjs": ["slim.cjs", "face.cjs"],
    "index.js": ["index.js", "bytes.js", "face.js", "inlined/engine.js"],
    "slim.js": ["slim.js", "face.js"],
    "workerd.js": ["workerd.js", "engine.wasm", "face.js"],
    "edge-light.js": ["edge-light.js", "engine.wasm?module", "face.js"],
  }
  for (const [entry, files] of Object.entries(FILES)) {
    test(`nothing of Node: ${entry} and what it imports in a bare context`, async () => {
      const cjs = `const modules = new Map()
        const require = (name) => {
          if (modules.has(name)) return modules.get(name).exports
          loaded.push(name)
          const load = vm.runInContext("(function (module, exports, require) {" + readFileSync(new URL(name, toolcrib), "utf8") + "\\nreturn module.exports })", bare)
          const module = { exports: {} }
          modules.set(name, module)
          return load(module, module.exports, (other) => require(new URL(other, new URL(name, toolcrib)).href.slice(new URL(".", toolcrib).href.length)))
        }
        bare.toolcrib = require(entry)`
      const esm = `const modules = new Map()
        const module = (name) => {
          if (modules.has(name)) return modules.get(name)
          loaded.push(name)
          const made = name.includes(".wasm")
            ? new vm.SyntheticModule(["default"], function () { this.setExport("default", new WebAssembly.Module(readFileSync(new URL("engine.wasm", toolcrib)))) }, { context: bare, identifier: name })
            : new vm.SourceTextModule(readFileSync(new URL(name, toolcrib), "utf8"), { context: bare, identifier: name })
          modules.set(name, made)
          return made
        }
        const top = module(entry)
        await top.link((other) => module(other.slice(2)))
        await top.evaluate()
        bare.toolcrib = top.namespace`
      const said = await child(
        `import vm from "node:vm"; import { readFileSync } from "node:fs"
        ${BARE}
        const entry = ${JSON.stringify(entry)}, loaded = []
        ${entry.endsWith(".cjs") ? cjs : esm}
        ${ASK}`,
        { flags: ["--experimental-vm-modules", "--no-warnings"] },
      )
      assert.deepEqual(said.loaded, files)
      // Where there is no Symbol.dispose, no method is called "undefined".
      assert.equal(said.dispose[1], false)
      // A context of Node 20 has none; in a newer one there is nothing to see here.
      if (process.versions.node.startsWith("20.")) assert.equal(said.dispose[0], "undefined")
      assert.equal(said.answer, await expected())
    })
  }

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
      const esm = await import(toolcrib), slim = await import(new URL("slim.js", toolcrib)); note()
      const cjs = createRequire(toolcrib)(toolcribCjs); note()
      esm.NEVER_DEFERRED.includes("task"); new esm.ToolcribError("engine_freed", ""); try { esm.createToolSearch() } catch {}; slim.init(new Uint8Array([0, 97, 115, 109])); note()
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

// What others have done to the globals: nothing that passes silently, and nothing worse than an error that says what.
describe("hostile surroundings", () => {
  const expected = async () => says(await fresh(), tools, messages)
  /** What comes of loading and asking, by import and by require: the answer as text, or the error. */
  const ASK = `import { createRequire } from "node:module"
    ${DATA}
    const require = createRequire(toolcrib)
    const outcome = async (load, between = () => {}) => {
      try {
        const module = await load()
        between()
        return { answer: await says(module, tools, messages) }
      } catch (error) {
        return { name: error.name, code: error.code, message: error.message }
      }
    }
    const esm = () => import(toolcrib), cjs = () => require(toolcribCjs)
    const key = Symbol.for(${JSON.stringify(`toolcrib ${stamp}`)})`
  const LOST =
    /does not hold the engine: a bundler has left out toolcrib\/pkg\/inlined\/engine\.js, .* or globalThis is frozen, or someone has written over it$/

  for (const [what, code] of Object.entries({
    "globalThis is frozen": "Object.freeze(globalThis)",
    "globalThis takes nothing more": "Object.preventExtensions(globalThis)",
    "the place of the inlined wasm is taken for good":
      "Object.defineProperty(globalThis, key, { value: { mine: true } })",
    "the place of the inlined wasm has a setter that takes it":
      "Object.defineProperty(globalThis, key, { set() {}, get: () => undefined })",
  })) {
    test(`${what}: wasm_unavailable says so`, async () => {
      const said = await child(`${ASK}
        ${code}
        console.log(JSON.stringify([await outcome(esm), await outcome(cjs)]))`)
      for (const { name, code, message } of said) {
        assert.deepEqual([name, code], ["ToolcribError", "wasm_unavailable"])
        assert.match(message, LOST)
      }
    })
  }

  test("the place of the inlined wasm was taken before: the package writes its own there", async () => {
    const said = await child(`${ASK}
      globalThis[key] = { alphabet: "", length: 8, order: "", prefixes: 0, text: "mine" }
      console.log(JSON.stringify([await outcome(esm), await outcome(cjs)]))`)
    for (const { answer } of said) assert.equal(answer, await expected())
  })

  for (const [what, value] of Object.entries({
    nothing: "undefined",
    "something else": "{ mine: true }",
    "a wasm cut off": "{ ...globalThis[key], length: 1000 }",
    "text cut off": "{ ...globalThis[key], text: 'mine' }",
    "no length": "{ ...globalThis[key], length: undefined }",
    "another order": "{ ...globalThis[key], order: globalThis[key].order.replace(/../, 'ff') }",
  })) {
    test(`${what} in the place of the inlined wasm after it was loaded is wasm_unavailable`, async () => {
      const said = await child(`${ASK}
        const spoil = () => { globalThis[key] = ${value} }
        console.log(JSON.stringify([await outcome(esm, spoil), await outcome(cjs, spoil)]))`)
      for (const { name, code, message } of said) {
        assert.deepEqual([name, code], ["ToolcribError", "wasm_unavailable"])
        assert.match(message, /does not hold the engine|not the whole engine\.wasm|is not the one of this toolcrib/)
      }
    })
  }

  test("a frozen place that holds the right text is used", async () => {
    const said = await child(`${ASK}
      // Node makes these when they are first read, which it then can't.
      void [TextEncoder, TextDecoder, crypto]
      const between = () => { Object.defineProperty(globalThis, key, { writable: false, configurable: false }); Object.freeze(globalThis[key]); Object.freeze(globalThis) }
      console.log(JSON.stringify([await outcome(esm, between), await outcome(cjs, between)]))`)
    for (const each of said) assert.equal(each.answer, await expected(), JSON.stringify(each))
  })

  // As a careless merge of JSON leaves it, and as libraries of old did.
  for (const [what, value] of Object.entries({
    "a text": '"x"',
    true: "true",
    "an object": "{}",
    "a function": "() => 1",
  })) {
    for (const when of ["before", "after"]) {
      test(`Object.prototype has ${what} that is enumerable, since ${when} the package is loaded`, async () => {
        const said = await child(`${ASK}
          const pollute = () => { for (const key of ["polluted", "name", "kind", "code", "default", "text", "message", "deferred"]) Object.defineProperty(Object.prototype, key, { value: ${value}, enumerable: true, writable: true, configurable: true }) }
          ${when === "before" ? "pollute()" : "await esm(); cjs()"}
          const met = [await outcome(esm, pollute), await outcome(cjs, pollute)]
          for (const key of Object.keys(Object.prototype)) delete Object.prototype[key]
          console.log(JSON.stringify(met))`)
        for (const [at, { answer, name, message }] of said.entries()) {
          // What esbuild writes around a CommonJS module's exports walks over inherited ones too.
          if (at === 1 && when === "before" && what !== "a function")
            assert.match(`${name}: ${message}`, /^TypeError: Getter must be a function/)
          else assert.equal(answer, await expected(), message)
        }
      })
    }
  }

  test("Object.prototype has much that is not enumerable: the same answers", async () => {
    const said = await child(`${ASK}
      for (const key of ["polluted", "name", "default", "max", "code", "loaded", "forced", "exclude", "limit", "explain", "resident", "threshold", "rank", "deferred", "tool_calls", "content", "tools", "cause", "then_"]) {
        Object.defineProperty(Object.prototype, key, { value: ["refund_order"], enumerable: false, writable: true, configurable: true })
      }
      console.log(JSON.stringify([await outcome(esm), await outcome(cjs)]))`)
    for (const each of said) assert.equal(each.answer, await expected(), JSON.stringify(each))
  })

  for (const [what, code] of Object.entries({
    "functions without what belongs to them": `for (const name of ["Module", "Instance"]) { const Real = WebAssembly[name]; WebAssembly[name] = function (...given) { return new Real(...given) } }`,
    proxies: `for (const name of ["Module", "Instance", "Memory"]) WebAssembly[name] = new Proxy(WebAssembly[name], { construct: (Real, given) => new Real(...given) })`,
    subclasses: `WebAssembly.Module = class extends WebAssembly.Module {}; WebAssembly.Instance = class extends WebAssembly.Instance {}`,
    "a proxy of all of WebAssembly": `globalThis.WebAssembly = new Proxy(WebAssembly, { get: (all, key) => all[key] })`,
    "exports that are counted": `const Real = WebAssembly.Instance; let calls = 0; WebAssembly.Instance = function (...given) { const { exports } = new Real(...given); return { exports: Object.fromEntries(Object.entries(exports).map(([name, it]) => [name, typeof it === "function" ? (...given) => (calls++, it(...given)) : it])) } }`,
    "a memory whose growth is watched": `const grow = WebAssembly.Memory.prototype.grow; WebAssembly.Memory.prototype.grow = function (...given) { return grow.apply(this, given) }`,
    "asynchronous functions that never answer": `for (const name of ["compile", "instantiate", "compileStreaming", "instantiateStreaming"]) WebAssembly[name] = () => new Promise(() => {})`,
    "a list of modules": `const Real = WebAssembly.Module; const list = []; WebAssembly.Module = new Proxy(Real, { construct: (...given) => { const made = Reflect.construct(...given); list.push(made); made.id = list.length; return Object.freeze(made) } })`,
  })) {
    test(`a tool has put ${what} in WebAssembly: the same answers`, async () => {
      const said = await child(`${ASK}
        ${code}
        console.log(JSON.stringify([await outcome(esm), await outcome(cjs)]))`)
      for (const each of said) assert.equal(each.answer, await expected(), JSON.stringify(each))
    })
  }

  for (const [what, code] of Object.entries({
    "a Module that gives nothing": "WebAssembly.Module = function () { return {} }",
    "a Module that gives a promise":
      "const Real = WebAssembly.Module; WebAssembly.Module = function (bytes) { return Promise.resolve(new Real(bytes)) }",
    "an Instance without exports": "WebAssembly.Instance = function () { return {} }",
    "an Instance with no function": "WebAssembly.Instance = function () { return { exports: {} } }",
    "a Module that is of something else":
      "const Real = WebAssembly.Module; WebAssembly.Module = function () { return new Real(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) }",
  })) {
    test(`a tool has put ${what} in WebAssembly: a clear error`, async () => {
      const said = await child(`${ASK}
        ${code}
        console.log(JSON.stringify([await outcome(esm), await outcome(cjs)]))`)
      for (const { name, code, message } of said) {
        assert.equal(name, "ToolcribError", message)
        assert.ok(["wasm_unavailable", "engine_trapped"].includes(code), message)
      }
    })
  }

  test("a tool whose memory is no memory is not taken for one that ran out", async () => {
    const said = await child(`${ASK}
      const Real = WebAssembly.Instance
      let stop = false
      WebAssembly.Instance = function (...given) {
        const { exports } = new Real(...given)
        const engine_turn = (...given) => { if (stop) throw new WebAssembly.RuntimeError("unreachable"); return exports.engine_turn(...given) }
        return { exports: { ...exports, engine_turn, memory: { get buffer() { return exports.memory.buffer } } } }
      }
      const { createToolSearch } = await esm()
      const search = createToolSearch({ tools, threshold: 0 })
      stop = true
      const met = []
      try { search.turn([]) } catch ({ code, message }) { met.push(code, message) }
      stop = false
      console.log(JSON.stringify([...met, search.turn(messages).loaded]))`)
    assert.equal(said[0], "engine_trapped")
    assert.match(said[1], /no result: unreachable\./)
    assert.deepEqual(said[2], ["refund_order"])
  })
})
