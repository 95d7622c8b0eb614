// OpenAI Chat Completions: `POST /v1/chat/completions`.

import { extra, first, isJsonObject, isObject, list, rule, twice } from "./common.mjs"

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const MOST_TOOLS = 128
const MESSAGES = {
  system: ["role", "content", "name"],
  developer: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "refusal", "audio", "annotations", "function_call"],
  tool: ["role", "content", "tool_call_id"],
}

const tools = ({ tools }) => list(tools)
const functions = (body) => tools(body).filter(({ type }) => type === "function")
const calls = (message) => (message.role === "assistant" ? list(message.tool_calls) : [])

export default {
  tools_shape: rule("types: ChatCompletionCreateParams.tools", ({ tools }) =>
    tools !== undefined && !(Array.isArray(tools) && tools.every(isObject)) ? "tools: must be a list of objects" : undefined,
  ),
  tools_empty: rule("vendor: [] is too short - 'tools'", ({ tools }) => (tools?.length === 0 ? "[] is too short - 'tools'" : undefined)),
  tools_too_many: rule("PROVIDERS, Names, Caps", (body) =>
    tools(body).length > MOST_TOOLS ? `tools: at most ${MOST_TOOLS}, found ${tools(body).length}` : undefined,
  ),
  tool_type: rule("PROVIDERS, Tool definitions", (body) =>
    first(tools(body), (tool, at) =>
      (tool.type === "function" && isObject(tool.function)) || (tool.type === "custom" && isObject(tool.custom)) ? undefined
        : `tools[${at}]: must be {type: "function", function}`,
    ),
  ),
  defer_loading: rule("PROVIDERS, Native deferral, Not native", (body) =>
    first(tools(body), (tool, at) =>
      "defer_loading" in tool || "defer_loading" in (tool.function ?? {}) ? `tools[${at}].defer_loading: unknown parameter` : undefined,
    ),
  ),
  tool_unknown_key: rule("types: ChatCompletionFunctionTool, FunctionDefinition", (body) =>
    first(functions(body), (tool, at) =>
      extra(tool, ["type", "function"], `tools[${at}]`) ??
      extra(tool.function, ["name", "description", "parameters", "strict"], `tools[${at}].function`),
    ),
  ),
  tool_name_pattern: rule("PROVIDERS, Names", (body) =>
    first(functions(body), ({ function: { name } }, at) =>
      NAME.test(name) ? undefined : `tools[${at}].function.name: must match ${NAME}: ${name}`,
    ),
  ),
  tool_name_duplicate: rule("vendor: tool names must be unique", (body) => twice(functions(body).map((tool) => tool.function.name))),
  tool_parameters: rule('vendor: a schema of type "object"', (body) =>
    first(functions(body), ({ function: { name, parameters } }) =>
      parameters === undefined || parameters?.type === "object" ? undefined : `invalid schema for function ${name}: type must be "object"`,
    ),
  ),
  tool_description: rule("types: FunctionDefinition.description", (body) =>
    first(functions(body), ({ function: { description } }, at) =>
      description === undefined || typeof description === "string" ? undefined : `tools[${at}].function.description: must be a string`,
    ),
  ),
  tool_choice_unknown: rule("vendor: tool_choice names a tool of the request", ({ tool_choice, ...body }) =>
    tool_choice?.type === "function" && !functions(body).some((tool) => tool.function.name === tool_choice.function.name)
      ? `tool_choice: there is no tool ${tool_choice.function.name}`
      : undefined,
  ),

  message_role: rule("types: ChatCompletionMessageParam", ({ messages }) =>
    first(messages, ({ role }, at) => (MESSAGES[role] ? undefined : `messages[${at}].role: ${role}`)),
  ),
  message_unknown_key: rule("types: ChatCompletionMessageParam", ({ messages }) =>
    first(messages, (message, at) => extra(message, MESSAGES[message.role], `messages[${at}]`)),
  ),
  message_content: rule("types: ChatCompletionMessageParam", ({ messages }) =>
    first(messages, (message, at) => {
      const { role, content } = message
      if (typeof content === "string") return undefined
      if (Array.isArray(content) && content.length && (role === "user" || content.every(({ type }) => type === "text" || type === "refusal"))) return undefined
      return role === "assistant" && (calls(message).length || message.refusal) ? undefined : `messages[${at}].content: must be a text or text parts`
    }),
  ),
  tool_call_shape: rule("PROVIDERS, Tool definitions", ({ messages }) =>
    first(messages, (message, at) =>
      first(calls(message), (call) =>
        typeof call.id === "string" && call.type === "function" && typeof call.function?.name === "string" ? undefined
          : `messages[${at}].tool_calls: needs id, type and function.name`,
      ),
    ),
  ),
  tool_call_unknown_key: rule("types: ChatCompletionMessageFunctionToolCall", ({ messages }) =>
    first(messages, (message, at) =>
      first(calls(message), (call) =>
        extra(call, ["id", "type", "function"], `messages[${at}].tool_calls`) ??
        extra(call.function, ["name", "arguments"], `messages[${at}].tool_calls.function`),
      ),
    ),
  ),
  tool_call_arguments: rule("PROVIDERS, Tool definitions: a JSON string", ({ messages }) =>
    first(messages, (message, at) =>
      first(calls(message), (call) =>
        isJsonObject(call.function.arguments) ? undefined : `messages[${at}].tool_calls.function.arguments: must be a JSON string`,
      ),
    ),
  ),
  tool_calls_empty: rule("vendor: [] is too short - 'messages.tool_calls'", ({ messages }) =>
    first(messages, ({ tool_calls }, at) => (tool_calls?.length === 0 ? `[] is too short - 'messages.${at}.tool_calls'` : undefined)),
  ),
  // The tool messages of an assistant message stand right after it, with nothing in between.
  tool_message_orphan: rule("PROVIDERS, Tool definitions; vendor", ({ messages }) => {
    let open = []
    return first(messages, (message, at) => {
      if (message.role !== "tool") {
        open = calls(message).map(({ id }) => id)
        return undefined
      }
      return open.includes(message.tool_call_id) ? undefined : `messages[${at}]: no tool call ${message.tool_call_id} right before`
    })
  }),
  tool_message_duplicate: rule("vendor: one tool message for each call", ({ messages }) => {
    let seen = []
    return first(messages, (message) => {
      if (message.role !== "tool") seen = []
      else seen.push(message.tool_call_id)
      return twice(seen, "tool messages for")
    })
  }),
  tool_call_unanswered: rule("vendor: an assistant message with tool_calls must be followed by tool messages", ({ messages }) =>
    first(messages, (message, at) => {
      const answered = []
      for (let next = at + 1; messages[next]?.role === "tool"; next++) answered.push(messages[next].tool_call_id)
      return first(calls(message), ({ id }) => (answered.includes(id) ? undefined : `messages[${at}]: tool call ${id} has no response`))
    }),
  ),
}
