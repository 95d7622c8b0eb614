// What comes out: read-only where it is shared, narrowed where one field says what the others are.
import {
  createToolSearch,
  type AnthropicTool,
  type BedrockCachePoint,
  type BedrockTool,
  type Catalogue,
  type ChatTool,
  type Deferral,
  type Delivery,
  type ErrorCode,
  type Explanation,
  type Format,
  type FormatOf,
  type Hit,
  type NeutralMessage,
  type NeutralTool,
  type PlainTool,
  type Rank,
  type Reply,
  type Resolved,
  type ResponsesTool,
  type SearchResult,
  type ToolDefinition,
  type ToolMessage,
  type ToolNames,
  type ToolOf,
  type ToolSearch,
  type Turn,
  type TurnCache,
  type TurnDelivery,
  type TurnOptions,
  type TurnTools,
  type Unresolved,
  type Update,
  type Warning,
  type WireTool,
} from "toolcrib"
import * as z from "zod"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => {}

const tools = Object.freeze([
  { type: "function", function: { name: "own", parameters: { type: "object" } }, execute: () => 1 },
  { name: "neutral", inputSchema: { type: "object" }, run: () => "x" },
] as const)
type Tools = typeof tools
const search = createToolSearch({ tools })

// A definition in the wire's shape keeps its type; another becomes one of the wire's.
holds<Equal<WireTool<(typeof tools)[0]>, (typeof tools)[0]>>()
holds<Equal<WireTool<(typeof tools)[1]>, ChatTool<"neutral">>>()
holds<Equal<WireTool<{ type: "web_search" }>, { type: "web_search" }>>()
const typed = { type: "function", function: { name: "typed", parameters: z.object({}) } } as const
holds<Equal<WireTool<typeof typed>, ChatTool<"typed">>>()
holds<Equal<WireTool<typeof typed, "anthropic">, AnthropicTool<"typed">>>()
holds<Equal<WireTool<(typeof tools)[1], "neutral">, { name: "neutral"; inputSchema: { type: "object" }; run: () => "x" }>>()
holds<Equal<WireTool<(typeof tools)[0], "neutral">, PlainTool<"own">>>()
// What the provider runs loses the \`readonly\` of a literal, and nothing else.
holds<Equal<WireTool<{ readonly type: "x"; readonly list: readonly ["a"] }, "anthropic">, { type: "x"; list: ["a"] }>>()
interface Theirs {
  type: "x"
  list: string[]
}
holds<Equal<WireTool<Theirs, "anthropic">, Theirs>>()

// The format is what the shapes say.
holds<Equal<FormatOf<Tools>, "openai-chat">>()
holds<Equal<FormatOf<[{ name: "a" }]>, "openai-chat">>()
holds<Equal<FormatOf<[]>, "openai-chat">>()
holds<Equal<FormatOf<[{ type: "web_search" }]>, "openai-chat">>()
holds<Equal<FormatOf<[{ name: "a"; input_schema: object }, { name: "b" }]>, "anthropic">>()
holds<Equal<FormatOf<[{ type: "function"; name: "a" }]>, "openai-responses">>()
holds<Equal<FormatOf<[{ type: "namespace"; name: "n"; tools: [{ type: "function"; name: "a" }] }]>, "openai-responses">>()
holds<Equal<FormatOf<{ tools: [{ toolSpec: { name: "a" } }] }>, "bedrock">>()
holds<Equal<FormatOf<{ toolConfig: { tools: [{ toolSpec: { name: "a" } }] } }>, "bedrock">>()
holds<Equal<FormatOf<{ functionDeclarations: [{ name: "a" }] }>, "gemini">>()
holds<Equal<FormatOf<[{ functionDeclarations: [{ name: "a" }] }]>, "gemini">>()
holds<Equal<FormatOf<[{ name: "a"; parameters: object }]>, "openai-chat">>()
holds<Equal<FormatOf<{ a: { description: "x" } }>, "ai-sdk">>()
holds<Equal<FormatOf<[{ name: "a"; input_schema: object }, { toolSpec: { name: "b" } }]>, "anthropic" | "bedrock">>()
holds<Equal<FormatOf<Catalogue>, Format>>()
holds<Equal<FormatOf<readonly ToolDefinition[]>, Format>>()
// A record says what its keys are called, whatever a value is.
holds<Equal<WireTool<typeof typed, "bedrock">, BedrockTool<"typed">>>()
holds<Equal<TurnTools<{ a: { description: "x" } }, "bedrock">[number], BedrockTool<"a"> | BedrockTool | BedrockCachePoint>>()

