// The conformance suite of the formats: one function that is run for every shape of messages. The same conversation told
// in each gives the same loaded tools, turns and replies, and those that the conversation itself names.
//
// Nothing of Node: `formats.test.mjs` runs it, `write.mjs` makes vectors of the same conversations for every other host.

import { DEFERRED, OPTIONS, TOOLS } from "./conversations.mjs"
import { define } from "./define.mjs"
import { ask, tell, TELLINGS, Untold } from "./tell.mjs"

/** The shape that the others are compared with. */
export const REFERENCE = "openai-chat"

/** A resident tool, and a deferred one that nearly no conversation loads. */
const ALWAYS = ["lookup_customer", "list_shipments"]

const RESIDENTS = TOOLS.map(({ name }) => name).filter((name) => !DEFERRED.includes(name))

/** What is asked at the end of every conversation: a search, a call of another tool, and a search by name. */
const ASKED = [
  { id: "a1", name: "tool_search", args: { query: "give money back for an order" } },
  { id: "a2", name: "lookup_customer", args: { name: "Ann" } },
  { id: "a3", name: "tool_search", args: { query: "export_ledger", limit: 1 } },
]
/** What a host may change in the middle of a thread: the last turn then has the same tools loaded. */
const SWITCHES = [
  // Native where the format and the model can.
  { name: "auto", options: { delivery: "auto" } },
  { name: "proxy", options: { delivery: "proxy" } },
  { name: "definitions of MCP", tools: define("mcp", TOOLS) },
  { name: "no format, definitions of MCP", tools: define("mcp", TOOLS), options: { format: undefined } },
]
const OTHER = { of: "a2", name: "lookup_customer", content: { text: "Ann" } }

/** Messages that hold blocks of two formats show neither. */
const switchesOf = ({ mixed }) => (mixed ? SWITCHES.filter(({ options }) => !options || !("format" in options)) : SWITCHES)

/** The formats that want all results of a turn in one message. */
const ONE_MESSAGE = ["anthropic", "gemini", "bedrock", "ai-sdk"]

/** The results in messages. */
const partsOf = (messages) => messages.flatMap((message) => [message.parts, message.content].find(Array.isArray) ?? [message])

/** The id of the call that a part answers, and without one its tool's name. */
function answeredBy(part) {
  const inner = part.functionResponse ?? part.toolResult ?? part
  const { tool_call_id, tool_use_id, call_id, id, toolUseId, toolCallId, tool_name, name } = inner
  return tool_call_id ?? tool_use_id ?? call_id ?? id ?? toolUseId ?? toolCallId ?? tool_name ?? name
}

/** Models that can do native delivery. */
const MODELS = { anthropic: "claude-sonnet-4-5", "ai-sdk": "claude-sonnet-4-5", "openai-responses": "gpt-5.4" }

/** A conversation as a vector; throws an Untold where this shape of messages has no way to say it. */
export function vectorOf(name, conversation) {
  const { format, shape } = TELLINGS[name]
  const { id, why, options, resolves = {}, answered } = conversation
  const { messages, checks, calls } = tell(name, conversation)
  // Many hosts run the vectors: tools that nobody mentions are left out, and schemas where nothing is searched.
  const said = JSON.stringify(conversation)
  const few = TOOLS.filter(({ name }) => said.includes(name) || ALWAYS.includes(name))
  const tools = answered ? TOOLS : few.map(({ name, description }) => ({ name, description }))
  const steps = checks.map(({ upTo, turn }) => ({ do: "turn", upTo, ...turn, only: ["tools", "loaded", "warnings"] }))
  steps.push({ do: "searchResults" }, { do: "pending" })
  for (const call of Object.keys(resolves)) steps.push({ do: "resolve", call: calls[call], only: ["name", "deferred", "loaded", "code"] })
  if (answered) {
    const told = asked(name, conversation)
    steps.push({ do: "answer", calls: told.messages, others: told.others })
  }
  return {
    id: `${name.replaceAll(",", "").replaceAll(" ", "-")}-${id}`,
    why,
    tools: define(shape, tools),
    options: { format, ...OPTIONS, deferred: DEFERRED.filter((each) => tools.some(({ name }) => name === each)), ...options },
    messages,
    steps,
  }
}

/** The turn that is asked, with the calls by the name that the search tool has here, and the host's own result. */
function asked(name, { options }) {
  const searchName = options?.searchTool?.name ?? "tool_search"
  const calls = ASKED.map((call) => (call.name === "tool_search" ? { ...call, name: searchName } : call))
  return { ...ask(name, calls), others: tell(name, { says: [{ results: [OTHER] }] }).messages }
}

