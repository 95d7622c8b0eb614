// What the runs through the SDKs share: a catalogue, what the model does, and the loop of a host.

import assert from "node:assert/strict"
import { test } from "node:test"
import { createToolSearch } from "../../../pkg/index.js"
import { calls, result, said, user } from "../host.mjs"
import { serve } from "../server.mjs"

export const SCHEMA = { type: "object", properties: { text: { type: "string", description: "What it is about." } }, required: ["text"] }

/** The tools of a host, by name: what they say, and what they do. One is always sent, and one fails on its second call. */
export function toolbox() {
  const ran = []
  const tool = (name, description, run) => ({
    description,
    run: async (args) => {
      ran.push([name, args])
      return run()
    },
  })
  let refunds = 0
  const tools = {
    get_time: tool("get_time", "Tells the time.", () => "noon"),
    refund_order: tool("refund_order", "Pays an order back to the customer.", () => {
      refunds += 1
      if (refunds > 1) throw new Error("paid back already")
      return "paid back"
    }),
    delete_file: tool("delete_file", "Deletes a file from the disk.", () => "deleted"),
    create_invoice: tool("create_invoice", "Bills a customer.", () => "billed"),
  }
  return { tools, ran, deferred: ["refund_order", "delete_file", "create_invoice"] }
}

/** What they have run in the end. */
export const RAN = [
  ["refund_order", { text: "7" }],
  ["refund_order", { text: "7 again" }],
  ["delete_file", { text: "a.txt" }],
]

/**
 * The model's part: it searches, calls what it found, searches again beside a call that fails, calls that, and is done. Its own
 * words come from the request: what is not offered it can't call.
 */
export function script(turn, offer) {
  const act = (name, text) => {
    const one = offer.tools.find((tool) => tool.name.includes(name))
    if (one) return { call: one, input: { text } }
    const found = offer.found.find((tool) => tool.includes(name))
    if (!found) throw new Error(`${name} can't be called: ${JSON.stringify(offer)}`)
    return { proxy: found, input: { text } }
  }
  switch (turn) {
    case 0:
      if (!offer.search) throw new Error("there is no search tool")
      if (offer.tools.some(({ name }) => name.includes("refund"))) throw new Error("a deferred tool is offered before it is loaded")
      return [{ text: "I look." }, { search: { query: "refund order" } }]
    case 1:
      return [act("refund", "7")]
    case 2:
      return [{ search: { query: ["delete file"], limit: 1 } }, act("refund", "7 again")]
    case 3:
      return [act("delete", "a.txt")]
    default:
      return [{ text: "It is done." }]
  }
}
/** How many requests that takes. */
const TURNS = 5

/** Runs a tool as a host does: an error is a result too. */
export async function outcome(run) {
  try {
    return { text: await run(), failed: false }
  } catch (error) {
    return { text: error.message, failed: true }
  }
}

/**
 * A conversation in a format whose requests `ask` makes through an SDK.
 *
 * @param ask `(turn, messages) => response`
 * @param run `(name, args) => { text, failed }`
 */
export async function talk({ format, search, ask, run }) {
  const messages = [user(format, "Pay order 7 back, then delete its file.")]
  for (let turns = 1; turns <= TURNS; turns++) {
    const response = await ask(search.turn(messages), messages)
    const kept = said(format, response)
    messages.push(...kept)
    const made = calls(format, kept)
    if (made.length === 0) return { messages, turns }
    // Ollama's is the one response that is not documented to be taken whole.
    const reply = await search.answer(format === "ollama" ? kept[0] : response, messages)
    const others = []
    for (const { call, name } of made) {
      if (name === undefined || name === "tool_search") continue
      const target = search.resolve(call, messages)
      if (target.error) {
        others.push(target.part)
        continue
      }
      const { text, failed } = await run(target.name, target.args)
      others.push(result(format, call, text, failed))
    }
    messages.push(...[reply.messages(others)].flat())
  }
  throw new Error(`no end after ${TURNS} turns`)
}

/** What must have happened on the server: no request refused, and the laws of the delivery. */
export function holds(requests, delivery, toolsOf) {
  assert.deepEqual(requests.flatMap(({ refused }) => (refused ? [refused] : [])), [])
  assert.equal(requests.length, TURNS)
  const sent = requests.map(({ body }) => JSON.stringify(toolsOf(body)))
  if (delivery !== "append") assert.equal(new Set(sent).size, 1, `${delivery}: the tools are the same in every request`)
  else assert.equal(new Set(sent).size, 3, "append: the tools change with each of the two searches")
}

/**
 * A test of one format through one SDK.
 *
 * @param connect `(url) => ask`: makes the client
 * @param define `(name, tool) => definition` in the SDK's shape
 * @param toolsOf the tools in a request's body
 * @param list `async (tools) => ({ tools, deferred, run, close })` where the definitions come from elsewhere
 */
export function through(sdk, { format, delivery, model, connect, define, toolsOf, http2, ids, list }) {
  test(`${sdk}, ${format}, ${delivery}`, { timeout: 30_000 }, async () => {
    const { tools, ran, deferred } = toolbox()
    const listed = await list?.(tools)
    const search = createToolSearch({
      tools: listed?.tools ?? Object.entries(tools).map(([name, tool]) => define(name, tool)),
      deferred: listed?.deferred ?? deferred,
      threshold: 0,
      format: format === "ollama" ? "openai-chat" : format,
      // The default is told by leaving it out.
      ...(delivery === "append" ? {} : { delivery }),
      ...(model ? { model } : {}),
    })
    const server = await serve(script, { http2, ids })
    const client = connect(server.url)
    try {
      const run = listed?.run ?? ((name, args) => outcome(() => tools[name].run(args)))
      const { messages } = await talk({ format, search, ask: client.ask, run })
      assert.deepEqual(ran, RAN)
      assert.deepEqual(search.pending(messages), [])
      holds(server.requests, delivery, toolsOf)
    } finally {
      search.free()
      client.close?.()
      await listed?.close()
      await server.close()
    }
  })
}

/** A test that what strict.mjs refuses reaches the host as the SDK's own error, and so would fail the runs above. */
export function refuses(sdk, { connect, tools = [], messages, rule, http2 }) {
  test(`${sdk} is refused: ${rule}`, { timeout: 30_000 }, async () => {
    const server = await serve(script, { http2 })
    const client = connect(server.url)
    try {
      await assert.rejects(async () => client.ask({ tools, note: null }, messages), new RegExp(rule))
      assert.deepEqual(server.requests.map(({ refused }) => refused?.rule), [rule])
    } finally {
      client.close?.()
      await server.close()
    }
  })
}
