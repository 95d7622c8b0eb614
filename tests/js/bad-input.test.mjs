// What the issue calls bad input, one named test for each. Nothing throws but a bad option, nothing is changed, nothing
// is lost, and what can't be read is sent as it is with a warning that names it.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { createToolSearch, estimateTokens, rankTools, rankToolsByKeywords } from "../../pkg/index.js"
import {
  assistant,
  call,
  chat,
  deferred,
  everything,
  failsWith,
  freeze,
  loads,
  nameOf,
  namesOf,
  prototypes,
  refusing,
  result,
  revoked,
  searchCall,
  throwing,
  untouched,
  user,
} from "./support.mjs"

const open = (tools, options = {}) => createToolSearch({ tools, threshold: 0, ...options })
const words = (warnings) => warnings.map(({ code, message, tool }) => `${code} ${tool ?? ""} ${message}`).join("\n")

/** The result that a model reads, parsed. */
const answerOf = async (search, args, messages = []) => {
  const reply = await search.answer(assistant(call("tool_search", args)), messages)
  assert.equal(reply.parts.length, 1)
  assert.equal(reply.parts[0].role, "tool")
  return { ...reply.results[0], content: JSON.parse(reply.parts[0].content) }
}

describe("how many tools", () => {
  test("no tools", async () => {
    for (const options of [
      {},
      { threshold: 0 },
      { threshold: false },
      { deferred: ["*"] },
      { deferred: { above: 0 } },
    ]) {
      const search = createToolSearch({ tools: [], ...options })
      assert.deepEqual(search.turn([]).tools, [])
      assert.equal(search.turn([]).note, null)
      assert.deepEqual(search.turn([]).tokens, { sent: 0, withheld: 0, all: 0 })
      assert.equal(search.deferral.reason, "nothing_deferred")
      assert.deepEqual(search.search("anything"), [])
      const { content, hits } = await answerOf(search, { query: "anything" })
      assert.deepEqual(hits, [])
      assert.deepEqual(content, {
        loaded: [],
        more: 0,
        note: "Nothing else is held back: what you have is all there is.",
      })
      assert.equal(search.resolve(call("gone", {})).error.code, "unknown_tool")
    }
    assert.deepEqual(rankTools("anything", []), [])
    assert.deepEqual(rankToolsByKeywords("anything", []), [])
  })

  test("one tool", async () => {
    const one = deferred("only")
    const { hits, turns, reply, target } = await everything([one])
    assert.equal(hits[0].tool, one)
    assert.deepEqual(namesOf(turns[0]), ["tool_search"])
    // Everything is loaded, so the search tool goes.
    assert.deepEqual(namesOf(turns[1]), ["only"])
    assert.deepEqual(reply.loaded, ["only"])
    assert.equal(reply.results[0].more, 0)
    assert.equal(target.tool, one)
    const resident = chat("resident")
    assert.deepEqual(createToolSearch({ tools: [resident] }).turn([]).tools, [resident])
  })

  test("a thousand tools", async () => {
    const tools = Array.from({ length: 1000 }, (_, index) => (index % 10 === 0 ? chat : deferred)(`tool_${index}`))
    freeze(tools)
    const search = createToolSearch({ tools })
    // 128 is the limit of the default threshold.
    assert.equal(search.deferral.applied, true)
    const turn = search.turn([])
    assert.equal(turn.tools.length, 101)
    assert.equal(new Set(namesOf(turn)).size, 101)
    assert.deepEqual(namesOf(turn).slice(0, 3), ["tool_0", "tool_10", "tool_20"])
    assert.equal(namesOf(turn).at(-1), "tool_search")
    for (const at of [1, 567, 999]) assert.equal(search.search(`tool_${at}`)[0].tool, tools[at])
    const names = tools.filter(({ deferLoading }) => deferLoading).map(({ name }) => name)
    const all = search.turn([], { loaded: names })
    assert.equal(all.tools.length, 1000)
    assert.deepEqual(all.loaded, names)
    assert.equal(all.note, null)
    const { content } = await answerOf(search, { query: "handles", limit: 1000 })
    assert.equal(content.loaded.length, 20)
    // However much its tools have to say, an answer stays small.
    const wordy = tools.map((tool) => ({ ...tool, description: "handles a great many things, at length. ".repeat(20) }))
    for (const query of ["handles", ["tool_1", "tool_2", "handles"], `select:${tools.map(nameOf).join()}`]) {
      const reply = await open(wordy, { limit: { max: 50 } }).answer(
        assistant(call("tool_search", { query, limit: 50 })),
        loads(["tool_3", "tool_4"]),
      )
      assert.ok(Buffer.byteLength(reply.parts[0].content) < 2000)
      assert.deepEqual(
        JSON.parse(reply.parts[0].content).loaded.map(({ name }) => name),
        reply.results[0].hits.map(({ name }) => name),
      )
    }
    assert.equal(content.more, 900 - content.loaded.length)
    await everything(tools)
  })
})