/**
 * Everything that a shape of messages makes of the conversations. `run` gives what the steps of a vector come to, as that
 * of conform.mjs does and the native engine. Gives `faults`, a line each, and `skips`: what can't be
 * told, by the conversation's id, with the reason.
 */
export async function conformance(run, name, conversations) {
  const faults = []
  const skips = {}
  for (const conversation of conversations) {
    try {
      const got = await outcome(run, name, conversation)
      const want = [expected(name, conversation)]
      const reference = await told(run, conversation)
      if (reference !== undefined && name !== REFERENCE) want.push(reference)
      for (const each of want) {
        const found = unlike(each, got)
        if (found) faults.push(`${conversation.id}: ${found}`)
      }
    } catch (error) {
      if (error instanceof Untold) skips[conversation.id] = error.message
      else faults.push(`${conversation.id}: ${error.message}`)
    }
  }
  return { faults, skips }
}

/** What the reference makes of it; nothing where it can't be told there. */
async function told(run, conversation) {
  try {
    const { turns, searchResults, pending, called, answers } = await outcome(run, REFERENCE, conversation)
    return { turns, searchResults, pending, called, answers }
  } catch (error) {
    if (error instanceof Untold) return undefined
    throw error
  }
}

/** What the conversation itself says must come out, without any format. */
function expected(name, conversation) {
  const { says, options, found, pending = 0, resolves = {}, sent: how } = conversation
  const { format, ids } = TELLINGS[name]
  const search = options?.searchTool?.name ?? "tool_search"
  const checks = says.filter((said) => "check" in said)
  const turns = checks.map(({ check: loaded }) => {
    const isWithdrawn = loaded.length === DEFERRED.length && options?.whenAllLoaded !== "keep"
    const tools = how === "all" ? TOOLS.map(({ name }) => name) : [...RESIDENTS, ...(isWithdrawn ? [] : [search]), ...loaded]
    return { tools, loaded }
  })
  return {
    turns,
    ...(found ? { searchResults: found } : {}),
    pending,
    late: pending,
    stillPending: 0,
    resolved: resolves,
    // What is loaded is the same however it is delivered from here on, and where the messages alone say the format.
    delivered: Object.fromEntries(switchesOf(conversation).map(({ name }) => [name, turns.at(-1).loaded])),
    // The calls are answered alike however the host hands them over.
    unequal: [],
    // Their results stand in the order of the calls, in one message where the format wants one.
    answersStandFor: ids ? ASKED.map(({ id }) => id) : ASKED.map(({ name }) => (name === "tool_search" ? search : name)),
    inMessages: ONE_MESSAGE.includes(format) ? 1 : ASKED.length,
    // What a search has newly loaded the next turn sends, whatever else is loaded.
    readBack: true,
  }
}

