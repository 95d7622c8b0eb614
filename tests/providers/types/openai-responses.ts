// What toolcrib takes from and gives to Responses of the `openai` package, without a cast.
import type OpenAI from "openai"
import { createToolSearch } from "toolcrib"
import * as z from "zod"
import { type Equal, holds, type IsAny } from "./expect.js"

declare const client: OpenAI
declare const input: OpenAI.Responses.ResponseInputItem[]

// The SDK's own types in, namespaces and hosted tools among them.
declare const own: OpenAI.Responses.Tool[]
const search = createToolSearch({ tools: own, format: "openai-responses" })
const turn = search.turn(input)
holds<Equal<IsAny<typeof turn.tools>, false>>()
holds<Equal<IsAny<(typeof turn.tools)[number]>, false>>()
const response = await client.responses.create({ model: "m", input, tools: turn.tools, instructions: turn.note })
const reply = await search.answer(response, input)
await search.answer(response.output, input)
reply.parts satisfies OpenAI.Responses.ResponseInputItem[]
holds<Equal<IsAny<(typeof reply.parts)[number]>, false>>()
search.searchTool satisfies OpenAI.Responses.Tool
const results: OpenAI.Responses.ResponseInputItem.FunctionCallOutput[] = []
for (const item of response.output) {
  if (item.type !== "function_call") continue
  const target = search.resolve(item, input)
  if (target.part) input.push(target.part)
  else if (!target.error) results.push({ type: "function_call_output", call_id: item.call_id, output: "done" })
}
await client.responses.create({ model: "m", input: [...input, ...reply.messages(results)], tools: turn.tools })

// Their shape names the format.
declare const functions: OpenAI.Responses.FunctionTool[]
createToolSearch({ tools: functions }).turn(input).tools satisfies OpenAI.Responses.Tool[]
createToolSearch({ tools: own }).turn(input).tools satisfies OpenAI.Responses.Tool[]

// Literals, and the provider's own deferral.
const native = createToolSearch({
  tools: [
    { type: "function", name: "read_file", description: "Read", parameters: { type: "object", required: ["path"] }, strict: false },
    { type: "function", name: "zod", parameters: z.object({ q: z.string() }), deferLoading: true },
    { type: "namespace", name: "crm", description: "Customers", tools: [{ type: "function", name: "find", parameters: { type: "object" } }] },
    { type: "web_search", filters: { allowed_domains: ["example.com"] } },
    { type: "custom", name: "free_text" },
  ],
  delivery: "native",
})
const sent = native.turn(input, { previous: native.turn(input) })
await client.responses.create({ model: "m", input: [...input, ...(await native.answer(response, input)).messages()], tools: sent.tools })
native.searchTool satisfies OpenAI.Responses.Tool
sent.loaded satisfies ("read_file" | "zod" | "crm__find" | "free_text" | "web_search")[]
const target = native.resolve({ type: "function_call", call_id: "c", name: "find", namespace: "crm", arguments: "{}" })
if (!target.error && target.name === "crm__find") target.tool.parameters.type satisfies "object"
// Without it there is none of its own search tool in the types.
createToolSearch({ tools: functions }).turn(input).tools[0]!.type satisfies "function"

// @ts-expect-error a record of tools is the AI SDK's
createToolSearch({ tools: { a: { description: "A" } } }).turn(input).tools satisfies OpenAI.Responses.Tool[]
// @ts-expect-error tools of Chat Completions
createToolSearch({ tools: [{ type: "function", function: { name: "a" } }] }).turn(input).tools satisfies OpenAI.Responses.Tool[]
