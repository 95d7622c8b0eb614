// What a host is told of searches as they are made: `onEvent` of `search.answer`.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { createToolSearch } from "../../pkg/index.js"

const tools = [
  { type: "function", function: { name: "refund_order", description: "Give money back", parameters: { type: "object", properties: {} } } },
  { type: "function", function: { name: "create_invoice", description: "Bill a customer", parameters: { type: "object", properties: {} } } },
]
const options = { tools, threshold: 0, deferred: ["*"] }
const call = (id, args) => ({ id, type: "function", function: { name: "tool_search", arguments: JSON.stringify(args) } })
const said = (...calls) => ({ role: "assistant", tool_calls: calls })

describe("onEvent", () => {
  test("each search begins and is done, in the order of the calls", async () => {
    const search = createToolSearch(options)
    const events = []
    const calls = said(call("a", { query: "refund" }), call("b", { query: ["bill", "money"], limit: 1 }), call("c", {}))
    const reply = await search.answer(calls, [], { onEvent: (event) => events.push(event) })
    assert.deepEqual(events, [
      { type: "search_started", id: "a", query: ["refund"], limit: 5 },
      { type: "search_started", id: "b", query: ["bill", "money"], limit: 1 },
      { type: "search_started", id: "c", query: [], limit: 0 },
      { type: "search_done", id: "a", loaded: ["refund_order"], hits: 1, error: null },
      { type: "search_done", id: "b", loaded: ["create_invoice"], hits: 1, error: null },
      { type: "search_done", id: "c", loaded: [], hits: 0, error: reply.results[2].error },
    ])
    assert.deepEqual(reply.warnings, [])
  })

  test("it is told before the host's own ranking begins", async () => {
    const order = []
    const search = createToolSearch({ ...options, rank: () => (order.push("rank"), ["refund_order"]) })
    await search.answer(said(call("a", { query: "money" })), [], { onEvent: ({ type }) => order.push(type) })
    assert.deepEqual(order, ["search_started", "rank", "search_done"])
  })

  test("nobody waits for it, and what it does changes nothing", async () => {
    const search = createToolSearch(options)
    const calls = said(call("a", { query: "refund" }), call("b", { query: "bill" }))
    const plain = await search.answer(calls)
    const thrown = await search.answer(calls, [], {
      onEvent: () => {
        throw new Error("no\nstream")
      },
    })
    assert.deepEqual(thrown.parts, plain.parts)
    assert.deepEqual(thrown.results, plain.results)
    assert.deepEqual(thrown.warnings, [{ code: "event_failed", message: "onEvent failed, and the answer goes on: no\nstream" }])
    // A promise that is rejected, or never settles: neither is waited for, and the process goes on.
    for (const given of [() => Promise.reject(new Error("late")), () => new Promise(() => {})]) {
      assert.deepEqual((await search.answer(calls, [], { onEvent: given })).parts, plain.parts)
    }
    const meddling = await search.answer(calls, [], {
      onEvent: (event) => {
        event.query?.push("x")
        event.loaded?.push("x")
        event.type = "x"
      },
    })
    assert.deepEqual(meddling.results, plain.results)
    await new Promise((resolve) => setTimeout(resolve))
  })

  test("it belongs to answer alone, and is a function", async () => {
    const search = createToolSearch(options)
    const onEvent = () => {}
    for (const wrong of [() => search.turn([], { onEvent }), () => search.resolve(call("a", {}), [], { onEvent })]) {
      assert.throws(wrong, { code: "unknown_option", message: 'unknown option "onEvent"' })
    }
    await assert.rejects(search.answer(said(), [], { onEvent: "log" }), { code: "invalid_option", message: 'option "onEvent" must be a function, not "log"' })
    await assert.rejects(search.answer(said(), [], { onevent: onEvent }), { code: "unknown_option", message: 'unknown option "onevent"; did you mean "onEvent"?' })
  })
})