describe("names", () => {
  test("duplicate names: an error that names both positions", async () => {
    const tools = [
      chat("a"),
      chat("b"),
      chat("c"),
      deferred("twice"),
      ...Array.from({ length: 13 }, (_, at) => chat(`x${at}`)),
    ]
    tools.push(deferred("twice", { description: "another" }))
    const twice = failsWith("duplicate_tool_name", '"twice"', "positions 3 and 17")
    assert.throws(() => open(tools), twice)
    await assert.rejects(createToolSearch.async({ tools }), twice)
    // In the middle of a run it is none.
    assert.deepEqual(open([chat("a")]).update(tools).search.warnings.map(({ tool }) => tool), ["twice"])
    assert.throws(() => rankTools("x", tools), twice)
    assert.throws(() => rankToolsByKeywords("x", tools), twice)
    assert.throws(() => createToolSearch({ tools, threshold: false }), twice)
    // Both shapes, one name.
    assert.throws(() => open([chat("same"), deferred("same")]), failsWith("duplicate_tool_name", "positions 0 and 1"))
    assert.throws(
      () => open([deferred("same", { server: "here" }), deferred("same", { server: "there" })]),
      failsWith("duplicate_tool_name", "positions 0 and 1", '"here"', '"there"'),
    )
    // Names are compared as they are: an engine that folded case would refuse real catalogues.
    assert.deepEqual(namesOf(createToolSearch({ tools: [chat("a"), chat("A")] }).turn([])), ["a", "A"])
  })

  test("the same definition twice is merged, with a warning", () => {
    const tools = [deferred("same"), chat("other"), structuredClone(deferred("same"))]
    const search = open(tools)
    assert.equal(search.warnings.length, 1)
    assert.equal(search.warnings[0].code, "merged_tool")
    assert.equal(search.warnings[0].tool, "same")
    assert.match(search.warnings[0].message, /"same".*positions 0 and 2/)
    assert.deepEqual(namesOf(search.turn([], { loaded: ["same"] })), ["other", "same"])
    assert.equal(search.search("same").length, 1)
    assert.equal(search.search("same")[0].tool, tools[0])
    assert.equal(search.deferral.deferredTools, 1)
    // The order of keys is no difference, the very same object neither.
    const other = {
      deferLoading: true,
      inputSchema: { properties: {}, type: "object" },
      description: "handles same",
      name: "same",
    }
    assert.equal(open([tools[0], other]).warnings[0].code, "merged_tool")
    assert.equal(open([tools[0], tools[0]]).warnings[0].code, "merged_tool")
  })

  test("a host tool called tool_search: an error when deferral applies, allowed when it does not", async () => {
    const own = chat("tool_search")
    const reserved = failsWith("reserved_tool_name", '"tool_search"', "searchTool.name")
    assert.throws(() => open([own, deferred("a")]), reserved)
    await assert.rejects(createToolSearch.async({ tools: [own, deferred("a")], threshold: 0 }), reserved)
    for (const options of [{}, { threshold: false }, { threshold: { tokens: 1e6 } }]) {
      const search = createToolSearch({ tools: [own, deferred("a")], ...options })
      assert.equal(search.turn([]).tools[0], own)
      assert.deepEqual(namesOf(search.turn([])), ["tool_search", "a"])
      // A call of it is the host's, not ours, and its result loads nothing.
      assert.equal(search.resolve(searchCall("a")).tool, own)
      assert.deepEqual((await search.answer(assistant(searchCall("a")))).parts, [])
      assert.deepEqual(search.turn(loads(["a"])).loaded, [])
      assert.equal(search.turn(loads(["a"])).deferral.reason, "reserved_name")
    }
    assert.deepEqual(namesOf(createToolSearch({ tools: [own], threshold: 0 }).turn([])), ["tool_search"])
    // Renamed, both stand beside each other.
    const renamed = open([own, deferred("a")], { searchTool: { name: "find_tools" } })
    assert.deepEqual(namesOf(renamed.turn([])), ["tool_search", "find_tools"])
    assert.throws(
      () => open([chat("find_tools"), deferred("a")], { searchTool: { name: "find_tools" } }),
      failsWith("reserved_tool_name", '"find_tools"'),
    )
  })

  const HOSTILE = [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "__defineGetter__",
    "isPrototypeOf",
    "then",
    "length",
    "toJSON",
  ]

  test("names that objects have: as tools", async () => {
    const before = prototypes()
    const tools = HOSTILE.map((name, at) => (at % 2 ? chat(name, { deferred: true }) : deferred(name)))
    const search = open(freeze(tools))
    // `prototype` and its like are ordinary names to the wire.
    assert.deepEqual(search.warnings, [])
    for (const [index, name] of HOSTILE.entries()) {
      assert.equal(search.search(name)[0].tool, tools[index], name)
      assert.equal(search.resolve(call(name, {})).tool, tools[index], name)
      assert.deepEqual(search.turn([], { loaded: [name] }).loaded, [name])
      assert.equal(nameOf(search.turn(loads([name])).tools.at(-1)), name)
      assert.ok(!search.turn([], { loaded: [name], exclude: [name] }).loaded.includes(name))
      assert.equal(nameOf(search.turn([], { forced: [name] }).tools.at(-1)), name)
      assert.deepEqual((await answerOf(search, { query: name })).loaded.includes(name), true, name)
    }
    assert.deepEqual([...rankTools("constructor", tools)], ["constructor"])
    await everything(tools)
    // None of them is there unless it was given.
    const empty = open([deferred("a")])
    for (const name of HOSTILE) {
      assert.equal(empty.resolve(call(name, {})).error.code, "unknown_tool", name)
      assert.deepEqual(empty.turn(loads([name]), { loaded: [name] }).loaded, [], name)
      assert.deepEqual(empty.search(name), [], name)
    }
    assert.equal(prototypes(), before)
  })

  test("names that objects have: as ids, servers, options, parameters, arguments and keys of messages", async () => {
    const before = prototypes()
    for (const name of HOSTILE) {
      const tools = [
        deferred("a", { server: name }),
        deferred("b", { inputSchema: { type: "object", properties: keyed(name, { type: "object" }) } }),
      ]
      const search = open(tools, { servers: keyed(name, { deferLoading: true, prefix: `${name}_` }) })
      assert.ok(search.note.includes(`from ${name} (1)`), name)
      assert.deepEqual(search.turn(loads(["a"], name)).loaded, ["a"])
      assert.equal(search.searchResults(loads(["a"], name))[0].callId, name)
      const said = assistant(searchCall("a", name))
      assert.equal(search.pending([said])[0], said.tool_calls[0])
      const reply = await search.answer(said)
      assert.equal(reply.parts[0].tool_call_id, name)
      assert.equal(reply.results[0].id, name)
      assert.deepEqual(
        reply.messages([result("x", "other")]).map((part) => part.tool_call_id),
        [name, "other"],
      )
      const { args } = search.resolve(call("b", JSON.stringify(keyed(name, { polluted: 1 }))))
      assert.deepEqual(Object.keys(args), [name])
      // What every object inherits is no argument, and what is given under such a name is held against its schema.
      assert.deepEqual(search.resolve(call("b", {})).args, {})
      const wrong = search.resolve(call("b", JSON.stringify(keyed(name, 5))))
      assert.equal(wrong.error?.code, "invalid_arguments", name)
      assert.deepEqual(search.turn([keyed(name, { role: "assistant" }), user()]).loaded, [])
      assert.throws(() => createToolSearch({ tools, ...keyed(name, 1) }), failsWith("unknown_option", `"${name}"`))
      assert.throws(() => open(tools, { limit: keyed(name, 1) }), failsWith("unknown_option", `"limit.${name}"`))
      assert.throws(() => search.turn([], keyed(name, [])), failsWith("unknown_option", `"${name}"`))
      assert.throws(
        () => open(tools, { servers: { s: keyed(name, 1) } }),
        failsWith("unknown_option", `"servers.s.${name}"`),
      )
      await everything([{ ...tools[1], ...keyed(name, 5) }], {}, [{ role: name, content: name, ...keyed(name, name) }])
    }
    assert.equal(prototypes(), before)
    assert.equal({}.polluted, undefined)
  })

  test("a prototype that someone else has polluted marks nothing and loads nothing", () => {
    for (const key of ["deferLoading", "server", "limit", "loaded", "tool_calls", "strict"]) {
      Object.prototype[key] = key === "server" ? "evil" : true
      try {
        const search = createToolSearch({
          tools: [{ name: "a", inputSchema: { type: "object" } }, deferred("b")],
          threshold: 0,
        })
        assert.deepEqual(search.warnings, [])
        assert.deepEqual(namesOf(search.turn([user()])), ["a", "tool_search"], key)
        assert.ok(!search.note.includes("evil"))
      } finally {
        delete Object.prototype[key]
      }
    }
  })

  const keyed = (name, value) =>
    Object.defineProperty({}, name, { value, enumerable: true, configurable: true, writable: true })
})

