// Rankings of the host's own, the two that are ours as functions, and everything by which a host says what a tool's
// schema is and what it costs: zod, toJsonSchema, lazy schemas, countTokens. And update().

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import fc from "fast-check"
import * as z from "zod"
import { createToolSearch, estimateTokens, rankTools, rankToolsByKeywords } from "../../pkg/index.js"
import {
  assistant,
  call,
  chat,
  deferred,
  failsWith,
  freeze,
  loads,
  nameOf,
  namesOf,
  refusing,
  result,
  revoked,
  searchCall,
  throwing,
  user,
} from "./support.mjs"

const open = (tools, options = {}) => createToolSearch({ tools, threshold: 0, ...options })
const byTool = (warnings) => Object.fromEntries(warnings.map(({ code, tool }) => [tool, code]))

describe("a ranking of the host's own", () => {
  // zod's schemas fill themselves in when they are read, so what holds one can't be frozen to its depths.
  const tools = Object.freeze([
    chat("resident"),
    deferred("b"),
    chat("c", { deferred: true }),
    deferred("a", { description: undefined }),
    { name: "zod", description: "typed", inputSchema: z.object({ q: z.string() }), deferLoading: true },
  ])
  const ask = (rank, query = "x", options = {}, messages = []) =>
    open(tools, { rank, ...options }).answer(assistant(searchCall(query)), messages)

  test("sync: gets the query as it is, the deferred tools in the neutral shape and order, and a signal", async () => {
    const seen = []
    const search = open(tools, { rank: (...given) => (seen.push(given), ["c", "b"]) })
    const reply = await search.answer(assistant(searchCall("  Some Words?! ", "c1"), searchCall("other", "c2")))
    assert.deepEqual(reply.loaded, ["c", "b"])
    assert.deepEqual(
      reply.results.map(({ hits }) => hits.map(({ name }) => name)),
      [
        ["c", "b"],
        ["c", "b"],
      ],
    )
    assert.equal(reply.results[0].hits[0].tool, tools[2])
    assert.deepEqual(
      seen.map(([query]) => query),
      ["  Some Words?! ", "other"],
    )
    const [[, neutral, context], [, again]] = seen
    assert.deepEqual(
      neutral.map(({ name }) => name),
      ["b", "c", "a", "zod"],
    )
    assert.deepEqual(neutral[1], { name: "c", description: "handles c", inputSchema: tools[2].function.parameters })
    assert.equal(neutral[0].inputSchema, tools[1].inputSchema)
    assert.equal(neutral[2].description, "")
    assert.equal(neutral[3].inputSchema.properties.q.type, "string", "what zod's schema stands for")
    assert.ok(Object.isFrozen(neutral) && neutral.every(Object.isFrozen))
    assert.equal(again, neutral, "the same objects on every call")
    assert.ok(context.signal instanceof AbortSignal && !context.signal.aborted)
    await search.answer(assistant(searchCall("x")))
    assert.equal(seen[2][1], neutral)
  })

  test("async, and any thenable", async () => {
    assert.deepEqual((await ask(async () => (await sleep(5), ["zod", "a"]))).loaded, ["zod", "a"])
    assert.deepEqual((await ask(() => ({ then: (resolve) => resolve(["a"]) }))).loaded, ["a"])
  })

  test("unknown names, residents, repeats and what is no name are dropped; the limit is applied", async () => {
    assert.deepEqual(
      (await ask(() => ["gone", "c", 5, null, "c", "resident", "tool_search", undefined, "B", "b", {}, "", "c"]))
        .loaded,
      ["c", "b"],
    )
    const reply = await open(tools, { rank: () => ["a", "b", "c", "zod"], limit: { default: 2, max: 3 } }).answer(
      assistant(
        searchCall("x", "c1"),
        call("tool_search", { query: "x", limit: 9 }, "c2"),
        call("tool_search", { query: "x", limit: 1 }, "c3"),
      ),
    )
    assert.deepEqual(
      reply.results.map(({ loaded }) => loaded),
      [["a", "b"], ["a", "b", "c"], ["a"]],
    )
    assert.deepEqual((await ask(() => [])).results[0].loaded, [])
    assert.equal((await ask(() => [])).results[0].error, null)
    assert.deepEqual((await ask(() => ["b", "a"], "x", {}, loads(["b"]))).results[0].alreadyLoaded, ["b"])
    assert.deepEqual((await ask(() => ["b", "a"], "x", {}, loads(["b"]))).loaded, ["a"])
    const excluding = await open(tools, { rank: () => ["b", "a"] }).answer(assistant(searchCall("x")), [], {
      exclude: ["b"],
    })
    assert.deepEqual(
      excluding.results[0].hits.map(({ name }) => name),
      ["a"],
    )
  })

  test("several searches in one call: each is asked, and their hits are taken in turn", async () => {
    const asked = []
    const reply = await ask((query) => (asked.push(query), query === "x" ? ["a", "b"] : ["zod", "c"]), ["x", "y"])
    assert.deepEqual(asked, ["x", "y"])
    assert.deepEqual(reply.loaded, ["a", "zod", "b", "c"])
    assert.deepEqual(reply.results[0].query, ["x", "y"])
  })

  test("it is not asked about a call that can't be read, nor about other calls, nor by search()", async () => {
    let asked = 0
    const search = open(tools, { rank: () => (asked++, ["b"]) })
    const reply = await search.answer(
      assistant(call("tool_search", "{", "c1"), call("b", {}, "c2"), call("tool_search", { query: 5 }, "c3")),
    )
    assert.deepEqual(
      reply.results.map(({ error }) => typeof error),
      ["string", "string"],
    )
    assert.equal(asked, 0)
    assert.equal(search.search("zod")[0].name, "zod")
    assert.equal(asked, 0)
    search.turn([])
    assert.equal(asked, 0)
  })

  test("all calls are asked at once", async () => {
    let waiting = 0
    let most = 0
    const rank = async () => ((most = Math.max(most, ++waiting)), await sleep(5), waiting--, ["b"])
    await open(tools, { rank }).answer(
      assistant(searchCall(["p", "q"], "c1"), searchCall("x", "c2"), searchCall("y", "c3")),
    )
    assert.equal(most, 4)
  })

  const FAILS = {
    "throws an error": [
      () => {
        throw new Error("boom")
      },
      /boom/,
    ],
    "throws a text": [
      () => {
        throw "plain"
      },
      /plain/,
    ],
    "throws nothing": [
      () => {
        throw undefined
      },
      /undefined/,
    ],
    "throws what can't be shown": [
      () => {
        throw Object.create(null)
      },
      /no reason given/,
    ],
    "throws an error whose message can't be read": [
      () => {
        throw throwing(new Error("x"), "message")
      },
      /no reason given/,
    ],
    rejects: [
      async () => {
        throw new TypeError("later")
      },
      /later/,
    ],
    "gives a text": ["a", /array of names/],
    "gives nothing": [undefined, /array of names/],
    "gives null later": [Promise.resolve(null), /array of names/],
    "gives an object": [{ 0: "a", length: 1 }, /array of names/],
    "gives a set": [new Set(["a"]), /array of names/],
    "gives a revoked proxy": [revoked([]), /revoked|array of names/],
    "gives a proxy that refuses": [refusing([]), /refuses|array of names/],
    "gives a thenable that fails": [{ then: (_, reject) => reject(new Error("thrown back")) }, /thrown back/],
  }
  for (const [what, [rank, message]] of Object.entries(FAILS)) {
    test(`one that ${what} is that call's error, and loads nothing`, async () => {
      const reply = await ask(typeof rank === "function" ? rank : () => rank)
      assert.match(reply.results[0].error, message)
      assert.match(reply.results[0].error, /^The search failed: /)
      assert.deepEqual([reply.loaded, reply.results[0].hits], [[], []])
      assert.deepEqual(JSON.parse(reply.parts[0].content), { error: reply.results[0].error })
      // The model reads it as a failure, and the next turn loads nothing by it.
      const search = open(tools)
      assert.deepEqual(search.turn([assistant(searchCall("x")), ...reply.messages()]).loaded, [])
    })
  }

  test("a failure is one call's: the others are answered, and the next one too", async () => {
    const search = open(tools, {
      rank: (query) => {
        if (query === "bad") throw new Error("boom")
        return ["b"]
      },
    })
    const reply = await search.answer(assistant(searchCall("bad", "c1"), searchCall("good", "c2")))
    assert.deepEqual(
      reply.results.map(({ error }) => error === null),
      [false, true],
    )
    assert.deepEqual(reply.loaded, ["b"])
    assert.deepEqual((await search.answer(assistant(searchCall("good")))).loaded, ["b"])
  })

  test("what it says in its error reaches the model short and in one line", async () => {
    const reply = await ask(() => {
      throw new Error(`a\u0000b\u202E\n\n${"long ".repeat(2000)}`)
    })
    const { error } = JSON.parse(reply.parts[0].content)
    assert.ok(error.length < 500)
    assert.doesNotMatch(error, /[\u0000-\u001f\u202e]/)
    assert.equal(reply.results[0].error, error, "the host is told what the model is told")
  })

  test("too slow: after rankTimeout the signal is aborted and the call is an error", async () => {
    let signal
    const started = performance.now()
    const reply = await ask((_, __, context) => ((signal = context.signal), new Promise(() => {})), "x", {
      rankTimeout: 20,
    })
    assert.ok(performance.now() - started < 2000)
    assert.match(reply.results[0].error, /it took longer than 20 ms/)
    assert.ok(signal.aborted)
    assert.match(signal.reason.message, /20 ms/)
    // One that listens to the signal is answered the same.
    const listening = await ask(
      (_, __, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      "x",
      { rankTimeout: 20 },
    )
    assert.match(listening.results[0].error, /20 ms/)
    // What comes too late changes nothing, and what fails too late is nobody's unhandled rejection.
    const late = await ask(
      () =>
        sleep(40).then(() => {
          throw new Error("too late")
        }),
      "x",
      { rankTimeout: 5 },
    )
    assert.match(late.results[0].error, /5 ms/)
    await sleep(60)
  })

  test("in time: nothing is aborted, and no timer is left behind", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    const before = timers()
    let signal
    await ask((_, __, context) => ((signal = context.signal), ["b"]))
    await ask(() => {
      throw new Error("x")
    })
    assert.equal(timers(), before)
    await sleep(5)
    assert.ok(!signal.aborted)
  })

  test("the default is ten seconds", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] })
    let done = false
    const answering = ask(() => new Promise(() => {})).then((reply) => ((done = true), reply))
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await turn()
    t.mock.timers.tick(9999)
    await turn()
    assert.equal(done, false)
    t.mock.timers.tick(1)
    assert.match((await answering).results[0].error, /10000 ms/)
  })
})

