// Hosts whose TypeScript does not list this library still get `using search = createToolSearch(...)`.
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * The shape of tools and messages on the wire.
 *
 * | format | tools of a request | what holds a call | what answers it |
 * | --- | --- | --- | --- |
 * | `openai-chat` | `{type: "function", function}` | `tool_calls` | a message with `role: "tool"` |
 * | `openai-responses` | `{type: "function", name, parameters}` | an item `function_call` | an item `function_call_output` |
 * | `anthropic` | `{name, input_schema}` | a block `tool_use` | a block `tool_result` |
 * | `gemini` | `{functionDeclarations}` | a part `functionCall` | a part `functionResponse` |
 * | `bedrock` | `{toolSpec}` | a block `toolUse` | a block `toolResult` |
 * | `ai-sdk` | a record by name | a part `tool-call` | a part `tool-result` |
 * | `neutral` | `{name, description, inputSchema}` | `toolCalls` | a message with `role: "tool"`, see {@link NeutralMessage} |
 */
export type Format = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "ai-sdk" | "neutral"

/**
 * How loaded tools reach the model. `append`: their definitions follow the others, so a prompt cache keeps what stands
 * before them. `native`: the provider's own deferral, where the format has one (`anthropic`, `openai-responses`,
 * `ai-sdk`): nothing that is cached changes. `proxy`: the tools of a request never change; the result of a search holds
 * the schemas, and one tool, `call_tool`, calls what was found. `auto`: `native` where format and model can, else `append`.
 */
export type Delivery = "append" | "native" | "proxy" | "auto"

/** A JSON object. */
export type JsonObject = { [key: string]: unknown }

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** A tool as Chat Completions takes it; its `parameters` may also be a Standard JSON Schema such as zod's. */
export interface ChatToolDefinition {
  type: "function"
  function: {
    name: string
    description?: string | null | undefined
    parameters?: unknown
  }
}

/**
 * A tool with its name beside its schema. Which key holds the schema says whose shape it is: `inputSchema` is MCP's and
 * the neutral one, `input_schema` Anthropic's, `parameters` that of Responses (with `type: "function"`) and of Gemini,
 * `parametersJsonSchema` Gemini's.
 */
export interface NamedToolDefinition {
  name: string
  description?: string | null | undefined
  /** A JSON Schema, or a Standard JSON Schema such as zod's. */
  inputSchema?: unknown
}

/** A tool as Bedrock's Converse takes it, or what may stand among its tools: `{cachePoint}`, `{systemTool}`. */
export interface BedrockToolDefinition {
  toolSpec?: { name: string | undefined; description?: string | undefined; inputSchema?: unknown } | undefined
  cachePoint?: unknown
  systemTool?: unknown
  $unknown?: unknown
}

/** A function as Gemini declares it. Its `parameters` may be written in Gemini's own dialect (`type: "STRING"`). */
export interface GeminiFunctionDefinition {
  name?: string | undefined
  description?: string | undefined
  parameters?: unknown
  parametersJsonSchema?: unknown
}

/** A tool as Gemini takes it: functions, and what Gemini runs itself. */
export interface GeminiToolDefinition {
  functionDeclarations?: readonly GeminiFunctionDefinition[] | undefined
  codeExecution?: unknown
  computerUse?: unknown
  enterpriseWebSearch?: unknown
  fileSearch?: unknown
  googleMaps?: unknown
  googleSearch?: unknown
  googleSearchRetrieval?: unknown
  mcpServers?: unknown
  retrieval?: unknown
  urlContext?: unknown
}

/**
 * A tool under its name in a record, as the AI SDK has it. The key is its name, so the shapes that have theirs within,
 * Chat Completions' and Bedrock's, belong into an array.
 */
export interface KeyedToolDefinition {
  type?: string | null | undefined
  description?: string | ((...given: never[]) => unknown) | null | undefined
  /** An AI SDK schema, a JSON Schema, or a Standard JSON Schema such as zod's. */
  inputSchema?: unknown
  parameters?: unknown
  input_schema?: unknown
  execute?: unknown
  function?: undefined
  toolSpec?: undefined
}

/**
 * The reply to MCP's `tools/list`: those of several servers may stand side by side. What stands in it is the server's, so
 * that a mark or a `server` in there counts for nothing, with a warning. Defer its tools by `deferred` or `servers`, or take
 * them out of the reply: in an array of yours they are your objects.
 */
