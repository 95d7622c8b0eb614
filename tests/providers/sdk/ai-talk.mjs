// What the runs through the versions of the AI SDK share. Each turn is one `generateText` of one step: the AI SDK runs the
// tools that it has, and the host answers the search and what goes through call_tool.

import assert from "node:assert/strict"
import { test } from "node:test"
import { createToolSearch } from "../../../pkg/index.js"
import { offered, respond } from "../model.mjs"
import { serve } from "../server.mjs"
import { check } from "../strict.mjs"
import { holds, outcome, RAN, SCHEMA, script, toolbox } from "./talk.mjs"

const USAGE = {
  v2: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  v3: { inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 5, text: 5, reasoning: 0 } },
}

/**
 * A mock model whose provider is strict.mjs.
 *
 * @param Mock the class in the version's `ai/test`
 * @param provider as strict/ai-sdk.mjs has it
 */
export function mock(Mock, provider) {
  const requests = []
  const doGenerate = async ({ tools = [], prompt }) => {
    const record = Object.fromEntries(
      tools.map(({ name, type, ...rest }) => [name, type === "function" ? rest : { type: "provider", ...rest }]),
    )
    const body = { provider, tools: record, messages: prompt }
    const refused = check("ai-sdk", body)
    requests.push({ body, refused })
    if (refused) throw new Error(`${refused.rule}: ${refused.message}`)
    const offer = offered("ai-sdk", body)
    const { content } = respond("ai-sdk", script(requests.length - 1, offer), requests.length, { native: offer.native })
    const called = content.some(({ type }) => type === "tool-call")
    const reason = called ? "tool-calls" : "stop"
    const v2 = model.specificationVersion === "v2"
    return {
      content: content.map((part) => (part.type === "tool-call" ? { ...part, input: JSON.stringify(part.input) } : part)),
      finishReason: v2 ? reason : { unified: reason, raw: undefined },
      usage: USAGE[v2 ? "v2" : "v3"],
      warnings: [],
    }
  }
  const model = new Mock({ provider, modelId: "mock", doGenerate })
  return { model, requests, close: async () => {} }
}

/** A model of a provider's package that talks to the local server. */
export async function local(create) {
  const server = await serve(script)
  return { model: create(server.url), requests: server.requests, close: server.close }
}

/** One conversation. `system`: what this version calls it. */
async function talk({ ai, model, search, system }) {
  const messages = [{ role: "user", content: "Pay order 7 back, then delete its file." }]
  for (;;) {
    const turn = search.turn(messages)
    const step = await ai.generateText({ model, tools: turn.tools, messages, maxRetries: 0, ...(turn.note ? { [system]: turn.note } : {}) })
    const [assistant, ...others] = step.response.messages
    messages.push(assistant)
    const made = typeof assistant.content === "string" ? [] : assistant.content.filter(({ type }) => type === "tool-call")
    if (made.length === 0) return messages
    const reply = await search.answer(assistant, messages)
    const answered = others.flatMap(({ content }) => content.map(({ toolCallId }) => toolCallId))
    for (const call of made) {
      if (call.toolName === "tool_search" || answered.includes(call.toolCallId)) continue
      const target = search.resolve(call, messages)
      if (target.error) {
        others.push(target.part)
        continue
      }
      const { text, failed } = await outcome(() => target.tool.execute(target.args, { toolCallId: call.toolCallId, messages }))
      const output = { type: failed ? "error-text" : "text", value: text }
      others.push({ type: "tool-result", toolCallId: call.toolCallId, toolName: call.toolName, output })
    }
    messages.push(...[reply.messages(others)].flat())
  }
}

/**
 * A test of one version.
 *
 * @param connect `() => { model, requests, close }`
 * @param toolsOf the tools in a request's body
 */
export function through(sdk, { ai, delivery, model, system = "system", connect, toolsOf = ({ tools }) => tools }) {
  test(`${sdk}, ${delivery}`, { timeout: 30_000 }, async () => {
    const { tools, ran, deferred } = toolbox()
    const record = Object.fromEntries(
      Object.entries(tools).map(([name, { description, run }]) => [
        name,
        ai.tool({ description, inputSchema: ai.jsonSchema(SCHEMA), execute: (args) => run(args) }),
      ]),
    )
    const search = createToolSearch({ tools: record, deferred, threshold: 0, format: "ai-sdk", delivery, ...(model ? { model } : {}) })
    const place = await connect()
    try {
      const messages = await talk({ ai, model: place.model, search, system })
      assert.deepEqual(ran, RAN)
      assert.deepEqual(search.pending(messages), [])
      holds(place.requests, delivery, toolsOf)
    } finally {
      search.free()
      await place.close()
    }
  })
}