describe("rankTools and rankToolsByKeywords", () => {
  const tools = freeze([
    chat("create_invoice", { function: { name: "create_invoice", description: "Bills a customer." } }),
    deferred("refund_order", {
      description: "Gives money back.",
      inputSchema: { type: "object", properties: { customer: { type: "string", description: "who was billed" } } },
    }),
    { name: "zebra", description: "A striped animal." },
    { type: "web_search" },
  ])

  test("any tool, deferred or not, best first", () => {
    assert.deepEqual(rankTools("bill a customer", tools), ["create_invoice", "refund_order"])
    assert.deepEqual(rankTools("striped", tools), ["zebra"])
    assert.deepEqual(rankTools("web search", tools), [])
    assert.deepEqual(rankTools("customer", tools, { limit: 1 }).length, 1)
    assert.deepEqual(rankTools("customer", tools, {}), rankTools("customer", tools))
    assert.deepEqual(rankTools("refund_order", tools), ["refund_order"])
  })

  test("parameters count for BM25, and not for keywords", () => {
    assert.deepEqual(
      rankTools("billed", tools),
      ["create_invoice", "refund_order"].filter((name) => rankTools("billed", tools).includes(name)),
    )
    assert.ok(rankTools("billed", tools).includes("refund_order"))
    assert.deepEqual(rankToolsByKeywords("billed", tools), [])
    assert.deepEqual(rankToolsByKeywords("customer invoice", tools), ["create_invoice"])
  })

  test("the same order as an engine in which all are deferred", () => {
    for (const [rank, by] of [
      ["bm25", rankTools],
      ["keywords", rankToolsByKeywords],
    ]) {
      const search = open(tools, { deferred: ["*"], resident: [], rank })
      for (const query of ["customer", "bill invoice order", "striped money", "refund order", "a", "zebra"]) {
        assert.deepEqual(
          by(query, tools),
          search.search(query, { limit: 20 }).map(({ name }) => name),
          query,
        )
      }
    }
  })

  test("a name that the query covers counts up to double, and a name in full stands above a part of one", () => {
    const given = [
      { name: "order", description: "x" },
      { name: "order_line_text", description: "x" },
      { name: "other", description: "order" },
    ]
    const factor = (query, name) => {
      const { explanation } = open(given, { deferred: ["*"] })
        .search(query, { explain: true })
        .find((hit) => hit.name === name)
      const words = explanation.parts.find(({ text }) => text === "words x name") ?? explanation
      return words.text === "words x name" ? words.parts[1].value : 1
    }
    // Of the name's words, times the root of that of the query's.
    assert.equal(factor("order", "order"), 2)
    assert.equal(factor("order", "order_line_text"), 1 + 1 / 3)
    assert.equal(factor("order line", "order_line_text"), 1 + 2 / 3)
    assert.equal(factor("order zebra", "order"), 1 + Math.sqrt(1 / 2))
    assert.equal(factor("order", "other"), 1)
    const named = [
      { name: "read_file", description: "" },
      { name: "github__create_issue", description: "create_issue create_issue issue" },
      { name: "createissues", description: "" },
    ]
    const order = (query) =>
      open(named, { deferred: ["*"] })
        .search(query)
        .map(({ name, exact }) => [name, exact])
    for (const query of ["read_file create_issue", "create_issue, read_file", "select:create_issue,read_file"]) {
      assert.deepEqual(
        order(query),
        [
          ["read_file", true],
          ["github__create_issue", true],
        ],
        query,
      )
    }
    assert.deepEqual(order("create_issue")[0], ["github__create_issue", true])
    assert.deepEqual(order("mcp__server__read_file")[0], ["read_file", true])
    assert.deepEqual(order("READ-FILE")[0], ["read_file", true])
  })

  test("keywords: words in the name count three, in the description one, ties by name (a naive oracle)", () => {
    const WORDS = ["invoice", "order", "customer", "zebra", "refund", "money", "file", "read"]
    const word = fc.constantFrom(...WORDS)
    const given = fc.uniqueArray(
      fc
        .record({
          parts: fc.array(word, { minLength: 1, maxLength: 3 }),
          description: fc.array(word, { maxLength: 6 }),
        })
        .map(({ parts, description }) => ({ name: parts.join("_"), description: description.join(" ") })),
      { minLength: 1, maxLength: 10, selector: ({ name }) => name },
    )
    let checked = 0
    fc.assert(
      fc.property(given, fc.array(word, { minLength: 2, maxLength: 4 }), (tools, query) => {
        const asked = new Set(query)
        // A query that names a tool is another rule's: an exact name stands first.
        const names = tools.map(({ name }) => name.replaceAll("_", ""))
        fc.pre(
          !names.includes(query.join("")) &&
            !names.includes([...asked].join("")) &&
            ![...asked].every((word) => names.includes(word)),
        )
        const score = ({ name, description }) =>
          [...asked].reduce(
            (sum, word) =>
              sum + (name.split("_").includes(word) ? 3 : 0) + (description.split(" ").includes(word) ? 1 : 0),
            0,
          )
        const want = tools
          .filter((tool) => score(tool) > 0)
          .sort((a, b) => score(b) - score(a) || (a.name < b.name ? -1 : 1))
        assert.deepEqual(
          rankToolsByKeywords(query.join(" "), tools),
          want.map(({ name }) => name),
        )
        const hits = open(tools, { rank: "keywords", deferred: ["*"], resident: [] }).search(query.join(" "), {
          limit: 20,
        })
        assert.deepEqual(
          hits.map(({ score }) => score),
          want.map(score),
        )
        checked++
      }),
      { seed: 20_260_101, numRuns: 150 },
    )
    assert.ok(checked >= 100)
  })
})