describe("schemas", () => {
  const recursive = {
    type: "object",
    properties: { node: { $ref: "#/$defs/node" } },
    $defs: { node: { type: "object", description: "zebra", properties: { child: { $ref: "#/$defs/node" } } } },
  }
  const circular = { type: "object", properties: { striped: { type: "object", description: "zebra" } } }
  circular.properties.striped.properties = { again: circular }
  const deep = (levels) => {
    let schema = { type: "string", description: "at the bottom" }
    for (let level = levels; level > 0; level--) schema = { type: "object", properties: { [`level_${level}`]: schema } }
    return schema
  }

  const GOOD = {
    "properties: null": { type: "object", properties: null },
    "no schema": undefined,
    "schema null": null,
    "empty schema": {},
    "properties that are no objects": { type: "object", properties: { a: null, b: 1, c: "x", d: [], e: true } },
    "properties that are an array": { type: "object", properties: ["a", "b"] },
    "type that is an object": { type: { a: 1 }, properties: { a: { type: ["string", 5, null] } } },
    "required that is a text": { type: "object", required: "a", properties: { a: {} } },
    "enum of anything": { type: "object", properties: { a: { enum: [null, 1, {}, [], "x"] } } },
    "recursive $ref": recursive,
    "$ref to itself": { $ref: "#" },
    "$ref to nothing": {
      type: "object",
      properties: { a: { $ref: "#/$defs/gone" }, b: { $ref: 5 }, c: { $ref: "http://x/y" } },
    },
    "300 levels": deep(300),
    "boolean schemas": { type: "object", properties: { a: true, b: false } },
    "numbers that JSON can't hold": {
      type: "object",
      properties: { a: { maximum: 1e308, minimum: -Infinity, default: NaN } },
    },
    "lone surrogates": {
      type: "object",
      properties: { "a\ud800": { description: "\udc00 zebra" } },
      required: ["a\ud800"],
    },
    "two thousand properties": {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`p${at}`, { type: "string" }])),
    },
  }
  for (const [what, inputSchema] of Object.entries(GOOD)) {
    test(`${what}: sent as it is, and found`, async () => {
      const neutral = { name: "converted", description: "mends a bicycle", inputSchema, deferLoading: true }
      const own = {
        type: "function",
        function: { name: "own", description: "mends a bicycle", parameters: inputSchema },
        deferred: true,
      }
      const plain = {
        type: "function",
        function: { name: "plain", description: "mends a bicycle", parameters: inputSchema },
      }
      const tools = freeze([neutral, own, plain])
      const { turns, hits, warnings } = await everything(tools)
      assert.deepEqual(warnings, [])
      assert.equal(hits[0].tool, neutral)
      const sent = Object.fromEntries(turns[1].tools.map((tool) => [nameOf(tool), tool]))
      assert.equal(sent.plain, plain, "a tool that no rule changes is the host's own object")
      assert.equal(sent.own.function, own.function, "only the marker goes")
      assert.ok(!("deferred" in sent.own))
      const { parameters } = sent.converted.function
      if (inputSchema?.type === "object" || inputSchema === null || inputSchema === undefined) {
        assert.equal(parameters, inputSchema ?? undefined, "the schema stays the host's")
      } else {
        assert.deepEqual(parameters, ofObject(inputSchema), "a provider refuses one that says no object")
      }
      assert.deepEqual(rankTools("bicycle", tools), ["converted", "own", "plain"])
    })
  }

  test("what stands in a schema is searched as deep as people write, and no deeper", () => {
    const search = open([deferred("deep", { inputSchema: deep(300) }), deferred("tree", { inputSchema: recursive })])
    assert.equal(search.search("zebra")[0]?.name, "tree")
    assert.equal(search.search("level_1")[0]?.name, "deep")
  })

  test("20,000 levels: more than JSON.stringify takes", async () => {
    const tool = deferred("abyss", { inputSchema: deep(20_000) })
    const search = open([tool, chat("other")])
    assert.equal(search.search("abyss")[0].tool, tool)
    assert.equal(search.turn([], { loaded: ["abyss"] }).tools.at(-1).function.parameters, tool.inputSchema)
    assert.match(words(search.warnings), /abyss/)
  })

  test("circular by reference: a warning that names it, the rest is searched", async () => {
    const tool = deferred("round", { inputSchema: circular })
    const own = chat("own", { function: { name: "own", parameters: circular } })
    const { turns, warnings } = await everything(freeze([tool, own]))
    assert.deepEqual(
      warnings.map(({ code, tool }) => [code, tool]),
      [
        ["schema_not_json", "round"],
        ["schema_not_json", "own"],
      ],
    )
    assert.equal(turns[1].tools.at(-1).function.parameters, circular)
    assert.equal(turns[1].tools[0], own)
    assert.deepEqual(
      open([tool])
        .search("zebra striped")
        .map(({ name }) => name),
      ["round"],
    )
    // Many circles in one, which a reader without a memory would follow for ever.
    const knot = { type: "object", properties: { striped: { description: "zebra" } } }
    for (let at = 0; at < 8; at++) knot.properties[`again_${at}`] = knot.properties.striped[`back_${at}`] = knot
    assert.equal(open([deferred("knot", { inputSchema: knot })]).search("zebra")[0].name, "knot")
    assert.doesNotThrow(() => estimateTokens(circular))
    assert.ok(estimateTokens(circular) > 0)
  })

  const NOT_JSON = {
    "a big integer": [{ type: "object", properties: { zebra: { default: 1n } } }, "schema_not_json"],
    "a getter that throws within": [{ type: "object", properties: throwing({ zebra: {} }, "x") }, "schema_not_json"],
    "toJSON that throws": [
      {
        type: "object",
        properties: { zebra: {} },
        toJSON() {
          throw new Error("no")
        },
      },
      "schema_not_json",
    ],
    "a proxy that refuses": [refusing(), undefined],
    "a revoked proxy": [revoked(), undefined],
    "a text": ["nope", "schema_not_object"],
    "a number": [5, "schema_not_object"],
    "an array": [[{ type: "object" }], "schema_not_object"],
    "a symbol": [Symbol("x"), "schema_not_object"],
  }
  for (const [what, [inputSchema, code]] of Object.entries(NOT_JSON)) {
    test(`${what} in the schema's place: a warning that names the tool`, async () => {
      const tools = [
        deferred("odd", { inputSchema }),
        chat("own", { function: { name: "own", parameters: inputSchema } }),
      ]
      const { turns, warnings } = await everything(tools)
      for (const name of ["odd", "own"]) {
        const found = warnings.filter(({ tool }) => tool === name)
        assert.equal(found.length, 1, `${name}: ${words(warnings)}`)
        if (code) assert.equal(found[0].code, code)
        assert.ok(found[0].message.includes(`"${name}"`))
      }
      assert.equal(turns[1].tools[0], tools[1])
      const { parameters } = turns[1].tools.at(-1).function
      // A proxy that refuses to be read goes out as it is.
      const isLegible = code === "schema_not_json" || code === "schema_not_object"
      if (isLegible && inputSchema?.type !== "object") assert.deepEqual(parameters, ofObject(inputSchema))
      else assert.equal(parameters, inputSchema)
      assert.equal(open(tools).search("odd")[0].tool, tools[0])
      // What can be read of it is searched.
      if (code === "schema_not_json") assert.equal(open(tools).search("zebra")[0]?.tool, tools[0])
    })
  }

  test("a description of a megabyte", async () => {
    const description = "walrus ".repeat(150_000)
    const tools = freeze([
      deferred("big", { description }),
      deferred("small"),
      chat("own", { function: { name: "own", description } }),
    ])
    const { turns, reply } = await everything(tools)
    assert.equal(turns[1].tools[0], tools[2])
    assert.equal(turns[1].tools.find((tool) => nameOf(tool) === "big").function.description, description, "sent whole")
    assert.ok(reply.parts.every(({ content }) => Buffer.byteLength(content) < 2000))
    const search = open(tools)
    assert.equal(search.search("walrus")[0].tool, tools[0])
    assert.ok(search.deferral.deferredTokens > 140_000)
    assert.ok(
      JSON.parse((await search.answer(assistant(searchCall("walrus")))).parts[0].content).loaded[0].description
        .length <= 201,
    )
  })
})

