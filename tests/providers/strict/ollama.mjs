// Ollama: `POST /api/chat`. It takes what Chat Completions takes but for the calls and their results.

import { first, isObject, list, rule } from "./common.mjs"

const calls = (message) => list(message.tool_calls)

export default {
  tool_shape: rule("PROVIDERS, Tool definitions: as openai-chat", ({ tools }) =>
    first(tools, (tool, at) =>
      tool.type === "function" && typeof tool.function?.name === "string" && tool.function.name ? undefined : `tools[${at}]: must be {type: "function", function}`,
    ),
  ),
  defer_loading: rule("PROVIDERS, Native deferral, Not native", ({ tools }) =>
    first(tools, (tool, at) => ("defer_loading" in tool || "defer_loading" in tool.function ? `tools[${at}].defer_loading: unknown field` : undefined)),
  ),
  tool_parameters: rule("types: Tool.function.parameters", ({ tools }) =>
    first(tools, ({ function: { name, parameters } }) =>
      parameters === undefined || isObject(parameters) ? undefined : `${name}.parameters: must be an object`,
    ),
  ),
  message_role: rule("vendor: the roles that a template knows", ({ messages }) =>
    first(messages, ({ role }, at) => (["system", "user", "assistant", "tool"].includes(role) ? undefined : `messages[${at}].role: ${role}`)),
  ),
  message_content: rule("types: Message.content; vendor: cannot unmarshal into a string", ({ messages }) =>
    first(messages, (message, at) =>
      typeof message.content === "string" || (message.content === undefined && calls(message).length) ? undefined : `messages[${at}].content: must be a string`,
    ),
  ),
  tool_call_arguments: rule("PROVIDERS, Tool definitions: an object", ({ messages }) =>
    first(messages, (message, at) =>
      first(calls(message), (call) => (isObject(call.function?.arguments) ? undefined : `messages[${at}].tool_calls: cannot unmarshal string into an object`)),
    ),
  ),
  tool_message_name: rule("PROVIDERS, Tool definitions: tool_name, no id", ({ messages }) =>
    first(messages, ({ role, tool_name }, at) =>
      role !== "tool" || (typeof tool_name === "string" && tool_name) ? undefined : `messages[${at}]: a tool message needs tool_name`,
    ),
  ),
  tool_message_orphan: rule("PROVIDERS, Tool definitions: results pair by name after the call", ({ messages }) => {
    let open = []
    return first(messages, (message, at) => {
      if (message.role !== "tool") {
        open = calls(message).map((call) => call.function.name)
        return undefined
      }
      const place = open.indexOf(message.tool_name)
      if (place < 0) return `messages[${at}]: no call of ${message.tool_name} right before`
      open.splice(place, 1)
      return undefined
    })
  }),
  tool_call_unanswered: rule("PROVIDERS, Tool definitions: every call has its result", ({ messages }) =>
    first(messages, (message, at) => {
      const answered = []
      for (let next = at + 1; messages[next]?.role === "tool"; next++) answered.push(messages[next].tool_name)
      return calls(message).length === answered.length ? undefined : calls(message).length ? `messages[${at}]: ${calls(message).length} calls and ${answered.length} results` : undefined
    }),
  ),
}