export interface ListedToolDefinitions {
  readonly tools: readonly NamedToolDefinition[]
  readonly nextCursor?: string | undefined
  readonly name?: undefined
  readonly type?: undefined
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
 *
 * Two hold several tools: `{functionDeclarations: [...]}`, and OpenAI's `{type: "namespace", name, tools: [...]}`, whose
 * tools are called `<namespace>__<name>`.
 */
export type ToolDefinition =
  | ChatToolDefinition
  | NamedToolDefinition
  | ListedToolDefinitions
  | BedrockToolDefinition
  | GeminiToolDefinition
  | HostedToolDefinition

/**
 * What can be given as `tools`: an array of definitions; a record of them by name; the reply to MCP's `tools/list`;
 * Bedrock's tool configuration, with or without the key `toolConfig`; one `{functionDeclarations: [...]}`.
 */
export type Catalogue =
  | readonly ToolDefinition[]
  | { readonly tools: readonly ToolDefinition[] | undefined }
  | { readonly toolConfig: { readonly tools: readonly ToolDefinition[] | undefined } }
  | { readonly functionDeclarations: readonly GeminiFunctionDefinition[] }
  | { readonly [name: string]: KeyedToolDefinition }

/** The name in a definition: a literal where the definition was passed as one. */
export type ToolName<Tool> = Tool extends
  | { function: { name: infer Name extends string } }
  | { toolSpec: { name: infer Name extends string } }
  | { custom: { name: infer Name extends string } }
  | { name: infer Name extends string }
  ? Name
  : [Extract<keyof Tool, "name" | "toolSpec">] extends [never]
    ? never
    : string

/** Where a definition stands: what it is there does not always show on itself. */
type Place = "array" | "record" | "namespace" | "declaration" | "rest"

/** A definition with the name that you call it by. */
type EntryOf<Name, Tool, In extends Place> = Tool extends unknown ? { name: Name; tool: Tool; place: In } : never

/** What stands in an array: a definition, or something that holds several. */
type ElementEntries<Element> = Element extends {
  type: "namespace"
  name: infer Space extends string
  tools: readonly (infer Tool)[]
}
  ? Tool extends unknown
    ? EntryOf<`${Space}__${ToolName<Tool>}`, Tool, "namespace">
    : never
  : Element extends { tools: readonly (infer Tool)[]; name?: undefined }
  ? Tool extends unknown
    ? EntryOf<ToolName<Tool>, Tool, "array">
    : never
  : // Not `"functionDeclarations" extends keyof Element`, by which an engine of some tools would be none of any tools.
    [Extract<keyof Element, "functionDeclarations">] extends [never]
    ? EntryOf<ToolName<Element>, Element, "array">
    :
        | (Element extends { functionDeclarations?: infer Declared } ? DeclarationEntries<NonNullable<Declared>> : never)
        | ([Exclude<keyof Element, "functionDeclarations">] extends [never]
            ? never
            : EntryOf<never, Omit<Element, "functionDeclarations">, "rest">)

type DeclarationEntries<Declared> = Declared extends readonly (infer Tool)[]
  ? Tool extends unknown
    ? EntryOf<ToolName<Tool>, Tool, "declaration">
    : never
  : never

/** Every definition in a catalogue. Of `any`, such as what JSON.parse gives, it is known only that it has some. */
type Entries<Tools> = [Extract<Tools extends Catalogue ? "known" : "any", "any">] extends [never]
  ? EntriesOf<Tools>
  : { name: string; tool: any; place: "array" }

type EntriesOf<Tools> = Tools extends
  | readonly (infer Element)[]
  | { readonly tools: readonly (infer Element)[] | undefined }
  | { readonly toolConfig: { readonly tools: readonly (infer Element)[] | undefined } }
  ? Element extends unknown
    ? ElementEntries<Element>
    : never
  : Tools extends { readonly functionDeclarations: readonly unknown[] }
    ? ElementEntries<Tools>
    : // By `infer`, for the reason above.
      { [Name in keyof Tools]-?: EntryOf<Name & string, Tools[Name], "record"> } extends infer Each
      ? Each[keyof Each]
      : never

/** The names in a catalogue: literals where it was passed as one. */
export type ToolNames<Tools> = Entries<Tools> extends infer Each
  ? Each extends { name: infer Name extends string }
    ? Name
    : never
  : never

/** The definitions in a catalogue, each your own object: what containers hold, not the containers. */
export type ToolOf<Tools> = Entries<Tools> extends infer Each
  ? Each extends { tool: infer Tool }
    ? Tool
    : never
  : never

/** The keys under which a definition in an array may hold its schema. */
type SchemaKey = "input_schema" | "inputSchema" | "parameters" | "parametersJsonSchema"

/** Whose shape a definition has, or `"hosted"`. */
type Shape<Each> = Each extends { place: "record"; tool: infer Tool }
  ? Tool extends { type: "provider" | "provider-defined"; id: string }
    ? "hosted"
    : "ai-sdk"
  : Each extends { place: "rest" }
    ? "hosted"
    : Each extends { place: "declaration" }
      ? "gemini"
      : Each extends { tool: infer Tool }
        ? ShapeOf<Tool>
        : never

type ShapeOf<Tool> = Tool extends { function: object } | { type: "custom"; custom: object }
  ? "openai-chat"
  : Tool extends { toolSpec: object }
    ? "bedrock"
    : Tool extends { type: "function"; name: string }
      ? "openai-responses"
      : Tool extends { name: string; input_schema: unknown }
        ? "anthropic"
        : Tool extends { name: string; parametersJsonSchema: unknown }
          ? "gemini"
          : Tool extends { name: string }
            ? Tool extends { type: string }
              ? [Extract<keyof Tool, SchemaKey>] extends [never]
                ? "hosted"
                : "neutral"
              : "neutral"
            : "hosted"

/**
 * The format that a catalogue's shapes name: `ai-sdk` for a record, else the provider's whose shape the definitions
 * have. Neutral and MCP's definitions, and those that the provider runs, name none; where none does it is
 * `openai-chat`. Where several do, creation fails with `ambiguous_format` unless `format` decides.
 */
export type FormatOf<Tools> = [Catalogue] extends [Tools]
  ? Format
  : Tools extends readonly (infer Element)[]
    ? [ToolDefinition] extends [Element]
      ? Format
      : Named<Shape<Entries<Tools>>>
    : Named<Shape<Entries<Tools>>>

type Named<Shapes> = [Extract<Shapes, Exclude<Format, "neutral">>] extends [never]
  ? "openai-chat"
  : Extract<Shapes, Exclude<Format, "neutral">>

/** A tool of Chat Completions, written by toolcrib from a definition in another shape. */
export interface ChatTool<Name extends string = string> {
  type: "function"
  function: { name: Name; description?: string; parameters?: JsonObject; strict?: boolean | null }
}

/** A function of OpenAI's Responses. */
export interface ResponsesTool<Name extends string = string> {
  type: "function"
  name: Name
  description?: string | null
  parameters: JsonObject | null
  /** Always written, for the API takes a missing one for `true`; an object of your own may leave it out. */
  strict: boolean | null
  defer_loading?: boolean
}

/** A namespace of OpenAI's Responses: with `delivery: "native"` its tools go out in it. */
export interface ResponsesNamespace {
  type: "namespace"
  name: string
  description: string
  tools: {
    type: "function"
    name: string
    description?: string | null
    parameters?: JsonObject | null
    strict?: boolean | null
    defer_loading?: boolean
  }[]
}

/** The search tool of OpenAI's Responses with `delivery: "native"`: the provider's own, whose calls you answer. */
export interface ResponsesSearchTool {
  type: "tool_search"
  execution: "client"
  description: string
  parameters: JsonObject
}

/** A tool of Anthropic's Messages. */
export interface AnthropicTool<Name extends string = string> {
  name: Name
  description?: string
  input_schema: { type: "object"; properties?: unknown; required?: string[] | null; [key: string]: unknown }
  type?: "custom" | null
  strict?: boolean
  defer_loading?: boolean
  cache_control?: { type: "ephemeral"; ttl?: "5m" | "1h" } | null
}

/** A function of Gemini's. One that you declared with `parameters` has those instead of `parametersJsonSchema`. */
export interface GeminiFunction<Name extends string = string> {
  name: Name
  description?: string
  /** A JSON Schema. */
  parametersJsonSchema?: unknown
}

/** The functions of a turn, which Gemini takes in one tool. */
export interface GeminiTool<Name extends string = string> {
  functionDeclarations: GeminiFunction<Name>[]
}

/** A tool of Bedrock's Converse. */
export interface BedrockTool<Name extends string = string> {
  toolSpec: { name: Name; description?: string; inputSchema: { json: JsonValue }; strict?: boolean }
}

/** Up to where Bedrock caches the tools: `cacheBreakpoint` makes one. */
export interface BedrockCachePoint {
  cachePoint: { type: "default"; ttl?: "5m" | "1h" }
}

/** A tool of the AI SDK, under its name in a record. */
export interface AiSdkTool {
  description?: string
  /**
   * What the SDK's own `jsonSchema()` gives. Its type is marked with a symbol of the SDK's that no other package can
   * name, and each major has another, so it is `any` here.
   */
  inputSchema: any
  providerOptions?: { [provider: string]: { [key: string]: JsonValue } }
}

/** A tool in the neutral shape, which is MCP's. */
export interface PlainTool<Name extends string = string> {
  name: Name
  description?: string
  inputSchema: JsonObject
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/**
 * The same without `readonly`: what is passed as a literal is read-only in its type only, and the SDKs' request types
 * ask for arrays that can be changed. An SDK's own types, which are not read-only, stay as they are.
 */
type Writable<T> = T extends string | number | boolean | bigint | symbol | null | undefined | ((...given: never[]) => unknown)
  ? T
  : T extends readonly unknown[]
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : Same<T, Readonly<T>> extends true
      ? { -readonly [Key in keyof T]: Writable<T[Key]> }
      : T

/** What toolcrib writes for a tool of this name, by format. */
interface Written<Name extends string> {
  "openai-chat": ChatTool<Name>
  "openai-responses": ResponsesTool<Name>
  anthropic: AnthropicTool<Name>
  gemini: GeminiFunction<Name>
  bedrock: BedrockTool<Name>
  "ai-sdk": AiSdkTool
  neutral: PlainTool<Name>
}

/** Your own object, where it has the wire's shape already. */
type Kept<Tool, As extends Format> = As extends "openai-chat"
  ? Tool extends { function: { parameters: { readonly "~standard": unknown } } }
    ? never
    : Tool
  : As extends "ai-sdk"
    ? Tool extends { inputSchema: { readonly "~standard": unknown } | { readonly _type: unknown } | ((...given: never[]) => unknown) }
      ? Tool
      : never
    : As extends "gemini"
      ? never
      : Writable<Tool> extends Written<string>[As]
        ? Writable<Tool>
        : never

/** What an entry is on the wire. */
type Sent<Each, As extends Format> = Each extends { name: infer Name extends string; tool: infer Tool; place: infer In }
  ? Shape<Each> extends "hosted"
    ? // Bedrock's cache points say nothing to anybody else.
      [Tool, As] extends [{ cachePoint: object }, Exclude<Format, "bedrock">]
      ? never
      : Writable<Tool>
    : [In, Shape<Each>] extends [Exclude<Place, "namespace">, As]
      ? [Kept<Tool, As>] extends [never]
        ? Written<Name>[As]
        : Kept<Tool, As>
      : Written<Name>[As]
  : never

/**
 * What a tool is on the wire. A definition in the wire's shape keeps its type where it fits, for it is your own object
 * unless its schema or a marker had to be replaced; so does what the provider runs. Every other one is written anew.
 */
export type WireTool<Tool, As extends Format = "openai-chat"> = Tool extends unknown
  ? As extends Format
    ? Sent<EntryOf<ToolName<Tool>, Tool, "array">, As>
    : never
  : never

/**
 * The search tool on the wire, and `call_tool`. In `gemini` it is a function, which `turn.tools` has among its
 * `functionDeclarations`; in `ai-sdk` it is what the record holds under its name.
 */
export type SearchTool<As extends Format = Format, By extends Delivery = Delivery> = As extends "openai-responses"
  ? ResponsesTool | (By extends "native" | "auto" ? ResponsesSearchTool : never)
  : Written<string>[As]

/** `turn.tools` by format. */
interface Sending<Tools, By extends Delivery> {
  "openai-chat": (Sent<Entries<Tools>, "openai-chat"> | ChatTool)[]
  "openai-responses": (
    | Sent<Entries<Tools>, "openai-responses">
    | SearchTool<"openai-responses", By>
    | (By extends "native" | "auto" ? ResponsesNamespace : never)
  )[]
  anthropic: (Sent<Entries<Tools>, "anthropic"> | AnthropicTool)[]
  gemini: (Hosted<Entries<Tools>> | GeminiTool)[]
  bedrock: (Sent<Entries<Tools>, "bedrock"> | BedrockTool | BedrockCachePoint)[]
  "ai-sdk": { [name: string]: Sent<Entries<Tools>, "ai-sdk"> | AiSdkTool }
  neutral: (Sent<Entries<Tools>, "neutral"> | PlainTool)[]
}

type Hosted<Each> = Each extends { tool: infer Tool } ? (Shape<Each> extends "hosted" ? Writable<Tool> : never) : never

/**
 * What `turn.tools` is. For `gemini` an array of tools, those that Gemini runs first, then one `{functionDeclarations}`;
 * for `bedrock` the array for `toolConfig.tools`; for `ai-sdk` a record in the order of sending; else an array of tools.
 */
export type TurnTools<Tools, As extends Format = FormatOf<Tools>, By extends Delivery = Delivery> = Sending<Tools, By>[As]

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

/**
 * What a model reads, in your words: in another language, say. Each is a template of at most 2,000 characters, with its
 * own places in braces; `{search}` and `{call}`, the names of the search tool and of the one that calls all others, may
 * stand in all. What is filled in is cleaned; other braces stay as they are. A text that is not set keeps its default.
 */
export interface Texts {
  /** The search tool's description. Default: `Finds tools that are available but not listed yet, and loads them. Use it when the task needs something that none of your listed tools does. The tools it loads can be called from your next step on.` */
  searchDescription?: string | undefined
  /** The same with `delivery: "proxy"`. Default: `Finds tools that are available but not listed yet, and gives their parameters. Use it when the task needs something that none of your listed tools does. The tools that it finds are called with {call} from your next step on.` */
  searchDescriptionProxy?: string | undefined
  /** The description of its parameter `query`. Default: `A few words for what the tool should do and with what, such as "create calendar event", or exact tool names.` */
  searchQuery?: string | undefined
  /** That of its parameter `limit`; `{limit}` is the default. Default: `How many tools to load at most. Default {limit}.` */
  searchLimit?: string | undefined
  /** The description of the tool that calls all others. Default: `Calls a tool that {search} has found, by its name and with arguments as its parameters say.` */
  callDescription?: string | undefined
  /** That of its parameter `name`. Default: `The tool's name.` */
  callName?: string | undefined
  /** That of its parameter `arguments`. Default: `Its arguments.` */
  callArguments?: string | undefined
  /** The paragraph for the system prompt. `{count}` tools are deferred; `{from}` is `noteFrom`, `{then}` is `noteThen`. Default: `{count} more tools are available but not listed{from}. When a task needs something that your listed tools can't do, call {search} with a few words for it before you say that it can't be done; {then}` */
  note?: string | undefined
  /** The same where one tool is deferred. Where you set `note` alone, that. Default: `{count} more tool is available but not listed{from}. When a task needs something that your listed tools can't do, call {search} with a few words for it before you say that it can't be done; {then}` */
  noteOne?: string | undefined
  /** Within it where the tools come from; nothing where no server is known. Default: `, from {servers}` */
  noteFrom?: string | undefined
  /** A server there, and how many tools it has. Default: `{name} ({count})` */
  noteServer?: string | undefined
  /** How the note goes on. Default: `what it finds can be called from your next step on.` */
  noteThen?: string | undefined
  /** The same with `delivery: "proxy"`. Default: `what it finds is called with {call} from your next step on.` */
  noteThenProxy?: string | undefined
  /** In an answer: tools were loaded. Default: `These tools can be called from your next step on.` */
  loaded?: string | undefined
  /** The same with `delivery: "proxy"`. Default: `Call these with {call}: {"name": "...", "arguments": {...}}, with arguments as their parameters say.` */
  loadedProxy?: string | undefined
  /** Tools that were found and loaded before. Default: `Loaded before, call directly: {names}.` */
  alreadyLoaded?: string | undefined
  /** The same with `delivery: "proxy"`. Default: `Found before, call with {call}: {names}.` */
  alreadyLoadedProxy?: string | undefined
  /** Resident tools that fit. Default: `Already available, call directly: {names}.` */
  available?: string | undefined
  /** Tools that the query names and that found no room. Default: `{count} named but not loaded, as no more fit into one answer: {names}. Search for them by name.` */
  leftOut?: string | undefined
  /** Nothing was found. Default: `No tool matches. Try other words for what the tool should do, once or twice; if nothing matches then, there is no such tool.` */
  noMatch?: string | undefined
  /** The same where servers could not be listed (`unavailable`). Default: `No tool matches, but the tools of {servers} could not be listed right now, and what you look for may be among them: go on without it, or say so.` */
  noMatchUnavailable?: string | undefined
  /** A server that the query names could not be listed. Default: `The tools of {servers} could not be listed right now.` */
  unavailable?: string | undefined
  /** Nothing but what is named before was found. Default: `Nothing else was found; do not search for this again.` */
  nothingElse?: string | undefined
  /** Nothing was found, and nothing is deferred any more. Default: `Nothing else is held back: what you have is all there is.` */
  nothingLeft?: string | undefined
  /** The query is of signs alone. Default: `The query holds no words. Say in a few words what the tool should do.` */
  noWords?: string | undefined
  /** The same was searched for before. Default: `You have searched for this before; do not search for it again.` */
  repeated?: string | undefined
  /** Three searches in a row have loaded nothing new. Default: `Several searches in a row have loaded nothing new. Stop searching: go on with the tools that you have, or say what can't be done.` */
  hopeless?: string | undefined
  /** Between names. Default: `, ` */
  separator?: string | undefined
  /** Where names are left out of a list. Default: `{names} and {count} more` */
  more?: string | undefined
  /** After what is wrong with the arguments of a search. Default: `Call {search} with {"query": "a few words"}.` */
  searchUsage?: string | undefined
  /** What is wrong with them. Default: `There is no query.` */
  noQuery?: string | undefined
  /** The same: a list without a text. Default: `The query holds no text.` */
  queryEmpty?: string | undefined
  /** The same: a number, say. Default: `The query is not text.` */
  queryNotText?: string | undefined
  /** A ranking of your own failed; `{error}` is what it said. Default: `The search failed: {error}` */
  searchFailed?: string | undefined
  /** What is wrong with the arguments of a search. Default: `The arguments are empty.` */
  argumentsEmpty?: string | undefined
  /** The same. Default: `The arguments are not JSON.` */
  argumentsNotJson?: string | undefined
  /** In a keep-note. Default: `{search} loaded these tools in messages that are gone. Those that are still among your tools can be called.` */
  keepNote?: string | undefined
  /** The same with `delivery: "proxy"`. Default: `{search} found these tools in messages that are gone. Call what is still there with {call}; search for one by its name to see its parameters.` */
  keepNoteProxy?: string | undefined
  /** In one that keeps nothing. Default: `No tool that {search} found is available any more. Search again when one is needed.` */
  keepNoteEmpty?: string | undefined
  /** The description of a tool that messages refer to and that is gone. Default: `This tool is no longer available.` */
  gone?: string | undefined
  /** `resolve` answers a call of a name that no tool has. Default: `There is no tool of this name.` */
  unknownTool?: string | undefined
  /** The same where several may be meant. Default: `Several tools may be meant by this name.` */
  ambiguousTool?: string | undefined
  /** After either, where tools can be searched for. Default: `Call {search} to find one.` */
  searchForIt?: string | undefined
  /** After either, where tools that were sent may be meant. Default: `Call it by its exact name: {names}.` */
  exactName?: string | undefined
  /** With `unloadedCall: "refuse"`. Default: `This tool is not loaded yet. Call {search} with "select:{name}" first.` */
  notLoaded?: string | undefined
  /** What is wrong with a call of the tool that calls all others. Default: `Call {call} with {"name": "...", "arguments": {...}}.` */
  callUsage?: string | undefined
  /** What is wrong with the arguments of any call. Default: `The arguments can't be read.` */
  argumentsUnreadable?: string | undefined
  /** The same. Default: `The arguments are no object.` */
  argumentsNoObject?: string | undefined
  /** The same; `{error}` is what the reader of JSON says, in English. Default: `The arguments are not JSON: {error}.` */
  argumentsFault?: string | undefined
  /** They don't fit the schema. `{faults}` are at most three of those below. Default: `The arguments do not fit the parameters of {name}. {faults}` */
  invalidArguments?: string | undefined
  /** A fault: one is missing. Default: `{name}: required.` */
  faultRequired?: string | undefined
  /** The same: there is none of this name. Default: `{name}: not allowed.` */
  faultRefused?: string | undefined
  /** The same: another type or value. Default: `{name}: expected {expected}, got {got}.` */
  faultExpected?: string | undefined
  /** The same: none of those that there are. Default: `{name}: expected one of {expected}, got {got}.` */
  faultOneOf?: string | undefined
  /** The same: whatever else a validator says, in its own words. Default: `{name}: {error}.` */
  faultOther?: string | undefined
  /** What stands for a name where the arguments as a whole are meant. Default: `arguments` */
  faultAll?: string | undefined
}

/** The options of `createToolSearch`. Names that do not exist are refused, nested ones too. */
export interface ToolSearchOptions<
  Tools extends Catalogue = Catalogue,
  As extends Format = FormatOf<Tools>,
  By extends Delivery = Delivery,
> {
  /**
   * The catalogue, in your order: an array of definitions in any shape, a record of them by name, or what a provider or
   * a server puts around them, see {@link Catalogue}. It is copied; the objects stay yours and are never changed.
   */
  tools: Tools
  /**
   * The shape of tools and messages on the wire; definitions in another are converted. Default: what the shapes of the
   * tools say; where these are two providers' it is the error `ambiguous_format`. Neutral and MCP's definitions say
   * nothing: then the messages of each call decide, and where these show nothing it is `"openai-chat"`. As types can't see
   * messages, name the format in TypeScript where your tools are neutral and your provider is another.
   */
  format?: As | undefined
  /**
   * How loaded tools reach the model. Default `"append"`: their definitions come at the end. `"native"`: the provider
   * loads them by what a result says (`anthropic`, `openai-responses`, and `ai-sdk` with a `model`); with another format it
   * is the error `invalid_option`. `"proxy"`: a result holds their schemas, and `call_tool` calls them. `"auto"`: native
   * where format and model can, else append; `turn.delivery` says which and why.
   */
  delivery?: By | undefined
  /**
   * The model, as you name it to the provider or gateway: `"claude-sonnet-4-5"`, `"openai/gpt-5.4"`,
   * `"us.anthropic.claude-opus-4-5-v1:0"`, `"llama3.1:8b"`. Tells the context window where `contextWindow` does not; see
   * `registerModel` for one that is not known. Also decides what `delivery: "auto"` does, and which native form `"ai-sdk"`
   * takes. Without it, or for one that is not known, `"auto"` appends.
   */
  model?: string | undefined
  /** `delivery: "proxy"`: the tool that calls what was found. Its `name` is by default `"call_tool"`. */
  callTool?: { name?: string | undefined } | undefined
  /**
   * Puts one cache breakpoint at the end of those tools that stay as they are: `"5m"` and `"1h"` say for how long the
   * provider caches, `true` leaves that to it. For `anthropic`, `bedrock` and `ai-sdk`; the others need none. Default: none.
   */
  cacheBreakpoint?: true | "5m" | "1h" | undefined
  /**
   * The context window in tokens, whatever the model. Default 128,000, with a warning when a share of it decides; where
   * `model` is known by its name or by `registerModel`, that model's.
   */
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
    | ((tool: ToolOf<Tools>) => boolean | undefined)
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
  /**
   * Whether search tool and note go once every deferred tool is loaded (`"withdraw"`) or stay (`"keep"`). Default: they
   * stay with `anthropic`, `bedrock` and `ai-sdk`, where a provider bills what its cache writes and a changed tool empties
   * it; they go with the others. With `delivery` other than `"append"` they always stay.
   */
  whenAllLoaded?: "withdraw" | "keep" | undefined
  /**
   * Whether a tool whose name the format refuses goes out under an alias, which the model reads while you go on with your
   * own name. Default `true`. `false` leaves such tools out, with a warning.
   */
  aliases?: boolean | undefined
  /** The longest tool name that may be sent, in characters: longer ones go out under an alias, or are left out with `aliases: false`. */
  maxNameLength?: number | undefined
  /** The ranking of a search: `"bm25"` (default), `"keywords"` (see `rankToolsByKeywords`) or your own. */
  rank?: "bm25" | "keywords" | Rank<ToolNames<Tools>> | undefined
  /** How long a custom `rank` may take, in milliseconds. Default 10,000. */
  rankTimeout?: number | undefined
  /**
   * How many tools a turn sends at most, the search tool among them, from 1: a provider's own cap. More tools than that
   * begin deferral. Where loaded tools have no room, those loaded first are left out, at once so many that 80 % of it are
   * sent, and a search brings them back. Residents that leave no room for the search tool are an error. Default: no cap.
   */
  maxSent?: number | undefined
  /** What the model reads, in your words; see {@link Texts}. Default: English. */
  texts?: Texts | undefined
  /**
   * Gives the JSON Schema of a tool whose schema is not JSON Schema and can't say it itself (zod before
   * 4.2, for example). Asked once per such tool, and for tools without a schema. May be async with
   * `createToolSearch.async`. An error is a warning that names the tool.
   */
  toJsonSchema?: ((tool: ToolOf<Tools>) => unknown) | undefined
  /**
   * Counts the tokens of a text, where toolcrib's own estimate is too rough. Called once per tool with the JSON of its
   * definition on the wire, for the search tool and `call_tool` likewise, and with the note as a JSON text; the engine is then
   * built twice.
   * Where it throws, or gives anything but a number from 0 on, the estimate counts, with a warning.
   *
   * Without it tokens are estimated from the minified JSON of `{name, description, parameters}` as o200k_base counts it:
   * within 3 % for half of all definitions, within 9 % for 95 % of them. With the format `"anthropic"`, and where `model` is
   * a Claude, the estimate is multiplied by what Claude's tokenizer takes more: 1.25 up to Claude 4.6, 1.65 from 4.7 on and
   * where the version is not known. Anthropic publishes no tokenizer, so that one is uncertain by a sixth or more.
   */
  countTokens?: ((json: string) => number) | undefined
}

/** What one turn adds to what the messages show. */
export interface TurnOptions {
  /**
   * Names that count as loaded though the messages can't show it, in order: `[...turn.loaded, ...reply.loaded]` of the turn
   * before and of what answered its searches.
   */
  loaded?: readonly string[] | undefined
  /**
   * Names that must be sent this turn. A deferred one counts as loaded from its first call in the messages on, else it comes
   * last. So that it is still sent when nothing forces it any more, pass `loaded: turn.loaded` or name it here again: its
   * call alone loads it only with `calls: "load"`.
   */
  forced?: readonly string[] | undefined
  /**
   * The request's tool choice, as you give it to the provider. Each tool that it names is sent, just as if it stood in
   * `forced`; names may be aliases. It changes nothing where it names none, and what the provider runs itself is passed
   * over. Warnings: `forced_unknown`, `forced_excluded`; `required_only_search` where the model must call a tool and there is
   * none but the search tool; `unreadable_tool_choice` for any other form.
   *
   * | whose | a tool | several | any tool |
   * | --- | --- | --- | --- |
   * | `openai-chat` | `{type: "function", function: {name}}` | `{type: "allowed_tools", allowed_tools: {mode, tools}}` | `"required"` |
   * | `openai-responses` | `{type: "function", name}` | `{type: "allowed_tools", mode, tools}` | `"required"` |
   * | `anthropic` | `{type: "tool", name}` | | `{type: "any"}` |
   * | `gemini` | | `{functionCallingConfig: {mode: "ANY", allowedFunctionNames}}` | `{functionCallingConfig: {mode: "ANY"}}` |
   * | `bedrock` | `{tool: {name}}` | | `{any: {}}` |
   * | `ai-sdk` | `{type: "tool", toolName}` | | `"required"` |
   *
   * `gemini` may also be given what stands in `functionCallingConfig`. Whatever the format, any of these is read.
   */
  toolChoice?: unknown
  /**
   * The model of this turn, where a run changes it: the share of the threshold is taken of its context window, unless
   * `contextWindow` is set. Default: the engine's. Deferral that has begun stays whatever the model, and how loaded tools
   * reach the model follows the engine's.
   */
  model?: string | undefined
  /** Names or globs that this turn must neither send, find nor run: who may not use a tool must not be given it. */
  exclude?: readonly string[] | undefined
  /**
   * Servers whose tools could not be listed, by name, so that they are missing from the catalogue for now. A search that
   * finds nothing, or that names one of them, says so to the model, and the search tool stays where it has been used.
   */
  unavailable?: readonly string[] | undefined
  /**
   * Only what stands in messages from this position on loads anything: for a handoff that leaves no call. Default 0. Beyond
   * the end nothing in the messages counts. `loaded` counts all the same, and a search still keeps deferral on.
   */
  since?: number | undefined
  /**
   * The system prompt as your provider takes it: a text, blocks, or Gemini's content. A keep-note in it counts as standing
   * before all messages; nothing else of it is read.
   */
  system?: unknown
  /** The turn before this one, or what became of it by way of JSON: `turn.cache` then says what the prompt cache keeps. */
  previous?: { readonly tools: unknown } | undefined
}

/** The options of `search.answer`: those of a turn, and who is told of searches as they are made. */
export interface AnswerOptions extends TurnOptions {
  /**
   * Called when a search begins and when it is answered, for a host that streams what its agent does. Nobody waits for
   * it; what it throws is the warning `event_failed` of the reply.
   */
  onEvent?: ((event: AnswerEvent) => unknown) | undefined
}

/** What `onEvent` of `search.answer` is called with, for each search call: first that it begins, then what came of it. */
export type AnswerEvent =
  | {
      type: "search_started"
      /** The call's id; `null` when it had none. */
      id: string | null
      /** What it searches for; empty where that can't be read. */
      query: string[]
      /** How many tools it loads at most. */
      limit: number
    }
  | {
      type: "search_done"
      /** The call's id; `null` when it had none. */
      id: string | null
      /** The names that it newly loads. */
      loaded: string[]
      /** How many tools were found, those loaded before among them. */
      hits: number
      /** What the model is told when the call could not be read or ranked; `null` otherwise. */
      error: string | null
    }

/** The options of `search.fit`: those of the turn that the messages are for, and how much room there is. */
export interface FitOptions extends TurnOptions {
  /** The model's context window in tokens, from 1. Default: that of the engine. */
  contextWindow?: number | undefined
  /**
   * Tokens of the window that messages and tools must leave free, from 0: for the system prompt where it is none of the
   * messages, and for the answer. Default: a tenth of the window, which also covers what the estimate may be off.
   */
  reserve?: number | undefined
}

/** A history that was cut so that it fits. */
export interface Fitted<Message = unknown, Tools = Catalogue> {
  /**
   * The messages to send: your own objects, in a new array. Where something went that had loaded tools, a keep-note says
   * so, in the formats that take a system message among the messages.
   */
  messages: Message[]
  /** What all messages had loaded, in order: to be passed as `loaded` to `turn` with the messages that stayed. */
  loaded: ToolNames<Tools>[]
  /** Where the option `since` is among the messages that stayed: to be passed with them, where it was passed here. Else 0. */
  since: number
  /** How many messages went. */
  cut: number
  /**
   * Estimated tokens: of the messages given and of those that stayed, of the tools of their turn (`turn.tokens.sent`), and
   * what messages and tools may take together. An image, a file or a recording counts 1600.
   */
  tokens: { before: number; messages: number; tools: number; budget: number }
  /** `false` where even what has to stay takes more, with the warning `over_budget`. */
  fits: boolean
  /** What was skipped or assumed, and by how much it does not fit. */
  warnings: Warning[]
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
   * `max_sent`: there are more tools than `maxSent`.
   * `below`: none is. `begun`: the messages already hold a search. `nothing_deferred`: no tool is
   * deferred. `reserved_name`: a tool of yours has the search tool's name.
   */
  reason: "always" | "never" | "share" | "tokens" | "tools" | "max_sent" | "below" | "begun" | "nothing_deferred" | "reserved_name"
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
  /**
   * Where that number comes from: the option `contextWindow`; `registerModel`; what is known of the model by its name; or
   * `default`, where none of them tells it.
   */
  contextWindowFrom: "contextWindow" | "registered" | "model" | "default"
  /** The model whose window it is. Only there where its name told it. */
  model?: string
  /** The limits that were looked at; `null` where one is off. */
  limits: { share: number | null; tokens: number | null; tools: number | null }
}

/** How loaded tools reach the model this turn, and why so. */
export interface TurnDelivery {
  /** What this turn does. */
  used: Exclude<Delivery, "auto">
  /** What was asked for. */
  asked: Delivery
  /**
   * `asked`: as you said. `supported`: `auto` found that format and model have a native way. `unsupported_format`,
   * `unsupported_model`: they have none. `unknown_model`: no `model` was named, or none that is known.
   */
  reason: "asked" | "supported" | "unsupported_format" | "unsupported_model" | "unknown_model"
  /** The decision in one sentence. */
  message: string
}

/** What a prompt cache keeps of the tools of the turn before. */
export interface TurnCache {
  /** How many tools stand at the beginning just as they did. */
  unchanged: number
  /** How many tools were sent before. */
  before: number
  /** How many are sent now. */
  now: number
  /**
   * `same`: nothing changed. `appended`: tools were added at the end. What broke the prefix else: `unloaded` (a loaded
   * tool is loaded no more), `withdrawn` (the search tool), `removed`, `changed` and `added` (in the catalogue),
   * `excluded`, `reordered`, `delivery` (another one), `deferral` (it began or ended).
   */
  reason:
    | "same"
    | "appended"
    | "unloaded"
    | "withdrawn"
    | "removed"
    | "changed"
    | "added"
    | "excluded"
    | "reordered"
    | "delivery"
    | "deferral"
  /** The same in one sentence. */
  message: string
  /** Tokens of definitions: of those that stand as they did, and of those after them. */
  tokens: { unchanged: number; changed: number }
}

/** What to send this turn. */
export interface Turn<Tools = Catalogue, As extends Format = FormatOf<Tools>, By extends Delivery = Delivery> {
  /**
   * The tools in the wire's shape, see {@link TurnTools}: resident ones in your order, then the search tool, then loaded
   * ones in the order in which they were first loaded. With `delivery: "native"` what follows the search tool is every
   * deferred tool, marked as such, or nothing where results hold definitions; with `"proxy"` it is `call_tool` alone. Your
   * own objects unless a rule had to change one; then a copy, the same one every turn. A new array or record each time.
   */
  tools: TurnTools<Tools, As, By>
  /** The names of what is sent, in the same order: your own, whatever they go out as; `null` for what has none. */
  names: (string | null)[]
  /** A paragraph for the system prompt, or `null` when there is none. Yours to place; never changes in a run. */
  note: string | null
  /** The names of all loaded tools, in order: what to pass as `loaded` where the history is not yours to send. */
  loaded: ToolNames<Tools>[]
  /** The names of what `maxSent` leaves out, in order. */
  leftOut: ToolNames<Tools>[]
  /** The decision whether deferral applies. */
  deferral: Deferral
  /** How loaded tools reach the model. */
  delivery: TurnDelivery
  /** What a prompt cache keeps of the turn before; `null` where `previous` was not passed. */
  cache: TurnCache | null
  /** Tokens of definitions: what is sent (search tool and note among it), what is withheld, what all up front would cost. */
  tokens: { sent: number; withheld: number; all: number }
  /**
   * What has changed since the last request of this conversation, read from the messages: what it was before the
   * assistant's last turn. Before the first request all is new. Empty on most turns.
   */
  events: TurnEvent[]
  /** What this turn skipped or assumed. */
  warnings: Warning[]
}

/**
 * Something that has changed since the last request. It holds no text of a message, so that it can be logged.
 *
 * `deferral`: what was decided, with its `reason` and sentence; always on the first request, later when it changed.
 * `loaded` and `unloaded`: the `names` of tools that are so now, in order. `left_out`: the `names` of tools that `maxSent`
 * leaves out. `warning`: one that was not there before, with the name of the tool that it is about.
 */
export type TurnEvent =
  | { type: "deferral"; reason: Deferral["reason"]; message: string }
  | { type: "loaded" | "unloaded" | "left_out"; names: string[] }
  | { type: "warning"; code: string; message: string; names?: string[] }

/** The arithmetic of a score: `value` follows from the values of `parts` as `text` says. */
export interface Explanation {
  value: number
  text: string
  parts: Explanation[]
}

/** A tool that a search found. */
export type Hit<Tools = Catalogue> = Entries<Tools> extends infer Each
  ? Each extends { name: infer Name extends string; tool: infer Tool }
    ? {
        /** Your own object. */
        tool: Tool
        /** Its name, your own also where the model reads an alias. */
        name: Name
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
  : never

/**
 * The tool message that answers one call of Chat Completions. Where the call has no id (Ollama), `tool_name` stands in
 * its place.
 */
export interface ToolMessage {
  role: "tool"
  tool_call_id: string
  content: string
}

/** The item that answers one call of Responses. */
export interface ResponsesResult {
  type: "function_call_output"
  call_id: string
  output: string
}

/** The item that answers one call of the provider's own search tool: whole definitions, which the provider loads. */
export interface ResponsesSearchResult {
  type: "tool_search_output"
  execution: "client"
  call_id: string
  status: "completed"
  tools: (ResponsesTool | ResponsesNamespace)[]
}

/** The block that answers one call of Anthropic's. With `delivery: "native"` references are its content. */
export interface AnthropicResult {
  type: "tool_result"
  tool_use_id: string
  content: string | ({ type: "text"; text: string } | { type: "tool_reference"; tool_name: string })[]
  is_error?: boolean
}

/** The part that answers one call of Gemini's. It has an `id` where the call has. */
export interface GeminiResult {
  functionResponse: { id?: string; name: string; response: { output: JsonValue } | { error: string } }
}

/** The block that answers one call of Bedrock's. */
export interface BedrockResult {
  toolResult: { toolUseId: string; content: ({ json: JsonValue } | { text: string })[]; status?: "success" | "error" }
}

/**
 * The part that answers one call of the AI SDK's. With `delivery: "native"` references may be its content, which `ai` 5
 * does not know.
 */
export interface AiSdkResult<By extends Delivery = Delivery> {
  type: "tool-result"
  toolCallId: string
  toolName: string
  output:
    | { type: "json"; value: JsonValue }
    | { type: "text" | "error-text"; value: string }
    | (By extends "native" | "auto"
        ? { type: "content"; value: { type: "custom"; providerOptions: { anthropic: { type: "tool-reference"; toolName: string } } }[] }
        : never)
}

/** The message that answers one call in the neutral shape. */
export interface NeutralResult {
  role: "tool"
  toolCallId: string
  name?: string
  /** Text, or an object. */
  content: string | JsonObject
  /** There where the call failed. */
  isError?: true
}

/** A message in the neutral shape: what `format: "neutral"` reads, and what it answers with. */
export type NeutralMessage =
  | { role: "system" | "user"; content: unknown }
  | { role: "assistant"; content?: unknown; toolCalls?: readonly { id: string; name: string; arguments: JsonObject }[] }
  | NeutralResult

/** What answers one call, by format. */
export type ResultPart<As extends Format = Format, By extends Delivery = Delivery> = {
  "openai-chat": ToolMessage
  "openai-responses": ResponsesResult | (By extends "native" | "auto" ? ResponsesSearchResult : never)
  anthropic: AnthropicResult
  gemini: GeminiResult
  bedrock: BedrockResult
  "ai-sdk": AiSdkResult<By>
  neutral: NeutralResult
}[As]

/** What a message holds under this key, or the part itself. A text becomes what `Text` says. */
type InMessage<Part, Key extends string, Text> = Part extends { role?: unknown }
  ? "role" extends keyof Part
    ? Key extends keyof Part
      ? NonNullable<Part[Key]> extends infer Held
        ? Held extends readonly (infer Each)[]
          ? Each
          : Text
        : never
      : never
    : Part
  : Part

/** What `reply.messages(others)` is, by format and by what the others are: parts of yours, or messages that hold them. */
export type ReplyMessages<As extends Format = Format, By extends Delivery = Delivery, Part = never> = {
  "openai-chat": (ToolMessage | Part)[]
  "openai-responses": (ResultPart<"openai-responses", By> | Part)[]
  anthropic: { role: "user"; content: (AnthropicResult | InMessage<Part, "content", { type: "text"; text: string }>)[] }[]
  gemini: { role: "user"; parts: (GeminiResult | InMessage<Part, "parts", never>)[] }[]
  bedrock: { role: "user"; content: (BedrockResult | InMessage<Part, "content", never>)[] }[]
  "ai-sdk": { role: "tool"; content: (AiSdkResult<By> | InMessage<Part, "content", never>)[] }[]
  neutral: (NeutralResult | Part)[]
}[As]

/** What one call of the search tool came to. */
export interface SearchResult<Tools = Catalogue> {
  /** The call's id; `null` when it had none. */
  id: string | null
  /** The searches it asked for. */
  query: string[]
  /** What was found, best first, tools that were loaded before included. */
  hits: Hit<Tools>[]
  /** The names that this call newly loads. */
  loaded: ToolNames<Tools>[]
  /** Names among the hits that were loaded before. */
  alreadyLoaded: ToolNames<Tools>[]
  /** Resident tools that fit: the model is told to call them. */
  available: ToolNames<Tools>[]
  /** How many deferred tools are still not loaded after this call. */
  more: number
  /** The sentence that the model reads. */
  note: string
  /** What the model is told when the call could not be read or ranked; `null` otherwise. */
  error: string | null
}

/** The answer to the search calls of one assistant message. */
export interface Reply<Tools = Catalogue, As extends Format = FormatOf<Tools>, By extends Delivery = Delivery> {
  /** What answers each search call, in the order of the calls and in the wire's shape. Empty when there was none. */
  parts: ResultPart<As, By>[]
  /** The same as data, in the same order. */
  results: SearchResult<Tools>[]
  /** What was given and could not be read, such as calls of another format. */
  warnings: Warning[]
  /** The names that this reply newly loads: what the next turn sends in addition. */
  loaded: ToolNames<Tools>[]
  /**
   * The messages to append: these parts and those you made for the other calls, in the order of the calls. What answers
   * none of them comes last. `anthropic`, `gemini`, `bedrock` and `ai-sdk` take all results in one message, so it is one;
   * your own may be given as parts or as messages that hold them, and `null` is none. The others are a list of messages or items.
   *
   * @throws {ToolcribError} `invalid_option` where one of them is a promise.
   */
  messages<Part = never>(others?: readonly Part[]): ReplyMessages<As, By, NonNullable<Part>>
}

/** A call that may run. `name` narrows `tool` when the tools were passed as literals. */
export type Resolved<Tools = Catalogue> = Entries<Tools> extends infer Each
  ? Each extends { name: infer Name extends string; tool: infer Tool }
    ? {
        /** Your own object. */
        tool: Tool
        /** Its name: your own, also where the model called an alias or went through `call_tool`. */
        name: Name
        /**
         * The name as the model wrote it, where the tool was found by another case, other separators or a part of its name
         * only; else `null`. Only where a single tool can be meant, and never a handoff.
         */
        recovered: string | null
        /**
         * The call's arguments, checked: an object. Where the tool's schema is a validator (Standard Schema, or the AI SDK's
         * `validate`), what it made of them. Of a tool without a schema (`type: "custom"`): `{ input }`.
         */
        args: JsonObject
        /** The tool is one that is withheld until something loads it. */
        deferred: boolean
        /** It is loaded by what came before this call. */
        loaded: boolean
        /**
         * What could not be checked lets the call through: `arguments_not_checked`, `async_validator`. And `recovered_name`.
         */
        warnings: Warning[]
        error?: undefined
        part?: undefined
      }
    : never
  : never

/** A call that can't run, and the message that tells the model so. */
export interface Unresolved<As extends Format = Format, By extends Delivery = Delivery> {
  /**
   * `message` is what the model reads: at most 400 characters, never a list of the catalogue. `code` is a stable name:
   *
   * - `invalid_arguments`: they don't fit the schema. Which of them, and what was expected, of three at most.
   * - `unknown_tool`: there is none of this name, or it is excluded.
   * - `ambiguous_tool`: only near names, and of several.
   * - `not_loaded`: `unloadedCall` is `"refuse"`.
   * - `search_call`: `answer` answers it.
   * - `provider_executed`: the provider runs it and answers it itself; do neither. `part` is `null`.
   * - `unreadable_call`: no call in the format.
   */
  error: { code: string; message: string }
  /**
   * What answers the call, in the wire's shape: to append, or to give to `reply.messages`, which leaves out `null`. That
   * is what a call has that the provider answers itself, in the formats that know such calls.
   */
  part: ResultPart<As, By> | (As extends "anthropic" | "openai-responses" | "ai-sdk" ? null : never)
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
export interface Update<
  Tools extends Catalogue = Catalogue,
  As extends Format = FormatOf<Tools>,
  By extends Delivery = Delivery,
> {
  /** A new engine with the same options. The old one goes on working until it is freed. */
  search: ToolSearch<Tools, As, By>
  /** Names that were not there before. */
  added: string[]
  /** Names that are gone. */
  removed: string[]
  /** Names whose definition differs. */
  changed: string[]
  /** How many names have the definition that they had. */
  unchanged: number
}

/**
 * What another agent over the same catalogue sets for itself; what it does not name it has from the one that it is made
 * of. Of servers it says `deferLoading` alone, by name: which tools are whose the catalogue says.
 */
export interface AgentOptions<Tools extends Catalogue = Catalogue>
  extends Pick<
    ToolSearchOptions<Tools>,
    | "deferred"
    | "resident"
    | "threshold"
    | "contextWindow"
    | "model"
    | "handoffs"
    | "handoff"
    | "calls"
    | "unloadedCall"
    | "limit"
    | "whenAllLoaded"
    | "maxSent"
    | "cacheBreakpoint"
    | "texts"
  > {
  servers?: { readonly [name: string]: Pick<ServerOptions, "deferLoading"> } | undefined
}

/**
 * One immutable engine: a catalogue and its index. It remembers nothing of a conversation, so one
 * serves any number of them at once.
 */
export interface ToolSearch<
  Tools extends Catalogue = Catalogue,
  As extends Format = FormatOf<Tools>,
  By extends Delivery = Delivery,
> {
  /**
   * The tools of the next request, by what the messages show to be loaded.
   *
   * @param messages The conversation in the wire's shape. Unknown roles and parts are skipped; anything
   *   that is not an array counts as empty.
   * @throws {ToolcribError} `unknown_option`, `invalid_option`, `engine_freed`, `engine_trapped`
   */
  turn(messages: readonly unknown[], options?: TurnOptions): Turn<Tools, As, By>

  /**
   * Cuts the oldest history where messages and tools would pass the window. A call goes with its results and all that the
   * model said in its turn. System messages, compactions, what the provider holds, the last human message before the cut
   * and what the model has not answered yet stay. More goes than has to, in steps of a quarter of the budget: so the cut
   * stays where it is for some turns, and with it the prefix that is cached. Nothing is remembered: pass the whole history
   * each time, or go on with what stayed. A `since` is a position in `messages` as you gave them, that of the result one in what stayed.
   *
   * @param messages The conversation in the wire's shape, as for `turn`.
   * @throws {ToolcribError} `unknown_option`, `invalid_option`, `engine_freed`, `engine_trapped`
   */
  fit<Message>(messages: readonly Message[], options?: FitOptions): Fitted<Message, Tools>

  /**
   * Answers every search call in an assistant message and leaves the other calls alone. Whatever the
   * model wrote as arguments is answered, at worst with an error that it can read.
   *
   * @param calls The assistant message, one of its calls, an array of calls, of messages or of items, or the provider's
   *   whole response.
   * @param messages The conversation before it; what it shows as loaded is named as such. With or
   *   without the assistant message itself.
   * @param options As for `turn`: what is excluded there must not be found here.
   * @throws {ToolcribError} `invalid_option` where what the model said is a promise.
   */
  answer(calls: object, messages?: readonly unknown[], options?: AnswerOptions): Promise<Reply<Tools, As, By>>

  /**
   * Finds the tool that a call means, and checks its arguments: by the validator that the tool's schema is (zod, valibot,
   * arktype, any Standard Schema; the AI SDK's `validate`), else by its JSON Schema. Models write arguments as an object, as
   * JSON text, as the text of that text, or leave them empty; all are read.
   *
   * @param call One call of the model. A call of `call_tool` is one of the tool that it names.
   * @param messages The conversation before it, which decides whether a deferred tool is loaded.
   * @returns Your tool and the checked arguments, or a message that tells the model why not. A validator that is
   *   asynchronous can't be waited for: its JSON Schema stands in, with the warning `async_validator`.
   */
  resolve(
    call: object,
    messages?: readonly unknown[],
    options?: TurnOptions,
  ): Resolved<Tools> | Unresolved<As, By>

  /** As {@link ToolSearch.resolve}, and waits for validators that are asynchronous. */
  resolveAsync(
    call: object,
    messages?: readonly unknown[],
    options?: TurnOptions,
  ): Promise<Resolved<Tools> | Unresolved<As, By>>

  /**
   * Searches the deferred tools, whether or not deferral applies.
   *
   * @param query A few words. Anything but a text finds nothing.
   * @returns Hits, best first; ties by name. A custom `rank` may be async and is not asked here: this
   *   search then ranks by BM25.
   */
  search(query: string, options?: SearchOptions): Hit<Tools>[]

  /**
   * The messages that a compaction leaves, with one note in place of the search results that went: a system message after
   * those at the beginning, or as early as the messages allow. `turn` of them loads what `turn(before)` did, in its order.
   * Older notes are taken up in it. It names at most 256 tools and stays under 16 kB; the oldest go first.
   *
   * @param before The conversation as it was.
   * @param after What is left of it, with a summary or without.
   * @param options As for `turn(before)`. What `loaded`, `forced` and `since` bring in stands in the note, so that the turns
   *   after it need none of them.
   * @returns A new array of your own objects. Without a note where none is needed, and in formats without system messages
   *   among the others (Anthropic, Gemini, Bedrock): carry `turn(before).loaded` by the option `loaded` there.
   * @throws {ToolcribError} `invalid_option` where `after` is no array
   */
  keepNote<Message>(before: readonly Message[], after: readonly Message[], options?: TurnOptions): Message[]

  /** Where the results of earlier searches stand in the messages. */
  searchResults(messages: readonly unknown[]): SearchResultPosition[]

  /**
   * The search calls of the last assistant message that have no result yet, as your own objects; after
   * a crash, pass them to `answer`. Empty when there is none.
   */
  pending<Message>(messages: readonly Message[]): object[]

  /**
   * An engine for a changed catalogue with the same options. Where this one has searched before, only what changed is
   * indexed. A new tool that has the name of another, or the search tool's where that can't be, is left out with a
   * warning. Lazy schemas that `createToolSearch.async` has awaited are known.
   *
   * @throws {ToolcribError} `invalid_tools`, `engine_freed`
   */
  update<const Next extends Catalogue>(tools: Next): Update<Next, As, By>

  /**
   * Another agent over the same catalogue, which is neither read from its schemas nor indexed again. Each is freed on
   * its own, in any order.
   *
   * @param options What differs. Checked as at creation.
   * @throws {ToolcribError} `unknown_option`, `invalid_option`, `reserved_tool_name`, `engine_freed`
   */
  agent(options: AgentOptions<Tools>): ToolSearch<Tools, As, By>

  /**
   * A text that changes when a tool does: every tool counts, deferred or not; the order of tools and of
   * keys, and what is loaded, do not. Read when first asked for: a definition that you changed in place
   * before that counts as changed all along.
   */
  fingerprint(): string

  /** What was skipped, left out or assumed when the catalogue was read. */
  readonly warnings: readonly Warning[]
  /** The search tool on the wire, see {@link SearchTool}; the same object on every turn. */
  readonly searchTool: SearchTool<As, By>
  /** The paragraph for the system prompt as turns give it that withhold something; `turn.note` says whether. */
  readonly note: string
  /** The format on the wire: named, told by the tools, or the one that is taken where only messages will tell. */
  readonly format: As
  /** How loaded tools reach the model, and why so. */
  readonly delivery: TurnDelivery
  /** The names that the format refuses, each with the alias under which the model knows the tool. */
  readonly aliases: { readonly [name: string]: string }
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
   *   `reserved_tool_name`, `ambiguous_format`, `wasm_unavailable`. A definition that can't be read is a warning instead.
   */
  <
    const Tools extends Catalogue,
    const As extends Format = FormatOf<Tools>,
    const By extends Delivery = "append",
  >(
    options: ToolSearchOptions<Tools, As, By>,
  ): ToolSearch<Tools, As, By>
  /** The same, once every schema that is a promise or a function has been awaited. One that fails is a warning. */
  async<
    const Tools extends Catalogue,
    const As extends Format = FormatOf<Tools>,
    const By extends Delivery = "append",
  >(
    options: ToolSearchOptions<Tools, As, By>,
  ): Promise<ToolSearch<Tools, As, By>>
}
