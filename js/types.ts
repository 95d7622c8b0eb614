// Hosts whose TypeScript does not list this library still get `using search = createToolSearch(...)`.
/// <reference lib="esnext.disposable" preserve="true" />

/** A tool as Chat Completions takes it; its `parameters` may also be a Standard JSON Schema such as zod's. */
export interface ChatToolDefinition {
  type: "function"
  function: {
    name: string
    description?: string | null | undefined
    parameters?: unknown
  }
}

/** A tool as an MCP server lists it, or the neutral `{name, description, inputSchema}`. */
export interface NamedToolDefinition {
  name: string
  description?: string | null | undefined
  /** A JSON Schema, or a Standard JSON Schema such as zod's. */
  inputSchema?: unknown
}

/** A tool that the provider runs itself, such as `{type: "web_search"}`: always sent, never searched. */
export interface HostedToolDefinition {
  type: string
  function?: undefined
}

/**
 * A tool definition in any shape that is read, mixed as you like. Further keys are yours. These
 * mean something: `deferred`, `deferLoading` or `defer_loading` (withhold this tool; an explicit
 * `false` counts too) and `server` (the name of the server it comes from). They never reach the wire.
 */
export type ToolDefinition = ChatToolDefinition | NamedToolDefinition | HostedToolDefinition

/** A JSON object. */
export type JsonObject = { [key: string]: unknown }

/** A tool on the wire, written by toolcrib from a definition in another shape. */
export interface ChatTool<Name extends string = string> {
  type: "function"
  function: { name: Name; description?: string; parameters?: JsonObject; strict?: boolean | null }
}

/** The name of a tool: a literal where the definition was passed as one. */
export type ToolName<Tool> = Tool extends { function: { name: infer Name extends string } }
  ? Name
  : Tool extends { name: infer Name extends string }
    ? Name
    : never

/**
 * What a tool is on the wire. A definition in the wire's shape keeps its type, for it is your own
 * object unless its schema or a marker had to be replaced; every other one becomes a {@link ChatTool}.
 */
export type WireTool<Tool> = Tool extends { type: "function"; function: infer Function extends { name: string } }
  ? Function extends { parameters: { readonly "~standard": unknown } }
    ? ChatTool<Function["name"]>
    : Tool
  : Tool extends { name: infer Name extends string }
    ? ChatTool<Name>
    : Tool

/** What a custom `rank` sees of a deferred tool. Frozen, and the same objects on every call. */
export interface NeutralTool<Name extends string = string> {
  readonly name: Name
  readonly description: string
  /** The JSON Schema of the parameters; `undefined` when there is none. */
  readonly inputSchema: unknown
}

/** The runtime's own AbortSignal; where no types declare one, what every AbortSignal has. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Declared } } ? Declared : { readonly aborted: boolean }

/**
 * A ranking of your own.
 *
 * @param query One search, as the model wrote it.
 * @param tools The deferred tools, in your order.
 * @param context `signal` is aborted when `rankTimeout` is over.
 * @returns Names, best first. Unknown names and repeats are dropped, and the limit is applied for you.
 *   An error, or taking too long, answers the model's call with an error and loads nothing.
 */
export type Rank<Name extends string = string> = (
  query: string,
  tools: readonly NeutralTool<Name>[],
  context: { readonly signal: Signal },
) => readonly string[] | PromiseLike<readonly string[]>

/** When deferral applies: as soon as one of the named limits is reached. A limit of 0 always applies. */
export interface Threshold {
  /** The deferred definitions reach this share of the context window, 0 to 1. */
  share?: number | undefined
  /** The deferred definitions reach this many tokens. */
  tokens?: number | undefined
  /** The catalogue holds more than this many tools. */
  tools?: number | undefined
}

/** A server that some of the tools come from. */
export interface ServerOptions {
  /** Whether its tools are deferred where nothing nearer (the agent's list, the tool's own mark) says. */
  deferLoading?: boolean | undefined
  /** What the names of its tools start with, such as `"github__"`. */
  prefix?: string | undefined
  /** Names or globs of its tools. */
  tools?: readonly string[] | undefined
}

