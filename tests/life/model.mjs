// The rules of a run, from DESIGN.md, in the plainest code that can say them: nothing is shared with the engine, nothing is
// fast, and every answer is worked out anew from the list of what was said (the language of tests/formats/tell.mjs).
//
// A tool here is `{ name, words, cost, mark, server, required }`; an agent is what a host has decided:
// `{ format, way, tools, deferred, resident, servers, threshold, contextWindow, calls, unloadedCall, handoff, whenAllLoaded, limit }`.
// What a search finds is the engine's to say; which of it may be there is said here.

export const SEARCH = "tool_search"
export const PROXY = "call_tool"
export const HANDOFFS = "transfer_to_*"

// ------------------------------------------------------------------------------------------------ the catalogue

const fits = (glob, name) => (glob.endsWith("*") ? name.startsWith(glob.slice(0, -1)) : glob === name)
const anyFits = (globs, name) => (globs ?? []).some((glob) => fits(glob, name))

/** Nearest to the host wins: handoffs and residents, the agent's list, the mark, the server, then `above`. */
export function isDeferred(tool, agent) {
  if (fits(HANDOFFS, tool.name) || anyFits(agent.resident, tool.name)) return false
  if (Array.isArray(agent.deferred) && anyFits(agent.deferred, tool.name)) return true
  if (tool.mark !== undefined) return tool.mark
  const server = agent.servers?.[tool.server]
  if (server?.deferLoading !== undefined) return server.deferLoading
  return agent.deferred?.above !== undefined && agent.tools.length > agent.deferred.above
}

/** An agent with its catalogue. */
export function agent(decided, tools) {
  const agent = { ...decided, tools }
  agent.withheld = tools.filter((tool) => isDeferred(tool, agent))
  return agent
}

const named = (agent, name) => agent.tools.find((tool) => tool.name === name)
const withheld = (agent) => agent.withheld
const sum = (tools) => tools.reduce((all, { cost }) => all + cost, 0)

// ----------------------------------------------------------------------------------------------------- the fold

/**
 * What a conversation says: `loaded`, in order; `began`; `open`, the calls that nothing has answered; `results`, those of
 * searches; `seen`, how the provider first learned of a tool; `referred` and `strangers`, what references lead to that the
 * catalogue has, and has no more; `quiet`, how many searches in a row found nothing new; `asked`, what was searched for.
 *
 * @param ids whether calls and results have ids; without them they pair by name, in order
 * @param since what stands before this position loads nothing
 */