/** What a shape of messages makes of a conversation, in words that are the same for all. */
async function outcome(run, name, conversation) {
  if (name === "openai-responses, native" && conversation.options?.whenAllLoaded === "withdraw") {
    throw new Untold("its items want the search tool among the tools, whatever is loaded")
  }
  const { format } = TELLINGS[name]
  const { options, ...told } = vectorOf(name, conversation)
  const vector = { ...told, tools: define(TELLINGS[name].shape, TOOLS), options: { ...options, deferred: DEFERRED } }
  const { checks, calls } = tell(name, conversation)
  const { resolves = {} } = conversation
  const messages = vector.messages
  const question = asked(name, conversation)
  const turnSteps = checks.map(({ upTo, turn }) => ({ do: "turn", upTo, ...turn }))
  const resolveSteps = Object.keys(resolves).map((id) => ({ do: "resolve", call: calls[id] }))
  const fresh = TOOLS.map((tool) => ask(name, [{ id: "new", name: tool.name, args: { amount: 3 } }]).each[0])
  const ways = Object.entries(question.ways)
  const steps = [
    ...turnSteps,
    { do: "searchResults" },
    { do: "pending" },
    ...resolveSteps,
    ...fresh.map((call) => ({ do: "resolve", call })),
    ...ways.map(([, calls]) => ({ do: "answer", calls })),
    { do: "answer", calls: question.messages, others: question.others },
    { do: "answer", calls: question.messages, others: partsOf(question.others) },
    { do: "answer", calls: question.each[0] },
  ]
  const { gives } = await run({ ...vector, steps })
  const broken = gives.find((each) => each.threw ?? each.error?.code)
  if (broken) throw new Error(JSON.stringify(broken))
  const take = (count) => gives.splice(0, count)

  const turns = take(turnSteps.length).map(({ tools, note, loaded, deferral, warnings }) => {
    const { applied, reason, deferredTools, catalogueTools } = deferral
    return { tools, loaded, note, deferral: { applied, reason, deferredTools, catalogueTools }, warnings: warnings.map(({ code }) => code) }
  })
  const [results, pending] = take(2)
  if (results.some(({ message }) => !(message in messages))) throw new Error("a search result stands nowhere")
  const open = Object.values(calls).map((call) => JSON.stringify(call))
  if (pending.some((call) => !open.includes(JSON.stringify(call)))) throw new Error("pending gives another object than the call")
  const resolved = take(resolveSteps.length)
  const called = take(fresh.length).map(({ part, ...rest }) => rest)
  const answers = take(ways.length).map((results, at) => [ways[at][0], JSON.stringify(results)])
  const unequal = answers.filter(([, results]) => results !== answers[0][1]).map(([way, results]) => `${way}: ${results}`)
  const [{ results: replies, messages: next }, { messages: alike }, one] = take(3)
  if (JSON.stringify(next) !== JSON.stringify(alike)) unequal.push(`results of the host's without their message: ${JSON.stringify(alike)}`)
  if (JSON.stringify(one) !== JSON.stringify([replies[0]])) unequal.push(`one call alone: ${JSON.stringify(one)}`)

  // The parts, read back, load what the reply says.
  const whole = [...messages, ...tell(name, { says: [{ user: "next" }] }).messages, ...question.messages, ...next]
  const { gives: read } = await run({
    ...vector,
    messages: whole,
    steps: [{ do: "turn", upTo: messages.length }, { do: "turn" }, { do: "pending" }, { do: "answer", upTo: messages.length, calls: pending, others: [] }],
  })
  const [now, after, left, late] = read
  const new_ = [...new Set(replies.flatMap(({ loaded }) => loaded))]
  const due = [...now.loaded, ...new_.filter((each) => !now.loaded.includes(each))]
  const isRead = JSON.stringify(after.loaded) === JSON.stringify(due) && left.length === 0

  // What waits is answered late, and then waits no more.
  const { gives: later } = await run({ ...vector, messages: [...messages, ...late.messages], steps: [{ do: "pending" }] })

  // The same messages with another delivery, or with nothing but themselves to show the format.
  const last = checks.at(-1)
  const allowed = switchesOf(conversation)
  const switches = allowed.map(({ tools = vector.tools, options }) => {
    const { format, ...rest } = { ...vector.options, model: MODELS[TELLINGS[name].format], ...options }
    return { do: "turn", upTo: last.upTo, ...last.turn, tools, options: format === undefined ? rest : { format, ...rest } }
  })
  const switched = (await run({ ...vector, steps: switches })).gives
  const delivered = switched.map((each, at) => [allowed[at].name, each.loaded ?? JSON.stringify(each)])

  return {
    turns,
    delivered: Object.fromEntries(delivered),
    searchResults: results.map(({ names }) => names),
    pending: pending.length,
    late: late.results.length,
    stillPending: later[0].length,
    resolved: Object.fromEntries(Object.keys(resolves).map((id, at) => [id, resolved[at].loaded])),
    called,
    answers: replies.map(({ part, ...rest }) => rest),
    unequal,
    answersStandFor: partsOf(next).map(answeredBy).filter((id) => id !== undefined),
    inMessages: next.length,
    readBack: isRead ? true : `${JSON.stringify(after.loaded)} where ${JSON.stringify(due)} is due, ${left.length} calls left open: ${JSON.stringify(next)}`,
  }
}

/** The first place where what came out is not what was due; what is due may leave things out. */
function unlike(want, got, at = "it") {
  if (want === null || typeof want !== "object") return Object.is(want, got) ? undefined : `${at} is ${JSON.stringify(got)}, due is ${JSON.stringify(want)}`
  if (Array.isArray(want) && (!Array.isArray(got) || got.length !== want.length || want.some((each) => typeof each !== "object"))) {
    return JSON.stringify(want) === JSON.stringify(got) ? undefined : `${at} is ${JSON.stringify(got)}, due is ${JSON.stringify(want)}`
  }
  for (const key of Object.keys(want)) {
    const found = unlike(want[key], got?.[key], Array.isArray(want) ? `${at}[${key}]` : `${at}.${key}`)
    if (found) return found
  }
  return undefined
}
