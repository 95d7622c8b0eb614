// What toolcrib takes from and gives to Chat Completions of the `openai` package, without a cast.
import type OpenAI from "openai"
import type {
  ChatCompletionMessageParam,
  ChatCompletionTool,
  ChatCompletionToolMessageParam,
} from "openai/resources/chat/completions"
import { createToolSearch } from "toolcrib"
import { type Equal, holds, type IsAny } from "./expect.js"

declare const client: OpenAI
declare const messages: ChatCompletionMessageParam[]

declare const own: ChatCompletionTool[]
const search = createToolSearch({ tools: own, delivery: "auto", model: "openai/gpt-5.4" })
const turn = search.turn(messages)
holds<Equal<IsAny<typeof turn.tools>, false>>()
holds<Equal<IsAny<(typeof turn.tools)[number]>, false>>()
const response = await client.chat.completions.create({ model: "m", messages, tools: turn.tools })
search.searchTool satisfies ChatCompletionTool
// The whole response, or its message.
const reply = await search.answer(response, messages)
const message = response.choices[0]!.message
await search.answer(message, messages)
declare const others: ChatCompletionToolMessageParam[]
messages.push(message, ...reply.messages(others))
for (const call of message.tool_calls ?? []) {
  const target = search.resolve(call, messages)
  if (target.error) messages.push(target.part)
}
reply.messages() satisfies ChatCompletionToolMessageParam[]

// Every other shape, with the format named.
for (const tools of [
  createToolSearch({ tools: [{ name: "a", input_schema: { type: "object" } }], format: "openai-chat" }).turn([]).tools,
  createToolSearch({ tools: { a: { description: "A", inputSchema: { type: "object" } } }, format: "openai-chat" }).turn([]).tools,
  createToolSearch({ tools: [{ functionDeclarations: [{ name: "a" }] }], format: "openai-chat" }).turn([]).tools,
  createToolSearch({ tools: { functionDeclarations: [{ name: "a" }] }, format: "openai-chat" }).turn([]).tools,
  createToolSearch({ tools: { toolConfig: { tools: [{ toolSpec: { name: "a" } }] } }, format: "openai-chat" }).turn([]).tools,
  createToolSearch({ tools: [{ type: "function", name: "a" }], format: "openai-chat" }).turn([]).tools,
  createToolSearch({ tools: [{ type: "custom", custom: { name: "a" } }] }).turn([]).tools,
]) {
  holds<Equal<IsAny<typeof tools>, false>>()
  tools satisfies ChatCompletionTool[]
}

const anthropic = createToolSearch({ tools: [{ name: "a", input_schema: { type: "object" } }] })
// @ts-expect-error tools of Anthropic's
await client.chat.completions.create({ model: "m", messages, tools: anthropic.turn(messages).tools })
// @ts-expect-error a message of Anthropic's
messages.push(...(await anthropic.answer(message, messages)).messages())