describe("objects", () => {
  test("frozen objects and class instances are read, and come back", async () => {
    class Tool {
      #secret = "kept"
      constructor(name) {
        this.type = "function"
        this.function = { name, description: `handles ${name}`, parameters: { type: "object", properties: {} } }
      }
      execute() {
        return this.#secret
      }
    }
    class Inherited {
      get name() {
        return "inherited"
      }
      get description() {
        return "handles inherited zebra things"
      }
      get inputSchema() {
        return { type: "object", properties: { stripes: { type: "string" } } }
      }
      get deferLoading() {
        return true
      }
    }
    const plain = new Tool("plain")
    const marked = Object.assign(new Tool("marked"), { deferred: true })
    const inherited = new Inherited()
    const bare = Object.assign(Object.create(null), deferred("bare"))
    const tools = freeze([plain, marked, inherited, bare])
    const { turns, warnings } = await everything(tools)
    assert.deepEqual(warnings, [])
    const sent = Object.fromEntries(turns[1].tools.map((tool) => [nameOf(tool), tool]))
    assert.equal(sent.plain, plain)
    assert.equal(sent.plain.execute(), "kept")
    assert.ok(sent.marked instanceof Tool)
    assert.equal(sent.marked.execute, marked.execute)
    assert.ok(!("deferred" in sent.marked) && marked.deferred)
    assert.deepEqual(sent.inherited.function.parameters.properties, { stripes: { type: "string" } })
    assert.deepEqual(Object.keys(sent.bare), ["type", "function"])
    assert.equal(open(tools).search("zebra")[0].tool, inherited)
    assert.equal(open(tools).resolve(call("marked", {})).tool.execute(), "kept")
  })

  const BROKEN = {
    null: null,
    undefined: undefined,
    "a number": 5,
    "a text": "get_weather",
    "a function": () => {},
    "an array": [deferred("within")],
    "an object without a name": { description: "nameless", inputSchema: {} },
    "an empty name": { name: "", inputSchema: {} },
    "a name that is a number": { name: 5, inputSchema: {} },
    "a name that is an object": { name: {}, inputSchema: {} },
    "a function without a name": { type: "function", function: { description: "nameless" } },
    "a function that is null": { type: "function", function: null },
    "a function that is a text": { type: "function", function: "get_weather" },
    "a type alone that asks for a function": { type: "function" },
    "a getter that throws, on name": throwing({ inputSchema: {} }, "name"),
    "a getter that throws, on function": throwing({ type: "function" }, "function"),
    "a getter that throws, on function.name": { type: "function", function: throwing({}, "name") },
    "a proxy that refuses everything": refusing(),
    "a proxy that refuses everything, as function": { type: "function", function: refusing() },
    "a revoked proxy": revoked(),
    "a revoked proxy, as function": { type: "function", function: revoked() },
  }
  for (const [what, broken] of Object.entries(BROKEN)) {
    test(`${what} among the tools: sent as it is, with a warning that names it`, async () => {
      const tools = [chat("first"), broken, deferred("last")]
      const search = open(tools)
      const turn = search.turn([])
      assert.equal(turn.tools.length, 3)
      assert.equal(turn.tools[0], tools[0])
      assert.ok(Object.is(turn.tools[1], broken))
      assert.equal(search.warnings.length, 1, words(search.warnings))
      assert.equal(search.warnings[0].code, "unreadable_tool")
      assert.match(search.warnings[0].message, /position 1\b/)
      assert.equal(search.search("last")[0].tool, tools[2])
      assert.deepEqual(rankTools("last", tools), ["last"])
      assert.doesNotThrow(() => search.fingerprint())
      const update = search.update(tools)
      assert.deepEqual([update.added, update.removed, update.changed], [[], [], []])
      await search.answer(assistant(searchCall("last")), [user()])
      assert.equal(createToolSearch({ tools, countTokens: () => 1 }).turn([]).tools.length, 3)
      await createToolSearch.async({ tools })
    })
  }

  const LOSING = {
    "a getter that throws, on description": throwing(
      { name: "odd", inputSchema: {}, deferLoading: true },
      "description",
    ),
    "a getter that throws, on function.description": {
      type: "function",
      deferred: true,
      function: throwing({ name: "odd" }, "description"),
    },
    "a getter that throws, on the schema": throwing({ name: "odd", deferLoading: true }, "inputSchema"),
    "a getter that throws, on function.parameters": {
      type: "function",
      deferred: true,
      function: throwing({ name: "odd" }, "parameters"),
    },
    "a getter that throws, on server": throwing({ name: "odd", deferLoading: true }, "server"),
    "a description that is a number": { name: "odd", description: 5, deferLoading: true },
    "a description that is an object": { name: "odd", description: { text: "x" }, deferLoading: true },
    "a marker that is a text": { name: "odd", deferLoading: true, deferred: "yes" },
    "a marker that is misspelt": { name: "odd", deferLoading: true, deferloading: true },
  }
  for (const [what, odd] of Object.entries(LOSING)) {
    test(`${what}: found without it, with a warning that names the tool`, async () => {
      const tools = [chat("first"), odd]
      const { warnings, hits, target } = await everything(tools)
      assert.equal(hits.length, 0)
      assert.equal(target.tool, tools[0])
      const search = open(tools)
      assert.equal(search.search("odd")[0].tool, odd)
      assert.ok(warnings.length >= 1 && warnings.every(({ tool }) => tool === "odd"), words(warnings) || "no warning")
      assert.ok(warnings.every(({ message }) => message.includes('"odd"')))
    })
  }

  test("a getter that throws, on the marker: the tool is sent, with a warning that names it", () => {
    const odd = throwing({ name: "odd" }, "deferLoading")
    const search = open([odd, deferred("last")])
    assert.deepEqual(namesOf(search.turn([])), ["odd", "tool_search"])
    assert.deepEqual(
      search.warnings.map(({ tool }) => tool),
      ["odd"],
    )
  })

  test("an array of tools with holes", () => {
    const tools = [chat("a"), , deferred("b")]
    const search = open(tools)
    assert.equal(search.turn([]).tools.length, 3)
    assert.match(search.warnings[0].message, /position 1\b/)
    assert.equal(search.search("b")[0].tool, tools[2])
  })

  test("nothing is changed: tools, schemas, messages, options", async () => {
    const schema = { type: "object", properties: { q: { type: "string" } } }
    const tools = [
      chat("a"),
      chat("b", { deferred: true, server: "s" }),
      deferred("c", { inputSchema: schema, extra: { deep: [1, 2] } }),
      null,
      { type: "web_search" },
    ]
    const messages = [
      user(),
      ...loads(["c"]),
      assistant(call("b", { q: "x" }, "c9")),
      result("fine", "c9"),
      null,
      { role: "odd" },
    ]
    const options = {
      deferred: ["b"],
      resident: ["a"],
      servers: { s: { tools: ["b"] } },
      limit: { max: 7 },
      searchTool: { formerNames: ["x"] },
      handoffs: [],
    }
    await untouched([tools, messages, options], () => everything(tools, options, messages))
    // And nothing needs to be written to.
    await everything(freeze(tools), freeze(options), freeze(messages))
  })
})

