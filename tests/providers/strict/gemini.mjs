// Gemini `generateContent`: `POST /v1beta/models/{model}:generateContent`.

import { extra, first, isObject, list, rule, twice } from "./common.mjs"

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/
const MOST_DECLARATIONS = 512
const TOOL = [
  "functionDeclarations", "googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext", "computerUse", "fileSearch",
  "googleMaps", "enterpriseWebSearch", "retrieval", "mcpServers", "exaAiSearch", "parallelAiSearch",
]
const DECLARATION = ["name", "description", "parameters", "parametersJsonSchema", "behavior", "response", "responseJsonSchema"]
const PART = [
  "text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode",
  "codeExecutionResult", "videoMetadata", "mediaResolution", "partMetadata", "toolCall", "toolResponse", "mediaProcessing",
  "speechMetadata", "audioTranscription",
]
const CALL = ["id", "name", "args", "partialArgs", "willContinue"]
const RESPONSE = ["id", "name", "response", "parts", "scheduling", "willContinue"]
/** Gemini's own dialect of a schema. */
const SCHEMA = [
  "anyOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
  "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties", "propertyOrdering", "required", "title",
  "type",
]
const TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"]

const tools = ({ tools }) => list(tools)
const declarations = (body) => tools(body).flatMap(({ functionDeclarations }) => list(functionDeclarations))
const parts = (content, kind) => list(content?.parts).filter((part) => part?.[kind]).map((part) => part[kind])
const every = (body, kind) => list(body.contents).flatMap((content) => parts(content, kind))

/** A schema and all in it, each with its path. */
function* nested(schema, path) {
  if (!isObject(schema)) return
  yield [schema, path]
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {})) yield* nested(inner, `${path}.${name}`)
  for (const inner of [schema.items, ...list(schema.anyOf)]) yield* nested(inner, `${path}[]`)
}

