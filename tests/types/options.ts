// Options: what compiles, and what must not.
import { createToolSearch, ToolcribError, NEVER_DEFERRED, estimateTokens, type ErrorCode, type ToolSearchOptions } from "toolcrib"

const tools = [{ name: "a", inputSchema: { type: "object" } }, { name: "b" }] as const

createToolSearch({
  tools,
  format: "openai-chat",
  contextWindow: 200_000,
  threshold: { share: 0.1, tokens: 20_000, tools: 128 },
  deferred: (tool) => (tool.name === "a" ? true : undefined),
  resident: [...NEVER_DEFERRED, "b"],
  handoffs: ["transfer_to_*"],
  handoff: "reset",
  calls: "load",
  unloadedCall: "refuse",
  servers: { github: { deferLoading: true, prefix: "github__", tools: ["gh_*"] } },
  limit: { default: 5, max: 20 },
  searchTool: { name: "find_tool", formerNames: ["tool_search"] },
  whenAllLoaded: "keep",
  aliases: false,
  maxNameLength: 64,
  rank: async (query, candidates, { signal }) => {
    signal.aborted satisfies boolean
    query satisfies string
    return candidates.map(({ name }) => name satisfies "a" | "b")
  },
  rankTimeout: 1000,
  toJsonSchema: (tool) => (tool.name === "a" ? { type: "object" } : undefined),
  countTokens: (json) => json.length / 4,
})
createToolSearch({ tools, threshold: 0 })
createToolSearch({ tools, threshold: false })
createToolSearch({ tools, deferred: ["a", "linear_*"] })
createToolSearch({ tools, deferred: { above: 30 } })
createToolSearch({ tools, rank: "keywords" })
// What a host computes may be undefined.
createToolSearch({ tools, contextWindow: undefined, threshold: undefined, limit: { max: undefined } })
const kept: ToolSearchOptions<typeof tools> = { tools }
createToolSearch(kept)

// @ts-expect-error tools are required
createToolSearch({})
// @ts-expect-error a record of tools is not an array
createToolSearch({ tools: { a: { description: "" } } })
// @ts-expect-error a tool has a name
createToolSearch({ tools: [{ description: "nameless" }] })
// @ts-expect-error the function has a name
createToolSearch({ tools: [{ type: "function", function: { description: "nameless" } }] })
// @ts-expect-error a name is a text
createToolSearch({ tools: [{ name: 1 }] })
// @ts-expect-error not in this release
createToolSearch({ tools, format: "anthropic" })
// @ts-expect-error a slip
createToolSearch({ tools, limt: { max: 3 } })
// @ts-expect-error a slip within
createToolSearch({ tools, limit: { defualt: 3 } })
// @ts-expect-error a limit is an object
createToolSearch({ tools, limit: 5 })
// @ts-expect-error true is no threshold
createToolSearch({ tools, threshold: true })
// @ts-expect-error a slip within
createToolSearch({ tools, threshold: { tokns: 5 } })
// @ts-expect-error no such value
createToolSearch({ tools, unloadedCall: "ask" })
// @ts-expect-error this release has no aliases
createToolSearch({ tools, aliases: true })
// @ts-expect-error a predicate decides at once
createToolSearch({ tools, deferred: async () => true })
// @ts-expect-error above is a number
createToolSearch({ tools, deferred: { above: "30" } })
// @ts-expect-error a slip within
createToolSearch({ tools, servers: { github: { deferloading: true } } })
// @ts-expect-error no such ranking
createToolSearch({ tools, rank: "embedding" })
// @ts-expect-error a ranking gives names
createToolSearch({ tools, rank: () => [1] })
// @ts-expect-error a slip within
createToolSearch({ tools, searchTool: { nam: "x" } })

// @ts-expect-error the list is shared by all engines
NEVER_DEFERRED.push("x")

estimateTokens("text") satisfies number
estimateTokens({ name: "a" }) satisfies number
// @ts-expect-error a number costs nothing
estimateTokens(5)

const failure = new ToolcribError("engine_freed", "")
failure.code satisfies ErrorCode
failure satisfies Error
// @ts-expect-error no such code
new ToolcribError("engine_tired", "")
