// Every rule of strict.mjs: a request that passes, and the smallest change of it that is refused with the rule's name.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { freeze } from "../js/support.mjs"
import { check, conversation, remember, RULES } from "./strict.mjs"

const GONE = Symbol("gone")
const schema = { type: "object", properties: { text: { type: "string" } } }
const many = (count, each) => Array.from({ length: count }, (_, at) => each(at))
const long = (length) => "n".repeat(length)

// ------------------------------------------------------------------------- the good requests, some per format

const chatTool = (name, more) => ({ type: "function", function: { name, description: "Does it.", parameters: schema, ...more } })
const chatCall = (id, name) => ({ id, type: "function", function: { name, arguments: "{}" } })
const chat = {
  model: "gpt",
  tools: [chatTool("one"), chatTool("tool_search")],
  tool_choice: { type: "function", function: { name: "one" } },
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Go on." },
    { role: "assistant", content: null, tool_calls: [chatCall("c1", "tool_search"), chatCall("c2", "one")] },
    { role: "tool", tool_call_id: "c1", content: "{}" },
    { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "done" }] },
    { role: "assistant", content: "Done.", refusal: null, annotations: [] },
    { role: "user", content: "And?" },
  ],
}

const definition = (name, more) => ({ type: "function", name, description: "Does it.", parameters: schema, ...more })
const responses = {
  model: "gpt",
  tools: [
    definition("one"),
    { type: "web_search" },
    { type: "tool_search", execution: "client", description: "Finds tools.", parameters: schema },
    { type: "namespace", name: "crm", description: "Customers.", tools: [definition(long(128), { defer_loading: true })] },
  ],
  tool_choice: { type: "function", name: "one" },
  input: [
    { role: "user", content: "Go on." },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "tool_search_call", id: "ts_1", execution: "client", call_id: "s1", status: "completed", arguments: { query: "two" } },
    { type: "function_call", id: "fc_1", call_id: "c1", name: "one", arguments: "{}", status: "completed" },
    { type: "tool_search_output", execution: "client", call_id: "s1", status: "completed", tools: [definition("two", { defer_loading: true })] },
    { type: "function_call_output", call_id: "c1", output: "done" },
    { type: "function_call", call_id: "c2", name: "two", namespace: "two", arguments: "{}" },
    { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "done" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done.", annotations: [] }] },
    { type: "item_reference", id: "msg_1" },
    { type: "tool_search_call", execution: "server", call_id: null, status: "completed", arguments: {} },
    { type: "tool_search_output", execution: "server", call_id: null, status: "completed", tools: [] },
  ],
}
/** What the server remembers of that conversation. */
const record = conversation()
remember(record, {
  output: [
    { type: "function_call", call_id: "c2", name: "two", namespace: "two", arguments: "{}" },
    { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
  ],
})
/** The server holds the calls. */
const held = {
  ...responses,
  previous_response_id: "resp_1",
  input: [{ type: "function_call_output", call_id: "c2", output: "done" }],
}
const plain = { model: "gpt", tools: [definition("one")], input: "Go on." }

const claudeTool = (name, more) => ({ name, description: "Does it.", input_schema: schema, ...more })
const use = (id, name) => ({ type: "tool_use", id, name, input: {} })
const answer = (id, content = "done") => ({ type: "tool_result", tool_use_id: id, content })
const ephemeral = { type: "ephemeral" }
const claude = {
  model: "claude",
  max_tokens: 100,
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }],
  tools: [
    claudeTool("one", { type: "custom", cache_control: ephemeral }),
    { type: "web_search_20250305", name: "web_search", max_uses: 5 },
    claudeTool("two", { defer_loading: true }),
  ],
  tool_choice: { type: "tool", name: "one" },
  messages: [
    { role: "user", content: "Go on." },
    { role: "assistant", content: [{ type: "text", text: "I look." }, use("t1", "tool_search"), use("t2", "one")] },
    {
      role: "user",
      content: [
        answer("t1", [{ type: "tool_reference", tool_name: "two" }]),
        { ...answer("t2", [{ type: "text", text: "no" }]), is_error: true, cache_control: ephemeral },
        { type: "text", text: "Go on." },
      ],
    },
    { role: "assistant", content: "Done." },
    { role: "user", content: [{ type: "text", text: "And?", cache_control: ephemeral }] },
  ],
}