/** The options of `createToolSearch`. Names that do not exist are refused, nested ones too. */
export interface ToolSearchOptions<Tools extends readonly ToolDefinition[] = readonly ToolDefinition[]> {
  /** The catalogue, in your order. The array is copied; the objects stay yours and are never changed. */
  tools: Tools
  /** The shape of tools and messages on the wire. Default `"openai-chat"`, the only one in this release. */
  format?: "openai-chat" | undefined
  /** The model's context window in tokens. Default 128,000, with a warning when a share of it decides. */
  contextWindow?: number | undefined
  /**
   * When deferral applies. A number is a share of the context window, `0` always defers, `false` never.
   * Default `{ share: 0.1, tokens: 20_000, tools: 128 }`; naming any of them switches the unnamed off.
   * Below it every tool is sent and there is no search tool.
   */
  threshold?: number | false | Threshold | undefined
  /**
   * What this agent defers, the tool objects staying as they are: names or globs (`"linear_*"`); or a
   * function asked once per tool, where `undefined` leaves the decision to the tool's own mark; or
   * `{ above: n }`, which defers all that can be once the catalogue holds more than n tools.
   */
  deferred?:
    | readonly string[]
    | ((tool: Tools[number]) => boolean | undefined)
    | { above: number }
    | undefined
  /** Names or globs that are always sent. Default `NEVER_DEFERRED`; spread it to extend it. */
  resident?: readonly string[] | undefined
  /** Names or globs of tools that hand over to another agent; always sent. Default `["transfer_to_*"]`. */
  handoffs?: readonly string[] | undefined
  /** Whether what was loaded before a handoff stays loaded (`"keep"`, default) or not (`"reset"`). */
  handoff?: "keep" | "reset" | undefined
  /** Whether a call of a deferred tool in the messages counts as loading it. Default `"ignore"`. */
  calls?: "ignore" | "load" | undefined
  /**
   * What `resolve` does with a call of a deferred tool that is not loaded: it runs (`"run"`, default);
   * it runs and its definition is sent from the next turn on (`"load"`); it is answered with an error
   * that names the search tool (`"refuse"`).
   */
  unloadedCall?: "run" | "load" | "refuse" | undefined
  /** The servers behind the tools, by the name that the system note shows. */
  servers?: { readonly [name: string]: ServerOptions } | undefined
  /**
   * How many tools one search may load: `default` (5) when the call does not say, never more than
   * `max` (20). Whole numbers from 1. A `max` below 5 lowers the default with it.
   */
  limit?: { default?: number | undefined; max?: number | undefined } | undefined
  /** The search tool: its `name` (default `"tool_search"`) and the names that older messages call it by. */
  searchTool?: { name?: string | undefined; formerNames?: readonly string[] | undefined } | undefined
  /** Whether search tool and note go once every deferred tool is loaded (`"withdraw"`, default) or stay. */
  whenAllLoaded?: "withdraw" | "keep" | undefined
  /**
   * Reserved: this release never renames a tool. `false` leaves tools out, with a warning, whose names
   * the format refuses; without it they are sent as they are, with a warning.
   */
  aliases?: false | undefined
  /** The longest tool name that may be sent, in characters: longer ones are left out, with a warning. */
  maxNameLength?: number | undefined
  /** The ranking of a search: `"bm25"` (default), `"keywords"` (see `rankToolsByKeywords`) or your own. */
  rank?: "bm25" | "keywords" | Rank<ToolName<Tools[number]>> | undefined
  /** How long a custom `rank` may take, in milliseconds. Default 10,000. */
  rankTimeout?: number | undefined
  /**
   * Gives the JSON Schema of a tool whose schema is not JSON Schema and can't say it itself (zod before
   * 4.2, for example). Asked once per such tool, and for tools without a schema. May be async with
   * `createToolSearch.async`. An error is a warning that names the tool.
   */
  toJsonSchema?: ((tool: Tools[number]) => unknown) | undefined
  /**
   * Counts the tokens of a text, where toolcrib's own estimate (UTF-8 bytes / 4) is too rough. Called
   * once per tool with the JSON of its definition on the wire; the engine is then built twice. Search tool
   * and note stay estimates.
   */
  countTokens?: ((json: string) => number) | undefined
}

