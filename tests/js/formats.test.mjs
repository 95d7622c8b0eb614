// The seven formats through the face: what a catalogue and a conversation tell of their format, which objects go out, under
// which names, and what of it a prompt cache keeps. What is said in a format is the matter of tests/formats.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { z } from "zod"
import { createToolSearch, estimateTokens, rankTools } from "../../pkg/index.js"
import { CONTAINERS, define, READERS, SHAPES } from "../formats/define.mjs"
import { ask, tell } from "../formats/tell.mjs"
import { assistant, call, chat, deferred, failsWith, freeze, loads, searchCall, untouched, user } from "./support.mjs"

const FORMATS = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ai-sdk", "neutral"]
const OBJECT = { type: "object", properties: {} }
const NEUTRAL = ["resident", "create_invoice", "refund_order"].map((name, at) => ({
  name,
  description: `handles ${name}`,
  schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  ...(at ? { deferLoading: true } : {}),
}))
const mcp = () => define("mcp", NEUTRAL)
const open = (options) => createToolSearch({ threshold: 0, ...options })

/** The definitions in `turn.tools`, whatever stands around them. */
function definitions(tools) {
  if (!Array.isArray(tools)) return Object.values(tools)
  return tools.flatMap((tool) => tool.functionDeclarations ?? tool)
}

/** The names in `turn.tools` as the model reads them. */
function wireNames(format, tools) {
  if (format === "ai-sdk") return Object.keys(tools)
  return definitions(tools).map((tool) => READERS[format](tool).name)
}

/** Whose request would take these tools. */
function formatOf(tools) {
  if (!Array.isArray(tools)) return "ai-sdk"
  const [first] = tools
  if (first.functionDeclarations) return "gemini"
  if (first.toolSpec) return "bedrock"
  if (first.function) return "openai-chat"
  if (first.type === "function") return "openai-responses"
  return first.input_schema ? "anthropic" : "neutral"
}

/** A conversation in which a search loaded these, told in a format. */
const loading = (format, names = ["refund_order"], name = "tool_search") =>
  tell(format, {
    says: [
      { user: "hi" },
      { assistant: "", calls: [{ id: "c1", name, args: { query: "x" } }] },
      { results: [{ of: "c1", content: { found: names } }] },
    ],
  }).messages

describe("what tells the format", () => {
  for (const shape of Object.keys(SHAPES)) {
    const expected = ["mcp", "neutral"].includes(shape) ? "openai-chat" : shape
    test(`tools as ${shape} has them: ${expected}`, () => {
      const search = open({ tools: define(shape, NEUTRAL) })
      assert.equal(formatOf(search.turn([]).tools), expected)
      const named = open({ tools: define(shape, NEUTRAL), format: expected })
      assert.deepEqual(search.turn([]).tools, named.turn([]).tools)
      // Where the tools tell it, the messages are not asked.
      if (expected === shape) assert.equal(formatOf(search.turn(loading("anthropic")).tools), shape)
    })
  }

  test("functions with parameters and no more are of no provider's shape; declared, they are Gemini's", () => {
    const functions = [{ name: "a", description: "x", parameters: OBJECT }]
    assert.equal(formatOf(open({ tools: functions }).turn([]).tools), "openai-chat")
    assert.equal(formatOf(open({ tools: [{ functionDeclarations: functions }] }).turn([]).tools), "gemini")
    assert.equal(formatOf(open({ tools: { functionDeclarations: functions } }).turn([]).tools), "gemini")
  })

  test("tools of two providers: ambiguous_format names both, and the option decides", async () => {
    const tools = [chat("one"), { name: "two", input_schema: OBJECT }, { name: "three", inputSchema: OBJECT }]
    const ambiguous = failsWith("ambiguous_format", '"one"', "openai-chat", '"two"', "anthropic", "set format")
    assert.throws(() => open({ tools }), ambiguous)
    await assert.rejects(createToolSearch.async({ tools }), ambiguous)
    // A server that comes later does not change whom the host talks to.
    const later = open({ tools: [tools[0]] }).update(define("bedrock", NEUTRAL)).search
    assert.equal(formatOf(later.turn([]).tools), "openai-chat")
    for (const format of FORMATS) assert.equal(formatOf(open({ tools, format }).turn([]).tools), format)
    // One provider's beside neutral ones is that provider's.
    assert.equal(formatOf(open({ tools: tools.slice(1) }).turn([]).tools), "anthropic")
    // A ranking is the same in all of them.
    assert.deepEqual(rankTools("two", tools), ["two"])
  })

  test("neutral tools go by the messages of each call", async () => {
    const tools = freeze(mcp())
    const search = open({ tools })
    for (const format of FORMATS) {
      const messages = freeze(loading(format))
      const turn = search.turn(messages)
      assert.equal(formatOf(turn.tools), format)
      assert.deepEqual(turn.loaded, ["refund_order"], format)
      assert.deepEqual(turn.tools, open({ tools, format }).turn(messages).tools)
      assert.equal(definitions(search.turn(messages).tools)[0], definitions(turn.tools)[0], "the same object every turn")
      const { messages: said, each } = ask(format, [
        { id: "s1", name: "tool_search", args: { query: "create invoice" } },
        { id: "s2", name: "refund_order", args: { id: "5" } },
      ])
      const whole = [...messages, ...said]
      assert.deepEqual(search.pending(whole), [each[0]], format)
      assert.equal(search.searchResults(whole).length, 1, format)
      const { tool, args, loaded } = search.resolve(each[1], messages)
      assert.deepEqual([tool, args, loaded], [tools[2], { id: "5" }, true], format)
      const named = open({ tools, format })
      for (const calls of [said, each]) {
        const reply = await search.answer(calls, messages)
        assert.deepEqual(reply.loaded, ["create_invoice"], format)
        const expected = await named.answer(calls, messages)
        assert.deepEqual([reply.parts, reply.messages()], [expected.parts, expected.messages()])
      }
      named.free()
    }
    assert.equal(search.searchTool, search.turn([user()]).tools.find((tool) => tool === search.searchTool))
    assert.equal(formatOf([search.searchTool]), "openai-chat", "what is said of no conversation is the standard's")
  })

  test("calls tell it where the messages before them do not", async () => {
    const search = open({ tools: mcp() })
    for (const format of FORMATS) {
      const { messages: said, each } = ask(format, [{ id: "s1", name: "tool_search", args: { query: "create invoice" } }])
      const reply = await search.answer(said, [])
      assert.deepEqual(reply.loaded, ["create_invoice"], format)
      assert.deepEqual(reply.parts, (await open({ tools: mcp(), format }).answer(said, [])).parts, format)
      if (format !== "openai-chat" && format !== "neutral") {
        assert.deepEqual((await search.answer(each, [])).parts, reply.parts, format)
      }
    }
  })

  test("messages that show nothing: openai-chat, whatever they are", () => {
    const search = open({ tools: mcp() })
    const PLAIN = [[], [user()], [{ role: "system", content: "x" }, user(), { role: "assistant", content: "y" }]]
    for (const messages of [...PLAIN, null, undefined, 5, "x", {}]) {
      assert.equal(formatOf(search.turn(messages).tools), "openai-chat")
    }
  })

  test("what a person or a tool writes tells nothing", () => {
    const search = open({ tools: mcp() })
    const forged = ask("anthropic", [{ id: "c1", name: "tool_search", args: {} }]).messages[0].content
    for (const content of [forged, JSON.stringify(forged)]) {
      assert.equal(formatOf(search.turn([user(content), ...loads(["refund_order"])]).tools), "openai-chat")
    }
  })

  test("messages of two formats: ambiguous_format says where each is", async () => {
    const search = open({ tools: mcp() })
    const messages = [...loading("openai-chat"), ...loading("gemini")]
    const ambiguous = failsWith("ambiguous_format", "messages[1] is openai-chat's", "gemini's", "set format")
    assert.throws(() => search.turn(messages), ambiguous)
    assert.throws(() => search.resolve(call("resident", {}), messages), ambiguous)
    await assert.rejects(search.answer(assistant(searchCall("x")), messages), ambiguous)
    assert.deepEqual(open({ tools: mcp(), format: "openai-chat" }).turn(messages).loaded, ["refund_order"])
  })

  test("UIMessages are ui_messages, which names what converts them", async () => {
    const ui = [
      { id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] },
      { id: "m2", role: "assistant", parts: [{ type: "step-start" }, { type: "tool-resident", toolCallId: "c1" }] },
    ]
    const refused = failsWith("ui_messages", "messages[0]", "convertToModelMessages(messages)")
    for (const options of [{}, { format: "ai-sdk" }, { format: "openai-chat" }]) {
      const search = open({ tools: mcp(), ...options })
      assert.throws(() => search.turn(ui), refused)
      if (!options.format) continue
      const [said] = ask(options.format, [{ id: "c", name: "tool_search", args: { query: "x" } }]).messages
      await assert.rejects(search.answer(said, ui), refused)
    }
    // Gemini's parts have no type.
    assert.equal(formatOf(open({ tools: mcp() }).turn([{ role: "user", parts: [{ text: "hi" }] }]).tools), "gemini")
  })

  test("update keeps the format that was named or told", () => {
    for (const format of FORMATS) {
      const named = open({ tools: mcp(), format }).update([...mcp(), deferred("more")])
      assert.deepEqual(named.added, ["more"])
      assert.equal(formatOf(named.search.turn([]).tools), format)
    }
    const told = open({ tools: define("anthropic", NEUTRAL) }).update(mcp()).search
    assert.equal(formatOf(told.turn([]).tools), "anthropic")
    const open_ = open({ tools: mcp() }).update([...mcp(), deferred("more")]).search
    assert.equal(formatOf(open_.turn(loading("bedrock")).tools), "bedrock")
  })
})

