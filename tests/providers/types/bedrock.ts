// What toolcrib takes from and gives to `@aws-sdk/client-bedrock-runtime`, without a cast.
import {
  type BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type Message,
  type Tool,
  type ToolConfiguration,
} from "@aws-sdk/client-bedrock-runtime"
import { createToolSearch } from "toolcrib"
import { type Equal, holds, type IsAny } from "./expect.js"

declare const client: BedrockRuntimeClient
declare const messages: Message[]

declare const own: Tool[]
const search = createToolSearch({ tools: own, cacheBreakpoint: true })
const turn = search.turn(messages)
holds<Equal<IsAny<typeof turn.tools>, false>>()
holds<Equal<IsAny<(typeof turn.tools)[number]>, false>>()
const toolConfig = { tools: turn.tools }
const output = await client.send(new ConverseCommand({ modelId: "m", messages, toolConfig }))
const reply = await search.answer(output, messages)
reply.parts satisfies ContentBlock[]
search.searchTool satisfies Tool
const results: ContentBlock[] = []
for (const block of output.output?.message?.content ?? []) {
  if (!block.toolUse) continue
  const target = search.resolve(block, messages)
  if (target.error) results.push(target.part)
  else results.push({ toolResult: { toolUseId: block.toolUse.toolUseId, content: [{ text: "done" }] } })
}
declare const held: Message[]
for (const next of [reply.messages(), reply.messages(results), reply.messages(held)]) {
  await client.send(new ConverseCommand({ modelId: "m", messages: [...messages, ...next], toolConfig }))
}

// A tool configuration as it is, and literals.
declare const configuration: ToolConfiguration
createToolSearch({ tools: configuration }).turn(messages).tools satisfies Tool[]
createToolSearch({ tools: { toolConfig: configuration } }).turn(messages).tools satisfies Tool[]
const literal = createToolSearch({
  tools: {
    toolConfig: {
      tools: [
        { toolSpec: { name: "find", description: "Find", inputSchema: { json: { type: "object", required: ["q"] } } }, run: () => 1 },
        { cachePoint: { type: "default" } },
        { systemTool: { name: "nova_grounding" } },
      ],
    },
  },
})
literal.turn(messages).tools satisfies Tool[]
const target = literal.resolve({ toolUse: { toolUseId: "c", name: "find", input: {} } })
if (!target.error && target.name === "find") target.tool.run() satisfies number

// Tools of other shapes, with the format named.
createToolSearch({ tools: [{ name: "a" }], format: "bedrock" }).turn(messages).tools satisfies Tool[]
createToolSearch({ tools: { a: { description: "A" } }, format: "bedrock" }).turn(messages).tools satisfies Tool[]

const anthropic = createToolSearch({ tools: [{ name: "a", input_schema: { type: "object" } }] })
// @ts-expect-error tools of Anthropic's own interface
new ConverseCommand({ modelId: "m", messages, toolConfig: { tools: anthropic.turn(messages).tools } })
// @ts-expect-error a message of Anthropic's own interface
new ConverseCommand({ modelId: "m", messages: [...messages, ...(await anthropic.answer(output)).messages()] })