describe("lone surrogates", () => {
  const [high, low] = ["\ud83d", "\udc00"]

  test("in names, descriptions, schemas, servers, queries, ids, messages and options", async () => {
    const tools = [
      deferred(`name${high}`, { description: `zebra ${low} crossing`, server: `s${high}` }),
      deferred("plain", {
        description: `walrus ${high}`,
        inputSchema: { type: "object", properties: { [`p${low}`]: { description: high } } },
      }),
      chat("own", {
        function: { name: "own", description: `otter ${low}`, parameters: { type: "object", title: high } },
      }),
    ]
    freeze(tools)
    const messages = freeze([
      user(`${high} text`),
      assistant(searchCall(`x ${low}`, `id${high}`)),
      result(`{"loaded":[{"name":"plain","description":"${high}"}]}`, `id${high}`),
    ])
    const { search: known, turns, warnings, reply } = await everything(tools, {}, messages)
    assert.deepEqual(turns[0].loaded, ["plain"])
    assert.equal(turns[0].tools[0], tools[2])
    assert.deepEqual(warnings, [])
    const [alias] = Object.values(known.aliases)
    assert.match(alias, /^name_\w+$/, "the wire takes no such name")
    assert.ok(reply.parts.every(({ content }) => content.isWellFormed()))
    const search = open(tools)
    assert.equal(search.search("zebra")[0].tool, tools[0])
    assert.equal(search.search(`walrus ${low}`)[0].tool, tools[1])
    assert.deepEqual(search.search(high), [])
    assert.deepEqual(search.search(low), [])
    assert.equal(search.resolve(call(alias, {})).tool, tools[0])
    assert.equal(nameOf(search.turn([], { loaded: [`name${high}`] }).tools.at(-1)), alias)
    assert.equal(search.turn([], { loaded: ["plain", high], forced: [low], exclude: [`*${low}`] }).loaded[0], "plain")
    const answered = await search.answer(assistant(call("tool_search", `{"query":"walrus \\ud83d"}`, `i${high}`)))
    assert.deepEqual(answered.loaded, ["plain"])
    assert.ok(JSON.stringify(answered.parts).isWellFormed())
    assert.equal(typeof estimateTokens(high), "number")
    assert.ok(search.note.isWellFormed())
  })

  test("a result that a host cut within a character loads what it shows", () => {
    const search = open([deferred("a"), deferred("b"), deferred("c")])
    const content = JSON.stringify({
      loaded: [{ name: "a", description: high }, { name: "b", description: "🦓" }, { name: "c" }],
    })
    assert.deepEqual(search.turn([assistant(searchCall("x")), result(content)]).loaded, ["a", "b", "c"])
    const cut = content.slice(0, content.indexOf("\udd93"))
    assert.ok(!cut.isWellFormed())
    assert.deepEqual(search.turn([assistant(searchCall("x")), result(cut)]).loaded, ["a", "b"])
  })

  test("the same in an option: refused with its name, or taken", () => {
    assert.throws(() => open([], { [`limt${high}`]: 1 }), failsWith("unknown_option"))
    assert.throws(() => open([], { searchTool: { name: high } }), failsWith("invalid_option", "searchTool.name"))
    assert.doesNotThrow(() =>
      open([deferred("a")], { resident: [high], deferred: [low], servers: { [high]: { prefix: low } } }),
    )
  })
})

