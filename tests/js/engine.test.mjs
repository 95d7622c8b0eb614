// The engine as a thing that is made, used, called from within its own calls, freed and forgotten: no memory that grows.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as esbuild from "esbuild"
import { createToolSearch, estimateTokens, rankTools } from "../../pkg/index.js"
import {
  assistant,
  call,
  CATALOGUE as tools,
  child,
  CONVERSATION as messages,
  failsWith,
  fresh,
  searchCall,
  user,
} from "./support.mjs"

test("an index is made for the first search, and for no answer that searches nothing", async () => {
  const { Instance } = WebAssembly
  let [indexed, freed] = [0, 0]
  WebAssembly.Instance = function (...given) {
    const { exports } = new Instance(...given)
    const counted = (...given) => (indexed++, exports.engine_index(...given))
    const [name] = Object.keys(exports).filter((name) => name.endsWith("_index_free"))
    return { exports: { ...exports, engine_index: counted, [name]: (...given) => (freed++, exports[name](...given)) } }
  }
  try {
    const search = (await fresh()).createToolSearch({ tools, threshold: 0 })
    search.turn(messages)
    search.resolve(call("refund_order", {}), messages)
    search.fingerprint()
    const idle = await search.answer(assistant(call("refund_order", {})), messages)
    assert.deepEqual([idle.parts, indexed], [[], 0])
    const reply = await search.answer(assistant(searchCall("refund")), messages)
    assert.equal(reply.parts.length, 1)
    search.search("refund")
    assert.equal(indexed, 1, "and is kept")
    search.free()
    assert.equal(freed, 1, "and goes with the engine, not when a collector finds it")
  } finally {
    WebAssembly.Instance = Instance
  }
})