export function fold(says, agent, { ids, carried = [], forced = [], since = 0 }) {
  // A keep-note says all that is loaded where it stands: what stands before it loads nothing, nor what stands before `since`.
  const note = says.findLastIndex((said) => said.note)
  const start = Math.max(since, note)
  let counts = false
  let loaded = []
  let open = []
  let began = note >= 0
  const results = []
  const seen = {}
  const strangers = []
  const referred = []
  // How many searches in a row found nothing new: no other call did its work in between, and no person said anything.
  let quiet = 0
  const asked = []
  let byMessages = []
  const load = (name) => {
    if (withheld(agent).some((tool) => tool.name === name) && !loaded.includes(name)) loaded.push(name)
  }
  const isNew = (name) => withheld(agent).some((tool) => tool.name === name) && !byMessages.includes(name)
  const callsLoad = agent.calls === "load" || agent.unloadedCall === "load"
  carried.forEach(load)
  for (const [at, said] of says.entries()) {
    counts = at >= start
    if (at === note && counts) {
      for (const name of said.note) {
        seen[name] ??= "text"
        load(name)
        byMessages.push(name)
      }
    }
    if (said.user !== undefined) quiet = 0
    if (said.assistant !== undefined) {
      // A new turn drops what nobody answered, but for what waits for a person's word.
      open = open.filter((call) => call.waits)
      for (const call of said.calls ?? []) {
        began ||= call.name === SEARCH
        const written = call.name === PROXY ? call.args?.name : call.name
        const meant = named(agent, written) || !written || !callsLoad ? written : (recovered(agent, written)?.name ?? written)
        if (counts && (callsLoad || forced.includes(written))) {
          load(meant)
          byMessages.push(meant)
        }
        open.push({ ...call, meant, waits: said.asks?.includes(call.id) })
      }
    }
    for (const result of said.results ?? []) {
      const at = open.findIndex((call) => (ids ? call.id === result.of : call.name === result.name))
      if (at < 0) continue
      const [call] = open.splice(at, 1)
      if (counts && call.name === SEARCH) quiet += 1
      if (result.failed) continue
      if (counts && call.name !== SEARCH) quiet = 0
      if (call.name === SEARCH && result.content.found) {
        results.push({ id: ids ? call.id : null, names: result.content.found })
        if (counts && (result.content.found.some(isNew) || call.former)) quiet = 0
        if (counts) asked.push(JSON.stringify(call.args?.query))
        for (const name of result.content.found) {
          if (result.by === "reference") (named(agent, name) ? referred : strangers).push(name)
          seen[name] ??= result.by
          if (counts && !call.former) {
            load(name)
            byMessages.push(name)
          }
        }
      }
      // What is still to come of the calls that were open then is the former agent's, too.
      if (counts && agent.handoff === "reset" && call.meant && fits(HANDOFFS, call.meant)) {
        loaded = []
        byMessages = []
        open = open.map((other) => ({ ...other, former: true }))
      }
    }
  }
  return { loaded, began, open, results, seen, strangers: [...new Set(strangers)], referred, quiet, asked }
}

const reading = (ids, { loaded, forced, since }) => ({ ids, carried: loaded, forced, since: since?.says })

/** The searches that wait for an answer, by the ids of their calls. */
export const pending = (says, agent, ids) => fold(says, agent, { ids }).open.filter((call) => call.name === SEARCH).map((call) => call.id)

// ------------------------------------------------------------------------------------------------- the decision

const DEFAULTS = { share: 0.1, tokens: 20_000, tools: 128 }

/** Whether deferral applies, and by which rule. */
export function decide(agent, began, { unavailable = [], window } = {}) {
  const tokens = sum(withheld(agent))
  const { threshold, contextWindow = window ?? 128_000 } = agent
  const limits = threshold === undefined ? DEFAULTS : typeof threshold === "number" ? { share: threshold } : threshold
  const no = (reason) => ({ applied: false, reason, tokens })
  const yes = (reason) => ({ applied: true, reason, tokens })
  // What could not be listed is not gone for good.
  if (withheld(agent).length === 0) return began && unavailable.length && threshold !== false ? yes("begun") : no("nothing_deferred")
  if (threshold === false) return no("never")
  if (Object.values(limits).includes(0)) return yes("always")
  if (limits.share !== undefined && tokens >= limits.share * contextWindow) return yes("share")
  if (limits.tokens !== undefined && tokens >= limits.tokens) return yes("tokens")
  if (limits.tools !== undefined && agent.tools.length > limits.tools) return yes("tools")
  return began ? yes("begun") : no("below")
}

// ----------------------------------------------------------------------------------------------------- the turn

