// The conformance program. It runs vectors through the public API of the package that is passed in.
// `tests/support/mod.rs` does the same through the native engine; tests/vectors/README.md has the words of a vector.
//
// No import and nothing of Node: every host of tests/hosts runs this same file.

/** What all vectors come to, a line of JSON each: the bytes that the native engine gives, wherever it runs. */
export async function conformance(toolcrib, vectors) {
  const lines = []
  for (const vector of vectors) lines.push(JSON.stringify(await run(toolcrib, vector)))
  return lines.join("\n")
}

/** What the steps of a vector come to. Inputs are frozen first: whoever writes to one throws. */
export async function run(toolcrib, vector) {
  const { tools, options, messages, steps } = freeze(expand(vector))
  const whole = { tools, options, messages }
  const made = open(toolcrib, tools, options)
  const gives = []
  for (const step of steps) {
    const engine = engineOf(toolcrib, step, whole, made)
    gives.push(await outcome(toolcrib, engine, step, { ...whole, made }))
    if (engine !== made) engine.search?.free()
  }
  made.search?.free()
  return { id: vector.id, gives }
}

function open(toolcrib, tools, options) {
  const objects = named(tools)
  // Of the process and not of an engine: a vector's models have names that no other has.
  const { registered = {}, ...given } = options ?? {}
  for (const [name, contextWindow] of Object.entries(registered)) toolcrib.registerModel(name, { contextWindow })
  try {
    return { tools: objects.map(([, tool]) => tool), objects, options, search: toolcrib.createToolSearch({ tools, ...given }) }
  } catch (error) {
    return { tools: [], objects, options, error }
  }
}

/** The vector's engine, or one of a step's own tools or options, or another agent's, or the one that updates led to. */
function engineOf(toolcrib, step, { tools, options }, made) {
  const own = "tools" in step || "options" in step
  let engine = own ? open(toolcrib, "tools" in step ? step.tools : tools, step.options ?? options) : made
  const derive = (to, more) => {
    if (!engine.search) return
    const older = engine
    // So that there is an index to go by.
    older.search.search("")
    try {
      engine = { ...older, ...more, search: to(older.search) }
    } catch (error) {
      engine = { ...older, ...more, search: undefined, error }
    }
    // Each lives on its own.
    if (older !== made) older.search.free()
  }
  for (const next of step.updates ?? []) {
    const objects = named(next)
    derive((search) => search.update(next).search, { tools: objects.map(([, tool]) => tool), objects })
  }
  if (step.agent) derive((search) => search.agent(step.agent), { options: { ...options, ...step.options, ...step.agent } })
  return engine
}

async function outcome(toolcrib, made, step, whole) {
  try {
    if (made.error) throw made.error
    if (!Object.hasOwn(STEPS, step.do)) throw new Error(`no step is called "${step.do}"`)
    const gives = await STEPS[step.do]({ toolcrib, ...made, step, whole, ...input(step, whole) })
    return step.only === undefined ? gives : only(gives, step.only)
  } catch (error) {
    if (error instanceof toolcrib.ToolcribError) return { error: { code: error.code, message: error.message } }
    // Nothing else may be thrown. No expected outcome looks like this.
    return { threw: `${error?.name}: ${error?.message}` }
  }
}

/** What a step asks for of what it gives, in a list of each. */
function only(gives, keys) {
  if (Array.isArray(gives)) return gives.map((each) => only(each, keys))
  return Object.fromEntries(keys.filter((key) => key in gives).map((key) => [key, gives[key]]))
}

/** The messages of a step, what it says per turn, and the message or messages that it is about. */
function input(step, { messages: all }) {
  const [at, end] = Array.isArray(step.at) ? step.at : [step.at]
  const upTo = step.upTo ?? at
  const perTurn = ["loaded", "forced", "toolChoice", "exclude", "unavailable", "model", "since", "system"].filter((key) => key in step)
  return {
    messages: "messages" in step ? step.messages : upTo === undefined ? all : all.slice(0, upTo),
    perTurn: perTurn.length ? Object.fromEntries(perTurn.map((key) => [key, step[key]])) : undefined,
    message: at === undefined ? undefined : end === undefined ? all[at] : all.slice(at, end),
  }
}

/**
 * The turn before, where a step names one: a turn step of its own, with tools, options and messages of its own where it
 * has them. Given as the turn itself and as its JSON.
 */
function before({ toolcrib, step, whole }) {
  if ("previousAs" in step) return [step.previousAs]
  if (step.previous === undefined) return []
  const engine = engineOf(toolcrib, step.previous, whole, whole.made)
  if (engine.error) throw engine.error
  const { messages, perTurn } = input(step.previous, whole)
  const turn = engine.search.turn(messages, perTurn)
  if (engine !== whole.made) engine.search.free()
  return [turn, JSON.parse(JSON.stringify(turn))]
}

