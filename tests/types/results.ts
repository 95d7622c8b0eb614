// What comes out: read-only where it is shared, narrowed where one field says what the others are.
import {
  createToolSearch,
  type ChatTool,
  type Deferral,
  type ErrorCode,
  type Explanation,
  type Hit,
  type NeutralTool,
  type Rank,
  type Reply,
  type Resolved,
  type SearchResult,
  type ToolDefinition,
  type ToolMessage,
  type ToolSearch,
  type Turn,
  type TurnOptions,
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
type Tool = (typeof tools)[number]
const search = createToolSearch({ tools })

// A definition in the wire's shape keeps its type; another becomes one of the wire's.
holds<Equal<WireTool<(typeof tools)[0]>, (typeof tools)[0]>>()
holds<Equal<WireTool<(typeof tools)[1]>, ChatTool<"neutral">>>()
holds<Equal<WireTool<{ type: "web_search" }>, { type: "web_search" }>>()
const typed = { type: "function", function: { name: "typed", parameters: z.object({}) } } as const
holds<Equal<WireTool<typeof typed>, ChatTool<"typed">>>()

// A turn takes what is frozen, and its arrays are the caller's to change.
const messages: readonly { readonly role: "user"; readonly content: string }[] = Object.freeze([])
const options: TurnOptions = { loaded: Object.freeze(["own"]), forced: undefined }
const turn: Turn<Tool> = search.turn(messages, options)
turn.tools.push(search.searchTool)
turn.note satisfies string | null
turn.tokens.withheld satisfies number
turn.deferral.limits.share satisfies number | null
turn.deferral.contextWindowFrom satisfies "contextWindow" | "default"
turn.warnings satisfies Warning[]
const why = ({ reason }: Deferral): string => {
  switch (reason) {
    case "always":
    case "never":
    case "share":
    case "tokens":
    case "tools":
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

// The engine's own fields are not.
// @ts-expect-error read-only
search.note = ""
// @ts-expect-error read-only
search.warnings.push({ code: "", message: "" })
// @ts-expect-error read-only
search.deferral = turn.deferral

// A reply.
const reply: Reply<Tool> = await search.answer({ role: "assistant" }, messages, { exclude: ["own"] })
const [first] = reply.results satisfies SearchResult<Tool>[]
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
const [hit] = search.search("x", { limit: null, explain: true }) satisfies Hit<Tool>[]
hit?.terms[0]?.fields satisfies string[] | undefined
hit?.explanation satisfies Explanation | undefined
hit?.explanation?.parts[0]?.parts[0]?.value satisfies number | undefined
// @ts-expect-error a slip
search.search("x", { explian: true })
// @ts-expect-error a query is a text
search.search(["x"])

// Where a call leads.
const target: Resolved<Tool> | Unresolved = search.resolve({ function: { name: "own" } })
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
engines[0]?.search("x")[0]?.tool satisfies ToolDefinition | undefined

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