describe("estimateTokens", () => {
  test("a text by its pieces; the JSON of what is no text", () => {
    const CASES = [
      ["", 0],
      ["a", 1],
      ["hello world", 2],
      ["the name of the customer", 5],
      ["12345", 2],
      ["\ud800", 1],
      [{}, 1],
      [{ a: 1 }, 4, 5],
      [[], 1],
      [null, 1],
      [undefined, 0],
      [{ toJSON: () => "x" }, 2, 3],
      // Not all of a long word is in the vocabulary, whatever its letters.
      ["x".repeat(1_000_000), 62_500, 500_000],
      ["天".repeat(400), 75, 400],
      [" ".repeat(1_000_000), 1, 62_500],
    ]
    for (const [value, least, most = least] of CASES) {
      const tokens = estimateTokens(value)
      assert.ok(least <= tokens && tokens <= most, `${JSON.stringify(value)?.slice(0, 30)}: ${tokens}`)
    }
  })

  test("for every text: a whole number, none for an empty one, and a value costs what its JSON does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const tokens = estimateTokens(text)
        assert.ok(Number.isInteger(tokens) && (tokens === 0) === (text === ""))
      }),
      { seed: 20_260_101, numRuns: 200 },
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => assert.equal(estimateTokens({ value }), estimateTokens(JSON.stringify({ value })))),
      { seed: 20_260_101, numRuns: 100 },
    )
  })

  test("what is no JSON is counted as far as it goes", () => {
    const circle = { name: "x".repeat(40) }
    circle.circle = circle
    assert.ok(estimateTokens(circle) >= 10)
    for (const odd of [
      5n,
      Symbol("x"),
      () => {},
      { big: 5n },
      refusing(),
      revoked(),
      throwing({ a: "x".repeat(40) }, "b"),
    ])
      assert.ok(estimateTokens(odd) >= 0)
    assert.ok(estimateTokens(throwing({ a: "x".repeat(40) }, "b")) >= 10)
  })
})