const declaration = (name, more) => ({ name, description: "Does it.", parametersJsonSchema: schema, ...more })
const gemini = {
  tools: [
    { googleSearch: {} },
    {
      functionDeclarations: [
        declaration("one.two:three-4"),
        { name: "_two", parameters: { type: "OBJECT", properties: { text: { type: "STRING", nullable: true } } } },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["_two"] } },
  contents: [
    { role: "user", parts: [{ text: "Go on." }] },
    {
      role: "model",
      parts: [
        { text: "I look." },
        { functionCall: { id: "f1", name: "tool_search", args: { query: "two" } }, thoughtSignature: "c2ln" },
        { functionCall: { id: "f2", name: "_two" } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "f1", name: "tool_search", response: { output: {} } } },
        { functionResponse: { id: "f2", name: "_two", response: { error: "no" } } },
      ],
    },
    { role: "model", parts: [{ text: "Done." }] },
  ],
}

const spec = (name, more) => ({ toolSpec: { name, description: "Does it.", inputSchema: { json: schema }, ...more } })
const point = { cachePoint: { type: "default" } }
const bedrock = {
  toolConfig: { tools: [spec("one"), point, spec("two"), point], toolChoice: { tool: { name: "one" } } },
  system: [{ text: "Be brief." }, { cachePoint: { type: "default", ttl: "5m" } }],
  messages: [
    { role: "user", content: [{ text: "Go on." }] },
    {
      role: "assistant",
      content: [
        { text: "I look." },
        { toolUse: { toolUseId: "b1", name: "tool_search", input: {} } },
        { toolUse: { toolUseId: "b2", name: "one", input: {} } },
      ],
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "b1", content: [{ json: {} }], status: "success" } },
        { toolResult: { toolUseId: "b2", content: [{ text: "no" }], status: "error" } },
      ],
    },
    { role: "assistant", content: [{ text: "Done." }] },
    { role: "user", content: [{ text: "And?" }, point] },
  ],
}

const aiTool = (more) => ({ description: "Does it.", inputSchema: { jsonSchema: schema }, ...more })
const aiSdk = {
  provider: "anthropic",
  tools: {
    one: aiTool({ providerOptions: { anthropic: { cacheControl: ephemeral } } }),
    web_search: { type: "provider", id: "anthropic.web_search_20250305", args: {} },
    two: aiTool({ providerOptions: { anthropic: { deferLoading: true } } }),
  },
  messages: [
    { role: "user", content: "Go on." },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "a1", toolName: "tool_search", input: {} },
        { type: "tool-call", toolCallId: "a2", toolName: "one", input: {} },
        { type: "tool-call", toolCallId: "a3", toolName: "web_search", input: {}, providerExecuted: true },
        { type: "tool-result", toolCallId: "a3", toolName: "web_search", output: { type: "json", value: [] } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a1",
          toolName: "tool_search",
          output: { type: "content", value: [{ type: "custom", providerOptions: { anthropic: { type: "tool-reference", toolName: "two" } } }] },
        },
        { type: "tool-result", toolCallId: "a2", toolName: "one", output: { type: "error-text", value: "no" } },
      ],
    },
    { role: "assistant", content: "Done." },
  ],
}
const aiSdkOpenai = {
  provider: "openai",
  tools: {
    tool_search: { type: "provider", id: "openai.tool_search", args: { execution: "client" } },
    two: aiTool({ providerOptions: { openai: { deferLoading: true } } }),
  },
  messages: [{ role: "user", content: "Go on." }],
}
const aiSdkOther = { provider: "other", tools: { two: aiTool() }, messages: [{ role: "user", content: "Go on." }] }

const neutral = {
  tools: [{ name: "one", description: "Does it.", inputSchema: schema }, { name: "two", inputSchema: schema }],
  messages: [
    { role: "user", content: "Go on." },
    { role: "assistant", content: "", toolCalls: [{ id: "n1", name: "one", arguments: {} }] },
    { role: "tool", toolCallId: "n1", name: "one", content: { error: "no" }, isError: true },
  ],
}