// Outside its namespace a tool has another name, and a cache point is Bedrock's alone.
type Crm = [{ type: "namespace"; name: "crm"; tools: [{ type: "function"; name: "find"; parameters: object; strict: true }] }]
holds<Equal<TurnTools<Crm, "openai-responses", "append">[number], ResponsesTool<"crm__find"> | ResponsesTool>>()
type Cached = { toolConfig: { tools: [{ cachePoint: { type: "default" } }] } }
holds<Equal<TurnTools<Cached, "anthropic">[number], AnthropicTool>>()

// Names and definitions, through what is put around them.
type Around = readonly [
  { functionDeclarations: readonly [{ name: "declared"; own: 1 }]; googleSearch: object },
  { type: "namespace"; name: "crm"; tools: readonly [{ type: "function"; name: "find" }] },
  { name: "plain" },
]
holds<Equal<ToolNames<Around>, "declared" | "crm__find" | "plain">>()
holds<
  Equal<
    ToolOf<Around>,
    { name: "declared"; own: 1 } | Omit<Around[0], "functionDeclarations"> | { type: "function"; name: "find" } | { name: "plain" }
  >
>()
holds<Equal<ToolNames<{ a: { description: "x" }; b: { name: "other"; execute: object } }>, "a" | "b">>()
holds<Equal<ToolNames<{ tools: [{ name: "a" }]; nextCursor: "2" }>, "a">>()

// A turn takes what is frozen, and its arrays are the caller's to change.
const messages: readonly { readonly role: "user"; readonly content: string }[] = Object.freeze([])
const options: TurnOptions = { loaded: Object.freeze(["own"]), forced: undefined }
const turn: Turn<Tools> = search.turn(messages, options)
turn.tools.push(search.searchTool)
turn.note satisfies string | null
turn.tokens.withheld satisfies number
turn.deferral.limits.share satisfies number | null
turn.deferral.contextWindowFrom satisfies "contextWindow" | "default" | "model" | "registered"
turn.warnings satisfies Warning[]
turn.delivery satisfies TurnDelivery
turn.delivery.used satisfies "append" | "native" | "proxy"
turn.delivery.asked satisfies Delivery
turn.cache satisfies TurnCache | null
turn.cache?.tokens.changed satisfies number | undefined
// The turn before, or what JSON made of it.
search.turn(messages, { previous: turn }).cache?.unchanged satisfies number | undefined
search.turn(messages, { previous: JSON.parse(JSON.stringify(turn)) })
// @ts-expect-error its text is not it
search.turn(messages, { previous: JSON.stringify(turn) })
// @ts-expect-error neither are its tools
search.turn(messages, { previous: turn.tools })
const why = ({ reason }: Deferral): string => {
  switch (reason) {
    case "always":
    case "never":
    case "share":
    case "tokens":
    case "tools":
    case "max_sent":
    case "below":
    case "begun":
    case "nothing_deferred":
    case "reserved_name":
      return reason
    default:
      return reason satisfies never
  }
}
why(search.deferral)
const whyNot = ({ reason }: TurnDelivery): string => {
  switch (reason) {
    case "asked":
    case "supported":
    case "unsupported_format":
    case "unsupported_model":
    case "unknown_model":
      return reason
    default:
      return reason satisfies never
  }
}
whyNot(turn.delivery)
const whatBroke = ({ reason }: TurnCache): string => {
  switch (reason) {
    case "same":
    case "appended":
    case "unloaded":
    case "withdrawn":
    case "removed":
    case "changed":
    case "added":
    case "excluded":
    case "reordered":
    case "delivery":
    case "deferral":
      return reason
    default:
      return reason satisfies never
  }
}
if (turn.cache) whatBroke(turn.cache)

// The engine's own fields are not.
// @ts-expect-error read-only
search.note = ""
// @ts-expect-error read-only
search.warnings.push({ code: "", message: "" })
// @ts-expect-error read-only
search.deferral = turn.deferral

