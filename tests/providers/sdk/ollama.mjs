import { Ollama } from "ollama"
import { refuses, SCHEMA, through } from "./talk.mjs"

const ollama = {
  format: "ollama",
  toolsOf: ({ tools }) => tools,
  define: (name, { description }) => ({ type: "function", function: { name, description, parameters: SCHEMA } }),
  connect: (url) => {
    const client = new Ollama({ host: url })
    return {
      ask: ({ tools, note }, messages) =>
        client.chat({ model: "llama", tools, messages: [{ role: "system", content: note ?? "Be brief." }, ...messages] }),
    }
  },
}
for (const delivery of ["append", "proxy"]) through("ollama", { ...ollama, delivery })
refuses("ollama", { ...ollama, messages: [{ role: "model", content: "Go on." }], rule: "message_role" })
