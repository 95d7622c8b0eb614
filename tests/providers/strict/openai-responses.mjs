// OpenAI Responses: `POST /v1/responses`.

import { extra, first, isJsonObject, isObject, list, rule, twice } from "./common.mjs"

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const NAMESPACED = /^[a-zA-Z0-9_-]{1,128}$/
const TOOLS = {
  function: ["type", "name", "description", "parameters", "strict", "defer_loading", "allowed_callers", "async", "output_schema"],
  namespace: ["type", "name", "description", "tools"],
  tool_search: ["type", "execution", "description", "parameters"],
  custom: ["type", "name", "description", "format", "defer_loading", "allowed_callers", "async"],
}
const ITEMS = {
  function_call: ["type", "id", "call_id", "name", "arguments", "namespace", "status", "async", "caller", "created_by"],
  function_call_output: ["type", "id", "call_id", "output", "status", "caller", "name", "namespace"],
  tool_search_call: ["type", "id", "call_id", "arguments", "execution", "status", "created_by"],
  tool_search_output: ["type", "id", "call_id", "tools", "execution", "status", "created_by"],
}
const ROLES = ["user", "assistant", "system", "developer"]
const STATES = ["in_progress", "completed", "incomplete"]
/** Each kind of call with the kind of item that answers it. */
const ANSWERS = { function_call: "function_call_output", tool_search_call: "tool_search_output" }

const items = ({ input }) => (Array.isArray(input) ? input : [])
const ofType = (body, type) => items(body).filter((item) => item.type === type)
/** Every list of definitions in a request, the provider's own name for it first. */
const lists = (body) => [
  ["tools", list(body.tools)],
  ...items(body).flatMap((item, at) =>
    ["tool_search_output", "additional_tools"].includes(item.type) ? [[`input[${at}].tools`, list(item.tools)]] : [],
  ),
]
/** Every definition with the place that it stands in, those in a namespace with the namespace. */
const definitions = (body) =>
  lists(body).flatMap(([where, tools]) =>
    tools.flatMap((tool) => [
      { where, tool },
      ...(tool?.type === "namespace" ? list(tool.tools).map((inner) => ({ where: `${where}.tools`, tool: inner, namespace: tool.name })) : []),
    ]),
  )
/** A search that the provider ran itself has no call_id and waits for nobody. */
const isHosted = ({ execution, call_id }) => execution === "server" && (call_id === null || call_id === undefined)