// A reply.
const reply: Reply<Tools> = await search.answer({ role: "assistant" }, messages, { exclude: ["own"] })
const [first] = reply.results satisfies SearchResult<Tools>[]
if (first) {
  first.id satisfies string | null
  first.error satisfies string | null
  first.alreadyLoaded satisfies ("own" | "neutral")[]
  for (const hit of first.hits) if (hit.name === "neutral") hit.tool.run().length satisfies number
}
reply.messages() satisfies ToolMessage[]
reply.messages([{ mine: 1 }]) satisfies (ToolMessage | { mine: number })[]
// @ts-expect-error parts are a list
reply.messages({ mine: 1 })

// Hits and their arithmetic.
const [hit] = search.search("x", { limit: null, explain: true }) satisfies Hit<Tools>[]
hit?.terms[0]?.fields satisfies string[] | undefined
hit?.explanation satisfies Explanation | undefined
hit?.explanation?.parts[0]?.parts[0]?.value satisfies number | undefined
// @ts-expect-error a slip
search.search("x", { explian: true })
// @ts-expect-error a query is a text
search.search(["x"])

// Where a call leads.
const target: Resolved<Tools> | Unresolved<"openai-chat"> = search.resolve({ function: { name: "own" } })
if (target.error === undefined) {
  target.deferred satisfies boolean
  target.loaded satisfies boolean
  if (target.name === "own") target.tool.execute() satisfies number
  // @ts-expect-error the other tool has no such function
  if (target.name === "neutral") target.tool.execute()
} else {
  target.part satisfies ToolMessage
  target.tool satisfies undefined
}
if (!target.error) target.recovered satisfies string | null
;(await search.resolveAsync({ function: { name: "own" } })) satisfies typeof target
// What the provider answers has no part, and reply.messages takes that for none.
declare const unresolved: Unresolved<"anthropic">
// @ts-expect-error it may be null
unresolved.part.tool_use_id

// What stands in the messages.
for (const { message, part, callId, names } of search.searchResults(messages)) {
  message satisfies number
  part satisfies number | null
  callId satisfies string | null
  names satisfies string[]
}
await search.answer(search.pending(messages), messages)

// An update, and an engine of any catalogue.
const update: Update<readonly [{ readonly name: "next" }]> = search.update([{ name: "next" }])
update.search.resolve({}).tool satisfies { readonly name: "next" } | undefined
const engines: ToolSearch[] = [search, update.search, createToolSearch({ tools: [] })]
engines[0]?.search("x")[0]?.tool satisfies object | undefined
// @ts-expect-error an engine of other tools
const other: ToolSearch<[{ name: "other" }]> = update.search
// @ts-expect-error any engine is none of these tools
const some: ToolSearch<Tools> = engines[0]!
// @ts-expect-error it answers in another shape
const anthropic: ToolSearch<Tools, "anthropic"> = search

// A ranking that stands on its own.
const rank: Rank<"own" | "neutral"> = (query, given) => given.filter(({ description }) => description.includes(query)).map(({ name }) => name)
createToolSearch({ tools, rank })
const anyRank: Rank = async (_, given) => given.map(({ name }) => name)
createToolSearch({ tools, rank: anyRank })
declare const neutral: NeutralTool
// @ts-expect-error shared by all calls
neutral.name = "x"
// @ts-expect-error a ranking gives a list
createToolSearch({ tools, rank: () => "own" })

// Every code can be told apart.
const advice = (code: ErrorCode): boolean => {
  switch (code) {
    case "unknown_option":
    case "invalid_option":
    case "invalid_tools":
    case "duplicate_tool_name":
    case "reserved_tool_name":
    case "ambiguous_format":
    case "ui_messages":
      return true
    case "engine_freed":
    case "engine_trapped":
    case "wasm_unavailable":
      return false
    default:
      return code satisfies never
  }
}
advice("engine_freed")

// Either way to let go.
search.free() satisfies void
search[Symbol.dispose]() satisfies void

// The neutral shape needs no provider.
const thread: NeutralMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Bill ACME" },
  { role: "assistant", toolCalls: [{ id: "c", name: "tool_search", arguments: { query: "bill" } }] },
]
const plain = createToolSearch({ tools, format: "neutral" })
thread.push(...(await plain.answer(thread[2]!, thread)).messages())
plain.turn(thread).tools satisfies { name: string; inputSchema: object }[]
// @ts-expect-error no such role
thread.push({ role: "developer", content: "" })