describe("containers", () => {
  const few = NEUTRAL.map(({ deferLoading: _, ...tool }) => tool)
  const names = few.map(({ name }) => name)

  for (const [what, wrap] of Object.entries(CONTAINERS)) {
    test(`${what}: its tools, each the host's own object`, () => {
      const tools = freeze(wrap(NEUTRAL))
      // What a server says of its tools does not count.
      const deferred = what.includes("tools/list") ? NEUTRAL.filter(({ deferLoading }) => deferLoading).map(({ name }) => name) : undefined
      const inNamespace = what === "openai namespace"
      const called = (name) => (inNamespace ? `crm__${name}` : name)
      const search = untouched([tools], () => open({ tools, deferred }))
      assert.deepEqual(search.warnings, [])
      const turn = search.turn([])
      assert.deepEqual(turn.names.filter((name) => name !== null), [called("resident"), "tool_search"])
      for (const name of names) {
        const found = search.resolve(call(called(name), { id: "1" }))
        const { tool } = found.error ? open({ tools, deferred, format: "openai-chat" }).resolve(call(called(name), { id: "1" })) : found
        assert.ok(within(tools, tool), "not a copy")
      }
      assert.deepEqual(search.search("refund").map(({ name }) => name), [called("refund_order")])
      assert.ok(within(tools, search.search("refund")[0].tool))
      const again = search.update(tools)
      assert.deepEqual([again.added, again.removed, again.changed], [[], [], []])
      assert.equal(again.search.fingerprint(), search.fingerprint())
      for (const format of FORMATS) {
        const on = untouched([tools], () => open({ tools, deferred, format }).turn([], { loaded: [called("refund_order")] }))
        assert.deepEqual(on.loaded, [called("refund_order")])
        assert.ok(wireNames(format, on.tools.filter?.((tool) => !tool.cachePoint) ?? on.tools).includes(called("refund_order")), format)
      }
    })
  }

  /** True where the object stands somewhere in the value. */
  const within = (value, object) =>
    value === object || (typeof value === "object" && value !== null && Object.values(value).some((inner) => within(inner, object)))

  test("a reply of tools/list: a page is taken as it is, its cursor stays, and a promise of one is invalid_tools", async () => {
    const page = freeze({ tools: mcp(), nextCursor: "more", _meta: { at: 1 } })
    const own = { deferred: mcp().filter(({ deferLoading }) => deferLoading).map(({ name }) => name) }
    const search = untouched([page], () => open({ tools: page, ...own }))
    assert.equal(page.nextCursor, "more")
    assert.deepEqual(search.turn([]).names, ["resident", "tool_search"])
    assert.deepEqual(open({ tools: { jsonrpc: "2.0", id: 1, result: page }, ...own }).turn([]).names, ["resident", "tool_search"])
    // Marks in the page are the server's; those of an array are the host's.
    const server = open({ tools: page })
    assert.equal(server.deferral.reason, "nothing_deferred")
    assert.deepEqual([...new Set(server.warnings.map(({ code }) => code))], ["server_mark"])
    assert.deepEqual(open({ tools: page.tools }).turn([]).names, ["resident", "tool_search"])
    const refused = failsWith("invalid_tools", "not an object")
    assert.throws(() => open({ tools: Promise.resolve(page) }), refused)
    await assert.rejects(createToolSearch.async({ tools: Promise.resolve(page) }), refused)
    assert.throws(() => search.update(Promise.resolve(page)), refused)
    assert.throws(() => rankTools("x", Promise.resolve(page)), refused)
  })

  test("a record: the key is the name, whatever names objects have", () => {
    const tools = freeze({
      resident: { description: "x", inputSchema: OBJECT, execute() {} },
      ...JSON.parse('{"__proto__":{"description":"odd","inputSchema":{}},"constructor":{"inputSchema":{}},"2":{"inputSchema":{}},"1":{"inputSchema":{}}}'),
    })
    const search = createToolSearch({ tools })
    const turn = search.turn([])
    assert.equal(formatOf(turn.tools), "ai-sdk")
    assert.equal(turn.tools.resident, tools.resident)
    assert.ok(Object.hasOwn(turn.tools, "__proto__") && Object.getPrototypeOf(turn.tools) === Object.prototype)
    assert.deepEqual([...turn.names].sort(), ["1", "2", "__proto__", "constructor", "resident"])
    // A tool loop finds what runs a call by the name that the model reads.
    for (const name of turn.names) {
      const alias = search.aliases[name] ?? name
      assert.ok(Object.hasOwn(turn.tools, alias), alias)
      assert.equal(turn.tools[alias].execute, Object.getOwnPropertyDescriptor(tools, name).value.execute)
    }
    assert.deepEqual(createToolSearch({ tools: {} }).turn([]).names, [])
    const bare = Object.assign(Object.create(null), { a: tools.resident })
    assert.deepEqual(createToolSearch({ tools: bare }).turn([]).names, ["a"])
    assert.deepEqual(createToolSearch({ tools: { a: chat("b") }, format: "openai-chat" }).turn([]).names.length, 1)
  })
})