describe("free", () => {
  /** Every method; what it is called by is what the error says. */
  const ASK = {
    turn: (search) => search.turn([]),
    answer: (search) => search.answer(assistant(searchCall("x"))),
    resolve: (search) => search.resolve(call("refund_order", {})),
    resolveAsync: (search) => search.resolveAsync(call("refund_order", {})),
    search: (search) => search.search("x"),
    searchResults: (search) => search.searchResults([]),
    pending: (search) => search.pending([]),
    keepNote: (search) => search.keepNote([], []),
    fit: (search) => search.fit([]),
    fingerprint: (search) => search.fingerprint(),
    update: (search) => search.update([]),
    agent: (search) => search.agent({}),
  }

  test("no method is missing here", () => {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(createToolSearch({ tools })))
    assert.deepEqual(methods.filter((name) => !["constructor", "free"].includes(name)).sort(), Object.keys(ASK).sort())
  })

  for (const [name, ask] of Object.entries(ASK)) {
    test(`${name} after free() is a clear error`, async () => {
      const search = createToolSearch({ tools, threshold: 0 })
      const other = createToolSearch({ tools, threshold: 0 })
      search.free()
      const freed = failsWith("engine_freed", new RegExp(`^${name}: this engine has been freed; create a new one$`))
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

  test("messages() of a reply, and answer() with the host's own ranking, go by their own names too", async () => {
    const search = createToolSearch({ tools, threshold: 0, rank: () => ["refund_order"] })
    const reply = await search.answer(assistant(searchCall("x")))
    search.free()
    assert.throws(() => reply.messages(), failsWith("engine_freed", /^messages: /))
    await assert.rejects(search.answer(assistant(searchCall("x"))), failsWith("engine_freed", /^answer: /))
    await assert.rejects(
      search.answer(assistant(searchCall("x")), [], { exclude: ["a"] }),
      failsWith("engine_freed", /^answer: /),
    )
    assert.equal(reply.loaded[0], "refund_order")
  })

  test("using: the engine is freed where its block ends, by return and by throw", async () => {
    // Node 20 can't read the word yet.
    const { code } = await esbuild.transform(
      "export function used(make, work) { using search = make(); return work(search) }",
      { target: "es2022", format: "cjs" },
    )
    const module = { exports: {} }
    new Function("module", code)(module)
    for (const end of [
      (search) => search,
      (search) => {
        throw search
      },
    ]) {
      let search
      try {
        search = module.exports.used(
          () => createToolSearch({ tools, threshold: 0 }),
          (it) => (it.turn([]), end(it)),
        )
      } catch (thrown) {
        search = thrown
      }
      assert.throws(() => search.turn([]), failsWith("engine_freed", "turn"))
    }
  })

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
})

describe("calls within a call", () => {
  /** Uses all of the package, and an engine that is there already. */
  const use = (search) => {
    const own = createToolSearch({ tools, threshold: 0 })
    const met = [
      own.turn(messages).loaded,
      search?.search("refund")[0].name,
      rankTools("refund", tools),
      estimateTokens("x"),
    ]
    own.free()
    return JSON.stringify(met)
  }
  const EXPECTED = (search) => [JSON.stringify([["refund_order"], search && "refund_order", ["refund_order"], 1])]

  test("a getter of a message may ask the same engine, or make another", () => {
    const search = createToolSearch({ tools, threshold: 0 })
    const met = new Set()
    const asking = {
      role: "user",
      content: "",
      get tool_calls() {
        return (met.add(use(search)), undefined)
      },
    }
    const before = JSON.stringify(search.turn([user(), ...messages]))
    assert.equal(JSON.stringify(search.turn([asking, ...messages])), before)
    assert.deepEqual([...met], EXPECTED(true))
  })

  test("so may one of a call, of a definition and of what messages() orders", async () => {
    const search = createToolSearch({ tools, threshold: 0 })
    const met = new Set()
    const asking = (object, key, value) =>
      Object.defineProperty(object, key, { enumerable: true, get: () => (met.add(use(search)), value) })
    const said = assistant(searchCall("refund"))
    const reply = await search.answer(said)
    const asked = await search.answer(asking({ role: "assistant" }, "tool_calls", said.tool_calls))
    assert.equal(JSON.stringify(asked), JSON.stringify(reply))
    const part = (make) => make({ role: "tool", content: "" }, "tool_call_id", "c0")
    assert.equal(reply.messages([part(asking)]).length, 2)
    assert.deepEqual(
      search.resolve(asking({}, "function", { name: "refund_order", arguments: "{}" })).name,
      "refund_order",
    )
    assert.deepEqual(search.update([...tools, asking({ deferLoading: true }, "name", "late")]).added, ["late"])
    assert.deepEqual(rankTools("late", [asking({ name: "a" }, "description", "late")]), ["a"])
    assert.deepEqual([...met], EXPECTED(true))
  })

  for (const [name, given] of Object.entries({
    deferred: (ask) => (ask(), undefined),
    countTokens: (ask) => (ask(), 10),
    toJsonSchema: (ask) => (ask(), { type: "object", properties: { cents: {} } }),
    rank: (ask) => (ask(), ["refund_order"]),
  })) {
    test(`the host's ${name} may`, async () => {
      const bare = tools.map(({ inputSchema: _, ...tool }) => tool)
      const made = async (ask) => {
        const search = createToolSearch({ tools: bare, threshold: 0, [name]: () => given(ask) })
        const reply = await search.answer(assistant(searchCall("refund")))
        return JSON.stringify([search.turn(messages), search.deferral, reply, search.search("cents")])
      }
      const met = new Set()
      assert.equal(await made(() => met.add(use())), await made(() => {}))
      assert.deepEqual([...met], EXPECTED(undefined))
    })
  }
})

// In processes of their own, side by side: each sees its memory alone.
describe("memory", { concurrency: 2 }, () => {
  const setup = (face = "await import(toolcrib)") => `const Real = WebAssembly.Instance
    let memory
    WebAssembly.Instance = function (...given) { const made = new Real(...given); memory = made.exports.memory; return made }
    const { createToolSearch, estimateTokens } = ${face}
    const tools = ["create_invoice", "refund_order"].map((name) => ({ name, description: "Does " + name, inputSchema: { type: "object", properties: { id: { type: "string" } } }, deferLoading: true }))
    // Frees are run in idle moments, some time after the garbage was found.
    const idle = async () => { for (let i = 0; i < 3; i++) { gc(); await new Promise((resolve) => setImmediate(resolve)) } }
    const log = []
    const round = async (work) => { await work(); await idle(); log.push({ wasm: memory.buffer.byteLength, heap: process.memoryUsage().heapUsed, rss: process.memoryUsage().rss }) }
    const done = () => console.log(JSON.stringify(log))`
  const flags = ["--expose-gc"]

  const REQUIRED = '(await import("node:module")).createRequire(toolcrib)(toolcribCjs)'

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

  // An isolate of Cloudflare's has 128 MB for these, the tools themselves (1 MB each) and the host's own program.
  test("ten engines of 1,000 tools, all alive and all searched, take 32 MiB of wasm memory at most", async () => {
    const generate = JSON.stringify(new URL("../../bench/generate.mjs", import.meta.url))
    const log = await child(
      `${setup()}
      const { tools: generate } = await import(${generate})
      const kept = []
      await round(() => {
        for (let seed = 0; seed < 10; seed++) {
          const tools = generate(1000, seed)
          const search = createToolSearch({ tools, deferred: { above: 0 }, threshold: 0 })
          if (search.search(tools[0].name)[0]?.tool !== tools[0]) throw new Error("found something else")
          kept.push(search)
        }
      })
      done()`,
      { flags },
    )
    assert.ok(log[0].wasm < 32 * 2 ** 20, `${log[0].wasm} bytes`)
  })

  for (const [format, face] of Object.entries({ import: undefined, require: REQUIRED })) {
    test(`ten thousand engines made and dropped, by ${format}`, async () => {
      flat(
        await child(
          `${setup(face)}
        for (let i = 0; i < 20; i++) await round(() => { for (let i = 0; i < 500; i++) createToolSearch({ tools, threshold: 0 }) })
        done()`,
          { flags },
        ),
      )
    })
  }

  test("without FinalizationRegistry: what is freed is gone, what is forgotten stays and harms nothing", async () => {
    const [warm, freed, forgotten] = await child(
      `delete globalThis.FinalizationRegistry
      ${setup()}
      const make = (free) => { for (let i = 0; i < 1000; i++) { const search = createToolSearch({ tools, threshold: 0 }); search.turn([]); if (free) search.free() } }
      await round(() => make(true)); await round(() => make(true)); await round(() => make(false))
      if (createToolSearch({ tools, threshold: 0 }).search("refund")[0].name !== "refund_order") throw new Error("it does not answer")
      done()`,
      { flags },
    )
    assert.equal(freed.wasm, warm.wasm)
    assert.ok(forgotten.wasm > freed.wasm, "or this test holds nothing")
  })

  test("a million searches on one engine", async () => {
    flat(
      await child(
        `${setup()}
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
        `${setup()}
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
        `${setup()}
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
      `${setup()}
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
