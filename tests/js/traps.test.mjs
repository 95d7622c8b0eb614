// An instance of the engine that is lost, by a trap or for want of memory: the call that lost it fails, every later one
// is answered as if nothing had been.

import assert from "node:assert/strict"
import { after, before, beforeEach, describe, test } from "node:test"
import {
  assistant,
  call,
  capped,
  CATALOGUE as tools,
  child,
  CONVERSATION as messages,
  deferred,
  fresh,
  says,
  searchCall,
  user,
  WASM,
} from "./support.mjs"

describe("after a trap", () => {
  // The smallest module there is whose only function is the instruction `unreachable`: a trap as a panic makes it.
  const TRAP = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0,
    11,
  ])
  const { trap } = new WebAssembly.Instance(new WebAssembly.Module(TRAP)).exports
  const { Instance: Real, Module } = WebAssembly

  /** A package of its own for all of these tests. The next call of the export `next` (of any: "*") does `how` instead. */
  const state = { made: 0, compiled: 0, next: undefined, how: trap, frees: [] }
  let toolcrib
  before(async () => {
    WebAssembly.Module = new Proxy(Module, { construct: (...given) => (state.compiled++, Reflect.construct(...given)) })
    WebAssembly.Instance = function (module, imports) {
      const { exports } = new Real(module, imports)
      const number = ++state.made
      const wrap = ([name, value]) => [
        name,
        typeof value !== "function"
          ? value
          : (...given) => {
              if (name.endsWith("engine_free")) state.frees.push(number)
              if (state.next === name || state.next === "*") {
                if (state.next === name) state.next = undefined
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
    Object.assign(state, { made: 0, compiled: 0, next: undefined, how: trap, frees: [] })
  })
  after(() => {
    Object.assign(WebAssembly, { Instance: Real, Module })
  })

  const trapped = (error) =>
    error.code === "engine_trapped" &&
    error.name === "ToolcribError" &&
    error.cause instanceof Error &&
    /The next call starts it afresh/.test(error.message)

  const CALLS = {
    engine_turn: (search) => search.turn(messages),
    engine_fit: (search) => search.fit(messages),
    engine_keepNote: (search) => search.keepNote(messages, []),
    engine_index: (search) => search.search("refund"),
    engine_search: (search) => search.search("refund"),
    engine_answer: (search) => search.answer(assistant(searchCall("refund")), messages),
    engine_resolve: (search) => search.resolve(call("refund_order", {}), messages),
    engine_searchResults: (search) => search.searchResults(messages),
    engine_pending: (search) => search.pending(messages),
    engine_changes: (search) => search.update(tools),
    engine_reindex: (search) => (search.search("refund"), search.update(tools)),
    engine_newcomers: (search) => search.update([...tools, deferred("refund_order", { description: "another" })]),
    engine_new: (_, { createToolSearch }) => createToolSearch({ tools }),
    engine_report: (_, { createToolSearch }) => createToolSearch({ tools }),
    engine_definition: (_, { createToolSearch }) => createToolSearch({ tools }).turn([]),
    engine_calls: (_, { createToolSearch }) =>
      createToolSearch({ tools, threshold: 0, rank: () => ["refund_order"] }).answer(assistant(searchCall("x"))),
    engine_deferred: (_, { createToolSearch }) =>
      createToolSearch({ tools, threshold: 0, rank: () => ["refund_order"] }).answer(assistant(searchCall("x")), [], {
        exclude: ["nothing"],
      }),
    engine_prefix: (search) => search.turn(messages, { previous: search.turn(messages) }),
    engine_stub: (_, { createToolSearch }) =>
      createToolSearch({ tools, threshold: 0, format: "anthropic", delivery: "native" }).turn([
        { role: "assistant", content: [{ type: "tool_use", id: "s1", name: "tool_search", input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "s1", content: [{ type: "tool_reference", tool_name: "gone" }] },
          ],
        },
      ]),
    engine_definitionInResult: (_, { createToolSearch }) =>
      createToolSearch({ tools, threshold: 0, format: "openai-responses", delivery: "native" }).answer([
        { type: "tool_search_call", execution: "client", call_id: "s1", arguments: { query: "refund" } },
      ]),
    engine_refused: (_, { createToolSearch }) =>
      createToolSearch({ tools: [deferred("a", { inputSchema: { required: ["id"] } })], threshold: 0 }).resolve(
        call("a", {}),
      ),
    engine_order: async (search) => (await search.answer(assistant(searchCall("refund")))).messages(),
    definitions_new: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_kinds: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_names: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_alike: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_schemaAt: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_leaves: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_origins: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_format: (_, { createToolSearch }) => createToolSearch({ tools }),
    definitions_dialects: (_, { createToolSearch }) => createToolSearch({ tools }),
    detectFormat: (_, { createToolSearch }) => createToolSearch({ tools: [deferred("a")] }).turn(messages),
    texts: (_, { createToolSearch }) => createToolSearch({ tools, texts: { gone: "x" } }),
    plainSchema: (_, { createToolSearch }) =>
      createToolSearch({ tools: [{ name: "a", parameters: { type: "OBJECT" } }], format: "gemini" }),
    identity: (search) => search.fingerprint(),
    rankTools: (_, { rankTools }) => rankTools("refund", tools),
    estimateTokens: (_, { estimateTokens }) => estimateTokens("x"),
  }

  test("every function of the engine is called here", () => {
    const functions = WebAssembly.Module.exports(new WebAssembly.Module(WASM)).filter(
      ({ name, kind }) => kind === "function" && !name.startsWith("__"),
    )
    // One is called only where an engine is made anew, which has a test of its own.
    assert.deepEqual(functions.map(({ name }) => name).sort(), [...Object.keys(CALLS), "definitions_again"].sort())
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
      assert.equal(state.compiled, 0, "what was compiled is used again")
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

  test("a trap while another engine is made anew: that call fails, the next ones are answered", () => {
    const [one, two] = [1, 2].map(() => toolcrib.createToolSearch({ tools, threshold: 0 }))
    state.next = "engine_turn"
    assert.throws(() => one.turn([]), trapped)
    for (const next of ["definitions_again", "engine_new"]) {
      state.next = next
      assert.throws(() => two.turn([]), trapped)
      assert.equal(state.next, undefined)
    }
    for (const search of [two, one]) assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
    assert.equal(state.made, 3)
  })

  test("where every instance traps at once: an error for each call, an instance for each, and an end", async () => {
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    const before = await says(toolcrib, tools, messages)
    // From here on not one function answers, whatever the face tries; some of them it only needs to set up.
    state.next = "*"
    for (let times = 0; times < 20; times++) {
      for (const ask of Object.values(CALLS)) {
        const made = state.made
        await assert.rejects(
          async () => ask(search, toolcrib),
          (error) => ["engine_trapped", "wasm_unavailable"].includes(error.code),
        )
        assert.ok(state.made - made <= 1, "it tries once")
      }
    }
    state.next = undefined
    assert.equal(await says(toolcrib, tools, messages), before)
    assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
    assert.equal(state.compiled, 0)
  })

  test("where the instance traps as it starts: wasm_unavailable, until it does not", () => {
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    state.next = "engine_turn"
    assert.throws(() => search.turn([]), trapped)
    for (let times = 0; times < 3; times++) {
      state.next = "__wbindgen_start"
      assert.throws(
        () => search.turn([]),
        (error) => error.code === "wasm_unavailable" && error.cause instanceof WebAssembly.RuntimeError,
      )
    }
    assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
  })

  test("a call from within a call that traps ends both, whatever the outer one makes of it", async () => {
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    const before = JSON.stringify(search.turn(messages))
    const reply = await search.answer(assistant(searchCall("refund")))
    const inner = []
    /** An object whose `key` is read in the middle of a call, and stops the engine on the `nth` reading. */
    const stopping = (object, key, nth = 1) => {
      const value = object[key]
      let reads = 0
      return Object.defineProperty(object, key, {
        enumerable: true,
        get() {
          if (++reads === nth) {
            state.next = "engine_search"
            try {
              search.search("x")
            } catch (error) {
              inner.push(error.code)
            }
          }
          return value
        },
      })
    }
    const said = () => assistant(searchCall("refund"))
    const last = () => ({ role: "tool", tool_call_id: "c1", content: "" })
    for (const nth of [1, 2, 3]) {
      for (const [what, ask] of Object.entries({
        turn: () => search.turn([stopping(said(), "tool_calls", nth), ...messages]),
        pending: () => search.pending([stopping(said(), "tool_calls", nth)]),
        searchResults: () => search.searchResults([stopping(said(), "tool_calls", nth), last()]),
        answer: () => search.answer(stopping(said(), "tool_calls", nth)),
        resolve: () => search.resolve(stopping(call("refund_order", {}), "function", nth)),
        messages: () => reply.messages([stopping(last(), "tool_call_id", nth)]),
        rankTools: () => toolcrib.rankTools("x", [stopping({ name: "a", description: "x" }, "description", nth)]),
        createToolSearch: () =>
          toolcrib.createToolSearch({ tools: [stopping({ name: "a" }, "name", nth)], threshold: 0 }),
      })) {
        inner.length = 0
        let met
        try {
          await ask()
          met = "answered"
        } catch (error) {
          met = error
        }
        // Not everything is read three times, and what is read outside of a call of the engine harms none.
        if (inner.length === 0) assert.equal(met, "answered", `${what} ${nth}`)
        else if (nth === 1) assert.ok(trapped(met) && /a call from within/.test(met.message), `${what} ${nth}: ${met}`)
        else assert.ok(met === "answered" || trapped(met), `${what} ${nth}: ${met}`)
        assert.equal(JSON.stringify(search.turn(messages)), before)
        state.next = undefined
      }
    }
  })

  test("also where the outer one comes to an end and an answer", () => {
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    state.next = "estimateTokens"
    state.how = () => {
      Object.assign(state, { next: "engine_search", how: trap })
      assert.throws(() => search.search("x"), trapped)
    }
    assert.throws(
      () => toolcrib.estimateTokens("x"),
      (error) => trapped(error) && /a call from within/.test(error.message),
    )
    assert.equal(toolcrib.estimateTokens("größe"), 3)
    assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
  })
})

describe("memory that runs out", () => {
  /** 2.6 MB, of which 1.1 are in use at once: the engine's own data. */
  const PAGES = 40
  /** Megabytes, whatever they are given to. */
  const HUGE = "invoice ".repeat(500_000)
  const many = (count) =>
    Array.from({ length: count }, (_, at) => deferred(`tool_${at}`, { description: `does ${at} `.repeat(100) }))

  async function small(pages = PAGES) {
    const toolcrib = await fresh("slim.js")
    toolcrib.init(capped(pages))
    return toolcrib
  }
  const ranOut = (error) =>
    error.code === "engine_trapped" &&
    error.cause instanceof WebAssembly.RuntimeError &&
    /it ran out of memory, with [123] MiB in use\. The next call starts it afresh\.$/.test(error.message)

  /** Counts what is made of `WebAssembly[name]` while `work` runs. */
  async function counting(name, work) {
    const real = WebAssembly[name]
    let made = 0
    WebAssembly[name] = new Proxy(real, { construct: (...given) => (made++, Reflect.construct(...given)) })
    try {
      await work(() => made)
    } finally {
      WebAssembly[name] = real
    }
  }

  const CALLS = {
    createToolSearch: (toolcrib) => toolcrib.createToolSearch({ tools: many(3000), threshold: 0 }),
    "createToolSearch.async": (toolcrib) => toolcrib.createToolSearch.async({ tools: many(3000), threshold: 0 }),
    rankTools: (toolcrib) => toolcrib.rankTools("does", many(3000)),
    rankToolsByKeywords: (toolcrib) => toolcrib.rankToolsByKeywords("does", many(3000)),
    estimateTokens: (toolcrib) => toolcrib.estimateTokens(HUGE),
    // Of a result only its beginning is read; an id is whole or none.
    turn: (_, search) => search.turn([assistant({ ...searchCall("x"), id: HUGE })]),
    "turn's options": (_, search) => search.turn([], { loaded: [HUGE] }),
    search: (_, search) => search.search(HUGE),
    answer: (_, search) => search.answer(assistant(searchCall(HUGE))),
    resolve: (_, search) => search.resolve(call("refund_order", `{"text":"${HUGE}"}`)),
    update: (_, search) => search.update(many(3000)),
  }
  for (const [name, ask] of Object.entries(CALLS)) {
    test(`in the middle of ${name}: an error that says so, then all works again; and again`, async () => {
      const toolcrib = await small()
      await counting("Module", (compiled) =>
        counting("Instance", async (made) => {
          const search = toolcrib.createToolSearch({ tools, threshold: 0 })
          const other = toolcrib.createToolSearch({ tools: [...tools, deferred("other")], threshold: 0 })
          const [before, turn] = [await says(toolcrib, tools, messages), JSON.stringify(other.turn(messages))]
          for (let times = 1; times <= 3; times++) {
            await assert.rejects(async () => ask(toolcrib, search), ranOut)
            assert.equal(made(), times)
            assert.equal(JSON.stringify(other.turn(messages)), turn)
            assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
            assert.equal(await says(toolcrib, tools, messages), before)
            assert.equal(made(), times + 1, "one fresh instance for all")
          }
          assert.equal(compiled(), 1)
          search.free()
          assert.throws(
            () => search.turn([]),
            (error) => error.code === "engine_freed",
          )
        }),
      )
    })
  }

  test("the engine as it is does all of this: it was the memory", async () => {
    const toolcrib = await fresh()
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    for (const [name, ask] of Object.entries(CALLS)) await assert.doesNotReject(async () => ask(toolcrib, search), name)
  })

  test("a trap for another reason does not say memory", async () => {
    const Real = WebAssembly.Instance
    let fails = false
    WebAssembly.Instance = function (...given) {
      const { exports } = new Real(...given)
      const engine_search = (...words) => (fails ? exports.engine_turn() : exports.engine_search(...words))
      return { exports: { ...exports, engine_search } }
    }
    try {
      const search = (await fresh()).createToolSearch({ tools, threshold: 0 })
      fails = true
      assert.throws(
        () => search.search("x"),
        (error) => error.code === "engine_trapped" && !/memory that|ran out/.test(error.message),
      )
    } finally {
      WebAssembly.Instance = Real
    }
  })

  test("two catalogues that do not fit together: the second fails each time, the first goes on", async () => {
    const toolcrib = await small(48)
    const first = toolcrib.createToolSearch({ tools: many(150), threshold: 0 })
    const before = JSON.stringify(first.turn([]))
    for (let times = 0; times < 3; times++) {
      const fit = []
      assert.throws(
        () => {
          for (let more = 0; more < 20; more++) fit.push(toolcrib.createToolSearch({ tools: many(150), threshold: 0 }))
        },
        (error) => error.code === "engine_trapped" && /ran out of memory/.test(error.message),
      )
      for (const engine of fit) engine.free()
      assert.equal(JSON.stringify(first.turn([])), before)
    }
    first.free()
    const second = toolcrib.createToolSearch({ tools: many(150), threshold: 0 })
    assert.equal(JSON.stringify(second.turn([])), before)
  })

  test("within the host's own functions: the call that asked them is answered whole", async () => {
    const toolcrib = await small()
    const living = toolcrib.createToolSearch({ tools, threshold: 0 })
    const bare = tools.map(({ inputSchema: _, ...tool }) => tool)
    for (const [name, given] of Object.entries({
      deferred: (ask) => (ask(), undefined),
      countTokens: (ask) => (ask(), 10),
      toJsonSchema: (ask) => (ask(), { type: "object", properties: { cents: {} } }),
      rank: (ask) => (ask(), ["refund_order"]),
    })) {
      const made = async (ask) => {
        const search = toolcrib.createToolSearch({ tools: bare, threshold: 0, [name]: () => given(ask) })
        const reply = await search.answer(assistant(searchCall("refund")))
        return JSON.stringify([
          search.turn(messages),
          search.deferral,
          reply,
          search.search("cents"),
          search.fingerprint(),
        ])
      }
      let inner = 0
      const stop = () => {
        assert.throws(() => living.search(HUGE), ranOut)
        inner++
      }
      assert.equal(await made(stop), await made(() => {}), name)
      assert.ok(inner > 0)
    }
  })

  test("within a getter: both calls fail, and only those", async () => {
    const toolcrib = await small()
    const search = toolcrib.createToolSearch({ tools, threshold: 0 })
    const before = JSON.stringify(search.turn(messages))
    const codes = []
    const stopping = (role) => ({
      role,
      get tool_calls() {
        try {
          search.search(HUGE)
        } catch (error) {
          codes.push(error.code)
        }
        return undefined
      },
    })
    for (const ask of [
      () => search.turn([stopping("assistant"), ...messages]),
      () => search.turn([...messages, stopping("assistant")]),
      () => search.answer(stopping("assistant"), messages),
      () => search.pending([stopping("assistant")]),
    ]) {
      codes.length = 0
      await assert.rejects(
        async () => ask(),
        (error) => error.code === "engine_trapped" && /from within/.test(error.message),
      )
      assert.ok(codes.length > 0 && codes.every((code) => code === "engine_trapped"))
      assert.equal(JSON.stringify(search.turn(messages)), before)
    }
  })

  test("an instance that ran full is let go, though engines that lived in it are not asked again", async () => {
    const { alive, made } = await child(
      `const alive = { memory: 0, buffer: 0 }, made = { memory: 0, buffer: 0 }
      const gone = new FinalizationRegistry((what) => alive[what]--)
      const watch = (what, object) => { made[what]++; alive[what]++; gone.register(object, what) }
      // The buffer of an instance that has stopped is what the views of its glue show.
      const grow = WebAssembly.Memory.prototype.grow
      WebAssembly.Memory.prototype.grow = function (pages) { watch("buffer", this.buffer); return grow.call(this, pages) }
      const Real = WebAssembly.Instance
      WebAssembly.Instance = function (...given) { const it = new Real(...given); watch("memory", it.exports.memory); return it }
      const { capped } = await import(${JSON.stringify(new URL("support.mjs", import.meta.url).href)})
      const { createToolSearch, init } = await import(new URL("slim.js", toolcrib))
      init(capped(${PAGES}))
      const tools = ${JSON.stringify(tools)}, messages = ${JSON.stringify(messages)}
      const idle = async () => { gc(); await new Promise((resolve) => setTimeout(resolve, 5)) }
      const kept = []
      for (let i = 0; i < 8; i++) {
        const search = createToolSearch({ tools, threshold: 0 })
        search.turn(messages)
        kept.push(search)
        try { search.search("invoice ".repeat(500_000)) } catch {}
      }
      createToolSearch({ tools }).turn([])
      for (let i = 0; i < 10; i++) await idle()
      console.log(JSON.stringify({ alive, made }))
      if (kept.some((search) => search.turn(messages).loaded[0] !== "refund_order")) throw new Error("one is lost")`,
      { flags: ["--expose-gc"] },
    )
    assert.equal(made.memory, 9)
    assert.ok(alive.memory <= 2, `${alive.memory} of ${made.memory} memories are kept`)
    assert.ok(alive.buffer <= 2, `${alive.buffer} of ${made.buffer} full buffers are kept`)
  })

  test("memory that really can't be had: wasm_unavailable says so, and later there is some", async () => {
    const said = await child(
      `const { capped } = await import(${JSON.stringify(new URL("support.mjs", import.meta.url).href)})
      const { createToolSearch, init } = await import(new URL("slim.js", toolcrib))
      init(capped(${PAGES}))
      const tools = ${JSON.stringify(tools)}, messages = ${JSON.stringify(messages)}
      const search = createToolSearch({ tools, threshold: 0 })
      try { search.search("invoice ".repeat(500_000)) } catch {}
      const errors = []
      const note = (work) => { try { work(); errors.push("none") } catch ({ name, code, message }) { errors.push([name, code, message]) } }
      // Each reserves gigabytes of addresses; of those there is an end.
      let all = []
      try { for (;;) all.push(new WebAssembly.Memory({ initial: 1 })) } catch (error) { errors.push(error.name) }
      note(() => search.turn([])); note(() => createToolSearch({ tools })); note(() => search.turn([]))
      all = undefined
      for (let i = 0; i < 3; i++) { gc(); await new Promise((resolve) => setTimeout(resolve, 5)) }
      console.log(JSON.stringify({ errors, loaded: search.turn(messages).loaded }))`,
      { flags: ["--expose-gc"] },
    )
    const [first, ...errors] = said.errors
    assert.equal(first, "RangeError")
    assert.equal(errors.length, 3)
    for (const [name, code, message] of errors) {
      assert.deepEqual([name, code], ["ToolcribError", "wasm_unavailable"])
      assert.match(message, /There is not enough memory for it\.$/)
    }
    assert.deepEqual(said.loaded, ["refund_order"])
  })
})

describe("the host's data nested deeper than any stack", () => {
  const DEEP = 100_000
  const nested = (wrap, value) => {
    let made = value
    for (let depth = 0; depth < DEEP; depth++) made = wrap(made)
    return made
  }
  const objects = nested((items) => ({ type: "array", items }), {})
  const arrays = nested((each) => [each], "x")
  const text = "[".repeat(DEEP) + "]".repeat(DEEP)
  /** Calls itself for as long as there is stack. */
  const endless = {
    get again() {
      return this.again
    },
    toJSON() {
      return this.toJSON()
    },
  }

  for (const [what, value] of Object.entries({
    objects,
    arrays,
    text,
    endless,
    "an endless getter": {
      ...{},
      get name() {
        return endless.again
      },
    },
  })) {
    test(`${what}: each call is answered or refused, and the next one is answered`, async () => {
      const toolcrib = await fresh()
      const search = toolcrib.createToolSearch({ tools, threshold: 0 })
      const before = await says(toolcrib, tools, messages)
      for (const ask of [
        () =>
          toolcrib
            .createToolSearch({ tools: [{ name: "a", inputSchema: value, deferLoading: true }], threshold: 0 })
            .turn([]),
        () =>
          toolcrib
            .createToolSearch({ tools: [{ name: "a", inputSchema: { properties: value } }], countTokens: () => 1 })
            .fingerprint(),
        () => toolcrib.createToolSearch({ tools: [value, { name: "a", description: value }] }),
        () => toolcrib.createToolSearch({ tools, toJsonSchema: () => value }),
        () => toolcrib.rankTools("a", [{ name: "a", inputSchema: value }]),
        () => toolcrib.estimateTokens(value),
        () => search.turn([value, { role: "user", content: value }, { role: "assistant", tool_calls: value }]),
        () => search.turn([assistant(searchCall("x")), { role: "tool", tool_call_id: "c1", content: value }]),
        () => search.answer(assistant({ id: "c1", function: { name: "tool_search", arguments: value } }), [value]),
        () => search.answer(value),
        () => search.resolve(call("refund_order", text)),
        () => search.resolve({ function: { name: "refund_order", arguments: value } }),
        () => search.pending([value, assistant(value)]),
        () => search.searchResults([value]),
        () => search.search(value),
        () => search.update([...tools, { name: "b", inputSchema: value }]),
      ]) {
        try {
          await ask()
        } catch (error) {
          assert.equal(error.name, "ToolcribError", `${ask}: ${error.stack}`)
        }
      }
      assert.equal(await says(toolcrib, tools, messages), before)
      assert.deepEqual(search.turn(messages).loaded, ["refund_order"])
    })
  }
})
