// Names and tools keep the types of what was passed.
import { createToolSearch, rankTools, rankToolsByKeywords, type ChatTool, type ToolDefinition, type ToolSearch } from "toolcrib"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => {}

const search = createToolSearch({
  tools: [
    {
      type: "function",
      function: { name: "create_invoice", description: "Bill", parameters: { type: "object", properties: {} } },
      execute: (amount: number) => amount,
    },
    { name: "read_file", description: "Read", inputSchema: { type: "object" }, deferLoading: true },
    { name: "plain", run: () => "ok" },
    { type: "web_search" },
  ],
})
type Name = "create_invoice" | "read_file" | "plain"

// Hits and resolved calls.
const [hit] = search.search("invoice", { limit: 3, explain: true })
if (hit) {
  holds<Equal<Extract<(typeof hit)["name"], string>, Name>>()
  if (hit.name === "create_invoice") hit.tool.execute(1).toFixed()
  if (hit.name === "plain") hit.tool.run().toUpperCase()
  // @ts-expect-error no tool has that name
  if (hit.name === "delete_everything") hit.score
  // @ts-expect-error not every tool has it
  hit.tool.execute
}
const target = search.resolve({ id: "c1" }, [])
if (target.error) {
  target.error.code satisfies string
  target.part.content satisfies string
  // @ts-expect-error there is no tool in an error
  target.tool.name
} else {
  target.args["path"] satisfies unknown
  if (target.name === "create_invoice") target.tool.execute(1)
}

// Turns and replies.
const turn = search.turn([])
holds<Equal<(typeof turn.loaded)[number], Name>>()
turn.deferral.reason satisfies "always" | "never" | "share" | "tokens" | "tools" | "below" | "max_sent" | "begun" | "nothing_deferred" | "reserved_name"
search.turn([], { loaded: turn.loaded, forced: ["anything"], exclude: [] })
// @ts-expect-error a slip
search.turn([], { exlude: [] })
// @ts-expect-error one name is not a list of names
search.turn([], { forced: "create_invoice" })
const reply = await search.answer({ role: "assistant" }, [])
holds<Equal<(typeof reply.loaded)[number], Name>>()
reply.messages() satisfies { role: "tool"; tool_call_id: string; content: string }[]
reply.messages([{ role: "tool", mine: 1 }] as const)[0] satisfies { role: "tool" } | undefined
// @ts-expect-error a call is an object
await search.answer("c1")

// Names of tools that are not literals are strings, and any engine is a ToolSearch.
declare const listed: { name: string; inputSchema: { type: "object" } }[]
const loose = createToolSearch({ tools: listed })
holds<Equal<(typeof loose.turn extends (m: never[]) => infer R ? R : never) extends { loaded: (infer N)[] } ? N : never, string>>()
loose.turn([]).tools satisfies ChatTool[]
const anyOne = (one: ToolSearch): string => one.fingerprint()
anyOne(search)
anyOne(loose)
declare const definitions: readonly ToolDefinition[]
createToolSearch({ tools: definitions }).search("x")[0]?.name satisfies string | undefined
holds<Equal<ReturnType<typeof loose.search>[number]["name"], string>>()
// Of `any` nothing is known but that they are tools.
const parsed = createToolSearch({ tools: JSON.parse("[]"), format: "openai-chat" })
parsed.turn([]).tools satisfies ChatTool[]
holds<Equal<ReturnType<typeof parsed.turn>["loaded"][number], string>>()
parsed.search("x")[0]?.tool.anything.goes

// update is typed by the new tools.
const { search: next, added } = search.update([{ name: "other" }])
added satisfies string[]
holds<Equal<ReturnType<typeof next.turn>["loaded"][number], "other">>()

rankTools("read", [{ name: "a" }, { name: "b" }], { limit: 1 }) satisfies ("a" | "b")[]
rankToolsByKeywords("x", [{ name: "a" }]) satisfies "a"[]
// @ts-expect-error a slip
rankTools("read", [{ name: "a" }], { limt: 1 })

// Both creators, and disposal.
const later = await createToolSearch.async({ tools: [{ name: "lazy", inputSchema: async () => ({ type: "object" }) }] })
holds<Equal<ReturnType<typeof later.turn>["loaded"][number], "lazy">>()
{
  using short = createToolSearch({ tools: [{ name: "a" }] })
  short.warnings.length satisfies number
}