const ollama = {
  model: "llama",
  tools: [chatTool("one")],
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Go on." },
    { role: "assistant", content: "", tool_calls: [{ function: { name: "one", arguments: {} } }, { function: { name: "two", arguments: {} } }] },
    { role: "tool", tool_name: "one", content: "done" },
    { role: "tool", tool_name: "two", content: "done" },
  ],
}

// ------------------------------------------------------------------------------- the rules and what breaks them

/**
 * By format `[rule, good request, path, value]`: the value is put at the path; GONE takes away what stands there; the path's
 * last word "+" adds at the end of a list and "^" at its beginning.
 */
const TABLE = {
  "openai-chat": [
    ["tools_shape", chat, "tools.0", "one"],
    ["tools_empty", chat, "tools", []],
    ["tools_too_many", chat, "tools", many(129, (at) => chatTool(`t${at}`))],
    ["tool_type", chat, "tools.0", { googleSearch: {} }],
    ["defer_loading", chat, "tools.0.defer_loading", true],
    ["defer_loading", chat, "tools.0.function.defer_loading", true],
    ["tool_unknown_key", chat, "tools.0.deferLoading", true],
    ["tool_unknown_key", chat, "tools.0.function.inputSchema", schema],
    ["tool_name_pattern", chat, "tools.1.function.name", "a.b"],
    ["tool_name_pattern", chat, "tools.1.function.name", long(65)],
    ["tool_name_duplicate", chat, "tools.1.function.name", "one"],
    ["tool_parameters", chat, "tools.1.function.parameters", {}],
    ["tool_description", chat, "tools.1.function.description", null],
    ["tool_choice_unknown", chat, "tool_choice.function.name", "two"],
    ["message_role", chat, "messages.0.role", "model"],
    ["message_unknown_key", chat, "messages.3.tool_name", "tool_search"],
    ["message_content", chat, "messages.3.content", {}],
    ["message_content", chat, "messages.5.content", null],
    ["tool_call_shape", chat, "messages.2.tool_calls.0.id", GONE],
    ["tool_call_unknown_key", chat, "messages.2.tool_calls.0.namespace", "crm"],
    ["tool_call_arguments", chat, "messages.2.tool_calls.0.function.arguments", {}],
    ["tool_calls_empty", chat, "messages.5.tool_calls", []],
    ["tool_message_orphan", chat, "messages.3.tool_call_id", "c9"],
    ["tool_message_orphan", chat, "messages.+", { role: "tool", tool_call_id: "c1", content: "{}" }],
    ["tool_message_duplicate", chat, "messages.4.tool_call_id", "c1"],
    ["tool_call_unanswered", chat, "messages.4", GONE],
    ["tool_call_unanswered", chat, "messages.4", { role: "user", content: "Wait." }],
  ],
  "openai-responses": [
    ["tools_shape", responses, "tools.0.type", GONE],
    ["tools_shape", plain, "tools", {}],
    ["tool_search_name", responses, "tools.2.name", "tool_search"],
    ["tool_unknown_key", responses, "tools.0.deferLoading", true],
    ["tool_unknown_key", responses, "tools.3.defer_loading", true],
    ["tool_unknown_key", responses, "input.4.tools.0.server", "crm"],
    ["tool_search_execution", responses, "tools.2.execution", "host"],
    ["tool_search_parameters", responses, "tools.2.parameters", GONE],
    ["namespace_shape", responses, "tools.3.description", GONE],
    ["namespace_shape", responses, "tools.3.tools", []],
    ["tool_name_pattern", responses, "tools.0.name", long(65)],
    ["tool_name_pattern", responses, "tools.3.tools.0.name", long(129)],
    ["tool_name_pattern", responses, "tools.3.tools.0.name", "a.b"],
    ["tool_name_pattern", responses, "input.4.tools.0.name", "a.b"],
    ["tool_name_duplicate", responses, "tools.+", definition("one")],
    ["tool_name_duplicate", responses, "input.4.tools.+", definition("two")],
    ["tool_parameters", responses, "tools.0.parameters", GONE],
    ["tool_parameters", responses, "tools.0.parameters", {}],
    ["defer_loading_without_tool_search", responses, "tools.2", GONE],
    ["defer_loading_without_tool_search", plain, "tools.0.defer_loading", true],
    [
      "defer_loading_without_tool_search", plain, "input",
      [{ type: "additional_tools", role: "developer", tools: [definition("two", { defer_loading: true })] }],
    ],
    ["tool_choice_unknown", responses, "tool_choice.name", "three"],
    ["tool_choice_deferred", responses, "tools.0.defer_loading", true],
    ["item_shape", responses, "input.0.role", "tool"],
    ["item_shape", responses, "input.5.role", "tool"],
    ["item_reference_unknown", responses, "input.9.id", "msg_9"],
    ["item_unknown_key", responses, "input.5.tool_call_id", "c1"],
    ["message_content", responses, "input.8.content.0.type", "input_text"],
    ["function_call_arguments", responses, "input.3.arguments", {}],
    ["tool_search_call_arguments", responses, "input.2.arguments", "{}"],
    ["function_call_output_shape", responses, "input.5.output", {}],
    ["tool_search_output_execution", responses, "input.4.execution", GONE],
    ["tool_search_output_tools", responses, "input.4.tools", GONE],
    ["call_id_duplicate", responses, "input.6.call_id", "c1"],
    ["output_without_call", responses, "input.5.call_id", "c9"],
    ["output_without_call", responses, "input.4.call_id", "c1"],
    ["output_without_call", held, "previous_response_id", GONE],
    ["call_without_output", responses, "input.5", GONE],
    ["call_without_output", responses, "input.4", GONE],
    ["namespace_changed", responses, "input.6.namespace", GONE],
    ["namespace_changed", responses, "input.6.namespace", "crm"],
  ],
  anthropic: [
    ["tools_shape", claude, "tools", {}],
    ["tool_unknown_key", claude, "tools.2.deferLoading", true],
    ["tool_unknown_key", claude, "tools.0.server", "crm"],
    ["tool_unknown_key", claude, "tools.0.deferred", true],
    ["tool_type", claude, "tools.0.type", "function"],
    ["tool_name_pattern", claude, "tools.0.name", "a.b"],
    ["tool_name_pattern", claude, "tools.0.name", long(65)],
    ["tool_name_duplicate", claude, "tools.2.name", "one"],
    ["input_schema_missing", claude, "tools.0.input_schema", GONE],
    ["input_schema_type", claude, "tools.0.input_schema.type", GONE],
    ["description_type", claude, "tools.0.description", null],
    ["all_tools_deferred", { ...claude, tool_choice: undefined, tools: [claudeTool("one"), claude.tools[2]] }, "tools.0.defer_loading", true],
    ["too_many_deferred", claude, "tools", [claude.tools[0], ...many(10_001, (at) => claudeTool(`t${at}`, { defer_loading: true }))]],
    ["deferred_with_cache_control", claude, "tools.2.cache_control", ephemeral],
    ["cache_control_shape", claude, "tools.0.cache_control", true],
    ["cache_control_shape", claude, "tools.0.cache_control.ttl", "1d"],
    ["cache_breakpoints", claude, "tools.1.cache_control", ephemeral],
    ["tool_choice_unknown", claude, "tool_choice.name", "three"],
    ["tool_choice_deferred", { ...claude, tool_choice: { type: "tool", name: "two" } }, "messages.2.content.0.content", "{}"],
    ["message_role", claude, "messages.2.role", "tool"],
    ["message_unknown_key", claude, "messages.1.id", "msg_1"],
    ["message_first", claude, "messages.^", { role: "assistant", content: "Hello." }],
    ["message_content", claude, "messages.2.content", []],
    ["block_unknown_key", claude, "messages.1.content.1.arguments", "{}"],
    ["block_unknown_key", claude, "messages.2.content.0.content.0.name", "two"],
    ["text_empty", claude, "messages.2.content.2.text", ""],
    ["tool_use_shape", claude, "messages.1.content.1.input", "{}"],
    ["tool_use_role", claude, "messages.2.content.+", use("t3", "one")],
    ["tool_use_id_duplicate", claude, "messages.1.content.2.id", "t1"],
    ["tool_result_not_first", claude, "messages.2.content.^", { type: "text", text: "Here:" }],
    ["tool_result_unknown_id", claude, "messages.2.content.0.tool_use_id", "t9"],
    ["tool_result_unknown_id", claude, "messages.4.content.^", answer("t1")],
    ["tool_use_unanswered", claude, "messages.2.content.1", GONE],
    ["tool_use_unanswered", claude, "messages.+", { role: "assistant", content: [use("t3", "one")] }],
    ["tool_result_duplicate", claude, "messages.2.content.^", answer("t2")],
    ["tool_result_content", claude, "messages.2.content.1.content", {}],
    ["tool_result_content", claude, "messages.2.content.1.content.0", { type: "json", json: {} }],
    ["unknown_reference", claude, "tools.2", GONE],
    ["reference_beside_text", claude, "messages.2.content.0.content.+", { type: "text", text: "Call it." }],
    ["reference_in_error", claude, "messages.2.content.0.is_error", true],
    [
      "unknown_reference", claude, "messages.3.content",
      [{ type: "tool_search_tool_result", tool_use_id: "st_1", content: { type: "tool_search_tool_search_result", tool_references: [{ type: "tool_reference", tool_name: "three" }] } }],
    ],
  ],
  gemini: [
    ["tools_shape", gemini, "tools", {}],
    ["defer_loading", gemini, "tools.1.functionDeclarations.0.defer_loading", true],
    ["tool_unknown_key", gemini, "tools.0.name", "search"],
    ["tool_empty", gemini, "tools.0", {}],
    ["tool_empty", gemini, "tools.+", { functionDeclarations: [] }],
    ["declaration_unknown_key", gemini, "tools.1.functionDeclarations.0.deferLoading", true],
    ["declaration_unknown_key", gemini, "tools.1.functionDeclarations.0.inputSchema", schema],
    ["tool_name_pattern", gemini, "tools.1.functionDeclarations.0.name", "1st"],
    ["tool_name_pattern", gemini, "tools.1.functionDeclarations.0.name", long(129)],
    ["tool_name_duplicate", gemini, "tools.+", { functionDeclarations: [declaration("_two")] }],
    ["tools_too_many", gemini, "tools.+", { functionDeclarations: many(511, (at) => declaration(`t${at}`)) }],
    ["parameters_both", gemini, "tools.1.functionDeclarations.0.parameters", { type: "OBJECT" }],
    ["parameters_dialect", gemini, "tools.1.functionDeclarations.1.parameters.type", "object"],
    ["parameters_dialect", gemini, "tools.1.functionDeclarations.1.parameters.properties.text.type", ["STRING", "NULL"]],
    ["parameters_dialect", gemini, "tools.1.functionDeclarations.1.parameters.additionalProperties", false],
    ["json_schema_dialect", gemini, "tools.1.functionDeclarations.0.parametersJsonSchema.type", "OBJECT"],
    ["json_schema_dialect", gemini, "tools.1.functionDeclarations.0.parametersJsonSchema.properties.text.nullable", true],
    ["allowed_function_unknown", gemini, "toolConfig.functionCallingConfig.allowedFunctionNames.+", "three"],
    ["content_role", gemini, "contents.2.role", "function"],
    ["content_role", gemini, "contents.2.role", GONE],
    ["content_unknown_key", gemini, "contents.1.content", "I look."],
    ["parts_empty", gemini, "contents.3.parts", []],
    ["part_unknown_key", gemini, "contents.1.parts.0.type", "text"],
    ["part_unknown_key", gemini, "contents.1.parts.1.functionCall.arguments", {}],
    ["part_unknown_key", gemini, "contents.2.parts.0.functionResponse.content", "{}"],
    ["function_call_shape", gemini, "contents.1.parts.1.functionCall.args", "{}"],
    ["function_response_shape", gemini, "contents.2.parts.0.functionResponse.response", "{}"],
    ["function_response_shape", gemini, "contents.2.parts.0.functionResponse.name", GONE],
    ["function_part_role", gemini, "contents.2.role", "model"],
    ["call_turn_place", gemini, "contents.0", GONE],
    ["function_response_count", gemini, "contents.2.parts.1", GONE],
    ["function_response_count", gemini, "contents.2", GONE],
    ["function_response_count", gemini, "contents.0.parts.+", { functionResponse: { name: "_two", response: {} } }],
    ["function_response_name", gemini, "contents.2.parts.1.functionResponse.name", "one"],
    ["function_response_name", gemini, "contents.2.parts.1.functionResponse.id", GONE],
  ],
  bedrock: [
    ["tools_empty", { ...bedrock, toolConfig: { tools: [spec("one")] } }, "toolConfig.tools.0", GONE],
    ["tool_member", bedrock, "toolConfig.tools.0", { name: "one" }],
    ["tool_member", bedrock, "toolConfig.tools.0.cachePoint", { type: "default" }],
    ["defer_loading", bedrock, "toolConfig.tools.0.toolSpec.defer_loading", true],
    ["tool_unknown_key", bedrock, "toolConfig.tools.0.toolSpec.server", "crm"],
    ["tool_schema", bedrock, "toolConfig.tools.0.toolSpec.inputSchema", schema],
    ["tool_description", bedrock, "toolConfig.tools.0.toolSpec.description", ""],
    ["tool_name_pattern", bedrock, "toolConfig.tools.0.toolSpec.name", "a.b"],
    ["tool_name_pattern", bedrock, "toolConfig.tools.0.toolSpec.name", long(65)],
    ["tool_name_duplicate", bedrock, "toolConfig.tools.2.toolSpec.name", "one"],
    ["cache_point_shape", bedrock, "toolConfig.tools.1.cachePoint.type", "ephemeral"],
    ["cache_point_place", bedrock, "toolConfig.tools.0", GONE],
    ["cache_point_place", bedrock, "toolConfig.tools.2", GONE],
    ["cache_point_count", bedrock, "system.+", point],
    ["tool_choice_unknown", bedrock, "toolConfig.toolChoice.tool.name", "three"],
    ["tools_missing", bedrock, "toolConfig", GONE],
    ["message_role", bedrock, "messages.2.role", "tool"],
    ["message_unknown_key", bedrock, "messages.2.status", "success"],
    ["message_content", bedrock, "messages.0.content", "Go on."],
    ["message_order", bedrock, "messages.0", GONE],
    ["message_order", bedrock, "messages.^", { role: "user", content: [{ text: "Hello." }] }],
    ["block_member", bedrock, "messages.0.content.0", { type: "text", text: "Go on." }],
    ["text_empty", bedrock, "messages.0.content.0.text", " "],
    ["tool_use_shape", bedrock, "messages.1.content.1.toolUse.input", "{}"],
    ["tool_result_shape", bedrock, "messages.2.content.0.toolResult.content", {}],
    ["tool_result_shape", bedrock, "messages.2.content.0.toolResult.is_error", true],
    ["tool_result_content", bedrock, "messages.2.content.0.toolResult.content.0", { type: "text", text: "{}" }],
    ["tool_result_json", bedrock, "messages.2.content.0.toolResult.content.0.json", "{}"],
    ["tool_result_status", bedrock, "messages.2.content.0.toolResult.status", "failed"],
    ["tool_part_role", bedrock, "messages.3.content.+", { toolResult: { toolUseId: "b2", content: [] } }],
    ["tool_use_id_duplicate", bedrock, "messages.1.content.2.toolUse.toolUseId", "b1"],
    ["tool_use_id_duplicate", bedrock, "messages.2.content.+", { toolResult: { toolUseId: "b2", content: [] } }],
    ["tool_result_unknown_id", bedrock, "messages.2.content.1.toolResult.toolUseId", "b9"],
    ["tool_use_unanswered", bedrock, "messages.2.content.1", GONE],
  ],
  "ai-sdk": [
    ["tools_shape", aiSdk, "tools", []],
    ["tool_schema", aiSdk, "tools.one.inputSchema", GONE],
    ["tool_mark", aiSdk, "tools.one.deferLoading", true],
    ["tool_name_pattern", aiSdk, "tools", { ...aiSdk.tools, "a.b": aiTool() }],
    ["all_tools_deferred", { ...aiSdk, tools: { one: aiTool(), two: aiSdk.tools.two } }, "tools.one.providerOptions", { anthropic: { deferLoading: true } }],
    ["deferred_with_cache_control", aiSdk, "tools.two.providerOptions.anthropic.cacheControl", ephemeral],
    [
      "cache_breakpoints", aiSdk, "messages.2.content.0.providerOptions", { anthropic: { cacheControl: ephemeral } },
      (body) => [body.messages[0], body.messages[1], body.messages[3]].forEach((message) => (message.providerOptions = { anthropic: { cacheControl: ephemeral } })),
    ],
    ["defer_loading_without_tool_search", aiSdkOpenai, "tools.tool_search", GONE],
    ["defer_loading", aiSdkOther, "tools.two.providerOptions", { anthropic: { deferLoading: true } }, (body) => (body.tools.one = aiTool())],
    ["message_role", aiSdk, "messages.1.role", "model"],
    ["message_content", aiSdk, "messages.2.content", "done"],
    ["part_unknown_key", aiSdk, "messages.1.content.1.args", {}],
    ["tool_call_shape", aiSdk, "messages.1.content.1.input", "{}"],
    ["tool_result_output", aiSdk, "messages.2.content.1.output", "no"],
    ["tool_result_output", aiSdk, "messages.2.content.1.output.value", { error: "no" }],
    ["tool_part_role", aiSdk, "messages.2.role", "user"],
    ["tool_result_unknown_id", aiSdk, "messages.2.content.1.toolCallId", "a9"],
    ["tool_result_unknown_id", aiSdk, "messages.2.content.1.toolName", "two"],
    ["tool_call_unanswered", aiSdk, "messages.2.content.1", GONE],
    ["unknown_reference", aiSdk, "tools.two", GONE],
    ["reference_beside_text", aiSdk, "messages.2.content.0.output.value.+", { type: "text", text: "Call it." }],
  ],
  neutral: [
    ["tool_shape", neutral, "tools.0.inputSchema", "object"],
    ["tool_shape", neutral, "tools.0.deferLoading", true],
    ["tool_name_duplicate", neutral, "tools.1.name", "one"],
    ["message_shape", neutral, "messages.2.tool_call_id", "n1"],
    ["call_shape", neutral, "messages.1.toolCalls.0.arguments", "{}"],
    ["result_shape", neutral, "messages.2.isError", false],
    ["call_unanswered", neutral, "messages.2", GONE],
    ["call_unanswered", neutral, "messages.1.toolCalls", []],
  ],
  ollama: [
    ["tool_shape", ollama, "tools.0", { name: "one" }],
    ["defer_loading", ollama, "tools.0.defer_loading", true],
    ["tool_parameters", ollama, "tools.0.function.parameters", "object"],
    ["message_role", ollama, "messages.0.role", "model"],
    ["message_content", ollama, "messages.3.content", { output: "done" }],
    ["tool_call_arguments", ollama, "messages.2.tool_calls.0.function.arguments", "{}"],
    ["tool_message_name", ollama, "messages.3.tool_name", GONE],
    ["tool_message_orphan", ollama, "messages.3.tool_name", "three"],
    ["tool_call_unanswered", ollama, "messages.4", GONE],
  ],
}

