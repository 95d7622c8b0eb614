// Options: what compiles, and what must not.
import { createToolSearch, ToolcribError, NEVER_DEFERRED, estimateTokens, type ErrorCode, type ToolSearchOptions } from "toolcrib"

const tools = [{ name: "a", inputSchema: { type: "object" } }, { name: "b" }] as const

createToolSearch({
  tools,
  format: "openai-chat",
  delivery: "append",
  model: "gpt-5.4",
  callTool: {},
  cacheBreakpoint: "5m",
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
createToolSearch({ tools, aliases: true, delivery: "proxy", callTool: { name: "call" }, model: "openai/gpt-5.4" })
createToolSearch({ tools, cacheBreakpoint: true, format: "anthropic" })
// What is put around tools.
createToolSearch({ tools: {} })
createToolSearch({ tools: { a: { description: "" }, b: { inputSchema: { type: "object" }, execute: () => 1 } } })
createToolSearch({ tools: { tools, nextCursor: "2" } })
createToolSearch({ tools: [{ functionDeclarations: [{ name: "c" }] }, { type: "namespace", name: "n", tools: [{ name: "d" }] }, ...tools] })
// What a host computes may be undefined.
createToolSearch({ tools, contextWindow: undefined, format: undefined, delivery: undefined, limit: { max: undefined } })
const kept: ToolSearchOptions<typeof tools> = { tools }
createToolSearch(kept)
const loose: ToolSearchOptions = { tools, format: "bedrock", delivery: "auto" }
createToolSearch(loose)

// @ts-expect-error tools are required
createToolSearch({})
// @ts-expect-error a tool has a name
createToolSearch({ tools: [{ description: "nameless" }] })
// @ts-expect-error the function has a name
createToolSearch({ tools: [{ type: "function", function: { description: "nameless" } }] })
// @ts-expect-error a name is a text
createToolSearch({ tools: [{ name: 1 }] })
// @ts-expect-error a slip
createToolSearch({ tools, format: "antropic" })
// @ts-expect-error a slip
createToolSearch({ tools, delivery: "nativ" })
// @ts-expect-error what is put around tools is an object
createToolSearch({ tools: "tools" })
// @ts-expect-error a list of lists
createToolSearch({ tools: [tools] })
// @ts-expect-error within a reply they have names as well
createToolSearch({ tools: { tools: [{ description: "nameless" }] } })
// @ts-expect-error within a tool configuration too
createToolSearch({ tools: { toolConfig: { tools: [{ toolSpec: { description: "nameless" } }] } } })
// @ts-expect-error a name is a text
createToolSearch({ tools: { functionDeclarations: [{ name: 1 }] } })
// @ts-expect-error a tool in a record is an object
createToolSearch({ tools: { a: "description" } })
// @ts-expect-error it would have two names
createToolSearch({ tools: { a: { type: "function", function: { name: "b" } } } })
// @ts-expect-error no such time
createToolSearch({ tools, cacheBreakpoint: "2h" })
// @ts-expect-error a slip within
createToolSearch({ tools, callTool: { nam: "x" } })
// @ts-expect-error a model is named by a text
createToolSearch({ tools, model: { id: "claude-sonnet-4-5" } })
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
// @ts-expect-error aliases are made by a rule
createToolSearch({ tools, aliases: { a: "b" } })
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