describe("which objects go out", () => {
  for (const format of FORMATS) {
    test(`${format}: the host's own where no rule changes one, else one copy for all turns, and nothing is changed`, () => {
      const given = freeze(define(format, [...NEUTRAL, { ...NEUTRAL[0], name: "other" }]))
      const own = format === "ai-sdk" ? given : Object.fromEntries(definitions(given).map((tool) => [READERS[format](tool).name, tool]))
      const messages = freeze(loading(format))
      // Neutral definitions name no format.
      const named = format === "neutral" ? { format } : {}
      const search = untouched([given, messages], () => open({ tools: given, ...named }))
      const turns = untouched([given, messages], () => [
        search.turn([]),
        search.turn(messages),
        search.turn(messages, { loaded: ["create_invoice"] }),
        search.turn([], { forced: ["refund_order"] }),
      ])
      const seen = new Map()
      for (const { tools, names } of turns) {
        const sent = definitions(tools)
        assert.equal(sent.length, names.length)
        for (const [at, name] of names.entries()) {
          if (!seen.has(name)) seen.set(name, sent[at])
          assert.equal(sent[at], seen.get(name), `${name} is another object`)
          // The mark is ours; of a record it stays out too.
          assert.ok(!("deferLoading" in sent[at]))
        }
      }
      assert.equal(seen.get("resident"), own.resident)
      assert.equal(seen.get("other"), own.other)
      assert.notEqual(seen.get("refund_order"), own.refund_order)
      const { deferLoading: _, ...rest } = own.refund_order
      assert.deepEqual(seen.get("refund_order"), rest)
      assert.equal(search.resolve(ask(format, [{ id: "c", name: "refund_order", args: { id: "1" } }]).each[0]).tool, own.refund_order)
      assert.notEqual(turns[0].tools, search.turn([]).tools, "an array or a record of its own each time")
      // From another shape, each is written once.
      const converted = open({ tools: freeze(mcp()), format })
      const [first, second] = [converted.turn(messages), converted.turn(messages)].map(({ tools }) => definitions(tools))
      for (const [at, tool] of first.entries()) assert.equal(tool, second[at])
      first.forEach((tool) => assert.doesNotMatch(JSON.stringify(tool), format === "neutral" ? /deferLoading/ : /annotations|deferLoading/))
    })
  }

  test("where nothing is deferred, what holds the tools goes out as it is", () => {
    const few = NEUTRAL.map(({ deferLoading: _, ...tool }) => tool)
    const names = few.map(({ name }) => name)
    const tools = freeze([{ functionDeclarations: few.map(SHAPES.gemini) }, { googleSearch: {} }])
    const search = createToolSearch({ tools })
    const { tools: sent } = search.turn([])
    assert.deepEqual(sent.length, tools.length)
    for (const [at, tool] of tools.entries()) assert.equal(sent[at], tool)
    assert.notEqual(sent, tools)
    const { cache } = search.turn([], { previous: search.turn([]) })
    assert.deepEqual([cache.reason, cache.unchanged, cache.tokens.changed], ["same", 4, 0])
    // One of them excluded, it can't.
    const fewer = search.turn([], { exclude: ["resident"] })
    assert.ok(!fewer.names.includes("resident"))
    assert.doesNotMatch(JSON.stringify(fewer.tools), /"resident"/)
    // A wire that has no such thing gets what it holds.
    const inner = few.map(SHAPES["openai-responses"])
    const namespaces = freeze([{ type: "namespace", name: "crm", description: "Customers", tools: inner }, { type: "web_search" }])
    for (const format of ["openai-chat", "anthropic", "gemini"]) {
      const { names: called } = createToolSearch({ tools: namespaces, format }).turn([])
      assert.deepEqual([...called].sort(), [...names.map((name) => `crm__${name}`), "web_search"].sort())
    }
    const spaced = createToolSearch({ tools: namespaces })
    assert.equal(spaced.turn([], { previous: spaced.turn([]) }).cache.reason, "same")
    const alone = freeze({ functionDeclarations: few.map(SHAPES.gemini) })
    assert.equal(createToolSearch({ tools: alone }).turn([]).tools[0], alone)
  })
})

describe("aliases", () => {
  const OWN = "crm.orders/refund order"
  const tools = () => [
    { name: "resident", inputSchema: OBJECT },
    { name: OWN, description: "refunds an order", inputSchema: OBJECT, deferLoading: true },
    { name: "crm.resident thing", description: "always there for things", inputSchema: OBJECT },
    { name: "x".repeat(200), description: "walrus", inputSchema: OBJECT, deferLoading: true },
  ]

  test("are the same in every format and every order, and are looked up both ways", async () => {
    const all = new Set()
    for (const format of FORMATS) {
      const search = open({ tools: tools(), format })
      const alias = search.aliases[OWN]
      all.add(alias)
      assert.match(alias, /^[a-zA-Z_][\w-]{0,63}$/)
      assert.equal(open({ tools: tools().reverse(), format }).aliases[OWN], alias)
      assert.ok(Object.isFrozen(search.aliases))
      const one = (name, args = {}) => ask(format, [{ id: "c", name, args }])
      // The model's side.
      const called = search.resolve(one(alias).each[0])
      assert.deepEqual([called.name, called.tool.name], [OWN, OWN], format)
      const calls = [
        { id: "c1", name: "tool_search", args: { query: "refund" } },
        { id: "c2", name: "tool_search", args: { query: "always there" } },
      ]
      const reply = await search.answer(ask(format, calls).messages)
      assert.deepEqual(reply.loaded, [OWN])
      assert.deepEqual(reply.results[0].hits.map(({ name }) => name), [OWN])
      assert.deepEqual(reply.results[1].available, ["crm.resident thing"])
      const said = JSON.stringify(reply.messages())
      assert.ok(said.includes(alias) && !said.includes(OWN), said)
      assert.ok(said.includes(search.aliases["crm.resident thing"]) && !said.includes("crm.resident thing"))
      assert.deepEqual(search.turn(loading(format, [alias])).loaded, [OWN], "a result of our own")
      assert.deepEqual(search.turn(loading(format, [OWN])).loaded, [OWN], "one of another format")
      const exact = await search.answer(one("tool_search", { query: `select:${alias}` }).messages)
      assert.deepEqual(exact.loaded, [OWN])
      // The host's side.
      const loaded = search.turn([], { loaded: [OWN] })
      assert.deepEqual(loaded.loaded, [OWN])
      assert.deepEqual(loaded.names.at(-1), OWN)
      assert.equal(wireNames(format, loaded.tools).at(-1), alias)
      assert.deepEqual(search.turn([], { forced: [OWN] }).loaded, [OWN])
      assert.deepEqual(search.turn([], { loaded: [OWN], exclude: [OWN] }).loaded, [])
      assert.deepEqual(search.turn([], { loaded: [OWN], exclude: ["crm.*"] }).names, ["resident", "tool_search"])
      assert.equal(search.resolve(one(alias).each[0], [], { exclude: ["crm.*"] }).error.code, "unknown_tool")
      const strict = open({ tools: tools(), format, unloadedCall: "refuse" }).resolve(one(alias).each[0])
      assert.ok(strict.error.message.includes(alias) && !strict.error.message.includes(OWN), strict.error.message)
    }
    assert.equal(all.size, 1)
  })

  test("in references, in a schema that does not fit and in call_tool too", async () => {
    const given = tools()
    given[1].inputSchema = { type: "object", required: ["id"] }
    const search = open({ tools: given, format: "anthropic", delivery: "native" })
    const alias = search.aliases[OWN]
    const [said] = ask("anthropic", [{ id: "c", name: "tool_search", args: { query: "refund" } }]).messages
    const { parts } = await search.answer(said)
    assert.deepEqual(parts[0].content, [{ type: "tool_reference", tool_name: alias }])
    const wrong = search.resolve({ type: "tool_use", id: "c", name: alias, input: {} })
    assert.ok(wrong.error.message.includes(alias) && !wrong.error.message.includes(OWN), wrong.error.message)
    const proxy = open({ tools: given, delivery: "proxy" })
    for (const name of [alias, OWN]) {
      const found = proxy.resolve(call("call_tool", { name, arguments: { id: 5 } }))
      assert.deepEqual([found.name, found.tool, found.args], [OWN, given[1], { id: 5 }])
    }
  })

  test("false: left out with a warning that names each", () => {
    const search = open({ tools: tools(), aliases: false })
    assert.deepEqual(search.turn([], { loaded: [OWN] }).names, ["resident"])
    assert.deepEqual(search.warnings.map(({ code }) => code), ["excluded_tool", "excluded_tool", "excluded_tool"])
    assert.deepEqual(Object.keys(search.aliases), [])
    // Nor is there one of a name that objects have.
    for (const name of ["constructor", "__proto__"]) assert.equal(search.aliases[name], undefined)
  })
})

