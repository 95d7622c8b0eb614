// What toolcrib takes from and gives to `@anthropic-ai/sdk`, without a cast.
import Anthropic from "@anthropic-ai/sdk"
import { createToolSearch } from "toolcrib"
import * as z from "zod"
import { type Equal, holds, type IsAny } from "./expect.js"

declare const client: Anthropic
declare const messages: Anthropic.MessageParam[]
const request = { model: "claude-sonnet-4-5", max_tokens: 1000 }

// The SDK's own types in: their shape names the format.
declare const own: Anthropic.ToolUnion[]
const search = createToolSearch({ tools: own })
const turn = search.turn(messages)
holds<Equal<IsAny<typeof turn.tools>, false>>()
holds<Equal<IsAny<(typeof turn.tools)[number]>, false>>()
turn.tools satisfies Anthropic.ToolUnion[]
const message = await client.messages.create({ ...request, messages, tools: turn.tools, system: turn.note ?? "" })
messages.push({ role: message.role, content: message.content })
const reply = await search.answer(message, messages)
holds<Equal<IsAny<(typeof reply.parts)[number]>, false>>()
reply.parts satisfies Anthropic.ToolResultBlockParam[]
holds<Equal<IsAny<typeof search.searchTool>, false>>()
search.searchTool satisfies Anthropic.Tool

// Results for the other calls, as blocks, and as messages that hold them.
const results: Anthropic.ToolResultBlockParam[] = []
for (const call of message.content) {
  if (call.type !== "tool_use") continue
  const target = search.resolve(call, messages)
  if (target.error) {
    holds<Equal<IsAny<typeof target.part>, false>>()
    // null where the provider runs the call itself.
    if (target.part) results.push(target.part)
  } else {
    target.tool satisfies Anthropic.ToolUnion
    results.push({ type: "tool_result", tool_use_id: call.id, content: "done" })
  }
}
declare const held: Anthropic.MessageParam[]
await client.messages.create({ ...request, tools: turn.tools, messages: [...messages, ...reply.messages()] })
await client.messages.create({ ...request, tools: turn.tools, messages: [...messages, ...reply.messages(results)] })
await client.messages.create({ ...request, tools: turn.tools, messages: [...messages, ...reply.messages(held)] })
await client.messages.countTokens({ model: "m", tools: turn.tools, messages })
await client.beta.messages.create({ ...request, tools: turn.tools, messages: [...messages, ...reply.messages(results)] })

declare const tools: Anthropic.Tool[]
createToolSearch({ tools }).turn(messages).tools satisfies Anthropic.Tool[]

// Literals in the wire's shape, beside tools that Anthropic runs.
const literal = createToolSearch({
  tools: [
    {
      name: "create_invoice",
      description: "Bill a customer",
      input_schema: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] },
      run: (cents: number) => cents,
    },
    { name: "zod", description: "A schema of zod's", input_schema: z.object({ q: z.string() }), deferLoading: true },
    { type: "web_search_20250305", name: "web_search", allowed_domains: ["example.com"] },
    { type: "custom", name: "custom", input_schema: { type: "object" }, input_examples: [{ q: [1] }], allowed_callers: ["direct"] },
  ],
  delivery: "native",
  cacheBreakpoint: "1h",
})
literal.turn(messages).tools satisfies Anthropic.ToolUnion[]
holds<Equal<IsAny<ReturnType<typeof literal.turn>["tools"][number]>, false>>()
const target = literal.resolve({ type: "tool_use", id: "c", name: "create_invoice", input: {} })
if (!target.error && target.name === "create_invoice") target.tool.run(1) satisfies number
// @ts-expect-error no tool has that name
if (!target.error && target.name === "delete_everything") target.tool
const native = await literal.answer(message, messages)
const said = native.messages(results)
holds<Equal<IsAny<(typeof said)[number]["content"][number]>, false>>()
said satisfies Anthropic.MessageParam[]

// Tools of other shapes, with the format named.
const chat = [{ type: "function", function: { name: "a", parameters: { type: "object" } } }] as const
createToolSearch({ tools: chat, format: "anthropic" }).turn(messages).tools satisfies Anthropic.ToolUnion[]
createToolSearch({ tools: { a: { description: "A" } }, format: "anthropic" }).turn(messages).tools satisfies Anthropic.ToolUnion[]
createToolSearch({ tools: [{ name: "a" }], format: "anthropic" }).turn(messages).tools satisfies Anthropic.ToolUnion[]
createToolSearch({ tools: JSON.parse("[]"), format: "anthropic" }).turn(messages).tools satisfies Anthropic.ToolUnion[]
createToolSearch({ tools: [], format: "anthropic" }).turn(messages).tools satisfies Anthropic.ToolUnion[]
declare const servers: { name: string; description?: string; inputSchema: { type: "object"; properties?: object } }[]
createToolSearch({ tools: servers, format: "anthropic" }).turn(messages).tools satisfies Anthropic.ToolUnion[]

// What belongs to another provider does not fit, and the compiler says so.
const other = createToolSearch({ tools: chat })
// @ts-expect-error tools of Chat Completions
await client.messages.create({ ...request, messages, tools: other.turn(messages).tools })
const answer = await other.answer(message, messages)
// @ts-expect-error messages of Chat Completions
await client.messages.create({ ...request, messages: [...messages, ...answer.messages()] })
// @ts-expect-error a tool that another provider runs
createToolSearch({ tools: [{ type: "code_interpreter", container: "c" }], format: "anthropic" }).turn(messages).tools satisfies Anthropic.ToolUnion[]
// @ts-expect-error the shape says Anthropic
createToolSearch({ tools: own, format: "antropic" })
