// Direct calls: arguments by the host's own validators, and what they may do to those who ask them. What data can say of
// this stands in tests/vectors/resolve*.json.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { type } from "arktype"
import * as v from "valibot"
import * as z from "zod"
import { createToolSearch } from "../../pkg/index.js"
import { assistant, call, loads, searchCall } from "./support.mjs"

const open = (options) => createToolSearch({ threshold: 0, contextWindow: 200_000, ...options })
const AI_SDK = Symbol.for("vercel.ai.schema")
const json = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] }

/** The same schema thrice: a default is filled in, a text is trimmed, a number is needed. */
const SCHEMAS = {
  zod: z.object({ amount: z.number(), note: z.string().trim().optional(), currency: z.string().default("EUR") }),
  valibot: v.object({ amount: v.number(), note: v.optional(v.pipe(v.string(), v.trim())), currency: v.optional(v.string(), "EUR") }),
  arktype: type({ amount: "number", "note?": "string.trim", currency: "string = 'EUR'" }),
}

/** A tool that carries the schema, in each place where one stands. */
const PLACES = {
  inputSchema: (schema) => ({ name: "pay", description: "Pays", inputSchema: schema }),
  parameters: (schema) => ({ name: "pay", description: "Pays", parameters: schema }),
  input_schema: (schema) => ({ name: "pay", description: "Pays", input_schema: schema }),
  "function.parameters": (schema) => ({ type: "function", function: { name: "pay", description: "Pays", parameters: schema } }),
}

describe("a schema that is a validator", () => {
  for (const [library, schema] of Object.entries(SCHEMAS)) {
    for (const [place, toolOf] of Object.entries(PLACES)) {
      test(`${library} in ${place}: its output is the arguments, its issues are the error`, () => {
        const search = open({ tools: [toolOf(schema)], format: "openai-chat", toJsonSchema: () => json })
        const found = search.resolve(call("pay", { amount: 5, note: " x " }))
        assert.deepEqual([found.args, found.warnings], [{ amount: 5, note: "x", currency: "EUR" }, []])
        for (const [args, word] of [[{ amount: "5" }, "number"], [{}, "amount"], ["", "amount"]]) {
          const { error, part } = search.resolve(call("pay", args))
          assert.equal(error.code, "invalid_arguments")
          assert.match(error.message, /^The arguments do not fit the parameters of pay\. amount: /)
          assert.ok(error.message.includes(word), error.message)
          assert.deepEqual(JSON.parse(part.content), { error: error.message })
        }
      })
    }

    test(`${library} in the AI SDK's record, and the wrapper that its jsonSchema() makes`, async () => {
      const wrapped = {
        [AI_SDK]: true,
        jsonSchema: json,
        validate: (value) => {
          const { value: made, issues } = schema["~standard"].validate(value)
          return issues ? { success: false, error: Object.assign(new Error("no"), { issues }) } : { success: true, value: made }
        },
      }
      for (const inputSchema of [schema, wrapped]) {
        const search = open({ tools: { pay: { description: "Pays", inputSchema, execute() {} } }, format: "ai-sdk", toJsonSchema: () => json })
        const ask = (input) => search.resolve({ type: "tool-call", toolCallId: "c1", toolName: "pay", input })
        assert.deepEqual(ask({ amount: 5 }).args, { amount: 5, currency: "EUR" })
        assert.deepEqual(ask('{"amount":5}').args, { amount: 5, currency: "EUR" })
        assert.match(ask({ amount: "5" }).error.message, /amount: /)
        assert.deepEqual((await search.resolveAsync({ type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} })).error.code, "invalid_arguments")
      }
    })
  }

  test("through call_tool, loaded and not, from a lazy schema, and after update", async () => {
    const pay = { name: "pay", description: "Pays", inputSchema: async () => SCHEMAS.zod, deferLoading: true }
    const search = await createToolSearch.async({ tools: [pay], threshold: 0, contextWindow: 200_000, delivery: "proxy" })
    for (const engine of [search, search.update([pay]).search]) {
      assert.deepEqual(engine.resolve(call("call_tool", { name: "pay", arguments: { amount: 1 } })).args, { amount: 1, currency: "EUR" })
      assert.equal(engine.resolve(call("pay", {}), loads(["pay"])).error.code, "invalid_arguments")
    }
  })

  test("plain JSON Schema that zod has written is JSON Schema: its author validates himself", () => {
    const search = open({ tools: [{ name: "pay", inputSchema: z.toJSONSchema(z.object({ n: z.string().default("x") }), { io: "input" }) }] })
    assert.deepEqual(search.resolve(call("pay", {})).args, {})
    assert.match(search.resolve(call("pay", { n: 5 })).error.message, /n: expected string, got 5\./)
  })
})