const STEPS = {
  create({ search, objects, options, step }) {
    const { warnings, deferral, note, searchTool } = search
    const names = objects.map(([name]) => name).filter((name) => name !== null)
    // What is not deferred can't be loaded.
    const loaded = new Set(search.turn([], { loaded: names }).loaded)
    const isDeferred = ([name, tool], at) => {
      // Given as loaded, as a call of one that is not may be refused; and so may one without arguments.
      const found = search.resolve(callOf(search.format, name), [], { loaded: [name] })
      return found.error?.code === "invalid_arguments" ? loaded.has(name) && names.indexOf(name) === at : found.deferred === true && found.tool === tool
    }
    const deferred = objects.filter(([name]) => name !== null).filter(isDeferred).map(([name]) => name)
    return step.definitions === true ? { warnings, deferral, note, deferred, searchTool } : { warnings, deferral, note, deferred }
  },

  turn(given) {
    const { search, options, step, messages, perTurn } = given
    const previous = before(given)
    const turns = (previous.length ? previous : [undefined]).map((previous) =>
      search.turn(messages, previous === undefined ? perTurn : { ...perTurn, previous }),
    )
    const turn = turns[0]
    const sent = named(turn.tools)
    const again = named(search.turn(messages, perTurn).tools)
    if (sent.some(([, tool], at) => tool !== again[at][1])) throw new Error("another object on the same turn")
    const wire = turn.names.map((name) => (Object.hasOwn(search.aliases, name) ? search.aliases[name] : name))
    // What has no name on the wire, such as the provider's own search tool, stands there by another word.
    const strange = sent.filter(([name, tool], at) => name !== wire[at] && wire[at] !== null && tool.type !== "tool_search")
    if (sent.length !== wire.length || strange.length) throw new Error(`${wire} are sent as ${sent.map(([name]) => name)}`)
    if (turns.some(({ cache }) => JSON.stringify(cache) !== JSON.stringify(turn.cache))) throw new Error("a turn's JSON is another previous")
    const { note, loaded, leftOut, deferral, delivery, cache, tokens, events, warnings } = turn
    return {
      tools: turn.names,
      // Through JSON, as a schema of the AI SDK holds symbols and what is undefined.
      ...(step.definitions === true ? { definitions: JSON.parse(JSON.stringify(turn.tools)) } : {}),
      note,
      loaded,
      ...(options?.maxSent === undefined ? {} : { leftOut }),
      deferral,
      ...(options?.delivery === undefined ? {} : { delivery }),
      ...(previous.length ? { cache } : {}),
      tokens,
      ...(step.events === true ? { events } : {}),
      warnings,
    }
  },

  fit({ search, step, messages, perTurn }) {
    const room = Object.fromEntries(["contextWindow", "reserve"].filter((key) => key in step).map((key) => [key, step[key]]))
    const options = { ...perTurn, ...room }
    const fitted = search.fit(messages, Object.keys(options).length ? options : undefined)
    // By their positions: the host's own objects come back, and what is none of them is a keep-note.
    const left = [...messages]
    const kept = fitted.messages.map((message) => {
      const at = left.indexOf(message)
      if (at < 0) return message
      left[at] = undefined
      return at
    })
    const since = "since" in step ? { since: fitted.since } : {}
    const carried = { ...perTurn, loaded: fitted.loaded, ...since }
    const [before, after] = [search.turn(messages, perTurn), search.turn(fitted.messages, carried)].map(({ loaded }) => JSON.stringify(loaded))
    if (before !== after) throw new Error(`loaded were ${before}, now ${after}`)
    const again = search.fit(fitted.messages, { ...options, loaded: fitted.loaded, ...since })
    if (again.cut > 0 && fitted.fits) throw new Error("cut again")
    const { loaded, cut, tokens, fits, warnings } = fitted
    return { messages: kept, loaded, ...since, cut, tokens, fits, warnings }
  },

  search({ search, tools, step: { query, limit, explain } }) {
    const given = { ...(limit === undefined ? {} : { limit }), ...(explain === undefined ? {} : { explain }) }
    return hitsOf(search.search(query, Object.keys(given).length ? given : undefined), tools)
  },

  async answer({ search, tools, step, message, messages, perTurn }) {
    const reply = await search.answer(step.calls ?? message, messages, perTurn)
    const fresh = [...new Set(reply.results.flatMap(({ loaded }) => loaded))]
    if (JSON.stringify(fresh) !== JSON.stringify(reply.loaded)) throw new Error("reply.loaded is not that of its results")
    const results = reply.results.map(({ error, loaded, alreadyLoaded, available, more, note, hits }, at) => ({
      part: reply.parts[at],
      error,
      loaded,
      alreadyLoaded,
      available,
      more,
      note,
      hits: hitsOf(hits, tools),
    }))
    return step.others === undefined ? results : { results, messages: reply.messages(step.others) }
  },

  resolve({ search, tools, step, message, messages, perTurn }) {
    const call = message === undefined ? step.call : callsIn(message)[step.call ?? 0]
    const found = search.resolve(call, messages, perTurn)
    if (found.error) return { code: found.error.code, error: found.error.message, part: found.part }
    if (!tools.includes(found.tool)) throw new Error("resolved to another object than the host's")
    const { name, recovered, deferred, loaded, args, warnings } = found
    return {
      name,
      ...(recovered === null ? {} : { recovered }),
      deferred,
      loaded,
      // Through JSON, as a file can't hold the -0 and the infinity that a text can mean.
      args: JSON.parse(JSON.stringify(args)),
      ...(warnings.length ? { warnings } : {}),
    }
  },

  keepNote({ search, step, messages, perTurn }) {
    const after = step.after.map((each) => (typeof each === "number" ? messages[each] : each))
    const kept = search.keepNote(messages, after, perTurn)
    if (kept.some((each, at) => !after.includes(each) && at !== kept.findIndex((own) => !after.includes(own)))) {
      throw new Error("more than one message that is none of the host's")
    }
    const text = JSON.stringify(kept)
    if (JSON.stringify(search.keepNote(messages, kept, perTurn)) !== text) throw new Error("another array the second time")
    const given = step.system === undefined ? undefined : { system: step.system }
    const { loaded } = search.turn(kept, given)
    if (JSON.stringify(search.turn(JSON.parse(text), given).loaded) !== JSON.stringify(loaded)) throw new Error("lost by a checkpoint")
    const place = (each) => (messages.includes(each) ? messages.indexOf(each) : each)
    return { messages: kept.map(place), loaded }
  },

  searchResults: ({ search, messages }) => search.searchResults(messages),
  pending: ({ search, messages }) => search.pending(messages),
  fingerprint: ({ search }) => search.fingerprint(),

  update({ search, step }) {
    const { search: next, added, removed, changed, unchanged } = search.update(step.next)
    const { warnings } = next
    next.free()
    return { added, removed, changed, unchanged, warnings }
  },

  rankTools: ({ toolcrib, tools, step }) => toolcrib.rankTools(step.query, tools, limitOf(step)),
  rankToolsByKeywords: ({ toolcrib, tools, step }) => toolcrib.rankToolsByKeywords(step.query, tools, limitOf(step)),
  estimateTokens: ({ toolcrib, step }) => toolcrib.estimateTokens(step.value),
}

