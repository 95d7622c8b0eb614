/**
 * What went wrong, as a name that stays the same from release to release.
 *
 * - `unknown_option`: an option that does not exist; the message offers the nearest name.
 * - `invalid_option`: an option with a value that it can't have; the message names the bound.
 * - `invalid_tools`: `tools` is not an array.
 * - `duplicate_tool_name`: two different tools have one name; the message has both positions.
 * - `reserved_tool_name`: a tool has the search tool's name while deferral applies.
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