describe("a validator that is asynchronous", () => {
  const slow = z.object({ amount: z.number().refine(async (n) => n < 10, "too much"), currency: z.string().default("EUR") })

  test("resolve holds the JSON Schema and says so, resolveAsync waits", async () => {
    const search = open({ tools: [{ name: "pay", inputSchema: slow }] })
    const now = search.resolve(call("pay", { amount: 50 }))
    assert.deepEqual([now.args, now.warnings.map(({ code }) => code)], [{ amount: 50 }, ["async_validator"]])
    assert.equal(search.resolve(call("pay", { amount: "x" })).error.code, "invalid_arguments")
    assert.equal((await search.resolveAsync(call("pay", { amount: 50 }))).error.message, "The arguments do not fit the parameters of pay. amount: too much.")
    const later = await search.resolveAsync(call("pay", { amount: 5 }))
    assert.deepEqual([later.args, later.warnings], [{ amount: 5, currency: "EUR" }, []])
    assert.equal((await search.resolveAsync(call("gone", {}))).error.code, "unknown_tool")
    await assert.rejects(search.resolveAsync(call("pay", {}), [], { lodaed: [] }), { code: "unknown_option" })
  })

  test("one that rejects lets the call through, and no rejection goes unhandled", async () => {
    const failing = { "~standard": { version: 1, vendor: "x", validate: () => Promise.reject(new Error("no database")) } }
    const search = open({ tools: [{ name: "pay", inputSchema: failing }], toJsonSchema: () => json })
    const { args, warnings } = await search.resolveAsync(call("pay", { amount: "x" }))
    assert.deepEqual(args, { amount: "x" })
    assert.deepEqual(warnings.map(({ code, tool }) => [code, tool]), [["arguments_not_checked", "pay"]])
    assert.match(warnings[0].message, /no database/)
    assert.equal(search.resolve(call("pay", { amount: "x" })).error.code, "invalid_arguments")
    // node:test fails on what is unhandled by then.
    await new Promise((resolve) => setImmediate(resolve))
  })
})