describe("messages", () => {
  const tools = freeze([chat("resident"), ...["a", "b", "c", "d"].map((name) => deferred(name))])
  const search = open(tools)
  const loaded = (messages, options) => search.turn(messages, options).loaded

  const NO_ARRAY = {
    null: null,
    undefined: undefined,
    "a text": "messages",
    "a number": 5,
    "a boolean": true,
    "an object": { role: "user", content: "x" },
    "an object with a length": { length: 1, 0: { role: "user" } },
    "a function": () => [],
    "a symbol": Symbol("x"),
    "a big integer": 1n,
    "a map": new Map([[0, user()]]),
    "a set": new Set([user()]),
    "a revoked proxy": revoked([]),
    "a proxy that refuses": refusing({}),
    "a typed array": new Uint8Array(3),
  }
  for (const [what, messages] of Object.entries(NO_ARRAY)) {
    test(`messages that are ${what} count as empty, with a warning`, async () => {
      const turn = search.turn(messages)
      assert.deepEqual(namesOf(turn), ["resident", "tool_search"])
      assert.deepEqual(turn.loaded, [])
      assert.deepEqual(
        turn.warnings.map(({ code }) => code),
        ["unreadable_messages"],
      )
      assert.deepEqual(search.pending(messages), [])
      assert.deepEqual(search.searchResults(messages), [])
      assert.equal(search.resolve(call("a", {}), messages).tool, tools[1])
      assert.deepEqual((await search.answer(assistant(searchCall("a")), messages)).loaded, ["a"])
    })
  }

  test("messages that are a promise, or options in their place, are a slip of the host's", async () => {
    for (const messages of [Promise.resolve([]), { exclude: ["a"] }, { loaded: [], model: "x" }]) {
      const slip = failsWith("invalid_option", messages.then ? "await them first" : "options are given in place of the messages")
      for (const ask of ["turn", "fit", "pending", "searchResults"]) assert.throws(() => search[ask](messages), slip)
      assert.throws(() => search.keepNote(messages, []), slip)
      assert.throws(() => search.resolve(call("a", {}), messages), slip)
      await assert.rejects(search.answer(assistant(searchCall("a")), messages), slip)
    }
  })

  const ODD = {
    "unknown roles": ["developer", "critic", "", null, 5, {}, "Assistant", "TOOL"].map((role) => ({
      role,
      content: "x",
      tool_calls: [searchCall("x", "u")],
    })),
    "messages that are no objects": [null, undefined, 5, "x", true, () => {}, Symbol("x"), [], [[]], new Date(0), 1n],
    "empty objects": [{}, Object.create(null)],
    "unknown parts": [
      user([
        { type: "image_url", image_url: { url: "x" } },
        { type: "never_heard_of" },
        null,
        5,
        "x",
        { type: "text" },
      ]),
      { role: "assistant", content: [{ type: "refusal", refusal: "no" }, { type: "reasoning", x: 1 }, null] },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          null,
          5,
          "x",
          {},
          { type: "custom" },
          { function: null },
          { function: { name: 5 } },
          { id: {}, function: { name: "tool_search" } },
        ],
      },
      { role: "assistant", content: null, tool_calls: {} },
      { role: "assistant", content: null, tool_calls: "x" },
      { role: "assistant", content: null, tool_calls: null, function_call: { name: "tool_search", arguments: "{}" } },
      { role: "tool", content: null },
      { role: "tool", tool_call_id: 5, content: 5 },
      { role: "tool", tool_call_id: {}, content: { loaded: 5 } },
      { role: "function", name: "tool_search", content: '{"loaded":[{"name":"b"}]}' },
    ],
    "getters that throw": [
      throwing({ content: "x" }, "role"),
      throwing({ role: "assistant" }, "tool_calls"),
      throwing({ role: "tool", tool_call_id: "c1" }, "content"),
      throwing({ role: "tool", content: "x" }, "tool_call_id"),
      { role: "assistant", tool_calls: [throwing({ id: "g" }, "function")] },
      { role: "assistant", tool_calls: [{ id: "g", function: throwing({ name: "tool_search" }, "arguments") }] },
      { role: "assistant", tool_calls: [throwing({ function: { name: "a" } }, "id")] },
      { role: "tool", tool_call_id: "g", content: [throwing({ type: "text" }, "text")] },
    ],
    "proxies that throw": [
      refusing(),
      { role: "assistant", tool_calls: refusing([]) },
      { role: "assistant", tool_calls: [refusing()] },
      { role: "tool", tool_call_id: "c1", content: refusing() },
    ],
    "revoked proxies": [
      revoked(),
      revoked([]),
      { role: "assistant", tool_calls: revoked([]) },
      { role: "assistant", tool_calls: [revoked()] },
      { role: "tool", tool_call_id: "c1", content: revoked() },
    ],
    "a message that holds itself": (() => {
      const message = { role: "user" }
      message.content = [message]
      message.self = message
      return [message]
    })(),
  }
  /** How many of them have no role that the format knows. */
  const UNKNOWN = {
    "unknown roles": 7,
    "messages that are no objects": 11,
    "empty objects": 2,
    "getters that throw": 1,
    "proxies that throw": 1,
    "revoked proxies": 2,
  }
  for (const [what, odd] of Object.entries(ODD)) {
    const unknown = UNKNOWN[what] ?? 0
    test(`${what} are passed over: what stands between them is read`, async () => {
      const around = [...odd, ...loads(["c"], "k1"), ...odd, ...loads(["a"], "k2"), ...odd]
      assert.deepEqual(loaded(around), ["c", "a"])
      // They are not passed over in silence.
      assert.deepEqual(
        search.turn(around).warnings.map(({ code }) => code),
        unknown === 0 ? [] : ["unknown_messages"],
      )
      if (unknown > 0)
        assert.match(search.turn(around).warnings[0].message, new RegExp(`\\b${unknown * 3}\\b.*position`))
      assert.deepEqual(
        search.searchResults(around).map(({ message }) => message),
        [odd.length + 1, odd.length * 2 + 3],
      )
      assert.doesNotThrow(() => search.pending(around))
      assert.deepEqual(loaded(odd), [])
      for (const message of odd) {
        const reply = await search.answer(message, around)
        assert.deepEqual(reply.loaded, [])
        assert.doesNotThrow(() => reply.messages([message]))
        const target = search.resolve(message, around)
        assert.equal(typeof (target.error?.code ?? target.name), "string")
      }
      await everything(tools, { calls: "load", handoff: "reset", unloadedCall: "load" }, around)
    })
  }

  test("sparse arrays", () => {
    const messages = []
    messages[3] = loads(["a"])[0]
    messages[7] = loads(["a"])[1]
    messages[20_000] = user()
    assert.deepEqual(loaded(messages), ["a"])
    assert.deepEqual(search.searchResults(messages), [{ message: 7, part: null, callId: "c1", names: ["a"] }])
  })

  test("orphaned calls and results", () => {
    const text = { loaded: [{ name: "a" }], more: 0, note: "" }
    // A result without a call, before its call, for another call, and a second one for the same.
    assert.deepEqual(loaded([result(text)]), [])
    assert.deepEqual(loaded([result(text), assistant(searchCall("x"))]), [])
    assert.deepEqual(loaded([assistant(searchCall("x", "c2")), result(text, "c1")]), [])
    assert.deepEqual(loaded([...loads(["b"]), result(text)]), ["b"])
    assert.deepEqual(loaded([assistant(call("resident", {})), result(text)]), [])
    // A call without a result loads nothing, and the next turn drops it.
    assert.deepEqual(loaded([assistant(searchCall("x"))]), [])
    assert.deepEqual(loaded([assistant(searchCall("x")), { role: "assistant", content: "hm" }, result(text)]), [])
    assert.deepEqual(loaded([assistant(searchCall("x")), user("wait"), result(text)]), ["a"])
    assert.deepEqual(search.pending([assistant(searchCall("x")), user()]).length, 1)
    assert.deepEqual(search.pending([assistant(searchCall("x")), result("no json")]), [])
  })

  test("results in another order than their calls", () => {
    const said = assistant(searchCall("x", "k1"), call("resident", {}, "k2"), searchCall("y", "k3"))
    const found = (name, id) => result({ loaded: [{ name }] }, id)
    assert.deepEqual(loaded([said, found("a", "k3"), found("b", "k2"), found("c", "k1")]), ["a", "c"])
    assert.deepEqual(loaded([said, found("c", "k1"), found("a", "k3")]), ["c", "a"])
  })

  test("ids repeated on every turn", () => {
    const messages = [
      ...loads(["a"]),
      ...loads(["b"]),
      assistant(call("resident", {})),
      result({ loaded: [{ name: "c" }] }),
      ...loads(["d"]),
    ]
    assert.deepEqual(loaded(messages), ["a", "b", "d"])
    assert.deepEqual(
      search.searchResults(messages).map(({ message }) => message),
      [1, 3, 7],
    )
  })

  test("a result cut short by the host loads what it shows", async () => {
    const reply = await search.answer(assistant(call("tool_search", { query: "select:a,b,c,d" })))
    const { content } = reply.parts[0]
    assert.deepEqual([...reply.loaded].sort(), ["a", "b", "c", "d"])
    let most = 0
    for (let end = 0; end <= content.length; end++) {
      for (const cut of [
        content.slice(0, end),
        `${content.slice(0, end)}… [truncated]`,
        `${content.slice(0, end)}\n\n<cut>`,
      ]) {
        const names = loaded([assistant(searchCall("x")), result(cut)])
        // Never a name that the text does not show, never out of order.
        assert.deepEqual(names, reply.loaded.slice(0, names.length), cut)
        for (const name of names) assert.ok(cut.includes(`"${name}"`), cut)
        for (const [at, name] of reply.loaded.entries())
          if (cut.includes(`{"name":"${name}"`)) assert.ok(names.length > at, cut)
        most = Math.max(most, names.length)
      }
    }
    assert.equal(most, 4)
  })

  test("a result that is no JSON, or other JSON, loads nothing", () => {
    const contents = [
      "",
      " ",
      "null",
      "true",
      "5",
      '"a"',
      "[]",
      "{}",
      "{",
      "[",
      "not json",
      "a",
      '{"loaded"',
      '{"loaded":',
      '{"loaded":null}',
      '{"loaded":{}}',
      '{"loaded":"a"}',
      '{"loaded":[]}',
      '{"loaded":[null,5,"x",[],{}]}',
      '{"loaded":[{"nom":"a"}]}',
      '{"loaded":[{"name":5}]}',
      '{"error":"no","loaded":"a"}',
      '{"found":[{"name":"a"}]}',
      "[".repeat(100_000),
      '{"loaded":'.repeat(50_000),
      '{"loaded":[{"name":'.repeat(20_000),
      "\u0000",
      "\ufeff{}",
      'Error: {"name":"a"}',
      "undefined",
    ]
    for (const content of [
      ...contents,
      null,
      undefined,
      5,
      true,
      [],
      {},
      [null],
      [{ type: "text" }],
      [{ type: "text", text: 5 }],
      () => {},
      Symbol("x"),
    ]) {
      const messages = [assistant(searchCall("x")), { role: "tool", tool_call_id: "c1", content }]
      assert.deepEqual(loaded(messages), [], String(content).slice(0, 40))
    }
    // Names of nobody's load nothing, and take nothing with them.
    assert.deepEqual(loaded(loads(["nobody", "a", "resident", "tool_search", "a"])), ["a"])
  })

  test("arguments that are no JSON are answered with an error that the model can read", async () => {
    for (const args of [
      "",
      " ",
      "{",
      "nope",
      "null",
      "5",
      "true",
      "[]",
      "[null]",
      "{}",
      '{"query":null}',
      '{"query":5}',
      '{"query":{}}',
      '{"query":[]}',
      '{"query":',
      "[".repeat(50_000),
      '{"q":"a"}',
      "\ud800",
    ]) {
      const { error, content, hits } = await answerOf(search, args)
      assert.equal(typeof error, "string", args.slice(0, 40))
      assert.deepEqual(Object.keys(content), ["error"])
      assert.match(content.error, /\{"query"/, "it says how to call")
      assert.deepEqual(hits, [])
    }
    for (const args of [
      null,
      undefined,
      5,
      true,
      [],
      {},
      [null],
      { query: null },
      { query: {} },
      revoked(),
      refusing(),
      throwing({}, "query"),
      () => {},
      Symbol("x"),
      1n,
    ]) {
      const reply = await search.answer({
        tool_calls: [{ id: "c1", function: { name: "tool_search", arguments: args } }],
      })
      assert.equal(reply.parts.length, 1)
      assert.equal(typeof reply.results[0].error, "string")
      assert.deepEqual(reply.loaded, [])
    }
    // What can be made out is answered.
    for (const args of [
      '"a"',
      '["a"]',
      '{"query":"a"}',
      '{"query":["a"]}',
      '{"query":{"query":"a"}}',
      '{"query":"a","limit":"x","more":1}',
      ' {"query": "a"}\n',
      { query: "a" },
      { query: ["a", 5, null] },
      '[["a"]]'.slice(1, -1),
    ]) {
      const reply = await search.answer({
        tool_calls: [{ id: "c1", function: { name: "tool_search", arguments: args } }],
      })
      assert.deepEqual(reply.loaded, ["a"], JSON.stringify(args))
    }
  })

  test("a call of a tool with arguments that are no object of JSON: an error that the model can read", () => {
    const resolve = (args) => search.resolve({ id: "c1", function: { name: "a", arguments: args } })
    for (const args of [
      "{",
      "nope",
      "5",
      "[]",
      '"x"',
      "true",
      '{"a":',
      "[".repeat(50_000),
      5,
      true,
      [],
      () => {},
      throwing({}, "x"),
      (() => {
        const o = {}
        o.o = o
        return o
      })(),
      { big: 1n },
    ]) {
      const { error, part } = resolve(args)
      assert.equal(error?.code, "invalid_arguments", typeof args === "string" ? args.slice(0, 40) : typeof args)
      assert.deepEqual(JSON.parse(part.content), { error: error.message })
    }
    for (const args of ["", " ", "{}", "null", null, undefined, {}]) assert.deepEqual(resolve(args).args, {})
    assert.deepEqual(resolve('{"a":{"b":[1,null,"x"]},"big":12345678901234567890,"tiny":1e-7}').args, {
      a: { b: [1, null, "x"] },
      big: 12345678901234567890,
      tiny: 1e-7,
    })
    assert.deepEqual(resolve({ a: undefined, b: 1 }).args, { b: 1 })
  })

  test("calls that are no calls: nothing to answer, and a result that says so", async () => {
    for (const odd of [
      null,
      undefined,
      5,
      "x",
      true,
      () => {},
      Symbol("x"),
      1n,
      [],
      {},
      [null],
      [[]],
      { tool_calls: null },
      { tool_calls: [] },
      { tool_calls: [null, 5] },
      revoked(),
      refusing(),
      throwing({}, "tool_calls"),
    ]) {
      const reply = await search.answer(odd)
      assert.deepEqual(reply.parts, [])
      assert.deepEqual(reply.results, [])
      assert.deepEqual(reply.messages([user()]), [user()])
      const { error, part } = search.resolve(odd)
      assert.equal(error.code, "unreadable_call")
      assert.equal(part.role, "tool")
    }
  })

  test("other parts that are no array, or hold anything", async () => {
    const reply = await search.answer(assistant(searchCall("a")))
    for (const odd of [null, 5, {}, "abc", true, () => {}]) assert.deepEqual(reply.messages(odd), reply.parts)
    // What an async function was mapped to: among messages it would be an empty object.
    assert.throws(
      () => reply.messages([result("x", "other"), Promise.resolve(result("x", "another"))]),
      failsWith("invalid_option", "others[1] is a promise", "await Promise.all(others)"),
    )
    const refusing = new Proxy({}, { get: () => assert.fail("a getter that throws") })
    assert.equal(reply.messages([refusing]).includes(refusing), true)
    // `null` is what resolve gives for a call that the provider answers.
    const others = [null, 5, revoked(), undefined, throwing({}, "tool_call_id"), result("x", "c9")]
    assert.deepEqual(reply.messages(others).length, 5)
    assert.equal(reply.messages(others)[0], reply.parts[0])
  })
})

