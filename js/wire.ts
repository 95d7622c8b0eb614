/**
 * The little that this side has to know of a format; the rest is the engine's. A new format is a new
 * entry.
 */
export interface Wire {
  /** The description in a definition. */
  description(tool: unknown): unknown
  /** The calls in an assistant message. */
  calls(message: unknown): readonly object[]
}

const openaiChat: Wire = {
  description: (tool) => (tool as { function: { description?: unknown } }).function.description,
  calls: (message) => (message as { tool_calls: object[] }).tool_calls,
}

export const WIRES: { readonly [format: string]: Wire } = { "openai-chat": openaiChat }