/** What goes out, and what a turn says of it. */
export function turn(says, agent, ids, options = {}) {
  const { exclude = [], forced = [] } = options
  const history = fold(says, agent, reading(ids, options))
  const { applied, reason, tokens } = decide(agent, history.began, options)
  const isAllowed = (name) => !anyFits(exclude, name)
  const names = (tools) => tools.map(({ name }) => name)
  const allowed = agent.tools.filter(({ name }) => isAllowed(name))
  const deferred = names(allowed.filter((tool) => isDeferred(tool, agent)))
  const loaded = history.loaded.filter(isAllowed)
  const warnings = []
  let searchForced = false
  for (const name of forced) {
    if (!named(agent, name)) {
      if (name === SEARCH && applied) searchForced = true
      else warnings.push("forced_unknown")
    } else if (!isAllowed(name)) warnings.push("forced_excluded")
    else if (isDeferred(named(agent, name), agent)) {
      if (agent.way === "proxy" && applied) warnings.push("forced_by_proxy")
      if (!loaded.includes(name)) loaded.push(name)
    }
  }
  const sent = names(applied ? allowed.filter((tool) => !isDeferred(tool, agent)) : allowed)
  const isResponses = agent.format === "openai-responses"
  // The provider's own items in the history want its own search tool, whatever is loaded.
  const hasItems = isResponses && says.some((said) => said.calls?.some((call) => call.native) || said.results?.some((result) => result.native))
  const billsCache = ["anthropic", "bedrock", "ai-sdk"].includes(agent.format)
  const keeps = agent.way !== "append" || (agent.whenAllLoaded ?? (billsCache ? "keep" : "withdraw")) === "keep" || hasItems || searchForced
  const note = applied && (keeps || loaded.length < deferred.length || options.unavailable?.length > 0)
  if (note || hasItems) sent.push(SEARCH)
  const referred = names(withheld(agent)).filter((name) => history.referred.includes(name))
  const readsReferences = agent.format === "anthropic" || agent.format === "ai-sdk"
  if (applied && agent.way === "append") sent.push(...loaded)
  // The provider has what a result defined, as long as no text named it first. What a handoff unloaded and a choice forces is
  // sent as if it had not.
  const isDefined = (name) => history.loaded.includes(name) && history.seen[name] === "definition"
  if (applied && agent.way === "definition") sent.push(...loaded.filter((name) => !isDefined(name)))
  // Every definition goes out, flagged, so that no search changes the tools.
  if (applied && agent.way === "reference") sent.push(...deferred)
  if (applied && agent.way === "proxy") {
    sent.push(PROXY)
    if (readsReferences) sent.push(...deferred.filter((name) => referred.includes(name)))
  }
  // A reference to what is not among the tools is refused by the provider, so a stand-in goes out.
  if (readsReferences && agent.way !== "append") sent.push(...history.strangers, ...referred.filter((name) => !isAllowed(name)))
  const cost = (list) => sum(list.map((name) => named(agent, name)))
  return {
    names: sent,
    note: note && withheld(agent).length > 0,
    loaded,
    applied,
    reason,
    deferredTools: withheld(agent).length,
    deferredTokens: tokens,
    catalogueTools: agent.tools.length,
    tokens: { withheld: applied ? cost(deferred) - cost(loaded) : 0, all: sum(allowed) },
    // What the definitions that the model sees cost, beside search tool and note.
    spent: applied ? sum(allowed) - cost(deferred) + cost(loaded) : sum(allowed),
    warnings,
  }
}

/** What has changed since the last request, which was made before the assistant's last turn; all is new before the first. */
export function events(says, agent, ids, options = {}) {
  const last = says.findLastIndex((said) => said.assistant !== undefined)
  const now = turn(says, agent, ids, options)
  const before = last < 0 ? { loaded: [], warnings: [] } : turn(says.slice(0, last), agent, ids, options)
  const found = []
  if (before.applied !== now.applied || before.reason !== now.reason) found.push({ type: "deferral", reason: now.reason })
  const differ = (type, names, known) => {
    const left = names.filter((name) => !known.includes(name))
    if (left.length) found.push({ type, names: left })
  }
  differ("loaded", now.loaded, before.loaded)
  differ("unloaded", before.loaded, now.loaded)
  for (const code of now.warnings) if (!before.warnings.includes(code)) found.push({ type: "warning", code })
  return found
}

// ---------------------------------------------------------------------------------------------------- the calls

