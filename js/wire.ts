/**
 * The little that this side has to know of a format; the rest is the engine's. A new format is a new
 * entry.
 */
export interface Wire {
  /** Whatever a request takes as its tools, made of the definitions in their order. */
  tools(sent: readonly Sent[]): unknown
  /** True for what holds definitions in such a request: where nothing is changed it goes out as the host gave it. */
  holds?(tool: unknown): boolean
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

// Plain functions by their names, and nothing that is called or copied while this is read: a bundler that finds only a
// constant of the package used must see that the rest does nothing.

type At = (message: unknown, part: number | null) => object

const listed = (tools: unknown): readonly unknown[] => (Array.isArray(tools) ? (tools as unknown[]) : [])
const inOrder = (sent: readonly Sent[]): unknown => sent.map(({ definition }) => definition)
const described = (definition: unknown): unknown => (definition as Fields)["description"]

const within = (message: unknown, part: number | null, key: string): object =>
  (part === null ? message : ((message as Fields)[key] as unknown[])[part]) as object
const inContent: At = (message, part) => within(message, part, "content")

const user = (content: readonly unknown[]): object => ({ role: "user", content })

const declarations = (tool: unknown): readonly unknown[] | undefined => {
  const inner = (tool as Fields | null)?.["functionDeclarations"]
  return Array.isArray(inner) ? (inner as unknown[]) : undefined
}

export const WIRES: { readonly [format: string]: Wire } = {
  "openai-chat": {
    tools: inOrder,
    list: listed,
    description: (definition) => described((definition as Fields)["function"]),
    call: (message, part) => within(message, part, "tool_calls"),
  },
  "openai-responses": {
    tools: inOrder,
    list: (tools) =>
      listed(tools).flatMap((tool) => {
        const { type, tools: inner } = (tool ?? {}) as Fields
        return type === "namespace" && Array.isArray(inner) ? (inner as unknown[]) : [tool]
      }),
    description: described,
    call: (message) => message as object,
  },
  anthropic: {
    tools: inOrder,
    list: listed,
    description: described,
    call: inContent,
    parts: "content",
    message: user,
  },
  gemini: {
    // What is loaded comes at the end of all, so that what was sent before stays a prefix.
    hostedFirst: true,
    tools: (sent) => {
      const functionDeclarations = sent.flatMap(({ definition, hosted }) => (hosted ? [] : [definition]))
      const hosted = sent.flatMap(({ definition, hosted }) => (hosted ? [definition] : []))
      return functionDeclarations.length ? [...hosted, { functionDeclarations }] : hosted
    },
    holds: (tool) => declarations(tool) !== undefined,
    list: (tools) => listed(tools).flatMap((tool) => declarations(tool) ?? [tool]),
    description: described,
    call: (message, part) => within(message, part, "parts"),
    parts: "parts",
    message: (parts) => ({ role: "user", parts }),
  },
  bedrock: {
    tools: inOrder,
    list: listed,
    description: (definition) => described((definition as Fields)["toolSpec"]),
    call: inContent,
    parts: "content",
    message: user,
  },
  "ai-sdk": {
    keepsSchemas: true,
    tools: (sent) => Object.fromEntries(sent.map(({ name, definition }) => [name, definition])),
    list: (tools) => (typeof tools === "object" && tools !== null ? Object.values(tools) : []),
    dress: (definition) => {
      const schema = (definition as { inputSchema?: object }).inputSchema
      if (!schema) return
      // By the first the AI SDK knows a schema that it need not read; version 5 looks whether there is a validator by a
      // mark of its own.
      for (const mark of ["schema", "validator"]) Object.assign(schema, { [Symbol.for(`vercel.ai.${mark}`)]: true })
      Object.assign(schema, { _type: undefined, validate: undefined })
    },
    description: described,
    call: inContent,
    parts: "content",
    message: (content) => ({ role: "tool", content }),
  },
  neutral: {
    tools: inOrder,
    list: listed,
    description: described,
    call: (message, part) => within(message, part, "toolCalls"),
  },
}
