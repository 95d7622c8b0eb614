import OpenAI from "openai"
import { user } from "../host.mjs"
import { refuses, SCHEMA, through } from "./talk.mjs"

const client = (url) => new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 })
const toolsOf = ({ tools }) => tools

const chat = {
  format: "openai-chat",
  toolsOf,
  define: (name, { description }) => ({ type: "function", function: { name, description, parameters: SCHEMA } }),
  connect: (url) => ({
    ask: ({ tools, note }, messages) =>
      client(url).chat.completions.create({ model: "gpt-5.4", tools, messages: [{ role: "system", content: note ?? "Be brief." }, ...messages] }),
  }),
}
for (const delivery of ["append", "proxy"]) through("openai", { ...chat, delivery })
refuses("openai", {
  ...chat,
  messages: [user("openai-chat", "Go on.")],
  tools: [{ ...chat.define("one", {}), defer_loading: true }],
  rule: "defer_loading",
})

const responses = {
  format: "openai-responses",
  model: "gpt-5.4",
  toolsOf,
  define: (name, { description }) => ({ type: "function", name, description, parameters: SCHEMA, strict: false }),
  connect: (url) => ({
    ask: ({ tools, note }, input) => client(url).responses.create({ model: "gpt-5.4", instructions: note, tools, input, store: false }),
  }),
}
for (const delivery of ["append", "native", "proxy"]) through("openai", { ...responses, delivery })
refuses("openai responses", {
  ...responses,
  messages: [user("openai-responses", "Go on.")],
  tools: [{ ...responses.define("one", {}), defer_loading: true }],
  rule: "defer_loading_without_tool_search",
})
