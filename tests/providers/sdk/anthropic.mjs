import Anthropic from "@anthropic-ai/sdk"
import { user } from "../host.mjs"
import { refuses, SCHEMA, through } from "./talk.mjs"

const claude = {
  format: "anthropic",
  model: "claude-sonnet-4-5",
  toolsOf: ({ tools }) => tools,
  define: (name, { description }) => ({ name, description, input_schema: SCHEMA }),
  connect: (url) => {
    const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 })
    return {
      ask: ({ tools, note }, messages) =>
        client.messages.create({ model: "claude-sonnet-4-5", max_tokens: 100, tools, messages, ...(note ? { system: note } : {}) }),
    }
  },
}
for (const delivery of ["append", "native", "proxy"]) through("@anthropic-ai/sdk", { ...claude, delivery })
refuses("@anthropic-ai/sdk", {
  ...claude,
  messages: [user("anthropic", "Go on.")],
  tools: [{ ...claude.define("one", {}), defer_loading: true }],
  rule: "all_tools_deferred",
})