export default {
  tools_shape: rule("types: Tool", ({ tools }) =>
    tools !== undefined && !(Array.isArray(tools) && tools.every(isObject)) ? "tools: must be a list of objects" : undefined,
  ),
  defer_loading: rule("PROVIDERS, Native deferral, Not native", (body) =>
    first([...tools(body), ...declarations(body)], (tool) => ("defer_loading" in tool ? "unknown name defer_loading" : undefined)),
  ),
  tool_unknown_key: rule("types: Tool", (body) => first(tools(body), (tool, at) => extra(tool, TOOL, `tools[${at}]`))),
  tool_empty: rule("vendor: one_of 'tool_type' must have one initialized field", (body) =>
    first(tools(body), (tool, at) =>
      Object.keys(tool).length === 0 || tool.functionDeclarations?.length === 0 ? `tools[${at}].tool_type: required` : undefined,
    ),
  ),
  declaration_unknown_key: rule("PROVIDERS, Tool definitions; types: FunctionDeclaration", (body) =>
    first(declarations(body), (tool) => extra(tool, DECLARATION, "functionDeclarations")),
  ),
  tool_name_pattern: rule("PROVIDERS, Names", (body) =>
    first(declarations(body), ({ name }) => (NAME.test(name) ? undefined : `functionDeclarations: must match ${NAME}: ${name}`)),
  ),
  tool_name_duplicate: rule("vendor: duplicate function declaration", (body) => twice(declarations(body).map(({ name }) => name))),
  tools_too_many: rule("PROVIDERS, Names, Caps", (body) =>
    declarations(body).length > MOST_DECLARATIONS ? `at most ${MOST_DECLARATIONS} declarations, found ${declarations(body).length}` : undefined,
  ),
  parameters_both: rule("PROVIDERS, Tool definitions; types: FunctionDeclaration", (body) =>
    first(declarations(body), ({ name, parameters, parametersJsonSchema }) =>
      parameters !== undefined && parametersJsonSchema !== undefined ? `${name}: parameters or parametersJsonSchema, not both` : undefined,
    ),
  ),
  parameters_dialect: rule("PROVIDERS, Tool definitions; types: Schema, Type", (body) =>
    first(declarations(body), ({ name, parameters }) => {
      if (parameters === undefined) return undefined
      if (parameters?.type !== "OBJECT") return `${name}.parameters: must be of type OBJECT`
      return first([...nested(parameters, `${name}.parameters`)], ([schema, path]) =>
        extra(schema, SCHEMA, path) ?? (schema.type === undefined || TYPES.includes(schema.type) ? undefined : `${path}.type: ${schema.type}`),
      )
    }),
  ),
  json_schema_dialect: rule("PROVIDERS, Tool definitions: parametersJsonSchema is JSON Schema", (body) =>
    first(declarations(body), ({ name, parametersJsonSchema }) => {
      if (parametersJsonSchema === undefined) return undefined
      if (parametersJsonSchema?.type !== "object") return `${name}.parametersJsonSchema: must be of type object`
      return first([...nested(parametersJsonSchema, name)], ([schema, path]) =>
        TYPES.includes(schema.type) || "nullable" in schema ? `${path}: this is not JSON Schema` : undefined,
      )
    }),
  ),
  allowed_function_unknown: rule("vendor: allowedFunctionNames are declared", (body) =>
    first(body.toolConfig?.functionCallingConfig?.allowedFunctionNames, (name) =>
      declarations(body).some((tool) => tool.name === name) ? undefined : `allowedFunctionNames: ${name} is not declared`,
    ),
  ),

  content_role: rule("types: Content.role", ({ contents }) =>
    first(contents, ({ role }, at) => (["user", "model"].includes(role) ? undefined : `contents[${at}].role: must be user or model, not ${role}`)),
  ),
  content_unknown_key: rule("types: Content", ({ contents }) =>
    first(contents, (content, at) => extra(content, ["role", "parts"], `contents[${at}]`)),
  ),
  parts_empty: rule("vendor: contents.parts must not be empty", ({ contents }) =>
    first(contents, ({ parts }, at) => (list(parts).length > 0 && parts.every(isObject) ? undefined : `contents[${at}].parts: must not be empty`)),
  ),
  part_unknown_key: rule("types: Part, FunctionCall, FunctionResponse", (body) =>
    first(list(body.contents).flatMap(({ parts }) => parts), (part) => extra(part, PART, "part")) ??
    first(every(body, "functionCall"), (call) => extra(call, CALL, "functionCall")) ??
    first(every(body, "functionResponse"), (response) => extra(response, RESPONSE, "functionResponse")),
  ),
  function_call_shape: rule("PROVIDERS, Tool definitions", (body) =>
    first(every(body, "functionCall"), ({ name, args }) =>
      typeof name === "string" && (args === undefined || isObject(args)) ? undefined : "functionCall: needs a name, and args as an object",
    ),
  ),
  function_response_shape: rule("PROVIDERS, Tool definitions", (body) =>
    first(every(body, "functionResponse"), ({ name, response }) =>
      typeof name === "string" && name && isObject(response) ? undefined : "functionResponse: needs a name, and response as an object",
    ),
  ),
  function_part_role: rule("PROVIDERS, Tool definitions: calls in role model, responses in role user", ({ contents }) =>
    first(contents, (content, at) =>
      (content.role === "model" && parts(content, "functionResponse").length) || (content.role === "user" && parts(content, "functionCall").length)
        ? `contents[${at}]: a function part in role ${content.role}`
        : undefined,
    ),
  ),
  call_turn_place: rule("vendor: a function call turn comes right after a user or function response turn", ({ contents }) =>
    first(contents, (content, at) =>
      parts(content, "functionCall").length && contents[at - 1]?.role !== "user" ? `contents[${at}]: a function call after no user turn` : undefined,
    ),
  ),
  function_response_count: rule("vendor: as many function responses as function calls, in the turn right after", ({ contents }) =>
    first([{}, ...list(contents)], (content, at) => {
      const [calls, answers] = [parts(content, "functionCall").length, parts(contents?.[at], "functionResponse").length]
      return calls === answers ? undefined : `contents[${at}]: ${calls} function calls and ${answers} function responses`
    }),
  ),
  // Ids are optional: by id where there is one, else by name and order.
  function_response_name: rule("PROVIDERS, Tool definitions: match by name and order", ({ contents }) =>
    first(contents, (content, at) => {
      const answers = parts(contents[at + 1], "functionResponse")
      return first(parts(content, "functionCall"), (call, place) => {
        const answer = call.id === undefined ? answers[place] : answers.find(({ id }) => id === call.id)
        return answer?.name === call.name && answer.id === call.id ? undefined : `contents[${at + 1}]: no function response for ${call.name} ${call.id ?? ""}`
      })
    }),
  ),
}
