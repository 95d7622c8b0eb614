// Anthropic Messages: `POST /v1/messages`.

import { extra, first, isObject, list, rule, twice } from "./common.mjs"

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const MOST_DEFERRED = 10_000
const MOST_BREAKPOINTS = 4
const TOOL = [
  "type", "name", "description", "input_schema", "cache_control", "defer_loading", "strict", "allowed_callers",
  "eager_input_streaming", "input_examples",
]
const BLOCKS = {
  text: ["type", "text", "cache_control", "citations"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller", "toolset_name"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
  tool_reference: ["type", "tool_name", "cache_control"],
}
const RESULT_BLOCKS = ["text", "image", "search_result", "document", "tool_reference", "browser_state"]

const tools = ({ tools }) => list(tools)
/** Hosted tools bear the date of their version; whoever runs them wrote their schema. */
const isHosted = ({ type }) => typeof type === "string" && /_\d{8}$/.test(type)
const own = (body) => tools(body).filter((tool) => !isHosted(tool))
const blocks = ({ content }) => (Array.isArray(content) ? content : [])
const ofType = (message, type) => blocks(message).filter((block) => block.type === type)

/** Every block that may be a breakpoint or hold others, results' blocks among them. */
const every = (body) =>
  list(body.messages).flatMap((message) => blocks(message).flatMap((block) => [block, ...blocks(block)]))

const references = (body) =>
  every(body).flatMap((block) => {
    if (block.type === "tool_reference") return [block.tool_name]
    if (block.type !== "tool_search_tool_result") return []
    return list(block.content?.tool_references).map(({ tool_name }) => tool_name)
  })

export default {
  tools_shape: rule("types: MessageCreateParams.tools", ({ tools }) =>
    tools !== undefined && !(Array.isArray(tools) && tools.every(isObject)) ? "tools: must be a list of objects" : undefined,
  ),
  // Tool definitions, calls, results: what is not in the provider's shape, such as the host's own marks.
  tool_unknown_key: rule("PROVIDERS, Tool definitions; types: Tool", (body) =>
    first(own(body), (tool, at) => extra(tool, TOOL, `tools.${at}.custom`)),
  ),
  tool_type: rule("types: Tool.type", (body) =>
    first(own(body), ({ type }, at) => (type === undefined || type === null || type === "custom" ? undefined : `tools.${at}.type: ${type}`)),
  ),
  tool_name_pattern: rule("PROVIDERS, Names", (body) =>
    first(own(body), ({ name }, at) => (NAME.test(name) ? undefined : `tools.${at}.custom.name: must match ${NAME}: ${name}`)),
  ),
  tool_name_duplicate: rule("vendor: tool names must be unique", (body) => twice(tools(body).map(({ name }) => name))),
  input_schema_missing: rule("PROVIDERS, Tool definitions; types: Tool.input_schema is required", (body) =>
    first(own(body), ({ input_schema }, at) => (isObject(input_schema) ? undefined : `tools.${at}.custom.input_schema: field required`)),
  ),
  input_schema_type: rule('types: InputSchema.type is "object"', (body) =>
    first(own(body), ({ input_schema }, at) =>
      input_schema.type === "object" ? undefined : `tools.${at}.custom.input_schema.type: must be "object"`,
    ),
  ),
  description_type: rule("types: Tool.description", (body) =>
    first(own(body), ({ description }, at) =>
      description === undefined || typeof description === "string" ? undefined : `tools.${at}.custom.description: must be a string`,
    ),
  ),
  all_tools_deferred: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    tools(body).length > 0 && tools(body).every(({ defer_loading }) => defer_loading === true)
      ? "at least one tool must have defer_loading=false"
      : undefined,
  ),
  too_many_deferred: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    tools(body).filter(({ defer_loading }) => defer_loading === true).length > MOST_DEFERRED
      ? `at most ${MOST_DEFERRED} tools can be deferred`
      : undefined,
  ),
  deferred_with_cache_control: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    first(tools(body), (tool, at) =>
      tool.defer_loading === true && tool.cache_control ? `tools.${at}: cache_control can't be set with defer_loading` : undefined,
    ),
  ),
  cache_control_shape: rule("types: CacheControlEphemeral", (body) =>
    first([...tools(body), ...list(body.system), ...every(body)], ({ cache_control }) =>
      !cache_control || (cache_control.type === "ephemeral" && [undefined, "5m", "1h"].includes(cache_control.ttl))
        ? undefined
        : `cache_control: ${JSON.stringify(cache_control)}`,
    ),
  ),
  cache_breakpoints: rule("vendor: at most four blocks with cache_control", (body) => {
    const all = [body, ...tools(body), ...list(body.system), ...every(body)]
    const found = all.filter(({ cache_control }) => cache_control).length
    return found > MOST_BREAKPOINTS ? `at most ${MOST_BREAKPOINTS} blocks with cache_control, found ${found}` : undefined
  }),
  tool_choice_unknown: rule("vendor: tool_choice names a tool of the request", ({ tool_choice, ...body }) =>
    tool_choice?.type === "tool" && !tools(body).some(({ name }) => name === tool_choice.name)
      ? `tool_choice: there is no tool ${tool_choice.name}`
      : undefined,
  ),
  // A tool that a forced choice loads is invisible to the provider while it carries defer_loading, unless a result references it.
  tool_choice_deferred: rule("PROVIDERS, Native deferral, What native can't see", ({ tool_choice, ...body }) =>
    tool_choice?.type === "tool" &&
    !references(body).includes(tool_choice.name) &&
    tools(body).some(({ name, defer_loading }) => name === tool_choice.name && defer_loading)
      ? `tool_choice: ${tool_choice.name} is deferred`
      : undefined,
  ),

  message_role: rule("PROVIDERS, Tool definitions; Tools in mid-conversation", ({ messages }) =>
    first(messages, ({ role }, at) =>
      ["user", "assistant", "system"].includes(role) ? undefined : `messages.${at}.role: unexpected role "${role}"`,
    ),
  ),
  message_unknown_key: rule("types: MessageParam", ({ messages }) =>
    first(messages, (message, at) => extra(message, ["role", "content"], `messages.${at}`)),
  ),
  message_first: rule("vendor: the first message is the user's", ({ messages }) =>
    messages?.[0]?.role === "user" ? undefined : "messages: the first message must use the user role",
  ),
  message_content: rule("types: MessageParam.content", ({ messages }) =>
    first(messages, ({ content }, at) =>
      typeof content === "string" ? (content === "" ? `messages.${at}: empty content` : undefined)
        : Array.isArray(content) && content.length > 0 && content.every(isObject) ? undefined
          : `messages.${at}.content: must be a text or a list of blocks that is not empty`,
    ),
  ),
  block_unknown_key: rule("types: ContentBlockParam", (body) =>
    first(every(body), (block) => (BLOCKS[block.type] ? extra(block, BLOCKS[block.type], block.type) : undefined)),
  ),
  text_empty: rule("vendor: text content blocks must be non-empty", (body) =>
    first(every(body), ({ type, text }) => (type === "text" && !(typeof text === "string" && text) ? "text: must be non-empty" : undefined)),
  ),
  tool_use_shape: rule("PROVIDERS, Tool definitions; types: ToolUseBlockParam", (body) =>
    first(every(body), ({ type, id, name, input }) =>
      type !== "tool_use" || (typeof id === "string" && typeof name === "string" && isObject(input)) ? undefined
        : "tool_use: needs id, name and input, an object",
    ),
  ),
  tool_use_role: rule("vendor: tool_use stands in assistant messages, tool_result in user messages", ({ messages }) =>
    first(messages, (message, at) => {
      if (message.role !== "assistant" && ofType(message, "tool_use").length) return `messages.${at}: tool_use in a ${message.role} message`
      if (message.role !== "user" && ofType(message, "tool_result").length) return `messages.${at}: tool_result in a ${message.role} message`
      return undefined
    }),
  ),
  tool_use_id_duplicate: rule("vendor: tool_use ids must be unique", ({ messages }) =>
    twice(list(messages).flatMap((message) => ofType(message, "tool_use").map(({ id }) => id)), "tool_use ids"),
  ),
  // Results of parallel calls stand in one user message, first in it, directly after the calls.
  tool_result_not_first: rule("PROVIDERS, Tool definitions, anthropic", ({ messages }) =>
    first(messages, (message, at) => {
      const kinds = blocks(message).map(({ type }) => type === "tool_result")
      return kinds.lastIndexOf(true) >= kinds.filter(Boolean).length ? `messages.${at}: tool_result must come first` : undefined
    }),
  ),
  tool_result_unknown_id: rule("PROVIDERS, Tool definitions, anthropic", ({ messages }) =>
    first(messages, (message, at) => {
      const ids = at === 0 ? [] : ofType(messages[at - 1], "tool_use").map(({ id }) => id)
      return first(ofType(message, "tool_result"), ({ tool_use_id }) =>
        ids.includes(tool_use_id) ? undefined : `messages.${at}: no tool_use ${tool_use_id} in the message before`,
      )
    }),
  ),
  tool_use_unanswered: rule("PROVIDERS, Tool definitions, anthropic", ({ messages }) =>
    first(messages, (message, at) => {
      const answered = ofType(messages[at + 1] ?? {}, "tool_result").map(({ tool_use_id }) => tool_use_id)
      return first(ofType(message, "tool_use"), ({ id }) =>
        answered.includes(id) ? undefined : `messages.${at}: tool_use ${id} without a tool_result immediately after`,
      )
    }),
  ),
  tool_result_duplicate: rule("vendor: one tool_result for each tool_use", ({ messages }) =>
    first(messages, (message) => twice(ofType(message, "tool_result").map(({ tool_use_id }) => tool_use_id), "results of")),
  ),
  tool_result_content: rule("types: ToolResultBlockParam.content", (body) =>
    first(every(body), ({ type, content, is_error }) => {
      if (type !== "tool_result") return undefined
      if (is_error !== undefined && typeof is_error !== "boolean") return "tool_result.is_error: must be a boolean"
      if (content === undefined || typeof content === "string") return undefined
      return Array.isArray(content) && content.every((block) => RESULT_BLOCKS.includes(block?.type)) ? undefined
        : `tool_result.content: a text, or a list of ${RESULT_BLOCKS.join(", ")}`
    }),
  ),
  unknown_reference: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    first(references(body), (name) =>
      tools(body).some((tool) => tool.name === name) ? undefined : `tool reference ${name} not found in available tools`,
    ),
  ),
  // Not documented, so nothing may rest on it.
  reference_beside_text: rule("PROVIDERS, Native deferral, Anthropic", (body) =>
    first(every(body), (block) => {
      if (block.type !== "tool_result") return undefined
      const found = ofType(block, "tool_reference").length
      return found > 0 && found < blocks(block).length ? "tool_result: references stand alone" : undefined
    }),
  ),
  reference_in_error: rule("PROVIDERS, Confirmed by recorded exchanges", (body) =>
    first(every(body), (block) =>
      block.type === "tool_result" && block.is_error === true && ofType(block, "tool_reference").length
        ? "tool_result: a failure loads nothing"
        : undefined,
    ),
  ),
}