describe("hostile validators", () => {
  const throwing = (key) => Object.defineProperty({}, key, { get: () => assert.fail("a getter that throws"), enumerable: true })
  const standard = (validate) => ({ "~standard": { version: 1, vendor: "x", validate } })
  const ask = (inputSchema, args = { amount: 5 }) => open({ tools: [{ name: "pay", inputSchema }], toJsonSchema: () => json }).resolve(call("pay", args))
  const FAILING = {
    "one that throws": () => { throw new Error("x".repeat(5000)) },
    "that throws nothing": () => { throw undefined },
    "that throws what can't be written": () => { throw { toString: () => assert.fail("no") } },
    "that gives nothing": () => undefined,
    "that gives a number": () => 5,
    "that gives neither": () => ({}),
    "whose result throws": () => throwing("issues"),
    "whose value throws": () => throwing("value"),
    "whose then throws": () => throwing("then"),
    "that never ends its stack": function again(value) { return again(value) },
  }
  for (const [what, validate] of Object.entries(FAILING)) {
    test(`${what}: the call goes through with a warning`, () => {
      const { args, error, warnings } = ask(standard(validate))
      assert.equal(error, undefined)
      assert.deepEqual(args, { amount: 5 })
      assert.deepEqual(warnings.map(({ code }) => code), ["arguments_not_checked"])
      assert.ok(warnings[0].message.length < 300)
    })
  }

  test("one that changes the arguments and then throws: they are what the model wrote", () => {
    assert.deepEqual(ask(standard((value) => { value.amount = -1; throw new Error("no") })).args, { amount: 5 })
  })

  test("issues of any kind are a short error", () => {
    const long = "x".repeat(10_000)
    for (const issues of [[], true, 5, "x", [null], [{}], [{ message: long, path: [long, long] }], [throwing("message")], [{ message: "m", path: throwing("0") }], [{ message: "m", path: [throwing("key"), { key: Symbol("s") }, 5, null] }], Array(1000).fill({ message: long }), [{ message: "a\u0000\u202eb\nc" }], new Proxy([], { get: () => assert.fail("no") })]) {
      const { error, warnings } = ask(standard(() => ({ issues })))
      if (warnings) assert.deepEqual(warnings.map(({ code }) => code), ["arguments_not_checked"])
      else {
        assert.equal(error.code, "invalid_arguments")
        assert.ok(error.message.length <= 400, error.message)
        assert.doesNotMatch(error.message, /[\u0000-\u001f\u202e]/)
      }
    }
  })

  test("a getter that throws reads as absent: the JSON Schema holds", () => {
    for (const schema of [{ get "~standard"() { throw new Error("no") }, ...json }, { "~standard": throwing("validate") }, { "~standard": { validate: 5 } }]) {
      assert.equal(ask(schema, { amount: "x" }).error.code, "invalid_arguments")
    }
  })

  test("what stands on Object.prototype is nobody's validator", () => {
    Object.prototype["~standard"] = { version: 1, vendor: "x", validate: () => ({ value: { stolen: true } }) }
    try {
      assert.deepEqual(ask(json).args, { amount: 5 })
    } finally {
      delete Object.prototype["~standard"]
    }
  })

  test("one that frees the engine, or asks it: the call ends first", () => {
    const tools = [{ name: "pay", inputSchema: standard((value) => { search.resolve(call("other", {})); search.free(); return { issues: [{ message: "no" }] } }) }, { name: "other" }]
    const search = open({ tools, toJsonSchema: () => json })
    assert.equal(search.resolve(call("pay", {})).error.code, "invalid_arguments")
    assert.throws(() => search.resolve(call("pay", {})), { code: "engine_freed" })
  })

  test("keys like __proto__ change no prototype, by whatever validator", () => {
    for (const schema of [...Object.values(SCHEMAS), json]) {
      const { args } = ask(schema, '{"amount":5,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
      assert.equal({}.polluted, undefined)
      assert.equal(args.amount, 5)
    }
  })
})

describe("hostile arguments", () => {
  const search = open({
    tools: [{ name: "pay", inputSchema: { type: "object", properties: { rows: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } }, next: { $ref: "#" } }, additionalProperties: false } }],
  })
  test("a hundred thousand faults: three are told, and soon", () => {
    const started = performance.now()
    const { error } = search.resolve(call("pay", { rows: Array.from({ length: 20_000 }, () => ({ n: "x" })) }))
    assert.equal(error.code, "invalid_arguments")
    assert.match(error.message, /^[^.]*\. rows\.0\.n: expected number, got "x"\./)
    assert.ok(performance.now() - started < 3000)
  })
  test("a name of half a character is a name", () => {
    assert.equal(search.resolve(call("pay", '{"\\ud800":1}')).error.code, "invalid_arguments")
    assert.deepEqual(search.resolve(call("pay", '{"rows":[]}')).args, { rows: [] })
    const emoji = open({ tools: [{ name: "pay", inputSchema: { properties: { face: { enum: ["😀"] } } } }] })
    assert.deepEqual(emoji.resolve(call("pay", '{"face":"\\ud83d\\ude00"}')).args, { face: "😀" })
  })
  test("very deep ones: an answer", () => {
    const deep = `${'{"next":'.repeat(3000)}{}${"}".repeat(3000)}`
    const found = search.resolve(call("pay", deep))
    assert.ok(found.args || found.error.code === "invalid_arguments")
  })
})

describe("what the provider runs", () => {
  test("a host that resolves every call answers none of it", async () => {
    const search = open({ tools: [{ name: "pay", deferLoading: true }], format: "anthropic" })
    const said = { role: "assistant", content: [{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }, { type: "tool_use", id: "t1", name: "tool_search", input: { query: "pay" } }, { type: "tool_use", id: "t2", name: "pay", input: {} }] }
    const reply = await search.answer(said, [])
    const parts = said.content.filter(({ name }) => name !== "tool_search").map((each) => {
      const target = search.resolve(each, [])
      return target.error ? target.part : { type: "tool_result", tool_use_id: each.id, content: "paid" }
    })
    assert.deepEqual(parts[0], null)
    assert.deepEqual(reply.messages(parts)[0].content.map(({ tool_use_id }) => tool_use_id), ["t1", "t2"])
  })
})

test("a recovered call is the host's tool by the host's name", () => {
  const tools = [{ name: "mcp__billing__create_invoice", inputSchema: json, deferLoading: true }]
  const search = open({ tools })
  const found = search.resolve(call("functions.createInvoice", { amount: 1 }))
  assert.deepEqual([found.tool === tools[0], found.name, found.recovered], [true, tools[0].name, "functions.createInvoice"])
  assert.deepEqual(found.warnings, [{ code: "recovered_name", message: 'tool "mcp__billing__create_invoice" was called as "functions.createInvoice"', tool: tools[0].name }])
  // And checked as any other.
  assert.match(search.resolve(call("createInvoice", {})).error.message, /of mcp__billing__create_invoice\. amount: required\./)
  assert.equal(search.resolve(assistant(searchCall("x"))).error.code, "search_call")
})