describe("what a prompt cache keeps", () => {
  const neutral = (name, more = {}) => ({ name, description: `handles ${name}`, inputSchema: OBJECT, ...more })
  const tools = [neutral("r1"), neutral("r2"), deferred("a"), deferred("b")]
  const search = open({ tools, whenAllLoaded: "withdraw" })
  const first = search.turn([])
  const one = search.turn([], { loaded: ["a"] })
  const changed = (next) => search.update(next).search

  const REASONS = [
    ["same", first, () => search, {}, [3, 3, 3]],
    ["appended", first, () => search, { loaded: ["a"] }, [3, 3, 4]],
    ["unloaded", one, () => search, {}, [3, 4, 3]],
    ["withdrawn", one, () => search, { loaded: ["a", "b"] }, [2, 4, 4]],
    ["excluded", one, () => search, { loaded: ["a"], exclude: ["r1"] }, [0, 4, 3]],
    ["removed", first, () => changed(tools.slice(1)), {}, [0, 3, 2]],
    ["changed", first, () => changed([tools[0], { ...tools[1], description: "new" }, ...tools.slice(2)]), {}, [1, 3, 3]],
    ["added", first, () => changed([tools[0], neutral("new"), ...tools.slice(1)]), {}, [1, 3, 4]],
    ["reordered", first, () => changed([tools[1], tools[0], ...tools.slice(2)]), {}, [0, 3, 3]],
    ["delivery", one, () => open({ tools, delivery: "proxy" }), { loaded: ["a"] }, [2, 4, 4]],
    ["deferral", first, () => createToolSearch({ tools, threshold: false }), {}, [2, 3, 4]],
  ]
  for (const [reason, previous, engine, options, [unchanged, before, now]] of REASONS) {
    test(`${reason}: ${unchanged} of ${before} tools stay`, () => {
      const turn = engine().turn([], { ...options, previous: freeze(previous) })
      const { cache } = turn
      assert.deepEqual([cache.reason, cache.unchanged, cache.before, cache.now], [reason, unchanged, before, now])
      assert.deepEqual([before, now], [previous.tools.length, turn.tools.length])
      assert.ok(cache.message.length > 10 && !cache.message.includes("undefined"))
      // By hand: how many from the first on read the same.
      let same = 0
      while (same < before && same < now && JSON.stringify(previous.tools[same]) === JSON.stringify(turn.tools[same])) same++
      assert.equal(unchanged, same)
      // What it costs does not stand in for another.
      const cost = (some) => some.reduce((sum, tool) => sum + estimateTokens(tool), 0)
      const near = (given, due) => assert.ok(Math.abs(given - due) <= Math.max(12, due * 0.6), `${given}, not ${due}`)
      near(cache.tokens.unchanged, cost(turn.tools.slice(0, same)))
      near(cache.tokens.changed, cost(turn.tools.slice(same)))
      if (unchanged === now) assert.equal(cache.tokens.changed, 0)
      // What became of it by way of JSON says the same.
      assert.deepEqual(engine().turn([], { ...options, previous: JSON.parse(JSON.stringify(previous)) }).cache, cache)
    })
  }

  test("in every format and delivery, what is loaded comes after all that was there", () => {
    for (const format of FORMATS) {
      for (const [delivery, model] of [["append"], ["proxy"], ["auto", "claude-opus-4-5"], ["auto", "gpt-5.4"]]) {
        const search = open({ tools: tools, format, delivery, model, whenAllLoaded: "keep", cacheBreakpoint: true })
        let previous = search.turn([])
        for (const loaded of [["b"], ["b", "a"], ["b", "a"]]) {
          const turn = search.turn([], { loaded, previous })
          if (turn.delivery.used !== "native") {
            assert.ok(["appended", "same"].includes(turn.cache.reason), `${format} ${delivery}: ${turn.cache.message}`)
            assert.equal(turn.cache.unchanged, turn.cache.before)
          }
          if (delivery === "proxy") assert.equal(turn.cache.reason, "same")
          const json = JSON.parse(JSON.stringify(turn))
          assert.equal(search.turn([], { loaded, previous: json }).cache.reason, "same", `${format} ${delivery}`)
          previous = turn
        }
      }
    }
  })

  test("native: a search changes nothing at all", async () => {
    for (const [format, model] of [["anthropic"], ["openai-responses"], ["ai-sdk", "claude-sonnet-4-5"]]) {
      const search = open({ tools, format, delivery: "native", model })
      const before = search.turn([])
      const telling = { anthropic: "anthropic, native", "openai-responses": "openai-responses, native" }[format] ?? "ai-sdk, native"
      const messages = loading(telling, ["b"])
      const turn = search.turn(messages, { previous: before })
      assert.deepEqual(turn.loaded, ["b"], format)
      assert.deepEqual([turn.cache.reason, turn.cache.tokens.changed], ["same", 0], format)
    }
  })

  test("null without one; what is no turn is refused, whatever it does", () => {
    assert.equal(search.turn([]).cache, null)
    assert.equal(search.turn([], { previous: undefined }).cache, null)
    assert.equal(search.turn([], { previous: null }).cache, null)
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const ODD = [5, "x", true, [], {}, first.tools, { tools: [] }, { ...first, names: "r1" }, { ...first, tools: null }, proxy]
    for (const previous of [...ODD, { ...first, delivery: null }, { ...first, deferral: {} }]) {
      assert.throws(() => search.turn([], { previous }), failsWith("invalid_option", '"previous"', "or its JSON"))
    }
    // Nothing in it is trusted.
    const hostile = { ...first, names: [null, 5, {}], loaded: [null], tools: [null, 5, { toJSON: () => { throw new Error("no") } }] }
    assert.equal(search.turn([], { previous: hostile }).cache.unchanged, 0)
  })
})

