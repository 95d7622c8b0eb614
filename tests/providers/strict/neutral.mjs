// The neutral shape: no provider's. What a host that turns it into one relies on.

import { extra, first, isObject, list, rule, twice } from "./common.mjs"

const MESSAGES = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "toolCalls"],
  tool: ["role", "toolCallId", "name", "content", "isError"],
}
const calls = (message) => list(message?.toolCalls)

export default {
  tool_shape: rule("types: toolcrib's neutral definition", ({ tools }) =>
    first(tools, (tool, at) => {
      const whole = typeof tool.name === "string" && (tool.inputSchema === undefined || isObject(tool.inputSchema))
      return whole ? extra(tool, ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta", "icons", "execution"], `tools[${at}]`) : `tools[${at}]: needs a name, and inputSchema as an object`
    }),
  ),
  tool_name_duplicate: rule("PROVIDERS, Names", ({ tools }) => twice(list(tools).map(({ name }) => name))),
  message_shape: rule("types: toolcrib's neutral messages", ({ messages }) =>
    first(messages, (message, at) => (MESSAGES[message.role] ? extra(message, MESSAGES[message.role], `messages[${at}]`) : `messages[${at}].role: ${message.role}`)),
  ),
  call_shape: rule("types: toolcrib's neutral calls", ({ messages }) =>
    first(messages, (message, at) =>
      first(calls(message), (call) =>
        typeof call.id === "string" && typeof call.name === "string" && isObject(call.arguments) ? undefined : `messages[${at}].toolCalls: needs id, name and arguments, an object`,
      ),
    ),
  ),
  result_shape: rule("types: toolcrib's neutral results", ({ messages }) =>
    first(messages, ({ role, content, isError }, at) =>
      role !== "tool" || ((typeof content === "string" || isObject(content)) && [undefined, true].includes(isError)) ? undefined
        : `messages[${at}]: content must be a text or an object, isError true or absent`,
    ),
  ),
  call_unanswered: rule("PROVIDERS, Tool definitions", ({ messages }) =>
    first(messages, (message, at) => {
      const answered = []
      for (let next = at + 1; messages[next]?.role === "tool"; next++) answered.push(messages[next].toolCallId)
      const ids = calls(message).map(({ id }) => id)
      const open = message.role === "tool" ? undefined : ids.find((id) => !answered.includes(id)) ?? answered.find((id) => !ids.includes(id))
      return open === undefined ? undefined : `messages[${at}]: call ${open} without a result, or the other way`
    }),
  ),
}