export default {
  tools_shape: rule("types: ResponseCreateParams.tools", (body) =>
    first(definitions(body), ({ where, tool }) => (isObject(tool) && typeof tool.type === "string" ? undefined : `${where}: a tool has a type`)) ??
    (body.tools !== undefined && !Array.isArray(body.tools) ? "tools: must be a list" : undefined),
  ),
  // A tool_search tool is known by its type.
  tool_search_name: rule("PROVIDERS, Native deferral, OpenAI Responses: no name", (body) =>
    first(definitions(body), ({ where, tool }) => (tool.type === "tool_search" && "name" in tool ? `${where}: unknown parameter name` : undefined)),
  ),
  tool_unknown_key: rule("PROVIDERS, Tool definitions; types: FunctionTool, NamespaceTool, ToolSearchTool", (body) =>
    first(definitions(body), ({ where, tool }) => (TOOLS[tool.type] ? extra(tool, TOOLS[tool.type], where) : undefined)),
  ),
  tool_search_execution: rule("PROVIDERS, Native deferral, OpenAI Responses", (body) =>
    first(definitions(body), ({ where, tool }) =>
      tool.type === "tool_search" && !["client", "server", undefined].includes(tool.execution) ? `${where}: execution ${tool.execution}` : undefined,
    ),
  ),
  tool_search_parameters: rule("PROVIDERS, Native deferral, OpenAI Responses", (body) =>
    first(definitions(body), ({ where, tool }) =>
      tool.type === "tool_search" && tool.execution === "client" && !isObject(tool.parameters)
        ? `${where}: a client tool_search needs parameters`
        : undefined,
    ),
  ),
  namespace_shape: rule("types: NamespaceTool", (body) =>
    first(definitions(body), ({ where, tool, namespace }) => {
      if (tool.type !== "namespace") return undefined
      if (namespace !== undefined) return `${where}: a namespace in a namespace`
      const whole = typeof tool.description === "string" && Array.isArray(tool.tools) && tool.tools.length > 0
      return whole && tool.tools.every(({ type }) => type === "function" || type === "custom") ? undefined
        : `${where}: a namespace needs a description and function tools`
    }),
  ),
  tool_name_pattern: rule("PROVIDERS, Names", (body) =>
    first(definitions(body), ({ where, tool, namespace }) => {
      if (!["function", "namespace", "custom"].includes(tool.type)) return undefined
      const pattern = namespace === undefined ? NAME : NAMESPACED
      return pattern.test(tool.name) ? undefined : `${where}: must match ${pattern}: ${tool.name}`
    }),
  ),
  tool_name_duplicate: rule("vendor: tool names must be unique", (body) =>
    first(lists(body), ([, tools]) =>
      twice(
        tools.flatMap((tool) => (tool.type === "namespace" ? [`namespace ${tool.name}`, ...tool.tools.map(({ name }) => `${tool.name} ${name}`)] : tool.name ?? (tool.type === "tool_search" ? ["tool_search (hosted)"] : []))),
      ),
    ),
  ),
  tool_parameters: rule("types: FunctionTool.parameters is required; vendor: of type object", (body) =>
    first(definitions(body), ({ where, tool, namespace }) => {
      if (tool.type !== "function" || tool.parameters === null) return undefined
      if (namespace !== undefined && tool.parameters === undefined) return undefined
      return tool.parameters?.type === "object" ? undefined : `${where}: ${tool.name} needs parameters, an object schema or null`
    }),
  ),
  defer_loading_without_tool_search: rule("PROVIDERS, Native deferral, OpenAI Responses", (body) =>
    first(definitions(body), ({ where, tool }) =>
      tool.defer_loading === true && !list(body.tools).some(({ type }) => type === "tool_search")
        ? `${where}: ${tool.name} has defer_loading, and no tool_search is among the tools`
        : undefined,
    ),
  ),
  tool_choice_unknown: rule("vendor: tool_choice names a tool of the request", ({ tool_choice, ...body }) =>
    tool_choice?.type === "function" && !definitions(body).some(({ tool }) => tool.name === tool_choice.name)
      ? `tool_choice: there is no tool ${tool_choice.name}`
      : undefined,
  ),
  // A tool that a forced choice loads is invisible to the provider while it carries defer_loading, unless a result holds it.
  tool_choice_deferred: rule("PROVIDERS, Native deferral, What native can't see", ({ tool_choice, ...body }) =>
    tool_choice?.type === "function" &&
    !ofType(body, "tool_search_output").some(({ tools }) => list(tools).some(({ name }) => name === tool_choice.name)) &&
    list(body.tools).some(({ name, defer_loading }) => name === tool_choice.name && defer_loading)
      ? `tool_choice: ${tool_choice.name} is deferred`
      : undefined,
  ),

  item_shape: rule("types: ResponseInputItem", (body) =>
    first(items(body), (item, at) => {
      if (item.type === undefined || item.type === "message") {
        return ROLES.includes(item.role) && !("tool_calls" in item) ? undefined : `input[${at}].role: ${item.role}`
      }
      return "role" in item && item.type !== "additional_tools" ? `input[${at}].role: unknown parameter` : undefined
    }),
  ),
  // One that the server holds stands there as the item itself by now.
  item_reference_unknown: rule("PROVIDERS, Server-held history", (body) =>
    first(ofType(body, "item_reference"), ({ id }) => `item with id ${id} not found`),
  ),
  item_unknown_key: rule("types: ResponseInputItem", (body) =>
    first(items(body), (item, at) => (ITEMS[item.type] ? extra(item, ITEMS[item.type], `input[${at}]`) : undefined)),
  ),
  message_content: rule("types: EasyInputMessage, ResponseOutputMessage", (body) =>
    first(items(body), ({ type, role, content }, at) => {
      if (type !== undefined && type !== "message") return undefined
      const kinds = role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"]
      return typeof content === "string" || (Array.isArray(content) && content.every((part) => kinds.includes(part.type))) ? undefined
        : `input[${at}].content: a text or parts of ${kinds.join(", ")}`
    }),
  ),
  function_call_arguments: rule("PROVIDERS, Tool definitions: a JSON string", (body) =>
    first(ofType(body, "function_call"), (item) => (isJsonObject(item.arguments) ? undefined : `function_call ${item.call_id}: arguments must be a JSON string`)),
  ),
  tool_search_call_arguments: rule("PROVIDERS, Native deferral, OpenAI Responses: an object", (body) =>
    first(ofType(body, "tool_search_call"), (item) => (isObject(item.arguments) ? undefined : `tool_search_call ${item.call_id}: arguments must be an object`)),
  ),
  function_call_output_shape: rule("types: FunctionCallOutput.output", (body) =>
    first(ofType(body, "function_call_output"), ({ call_id, output }) =>
      typeof output === "string" || (Array.isArray(output) && output.every(({ type }) => ["input_text", "input_image", "input_file"].includes(type)))
        ? undefined
        : `function_call_output ${call_id}: output must be a text or input parts`,
    ),
  ),
  tool_search_output_execution: rule("PROVIDERS, Native deferral, OpenAI Responses", (body) =>
    first(ofType(body, "tool_search_output"), ({ call_id, execution, status }) =>
      ["client", "server"].includes(execution) && STATES.includes(status) ? undefined
        : `tool_search_output ${call_id}: execution and status are required`,
    ),
  ),
  tool_search_output_tools: rule("PROVIDERS, Native deferral, OpenAI Responses: full definitions", (body) =>
    first(ofType(body, "tool_search_output"), ({ call_id, tools }) =>
      Array.isArray(tools) ? undefined : `tool_search_output ${call_id}: tools must be a list`,
    ),
  ),
  call_id_duplicate: rule("vendor: call ids must be unique", (body) =>
    first(Object.entries(ANSWERS).flat(), (type) =>
      twice(ofType(body, type).map(({ call_id }) => call_id).filter((id) => typeof id === "string"), `call ids of ${type}`),
    ),
  ),
  // The server holds the calls of earlier responses where `previous_response_id` or `conversation` says so.
  output_without_call: rule("PROVIDERS, Tool definitions; Server-held history", (body, { issued }) =>
    first(items(body), (item, at) => {
      const kind = Object.keys(ANSWERS).find((call) => ANSWERS[call] === item.type)
      if (!kind || isHosted(item)) return undefined
      const held = body.previous_response_id || body.conversation ? issued.get(item.call_id)?.type === kind : false
      const sent = items(body).slice(0, at).some(({ type, call_id }) => type === kind && call_id === item.call_id)
      return held || sent ? undefined : `no ${kind} for the ${item.type} with call_id ${item.call_id}`
    }),
  ),
  call_without_output: rule("PROVIDERS, Tool definitions", (body) =>
    first(items(body), (item) => {
      const kind = ANSWERS[item.type]
      if (!kind || isHosted(item)) return undefined
      return items(body).some(({ type, call_id }) => type === kind && call_id === item.call_id) ? undefined
        : `no ${kind} found for ${item.type} ${item.call_id}`
    }),
  ),
  // The provider takes it back as it came: a key that was there, and none that was not.
  namespace_changed: rule("PROVIDERS, Native deferral, OpenAI Responses", (body, { issued }) =>
    first(ofType(body, "function_call"), ({ call_id, namespace }) => {
      const came = issued.get(call_id)
      return came === undefined || came.namespace === namespace ? undefined
        : `function_call ${call_id}: namespace must be ${came.namespace}, not ${namespace}`
    }),
  ),
}
