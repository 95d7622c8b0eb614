// What toolcrib takes from and gives to `ai` 7, without a cast.
import { generateText, jsonSchema, type LanguageModel, type ModelMessage, streamText, tool, type ToolModelMessage, type ToolSet } from "ai7"
import { createToolSearch } from "toolcrib"
import * as z from "zod"
import { type Equal, holds, type IsAny } from "./expect.js"

declare const model: LanguageModel
declare const messages: ModelMessage[]

// Any set of tools.
declare const own: ToolSet
const search = createToolSearch({ tools: own })
const turn = search.turn(messages)
holds<Equal<IsAny<typeof turn.tools>, false>>()
holds<Equal<IsAny<(typeof turn.tools)[string]>, false>>()
turn.tools satisfies ToolSet
const result = await generateText({ model, messages, tools: turn.tools })
const reply = await search.answer(result.toolCalls, messages)
await search.answer(result.response.messages, messages)
reply.parts satisfies ToolModelMessage["content"]
holds<Equal<IsAny<(typeof reply.parts)[number]>, false>>()
const results: ToolModelMessage["content"] = []
for (const call of result.toolCalls) {
  const target = search.resolve(call, messages)
  if (target.part) results.push(target.part)
}
declare const held: ToolModelMessage[]
for (const next of [reply.messages(), reply.messages(results), reply.messages(held)]) {
  await generateText({ model, messages: [...messages, ...next], tools: turn.tools })
}
streamText({ model, messages: [...messages, ...reply.messages()], tools: turn.tools })

// A record of tools keeps its names and their types.
const named = createToolSearch({
  tools: {
    create_invoice: tool({
      description: "Bill a customer",
      inputSchema: z.object({ cents: z.number() }),
      execute: async ({ cents }) => cents,
    }),
    get_forecast: tool({ inputSchema: jsonSchema<{ city: string }>({ type: "object" }), execute: async ({ city }) => city }),
    plain: { description: "A JSON Schema as it is", inputSchema: { type: "object" }, deferLoading: true },
  },
  format: "ai-sdk",
})
const sent = named.turn(messages)
sent.loaded satisfies ("create_invoice" | "get_forecast" | "plain")[]
await generateText({ model, messages, tools: sent.tools })
const target = named.resolve({ type: "tool-call", toolCallId: "c", toolName: "plain", input: {} })
if (!target.error && target.name === "plain") target.tool.description satisfies "A JSON Schema as it is"
named.searchTool satisfies ToolSet[string]

// Tools of other shapes, with the format named.
createToolSearch({ tools: [{ name: "a" }], format: "ai-sdk" }).turn(messages).tools satisfies ToolSet
createToolSearch({ tools: [{ type: "function", function: { name: "a" } }], format: "ai-sdk" }).turn(messages).tools satisfies ToolSet

const chat = createToolSearch({ tools: [{ name: "a" }] })
// @ts-expect-error tools of Chat Completions
await generateText({ model, messages, tools: chat.turn(messages).tools })
// @ts-expect-error messages of Chat Completions
await generateText({ model, messages: [...messages, ...(await chat.answer(result.toolCalls)).messages()] })

// The provider's own deferral.
const native = createToolSearch({ tools: own, delivery: "native", model: "claude-sonnet-4-5" })
await generateText({ model, tools: native.turn(messages).tools, messages: [...messages, ...(await native.answer(result.toolCalls)).messages(results)] })