const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, "")
const short = (name) => name.slice(Math.max(...["__", ".", "/"].map((joint) => (name.includes(joint) ? name.lastIndexOf(joint) + joint.length : 0))))

/** The tools that another spelling of a name can mean: another case or separator, or what stands behind a server's prefix. */
const near = (agent, name) => agent.tools.filter((tool) => [tool.name, short(tool.name)].some((own) => plain(own) === plain(name)))

/** The one that is meant. A handoff is called by its own name only. */
function recovered(agent, name) {
  const fitting = near(agent, name)
  return fitting.length === 1 && !fits(HANDOFFS, fitting[0].name) ? fitting[0] : undefined
}

/** Where a call leads, made after `before`: the tool, or the code of what is wrong. */
export function resolve(call, before, agent, ids, options = {}) {
  if (call.name === SEARCH) return { code: "search_call" }
  let { name, args } = call
  if (name === PROXY) {
    if (typeof args?.name !== "string") return { code: "invalid_arguments" }
    ;({ name, arguments: args } = args)
  }
  const tool = named(agent, name) ?? recovered(agent, name)
  // Which of several is meant nobody can say, whatever is excluded.
  if (!named(agent, name) && !anyFits(options.exclude, name) && near(agent, name).length > 1) return { code: "ambiguous_tool" }
  if (!tool || anyFits(options.exclude, tool.name)) return { code: "unknown_tool" }
  const called = name === tool.name ? null : name
  name = tool.name
  const history = fold(before, agent, reading(ids, options))
  const deferred = isDeferred(tool, agent)
  const loaded =
    !deferred || history.loaded.includes(name) || (options.forced ?? []).includes(name) || !decide(agent, history.began, options).applied
  if (!loaded && agent.unloadedCall === "refuse") return { code: "not_loaded" }
  // Models write an empty text or null where a tool takes nothing.
  const given = args === undefined || args === null || args === "" ? {} : args
  if (typeof given !== "object") return { code: "invalid_arguments" }
  if (!isSound(given, tool)) return { code: "invalid_arguments" }
  return { name, recovered: called, deferred, loaded, args: given }
}

/** Tools take `{ text?: string, count?: integer }`, and some want the text. */
const isSound = ({ text, count }, tool) =>
  (text === undefined ? !tool.required : typeof text === "string") && (count === undefined || Number.isInteger(count))

// -------------------------------------------------------------------------------------------------- the answers