/** What one turn adds to what the messages show. */
export interface TurnOptions {
  /** Names that count as loaded though the messages can't show it, in order: pass on `turn.loaded`. */
  loaded?: readonly string[] | undefined
  /** Names that must be sent this turn, such as a forced `tool_choice`. */
  forced?: readonly string[] | undefined
  /** Names or globs that this turn must neither send, find nor run: who may not use a tool must not be given it. */
  exclude?: readonly string[] | undefined
}

/** The options of `search.search`. */
export interface SearchOptions {
  /** How many hits. Default `limit.default`; anything is clamped to 1 and `limit.max`. */
  limit?: number | null | undefined
  /** Whether every hit carries the arithmetic of its score. Default `false`. */
  explain?: boolean | undefined
}

/** The options of `rankTools` and `rankToolsByKeywords`. */
export interface RankOptions {
  /** How many names, from 1. Default: all that match. */
  limit?: number | undefined
}

/** Something that was skipped, left out or assumed. Never an error, never on the console. */
export interface Warning {
  /** What kind, as a stable name. */
  code: string
  /** What happened, for a person. */
  message: string
  /** The tool it is about. */
  tool?: string
}

/** Whether deferral applies, why, and by which numbers. */
export interface Deferral {
  /** `false`: every tool is sent and there is no search tool. */
  applied: boolean
  /**
   * `always` and `never`: the threshold says so. `share`, `tokens`, `tools`: that limit is reached.
   * `below`: none is. `begun`: the messages already hold a search. `nothing_deferred`: no tool is
   * deferred. `reserved_name`: a tool of yours has the search tool's name.
   */
  reason: "always" | "never" | "share" | "tokens" | "tools" | "below" | "begun" | "nothing_deferred" | "reserved_name"
  /** The decision in one sentence with its numbers. */
  message: string
  /** How many tools are deferred. */
  deferredTools: number
  /** What their definitions cost, in tokens. */
  deferredTokens: number
  /** How many tools there are. */
  catalogueTools: number
  /** The context window that the share was taken of, in tokens. */
  contextWindow: number
  /** Where that number comes from. */
  contextWindowFrom: "contextWindow" | "default"
  /** The limits that were looked at; `null` where one is off. */
  limits: { share: number | null; tokens: number | null; tools: number | null }
}

/** What to send this turn. */
export interface Turn<Tool = ToolDefinition> {
  /**
   * The tools: resident ones in your order, then the search tool, then loaded ones in the order in
   * which they were first loaded. Your own objects unless a rule had to change one; then a copy, the
   * same one every turn. A new array each time.
   */
  tools: (WireTool<Tool> | ChatTool)[]
  /** A paragraph for the system prompt, or `null` when there is none. Yours to place; never changes in a run. */
  note: string | null
  /** The names of all loaded tools, in order: what to pass as `loaded` where the history is not yours to send. */
  loaded: ToolName<Tool>[]
  /** The decision whether deferral applies. */
  deferral: Deferral
  /** Tokens of definitions: what is sent (search tool and note among it), what is withheld, what all up front would cost. */
  tokens: { sent: number; withheld: number; all: number }
  /** What this turn skipped or assumed. */
  warnings: Warning[]
}

/** The arithmetic of a score: `value` follows from the values of `parts` as `text` says. */
export interface Explanation {
  value: number
  text: string
  parts: Explanation[]
}

