// What of `fit` only JavaScript can see: the host's own objects, its options, and values that no JSON holds.

import assert from "node:assert/strict"
import { test } from "node:test"
import { createToolSearch, ToolcribError } from "../../pkg/index.js"

const tools = [
  { name: "read_page", description: "Read a web page" },
  { name: "create_invoice", description: "Bill a customer", deferred: true },
]
const open = (format, more = {}) => createToolSearch({ tools, format, threshold: 0, ...more })
const sdkCall = (id, text) => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "read_page", input: {} }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "read_page", output: { type: "text", value: text } }] },
]
const before = (search, message) => search.fit([message], { contextWindow: 1e9 }).tokens.before

test("the host's own objects come back in a new array, and none is touched", () => {
  const search = open("ai-sdk")
  const messages = [{ role: "user", content: "Go" }, ...["c1", "c2", "c3", "c4"].flatMap((id) => sdkCall(id, "word ".repeat(400)))]
  const json = JSON.stringify(messages)
  messages.forEach(Object.freeze)
  const fitted = search.fit(Object.freeze(messages), { contextWindow: 1500, reserve: 0 })
  assert.ok(fitted.cut > 0 && fitted.fits)
  assert.equal(fitted.messages[0], messages[0])
  assert.deepEqual(fitted.messages.slice(1).map((message) => messages.indexOf(message)), [...Array(fitted.messages.length - 1).keys()].map((at) => at + fitted.cut + 1))
  assert.equal(JSON.stringify(messages), json)
  const whole = search.fit(messages, { contextWindow: 1e6 })
  assert.notEqual(whole.messages, messages)
  assert.ok(whole.messages.every((message, at) => message === messages[at]))
  search.free()
  assert.throws(() => search.fit(messages), { code: "engine_freed" })
})

test("options are checked, and the nearest name is offered", () => {
  const search = open("openai-chat")
  const refused = (options, message) =>
    assert.throws(() => search.fit([], options), (error) => error instanceof ToolcribError && message.test(error.message))
  refused({ contextWindows: 5 }, /unknown option "contextWindows"; did you mean "contextWindow"/)
  refused({ contextWindow: 0 }, /contextWindow/)
  refused({ contextWindow: "128k" }, /contextWindow/)
  refused({ reserve: -1 }, /reserve/)
  refused({ reserve: NaN }, /reserve/)
  refused({ loaded: "create_invoice" }, /loaded/)
  assert.equal(search.fit([], { contextWindow: 1000, reserve: 0, exclude: ["x"], previous: undefined }).tokens.budget, 1000)
  assert.equal(search.fit([], { contextWindow: 1000 }).tokens.budget, 900)
  assert.equal(search.fit([{ role: "user", content: "Go" }], { contextWindow: 1e300, reserve: 0 }).tokens.budget, 1e300)
  assert.equal(search.fit([], { contextWindow: 1000, reserve: 1e300 }).tokens.budget, 0)
  // Neither is an option of a turn.
  assert.throws(() => search.turn([], { reserve: 5 }), { code: "unknown_option" })
})

test("a custom count is that of the definitions", () => {
  const search = open("openai-chat", { countTokens: () => 5000 })
  const { tokens, fits, warnings } = search.fit([{ role: "user", content: "Go" }], { contextWindow: 4000, reserve: 0 })
  assert.ok(tokens.tools >= 5000 && tokens.messages < 20)
  assert.ok(!fits && warnings.some(({ code, message }) => code === "over_budget" && message.includes("4000")))
})

test("bytes and addresses of files count as files", () => {
  const search = open("ai-sdk")
  const user = (...content) => ({ role: "user", content })
  const image = new Uint8Array(500_000)
  const files = [
    { type: "image", image },
    { type: "image", image: Buffer.from(image) },
    { type: "image", image: image.buffer },
    { type: "image", image: new URL("https://example.com/a.png") },
    { type: "file", data: image, mediaType: "application/pdf" },
    { type: "file", data: "x".repeat(500_000), mediaType: "application/pdf" },
  ]
  for (const file of files) {
    const tokens = before(search, user({ type: "text", text: "See" }, file))
    assert.ok(tokens >= 1600 && tokens < 1630, `${tokens}`)
  }
  assert.ok(before(search, user({ type: "text", text: "x".repeat(500_000) })) > 5000)
  const bedrock = open("bedrock")
  const tokens = before(bedrock, { role: "user", content: [{ image: { format: "png", source: { bytes: image } } }] })
  assert.ok(tokens >= 1600 && tokens < 1630)
})

test("messages that refuse to be read, refer to themselves or never end are passed over", () => {
  const search = open("openai-chat")
  const throws = { role: "user", get content() { throw new Error("no") } }
  const cycle = { role: "user", content: [] }
  cycle.content.push(cycle, cycle)
  let wide = { role: "user", content: "x" }
  for (let level = 0; level < 40; level++) wide = { role: "user", content: [wide, wide] }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const messages = [throws, cycle, wide, revoked.proxy, null, { role: "user", content: "Go" }]
  for (const contextWindow of [1, 1e6]) {
    const fitted = search.fit(messages, { contextWindow, reserve: 0 })
    assert.equal(fitted.messages.length, messages.length - fitted.cut)
    assert.equal(fitted.messages.at(-1), messages.at(-1))
  }
  const hostile = [{ role: "user", content: "Go" }]
  Object.defineProperty(hostile, 0, { get() { throw new Error("no") } })
  assert.equal(search.fit(hostile, { contextWindow: 10 }).messages[0], undefined)
  for (const none of [undefined, null, {}, "text", 7]) assert.deepEqual(search.fit(none, { contextWindow: 1000 }).messages, [])
  assert.throws(() => search.fit([{ id: "1", role: "user", parts: [{ type: "text", text: "x" }] }]), { code: "ui_messages" })
})

test("a conversation that grows to any length is sent within the window, and its prefix changes seldom", () => {
  const search = open("openai-chat")
  const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Go" }]
  const ask = (id, name, content) => {
    messages.push({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name, arguments: "{}" } }] })
    messages.push({ role: "tool", tool_call_id: id, content })
  }
  let [changes, last] = [0, []]
  for (let turn = 0; turn < 200; turn++) {
    if (turn % 20 === 3) ask(`s${turn}`, "tool_search", JSON.stringify({ loaded: [{ name: "create_invoice" }] }))
    else ask(`c${turn}`, "read_page", "word ".repeat(100 + (turn % 7) * 20))
    const { messages: sent, fits, loaded } = search.fit(messages, { contextWindow: 8000, reserve: 800 })
    assert.ok(fits)
    assert.deepEqual(loaded, search.turn(messages).loaded)
    const texts = sent.map((message) => JSON.stringify(message))
    if (!last.every((text, at) => text === texts[at])) changes++
    last = texts
  }
  const total = search.fit(messages, { contextWindow: 1e9 }).tokens.before
  assert.ok(total > 30_000)
  assert.ok(changes <= Math.ceil((total - 7200) / (7200 / 4)), `${changes} changes`)
})
