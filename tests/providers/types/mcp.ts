// What MCP's client gives goes in as it is, whatever the format, and what comes out goes back to it.
import type Anthropic from "@anthropic-ai/sdk"
import type { Tool as BedrockTool } from "@aws-sdk/client-bedrock-runtime"
import type { Tool as GeminiTool } from "@google/genai"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { ListToolsResult, Tool } from "@modelcontextprotocol/sdk/types.js"
import type { ToolSet } from "ai7"
import type OpenAI from "openai"
import { createToolSearch, type Format } from "toolcrib"
import { type Equal, holds, type IsAny } from "./expect.js"

declare const client: Client
const listed = await client.listTools()

// The reply, its tools, several servers' tools.
const search = createToolSearch({ tools: listed, deferred: ["*"] })
createToolSearch({ tools: listed.tools }).turn([]).loaded satisfies string[]
declare const tools: Tool[]
declare const reply: ListToolsResult
createToolSearch({ tools: reply })
createToolSearch({ tools: [...tools, ...listed.tools], servers: { files: { tools: tools.map(({ name }) => name) } } })
createToolSearch({ tools: listed, deferred: (tool) => tool.annotations?.readOnlyHint })

// To every wire.
createToolSearch({ tools: listed }).turn([]).tools satisfies OpenAI.Chat.ChatCompletionTool[]
createToolSearch({ tools: listed, format: "openai-chat" }).turn([]).tools satisfies OpenAI.Chat.ChatCompletionTool[]
createToolSearch({ tools: listed, format: "openai-responses" }).turn([]).tools satisfies OpenAI.Responses.Tool[]
createToolSearch({ tools: listed, format: "anthropic" }).turn([]).tools satisfies Anthropic.ToolUnion[]
createToolSearch({ tools: listed, format: "gemini" }).turn([]).tools satisfies GeminiTool[]
createToolSearch({ tools: listed, format: "bedrock" }).turn([]).tools satisfies BedrockTool[]
createToolSearch({ tools: listed, format: "ai-sdk" }).turn([]).tools satisfies ToolSet
const neutral = createToolSearch({ tools: listed, format: "neutral" }).turn([])
neutral.tools satisfies { name: string; inputSchema: object }[]
holds<Equal<IsAny<(typeof neutral.tools)[number]>, false>>()

// A format that is known at run time only gives any of them.
declare const format: Format
const any = createToolSearch({ tools: listed, format }).turn([])
holds<Equal<IsAny<typeof any.tools>, false>>()
// @ts-expect-error which of them is not known
any.tools satisfies OpenAI.Chat.ChatCompletionTool[]

// The call goes to the server.
const target = search.resolve({ id: "c", type: "function", function: { name: "read_file", arguments: "{}" } })
if (!target.error) {
  target.tool satisfies Tool
  await client.callTool({ name: target.name, arguments: target.args })
}