/** A tool that a search found. */
export type Hit<Tool = ToolDefinition> = Tool extends unknown
  ? {
      /** Your own object. */
      tool: Tool
      /** Its name. */
      name: ToolName<Tool>
      /** How well it fits; positive, comparable within one search only. */
      score: number
      /** The query named this very tool. */
      exact: boolean
      /** The words that matched, and where. */
      terms: { term: string; fields: string[] }[]
      /** The arithmetic, with `explain: true`. */
      explanation?: Explanation
    }
  : never

/** The tool message that answers one call. Where the call has no id (Ollama), `tool_name` stands in its place. */
export interface ToolMessage {
  role: "tool"
  tool_call_id: string
  content: string
}

/** What one call of the search tool came to. */
export interface SearchResult<Tool = ToolDefinition> {
  /** The call's id; `null` when it had none. */
  id: string | null
  /** The searches it asked for. */
  query: string[]
  /** What was found, best first, tools that were loaded before included. */
  hits: Hit<Tool>[]
  /** The names that this call newly loads. */
  loaded: ToolName<Tool>[]
  /** Names among the hits that were loaded before. */
  alreadyLoaded: ToolName<Tool>[]
  /** Resident tools that fit: the model is told to call them. */
  available: ToolName<Tool>[]
  /** How many deferred tools are still not loaded after this call. */
  more: number
  /** The sentence that the model reads. */
  note: string
  /** What the model is told when the call could not be read or ranked; `null` otherwise. */
  error: string | null
}

/** The answer to the search calls of one assistant message. */
export interface Reply<Tool = ToolDefinition> {
  /** One tool message per search call, in the order of the calls. Empty when there was none. */
  parts: ToolMessage[]
  /** The same as data, in the same order. */
  results: SearchResult<Tool>[]
  /** The names that this reply newly loads: what the next turn sends in addition. */
  loaded: ToolName<Tool>[]
  /**
   * The messages to append: these parts and those you made for the other calls, in the order of the
   * calls. What answers none of them comes last.
   *
   * @throws {ToolcribError} `invalid_option` where one of them is a promise.
   */
  messages<Part = never>(others?: readonly Part[]): (ToolMessage | Part)[]
}

/** A call that may run. `name` narrows `tool` when the tools were passed as literals. */
export type Resolved<Tool = ToolDefinition> = Tool extends unknown
  ? {
      /** Your own object. */
      tool: Tool
      name: ToolName<Tool>
      /** The call's arguments, parsed: an object. Of a tool without a schema (`type: "custom"`): `{ input }`. */
      args: JsonObject
      /** The tool is one that is withheld until something loads it. */
      deferred: boolean
      /** It is loaded by what came before this call. */
      loaded: boolean
      error?: undefined
    }
  : never

/** A call that can't run, and the message that tells the model so. */
export interface Unresolved {
  /** `code` is a stable name, `message` what the model reads. */
  error: { code: string; message: string }
  /** The tool message to append. */
  part: ToolMessage
  tool?: undefined
}

/** Where a search result stands: what a clearing of old tool outputs must leave alone. */
export interface SearchResultPosition {
  /** Position in the messages. */
  message: number
  /** Position in that message's content; `null` where the message is the result. */
  part: number | null
  /** The id of the call it answers. */
  callId: string | null
  /** The names it holds. */
  names: string[]
}

/** What `update` gives back. */
export interface Update<Tools extends readonly ToolDefinition[] = readonly ToolDefinition[]> {
  /** A new engine with the same options. The old one goes on working until it is freed. */
  search: ToolSearch<Tools>
  /** Names that were not there before. */
  added: string[]
  /** Names that are gone. */
  removed: string[]
  /** Names whose definition differs. */
  changed: string[]
}

/**
 * One immutable engine: a catalogue and its index. It remembers nothing of a conversation, so one
 * serves any number of them at once.
 */
