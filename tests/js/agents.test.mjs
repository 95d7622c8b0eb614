// Agents over one catalogue, and catalogues that change: one index for all, no more work than is needed, the same answers
// as of engines made anew, and memory that goes with the last.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import fc from "fast-check"
import { assistant, call, chat, deferred, fresh, result, searchCall, user } from "./support.mjs"

const SEED = Number(process.env.TOOLCRIB_SEED ?? 20_260_101)
const RUNS = Number(process.env.TOOLCRIB_RUNS ?? 1)

/** Each package has an error class of its own. */
const fails = (code, says = "") => (error) => error.name === "ToolcribError" && error.code === code && error.message.startsWith(says)

/** A package of its own whose calls into the wasm are counted. */
async function counted(work) {
  const { Instance } = WebAssembly
  const calls = {}
  WebAssembly.Instance = function (...given) {
    const { exports } = new Instance(...given)
    const count = (name, value) => (...args) => {
      const short = name.replace(/^__wbg_/, "")
      calls[short] = (calls[short] ?? 0) + 1
      return value(...args)
    }
    const wrap = ([name, value]) => [name, typeof value === "function" && /^(__wbg_)?(engine|index|definitions)_/.test(name) ? count(name, value) : value]
    return { exports: Object.fromEntries(Object.entries(exports).map(wrap)) }
  }
  try {
    return await work(await fresh(), calls)
  } finally {
    WebAssembly.Instance = Instance
  }
}

const letter = (number) => String.fromCharCode(97 + (number % 26))

const TOOLS = [
  chat("lookup"),
  deferred("mail_send", { description: "Sends a letter." }),
  deferred("mail_list", { description: "Lists letters." }),
  { name: "pay", description: "Pays an invoice.", inputSchema: { type: "object", properties: { amount: {} } } },
]

describe("agents", () => {
  test("have one index, made once and freed with the last of them, in any order", () =>
    counted(({ createToolSearch }, calls) => {
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
        [1, 2, 0],
      ]) {
        for (const key of Object.keys(calls)) delete calls[key]
        const first = createToolSearch({ tools: TOOLS, threshold: 0 })
        const second = first.agent({ deferred: ["pay"] })
        const all = [first, second, second.agent({ limit: { max: 1 } })]
        assert.deepEqual(
          all.map((search) => search.search("letter invoice").length),
          [2, 3, 1],
        )
        assert.equal(calls.engine_index, 1)
        order.forEach((at, number) => {
          assert.equal(calls.index_free, undefined)
          assert.equal(all[at].search("letter").length, at === 2 ? 1 : 2)
          all[at].free()
          all[at].free()
          assert.throws(() => all[at].search("letter"), fails("engine_freed", "search: "))
          assert.throws(() => all[at].agent({}), fails("engine_freed", "agent: "))
          assert.equal(calls.engine_free, number + 1)
        })
        assert.equal(calls.index_free, 1)
      }
    }))

  test("share it in every format that the messages tell", () =>
    counted(async ({ createToolSearch }, calls) => {
      const tools = TOOLS.slice(1)
      const mcp = [tools[2], { name: "b", deferLoading: true, inputSchema: {} }]
      const search = createToolSearch({ tools: mcp, threshold: 0 })
      const agent = search.agent({ deferred: ["pay"] })
      const anthropic = [{ role: "assistant", content: [{ type: "tool_use", id: "1", name: "tool_search", input: { query: "pay" } }] }]
      for (const each of [agent, search, agent]) await each.answer(anthropic[0], anthropic)
      for (const each of [search, agent]) await each.answer(assistant(searchCall("pay")), [])
      assert.equal(calls.engine_index, 2, "one for each format")
      search.free()
      assert.equal(calls.index_free, undefined)
      assert.deepEqual((await agent.answer(anthropic[0], anthropic)).loaded, ["pay"])
      agent.free()
      assert.equal(calls.index_free, 2)
    }))

  test("read no schema and count no tokens again; a predicate is asked once by each", () => {
    return counted(({ createToolSearch }, calls) => {
      let [schemas, tokens, asked] = [0, 0, 0]
      const tool = {
        name: "a",
        get inputSchema() {
          return (schemas++, { type: "object" })
        },
      }
      const search = createToolSearch({ tools: [tool, deferred("b")], format: "openai-chat", countTokens: () => (tokens++, 1000), threshold: 0 })
      const before = [schemas, tokens]
      const agent = search.agent({ deferred: ({ name }) => (asked++, name === "a" || undefined) })
      assert.equal(tokens, before[1] + 2, "its own search tool and note, and no tool")
      assert.equal(agent.deferral.deferredTokens, 2000)
      assert.equal(asked, 2)
      agent.agent({ threshold: false })
      assert.equal(asked, 4, "an agent of an agent has its predicate")
      assert.equal(calls.definitions_new, 1)
    })
  })

  test("a failed agent leaves the others as they were", () => {
    return counted(({ createToolSearch }, calls) => {
      const search = createToolSearch({ tools: [...TOOLS, chat("tool_search")], threshold: false })
      assert.throws(() => search.agent({ threshold: 0 }), fails("reserved_tool_name"))
      assert.throws(() => search.agent({ nothing: 1 }), fails("unknown_option"))
      assert.throws(() => search.agent(null), fails("invalid_option"))
      assert.equal(search.search("letter").length, 2)
      search.free()
      assert.equal(calls.index_free, 1)
    })
  })

  test("an index that is lost in a trap is made once for all of them", async () => {
    await counted(async ({ createToolSearch }, calls) => {
      const search = createToolSearch({ tools: TOOLS, threshold: 0 })
      const agent = search.agent({ deferred: ["pay"] })
      const said = JSON.stringify([search.search("letter"), agent.search("letter invoice")])
      // A stack that ends within the engine is a trap.
      const end = () => {
        try {
          end()
        } catch {
          search.turn([user()])
        }
      }
      try {
        end()
      } catch (error) {
        assert.match(String(error.code ?? error), /engine_trapped|RangeError|wasm/)
      }
      assert.equal(JSON.stringify([search.search("letter"), agent.search("letter invoice")]), said)
      assert.ok(calls.engine_index <= 2)
      agent.free()
      assert.equal(JSON.stringify(search.search("letter")), JSON.stringify(JSON.parse(said)[0]))
      search.free()
    })
  })
})