describe("schemas that are no JSON Schema", () => {
  const schema = z.object({ amount: z.number().describe("how much, in groschen"), to: z.string().optional() })

  test("zod: found by its parameters' descriptions, and sent as JSON Schema, the same object every turn", () => {
    const neutral = Object.freeze({ name: "pay", description: "Pays.", inputSchema: schema, deferLoading: true })
    const own = Object.freeze({
      type: "function",
      function: Object.freeze({ name: "owe", description: "Owes.", parameters: schema, strict: true }),
      execute() {},
    })
    const search = open([neutral, own])
    assert.deepEqual(search.warnings, [])
    assert.equal(search.search("groschen")[0].tool, neutral)
    assert.deepEqual(rankTools("groschen", [neutral, own]), ["owe", "pay"])
    const turn = search.turn([], { loaded: ["pay"] })
    const [sentOwn, sentNeutral] = [turn.tools[0], turn.tools.at(-1)]
    for (const { parameters } of [sentOwn.function, sentNeutral.function]) {
      assert.equal(parameters.type, "object")
      assert.equal(parameters.properties.amount.description, "how much, in groschen")
      assert.deepEqual(parameters.required, ["amount"])
      assert.doesNotMatch(JSON.stringify(parameters), /standard/)
      assert.deepEqual(
        JSON.parse(JSON.stringify(parameters)),
        JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: "input" }))),
      )
    }
    // The rest of the host's object comes along.
    assert.equal(sentOwn.execute, own.execute)
    assert.deepEqual([sentOwn.function.strict, sentOwn.function.description], [true, "Owes."])
    assert.equal(own.function.parameters, schema, "nothing was changed")
    assert.equal(search.turn([]).tools[0], sentOwn)
    assert.equal(search.turn([], { loaded: ["pay"] }).tools.at(-1), sentNeutral)
    assert.equal(search.resolve(call("pay", { amount: 5 })).tool, neutral)
    assert.equal(search.resolve(call("pay", {})).error.code, "invalid_arguments", "by the schema that zod has made")
  })

  test("what zod made JSON Schema of passes as it is, though it carries zod's key", () => {
    const made = z.toJSONSchema(schema)
    const tool = { type: "function", function: { name: "pay", parameters: made } }
    const search = open([tool])
    assert.equal(search.turn([]).tools[0], tool)
    assert.deepEqual(search.warnings, [])
  })

  test("a zod schema that JSON Schema can't say: a warning, then toJsonSchema", () => {
    const tool = { name: "dated", inputSchema: z.object({ day: z.date() }), deferLoading: true }
    const search = open([tool])
    assert.deepEqual(byTool(search.warnings), { dated: "schema_not_converted" })
    assert.ok(search.warnings[0].message.includes('"dated"'))
    assert.equal(search.search("dated")[0].tool, tool)
    const helped = open([tool], {
      toJsonSchema: () => ({ type: "object", properties: { day: { type: "string", description: "walrus" } } }),
    })
    assert.deepEqual(helped.warnings, [])
    assert.equal(helped.search("walrus")[0].tool, tool)
  })

  test("any Standard JSON Schema: the newer draft is asked for, then the older", () => {
    const asked = []
    const standard = (input) => ({
      "~standard": { version: 1, vendor: "other", jsonSchema: { input, output: () => ({}) } },
    })
    const tool = (name, input) => ({ name, inputSchema: standard(input), deferLoading: true })
    const search = open([
      tool("newer", ({ target }) => (asked.push(target), { type: "object", properties: { walrus: {} } })),
      tool("older", ({ target }) => {
        asked.push(target)
        if (target !== "draft-07") throw new Error("unsupported")
        return { type: "object", properties: { otter: {} } }
      }),
      tool("none", () => {
        throw new Error("not today")
      }),
      {
        name: "silent",
        inputSchema: { "~standard": { version: 1, vendor: "older zod", validate() {} } },
        deferLoading: true,
      },
      {
        name: "callable",
        inputSchema: Object.assign(
          () => {},
          standard(() => ({ type: "object", properties: { beaver: {} } })),
        ),
        deferLoading: true,
      },
    ])
    assert.deepEqual(asked, ["draft-2020-12", "draft-2020-12", "draft-07"])
    assert.deepEqual(
      ["walrus", "otter", "beaver"].map((word) => search.search(word)[0]?.name),
      ["newer", "older", "callable"],
    )
    assert.deepEqual(byTool(search.warnings), { none: "schema_not_converted", silent: "schema_not_converted" })
    assert.match(search.warnings[0].message, /not today/)
    assert.match(search.warnings[1].message, /pass toJsonSchema/)
  })

  test("toJsonSchema: asked once for each tool that has no JSON Schema, with the host's own object", () => {
    const tools = Object.freeze([
      chat("has"),
      { name: "lacks", deferLoading: true },
      { name: "null", inputSchema: null, deferLoading: true },
      { name: "old", inputSchema: { "~standard": { version: 1, vendor: "old", validate() {} } }, deferLoading: true },
      { name: "new", inputSchema: schema, deferLoading: true },
      { type: "web_search" },
      null,
    ])
    const asked = []
    const search = open(tools, {
      toJsonSchema: (tool) => (
        asked.push(tool),
        { type: "object", properties: { [`walrus_${tool.name}`]: { type: "string" } } }
      ),
    })
    assert.deepEqual(asked, [tools[1], tools[2], tools[3]])
    asked.forEach((tool) => assert.ok(tools.includes(tool)))
    assert.deepEqual(
      search
        .search("walrus")
        .map(({ name }) => name)
        .sort(),
      ["lacks", "null", "old"],
    )
    assert.deepEqual(search.turn([], { loaded: ["old"] }).tools.at(-1).function.parameters.properties, {
      walrus_old: { type: "string" },
    })
    assert.equal(search.turn([]).tools[0], tools[0])
    assert.equal(asked.length, 3)
  })

  test("toJsonSchema that fails or has nothing to say", () => {
    const tools = [
      { name: "a", deferLoading: true },
      { name: "b", deferLoading: true },
      { name: "c", deferLoading: true },
      deferred("fine"),
    ]
    const search = open(tools, {
      toJsonSchema: ({ name }) => {
        if (name === "a") throw new Error("boom")
        return name === "b" ? undefined : Promise.resolve({})
      },
    })
    assert.deepEqual(byTool(search.warnings), { a: "schema_not_converted", c: "schema_lazy" })
    assert.match(search.warnings[0].message, /boom/)
    assert.equal(namesOf(search.turn([], { loaded: ["a", "b", "c"] })).length, 4)
    assert.ok(!("parameters" in search.turn([], { loaded: ["b"] }).tools.at(-1).function))
  })

  describe("promised and lazy", () => {
    const made = { type: "object", properties: { walrus: { type: "string" } } }
    let loads = 0
    const lazy = () => (loads++, made)
    const tools = Object.freeze([
      { name: "promised", inputSchema: Promise.resolve(made), deferLoading: true },
      { name: "lazy", inputSchema: lazy, deferLoading: true },
      { name: "later", inputSchema: async () => (await sleep(1), made), deferLoading: true },
      { name: "typed", inputSchema: async () => z.object({ walrus: z.string() }), deferLoading: true },
      { name: "nested", inputSchema: () => async () => made, deferLoading: true },
      { name: "thenable", inputSchema: { then: (resolve) => resolve(made) }, deferLoading: true },
      { name: "own", type: "function", function: { name: "own", description: "x", parameters: lazy } },
      deferred("plain", { inputSchema: made }),
    ])

    test("createToolSearch.async awaits them", async () => {
      const search = await createToolSearch.async({ tools, threshold: 0 })
      assert.deepEqual(search.warnings, [])
      assert.deepEqual(
        search
          .search("walrus", { limit: 20 })
          .map(({ name }) => name)
          .sort(),
        ["later", "lazy", "nested", "plain", "promised", "thenable", "typed"],
      )
      const turn = search.turn([], { loaded: tools.map(nameOf) })
      for (const {
        function: { parameters },
      } of turn.tools)
        assert.equal(parameters.properties.walrus.type, "string")
      assert.equal(turn.tools.find((tool) => nameOf(tool) === "lazy").function.parameters, made)
      assert.notEqual(turn.tools[0], tools[6])
      assert.equal(turn.tools[0], search.turn([]).tools[0])
      // A following update, which can't wait, knows what they came to, and asks nobody again.
      const before = loads
      const { search: next, changed } = search.update(tools)
      assert.deepEqual(changed, [])
      assert.deepEqual(next.warnings, [])
      assert.equal(next.search("walrus", { limit: 20 }).length, 7)
      assert.equal(next.fingerprint(), search.fingerprint())
      assert.equal(loads, before)
    })

    test("createToolSearch warns, names the tool and the way out, and sends it as it is", () => {
      const lazy = { name: "lazy", inputSchema: () => made, deferLoading: true }
      const own = { type: "function", function: { name: "own", parameters: Promise.resolve(made) } }
      const search = open([lazy, own])
      assert.deepEqual(byTool(search.warnings), { lazy: "schema_lazy", own: "schema_lazy" })
      assert.match(search.warnings[0].message, /await createToolSearch\.async/)
      assert.equal(search.search("lazy")[0].tool, lazy)
      assert.equal(search.turn([]).tools[0], own)
      assert.deepEqual(search.search("walrus"), [])
    })

    test("one that fails is a warning; the others are there", async () => {
      const failing = [
        { name: "fails", inputSchema: Promise.reject(new Error("404")), deferLoading: true },
        {
          name: "throws",
          inputSchema: () => {
            throw new Error("500")
          },
          deferLoading: true,
        },
        {
          name: "endless",
          inputSchema: function endless() {
            return endless
          },
          deferLoading: true,
        },
        ...tools.slice(0, 1),
      ]
      failing[0].inputSchema.catch(() => {})
      const search = await createToolSearch.async({ tools: failing, threshold: 0 })
      assert.deepEqual(byTool(search.warnings), {
        fails: "schema_failed",
        throws: "schema_failed",
        endless: "schema_lazy",
      })
      assert.match(search.warnings[0].message, /404/)
      assert.deepEqual(
        search.search("walrus").map(({ name }) => name),
        ["promised"],
      )
      assert.equal(search.search("fails")[0].tool, failing[0])
    })

    test("they are awaited together, and an async toJsonSchema too, which update remembers", async () => {
      let waiting = 0
      let most = 0
      const slow = async () => ((most = Math.max(most, ++waiting)), await sleep(5), waiting--, made)
      const given = [
        ...Array.from({ length: 8 }, (_, at) => ({ name: `t${at}`, inputSchema: slow, deferLoading: true })),
        { name: "bare", deferLoading: true },
      ]
      const asked = []
      const search = await createToolSearch.async({
        tools: given,
        threshold: 0,
        toJsonSchema: async (tool) => (asked.push(tool.name), await sleep(1), made),
      })
      assert.equal(most, 8)
      assert.deepEqual(asked, ["bare"])
      assert.equal(search.search("walrus", { limit: 20 }).length, 9)
      const { search: next, changed } = search.update(given)
      assert.deepEqual(changed, [], "what was awaited is known")
      assert.equal(next.search("walrus", { limit: 20 }).length, 9)
      assert.deepEqual(next.warnings, [])
    })

    test("a bad option rejects and does not throw", async () => {
      const promise = createToolSearch.async({ tools: [], limt: 1 })
      await assert.rejects(promise, failsWith("unknown_option"))
      await assert.rejects(createToolSearch.async(), failsWith("invalid_option"))
    })
  })
})

