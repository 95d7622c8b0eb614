// What a host does in each format: it makes the request of a turn, keeps what the model said, and answers the calls that are
// not the search tool's.

import { list } from "./strict/common.mjs"

const some = (tools) => (tools.length ? { tools } : {})

/** The request of a turn as the provider's HTTP API takes it. `choice`: the name on the wire of a forced tool. */
const REQUEST = {
  "openai-chat": ({ tools, note, messages, choice }) => ({
    model: "gpt",
    ...some(tools),
    messages: [...(note ? [{ role: "system", content: note }] : []), ...messages],
    ...(choice ? { tool_choice: { type: "function", function: { name: choice } } } : {}),
  }),
  ollama: ({ tools, note, messages }) => ({
    model: "llama",
    stream: false,
    tools,
    messages: [...(note ? [{ role: "system", content: note }] : []), ...messages],
  }),
  "openai-responses": ({ tools, note, messages, choice }) => ({
    model: "gpt",
    ...(note ? { instructions: note } : {}),
    ...some(tools),
    input: messages,
    ...(choice ? { tool_choice: { type: "function", name: choice } } : {}),
  }),
  anthropic: ({ tools, note, messages, choice }) => ({
    model: "claude",
    max_tokens: 100,
    ...(note ? { system: [{ type: "text", text: note }] } : {}),
    ...some(tools),
    messages,
    ...(choice ? { tool_choice: { type: "tool", name: choice } } : {}),
  }),
  gemini: ({ tools, note, messages, choice }) => ({
    ...(note ? { systemInstruction: { parts: [{ text: note }] } } : {}),
    ...some(tools),
    contents: messages,
    ...(choice ? { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [choice] } } } : {}),
  }),
  bedrock: ({ tools, note, messages, choice }) => ({
    ...(note ? { system: [{ text: note }] } : {}),
    messages,
    ...(tools.length ? { toolConfig: { tools, ...(choice ? { toolChoice: { tool: { name: choice } } } : {}) } } : {}),
  }),
  "ai-sdk": ({ tools, messages, provider }) => ({ provider, tools, messages }),
  neutral: ({ tools, note, messages }) => ({ tools, messages: [...(note ? [{ role: "system", content: note }] : []), ...messages] }),
}

/** What the model said, as the messages or items that the host keeps. */
const SAID = {
  "openai-chat": ({ choices }) => [choices[0].message],
  ollama: ({ message }) => [message],
  "openai-responses": ({ output }) => output,
  anthropic: ({ role, content }) => [{ role, content }],
  gemini: ({ candidates }) => [candidates[0].content],
  bedrock: ({ output }) => [output.message],
  "ai-sdk": (message) => [message],
  neutral: (message) => [message],
}

/** The calls in what the model said, in the provider's shape, each with the name that it calls. */
const CALLS = {
  "openai-chat": ([message]) => list(message.tool_calls).map((call) => ({ call, name: call.function.name })),
  ollama: ([message]) => CALLS["openai-chat"]([message]),
  "openai-responses": (items) =>
    items.flatMap((call) =>
      call.type === "function_call" ? [{ call, name: call.name }] : call.type === "tool_search_call" ? [{ call, name: undefined }] : [],
    ),
  anthropic: ([{ content }]) => content.flatMap((call) => (call.type === "tool_use" ? [{ call, name: call.name }] : [])),
  gemini: ([{ parts }]) => parts.flatMap((call) => (call.functionCall ? [{ call, name: call.functionCall.name }] : [])),
  bedrock: ([{ content }]) => content.flatMap((call) => (call.toolUse ? [{ call, name: call.toolUse.name }] : [])),
  "ai-sdk": ([{ content }]) => content.flatMap((call) => (call.type === "tool-call" ? [{ call, name: call.toolName }] : [])),
  neutral: ([{ toolCalls }]) => list(toolCalls).map((call) => ({ call, name: call.name })),
}

/** The host's own result of a call. `failed`: its text says what went wrong. */
const RESULT = {
  "openai-chat": ({ id }, text) => ({ role: "tool", tool_call_id: id, content: text }),
  ollama: ({ function: { name } }, text) => ({ role: "tool", tool_name: name, content: text }),
  "openai-responses": ({ call_id }, text) => ({ type: "function_call_output", call_id, output: text }),
  anthropic: ({ id }, text, failed) => ({ type: "tool_result", tool_use_id: id, content: text, ...(failed ? { is_error: true } : {}) }),
  gemini: ({ functionCall: { id, name } }, text, failed) => ({
    functionResponse: { ...(id === undefined ? {} : { id }), name, response: failed ? { error: text } : { output: text } },
  }),
  bedrock: ({ toolUse: { toolUseId } }, text, failed) => ({ toolResult: { toolUseId, content: [{ text }], status: failed ? "error" : "success" } }),
  "ai-sdk": ({ toolCallId, toolName }, text, failed) => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type: failed ? "error-text" : "text", value: text },
  }),
  neutral: ({ id, name }, text, failed) => ({ role: "tool", toolCallId: id, name, content: text, ...(failed ? { isError: true } : {}) }),
}

/** What every tool of the runs takes: a call of one that is checked has to fit. */
const ARGS = { text: "words" }

/** A call of a tool that nobody made, in the format's shape. */
const CALL = {
  "openai-chat": (id, { name }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(ARGS) } }),
  ollama: (id, { name }) => ({ function: { name, arguments: ARGS } }),
  "openai-responses": (id, { name, namespace }) => ({
    type: "function_call", call_id: id, name, arguments: JSON.stringify(ARGS), ...(namespace === undefined ? {} : { namespace }),
  }),
  anthropic: (id, { name }) => ({ type: "tool_use", id, name, input: ARGS }),
  gemini: (id, { name }) => ({ functionCall: { id, name, args: ARGS } }),
  bedrock: (id, { name }) => ({ toolUse: { toolUseId: id, name, input: ARGS } }),
  "ai-sdk": (id, { name }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: ARGS }),
  neutral: (id, { name }) => ({ id, name, arguments: ARGS }),
}

const USER = {
  gemini: (text) => ({ role: "user", parts: [{ text }] }),
  bedrock: (text) => ({ role: "user", content: [{ text }] }),
}

export const request = (format, turn) => REQUEST[format](turn)
export const said = (format, response) => SAID[format](response)
export const calls = (format, messages) => CALLS[format](messages)
export const result = (format, call, text, failed = false) => RESULT[format](call, text, failed)
export const callOf = (format, tool, id = "probe") => CALL[format](id, tool)
export const user = (format, text) => USER[format]?.(text) ?? { role: "user", content: text }

/** The definitions of a turn one by one, each with its name where it has one. */
export function definitions(format, tools) {
  if (format === "ai-sdk") return Object.entries(tools).map(([name, tool]) => ({ name, tool }))
  const flat = format === "gemini" ? tools.flatMap((tool) => tool.functionDeclarations ?? [tool]) : tools
  return flat.map((tool) => ({ name: tool.function?.name ?? tool.toolSpec?.name ?? tool.name, tool }))
}