describe("update", () => {
  test("reads only what changed again, and makes no index where there was none", () =>
    counted(({ createToolSearch }, calls) => {
      let texts = 0
      const spied = { type: "object", toJSON: () => (texts++, { type: "object" }) }
      const tools = [...TOOLS, { name: "spied", inputSchema: spied }]
      const search = createToolSearch({ tools, threshold: 0 })
      const made = texts
      search.update(tools).search.free()
      assert.deepEqual([calls.engine_index, calls.engine_reindex], [undefined, undefined])
      assert.equal(texts, made, "a schema that is the same object is not written again")
      search.search("letter")
      const { search: next, unchanged } = search.update([...tools, deferred("more")])
      assert.equal(unchanged, 5)
      assert.deepEqual([calls.engine_index, calls.engine_reindex], [1, 1])
      search.free()
      assert.equal(next.search("more")[0].name, "more")
      assert.equal(calls.engine_index, 1)
      next.free()
      assert.equal(calls.index_free, 2)
    }))

  test("each engine of a long chain is freed on its own, and nothing is left", () =>
    counted(({ createToolSearch }, calls) => {
      let search = createToolSearch({ tools: TOOLS, threshold: 0 })
      search.search("letter")
      for (let round = 0; round < 60; round++) {
        // No digits, around which words are split.
        const [now, before] = [round, round + 59].map((number) => `${letter(number)}${letter(number >> 3)}q`)
        const text = `${now} ${now}xx ${now}zz`
        const { search: next } = search.update([...TOOLS, deferred("more", { description: text })])
        if (round % 2) search.free()
        assert.equal(next.search(now)[0].name, "more")
        assert.deepEqual(next.search(before), [])
        if (!(round % 2)) search.free()
        search = next
      }
      search.free()
      assert.equal(calls.engine_free, calls.engine_new)
      assert.equal(calls.index_free, calls.engine_new)
      assert.ok(calls.engine_index > 1, "a worn index is made anew")
    }))

  test("keeps an agent's options, and the index of every format that was searched", () =>
    counted(async ({ createToolSearch }, calls) => {
      const mcp = [TOOLS[3], { name: "b", deferLoading: true, inputSchema: {} }]
      const search = createToolSearch({ tools: mcp, threshold: 0 }).agent({ deferred: ["pay"], limit: { max: 1 } })
      const calling = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "tool_search", input: { query: "pay b" } }] }
      await search.answer(calling, [])
      await search.answer(assistant(searchCall("pay")), [])
      const { search: next } = search.update([...mcp, { name: "pays", inputSchema: {} }])
      assert.equal(calls.engine_reindex, 2)
      assert.deepEqual((await next.answer(calling, [])).loaded, ["b"].slice(0, 1))
      assert.equal(calls.engine_index, 2)
    }))

  test("a definition that was changed in place is seen by its name and description", () => {
    return counted(({ createToolSearch }) => {
      const tool = { name: "a", description: "one", inputSchema: {}, deferLoading: true }
      const search = createToolSearch({ tools: [tool], format: "openai-chat" })
      search.search("one")
      tool.description = "two"
      const { search: next, changed } = search.update([tool])
      assert.deepEqual([changed, next.search("two").length, next.search("one").length], [["a"], 1, 0])
    })
  })
})

