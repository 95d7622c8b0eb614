/**
 * The little that this side has to know of a format; the rest is the engine's. A new format is a new
 * entry.
 */
export interface Wire {
  /** Whatever a request takes as its tools, made of the definitions in their order. */
  tools(sent: readonly Sent[]): unknown
  /** The definitions in that again. */
  list(tools: unknown): readonly unknown[]
  /** The definitions that the provider runs itself stand before all others. */
  hostedFirst?: true
  /** What the host gives as a schema goes out as it is: whoever takes the definitions reads it. */
  keepsSchemas?: true
  /** What makes a schema of ours one that is taken. */
  dress?(definition: object): void
  /** The description in a definition. */
  description(definition: unknown): unknown
  /** A call, by its place in a message. */
  call(message: unknown, part: number | null): object
  /** The one message for all results, where the format wants one; else each is a message of its own. */
  message?(parts: readonly unknown[]): object
  /** Where such a message holds them. */
  parts?: "content" | "parts"
}

/** A definition on the wire. */
export interface Sent {
  definition: unknown
  name: string
  /** The provider runs it itself. */
  hosted: boolean
}

type Fields = { readonly [key: string]: unknown }

const plain: Pick<Wire, "tools" | "list" | "description"> = {
  tools: (sent) => sent.map(({ definition }) => definition),
  list: (tools) => (Array.isArray(tools) ? (tools as unknown[]) : []),
  description: (definition) => (definition as Fields)["description"],
}

const at = (key: string) => (message: unknown, part: number | null) =>
  (part === null ? message : ((message as Fields)[key] as unknown[])[part]) as object

const held = (definition: unknown, key: string) => ((definition as Fields)[key] as Fields)["description"]

/** By this the AI SDK knows a schema that it need not read. */
const SCHEMA = Symbol.for("vercel.ai.schema")
/** The same of its version 5, which looks whether there is a validator by a mark of its own. */
const VALIDATOR = Symbol.for("vercel.ai.validator")

const declarations = (tool: unknown): readonly unknown[] | undefined => {
  const inner = (tool as Fields | null)?.["functionDeclarations"]
  return Array.isArray(inner) ? (inner as unknown[]) : undefined
}

export const WIRES = {
  "openai-chat": { ...plain, description: (definition) => held(definition, "function"), call: at("tool_calls") },
  "openai-responses": {
    ...plain,
    list: (tools) =>
      plain.list(tools).flatMap((tool) => {
        const inner = (tool as Fields | null)?.["tools"]
        return Array.isArray(inner) ? (inner as unknown[]) : [tool]
      }),
    call: (message) => message as object,
  },
  anthropic: { ...plain, call: at("content"), parts: "content", message: (content) => ({ role: "user", content }) },
  gemini: {
    ...plain,
    // What is loaded comes at the end of all, so that what was sent before stays a prefix.
    hostedFirst: true,
    tools: (sent) => {
      const functionDeclarations = sent.flatMap(({ definition, hosted }) => (hosted ? [] : [definition]))
      const hosted = sent.flatMap(({ definition, hosted }) => (hosted ? [definition] : []))
      return functionDeclarations.length ? [...hosted, { functionDeclarations }] : hosted
    },
    list: (tools) => {
      const all = plain.list(tools)
      return [...all.filter((tool) => !declarations(tool)), ...all.flatMap((tool) => declarations(tool) ?? [])]
    },
    call: at("parts"),
    parts: "parts",
    message: (parts) => ({ role: "user", parts }),
  },
  bedrock: {
    ...plain,
    description: (definition) => held(definition, "toolSpec"),
    call: at("content"),
    parts: "content",
    message: (content) => ({ role: "user", content }),
  },
  "ai-sdk": {
    ...plain,
    keepsSchemas: true,
    tools: (sent) => Object.fromEntries(sent.map(({ name, definition }) => [name, definition])),
    list: (tools) => (typeof tools === "object" && tools !== null ? Object.values(tools) : []),
    dress: (definition) => {
      const schema = (definition as { inputSchema?: object }).inputSchema
      if (schema) Object.assign(schema, { [SCHEMA]: true, [VALIDATOR]: true, _type: undefined, validate: undefined })
    },
    call: at("content"),
    parts: "content",
    message: (content) => ({ role: "tool", content }),
  },
  neutral: { ...plain, call: at("toolCalls") },
} satisfies { readonly [format: string]: Wire } as { readonly [format: string]: Wire }
