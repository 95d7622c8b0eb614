// A host that plays a run by dice: it keeps a conversation twice, as messages of a format and as what was said, does to both
// what hosts do, and holds what the package says of the first against what the model says of the second.

import * as toolcrib from "../../pkg/index.js"
import { tell, TELLINGS, Untold } from "../formats/tell.mjs"
import { calls as callsIn, result as resultOf } from "../providers/host.mjs"
import { dice } from "../providers/model.mjs"
import { MESSAGES, TOOLS } from "../support/shapes.mjs"
import * as model from "./model.mjs"

const { PROXY, SEARCH } = model

// --------------------------------------------------------------------------------------------------------- dice

const pick = (random, values) => values[Math.floor(random() * values.length)]
const whole = (random, from, to) => from + Math.floor(random() * (to - from + 1))
const shuffled = (random, values) => {
  const left = [...values]
  return values.map(() => left.splice(Math.floor(random() * left.length), 1)[0])
}
const some = (random, values, most) => shuffled(random, values).slice(0, whole(random, 1, most))

// ------------------------------------------------------------------------------------------------- what is drawn

/** Where a run is told: a telling, and where the provider loads tools itself how that is told, with a model that can. */
const PLACES = [
  { plain: "openai-chat" },
  { plain: "ollama" },
  { plain: "openai-responses", native: "openai-responses, native", model: "gpt-5.4", way: "definition" },
  { plain: "anthropic", native: "anthropic, native", model: "claude-sonnet-4-5", way: "reference" },
  { plain: "gemini" },
  { plain: "gemini without ids" },
  { plain: "bedrock" },
  // Twice, as approvals are there alone.
  { plain: "ai-sdk" },
  { plain: "ai-sdk", native: "ai-sdk, native", model: "claude-sonnet-4-5", way: "reference" },
  { plain: "neutral" },
]

const VERBS = ["create", "list", "delete", "send", "archive"]
const NOUNS = ["invoice", "order", "customer", "ticket"]
/** Every tool that a run may meet, most of whose names no other has a word of. */
const NAMES = [...VERBS.flatMap((verb) => NOUNS.map((noun) => `${verb}_${noun}`)), "crm__find_contact", "crm__merge_contact", "crm__tag_contact", "desk__find_contact", "files.read/all"]
const SERVERS = { crm: { prefix: "crm__", deferLoading: true } }

function drawTool(random, name) {
  return {
    name,
    words: `${name.replace(/[_./]+/g, " ")} ${pick(random, ["now", "for a customer", "by number", ""])}`,
    cost: whole(random, 1, 30) * 10,
    mark: pick(random, [true, true, true, undefined, false]),
    server: name.startsWith("crm__") ? "crm" : undefined,
    required: random() < 0.5,
  }
}

/** The tool as a host has it. What it costs stands in its words, for the host's own count. */
function definition({ name, words, cost, mark, required }, shape) {
  const inputSchema = {
    type: "object",
    properties: { text: { type: "string" }, count: { type: "integer" } },
    ...(required ? { required: ["text"] } : {}),
  }
  return TOOLS[shape].tool({ name, description: `${words} Costs ${cost}.`, inputSchema, ...(mark === undefined ? {} : { deferLoading: mark }) })
}
const countTokens = (json) => Number(/Costs (\d+)\./.exec(json)[1])

/** What a host decides for an agent. Most defer always, so that something happens. */
function drawAgent(random, place) {
  const delivery = pick(random, ["append", "append", "append", "proxy", "auto", ...(place.native ? ["native", "native"] : [])])
  return {
    place,
    format: TELLINGS[place.plain].format,
    delivery,
    way: delivery === "auto" || delivery === "native" ? (place.way ?? "append") : delivery,
    deferred: pick(random, [undefined, undefined, ["create_*", "crm__*"], ["list_order"], { above: whole(random, 3, 12) }]),
    resident: pick(random, [[], [], ["delete_*"]]),
    servers: pick(random, [undefined, SERVERS]),
    ...pick(random, [
      { threshold: 0 },
      { threshold: 0 },
      { threshold: 0 },
      { threshold: { tokens: whole(random, 1, 150) * 10 } },
      { threshold: { share: 0.1 }, contextWindow: whole(random, 1, 15) * 1000 },
      { threshold: { tools: whole(random, 3, 14) } },
      { threshold: { tokens: 900, tools: 8 }, contextWindow: 4000 },
      { threshold: 0.2, contextWindow: 5000 },
      { threshold: false },
      {},
    ]),
    calls: pick(random, ["ignore", "ignore", "load"]),
    unloadedCall: pick(random, ["run", "run", "load", "refuse"]),
    handoff: pick(random, ["keep", "reset"]),
    whenAllLoaded: pick(random, [undefined, "keep", "withdraw"]),
    limit: pick(random, [undefined, undefined, { default: 2, max: 3 }, { max: 4 }, { default: 1 }]),
  }
}

/** What happens in a run, and how often. */
const ACTIONS = { model: 12, talk: 1, late: 1, recover: 1, compact: 1, keep: 2, clear: 1, fork: 1, json: 1, retell: 1, update: 2, agent: 1, approve: 4, cut: 1, note: 1, orphan: 1 }
const LOT = Object.entries(ACTIONS).flatMap(([action, often]) => Array(often).fill(action))

