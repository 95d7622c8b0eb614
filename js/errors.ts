/**
 * What went wrong, as a name that stays the same from release to release.
 *
 * - `unknown_option`: an option that does not exist; the message offers the nearest name.
 * - `invalid_option`: an option with a value that it can't have; the message names the bound.
 * - `invalid_tools`: `tools` is neither an array nor a record or what a provider or a server puts around tools.
 * - `duplicate_tool_name`: two different tools have one name; the message has both positions.
 * - `reserved_tool_name`: a tool has the search tool's name while deferral applies, or that of `call_tool` in `proxy`.
 * - `ambiguous_format`: the tools, or the messages, have the shapes of two formats; the message names both. Set `format`.
 * - `ui_messages`: the messages are the AI SDK's UIMessages, which no model reads: convert them first.
 * - `engine_freed`: a call after `free()`.
 * - `engine_trapped`: the engine stopped in the middle of this call. The next call works again.
 * - `wasm_unavailable`: this place refuses to compile WebAssembly; the message says what to do.
 */
export type ErrorCode =
  | "unknown_option"
  | "invalid_option"
  | "invalid_tools"
  | "duplicate_tool_name"
  | "reserved_tool_name"
  | "ambiguous_format"
  | "ui_messages"
  | "engine_freed"
  | "engine_trapped"
  | "wasm_unavailable"

/**
 * The one error that toolcrib throws. Compare `code`, not the message or the class: a process that
 * loads the package both by `import` and by `require` has two classes of this name.
 */
export class ToolcribError extends Error {
  /** What went wrong, as a stable name. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = "ToolcribError"
    this.code = code
  }
}