describe("countTokens", () => {
  const tools = freeze([deferred("a"), chat("b"), chat("c", { deferred: true, server: "s" }), { type: "web_search" }])

  test("called once for each tool with its JSON on the wire, then for what is ours; the decision and the turn count by it", () => {
    const seen = []
    const search = createToolSearch({
      tools,
      threshold: { tokens: 1000 },
      countTokens: (json) => (seen.push(JSON.parse(json)), 600),
    })
    assert.deepEqual(
      seen.map((tool) => nameOf(tool) ?? tool.type ?? tool),
      ["a", "b", "c", "web_search", "tool_search", search.note],
    )
    assert.deepEqual(seen[0], {
      type: "function",
      function: { name: "a", description: "handles a", parameters: { type: "object", properties: {} } },
    })
    assert.deepEqual(seen[2], { type: "function", function: tools[2].function }, "without what is ours")
    assert.deepEqual([search.deferral.reason, search.deferral.deferredTokens], ["tokens", 1200])
    const { tokens } = search.turn([])
    const fixed = 1200
    assert.deepEqual(tokens, { sent: 1200 + fixed, withheld: 1200, all: 2400 })
    assert.deepEqual(search.turn([], { loaded: ["a"] }).tokens, { sent: 1800 + fixed, withheld: 600, all: 2400 })
    assert.equal(seen.length, 6)
    assert.deepEqual(search.warnings, [])
  })

  test("by default the estimate of the definition", () => {
    const [a] = tools
    const search = createToolSearch({ tools: [a], threshold: 0 })
    assert.equal(
      search.deferral.deferredTokens,
      estimateTokens({ name: "a", description: a.description, parameters: a.inputSchema }),
    )
  })

  test("one that fails: a warning that names the tool, and the estimate", () => {
    const gives = { a: NaN, b: -1, c: Infinity, web_search: "12" }
    const search = createToolSearch({
      tools,
      threshold: { tokens: 1 },
      countTokens: (json) => gives[nameOf(JSON.parse(json)) ?? "web_search"] ?? "none",
    })
    assert.deepEqual(
      search.warnings.map(({ code }) => code),
      Array(6).fill("tokens_not_counted"),
    )
    assert.deepEqual(search.warnings.map(({ tool }) => tool).slice(0, 3), ["a", "b", "c"])
    assert.match(search.warnings[0].message, /"a".*NaN/)
    assert.deepEqual(search.turn([]).tokens, createToolSearch({ tools, threshold: { tokens: 1 } }).turn([]).tokens)
    const throwing = createToolSearch({
      tools,
      threshold: 0,
      countTokens: () => {
        throw new Error("no tokenizer")
      },
    })
    assert.ok(throwing.warnings.every(({ message }) => message.includes("no tokenizer")))
    assert.equal(createToolSearch({ tools, threshold: 0, countTokens: async () => 5 }).warnings.length, 6)
    assert.equal(createToolSearch({ tools, threshold: 0, countTokens: () => 0 }).deferral.deferredTokens, 0)
  })
})