describe("cache breakpoints", () => {
  const EPHEMERAL = { type: "ephemeral" }
  const HOUR = { type: "ephemeral", ttl: "1h" }
  /** Where each format keeps one, as `name: breakpoint`, in the order of sending. */
  const READ = {
    anthropic: (tools) => tools.filter((tool) => tool.cache_control).map((tool) => [tool.name, tool.cache_control]),
    bedrock: (tools) =>
      tools.flatMap((tool, at) => {
        const { type, ...rest } = tool.cachePoint ?? {}
        return type ? [[tools[at - 1].toolSpec.name, { type: "ephemeral", ...rest }]] : []
      }),
    "ai-sdk": (tools) =>
      Object.entries(tools).flatMap(([name, { providerOptions }]) => {
        const found = providerOptions?.anthropic?.cacheControl
        return found ? [[name, found]] : []
      }),
  }
  const deliveries = (format) => (format === "bedrock" ? ["append", "proxy"] : ["append", "native", "proxy"])

  for (const [format, read] of Object.entries(READ)) {
    test(`${format}: one at the end of what stays, with the lifetime that is asked for`, () => {
      for (const delivery of deliveries(format)) {
        const on = (cacheBreakpoint) => open({ tools: freeze(mcp()), format, delivery, model: "claude-opus-4-5", cacheBreakpoint })
        const last = delivery === "proxy" ? "call_tool" : "tool_search"
        for (const [asked, found] of [
          [true, [[last, EPHEMERAL]]],
          ["5m", [[last, { type: "ephemeral", ttl: "5m" }]]],
          ["1h", [[last, HOUR]]],
          [false, []],
          [undefined, []],
        ]) {
          for (const loaded of [[], ["refund_order"], ["create_invoice", "refund_order"]]) {
            const { tools } = on(asked).turn([], { loaded })
            assert.deepEqual(read(tools), found, `${delivery} ${asked} ${loaded}`)
          }
        }
        const search = on(true)
        assert.equal(search.turn([]).tools.at?.(1), search.turn([], { loaded: ["refund_order"] }).tools.at?.(1), "one object")
      }
    })
  }

  const MARKED = {
    anthropic: (name, mark) => ({ ...SHAPES.anthropic({ name, schema: OBJECT }), ...(mark ? { cache_control: mark } : {}) }),
    "ai-sdk": (name, mark) => ({ inputSchema: OBJECT, ...(mark ? { providerOptions: { anthropic: { cacheControl: mark } } } : {}) }),
  }
  for (const [format, tool] of Object.entries(MARKED)) {
    test(`${format}: the host's own stay where they are, and one on a withheld tool moves to what is sent before it`, () => {
      const list = [
        ["a", EPHEMERAL],
        ["b", undefined],
        ["c", HOUR],
        ["d", undefined],
      ].map(([name, mark], at) => [name, { ...tool(name, mark), ...(at > 1 ? { deferLoading: true } : {}) }])
      const tools = freeze(format === "ai-sdk" ? Object.fromEntries(list) : list.map(([, tool]) => tool))
      for (const delivery of deliveries(format)) {
        const search = untouched([tools], () => open({ tools, delivery, model: "claude-opus-4-5" }))
        for (const loaded of [[], ["c"], ["d", "c"]]) {
          const turn = untouched([tools], () => search.turn([], { loaded }))
          const due = [
            ["a", EPHEMERAL],
            ["b", HOUR],
          ]
          assert.deepEqual(READ[format](turn.tools), due, `${delivery} ${loaded}`)
          const sent = definitions(turn.tools)
          assert.equal(sent[0], list[0][1], "the host's own object")
          assert.equal(sent[1], definitions(search.turn([]).tools)[1], "one copy")
        }
      }
    })
  }

  test("bedrock: a point follows what is sent before it; two side by side are one, and what would stand first ends the stable part", () => {
    const point = { cachePoint: { type: "default" } }
    const [resident, ...rest] = NEUTRAL.map(SHAPES.bedrock)
    const sent = (tools, options) => open({ tools: freeze(tools), ...options }).turn([], { loaded: ["refund_order"] }).names
    assert.deepEqual(sent([resident, point, ...rest, point]), ["resident", null, "tool_search", "refund_order"])
    assert.deepEqual(sent([rest[0], point, resident, rest[1]]), ["resident", "tool_search", null, "refund_order"])
    const tools = [resident, ...rest, point]
    const kept = open({ tools: freeze(tools) }).turn([]).tools
    assert.equal(kept[0], resident)
    assert.ok(kept.includes(point), "the host's own")
    // To whom they say nothing they are not sent.
    for (const format of FORMATS.filter((format) => format !== "bedrock")) {
      assert.doesNotMatch(JSON.stringify(open({ tools, format }).turn([]).tools), /cachePoint/, format)
    }
  })

  test("where a format has none, the option does nothing", () => {
    for (const format of ["openai-chat", "openai-responses", "gemini", "neutral"]) {
      const [with_, without] = ["1h", undefined].map((cacheBreakpoint) => open({ tools: mcp(), format, cacheBreakpoint }).turn([]))
      assert.deepEqual(with_.tools, without.tools)
      assert.deepEqual(with_.warnings, without.warnings)
    }
  })
})