/** A run by its seed. Each step has dice of its own, so that one can be left out and the others stay what they were. */
export function draw(seed) {
  const random = dice(seed)
  const place = pick(random, PLACES)
  const names = shuffled(random, NAMES).slice(0, whole(random, 3, 14))
  const tools = names.map((name) => drawTool(random, name))
  for (const name of ["transfer_to_sales", "transfer_to_support"]) {
    tools.splice(whole(random, 0, tools.length), 0, { ...drawTool(random, name), mark: pick(random, [true, undefined]), cost: 50 })
  }
  return {
    seed,
    tools,
    agent: drawAgent(random, place),
    ids: pick(random, ["unique", "unique", "unique", "each turn"]),
    own: random() < 0.5,
    steps: Array.from({ length: whole(random, 10, 40) }, () => ({ action: pick(random, LOT), seed: whole(random, 1, 2 ** 31) })),
  }
}

// --------------------------------------------------------------------------------------------------- differences

/** What differs from what the rules say. */
export class Difference extends Error {}

function differ(what, expected, actual) {
  const [a, b] = [JSON.stringify(expected), JSON.stringify(actual)]
  if (a !== b) throw new Difference(`${what}\n  by the rules:  ${a}\n  by the engine: ${b}`)
}

// ------------------------------------------------------------------------------------------------------ the host