describe("queries and limits", () => {
  const tools = freeze([
    chat("resident"),
    ...Array.from({ length: 40 }, (_, at) =>
      deferred(`invoice_${String(at).padStart(2, "0")}`, { description: "handles an invoice" }),
    ),
  ])
  const search = open(tools)

  test("a query of 100 kB", async () => {
    for (const text of [
      "x".repeat(100_000),
      "invoice ".repeat(12_500),
      `${"word ".repeat(20_000)}invoice`,
      "a__".repeat(33_000),
      "select:" + "invoice_01,".repeat(9000),
      "🦓".repeat(25_000),
      "\ud800".repeat(50_000),
      "_".repeat(100_000),
      "[{(".repeat(33_000),
    ]) {
      const started = performance.now()
      assert.ok(search.search(text).length <= 20)
      const { content, error } = await answerOf(search, { query: text })
      assert.equal(error, null)
      assert.ok(JSON.stringify(content).length < 2000)
      assert.doesNotThrow(() => rankTools(text, tools, { limit: 3 }))
      assert.doesNotThrow(() => rankToolsByKeywords(text, tools))
      // Generous: what must not be is quadratic.
      assert.ok(performance.now() - started < 1500, `${text.slice(0, 20)}: ${performance.now() - started} ms`)
    }
    assert.equal(search.search(`invoice_07 ${"x".repeat(100_000)}`)[0].name, "invoice_07")
  })

  test("a query that is empty, or holds no words", async () => {
    for (const text of ["", " ", "\n\t", "!?.,", "—", "()[]{}", "\u200b", "\u0000", "🦓", "the of and"]) {
      assert.deepEqual(search.search(text), [], JSON.stringify(text))
      const { content, loaded } = await answerOf(search, { query: text })
      assert.deepEqual(loaded, [])
      assert.deepEqual(content.loaded, [])
      assert.equal(content.more, 40)
      assert.ok(content.note.length > 20, "it says what to do")
      assert.deepEqual(rankTools(text, tools), [])
      assert.deepEqual(rankToolsByKeywords(text, tools), [])
    }
  })

  test("a query that is not a string", async () => {
    for (const query of [
      null,
      undefined,
      5,
      NaN,
      true,
      {},
      [],
      ["invoice"],
      () => "invoice",
      Symbol("x"),
      1n,
      new Date(0),
      revoked(),
      refusing(),
      new String("invoice"),
      { toString: () => "invoice" },
    ]) {
      assert.deepEqual(search.search(query), [])
      assert.deepEqual(rankTools(query, tools), [])
      assert.deepEqual(rankToolsByKeywords(query, tools), [])
    }
  })

  const LIMITS = [
    [-1, 1],
    [0, 1],
    [-0, 1],
    [1, 1],
    [2.9, 2],
    [3, 3],
    [20, 20],
    [21, 20],
    [1e9, 20],
    [1e300, 20],
    [-1e300, 1],
    [Number.MIN_VALUE, 1],
    [NaN, 5],
    [Infinity, 5],
    [-Infinity, 5],
    [null, 5],
    [undefined, 5],
    [true, 5],
    [{}, 5],
    [[], 5],
    [[3], 5],
    ["3", 3],
    [" 3 ", 3],
    ["-1", 1],
    ["1e9", 20],
    ["x", 5],
    ["", 5],
    ["null", 5],
    ["3 tools", 5],
    [() => 3, 5],
    [Symbol("x"), 5],
    [3n, 5],
    [{ valueOf: () => 3 }, 5],
  ]
  for (const [limit, want] of LIMITS) {
    test(`a limit of ${typeof limit === "string" ? JSON.stringify(limit) : typeof limit === "object" ? JSON.stringify(limit) : String(limit)} is ${want}`, async () => {
      assert.equal(search.search("invoice", { limit }).length, want)
      const reply = await search.answer({
        tool_calls: [{ id: "c1", function: { name: "tool_search", arguments: { query: "invoice", limit } } }],
      })
      assert.equal(reply.loaded.length, want)
      const text = JSON.stringify({ query: "invoice", limit: typeof limit === "bigint" ? null : limit })
      const parsed = JSON.parse(text).limit
      if (Object.is(parsed, limit)) assert.equal((await answerOf(search, text)).loaded.length, want)
    })
  }

  test("a limit in JSON that no double holds", async () => {
    assert.equal((await answerOf(search, '{"query":"invoice","limit":1e400}')).error === null, true)
    assert.equal((await answerOf(search, '{"query":"invoice","limit":99999999999999999999}')).loaded.length, 20)
  })

  test("the options of a search that are no options", () => {
    for (const odd of [null, 5, "x", [], () => {}])
      assert.throws(() => search.search("invoice", odd), failsWith("invalid_option", '"options"'))
    assert.throws(() => search.search("invoice", { limt: 3 }), failsWith("unknown_option", '"limit"'))
    assert.throws(() => rankTools("invoice", tools, { limit: -1 }), failsWith("invalid_option", '"limit"', "-1"))
    assert.throws(() => rankTools("invoice", tools, { limit: NaN }), failsWith("invalid_option", "NaN"))
    assert.equal(rankTools("invoice", tools, { limit: 1e9 }).length, 40)
  })
})