export interface ToolSearch<Tools extends readonly ToolDefinition[] = readonly ToolDefinition[]> {
  /**
   * The tools of the next request, by what the messages show to be loaded.
   *
   * @param messages The conversation in the wire's shape. Unknown roles and parts are skipped; anything
   *   that is not an array counts as empty.
   * @throws {ToolcribError} `unknown_option`, `invalid_option`, `engine_freed`, `engine_trapped`
   */
  turn(messages: readonly unknown[], options?: TurnOptions): Turn<Tools[number]>

  /**
   * Answers every search call in an assistant message and leaves the other calls alone. Whatever the
   * model wrote as arguments is answered, at worst with an error that it can read.
   *
   * @param calls The assistant message, one of its calls, or an array of calls.
   * @param messages The conversation before it; what it shows as loaded is named as such. With or
   *   without the assistant message itself.
   * @param options As for `turn`: what is excluded there must not be found here.
   */
  answer(calls: object, messages?: readonly unknown[], options?: TurnOptions): Promise<Reply<Tools[number]>>

  /**
   * Finds the tool that a call means, and its arguments.
   *
   * @param call One call of the model.
   * @param messages The conversation before it, which decides whether a deferred tool is loaded.
   * @returns Your tool and the parsed arguments, or a message that tells the model why not.
   */
  resolve(
    call: object,
    messages?: readonly unknown[],
    options?: TurnOptions,
  ): Resolved<Tools[number]> | Unresolved

  /**
   * Searches the deferred tools, whether or not deferral applies.
   *
   * @param query A few words. Anything but a text finds nothing.
   * @returns Hits, best first; ties by name. A custom `rank` may be async and is not asked here: this
   *   search then ranks by BM25.
   */
  search(query: string, options?: SearchOptions): Hit<Tools[number]>[]

  /** Where the results of earlier searches stand in the messages. */
  searchResults(messages: readonly unknown[]): SearchResultPosition[]

  /**
   * The search calls of the last assistant message that have no result yet, as your own objects; after
   * a crash, pass them to `answer`. Empty when there is none.
   */
  pending<Message>(messages: readonly Message[]): object[]

  /**
   * An engine for a changed catalogue with the same options. A tool that has the search tool's name is
   * left out with a warning when it can't stay. Lazy schemas that `createToolSearch.async` has awaited are known.
   */
  update<const Next extends readonly ToolDefinition[]>(tools: Next): Update<Next>

  /**
   * A text that changes when a tool does: every tool counts, deferred or not; the order of tools and of
   * keys, and what is loaded, do not. Read when first asked for: a definition that you changed in place
   * before that counts as changed all along.
   */
  fingerprint(): string

  /** What was skipped, left out or assumed when the catalogue was read. */
  readonly warnings: readonly Warning[]
  /** The search tool on the wire; the same object on every turn. */
  readonly searchTool: ChatTool
  /** The paragraph for the system prompt as turns give it that withhold something; `turn.note` says whether. */
  readonly note: string
  /** Whether deferral applies to a conversation that has not begun. */
  readonly deferral: Deferral

  /** Gives the memory back. Later calls throw `engine_freed`. An engine that is forgotten is freed in time. */
  free(): void
  /** The same as `free`, for `using`. */
  [Symbol.dispose](): void
}

/** `createToolSearch`, and its async form for schemas that are promises or functions. */
export interface CreateToolSearch {
  /**
   * Reads and indexes a catalogue.
   *
   * @throws {ToolcribError} `unknown_option`, `invalid_option`, `invalid_tools`, `duplicate_tool_name`,
   *   `reserved_tool_name`, `wasm_unavailable`. A definition that can't be read is a warning instead.
   */
  <const Tools extends readonly ToolDefinition[]>(options: ToolSearchOptions<Tools>): ToolSearch<Tools>
  /** The same, once every schema that is a promise or a function has been awaited. One that fails is a warning. */
  async<const Tools extends readonly ToolDefinition[]>(options: ToolSearchOptions<Tools>): Promise<ToolSearch<Tools>>
}