describe("arguments that are held against a schema", () => {
  const proxied = (inputSchema, options) => open({ tools: [deferred("a", { inputSchema })], delivery: "proxy", ...options })
  const run = (search, args) => search.resolve(call("call_tool", { name: "a", arguments: args }))
  const fits = (schema, args) => {
    const found = run(proxied(schema), args)
    assert.deepEqual([found.error, found.args, found.warnings], [undefined, args, []], JSON.stringify(schema))
  }
  const wrong = (schema, args, ...words) => {
    const found = run(proxied(schema), args)
    assert.equal(found.error?.code, "invalid_arguments", JSON.stringify([schema, args]))
    for (const word of words) assert.ok(found.error.message.includes(word), `${word}: ${found.error.message}`)
    assert.equal(found.part.tool_call_id, "c1")
    assert.ok(found.part.content.includes(JSON.stringify(found.error.message).slice(1, -1)))
  }

  test("valid, of another type, missing, one too many, and deep within", () => {
    const schema = {
      type: "object",
      properties: {
        id: { type: "string" },
        count: { type: "integer", minimum: 1 },
        to: { type: "array", items: { type: "object", properties: { mail: { type: "string" } }, required: ["mail"] } },
      },
      required: ["id"],
      additionalProperties: false,
    }
    fits(schema, { id: "x" })
    fits(schema, { id: "x", count: 1, to: [{ mail: "a" }] })
    wrong(schema, { id: 5 }, "id: expected string, got 5.")
    wrong(schema, {}, "id: required.")
    wrong(schema, { id: "x", other: 1 }, "other")
    wrong(schema, { id: "x", count: 0 }, "count")
    wrong(schema, { id: "x", to: [{ mail: "a" }, { mail: 5 }] }, "to.1.mail")
    wrong(schema, { id: "x", to: [{}] }, "to.0.mail: required.")
    // Not a list of everything that could be said.
    const found = run(proxied(schema), { id: 5, count: "x", to: 5, a: 1, b: 2, c: 3 })
    assert.ok(found.error.message.length < 500, found.error.message)
  })

  test("references, and schemas that hold themselves", () => {
    const tree = {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } }, required: ["name"] } },
    }
    fits(tree, { root: { name: "a", next: { name: "b", next: { name: "c" } } } })
    wrong(tree, { root: { name: "a", next: { name: "b", next: { name: 5 } } } }, "root.next.next.name")
    const self = { type: "object", properties: { child: { $ref: "#" }, n: { type: "number" } } }
    fits(self, { child: { child: { n: 1 } } })
    wrong(self, { child: { child: { n: "1" } } }, "child.child.n")
  })

  const DRAFTS = {
    "draft-04": ["http://json-schema.org/draft-04/schema#", { minimum: 1, exclusiveMinimum: true }],
    "draft-06": ["http://json-schema.org/draft-06/schema#", { exclusiveMinimum: 1 }],
    "draft-07": ["http://json-schema.org/draft-07/schema#", { exclusiveMinimum: 1 }],
    "2019-09": ["https://json-schema.org/draft/2019-09/schema", { exclusiveMinimum: 1 }],
    "2020-12": ["https://json-schema.org/draft/2020-12/schema", { exclusiveMinimum: 1 }],
  }
  for (const [draft, [$schema, bound]] of Object.entries(DRAFTS)) {
    test(`${draft}`, () => {
      const definitions = draft.startsWith("20") ? "$defs" : "definitions"
      const schema = {
        $schema,
        type: "object",
        properties: { n: { type: "number", ...bound }, m: { $ref: `#/${definitions}/m` } },
        [definitions]: { m: { enum: ["x", "y"] } },
      }
      fits(schema, { n: 2, m: "x" })
      wrong(schema, { n: 1 }, "n")
      wrong(schema, { m: "z" }, "m")
    })
  }

  test("a schema that says nothing lets everything through, and false nothing", () => {
    for (const schema of [true, {}, undefined, null]) fits(schema, { any: [1] })
    wrong(false, {}, "arguments: not allowed.")
  })

  test("zod and the AI SDK's schemas by what they come to", async () => {
    const schema = z.object({ amount: z.number() })
    fits(schema, { amount: 5 })
    wrong(schema, { amount: "5" }, "amount")
    const lazy = await createToolSearch.async({
      tools: [deferred("a", { inputSchema: async () => ({ type: "object", required: ["id"] }) })],
      threshold: 0,
      delivery: "proxy",
    })
    assert.equal(run(lazy, {}).error.code, "invalid_arguments")
  })

  test("the call itself: the name, and arguments as an object or as text", () => {
    const search = proxied({ type: "object", required: ["id"] })
    const ask = (args) => search.resolve(call("call_tool", args))
    assert.deepEqual(ask({ name: "a", arguments: '{"id":1}' }).args, { id: 1 })
    for (const args of [{}, { name: "a", arguments: "{" }, { name: 5 }, { arguments: {} }, [], "x", { name: "a", arguments: [1] }]) {
      assert.equal(ask(args).error.code, "invalid_arguments", JSON.stringify(args))
    }
    assert.equal(ask({ name: "gone", arguments: {} }).error.code, "unknown_tool")
    assert.ok(["unknown_tool", "invalid_arguments", "search_call"].includes(ask({ name: "call_tool", arguments: {} }).error.code))
    assert.equal(search.resolve(call("call_tool", { name: "a", arguments: { id: 1 } }), [], { exclude: ["a"] }).error.code, "unknown_tool")
    const renamed = proxied({}, { callTool: { name: "use" } })
    assert.equal(renamed.resolve(call("use", { name: "a", arguments: {} })).name, "a")
    assert.deepEqual(renamed.turn([]).names, ["tool_search", "use"])
  })

  /** Made by a stranger to cost time or to end the process. */
  const nested = (depth, key) => {
    let schema = { type: "object" }
    for (let at = 0; at < depth; at++) schema = { type: "object", properties: { [key]: schema } }
    return schema
  }
  const doubled = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }]),
  )
  const deepArgs = (depth) => {
    let args = {}
    for (let at = 0; at < depth; at++) args = { a: args }
    return args
  }
  const HOSTILE = {
    "a pattern that runs for ever": [{ properties: { a: { type: "string", pattern: "^(a+)+$" } } }, { a: `${"a".repeat(40)}!` }],
    "repetitions with an end, many of them": [{ properties: { a: { pattern: `^${"a{0,30}".repeat(12)}$` } } }, { a: `${"a".repeat(60)}!` }],
    "parts that may be missing, many of them": [{ properties: { a: { pattern: `^${"a?".repeat(40)}${"a".repeat(40)}$` } } }, { a: "a".repeat(39) }],
    "alternatives, many of them": [{ properties: { a: { pattern: `^${"(a|a)".repeat(40)}$` } } }, { a: `${"a".repeat(40)}!` }],
    "the same in patternProperties": [{ patternProperties: { "^(a|a)*$": {} } }, { [`${"a".repeat(40)}!`]: 1 }],
    "the same in propertyNames": [{ propertyNames: { pattern: "(x+x+)+y" } }, { ["x".repeat(40)]: 1 }],
    "a format that runs for ever": [{ properties: { a: { format: "email" } } }, { a: `${"a".repeat(50_000)}@` }],
    "allOf and $ref that double thirty times": [{ $ref: "#/$defs/d0", $defs: { ...doubled, d30: { type: "object" } } }, {}],
    "a reference to itself": [{ $ref: "#" }, {}],
    "references in a circle": [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }, {}],
    "three hundred levels": [nested(300, "a"), deepArgs(300)],
    "a reference elsewhere": [{ $ref: "https://example.com/schema.json" }, {}],
    "a reference to nothing": [{ $ref: "#/$defs/gone" }, {}],
    "words in the place of schemas": [{ properties: "x", required: 5, allOf: {}, type: 7 }, { a: 1 }],
    "an identifier that is no address": [{ $id: "::::", type: "object" }, {}],
    "a pattern that is none": [{ properties: { a: { pattern: "(" } } }, { a: "x" }],
    "very many properties": [{ properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: "string" }])) }, { p5: "x" }],
    "uniqueItems over many": [{ properties: { a: { uniqueItems: true } } }, { a: Array.from({ length: 1000 }, (_, at) => ({ at })) }],
  }
  for (const [what, [schema, args]] of Object.entries(HOSTILE)) {
    test(`${what}: an answer, and soon`, () => {
      const search = proxied(freeze(schema))
      for (let times = 0; times < 2; times++) {
        const started = performance.now()
        const found = run(search, args)
        const took = performance.now() - started
        assert.ok(took < 2000, `${took.toFixed()} ms`)
        assert.equal(found.error, undefined, found.error?.message)
        assert.deepEqual(found.args, args)
        for (const { code, tool, message } of found.warnings) {
          assert.deepEqual([code, tool], ["arguments_not_checked", "a"])
          assert.ok(message.length < 500)
        }
      }
    })
  }

  test("those that can't be held against it say so in a warning", () => {
    for (const what of ["a reference elsewhere", "allOf and $ref that double thirty times", "a reference to itself"]) {
      const [schema, args] = HOSTILE[what]
      assert.deepEqual(run(proxied(schema), args).warnings.map(({ code }) => code), ["arguments_not_checked"], what)
    }
    // Patterns as people write them are held.
    for (const [pattern, a] of [["^\\d{4}-\\d{2}-\\d{2}$", "today"], ["^https?://.+", "ftp"], ["^(asc|desc)$", "up"], ["^[a-z*?+]+$", "A"]]) {
      wrong({ properties: { a: { pattern } } }, { a }, "a")
    }
    // What can be is, beside what can't.
    wrong({ properties: { a: { pattern: "^(a+)+$" }, b: { type: "number" } } }, { a: "x", b: "x" }, "b")
  })

  test("of every tool, loaded or not, deferred or not", () => {
    const inputSchema = { required: ["id"] }
    const search = open({ tools: [deferred("a", { inputSchema }), { name: "b", inputSchema }] })
    for (const [name, messages] of [["a", []], ["a", loads(["a"])], ["b", []]]) {
      assert.equal(search.resolve(call(name, {}), messages).error.code, "invalid_arguments")
      assert.equal(search.resolve(call(name, { id: 1 }), messages).error, undefined)
    }
  })
})

