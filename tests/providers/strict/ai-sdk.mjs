// The AI SDK: what `generateText` refuses before a provider sees it, and what the provider behind it would refuse.
// The body is `{ provider: "anthropic" | "openai" | "other", tools: record, messages: ModelMessage[] }`.

import { extra, first, isObject, list, rule } from "./common.mjs"

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const OUTPUTS = ["text", "json", "content", "error-text", "error-json", "execution-denied"]
const KEYS = {
  "tool-call": ["type", "toolCallId", "toolName", "input", "providerOptions", "providerExecuted"],
  "tool-result": ["type", "toolCallId", "toolName", "output", "providerOptions"],
}

const tools = ({ tools }) => Object.entries(isObject(tools) ? tools : {})
const isHosted = (tool) => tool.type === "provider" || tool.type === "provider-defined"
const own = (body) => tools(body).filter(([, tool]) => !isHosted(tool))
const parts = (message, type) => list(message?.content).filter((part) => part?.type === type)
const every = (body, type) => list(body.messages).flatMap((message) => parts(message, type))
const isDeferred = (tool, provider) => tool.providerOptions?.[provider]?.deferLoading === true
/** Breakpoints and deferral are the provider's, by its own name. */
const breakpoint = (of) => of?.providerOptions?.anthropic?.cacheControl

/** Names that results reference, in the way that each provider's package writes references. */
const references = (body) =>
  every(body, "tool-result").flatMap(({ output }) =>
    list(output?.type === "content" ? output.value : undefined).flatMap((part) => {
      const reference = part?.providerOptions?.anthropic
      return reference?.type === "tool-reference" ? [reference.toolName] : []
    }),
  )

