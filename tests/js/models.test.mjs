// What is known of models by their names: the table that is shipped, and what the host adds to it.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { lookUp, table, written } from "../../scripts/model-table.mjs"
import { createToolSearch, registerModel, ToolcribError } from "toolcrib"
import * as slim from "toolcrib/slim"

const tools = [{ name: "far", deferred: true, inputSchema: { type: "object" } }]

/** The window that a turn of this model has, and where it comes from. */
function windowOf(model, options = {}) {
  const search = createToolSearch({ tools, model, ...options })
  const { contextWindow, contextWindowFrom } = search.deferral
  search.free()
  return [contextWindow, contextWindowFrom]
}

test("the table is what the script writes from the package that it names", () => {
  const file = readFileSync(new URL("../../src/models/table.rs", import.meta.url), "utf8")
  assert.equal(file, written(), "run: node scripts/model-table.mjs > src/models/table.rs")
})

test("the engine finds in the table what the script finds", () => {
  const all = table()
  const search = createToolSearch({ tools })
  for (const [pattern, window] of all) {
    for (const name of [pattern.replaceAll(" ", "-"), `gateway/${pattern.replaceAll(" ", ".")}:beta`]) {
      const { deferral } = search.turn([], { model: name })
      assert.equal(deferral.contextWindow, lookUp(all, name), name)
      assert.equal(deferral.contextWindowFrom, "model", name)
      assert.equal(deferral.model, name)
    }
    assert.equal(lookUp(all, pattern), window, pattern)
  }
})

test("a registered model stands above the table and below contextWindow, for engines that are made after", () => {
  const early = createToolSearch({ tools, model: "gpt-5.4-registered" })
  registerModel("GPT-5.4-Registered", { contextWindow: 1234 })
  assert.deepEqual(windowOf("openai/gpt-5.4-registered"), [1234, "registered"])
  assert.deepEqual(windowOf("gpt-5.4-registered", { contextWindow: 99 }), [99, "contextWindow"])
  assert.equal(early.turn([]).deferral.contextWindow, 1_050_000)
  registerModel("GPT-5.4-Registered", { contextWindow: 4321 })
  assert.deepEqual(windowOf("gpt-5.4-registered"), [4321, "registered"])
  // The last one counts, however it is spelt.
  registerModel("gpt_5_4_registered", { contextWindow: 77 })
  assert.deepEqual(windowOf("gpt-5.4-registered"), [77, "registered"])
  registerModel("of-a-glob-*", { contextWindow: 50 })
  assert.deepEqual(windowOf("of-a-glob-x"), [50, "registered"])
})

test("a model that is refused is named with its bound", () => {
  const refused = (code, message, ...given) =>
    assert.throws(() => registerModel(...given), (error) => error instanceof ToolcribError && error.code === code && message.test(error.message))
  refused("invalid_option", /"name" must be/, "", { contextWindow: 5 })
  refused("invalid_option", /"name" must be/, undefined, { contextWindow: 5 })
  refused("invalid_option", /"contextWindow" must be a number from 1/, "m", {})
  refused("invalid_option", /"contextWindow" must be a number from 1, not 0/, "m", { contextWindow: 0 })
  refused("invalid_option", /"contextWindow" must be a number from 1, not NaN/, "m", { contextWindow: NaN })
  refused("unknown_option", /did you mean "registerModel.contextWindow"/, "m", { contextwindow: 5 })
  refused("invalid_option", /an object/, "m")
  assert.throws(() => createToolSearch({ tools }).turn([], { model: 5 }), /option "model" must be a text/)
  assert.equal(typeof slim.registerModel, "function")
})

test("a choice that can't be read is a warning, whatever it does to its reader", () => {
  const search = createToolSearch({ tools, threshold: 0 })
  const throwing = { get type() { throw new Error("no") } }
  const circle = { type: "tool" }
  circle.self = circle
  for (const toolChoice of [throwing, circle, new Proxy({}, { get() { throw new Error("no") } }), () => {}, Symbol("x"), 5n]) {
    const { warnings } = search.turn([], { toolChoice })
    assert.ok(warnings.some(({ code }) => code === "unreadable_tool_choice"), String(typeof toolChoice))
  }
})

test("a choice may name a tool by its alias", () => {
  const search = createToolSearch({ tools: [{ name: "crm.find", deferred: true }], format: "openai-chat", threshold: 0 })
  const toolChoice = { type: "function", function: { name: search.aliases["crm.find"] } }
  const { loaded, warnings } = search.turn([], { toolChoice })
  assert.deepEqual([loaded, warnings], [["crm.find"], []])
})

for (const format of ["openai-chat", "anthropic", "gemini", "bedrock"]) {
  test(`a predicate decides before marks and servers, and leaves to them what it does not say: ${format}`, () => {
    const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more })
    const catalogue = [tool("marked", { deferred: true }), tool("plain"), tool("of_server", { server: "s" }), tool("load_skill")]
    const names = (deferred, more) => {
      const search = createToolSearch({ tools: catalogue, format, threshold: 0, servers: { s: { deferLoading: true } }, deferred, ...more })
      return search.turn([]).names.filter((name) => name !== "tool_search")
    }
    assert.deepEqual(names(() => undefined), ["plain", "load_skill"])
    assert.deepEqual(names(({ name }) => name === "plain"), ["marked", "of_server", "load_skill"])
    assert.deepEqual(names(({ name }) => (name === "marked" ? false : undefined)), ["marked", "plain", "load_skill"])
    assert.deepEqual(names(() => true), ["load_skill"])
    assert.deepEqual(names(() => true, { resident: [] }), [])
    assert.deepEqual(names(() => false), ["marked", "plain", "of_server", "load_skill"])
  })
}