/** What is wrong with the answers to searches of a conversation that goes so far, as far as rules say it; null where nothing is. */
export function faultOfAnswers(searches, reply, says, agent, ids, options = {}, knows = {}) {
  const { loaded: all, quiet, asked: past } = fold(says, agent, reading(ids, options))
  let inVain = quiet
  const isAllowed = (name) => !anyFits(options.exclude, name)
  const deferred = withheld(agent).map(({ name }) => name).filter(isAllowed)
  const loaded = all.filter(isAllowed)
  const max = agent.limit?.max ?? 20
  const usual = Math.min(agent.limit?.default ?? 5, max)
  const also = new Set()
  if (reply.results.length !== searches.length) return `${searches.length} searches, ${reply.results.length} results`
  for (const [at, { args }] of searches.entries()) {
    const result = reply.results[at]
    const at_ = `results[${at}]`
    const asked = typeof args === "string" ? args : args?.query
    const isSoundQuery = typeof asked === "string" || (Array.isArray(asked) && asked.some((each) => typeof each === "string"))
    if ((result.error === null) !== isSoundQuery) return `${at_}: ${JSON.stringify(args)} gives the error ${result.error}`
    if (result.error !== null) {
      if (result.hits.length || result.loaded.length) return `${at_}: a failed search loads nothing`
      inVain += 1
      continue
    }
    const hits = result.hits.map(({ name }) => name)
    const isNew = (name) => !loaded.includes(name)
    const wanted = Number.isFinite(args?.limit) ? Math.min(Math.max(Math.trunc(args.limit), 1), max) : usual
    if (new Set(hits).size !== hits.length) return `${at_}: a hit comes twice: ${hits}`
    for (const name of hits) if (!deferred.includes(name)) return `${at_}: ${name} is no deferred tool that may be found`
    if (String(result.loaded) !== String(hits.filter(isNew))) return `${at_}: loaded is ${result.loaded}, of the hits ${hits} before: ${loaded}`
    for (const name of hits) if (!isNew(name) && !result.alreadyLoaded.includes(name)) return `${at_}: ${name} was loaded before`
    for (const name of result.alreadyLoaded) if (isNew(name)) return `${at_}: ${name} was not loaded before`
    for (const name of result.available) {
      if (!named(agent, name) || isDeferred(named(agent, name), agent) || !isAllowed(name)) return `${at_}: ${name} is not available`
    }
    const exact = result.hits.filter((hit) => hit.exact && isNew(hit.name)).length
    if (result.loaded.length > Math.max(wanted, Math.min(exact, max))) return `${at_}: ${result.loaded.length} loaded, the limit is ${wanted}`
    // The third search that finds nothing new is the last, and the same search again is told so.
    inVain = result.loaded.some((name) => !also.has(name)) ? 0 : inVain + 1
    if (knows.stops) {
      const isHopeless = result.note.includes("Stop searching")
      if (isHopeless !== (inVain >= 3 && !result.loaded.length)) return `${at_}: search ${inVain} in vain is told: ${result.note}`
      const isKnown = hits.length > 0 && !result.loaded.length && past.includes(JSON.stringify(args?.query))
      if (isKnown && !isHopeless && !result.note.includes("searched for this before")) return `${at_}: a repeated search is told: ${result.note}`
    }
    for (const name of result.loaded) also.add(name)
    const more = deferred.filter((name) => isNew(name) && !also.has(name)).length
    if (result.more !== more) return `${at_}: more is ${result.more}, not ${more}`
    // Names and nothing else are asked for by `select:`, up to the maximum.
    if (typeof asked === "string" && asked.startsWith("select:")) {
      const chosen = new Set(asked.slice(7).split(",").filter((name) => deferred.includes(name) && isNew(name)))
      const isDue = result.loaded.length === Math.min(chosen.size, max) && result.loaded.every((name) => chosen.has(name))
      if (!isDue) return `${at_}: ${asked} loads ${result.loaded}`
    }
    // An exact name comes first.
    if (deferred.includes(asked) && hits[0] !== asked) return `${at_}: ${asked} does not come first: ${hits}`
  }
  if (String(reply.loaded) !== String([...also])) return `reply.loaded is ${reply.loaded}, not ${[...also]}`
  return null
}

/** The names that an answer says to the model, and in which form: what the messages then show. */
export function told(result, call, agent) {
  // The provider's own item has no form for a failure: it holds nothing.
  if (result.error !== null && call.native) return { content: { found: [] }, by: "definition" }
  if (result.error !== null) return { failed: "error", content: { text: "It failed." }, by: "text" }
  const hits = result.hits.map(({ name }) => name)
  const fresh = result.loaded.length ? result.loaded : hits
  if (call.native) return { content: { found: fresh }, by: "definition" }
  if (agent.way === "reference" && result.loaded.length) return { content: { found: result.loaded }, by: "reference" }
  return { content: { found: hits }, by: "text" }
}

// ------------------------------------------------------------------------------------------------- the catalogue

/** What `update` says of two catalogues. */
export function changes(before, after) {
  const old = new Map(before.map((tool) => [tool.name, tool]))
  const now = new Map(after.map((tool) => [tool.name, tool]))
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
  return {
    added: after.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    removed: before.filter(({ name }) => !now.has(name)).map(({ name }) => name),
    changed: after.filter((tool) => old.has(tool.name) && !same(old.get(tool.name), tool)).map(({ name }) => name),
  }
}
