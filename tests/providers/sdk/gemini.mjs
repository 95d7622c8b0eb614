import { GoogleGenAI } from "@google/genai"
import { user } from "../host.mjs"
import { refuses, SCHEMA, through } from "./talk.mjs"

const DIALECT = { type: "OBJECT", properties: { text: { type: "STRING", nullable: true } } }

const gemini = {
  format: "gemini",
  toolsOf: ({ tools }) => tools,
  define: (name, { description }) =>
    name === "refund_order" ? { name, description, parameters: DIALECT } : { name, description, parametersJsonSchema: SCHEMA },
  connect: (url) => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } })
    return {
      ask: ({ tools, note }, contents) =>
        client.models.generateContent({ model: "gemini-3", contents, config: { tools, ...(note ? { systemInstruction: note } : {}) } }),
    }
  },
}
// Calls with ids, and without them as Gemini's API most often sends them.
for (const delivery of ["append", "proxy"]) {
  through("@google/genai", { ...gemini, delivery, ids: true })
  through("@google/genai without ids", { ...gemini, delivery, ids: false })
}
refuses("@google/genai", {
  ...gemini,
  messages: [user("gemini", "Go on.")],
  tools: [{ functionDeclarations: [gemini.define("1st", {})] }],
  rule: "tool_name_pattern",
})
