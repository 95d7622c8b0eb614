// Bedrock Converse: `POST /model/{modelId}/converse`.

import { extra, first, isObject, list, rule, twice } from "./common.mjs"

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const ID = /^[a-zA-Z0-9_.:-]{1,64}$/
const MOST_CACHE_POINTS = 4
const MEMBERS = ["toolSpec", "systemTool", "cachePoint"]
const SPEC = ["name", "description", "inputSchema", "strict"]
const BLOCKS = [
  "text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint", "reasoningContent",
  "citationsContent", "searchResult", "toolAddition", "toolRemoval",
]
const RESULT_BLOCKS = ["json", "text", "image", "document", "video", "searchResult"]

const tools = ({ toolConfig }) => list(toolConfig?.tools)
const specs = (body) => tools(body).flatMap(({ toolSpec }) => (toolSpec === undefined ? [] : [toolSpec]))
const parts = (message, kind) => list(message?.content).filter((block) => block?.[kind]).map((block) => block[kind])
const every = (body, kind) => list(body.messages).flatMap((message) => parts(message, kind))

export default {
  tools_empty: rule("types: ToolConfiguration.tools; vendor: at least one", ({ toolConfig }) =>
    toolConfig !== undefined && !(Array.isArray(toolConfig?.tools) && toolConfig.tools.length > 0)
      ? "toolConfig.tools: must have length greater than or equal to 1"
      : undefined,
  ),
  tool_member: rule("types: Tool is a union of toolSpec, systemTool and cachePoint", (body) =>
    first(tools(body), (tool, at) =>
      isObject(tool) && Object.keys(tool).length === 1 && MEMBERS.includes(Object.keys(tool)[0]) ? undefined
        : `toolConfig.tools.${at}: exactly one of ${MEMBERS.join(", ")}, not ${Object.keys(tool ?? {}).join(", ")}`,
    ),
  ),
  defer_loading: rule("PROVIDERS, Native deferral, Not native", (body) =>
    first(specs(body), (spec) => ("defer_loading" in spec || "deferLoading" in spec ? `${spec.name}: defer_loading: extra inputs are not permitted` : undefined)),
  ),
  tool_unknown_key: rule("types: ToolSpecification", (body) => first(specs(body), (spec) => extra(spec, SPEC, "toolSpec"))),
  tool_schema: rule("PROVIDERS, Tool definitions; vendor: type object", (body) =>
    first(specs(body), ({ name, inputSchema }) =>
      isObject(inputSchema) && Object.keys(inputSchema).join() === "json" && inputSchema.json?.type === "object" ? undefined
        : `${name}.inputSchema: must be {json} with a schema of type object`,
    ),
  ),
  tool_description: rule("vendor: a description has at least one character", (body) =>
    first(specs(body), ({ name, description }) =>
      description === undefined || (typeof description === "string" && description !== "") ? undefined : `${name}.description: must not be empty`,
    ),
  ),
  tool_name_pattern: rule("PROVIDERS, Names", (body) =>
    first(specs(body), ({ name }) => (NAME.test(name) ? undefined : `toolSpec.name: must match ${NAME}: ${name}`)),
  ),
  tool_name_duplicate: rule("vendor: tool names must be unique", (body) => twice(specs(body).map(({ name }) => name))),
  cache_point_shape: rule("types: CachePointBlock", (body) =>
    first([...tools(body), ...list(body.system), ...list(body.messages).flatMap(({ content }) => list(content))], ({ cachePoint }) =>
      cachePoint === undefined || (cachePoint.type === "default" && extra(cachePoint, ["type", "ttl"], "cachePoint") === undefined) ? undefined
        : `cachePoint: ${JSON.stringify(cachePoint)}`,
    ),
  ),
  cache_point_place: rule("vendor: a cachePoint follows what it caches", (body) =>
    first(tools(body), ({ cachePoint }, at) =>
      cachePoint && (at === 0 || tools(body)[at - 1].cachePoint) ? `toolConfig.tools.${at}: a cachePoint with nothing before it` : undefined,
    ),
  ),
  cache_point_count: rule("vendor: at most four cache checkpoints", (body) => {
    const all = [...tools(body), ...list(body.system), ...list(body.messages).flatMap(({ content }) => list(content))]
    const found = all.filter(({ cachePoint }) => cachePoint).length
    return found > MOST_CACHE_POINTS ? `at most ${MOST_CACHE_POINTS} cachePoints, found ${found}` : undefined
  }),
  tool_choice_unknown: rule("vendor: toolChoice names a tool of the request", (body) => {
    const name = body.toolConfig?.toolChoice?.tool?.name
    return name === undefined || specs(body).some((spec) => spec.name === name) ? undefined : `toolChoice: there is no tool ${name}`
  }),
  tools_missing: rule("vendor: toolConfig must be defined when using toolUse and toolResult content blocks", (body) =>
    body.toolConfig === undefined && (every(body, "toolUse").length || every(body, "toolResult").length)
      ? "toolConfig must be defined when using toolUse and toolResult content blocks"
      : undefined,
  ),

  message_role: rule("types: Message.role", ({ messages }) =>
    first(messages, ({ role }, at) => (["user", "assistant"].includes(role) ? undefined : `messages.${at}.role: ${role}`)),
  ),
  message_unknown_key: rule("types: Message", ({ messages }) =>
    first(messages, (message, at) => extra(message, ["role", "content"], `messages.${at}`)),
  ),
  message_content: rule("types: Message.content", ({ messages }) =>
    first(messages, ({ content }, at) => (list(content).length > 0 && content.every(isObject) ? undefined : `messages.${at}.content: must be a list of blocks`)),
  ),
  message_order: rule("vendor: a conversation starts with a user message and roles alternate", ({ messages }) =>
    first(messages, ({ role }, at) => (role === (at % 2 ? "assistant" : "user") ? undefined : `messages.${at}: roles must alternate, from user`)),
  ),
  block_member: rule("types: ContentBlock is a union", (body) =>
    first(list(body.messages).flatMap(({ content }) => content), (block) =>
      Object.keys(block).length === 1 && BLOCKS.includes(Object.keys(block)[0]) ? undefined : `content: one member, not ${Object.keys(block).join(", ")}`,
    ),
  ),
  text_empty: rule("vendor: the text field is blank", (body) =>
    first(list(body.messages).flatMap(({ content }) => content), ({ text }) =>
      text === undefined || (typeof text === "string" && text.trim()) ? undefined : "text: is blank",
    ),
  ),
  tool_use_shape: rule("PROVIDERS, Tool definitions; types: ToolUseBlock", (body) =>
    first(every(body, "toolUse"), (use) =>
      extra(use, ["toolUseId", "name", "input", "type"], "toolUse") ??
      (ID.test(use.toolUseId) && typeof use.name === "string" && isObject(use.input) ? undefined : "toolUse: needs toolUseId, name and input, an object"),
    ),
  ),
  tool_result_shape: rule("PROVIDERS, Tool definitions; types: ToolResultBlock", (body) =>
    first(every(body, "toolResult"), (result) =>
      extra(result, ["toolUseId", "content", "status", "type"], "toolResult") ??
      (typeof result.toolUseId === "string" && Array.isArray(result.content) ? undefined : "toolResult: needs toolUseId and content, a list"),
    ),
  ),
  tool_result_content: rule("types: ToolResultContentBlock", (body) =>
    first(every(body, "toolResult").flatMap(({ content }) => content), (block) =>
      isObject(block) && Object.keys(block).length === 1 && RESULT_BLOCKS.includes(Object.keys(block)[0]) ? undefined
        : `toolResult.content: one of ${RESULT_BLOCKS.join(", ")}`,
    ),
  ),
  tool_result_json: rule("vendor: json is an object", (body) =>
    first(every(body, "toolResult").flatMap(({ content }) => content), ({ json }) =>
      json === undefined || isObject(json) ? undefined : "toolResult.content.json: provide a json object",
    ),
  ),
  tool_result_status: rule("PROVIDERS, Tool definitions; types: ToolResultStatus", (body) =>
    first(every(body, "toolResult"), ({ status }) =>
      [undefined, "success", "error"].includes(status) ? undefined : `toolResult.status: success or error, not ${status}`,
    ),
  ),
  tool_part_role: rule("vendor: toolUse stands in assistant messages, toolResult in user messages", ({ messages }) =>
    first(messages, (message, at) =>
      parts(message, message.role === "user" ? "toolUse" : "toolResult").length ? `messages.${at}: a tool block in role ${message.role}` : undefined,
    ),
  ),
  tool_use_id_duplicate: rule("vendor: toolUseIds are unique within a message", ({ messages }) =>
    first(messages, (message) =>
      twice(parts(message, "toolUse").map(({ toolUseId }) => toolUseId), "toolUseIds") ??
      twice(parts(message, "toolResult").map(({ toolUseId }) => toolUseId), "toolUseIds of results"),
    ),
  ),
  tool_result_unknown_id: rule("vendor: toolResult blocks exceed the toolUse blocks of the previous turn", ({ messages }) =>
    first(messages, (message, at) => {
      const ids = parts(messages[at - 1], "toolUse").map(({ toolUseId }) => toolUseId)
      return first(parts(message, "toolResult"), ({ toolUseId }) => (ids.includes(toolUseId) ? undefined : `messages.${at}: no toolUse ${toolUseId} right before`))
    }),
  ),
  tool_use_unanswered: rule("vendor: expected toolResult blocks for these ids", ({ messages }) =>
    first(messages, (message, at) => {
      const answered = parts(messages[at + 1], "toolResult").map(({ toolUseId }) => toolUseId)
      return first(parts(message, "toolUse"), ({ toolUseId }) => (answered.includes(toolUseId) ? undefined : `messages.${at}: toolUse ${toolUseId} is not answered`))
    }),
  ),
}
