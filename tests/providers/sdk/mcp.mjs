// The catalogue is what an MCP server lists, with names that no model provider takes, and it runs the tools.

import Anthropic from "@anthropic-ai/sdk"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { outcome, SCHEMA, through } from "./talk.mjs"

const PREFIX = "shop.v1."

/** An MCP client whose server has these tools. */
async function pair(tools) {
  const server = new Server({ name: "shop", version: "1.0.0" }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { description }]) => ({
      name: PREFIX + name,
      title: name,
      description,
      inputSchema: SCHEMA,
      annotations: { readOnlyHint: name === "get_time" },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { text, failed } = await outcome(() => tools[params.name.slice(PREFIX.length)].run(params.arguments))
    return { content: [{ type: "text", text }], ...(failed ? { isError: true } : {}) }
  })
  const client = new Client({ name: "host", version: "1.0.0" })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  return client
}

async function list(tools) {
  const client = await pair(tools)
  return {
    // The reply as it came.
    tools: await client.listTools(),
    deferred: [`${PREFIX}refund_*`, `${PREFIX}delete_*`, `${PREFIX}create_*`],
    run: async (name, args) => {
      const { content, isError = false } = await client.callTool({ name, arguments: args })
      return { text: content[0].text, failed: isError }
    },
    close: () => client.close(),
  }
}

for (const delivery of ["append", "native", "proxy"]) {
  through("@modelcontextprotocol/sdk", {
    format: "anthropic",
    delivery,
    model: "claude-sonnet-4-5",
    list,
    toolsOf: ({ tools }) => tools,
    connect: (url) => {
      const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 })
      return {
        ask: ({ tools, note }, messages) =>
          client.messages.create({ model: "claude-sonnet-4-5", max_tokens: 100, tools, messages, ...(note ? { system: note } : {}) }),
      }
    },
  })
}