const limitOf = ({ limit }) => (limit === undefined ? undefined : { limit })

function hitsOf(hits, tools) {
  return hits.map(({ tool, name, score, exact, terms, explanation }) => {
    if (!tools.includes(tool)) throw new Error("found another object than the host's")
    const hit = { name, score, exact, terms }
    return explanation === undefined ? hit : { ...hit, explanation }
  })
}

/**
 * The definitions in what a host gives or a turn sends, each with what the engine calls it: `null` for what has no name
 * that can be read. Containers count as what they hold.
 */
function named(tools) {
  if (Array.isArray(tools)) return tools.flatMap(heldIn)
  if (!isPlain(tools)) return []
  if (isPlain(tools.result)) return named(tools.result)
  const isContainer = ["functionDeclarations", "toolConfig", "tools"].some((key) => isObject(tools[key]))
  const isAlone = [tools.name, tools.type, tools.function?.name, tools.toolSpec?.name].some((each) => typeof each === "string")
  // A record: its keys are the names.
  return isContainer || isAlone ? heldIn(tools) : Object.entries(tools)
}

function heldIn(tool) {
  if (!isPlain(tool)) return [[null, tool]]
  const { type, name, tools, toolConfig, functionDeclarations } = tool
  if (Array.isArray(functionDeclarations)) {
    // Gemini's own tools stand beside the declarations, each under its key.
    const hosted = Object.keys(tool).filter((key) => key !== "functionDeclarations")
    return [...hosted.map((key) => [key, tool[key]]), ...functionDeclarations.flatMap(heldIn)]
  }
  if (isPlain(toolConfig)) return named(toolConfig)
  if (type === "namespace" && Array.isArray(tools)) {
    return tools.flatMap(heldIn).map(([inner, each]) => [inner === null ? null : `${name}__${inner}`, each])
  }
  if (Array.isArray(tools) && name === undefined) return tools.flatMap(heldIn)
  return [[label(tool), tool]]
}