export default {
  tools_shape: rule("PROVIDERS, Tool definitions: a record", ({ tools }) =>
    tools === undefined || (isObject(tools) && Object.values(tools).every(isObject)) ? undefined : "tools: must be a record of tools",
  ),
  tool_schema: rule("types: Tool.inputSchema", (body) =>
    first(own(body), ([name, tool]) => (isObject(tool.inputSchema) || typeof tool.inputSchema === "function" ? undefined : `${name}: inputSchema is required`)),
  ),
  tool_mark: rule("PROVIDERS, AI SDK, native: deferral stands in providerOptions", (body) =>
    first(tools(body), ([name, tool]) =>
      ["defer_loading", "deferLoading", "deferred", "server"].some((key) => key in tool) ? `${name}: a mark of the host's on the wire` : undefined,
    ),
  ),
  // The providers behind it refuse these, and the AI SDK does not rename.
  tool_name_pattern: rule("PROVIDERS, Names", (body) =>
    first(own(body), ([name]) => (NAME.test(name) ? undefined : `tools: must match ${NAME}: ${name}`)),
  ),
  all_tools_deferred: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    tools(body).length > 0 && tools(body).every(([, tool]) => isDeferred(tool, "anthropic")) ? "at least one tool must not be deferred" : undefined,
  ),
  deferred_with_cache_control: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    first(tools(body), ([name, tool]) => (isDeferred(tool, "anthropic") && breakpoint(tool) ? `${name}: cacheControl with deferLoading` : undefined)),
  ),
  cache_breakpoints: rule("vendor: at most four blocks with cache_control", (body) => {
    const all = [...tools(body).map(([, tool]) => tool), ...list(body.messages), ...list(body.messages).flatMap(({ content }) => list(content))]
    const found = all.filter(breakpoint).length
    return found > 4 ? `at most 4 breakpoints, found ${found}` : undefined
  }),
  defer_loading_without_tool_search: rule("PROVIDERS, Native deferral, OpenAI Responses", (body) =>
    first(own(body), ([name, tool]) =>
      isDeferred(tool, "openai") && !tools(body).some(([, { id }]) => id === "openai.tool_search") ? `${name}: deferLoading without openai.tool_search` : undefined,
    ),
  ),
  defer_loading: rule("PROVIDERS, Native deferral, Not native", (body) =>
    body.provider === "other"
      ? first(own(body), ([name, tool]) => (isDeferred(tool, "anthropic") || isDeferred(tool, "openai") ? `${name}: this provider defers nothing` : undefined))
      : undefined,
  ),

  message_role: rule("types: ModelMessage", ({ messages }) =>
    first(messages, ({ role }, at) => (["system", "user", "assistant", "tool"].includes(role) ? undefined : `messages[${at}].role: ${role}`)),
  ),
  message_content: rule("types: ModelMessage", ({ messages }) =>
    first(messages, ({ role, content }, at) =>
      (typeof content === "string" && role !== "tool") || (Array.isArray(content) && content.length && content.every(isObject)) ? undefined
        : `messages[${at}].content: a text or parts`,
    ),
  ),
  part_unknown_key: rule("types: ToolCallPart, ToolResultPart", (body) =>
    first(Object.keys(KEYS), (type) => first(every(body, type), (part) => extra(part, KEYS[type], type))),
  ),
  tool_call_shape: rule("PROVIDERS, Tool definitions", (body) =>
    first(every(body, "tool-call"), ({ toolCallId, toolName, input }) =>
      typeof toolCallId === "string" && typeof toolName === "string" && isObject(input) ? undefined : "tool-call: needs toolCallId, toolName and input, an object",
    ),
  ),
  tool_result_output: rule("PROVIDERS, Tool definitions; types: ToolResultOutput", (body) =>
    first(every(body, "tool-result"), ({ toolName, output }) => {
      if (typeof toolName !== "string" || !OUTPUTS.includes(output?.type)) return `tool-result: needs toolName, and output of type ${OUTPUTS.join(", ")}`
      if (output.type.endsWith("text")) return typeof output.value === "string" ? undefined : "tool-result.output.value: must be a text"
      if (output.type === "content") return Array.isArray(output.value) ? undefined : "tool-result.output.value: must be a list"
      return output.type === "execution-denied" || output.value !== undefined ? undefined : "tool-result.output.value: is required"
    }),
  ),
  tool_part_role: rule("types: ToolModelMessage, AssistantModelMessage", ({ messages }) =>
    first(messages, (message, at) => {
      if (message.role !== "assistant" && parts(message, "tool-call").length) return `messages[${at}]: a tool-call in role ${message.role}`
      if (!["tool", "assistant"].includes(message.role) && parts(message, "tool-result").length) return `messages[${at}]: a tool-result in role ${message.role}`
      return undefined
    }),
  ),
  // Before version 7 several tool messages in a row were merged; one message holds them all is right in every version.
  tool_result_unknown_id: rule("PROVIDERS, Tool definitions", ({ messages }) =>
    first(messages, (message, at) => {
      if (message.role !== "tool") return undefined
      const calls = parts(messages[at - 1], "tool-call")
      return first(parts(message, "tool-result"), ({ toolCallId, toolName }) =>
        calls.some((call) => call.toolCallId === toolCallId && call.toolName === toolName) ? undefined : `messages[${at}]: no tool-call ${toolCallId} of ${toolName} right before`,
      )
    }),
  ),
  tool_call_unanswered: rule("vendor: MissingToolResultsError", ({ messages }) =>
    first(messages, (message, at) => {
      const answered = [...parts(messages[at + 1]?.role === "tool" ? messages[at + 1] : undefined, "tool-result"), ...parts(message, "tool-result")]
      return first(parts(message, "tool-call"), ({ toolCallId }) =>
        answered.some((result) => result.toolCallId === toolCallId) ? undefined : `messages[${at}]: tool-call ${toolCallId} has no result`,
      )
    }),
  ),
  unknown_reference: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    first(references(body), (name) => (isObject(body.tools) && name in body.tools ? undefined : `tool reference ${name} not found in available tools`)),
  ),
  reference_beside_text: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    first(every(body, "tool-result"), ({ output }) => {
      if (output.type !== "content") return undefined
      const found = output.value.filter((part) => part?.providerOptions?.anthropic?.type === "tool-reference").length
      return found > 0 && found < output.value.length ? "tool-result: references stand alone" : undefined
    }),
  ),
}