describe("schemas of a host's own", () => {
  const SCHEMA = Symbol.for("vercel.ai.schema")
  /** As `jsonSchema()` of the AI SDK gives it. */
  const jsonSchema = (schema) => ({ [SCHEMA]: true, _type: undefined, validate: undefined, jsonSchema: schema })
  const schema = { type: "object", properties: { amount: { type: "number", description: "in groschen" } }, required: ["amount"] }

  test("the AI SDK's, zod's and lazy ones go out as they are to the AI SDK, as JSON Schema to all others", async () => {
    const lazy = Object.assign(() => jsonSchema(schema), {})
    const SCHEMAS = {
      own: jsonSchema(schema),
      promised: jsonSchema(Promise.resolve(schema)),
      zod: z.object({ amount: z.number().describe("in groschen") }),
      lazy,
    }
    for (const [what, inputSchema] of Object.entries(SCHEMAS)) {
      const tools = { pay: Object.freeze({ description: "Pays.", inputSchema, execute() {} }), other: { inputSchema: schema, deferLoading: true } }
      const search = await createToolSearch.async({ tools, threshold: 0 })
      assert.deepEqual(search.warnings, [], what)
      assert.equal(search.turn([]).tools.pay, tools.pay, what)
      for (const format of FORMATS.filter((format) => format !== "ai-sdk")) {
        const on = await createToolSearch.async({ tools, threshold: 0, format })
        const [sent] = definitions(on.turn([]).tools)
        const { schema: written } = READERS[format](sent)
        assert.deepEqual(written.properties, schema.properties, `${what} on ${format}`)
        assert.equal(on.search("groschen").length, 1)
      }
    }
  })

  test("what is written for the AI SDK is what its own jsonSchema() gives", () => {
    const { tools } = open({ tools: freeze(mcp()), format: "ai-sdk" }).turn([], { loaded: ["refund_order"] })
    for (const name of ["resident", "tool_search", "refund_order"]) {
      const { inputSchema } = tools[name]
      assert.equal(inputSchema[SCHEMA], true)
      assert.ok("validate" in inputSchema && inputSchema.validate === undefined)
      assert.equal(inputSchema.jsonSchema.type, "object")
    }
  })

  test("Gemini's dialect goes out as it is to Gemini and as JSON Schema to all others", () => {
    const parameters = freeze({
      type: "OBJECT",
      properties: { id: { type: "STRING", nullable: true, description: "which one" }, tags: { type: "ARRAY", items: { type: "STRING" } } },
      required: ["tags"],
    })
    const tools = freeze([
      { functionDeclarations: [{ name: "pay", description: "Pays.", parameters }, { name: "owe", parameters, deferLoading: true }] },
    ])
    const own = open({ tools }).turn([], { loaded: ["owe"] }).tools.at(-1).functionDeclarations
    assert.equal(own[0], tools[0].functionDeclarations[0])
    assert.equal(own.at(-1).parameters, parameters)
    for (const format of FORMATS.filter((format) => format !== "gemini")) {
      const search = untouched([tools], () => open({ tools, format }))
      const sent = definitions(search.turn([], { loaded: ["owe"] }).tools)
      for (const tool of [sent[0], sent.at(-1)]) {
        const { schema: written } = READERS[format](tool)
        assert.deepEqual(JSON.parse(JSON.stringify(written)), {
          type: "object",
          properties: { id: { type: ["string", "null"], description: "which one" }, tags: { type: "array", items: { type: "string" } } },
          required: ["tags"],
        })
      }
      const one = (args) => search.resolve(ask(format, [{ id: "c", name: "owe", args }]).each[0])
      assert.equal(one({ tags: [5] }).error?.code, "invalid_arguments", "held against what it says")
      assert.equal(one({ tags: ["x"], id: null }).error, undefined, format)
    }
  })
})

describe("the engines of one search", () => {
  test("countTokens is asked in every format with what goes out there", () => {
    for (const format of FORMATS) {
      const asked = []
      const tools = freeze(mcp())
      const search = open({ tools, format, countTokens: (json) => (asked.push(JSON.parse(json)), 1000) })
      // The three tools; then the search tool and the note.
      assert.equal(asked.length, 5)
      const { tools: sent, tokens } = search.turn([], { loaded: ["create_invoice", "refund_order"] })
      const plain = (value) => JSON.parse(JSON.stringify(value))
      const known = definitions(sent).map(plain)
      for (const json of asked.slice(0, 3)) assert.ok(known.some((tool) => JSON.stringify(tool) === JSON.stringify(json)), format)
      assert.equal(tokens.all, 3000)
      assert.equal(search.deferral.deferredTokens, 2000)
    }
    // Where only the messages tell the format, for each that they tell.
    let times = 0
    const search = open({ tools: mcp(), countTokens: () => (times++, 7) })
    for (const format of FORMATS) assert.equal(search.turn(loading(format)).tokens.all, 21, format)
    assert.equal(times, 5 * FORMATS.length)
    for (const format of FORMATS) search.turn(loading(format))
    assert.equal(times, 5 * FORMATS.length, "once for each")
  })

  test("free gives back all of them, and every later call says so", async () => {
    const search = open({ tools: mcp() })
    for (const format of FORMATS) search.turn(loading(format))
    search.free()
    search.free()
    const freed = failsWith("engine_freed")
    for (const format of FORMATS) {
      const messages = loading(format)
      assert.throws(() => search.turn(messages), freed, format)
      assert.throws(() => search.resolve(call("resident", {}), messages), freed)
      assert.throws(() => search.pending(messages), freed)
      assert.throws(() => search.searchResults(messages), freed)
      await assert.rejects(search.answer(messages[1], messages), freed)
    }
    assert.throws(() => search.search("x"), freed)
    assert.throws(() => search.fingerprint(), freed)
    assert.throws(() => search.update(mcp()), freed)
  })

  test("freed in the middle of a turn, as a getter on a message can, it ends with that turn", () => {
    const search = open({ tools: mcp() })
    const [hi, ...rest] = loading("anthropic")
    const message = Object.defineProperty({ ...hi }, "role", {
      enumerable: true,
      get() {
        search.free()
        return "user"
      },
    })
    try {
      search.turn([message, ...rest])
    } catch (error) {
      failsWith("engine_freed")(error)
    }
    assert.throws(() => search.turn([]), failsWith("engine_freed"))
  })

  test("whatever stands among messages of any format, nothing is thrown and nothing is changed", async () => {
    const odd = [null, 5, "x", [], {}, { role: 5 }, { role: "assistant", content: 5 }, { role: "user", parts: "x" }, { type: "function_call" }]
    for (const format of FORMATS) {
      const search = open({ tools: freeze(mcp()), format })
      const messages = freeze([...odd, ...loading(format), ...odd])
      assert.deepEqual(untouched([messages], () => search.turn(messages)).loaded, ["refund_order"], format)
      assert.ok(Array.isArray(search.pending(messages)) && Array.isArray(search.searchResults(messages)))
      for (const calls of odd) {
        const reply = await search.answer(calls ?? {}, messages)
        assert.deepEqual([reply.parts, reply.messages()], [[], []])
        const found = search.resolve(calls ?? {}, messages)
        assert.ok(["unreadable_call", "unknown_tool", "invalid_arguments"].includes(found.error.code), `${format} ${JSON.stringify(calls)}`)
      }
      const { proxy, revoke } = Proxy.revocable([], {})
      revoke()
      const [said] = ask(format, [{ id: "c", name: "tool_search", args: { query: "refund" } }]).messages
      const reply = await search.answer(said, proxy)
      for (const others of [proxy, null, 5, {}, [proxy], [null, 5]]) assert.ok(Array.isArray(reply.messages(others)), format)
      assert.deepEqual(reply.messages(proxy), reply.messages())
    }
  })
})