function open(run) {
  const { agent } = run
  const { place, delivery, deferred, resident, servers, threshold, contextWindow, calls, unloadedCall, handoff, whenAllLoaded, limit } = agent
  run.search?.free()
  run.search = toolcrib.createToolSearch({
    tools: pack(run),
    format: agent.format,
    countTokens,
    ...Object.fromEntries(
      Object.entries({ delivery, deferred, resident, servers, threshold, contextWindow, calls, unloadedCall, handoff, whenAllLoaded, limit, model: place.model }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  })
}

function pack({ agent, tools, own }) {
  const shape = own || agent.format === "ai-sdk" ? agent.format : "neutral"
  return freeze(TOOLS[shape].pack(tools.map((tool) => [tool.name, definition(tool, shape)])))
}

/** Nothing that a host gives may be changed. */
function freeze(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

const telling = ({ agent: { place, way } }) => (way === place.way ? place.native : place.plain)
const hasIds = ({ agent: { place } }) => TELLINGS[place.plain].ids
const says = (run) => run.rounds.flatMap((round) => round.says)
const messages = (run) => freeze(run.rounds.flatMap((round) => round.messages))
const agentOf = (run) => model.agent(run.agent, run.tools)

/** Also the aliases of what is gone: the messages hold them. */
const know = (run) => Object.assign(run.aliases, run.search.aliases)

/** What was said with the names that the model reads. */
function onWire(run, said) {
  const wire = (name) => run.aliases[name] ?? name
  const call = ({ name, args, ...rest }) => ({ ...rest, name: wire(name), args: name === PROXY && args?.name ? { ...args, name: wire(args.name) } : args })
  const result = ({ name, content, ...rest }) => ({
    ...rest,
    name: wire(name),
    content: content.found ? { ...content, found: content.found.map(wire) } : content,
  })
  if (said.note) return { ...said, system: JSON.stringify({ ...JSON.parse(said.system), loaded: said.note.map(wire) }) }
  return { ...said, ...(said.calls ? { calls: said.calls.map(call) } : {}), ...(said.results ? { results: said.results.map(result) } : {}) }
}
/** The host's name for one that the model reads. */
const ownName = (run, name) => Object.entries(run.aliases).find(([, alias]) => alias === name)?.[0] ?? name

/** Adds what was said, told in the format, to the round; gives back the objects of the calls. */
function say(run, round, said) {
  const { messages, calls } = tell(telling(run), { says: [onWire(run, said)] })
  add(round, said, messages)
  return calls
}

/** A round knows where in its messages each thing that was said begins. */
function add(round, said, messages) {
  round.starts.push(round.messages.length)
  round.says.push(said)
  round.messages.push(...messages)
}
const emptyRound = () => ({ says: [], messages: [], starts: [] })

function newRound(run) {
  const round = emptyRound()
  run.rounds.push(round)
  return round
}

/** How a model may misspell a name. */
const spellings = (name) => [
  name.replace("_", "x"),
  name.toUpperCase(),
  name.replace(/[_./]+/g, "-"),
  name.replace(/_+([a-z])/g, (_, letter) => letter.toUpperCase()),
  name.split(/__|[./]/).at(-1),
]

/** One call of the model, by dice. */
function drawCall(random, run, loaded, id) {
  const names = run.tools.map(({ name }) => name)
  const args = () => pick(random, [{ text: "words" }, { text: "words", count: 2 }, { text: {} }, { count: "many" }, {}, null])
  const search = () => {
    const queries = [
      pick(random, VERBS),
      `${pick(random, VERBS)} ${pick(random, NOUNS)}`,
      `${pick(random, NOUNS)} contact`,
      pick(random, names),
      `select:${some(random, [...names, "gone"], 4).join(",")}`,
      some(random, names, 3).join(" "),
      "weather tomorrow",
      run.query ?? "customer",
      [pick(random, VERBS), pick(random, NOUNS)],
    ]
    const query = (run.query = pick(random, queries))
    const garbage = [{}, { query: 5 }, { query: null }, { query: [] }, { query: [1, 2] }]
    return random() < 0.1 ? pick(random, garbage) : { query, ...pick(random, [{}, {}, { limit: whole(random, -2, 30) }, { limit: "x" }]) }
  }
  const name = pick(random, random() < 0.5 && loaded.length ? loaded : names)
  const invented = ["invented_tool", ...run.gone, ...spellings(pick(random, names))]
  const by = run.agent.way === "proxy" ? 0.5 : 0.05
  const chance = random()
  if (chance < 0.45) return { id, name: SEARCH, args: search() }
  if (chance < 0.52) return { id, name: pick(random, invented), args: args() }
  if (chance < 0.6) return { id, name: pick(random, ["transfer_to_sales", "transfer_to_support"]), args: {} }
  if (random() < by) {
    return { id, name: PROXY, args: pick(random, [{ name, arguments: args() }, { name, arguments: args() }, { name: pick(random, invented), arguments: args() }, {}]) }
  }
  return { id, name, args: args() }
}

/** What the package has by now: later work brings the rest. */
const HAS = (() => {
  const search = toolcrib.createToolSearch({ tools: [] })
  const takes = (options) => {
    try {
      search.turn([], options)
      return true
    } catch {
      return false
    }
  }
  const has = {
    keepNote: "keepNote" in search,
    agent: "agent" in search,
    events: "events" in search.turn([]),
    since: takes({ since: 0 }),
    choice: takes({ toolChoice: "auto" }),
    models: "registerModel" in toolcrib,
    fit: "fit" in search,
    maxSent: "leftOut" in search.turn([]),
  }
  search.free()
  return has
})()

/** A small window under a name that no table has. */
const MODEL = { name: "acme/tiny", contextWindow: 3000 }
if (HAS.models) toolcrib.registerModel(MODEL.name, { contextWindow: MODEL.contextWindow })

/** The formats that take a message of who leads the conversation among the others. */
const LED = ["openai-chat", "openai-responses", "ai-sdk", "neutral"]

/** How a request forces one tool, by format. */
const CHOICES = {
  "openai-chat": (name) => ({ type: "function", function: { name } }),
  "openai-responses": (name) => ({ type: "function", name }),
  anthropic: (name) => ({ type: "tool", name }),
  gemini: (name) => ({ functionCallingConfig: { mode: "ANY", allowedFunctionNames: [name] } }),
  bedrock: (name) => ({ tool: { name } }),
  "ai-sdk": (toolName) => ({ type: "tool", toolName }),
  neutral: (name) => ({ type: "tool", name }),
}

/** The options as the package takes them: a position is one of a message there, and a choice is forced as the provider has it. */
function asOptions(run, { since, window, chosen, forced, ...options }) {
  return freeze({
    ...options,
    ...(since ? { since: since.messages } : {}),
    ...(window ? { model: MODEL.name } : {}),
    ...(chosen ? { toolChoice: CHOICES[run.agent.format](forced[0]) } : forced ? { forced } : {}),
  })
}

/** What a host passes for a turn beside the messages. Mostly nothing but what it has to carry. */
function drawOptions(random, run) {
  const options = drawSome(random, run)
  return run.carry.length ? { ...options, loaded: [...run.carry, ...(options.loaded ?? [])] } : options
}
const carried = (run) => (run.carry.length ? { loaded: run.carry } : {})

function drawSome(random, run) {
  const names = run.tools.map(({ name }) => name)
  const before = run.rounds.slice(0, whole(random, 0, run.rounds.length))
  const count = (key) => before.flatMap((round) => round[key]).length
  return pick(random, [
    {}, {}, {}, {}, {}, {},
    { exclude: pick(random, [some(random, names, 2), ["list_*"], ["crm__*"]]) },
    { loaded: some(random, [...names, "gone"], 3) },
    { forced: [pick(random, [...names, SEARCH, "gone"])] },
    { forced: some(random, names, 2), exclude: [pick(random, names)] },
    { unavailable: ["mail"] },
    HAS.choice ? { chosen: true, forced: [pick(random, [...names, SEARCH, "gone"])] } : {},
    HAS.models ? { window: MODEL.contextWindow } : {},
    HAS.since ? { since: { messages: count("messages"), says: count("says") } } : {},
  ])
}

/** An assistant turn and its results, as far as they come. */
async function act(run, random, round) {
  const turn = run.turns++
  const count = pick(random, [1, 1, 2, 2, 3, 4])
  const { loaded } = model.fold(says(run), agentOf(run), { ids: hasIds(run) })
  const calls = Array.from({ length: count }, (_, at) => drawCall(random, run, loaded, run.ids === "unique" ? `call_${turn}_${at}` : `call_${at}`))
  const isNative = telling(run) === "openai-responses, native"
  for (const call of calls) if (isNative && call.name === SEARCH) call.native = true
  // In the AI SDK some calls wait for a person's word.
  const asks = run.agent.format === "ai-sdk" && run.ids === "unique" && random() < 0.5 ? [pick(random, calls).id] : undefined
  const before = says(run)
  const earlier = messages(run)
  const start = round.messages.length
  const objects = say(run, round, { assistant: pick(random, ["", "I look."]), calls, ...(asks ? { asks } : {}) })
  for (const id of asks ?? []) run.waiting.push({ call: calls.find((call) => call.id === id), object: objects[id] })
  const answered = calls.filter((call) => !asks?.includes(call.id))
  const options = drawOptions(random, run)
  const given = pick(random, [round.messages.slice(start), answered.map(({ id }) => objects[id])])
  const results = await answer(run, random, asks ? answered.map(({ id }) => objects[id]) : given, answered, objects, before, earlier, options)
  if (results.length === 0) return
  // All of them; none, as of a process that ended; or some.
  const fate = pick(random, ["all", "all", "all", "all", "none", "some"])
  const kept = fate === "all" ? results : fate === "none" ? [] : results.filter(() => random() < 0.5)
  run.left = results.filter((each) => !kept.includes(each)).map(({ call }) => ({ call, object: objects[call.id] }))
  put(run, random, round, kept)
}

/** What the host answers to calls made in this turn: searches by the package, others by itself. Each as `{ call, said, part }`. */
async function answer(run, random, given, calls, objects, before, earlier, options) {
  const agent = agentOf(run)
  const ids = hasIds(run)
  const searches = calls.filter(({ name }) => name === SEARCH)
  const all = messages(run)
  const isWhole = random() < 0.5
  const reply = await run.search.answer(freeze(given), isWhole ? all : earlier, asOptions(run, options))
  const fault = model.faultOfAnswers(searches, reply, isWhole ? says(run) : before, agent, ids, options, { stops: HAS.events })
  if (fault) throw new Difference(`answer: ${fault}`)
  run.count.searches += searches.length
  run.count.loaded += reply.loaded.length
  return calls.map((call) => {
    const at = searches.indexOf(call)
    const object = objects[call.id]
    checkCall(run, call, object, before, options)
    if (at >= 0) {
      const { part, ...said } = { ...model.told(reply.results[at], call, agent), part: reply.parts[at] }
      return { call, said: { of: call.id, name: call.name, ...(call.native ? { native: true } : {}), ...said }, part }
    }
    run.count.calls += 1
    const failed = random() < 0.25
    const target = run.search.resolve(object, messages(run), asOptions(run, options))
    if (target.error) {
      differ("the id that an error answers", ids ? call.id : undefined, MESSAGES[agent.format].answers(target.part))
      return { call, said: { of: call.id, name: call.name, failed: "error", content: { text: "It failed." } }, part: target.part }
    }
    return byHost(run, call, object, failed)
  })
}

/** The host's own result. */
function byHost(run, call, object, failed) {
  const text = failed ? (flagless(run) ? '{"error":"It failed."}' : "It failed.") : `Done: ${call.name}.`
  const said = { of: call.id, name: call.name, ...(failed ? { failed: "error" } : {}), content: { text } }
  return { call, said, part: resultOf(run.agent.place.plain === "ollama" ? "ollama" : run.agent.format, object, text, failed) }
}
const flagless = ({ agent: { format } }) => format === "openai-chat" || format === "openai-responses"

/** Puts results into the conversation, in any order that their format can tell. */
function put(run, random, round, results) {
  if (results.length === 0) return
  let ordered = random() < 0.5 ? results : shuffled(random, results)
  if (!hasIds(run)) {
    // What has one name then comes in the order of the calls.
    ordered = ordered.map(({ call }, at) => {
      const nth = ordered.slice(0, at).filter((other) => other.call.name === call.name).length
      return results.filter((other) => other.call.name === call.name)[nth]
    })
  }
  const groups = random() < 0.2 && ordered.length > 1 ? [ordered.slice(0, 1), ordered.slice(1)] : [ordered]
  for (const group of groups) {
    add(round, { results: group.map(({ said }) => said) }, MESSAGES[run.agent.format].results(group.map(({ part }) => part)))
  }
}

function checkCall(run, call, object, before, options) {
  const expected = model.resolve(call, before, agentOf(run), hasIds(run), options)
  const target = run.search.resolve(object, messages(run), asOptions(run, options))
  const actual = target.error
    ? { code: target.error.code }
    : { name: target.name, recovered: target.recovered, deferred: target.deferred, loaded: target.loaded, args: target.args }
  differ(`resolve of ${JSON.stringify({ name: call.name, args: call.args })} with ${JSON.stringify(options)}`, expected, actual)
}

/** Everything that can be compared at any time. */
function check(run, options, random) {
  const agent = agentOf(run)
  const ids = hasIds(run)
  const said = says(run)
  const all = messages(run)
  const turn = run.search.turn(all, asOptions(run, options))
  const expected = model.turn(said, agent, ids, options)
  const { withheld, all: total } = turn.tokens
  const { deferral } = turn
  const actual = {
    names: turn.names.map((name) => ownName(run, name)),
    note: turn.note !== null,
    loaded: turn.loaded,
    applied: deferral.applied,
    reason: deferral.reason,
    deferredTools: deferral.deferredTools,
    deferredTokens: deferral.deferredTokens,
    catalogueTools: deferral.catalogueTools,
    tokens: { withheld, all: total },
    warnings: turn.warnings.map(({ code }) => code).filter((code) => code.startsWith("forced_")),
  }
  for (const key of Object.keys(actual)) differ(`turn.${key} with ${JSON.stringify(options)}`, expected[key], actual[key])
  // What search tool and note cost is the same on every turn that has them.
  const kind = `${turn.names.includes(SEARCH)} ${turn.names.includes(PROXY)} ${run.version}`
  differ(`turn.tokens.sent beside definitions, with ${JSON.stringify(options)}`, (run.overhead[kind] ??= turn.tokens.sent - expected.spent), turn.tokens.sent - expected.spent)
  if (HAS.events) {
    const events = turn.events.filter(({ code = "forced_" }) => code.startsWith("forced_"))
    const shown = events.map(({ type, names, reason, code }) => ({ type, ...(code ? { code } : { reason, names }) }))
    differ(`turn.events with ${JSON.stringify(options)}`, model.events(said, agent, ids, options), shown)
  }
  const { results } = model.fold(said, agent, { ids })
  const positions = run.search.searchResults(all)
  differ("searchResults", results, positions.map(({ callId, names }) => ({ id: callId, names: names.map((name) => ownName(run, name)) })))
  for (const { message, part, callId } of positions) {
    const content = all[message].content ?? all[message].parts
    const object = part === null ? all[message] : content[part]
    differ("the result at a position of searchResults", callId ?? undefined, MESSAGES[agent.format].answers(object))
  }
  const open = run.search.pending(all)
  if (ids) differ("pending", model.pending(said, agent, ids), open.map(idOf))
  else differ("how many are pending", model.pending(said, agent, ids).length, open.length)
  if (random && HAS.fit && random() < 0.3) checkFit(run, random, options)
  if (random && HAS.maxSent && HAS.agent && random() < 0.3) checkCap(run, random, options, expected)
  if (expected.loaded.length) run.count.turns += 1
}

/** What holds of a history that was cut to fit, whatever goes. */
function checkFit(run, random, options) {
  const all = messages(run)
  const { format } = run.agent
  const given = asOptions(run, options)
  const whole_ = run.search.turn(all, given)
  // By the reserve, as another window may decide otherwise about deferral.
  const room = { reserve: Math.max(0, whole_.deferral.contextWindow - whole(random, 1, 60) * 100) }
  const fitted = run.search.fit(all, { ...given, ...room })
  const what = `fit with ${JSON.stringify({ ...options, ...room })}`
  const law = (holds, sentence) => {
    if (!holds) throw new Difference(`${what}: ${sentence}`)
  }
  const kept = fitted.messages.filter((message) => all.includes(message))
  const added = fitted.messages.filter((message) => !all.includes(message))
  differ(`${what}: what stays is in its order`, all.filter((message) => kept.includes(message)), kept)
  law(fitted.cut === all.filter((message) => !kept.includes(message) && !isNote(message)).length || fitted.cut === all.length - kept.length, `cut is ${fitted.cut} of ${all.length}, ${kept.length} stay`)
  law(added.length <= (LED.includes(format) ? 1 : 0), `${JSON.stringify(added)} was added`)
  // A position among the messages is another one after the cut.
  const { since, ...others } = given
  const rest = { ...others, ...(since === undefined ? {} : { since: fitted.since }) }
  const turn = run.search.turn(fitted.messages, { ...rest, loaded: fitted.loaded })
  differ(`${what}: what is loaded`, whole_.loaded, turn.loaded)
  const { tokens } = fitted
  if (fitted.fits) law(tokens.messages + tokens.tools <= tokens.budget, `it does not fit: ${JSON.stringify(tokens)}`)
  law(fitted.fits || fitted.warnings.some(({ code }) => code === "over_budget"), "nothing says that it does not fit")
  // A note stands for searches, so that deferral may begin with it.
  if (whole_.deferral.applied === turn.deferral.applied) law(turn.tokens.sent <= tokens.tools, `the tools take ${turn.tokens.sent}, not ${tokens.tools}`)
  const again = run.search.fit(fitted.messages, { ...rest, ...room, loaded: fitted.loaded })
  law(again.cut === 0, `a second fit cuts ${again.cut} more`)
  const said = says(run).filter((said) => said.user !== undefined)
  const people = all.filter((message) => message.role === "user" && !partsOf(message).some(isResult))
  if (said.length) law(kept.includes(people.at(-1)), "the last human message went")
  if (hasIds(run) && run.ids === "unique") {
    const ids = (list) => ({ calls: callsOf(run, list).map(({ id }) => id), results: list.flatMap(partsOf).map((part) => answersOf(format, part)).filter((id) => id !== undefined) })
    const [before, after] = [ids(all), ids(kept)]
    for (const id of after.results) law(after.calls.includes(id) || !before.calls.includes(id), `the result of ${id} is an orphan`)
    for (const id of after.calls) law(after.results.includes(id) || !before.results.includes(id), `the call ${id} has lost its result`)
  }
  if (fitted.cut) run.count.fitted += 1
}
const partsOf = (message) => [message, ...[message.content, message.parts].filter(Array.isArray).flat()]
const answersOf = (format, part) => MESSAGES[format].answers(part) ?? undefined
const isNote = (message) => message.role !== "user" && JSON.stringify(message.content ?? "").includes("keep-note")

/** What holds of a cap on what is sent, whatever goes. */
function checkCap(run, random, options, expected) {
  const { agent } = run
  if (agent.way !== "append" || options.forced || !expected.applied) return
  // Residents and the search tool are always sent.
  const fixed = run.tools.length - expected.deferredTools + 1
  const maxSent = fixed + 1 + whole(random, 0, 4)
  const capped = run.search.agent({ maxSent })
  try {
    const turn = capped.turn(messages(run), asOptions(run, options))
    const names = turn.names.map((name) => ownName(run, name))
    const what = `a turn of at most ${maxSent} with ${JSON.stringify(options)}`
    if (names.length > maxSent) throw new Difference(`${what} sends ${names.length}`)
    const left = turn.leftOut.filter((name) => names.includes(name))
    if (left.length) throw new Difference(`${what}: ${left} are left out and sent`)
    const sorted = (list) => [...list].sort()
    differ(`${what}: what is loaded or left out`, sorted(expected.loaded), sorted([...turn.loaded, ...turn.leftOut]))
    const { exclude: _, ...all } = options
    if (model.turn(says(run), agentOf(run), hasIds(run), all).loaded.length <= maxSent - fixed) differ(`${what}: what is left out though there is room`, [], turn.leftOut)
    if (turn.leftOut.length) run.count.capped += 1
  } finally {
    capped.free()
  }
}

// ------------------------------------------------------------------------------------------------------- actions

const DO = {
  async model(run, random) {
    const round = newRound(run)
    // Two messages of the assistant's side by side are one turn in some formats.
    const last = says(run).at(-1)
    if (random() < 0.6 || last === undefined || last.assistant !== undefined) say(run, round, { user: "Go on." })
    for (let left = whole(random, 1, 2); left > 0; left--) {
      await act(run, random, round)
      if (says(run).at(-1).assistant !== undefined) break
    }
  },
  talk(run) {
    const round = newRound(run)
    say(run, round, { user: "Hello." })
    say(run, round, { assistant: "Hello." })
  },
  /** After a crash: what is pending is answered from the messages alone. */
  async recover(run, random) {
    const { left } = run
    run.left = []
    if (left.length === 0) return
    const round = run.rounds.at(-1)
    const pending = new Set(model.pending(says(run), agentOf(run), hasIds(run)))
    const open = left.filter(({ call }) => call.name !== SEARCH || pending.has(call.id))
    const searches = open.filter(({ call }) => call.name === SEARCH)
    const agent = agentOf(run)
    const all = messages(run)
    const reply = await run.search.answer(run.search.pending(all), all, carried(run))
    const byId = new Map(searches.map((each, at) => [each.call.id, at]))
    if (reply.parts.length !== pending.size) throw new Difference(`${pending.size} searches are pending, ${reply.parts.length} are answered`)
    if (pending.size !== searches.length) return
    const results = open.map(({ call, object }) => {
      const at = byId.get(call.id)
      if (at === undefined) return byHost(run, call, object, random() < 0.2)
      return { call, said: { of: call.id, name: call.name, ...(call.native ? { native: true } : {}), ...model.told(reply.results[at], call, agent) }, part: reply.parts[at] }
    })
    put(run, random, round, results)
  },
  /** Results that come after a person has said something in between. */
  async late(run, random) {
    if (run.left.length === 0) return
    const round = newRound(run)
    say(run, round, { user: "Are you there?" })
    await DO.recover(run, random)
  },
  /** An old beginning is dropped by whole rounds, and a summary stands in its place. */
  compact(run, random) {
    if (run.rounds.length < 3) return
    run.rounds.splice(0, whole(random, 1, run.rounds.length - 1))
    const rest = run.rounds
    run.rounds = []
    say(run, newRound(run), { user: "We have talked before." })
    run.rounds.push(...rest)
  },
  /** The same, and what the dropped results had loaded stays loaded: by a note, or by what the host carries. */
  keep(run, random) {
    if (run.rounds.length < 3) return
    const before = messages(run)
    const agent = agentOf(run)
    const ids = hasIds(run)
    const { loaded } = model.turn(says(run), agent, ids, carried(run))
    // Now and then the older note is among what is kept, and has to go.
    const keepsNote = random() < 0.5 && run.rounds[0].says[0].note ? [run.rounds[0]] : []
    const dropped = whole(random, 1, run.rounds.length - 1)
    const rest = run.rounds.slice(dropped)
    run.rounds = []
    say(run, newRound(run), { user: "We have talked before." })
    run.rounds.push(...rest)
    let isNoted = true
    if (HAS.keepNote) {
      const after = freeze([...keepsNote.flatMap((round) => round.messages), ...messages(run)])
      const next = run.search.keepNote(before, after, carried(run))
      // Older notes go.
      run.rounds = run.rounds.filter(({ says: [said], messages }) => !said.note || next.includes(messages[0]))
      differ("what keepNote keeps", messages(run), next.filter((message) => after.includes(message)))
      const added = next.flatMap((message, at) => (after.includes(message) ? [] : [{ message, at }]))
      if (added.length > 1) throw new Difference(`keepNote adds ${JSON.stringify(added)}`)
      for (const { message, at } of added) insert(run, message, at)
      isNoted = added.length > 0 || LED.includes(run.agent.format)
    } else {
      try {
        const round = emptyRound()
        say(run, round, { system: JSON.stringify({ toolcrib: "keep-note", loaded, note: "Loaded before." }), note: loaded })
        run.rounds.unshift(round)
      } catch (error) {
        if (!(error instanceof Untold)) throw error
        isNoted = false
      }
    }
    // The note says what the host has carried, too. Where the format has no place for one, the host carries all of it.
    run.carry = isNoted ? [] : loaded
    differ("what is loaded after keepNote, by the rules", loaded, model.turn(says(run), agent, ids, carried(run)).loaded)
    differ("what is loaded after keepNote", loaded, run.search.turn(messages(run), carried(run)).loaded)
    run.count.kept += 1
  },
  /** A note of another compaction's stands between rounds that were kept: what is before it loads nothing. */
  note(run, random) {
    if (!LED.includes(run.agent.format)) return
    const names = some(random, [...run.tools.map(({ name }) => name), "gone"], 4)
    const round = emptyRound()
    say(run, round, { system: JSON.stringify({ toolcrib: "keep-note", loaded: names, note: "Loaded before." }), note: names })
    // Two assistant turns are never side by side.
    const last = run.rounds.findLastIndex(({ says }) => says.some((said) => said.assistant !== undefined))
    run.rounds.splice(whole(random, 0, Math.max(last, 0)), 0, round)
  },
  /** Old outputs are cleared: those of other tools, as searchResults says, or all. */
  clear(run, random) {
    const isAll = random() < 0.3
    if (isAll && telling(run) === "openai-responses, native") return
    for (const round of run.rounds.slice(0, -1)) {
      rewrite(run, round, (result, part) => {
        if (result.failed || result.native || (!isAll && result.name === SEARCH)) return undefined
        const cleared = { ...result, content: { text: "[cleared]" }, by: "text" }
        const [told] = tell(run.agent.place.plain, { says: [onWire(run, { results: [cleared] })] }).messages
        const parts = told.parts ?? told.content
        return { result: cleared, part: Array.isArray(parts) ? parts[0] : told }
      })
    }
  },
  /** A host cuts a long output short: the names that stand whole in what is left were shown. */
  cut(run, random) {
    for (const round of run.rounds) {
      rewrite(run, round, (result, part) => {
        const key = part.output === undefined ? "content" : "output"
        const text = part[key]
        if (result.name !== SEARCH || result.failed || typeof text !== "string" || !/^{"loaded":\[{"name":"[^"]+",/.test(text) || random() < 0.5) return undefined
        const shown = text.slice(0, whole(random, text.indexOf('",') + 1, text.length - 1))
        const found = [...shown.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => ownName(run, name))
        run.count.cut += 1
        return { result: { ...result, content: { found } }, part: { ...part, [key]: shown } }
      })
    }
  },
  /** Back to an earlier point; what came after is another thread's. */
  fork(run, random) {
    if (run.rounds.length < 2) return
    run.rounds.length = whole(random, 1, run.rounds.length - 1)
    run.left = []
    run.waiting = run.waiting.filter(({ call }) => says(run).some((said) => said.calls?.includes(call)))
  },
  json(run) {
    for (const round of run.rounds) round.messages = JSON.parse(JSON.stringify(round.messages))
    relink(run)
  },
  /** The same conversation goes on with another provider. */
  retell(run, random) {
    for (const place of shuffled(random, PLACES)) {
      const { agent, rounds } = run
      const way = agent.delivery === "native" && !place.native ? "append" : agent.delivery
      const next = { ...agent, place, format: TELLINGS[place.plain].format, delivery: way, way: way === "auto" || way === "native" ? (place.way ?? "append") : way }
      try {
        run.agent = next
        run.rounds = rounds.map((round) => retold(run, round))
        relink(run)
        open(run)
        return
      } catch (error) {
        if (!(error instanceof Untold)) throw error
        run.agent = agent
        run.rounds = rounds
      }
    }
  },
  update(run, random) {
    const before = run.tools
    const known = new Set([...before.map(({ name }) => name)])
    let after = [...before]
    for (let left = whole(random, 1, 3); left > 0; left--) {
      const at = whole(random, 0, after.length - 1)
      const what = pick(random, ["vanish", "vanish", "come", "come", "change", "move"])
      if (what === "vanish" && after.length > 4 && !after[at].name.startsWith("transfer_to")) after.splice(at, 1)
      if (what === "come") {
        const name = pick(random, NAMES)
        // One that was there before comes back as it was, or changed.
        if (!after.some((tool) => tool.name === name)) after.splice(at, 0, run.gone.length && run.past.get(name) ? run.past.get(name) : drawTool(random, name))
      }
      if (what === "change") after = after.with(at, { ...after[at], cost: after[at].cost + 10 })
      if (what === "move") after.push(...after.splice(at, 1))
    }
    for (const tool of before) run.past.set(tool.name, tool)
    run.tools = after
    run.gone = [...run.past.keys()].filter((name) => !after.some((tool) => tool.name === name))
    const old = run.search
    const next = old.update(pack(run))
    run.search = next.search
    old.free()
    const { added, removed, changed } = next
    const sorted = (lists) => Object.fromEntries(Object.entries(lists).map(([key, names]) => [key, [...names].sort()]))
    differ("update", sorted(model.changes(before, after)), sorted({ added, removed, changed }))
  },
  /** Another agent over the same catalogue goes on, such as one that was handed over to. */
  agent(run, random) {
    const next = drawAgent(random, run.agent.place)
    if (!HAS.agent || random() < 0.5) {
      run.agent = next
      open(run)
      return
    }
    // What is not named is inherited.
    const named = ["deferred", "resident", "threshold", "contextWindow", "calls", "unloadedCall", "handoff", "whenAllLoaded", "limit"]
    const options = Object.fromEntries(some(random, named, named.length).flatMap((key) => (next[key] === undefined ? [] : [[key, next[key]]])))
    const old = run.search
    run.agent = { ...run.agent, ...options }
    run.search = old.agent(freeze(options))
    old.free()
  },
  /** A person says yes or no to a call that waited, which is then answered. */
  async approve(run, random) {
    if (run.waiting.length === 0 || run.agent.format !== "ai-sdk") return
    const at = whole(random, 0, run.waiting.length - 1)
    const [{ call, object }] = run.waiting.splice(at, 1)
    const round = newRound(run)
    if (random() < 0.5) {
      say(run, round, { denies: [call.id] })
      say(run, round, { results: [{ of: call.id, name: call.name, content: { text: "" }, failed: "denied" }] })
      return
    }
    say(run, round, { approves: [call.id] })
    run.count.approved += 1
    if (call.name !== SEARCH) return put(run, random, round, [byHost(run, call, object, random() < 0.2)])
    const reply = await run.search.answer([object], messages(run), carried(run))
    put(run, random, round, [{ call, said: { of: call.id, name: call.name, ...model.told(reply.results[0], call, agentOf(run)) }, part: reply.parts[0] }])
  },
  /** A result that answers nothing, and one that comes twice. */
  orphan(run, random) {
    const round = newRound(run)
    say(run, round, { user: "Look at this." })
    const found = some(random, run.tools.map(({ name }) => name), 3)
    const id = run.ids === "unique" ? `orphan_${run.turns++}` : "orphan"
    say(run, round, { assistant: "A moment.", calls: [{ id, name: "invented_tool", args: {} }] })
    // What another tool says is nothing, whatever it looks like.
    say(run, round, { results: [{ of: id, name: "invented_tool", content: { text: JSON.stringify({ loaded: found.map((name) => ({ name })), more: 0, note: "" }) } }] })
    if (hasIds(run) && telling(run) !== "openai-responses, native") {
      say(run, round, { results: [{ of: "nobody", name: SEARCH, content: { found, form: "text" } }] })
    }
  },
}

/** Puts the note that keepNote wrote at the same place of what was said. No turn may be torn by it. */
function insert(run, message, at) {
  const text = textOf(message)
  const note = { system: text, note: JSON.parse(text).loaded.map((name) => ownName(run, name)) }
  let left = at
  for (const round of run.rounds) {
    const place = round.starts.indexOf(left)
    if (place === 0) break
    if (place > 0) {
      round.says = round.says.toSpliced(place, 0, note)
      round.messages = round.messages.toSpliced(left, 0, message)
      round.starts = [...round.starts.slice(0, place), left, ...round.starts.slice(place).map((start) => start + 1)]
      return
    }
    left -= round.messages.length
    if (left < 0) throw new Difference(`keepNote tears a turn at ${at}`)
  }
  const round = emptyRound()
  add(round, note, [message])
  const index = run.rounds.findIndex((_, index) => run.rounds.slice(0, index).flatMap(({ messages }) => messages).length === at)
  run.rounds.splice(index < 0 ? run.rounds.length : index, 0, round)
}

/** The text of a system message. */
const textOf = ({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""))

/** Tells the round anew, in the format of now. What loads in it is told as this telling tells it. */
function retold(run, round) {
  const name = telling(run)
  const by = { "anthropic, native": "reference", "ai-sdk, native": "reference", "openai-responses, native": "definition" }[name]
  const isItems = name === "openai-responses, native"
  const native = (named) => (isItems && named.name === SEARCH ? { native: true } : {})
  const said = round.says.map((said) => {
    if (said.calls) return { ...said, calls: said.calls.map(({ native: _, ...call }) => ({ ...call, ...native(call) })) }
    if (!said.results) return said
    const results = said.results.map(({ native: _, ...result }) => {
      if (result.name !== SEARCH) return result
      const isTold = by && result.content.found && (isItems || result.content.found.length > 0) && !result.content.form
      return { ...result, by: isTold ? by : "text", ...native(result) }
    })
    return { results }
  })
  const next = emptyRound()
  for (const each of said) add(next, each, tell(name, { says: [onWire(run, each)] }).messages)
  return next
}

/**
 * Puts others in place of results of a round, where they stand: `other(result, part)` gives `{ result, part }`, or nothing
 * where the one that is there stays.
 */
function rewrite(run, round, other) {
  const { format } = run.agent
  const isList = ["openai-chat", "openai-responses", "neutral"].includes(format)
  const key = format === "gemini" ? "parts" : "content"
  // The results in the order of the messages are those in the order of what was said.
  const says = round.says.map((said) => (said.results ? { results: [...said.results] } : said))
  const places = says.flatMap(({ results = [] }) => results.map((_, at) => ({ results, at })))
  const next = (part) => {
    if (!isResult(part)) return part
    const { results, at } = places.shift()
    const changed = other(results[at], part)
    if (!changed) return part
    results[at] = changed.result
    return changed.part
  }
  round.messages = round.messages.map((message) => {
    if (isList) return next(message)
    return Array.isArray(message[key]) ? { ...message, [key]: message[key].map(next) } : message
  })
  round.says = says
}
const isResult = (part) => part.role === "tool" || RESULTS.includes(part.type) || (part.functionResponse ?? part.toolResult) !== undefined
const RESULTS = ["function_call_output", "tool_search_output", "tool_result", "tool-result"]

/** The calls that wait are objects of the messages of now. */
function relink(run) {
  const all = messages(run)
  const objects = callsOf(run, all)
  const find = (each) => {
    const object = objects.findLast(({ id }) => id === each.call.id)?.call
    const said = says(run).flatMap((said) => said.calls ?? []).findLast(({ id }) => id === each.call.id)
    return object && said ? [{ call: said, object }] : []
  }
  if (!hasIds(run)) {
    run.left = []
    run.waiting = []
    return
  }
  run.left = run.left.flatMap(find)
  run.waiting = run.waiting.flatMap(find)
}

const idOf = (call) => call.call_id ?? call.functionCall?.id ?? call.toolUse?.toolUseId ?? call.toolCallId ?? call.id

function callsOf(run, all) {
  const { format } = run.agent
  const roles = ["assistant", "model"]
  const lists = format === "openai-responses" ? [all] : all.filter(({ role }) => roles.includes(role)).map((message) => [message])
  return lists
    .flatMap((list) => callsIn(format, list))
    .map(({ call }) => ({ call, id: idOf(call) }))
}

/** Plays a run. Resolves to counts of what was seen; throws a Difference. */
export async function play(plan, { each } = {}) {
  const run = {
    ...plan,
    rounds: [],
    gone: [],
    past: new Map(),
    left: [],
    waiting: [],
    carry: [],
    aliases: {},
    overhead: {},
    version: 0,
    turns: 0,
    count: { turns: 0, searches: 0, calls: 0, loaded: 0, approved: 0, kept: 0, cut: 0, fitted: 0, capped: 0 },
  }
  let at = 0
  try {
    open(run)
    know(run)
    for (const step of plan.steps) {
      const random = dice(step.seed)
      await DO[step.action](run, random)
      know(run)
      // Another catalogue or agent has another note.
      if (["update", "agent", "retell"].includes(step.action)) run.version += 1
      each?.(step, run)
      check(run, carried(run))
      check(run, drawOptions(random, run), random)
      at += 1
    }
  } catch (error) {
    error.step = at
    error.run = run
    throw error
  } finally {
    run.search?.free()
  }
  return run.count
}
