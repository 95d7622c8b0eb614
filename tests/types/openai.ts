// What toolcrib gives fits the types of the `openai` package without a cast, and the other way round.
import type OpenAI from "openai"
import type {
  ChatCompletionMessage,
  ChatCompletionMessageParam,
  ChatCompletionTool,
  ChatCompletionToolMessageParam,
} from "openai/resources/chat/completions"
import { createToolSearch } from "toolcrib"
import * as z from "zod"

declare const client: OpenAI
declare const native: ChatCompletionTool[]
declare const messages: ChatCompletionMessageParam[]
declare const message: ChatCompletionMessage

// Their own types in.
const search = createToolSearch({ tools: native })
const turn = search.turn(messages)
turn.tools satisfies ChatCompletionTool[]
await client.chat.completions.create({ model: "m", messages, tools: turn.tools })
const reply = await search.answer(message, messages)
reply.messages() satisfies ChatCompletionMessageParam[]
declare const others: ChatCompletionToolMessageParam[]
messages.push(message, ...reply.messages(others))
for (const call of message.tool_calls ?? []) {
  const target = search.resolve(call, messages)
  if (target.error) messages.push(target.part)
}
search.pending(messages) satisfies object[]
await search.answer(search.pending(messages), messages)

// Literals in every shape, mixed.
const mixed = createToolSearch({
  tools: [
    {
      type: "function",
      function: {
        name: "create_invoice",
        description: "Bill a customer",
        parameters: { type: "object", properties: { cents: { type: "integer", enum: [1, 2] } }, required: ["cents"] },
        strict: true,
      },
    },
    { type: "function", function: { name: "without_schema" } },
    { name: "neutral", description: "Neutral", inputSchema: { type: "object", properties: {} } },
    { name: "mcp", title: "From a server", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
    { name: "zod", description: "zod", inputSchema: z.object({ q: z.string() }) },
    { type: "function", function: { name: "zod_inside", parameters: z.object({ q: z.string() }) } },
  ],
})
mixed.turn(messages).tools satisfies ChatCompletionTool[]
mixed.searchTool satisfies ChatCompletionTool
await client.chat.completions.create({
  model: "m",
  messages: [{ role: "system", content: mixed.turn(messages).note ?? "" }, ...messages],
  tools: mixed.turn(messages).tools,
})

// Definitions that a program builds.
declare const servers: { name: string; description?: string; inputSchema: { type: "object"; properties?: object } }[]
createToolSearch({ tools: servers }).turn(messages).tools satisfies ChatCompletionTool[]
// As the MCP SDK types what a server lists.
declare const listed: {
  [key: string]: unknown
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: { [key: string]: unknown; type: "object"; properties?: { [key: string]: object } | undefined }
}[]
createToolSearch({ tools: listed }).turn(messages).tools satisfies ChatCompletionTool[]
createToolSearch({ tools: [...native, ...servers] }).turn(messages).tools satisfies ChatCompletionTool[]

// A tool that the provider of another API runs does not fit, and the compiler says so.
const hosted = createToolSearch({ tools: [{ type: "web_search" }] })
// @ts-expect-error Chat Completions takes no such tool
hosted.turn(messages).tools satisfies ChatCompletionTool[]