describe("laws", () => {
  const WORDS = ["create", "invoice", "invoices", "file", "search", "größe", "日本", "v2", "the"]
  const word = fc.constantFrom(...WORDS)
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "))
  const tool = fc
    .record({ name: fc.tuple(word, word).map((both) => both.join("_").replace(/[^\w]/g, "x")), description: text, property: word, deferLoading: fc.boolean(), server: fc.constantFrom("a", "b", undefined), frame: fc.boolean() })
    .map(({ frame, property, ...rest }) => (frame ? Object.freeze : (it) => it)({ ...rest, inputSchema: { type: "object", properties: { [property]: {} } } }))
  const catalogue = fc.uniqueArray(tool, { maxLength: 9, selector: ({ name }) => name })
  const settings = fc.record(
    {
      deferred: fc.oneof(fc.array(fc.constantFrom("create_*", "*invoice*", "*"), { maxLength: 2 }), fc.record({ above: fc.nat(6) })),
      resident: fc.array(fc.constantFrom("file_*", "*_the"), { maxLength: 1 }),
      threshold: fc.constantFrom(0, false, 0.01, { tools: 3 }),
      contextWindow: fc.constantFrom(1000, 100_000),
      model: fc.constantFrom("gpt-5.4", "claude-opus-4-6"),
      handoffs: fc.constant(["v2_*"]),
      handoff: fc.constantFrom("keep", "reset"),
      calls: fc.constantFrom("ignore", "load"),
      unloadedCall: fc.constantFrom("run", "load", "refuse"),
      limit: fc.constantFrom({ max: 2 }, { default: 1 }),
      whenAllLoaded: fc.constantFrom("keep", "withdraw"),
      cacheBreakpoint: fc.constantFrom(true, "1h"),
    },
    { requiredKeys: [] },
  )
  const format = fc.constantFrom("openai-chat", "anthropic", "gemini", "ai-sdk", undefined)

  /** All that an engine says of a conversation. */
  async function says(search, names, query) {
    const messages = [user(), assistant(searchCall("x", "s1")), result(names.slice(0, 2), "s1"), user()]
    const turn = search.turn(messages)
    const reply = await search.answer(assistant(searchCall(query)), messages)
    return JSON.stringify([
      search.warnings,
      search.note,
      search.deferral,
      search.delivery,
      search.searchTool,
      turn,
      reply,
      search.search(query, { explain: true, limit: 20 }),
      names.map((name) => search.resolve(call(name, {}), messages)),
      search.fingerprint(),
    ])
  }
  const law = (name, runs, arbitraries, holds) =>
    test(name, async () => {
      const { createToolSearch } = await fresh()
      const property = fc.asyncProperty(...arbitraries, (...values) => holds(createToolSearch, ...values))
      await fc.assert(property, { seed: SEED, numRuns: Math.ceil(runs * RUNS) })
    })

  law("an agent answers as an engine made with its options", 150, [catalogue, settings, settings, format, text], async (create, tools, one, other, format, query) => {
    const first = create({ tools, format, ...one })
    const agent = first.agent(other)
    const again = agent.agent({})
    const made = create({ tools, format, ...one, ...other })
    const names = tools.map(({ name }) => name)
    try {
      const want = await says(made, names, query)
      first.search("invoice")
      assert.equal(await says(agent, names, query), want)
      first.free()
      assert.equal(await says(again, names, query), want)
    } finally {
      for (const search of [first, agent, again, made]) search.free()
    }
  })

  law("an engine that updates led to answers as one made of the last tools", 150, [fc.array(catalogue, { minLength: 2, maxLength: 4 }), settings, settings, format, text], async (create, rounds, options, own, format, query) => {
    const told = create({ tools: rounds[0], format, ...options })
    const kept = format ?? told.format
    told.free()
    let search = create({ tools: rounds[0], format: kept, ...options })
    try {
      for (const tools of rounds.slice(1)) {
        search.search(query)
        const { search: next, added, removed, changed, unchanged } = search.update(tools)
        assert.equal(added.length + changed.length + unchanged, tools.length)
        assert.equal(removed.length + changed.length + unchanged, search.update([]).removed.length)
        search.free()
        search = next
      }
      const tools = rounds.at(-1)
      const names = tools.map(({ name }) => name)
      const made = create({ tools, format: kept, ...options })
      assert.equal(await says(search, names, query), await says(made, names, query))
      made.free()
      const [agent, own_] = [search.agent(own), create({ tools, format: kept, ...options, ...own })]
      assert.equal(await says(agent, names, query), await says(own_, names, query))
      for (const each of [agent, own_]) each.free()
    } finally {
      search.free()
    }
  })
})
