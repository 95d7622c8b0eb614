// The same neutral tools in every shape of definition and in every container that `createToolSearch` takes. A neutral
// tool is `{name, description?, schema?}`; what else it holds, such as a mark, stays beside them.

/** The shapes of one definition, by name. `ai-sdk` keeps the name outside: it is the key of a record. */
export const SHAPES = {
  "openai-chat": ({ name, description, schema, ...rest }) => ({
    type: "function",
    function: present({ name, description, parameters: schema }),
    ...rest,
  }),
  "openai-responses": ({ name, description, schema, ...rest }) =>
    // Absent, the API takes strict for true and rewrites the schema.
    present({ type: "function", name, description, parameters: schema, strict: false, ...rest }),
  anthropic: ({ name, description, schema, ...rest }) => present({ name, description, input_schema: schema, ...rest }),
  gemini: ({ name, description, schema, ...rest }) => present({ name, description, parametersJsonSchema: schema, ...rest }),
  bedrock: ({ name, description, schema, ...rest }) => ({
    toolSpec: present({ name, description, inputSchema: schema && { json: schema } }),
    ...rest,
  }),
  "ai-sdk": ({ name: _, description, schema, ...rest }) => present({ description, inputSchema: schema, ...rest }),
  mcp: ({ name, description, schema, ...rest }) =>
    present({ name, title: `The tool ${name}`, description, inputSchema: schema, annotations: { readOnlyHint: true }, ...rest }),
  neutral: ({ name, description, schema, ...rest }) => present({ name, description, inputSchema: schema, ...rest }),
}

/** What a definition on the wire says, whatever else it holds. */
export const READERS = {
  "openai-chat": ({ function: { name, description, parameters } }) => ({ name, description, schema: parameters }),
  "openai-responses": ({ name, description, parameters }) => ({ name, description, schema: parameters }),
  anthropic: ({ name, description, input_schema }) => ({ name, description, schema: input_schema }),
  gemini: ({ name, description, parameters, parametersJsonSchema }) => ({ name, description, schema: parametersJsonSchema ?? parameters }),
  bedrock: ({ toolSpec: { name, description, inputSchema } }) => ({ name, description, schema: inputSchema?.json }),
  // A schema of the AI SDK holds the JSON Schema.
  "ai-sdk": ({ description, inputSchema }, name) => ({ name, description, schema: inputSchema?.jsonSchema ?? inputSchema }),
  neutral: ({ name, description, inputSchema }) => ({ name, description, schema: inputSchema }),
}

/** The tools as `createToolSearch` takes them in this shape. */
export function define(shape, tools) {
  const written = tools.map(SHAPES[shape])
  if (shape === "ai-sdk") return record(tools, written)
  return shape === "gemini" ? [{ functionDeclarations: written }] : written
}

/** In a server's reply a mark is the server's and counts for nothing: there the host's options say it. */
const unmarked = ({ deferLoading: _, ...tool }) => SHAPES.mcp(tool)

/** The containers, by name: each a shape of definitions in another wrapping. */
export const CONTAINERS = {
  "record of neutral": (tools) => record(tools, tools.map(SHAPES.neutral)),
  "gemini, one by one": (tools) => tools.map((tool) => ({ functionDeclarations: [SHAPES.gemini(tool)] })),
  "gemini alone": (tools) => ({ functionDeclarations: tools.map(SHAPES.gemini) }),
  "gemini, declarations in a list": (tools) => tools.map(SHAPES.gemini),
  "bedrock toolConfig": (tools) => ({ toolConfig: { tools: tools.map(SHAPES.bedrock) } }),
  "bedrock tools": (tools) => ({ tools: [...tools.map(SHAPES.bedrock), { cachePoint: { type: "default" } }] }),
  "reply of tools/list": (tools) => ({ tools: tools.map(unmarked), nextCursor: "more" }),
  "replies of tools/list": (tools) => tools.map((tool) => ({ tools: [unmarked(tool)] })),
  "anthropic custom": (tools) => tools.map((tool) => ({ type: "custom", ...SHAPES.anthropic(tool) })),
  "openai namespace": (tools) => [
    { type: "namespace", name: "crm", description: "Customers", tools: tools.map(SHAPES["openai-responses"]) },
  ],
}

const record = (tools, written) => Object.fromEntries(tools.map(({ name }, at) => [name, written[at]]))

/** Without the keys that say nothing. */
const present = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