/** Puts a value into a request. */
function edit(body, path, value) {
  const words = path.split(".")
  const last = words.pop()
  const place = words.reduce((inner, word) => {
    assert.ok(inner[word] !== undefined, `nothing at ${word} of ${path}`)
    return inner[word]
  }, body)
  if (last === "+") place.push(value)
  else if (last === "^") place.unshift(value)
  else if (value !== GONE) place[last] = value
  else if (Array.isArray(place)) place.splice(Number(last), 1)
  else delete place[last]
}

for (const [format, rows] of Object.entries(TABLE)) {
  describe(`strict: ${format}`, () => {
    for (const [rule, good, path, value, prepare] of rows) {
      test(`${rule}: ${path}`, () => {
        const body = structuredClone(good)
        prepare?.(body)
        assert.equal(check(format, freeze(structuredClone(body)), record), null, "the good request passes")
        edit(body, path, value === GONE ? GONE : structuredClone(value))
        const refused = check(format, freeze(body), record)
        assert.deepEqual([refused?.status, refused?.rule], [400, rule], refused?.message)
        assert.equal(typeof refused.message, "string")
      })
    }

    test("every rule is in the table, and says where it was read", () => {
      const tried = new Set(rows.map(([rule]) => rule))
      assert.deepEqual(Object.keys(RULES[format]).filter((rule) => !tried.has(rule)), [])
      for (const { from } of Object.values(RULES[format])) assert.match(from, /PROVIDERS|types|vendor/)
    })
  })
}

test("every format has a table", () => assert.deepEqual(Object.keys(TABLE), Object.keys(RULES)))