describe("tools that are no array and no record", () => {
  for (const [what, tools] of Object.entries({
    undefined,
    null: null,
    "a text": "tools",
    "a number": 5,
    "a set": new Set([chat("a")]),
    "a map": new Map([["a", chat("a")]]),
    "a typed array": new Uint8Array(3),
    "an iterator": [chat("a")].values(),
    "a date": new Date(0),
    "a registry of a class's own": new (class Registry {
      #tools = [chat("a")]
      all = () => this.#tools
    })(),
    "a promise of a list": Promise.resolve({ tools: [chat("a")] }),
    "what can be awaited": { tools: [chat("a")], then() {} },
    "a function": () => [],
    "a revoked proxy": revoked({}),
    "a revoked proxy of an array": revoked([]),
    "a proxy that refuses": refusing({}),
  })) {
    test(`${what}: invalid_tools`, async () => {
      const refused = failsWith("invalid_tools", '"tools" must be an array')
      assert.throws(() => createToolSearch({ tools }), refused)
      await assert.rejects(createToolSearch.async({ tools }), refused)
      assert.throws(() => open([]).update(tools), refused)
      assert.throws(() => rankTools("x", tools), refused)
      assert.throws(() => rankToolsByKeywords("x", tools), refused)
    })
  }
})

/** A schema as it goes out: one that says no object is refused with all tools beside it. */
function ofObject(schema) {
  const isPlain = typeof schema === "object" && schema !== null && !Array.isArray(schema)
  return isPlain ? { ...schema, type: "object" } : { type: "object", properties: {} }
}