function label(tool) {
  const { type, name, custom, toolSpec } = tool
  const keys = Object.keys(tool)
  const isHosted = typeof type === "string" && type !== "function" && !isObject(tool.input_schema)
  const names = isPlain(tool.function)
    ? [tool.function.name]
    : isPlain(toolSpec)
      ? [toolSpec.name]
      : isHosted
        ? [name, isPlain(custom) ? custom.name : undefined, type]
        : // `{cachePoint: ...}`, `{googleSearch: {}}`
          [name, keys.length === 1 && isPlain(tool[keys[0]]) ? keys[0] : undefined]
  const found = names.find((each) => typeof each === "string")
  return found === undefined || found === "" ? null : wellFormed(found)
}

/** The calls in an assistant message of any format, or in the items of a turn. */
function callsIn(message) {
  if (Array.isArray(message)) return message.flatMap(callsIn)
  const { type, tool_calls, toolCalls, content, parts } = message
  if (type === "function_call" || type === "tool_search_call") return [message]
  if (tool_calls ?? toolCalls) return tool_calls ?? toolCalls
  const isCall = (part) => part.type === "tool_use" || part.type === "tool-call" || isPlain(part.toolUse) || isPlain(part.functionCall)
  return [content, parts].filter(Array.isArray).flat().filter(isCall)
}

/** A call without arguments in the format. */
function callOf(format, name) {
  switch (format) {
    case "openai-responses":
      return { type: "function_call", call_id: "call", name, arguments: "{}" }
    case "anthropic":
      return { type: "tool_use", id: "call", name, input: {} }
    case "gemini":
      return { functionCall: { name, args: {} } }
    case "bedrock":
      return { toolUse: { toolUseId: "call", name, input: {} } }
    case "ai-sdk":
      return { type: "tool-call", toolCallId: "call", toolName: name, input: {} }
    case "neutral":
      return { id: "call", name, arguments: {} }
    default:
      return { function: { name, arguments: "{}" } }
  }
}

const isPlain = (value) => isObject(value) && !Array.isArray(value)

/** A lone surrogate becomes U+FFFD on its way into the engine. */
const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, "\uFFFD")

/**
 * Writes out what a file says in words: `{"$repeat": [text, n]}`, `{"$number": "NaN"}`, `{"$concat": [list, ...]}`,
 * `{"$list": [value, n]}` with "#" in texts as the number of the copy, `{"$nest": [value, n, innermost]}` with the
 * text "$inside" as the place of the next level. Gives a copy.
 */
export function expand(value) {
  if (Array.isArray(value)) return value.map(expand)
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value)
  if (entries.length === 1 && entries[0][0].startsWith("$")) {
    const [key, given] = entries[0]
    switch (key) {
      case "$repeat":
        return given[0].repeat(given[1])
      case "$number":
        return Number(given)
      case "$concat":
        return given.flatMap(expand)
      case "$list": {
        const copy = expand(given[0])
        return Array.from({ length: given[1] }, (_, at) =>
          replace(copy, (text) => (text.includes("#") ? text.replaceAll("#", String(at)) : undefined)),
        )
      }
      case "$nest": {
        const [outer, levels, innermost] = given.map(expand)
        let nested = innermost
        for (let level = 0; level < levels; level++) {
          nested = replace(outer, (text) => (text === "$inside" ? nested : undefined))
        }
        return nested
      }
    }
  }
  // Not by assignment: a key may be called "__proto__".
  return Object.fromEntries(entries.map(([key, inner]) => [key, expand(inner)]))
}

function replace(value, given) {
  if (typeof value === "string") return given(value) ?? value
  if (Array.isArray(value)) return value.map((inner) => replace(inner, given))
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner, given)]))
}

function freeze(value) {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}

/** The first place where two outcomes differ, the order of keys included; undefined where none does. */
export function difference(want, got, at = "gives") {
  if (Object.is(want, got)) return undefined
  const isList = Array.isArray(want)
  if (!isObject(want) || !isObject(got) || isList !== Array.isArray(got)) return unlike(want, got, at)
  const keys = Object.keys(want)
  const same = JSON.stringify(keys) === JSON.stringify(Object.keys(got))
  if (!isList && !same) return unlike(want, got, at)
  for (const key of keys) {
    if (isList && !(key in got)) break
    const found = difference(want[key], got[key], isList ? `${at}[${key}]` : `${at}.${key}`)
    if (found) return found
  }
  return same ? undefined : unlike(want, got, at)
}

const isObject = (value) => value !== null && typeof value === "object"

function unlike(want, got, at) {
  const short = (value) => {
    const text = JSON.stringify(value) ?? String(value)
    return text.length > 600 ? `${text.slice(0, 600)}…` : text
  }
  return `${at}: want ${short(want)}, got ${short(got)}`
}
