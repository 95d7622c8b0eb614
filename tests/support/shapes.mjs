// What hosts and providers write in each format: tools, calls of them and results. Made here and not by the package, so
// that what the package reads and writes is held against something that it did not make.

/** Without the keys that are undefined: an absent one is not one set to nothing. */
export const present = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))

const asList = (entries) => entries.map(([, tool]) => tool)
const neutralTool = (tool) => tool

/**
 * A record of tools. One key holds one tool, so those that share a name need a record each.
 */
function asRecords(entries) {
  const records = []
  for (const [name, tool] of entries) {
    let record = records.find((one) => !one.has(name))
    if (!record) records.push((record = new Map()))
    record.set(name, tool)
  }
  return records.length > 1 ? records.map((record) => Object.fromEntries(record)) : Object.fromEntries(records[0] ?? [])
}

/** The shapes of definitions: `tool(neutral)` wraps one, `pack([name, tool][])` makes what `createToolSearch` takes. */
export const TOOLS = {
  "openai-chat": {
    tool: ({ name, description, inputSchema, ...rest }) => ({
      type: "function",
      function: present({ name, description, parameters: inputSchema }),
      ...rest,
    }),
    pack: asList,
  },
  "openai-responses": {
    tool: ({ name, description, inputSchema, ...rest }) => ({
      type: "function",
      ...present({ name, description, parameters: inputSchema }),
      ...rest,
    }),
    pack: asList,
  },
  anthropic: {
    tool: ({ name, description, inputSchema, ...rest }) => ({
      ...present({ name, description, input_schema: inputSchema }),
      ...rest,
    }),
    pack: asList,
  },
  gemini: {
    tool: ({ name, description, inputSchema, ...rest }) => ({
      ...present({ name, description, parametersJsonSchema: inputSchema }),
      ...rest,
    }),
    pack: (entries) => (entries.length ? [{ functionDeclarations: asList(entries) }] : []),
  },
  bedrock: {
    tool: ({ name, description, inputSchema, ...rest }) => ({
      toolSpec: present({ name, description, inputSchema: inputSchema === undefined ? undefined : { json: inputSchema } }),
      ...rest,
    }),
    pack: asList,
  },
  "ai-sdk": {
    tool: ({ name: _, ...rest }) => rest,
    pack: asRecords,
  },
  mcp: { tool: neutralTool, pack: asList },
  neutral: { tool: neutralTool, pack: asList },
}

/**
 * The shapes of messages. A call is made by `call`, stands in what `assistant` makes (a list of messages or items) and
 * is answered by a part of `result` in what `results` makes. `answers(part)` is the id that a part answers, `said(part)`
 * what the model reads in it. `object`: arguments are an object on this wire, not a text. `rows` makes a result of
 * several texts, where a result can be more than one text. `searchItem` is a call of the provider's own search tool.
 */