describe("calls that can't be read", () => {
  const tools = [{ name: "d", description: "x", inputSchema: { type: "object" }, deferLoading: true }]
  const chat = { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "tool_search", arguments: '{"query":"x"}' } }] }

  test("those of another format are said, and a message without calls is not", async () => {
    const search = createToolSearch({ tools, format: "anthropic", threshold: 0 })
    const reply = await search.answer(chat)
    assert.deepEqual([reply.parts, reply.warnings.map(({ code }) => code)], [[], ["foreign_calls"]])
    assert.match(reply.warnings[0].message, /openai-chat .* anthropic/)
    assert.deepEqual((await search.answer({ role: "assistant", content: [{ type: "text", text: "hi" }] })).warnings, [])
    assert.deepEqual((await createToolSearch({ tools, threshold: 0 }).answer(chat)).warnings, [])
  })

  test("a promise of them is refused, and one result alone is one", async () => {
    const search = createToolSearch({ tools, threshold: 0 })
    await assert.rejects(() => search.answer(Promise.resolve(chat)), { code: "invalid_option", message: /promise/ })
    const own = { role: "tool", tool_call_id: "o", content: "done" }
    const reply = await search.answer(chat)
    assert.deepEqual(reply.messages(own), reply.messages([own]))
  })
})

describe("what a turn must not send", () => {
  const tool = (name, more) => ({ name, description: `does ${name}`, input_schema: { type: "object" }, ...more })
  const EPHEMERAL = { type: "ephemeral" }
  const marksIn = (value) => JSON.stringify(value).match(/"(deferred|deferLoading|defer_loading|server)"/g) ?? []

  test("marks on what the provider runs, and beside function declarations, which they mark", () => {
    const mark = { deferLoading: true, server: "s" }
    const hosted = {
      anthropic: [{ type: "web_search_20250305", name: "web_search", ...mark }, tool("d", mark)],
      "openai-responses": [{ type: "web_search", ...mark }, { type: "function", name: "d", parameters: { type: "object" }, ...mark }],
      gemini: [{ googleSearch: {}, ...mark }, { functionDeclarations: [{ name: "d" }], ...mark }],
    }
    for (const [format, tools] of Object.entries(hosted)) {
      const turn = open({ tools: freeze(tools), format }).turn([])
      assert.deepEqual(marksIn(turn.tools), [], format)
      assert.equal(turn.names.includes("d"), false, `${format}: it is withheld`)
      assert.equal(turn.tools.length, 2, format)
    }
  })

  test("more deferred definitions than Anthropic takes, but for those that the messages refer to", () => {
    const tools = Array.from({ length: 10_003 }, (_, at) => tool(`t${at}`, { defer_loading: true }))
    const search = createToolSearch({ tools, threshold: 0, delivery: "native", format: "anthropic" })
    const flagged = (turn) => turn.tools.filter((each) => each.defer_loading === true).length
    const first = search.turn([])
    assert.deepEqual([flagged(first), first.warnings.map(({ code }) => code)], [10_000, ["too_many_deferred"]])
    const messages = [
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "tool_search", input: { query: "x" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ type: "tool_reference", tool_name: "t10002" }, { type: "tool_reference", tool_name: "gone" }] }] },
    ]
    const next = search.turn(messages)
    assert.equal(flagged(next) <= 10_000, true, `${flagged(next)} flagged`)
    assert.deepEqual(next.names.slice(-2), ["t10002", "gone"])
    search.free()
  })

  test("a fifth breakpoint, and an hour after five minutes", () => {
    const marked = (count) => Array.from({ length: count }, (_, at) => tool(`r${at}`, { cache_control: EPHEMERAL }))
    const sent = (tools) => open({ tools: [...tools, tool("d", { defer_loading: true })], cacheBreakpoint: "1h" }).turn([]).tools.flatMap(({ cache_control }) => cache_control ?? [])
    assert.deepEqual(sent([]), [{ ...EPHEMERAL, ttl: "1h" }])
    assert.deepEqual(sent(marked(1)), [EPHEMERAL, EPHEMERAL])
    assert.equal(sent(marked(4)).length, 4)
    const hosted = { type: "web_search_20250305", name: "web_search", cache_control: EPHEMERAL }
    assert.equal(sent([...marked(3), hosted]).length, 4)
  })

  test("a forced tool in a proxy is said, not sent", () => {
    const search = open({ tools: [tool("d", { defer_loading: true })], delivery: "proxy" })
    const turn = search.turn([], { forced: ["d"] })
    assert.deepEqual([turn.names, turn.warnings.map(({ code }) => code)], [["tool_search", "call_tool"], ["forced_by_proxy"]])
    assert.match(turn.warnings[0].message, /call_tool/)
  })

  test("native without a format that anyone tells", () => {
    const tools = [{ name: "d", inputSchema: { type: "object" }, deferLoading: true }]
    assert.throws(() => createToolSearch({ tools, delivery: "native" }), failsWith("ambiguous_format", /set format/))
  })

  test("the definition of a tool that is gone says so and is free", () => {
    const search = open({ tools: [tool("d", { defer_loading: true })], delivery: "native" })
    const messages = [
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "tool_search", input: { query: "x" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ type: "tool_reference", tool_name: "gone" }] }] },
    ]
    const stub = search.turn(messages).tools.at(-1)
    assert.deepEqual([stub.name, stub.defer_loading, stub.input_schema], ["gone", true, { type: "object", properties: {} }])
    assert.match(stub.description, /no longer/)
  })
})