describe("update", () => {
  const a = deferred("a")
  const b = chat("b")
  const c = deferred("c", { server: "s" })

  test("says what was added, removed and changed; the old engine goes on", () => {
    const search = open([a, b, c])
    const changed = chat("b", { function: { name: "b", description: "new" } })
    const update = search.update([changed, deferred("d"), { ...a }])
    assert.deepEqual(Object.keys(update), ["search", "added", "removed", "changed", "unchanged"])
    assert.deepEqual([update.added, update.removed, update.changed], [["d"], ["c"], ["b"]])
    assert.deepEqual(namesOf(update.search.turn(loads(["a", "c", "d"]))), ["b", "a", "d"])
    assert.equal(update.search.turn([]).tools[0], changed)
    assert.deepEqual(namesOf(search.turn(loads(["a", "c", "d"]))), ["b", "a", "c"])
    search.free()
    assert.equal(update.search.search("d")[0].name, "d")
  })

  test("the same definitions are no change, wherever they stand and whatever is not the model's to see", () => {
    const search = open([a, b, c])
    for (const same of [
      [a, b, c],
      [c, b, a],
      structuredClone([a, b, c]),
      [{ ...a, execute() {} }, b, { ...c, server: "other" }],
      [a, { ...b, deferred: true }, c],
      [a, b, c, { ...a }],
    ]) {
      const update = search.update(same)
      assert.deepEqual([update.added, update.removed, update.changed], [[], [], []])
      assert.equal(update.search.fingerprint(), search.fingerprint())
    }
    // The host's own objects come back as they are.
    assert.equal(search.update([a, b, c]).search.turn([]).tools[0], b)
    assert.equal(search.update([b]).search.turn([]).tools[0], b)
  })

  test("every part that a model or a search can see is a change", () => {
    const search = open([a])
    for (const more of [
      { description: "x" },
      { description: undefined },
      { inputSchema: { type: "object", properties: { q: {} } } },
      { inputSchema: undefined },
      { title: "A" },
    ]) {
      assert.deepEqual(search.update([{ ...a, ...more }]).changed, ["a"], JSON.stringify(more))
    }
  })

  test("the options stay, and a predicate is asked about what is new", () => {
    const asked = []
    const search = open([a, b], {
      deferred: ({ name }) => (asked.push(name), name === "later" ? true : undefined),
      searchTool: { name: "find" },
      limit: { max: 2 },
      resident: ["kept"],
      whenAllLoaded: "keep",
    })
    asked.length = 0
    const { search: next } = search.update([b, { name: "later", inputSchema: {} }, deferred("kept")])
    assert.ok(asked.includes("later"))
    assert.deepEqual(namesOf(next.turn([])), ["b", "kept", "find"])
    assert.deepEqual(namesOf(next.turn([], { loaded: ["later"] })), ["b", "kept", "find", "later"])
    assert.equal(next.searchTool.function.parameters.properties.limit.maximum, 2)
    assert.deepEqual(next.update([a]).added, ["a"])
  })

  test("a tool with the search tool's name is left out with a warning, and the run goes on", () => {
    const search = open([a, b])
    const { search: next, added, removed, changed } = search.update([a, chat("tool_search"), b, deferred("d")])
    assert.deepEqual([added, removed, changed], [["d"], [], []])
    assert.deepEqual(
      next.warnings.map(({ code, tool }) => [code, tool]),
      [["reserved_tool_name", "tool_search"]],
    )
    assert.match(next.warnings[0].message, /left out/)
    assert.deepEqual(namesOf(next.turn([])), ["b", "tool_search"])
    assert.equal(next.turn([]).tools[1], next.searchTool)
    assert.deepEqual(next.turn(loads(["a"])).loaded, ["a"])
    assert.equal(next.resolve(call("d", {})).name, "d")
    assert.equal(next.search("a")[0].tool, a)
    // In proxy the same of the tool that calls all others, also of both.
    const proxy = open([a, b], { delivery: "proxy" })
    for (const taken of [["call_tool"], ["tool_search", "call_tool"]]) {
      const { search: later, added } = proxy.update([a, b, ...taken.map((name) => chat(name)), deferred("d")])
      assert.deepEqual(added, ["d"])
      assert.deepEqual(
        later.warnings.map(({ code, tool }) => [code, tool]),
        taken.map((name) => ["reserved_tool_name", name]),
      )
      assert.deepEqual(namesOf(later.turn([])), ["b", "tool_search", "call_tool"])
      assert.equal(later.resolve(call("call_tool", { name: "d", arguments: {} })).name, "d")
      // Written in a record, it is found there too.
      const record = Object.fromEntries(["b", ...taken].map((name) => [name, { inputSchema: {} }]))
      const held = proxy.update({ a: { inputSchema: {}, deferLoading: true }, ...record }).search
      assert.deepEqual(held.turn([]).names, ["b", "tool_search", "call_tool"])
      assert.deepEqual(held.warnings.length, taken.length)
    }
    // Where deferral does not apply it may stay.
    const allowed = createToolSearch({ tools: [a, b], threshold: false }).update([a, chat("tool_search")])
    assert.deepEqual(allowed.added, ["tool_search"])
    assert.deepEqual(allowed.search.warnings, [])
    // At creation it is an error, as it is for another of the host's choice.
    assert.throws(() => open([a, chat("tool_search")]), failsWith("reserved_tool_name"))
    assert.deepEqual(open([a], { searchTool: { name: "find" } }).update([a, chat("find"), chat("tool_search")]).added, [
      "tool_search",
    ])
  })

  test("what is asked once for each tool is asked once then, too", () => {
    const asked = []
    const search = open([a], {
      toJsonSchema: (tool) => void asked.push(tool.name),
      deferred: (tool) => void asked.push(nameOf(tool)),
    })
    asked.length = 0
    search.update([a, chat("tool_search"), { name: "bare" }])
    assert.deepEqual(
      asked.filter((name) => name === "a"),
      ["a"],
    )
    assert.deepEqual(asked.filter((name) => name === "bare").sort(), ["bare", "bare"], "once by each function")
  })

  test("of two different tools of one name the one stays that was there, and other tools are an error", () => {
    const search = open([a, b])
    const other = deferred("a", { description: "other" })
    for (const next of [
      [a, other],
      [other, a],
    ]) {
      const { search: later, changed } = search.update(next)
      assert.deepEqual([changed, later.warnings.map(({ code, tool }) => [code, tool])], [[], [["duplicate_tool_name", "a"]]])
      assert.equal(later.search("a")[0].tool, a)
    }
    assert.throws(() => search.update("x"), failsWith("invalid_tools"))
    assert.deepEqual(namesOf(search.turn([])), ["b", "tool_search"])
  })

  test("a conversation goes on over it: what is gone is not sent, what stays keeps its place", () => {
    const search = open([a, b, c])
    const messages = [user(), ...loads(["c", "a"])]
    const { search: next } = search.update([deferred("d"), c, b])
    assert.deepEqual(search.turn(messages).loaded, ["c", "a"])
    assert.deepEqual(next.turn(messages).loaded, ["c"])
    assert.deepEqual(next.turn([...messages, ...loads(["d"])]).loaded, ["c", "d"])
    assert.deepEqual(next.turn([assistant(call("a", {})), result("x")]).loaded, [])
    assert.equal(next.resolve(call("a", {})).error.code, "unknown_tool")
  })
})