export const MESSAGES = {
  "openai-chat": {
    system: (text) => ({ role: "system", content: text }),
    user: (text) => ({ role: "user", content: text }),
    call: (name, args, id) => ({ id, type: "function", function: { name, arguments: args } }),
    assistant: (calls, text = null) => [
      { role: "assistant", content: text, ...(calls.length ? { tool_calls: calls } : {}) },
    ],
    result: (id, name, text) => ({ role: "tool", tool_call_id: id, content: text }),
    rows: (id, name, rows) => ({
      role: "tool",
      tool_call_id: id,
      content: rows.map((text) => ({ type: "text", text })),
    }),
    results: (parts) => parts,
    answers: (part) => (part.role === "tool" ? part.tool_call_id : undefined),
    said: (part) => part.content,
  },
  "openai-responses": {
    system: (text) => ({ type: "message", role: "system", content: text }),
    user: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    call: (name, args, id) => ({ type: "function_call", call_id: id, name, arguments: args }),
    assistant: (calls, text) => [
      ...(text === undefined
        ? []
        : [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }]),
      ...calls,
    ],
    result: (id, name, text) => ({ type: "function_call_output", call_id: id, output: text }),
    rows: (id, name, rows) => ({
      type: "function_call_output",
      call_id: id,
      output: rows.map((text) => ({ type: "input_text", text })),
    }),
    searchItem: (args, id) => ({
      type: "tool_search_call",
      execution: "client",
      call_id: id,
      status: "completed",
      arguments: args,
    }),
    results: (parts) => parts,
    answers: (part) =>
      part.type === "function_call_output" || (part.type === "tool_search_output" && part.execution === "client")
        ? part.call_id
        : undefined,
    said: (part) => (part.type === "tool_search_output" ? { tools: part.tools } : part.output),
  },
  anthropic: {
    user: (text) => ({ role: "user", content: text }),
    call: (name, args, id) => ({ type: "tool_use", id, name, input: args }),
    assistant: (calls, text) => [
      { role: "assistant", content: [...(text === undefined ? [] : [{ type: "text", text }]), ...calls] },
    ],
    result: (id, name, text) => ({ type: "tool_result", tool_use_id: id, content: text }),
    rows: (id, name, rows) => ({
      type: "tool_result",
      tool_use_id: id,
      content: rows.map((text) => ({ type: "text", text })),
    }),
    results: (parts) => [{ role: "user", content: parts }],
    answers: (part) => (part.type === "tool_result" ? part.tool_use_id : undefined),
    said: (part) => part.content,
    object: true,
  },
  gemini: {
    user: (text) => ({ role: "user", parts: [{ text }] }),
    call: (name, args, id) => ({ functionCall: present({ id, name, args }) }),
    assistant: (calls, text) => [{ role: "model", parts: [...(text === undefined ? [] : [{ text }]), ...calls] }],
    result: (id, name, text) => ({ functionResponse: present({ id, name, response: { output: text } }) }),
    rows: (id, name, rows) => ({ functionResponse: present({ id, name, response: { rows } }) }),
    results: (parts) => [{ role: "user", parts }],
    answers: (part) => part.functionResponse?.id,
    said: (part) => part.functionResponse.response.output ?? part.functionResponse.response,
    object: true,
  },
  bedrock: {
    user: (text) => ({ role: "user", content: [{ text }] }),
    call: (name, args, id) => ({ toolUse: { toolUseId: id, name, input: args } }),
    assistant: (calls, text) => [{ role: "assistant", content: [...(text === undefined ? [] : [{ text }]), ...calls] }],
    result: (id, name, text) => ({ toolResult: { toolUseId: id, content: [{ text }] } }),
    rows: (id, name, rows) => ({ toolResult: { toolUseId: id, content: [{ json: { rows } }] } }),
    results: (parts) => [{ role: "user", content: parts }],
    answers: (part) => part.toolResult?.toolUseId,
    said: ({ toolResult: { content } }) => content.find((block) => "json" in block)?.json ?? content,
    object: true,
  },
  "ai-sdk": {
    system: (text) => ({ role: "system", content: text }),
    user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    call: (name, args, id) => ({ type: "tool-call", toolCallId: id, toolName: name, input: args }),
    assistant: (calls, text) => [
      { role: "assistant", content: [...(text === undefined ? [] : [{ type: "text", text }]), ...calls] },
    ],
    result: (id, name, text) => ({ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: text } }),
    rows: (id, name, rows) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      output: { type: "json", value: { rows } },
    }),
    results: (parts) => [{ role: "tool", content: parts }],
    answers: (part) => (part.type === "tool-result" ? part.toolCallId : undefined),
    said: (part) => part.output.value,
    object: true,
  },
  neutral: {
    system: (text) => ({ role: "system", content: text }),
    user: (text) => ({ role: "user", content: text }),
    call: (name, args, id) => ({ id, name, arguments: args }),
    assistant: (calls, text = "") => [
      { role: "assistant", content: text, ...(calls.length ? { toolCalls: calls } : {}) },
    ],
    result: (id, name, text) => ({ role: "tool", toolCallId: id, name, content: text }),
    rows: (id, name, rows) => ({ role: "tool", toolCallId: id, name, content: { rows } }),
    results: (parts) => parts,
    answers: (part) => (part.role === "tool" ? part.toolCallId : undefined),
    said: (part) => part.content,
    object: true,
  },
}

const nameOf = (tool) => tool?.toolSpec?.name ?? tool?.function?.name ?? tool?.name

/**
 * The tools in what a turn sends, whatever the wire's shape: `{name, definition}` in order. A provider's own search tool
 * has no name there; it counts by the name of ours.
 */
export function sent(tools, searchTool = "tool_search") {
  if (!Array.isArray(tools)) return Object.entries(tools).map(([name, definition]) => ({ name, definition }))
  return tools.flatMap((tool) => {
    if (Array.isArray(tool?.functionDeclarations)) return sent(tool.functionDeclarations, searchTool)
    if (tool?.type === "namespace") {
      return tool.tools.map((definition) => ({ name: `${tool.name}__${nameOf(definition)}`, definition }))
    }
    if (tool?.cachePoint) return []
    return [{ name: tool?.type === "tool_search" && !("name" in tool) ? searchTool : nameOf(tool), definition: tool }]
  })
}

/** The schema in a definition of any shape. */
export const schemaIn = (tool) =>
  tool?.toolSpec?.inputSchema?.json ??
  tool?.function?.parameters ??
  tool?.parameters ??
  tool?.input_schema ??
  tool?.parametersJsonSchema ??
  tool?.inputSchema

/** The format whose marks messages bear, for tools whose shape does not say it. */
export function shown(messages) {
  const has = (value, ...keys) => typeof value === "object" && value !== null && keys.some((key) => key in value)
  for (const message of Array.isArray(messages) ? messages : []) {
    if (has(message, "tool_calls", "tool_call_id")) return "openai-chat"
    if (has(message, "toolCalls", "toolCallId")) return "neutral"
    if (has(message, "call_id")) return "openai-responses"
    for (const part of [message?.content, message?.parts].flat()) {
      if (has(part, "functionCall", "functionResponse")) return "gemini"
      if (has(part, "toolUse", "toolResult")) return "bedrock"
      if (has(part, "toolCallId")) return "ai-sdk"
      if (has(part, "tool_use_id") || part?.type === "tool_use") return "anthropic"
    }
  }
  return undefined
}
