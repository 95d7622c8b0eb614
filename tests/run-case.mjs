// Runs case files through the built package: `node tests/run-case.mjs FILE...`
//
// A file is `{id, input, expect, why}`; the README beside the cases is the specification of every
// key. A key that this file does not know is a failure, never a skip. One option stands in no shared
// case: `model`, which the deliveries `auto` and, with the AI SDK, `native` go by.

import { readFileSync, realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { MESSAGES, TOOLS, present, schemaIn, sent, shown } from "./support/shapes.mjs"

const INPUT = ["format", "tools", "generate", "messages", "options", "query"]
const GENERATE = ["count", "prefix", "descriptionWords", "params", "defer", "server"]
const OPTIONS = [
  "contextWindow",
  "thresholdPercent",
  "thresholdTokens",
  "maxTools",
  "limit",
  "maxLimit",
  "toolChoice",
  "searchToolName",
  "toolSearchDisabled",
  "maxNameLength",
  "deferServers",
  "rawArguments",
  "whenAllLoaded",
  "unloadedCall",
  "handoff",
  "delivery",
  "model",
  "loaded",
  "exclude",
]
const DELIVERIES = ["append", "native", "proxy", "auto"]
/** What the model calls in the delivery that never sends what is loaded. */
const CALL_TOOL = "call_tool"
/** An id that no transcript in a case uses. */
const CALL_ID = "call_made_by_the_runner"
/** How often a search runs when only its speed after the first is asked for. */
const REPEATS = 20

/** Runs one case. Gives what differs, one line each: none when all is as expected. */
export async function runCase(api, file) {
  const input = file.input ?? {}
  const expect = file.expect ?? {}
  const format = input.format ?? "openai-chat"
  if (!Object.hasOwn(TOOLS, format)) return [`format "${format}" is not in this release`]
  const delivery = input.options?.delivery ?? "append"
  if (!DELIVERIES.includes(delivery)) return [`delivery "${delivery}" is not in this release`]

  const differences = [
    ...unknown("input", input, INPUT),
    ...unknown("input.options", input.options, OPTIONS),
    ...list(input.generate).flatMap((generate) => unknown("input.generate", generate, GENERATE)),
    ...unknown("expect", expect, [...Object.keys(EXPECT), ...THROWING, "needs"]),
    ...unknown("the file", file, ["id", "source", "category", "input", "expect", "why"]),
    ...Object.keys(NESTED).filter((key) => key in expect).flatMap((key) => hollow(`expect.${key}`, expect[key])),
    ...("throws" in expect && typeof expect.throws !== "boolean" ? [`unknown value in expect.throws: ${show(expect.throws)}`] : []),
    ...Object.keys(NESTED).flatMap((key) => unknown(`expect.${key}`, expect[key], NESTED[key])),
  ]
  if (differences.length) return differences

  const before = JSON.stringify(file)
  freeze(file)
  const globals = globalKeys()
  try {
    differences.push(...(await compare(api, file, format)))
  } catch (error) {
    differences.push(`threw ${error?.code ?? error?.name}: ${error?.message}`)
  }
  if (JSON.stringify(file) !== before) differences.push("the input was mutated")
  if (globalKeys() !== globals) differences.push("a built-in prototype was changed")
  return differences
}

async function compare(api, file, format) {
  const { input, expect } = file
  const run = makeRun(api, input, format)
  const wantsThrow = expect.throws === true || "throwsCode" in expect || "throwsMentions" in expect
  try {
    run.search = run.create(run.tools)
    run.turn = run.search.turn(run.messages, run.perTurn)
  } catch (error) {
    if (!wantsThrow) throw error
    const differences = []
    if ("throwsCode" in expect && error.code !== expect.throwsCode) {
      differences.push(differs("throwsCode", expect.throwsCode, error.code ?? error.name))
    }
    for (const text of list(expect.throwsMentions)) {
      if (!String(error.message).includes(text)) differences.push(differs("throwsMentions", text, error.message))
    }
    const others = Object.keys(expect).filter((key) => !THROWING.includes(key) && key !== "needs")
    if (others.length) differences.push(differs("throws", `nothing else beside it`, others))
    return differences
  }
  if (wantsThrow) return [differs("throws", expect.throwsCode ?? "an error", "nothing thrown")]

  const differences = []
  if ("query" in input) run.main = await run.ask(input.query)
  run.raw = []
  for (const text of list(input.options?.rawArguments)) run.raw.push(await run.askRaw(text))
  // Without a query the arguments as the model wrote them are the search.
  run.main ??= run.raw[0]
  for (const [key, want] of Object.entries(expect)) {
    if (!Object.hasOwn(EXPECT, key)) continue
    for (const difference of (await EXPECT[key](run, want, expect)) ?? []) {
      if (difference) differences.push(difference)
    }
  }
  return differences
}

// ---------------------------------------------------------------------------------------- the run

/** Everything that the expectations look at. This function is the one that knows the package. */
function makeRun(api, input, format) {
  const options = input.options ?? {}
  const defined = [...(input.tools ?? []), ...list(input.generate).flatMap(generated)]
  // Tools of no provider go with messages of any; where these show none either, they go out as they are.
  const wire = Object.hasOwn(MESSAGES, format) && format !== "neutral" ? format : (shown(input.messages) ?? "neutral")
  const writes = MESSAGES[wire]
  /** The name and the schema of a wrapped tool, which stand in another place in every shape. */
  const neutral = new Map()
  const counts = new Map()
  for (const { name } of defined) counts.set(name, (counts.get(name) ?? 0) + 1)
  const marks = new Map()
  const servers = {}
  const tools = defined.map((tool) => {
    const { defer, server, ...rest } = tool
    const marked = Object.keys(rest).some((key) => /^defer/i.test(key))
    const served = server !== undefined
    if (served) {
      const entry = (servers[server] ??= { tools: [] })
      // By list, so that the tool object stays as it is; by key where a name says too little.
      if (counts.get(tool.name) > 1) rest.server = server
      else entry.tools.push(tool.name)
    }
    const wrapped = freeze(TOOLS[format].tool(rest))
    neutral.set(wrapped, tool)
    const byServer = served && (options.deferServers ?? []).includes(server)
    if (!marked) marks.set(wrapped, defer === undefined ? (byServer ? undefined : true) : defer)
    return wrapped
  })
  for (const name of options.deferServers ?? []) (servers[name] ??= { tools: [] }).deferLoading = true

  const named = options.searchToolName ?? "tool_search"
  const threshold = present({
    share: options.thresholdPercent,
    tokens: options.thresholdTokens,
    tools: options.maxTools,
  })
  const settings = present({
    format: wire,
    delivery: options.delivery,
    model: options.model,
    contextWindow: options.contextWindow,
    threshold: options.toolSearchDisabled ? false : Object.keys(threshold).length ? threshold : undefined,
    deferred: (tool) => marks.get(tool),
    servers,
    limit: present({ default: options.limit, max: options.maxLimit ?? (options.limit > 20 ? options.limit : undefined) }),
    searchTool: { name: named },
    maxNameLength: options.maxNameLength,
    aliases: options.maxNameLength === undefined ? undefined : false,
    whenAllLoaded: options.whenAllLoaded,
    unloadedCall: options.unloadedCall,
    calls: options.unloadedCall === "load" ? "load" : undefined,
    handoff: options.handoff,
  })
  const perTurn = present({
    loaded: options.loaded,
    exclude: options.exclude,
    forced: forced(options.toolChoice),
  })

  const nameOf = (tool) => neutral.get(tool)?.name
  const neutralNames = new Set(tools.map(nameOf))
  const pack = (order) => freeze(TOOLS[format].pack(order.map((tool) => [nameOf(tool), tool])))
  const run = {
    api,
    input,
    options,
    tools,
    /** The catalogue as it is handed over. */
    packed: pack(tools),
    searchTool: named,
    // As it is, array or not.
    messages: "messages" in input ? input.messages : [],
    perTurn,
    query: input.query,
    /** Every answer of this case, for what must hold of all of them. */
    answers: [],
    nameOf,
    schemaOf: (tool) => neutral.get(tool)?.inputSchema,
    byName: (name) => tools.find((tool) => nameOf(tool) === name),
    create: (order) => api.createToolSearch({ tools: pack(order), ...settings }),
    /** What a turn sends, by name. */
    sent: (turn) => sent(turn.tools, named),
    /** Those names, where a tool goes out under an alias by its own name, unless the file has the alias. */
    namesSent: (turn, want) =>
      run.sent(turn).map(({ name, definition }) => (list(want).includes(name) ? name : run.ownName(name, definition))),
    /** The host's name of what goes out under this one: a case can't know what a project makes of a refused name. */
    ownName(name, definition) {
      if (neutralNames.has(name) || name === named || name === CALL_TOOL) return name
      const schema = schemaIn(definition)
      const found = run.search.resolve(run.call(name, JSON.stringify(sample(schema, schema))), run.messages, run.perTurn)
      return found.error ? name : found.name
    },
    /** Whether a text that the model reads has the tool's name, or the one under which it goes out. */
    says(text, name) {
      const isIt = (one) => one.name !== name && run.ownName(one.name, one.definition) === name
      return text.includes(name) || run.sent(run.turn).some((one) => isIt(one) && text.includes(one.name))
    },
    /** A call as a model writes it: `text` is its arguments. Where the wire takes an object, a host has parsed it. */
    call(name, text) {
      return freeze(writes.call(name, writes.object ? (parsed(text) ?? text) : text, CALL_ID))
    },
    /** A search call; the provider's own item where its search tool was sent. */
    searchCall(text) {
      const native = run.sent(run.turn).some(({ definition }) => definition?.type === "tool_search")
      if (!native || !writes.searchItem) return run.call(named, text)
      return writes.searchItem(parsed(text) ?? text, CALL_ID)
    },
    /** What `answer` makes of a search call with these arguments, and how long it took. */
    async askRaw(text, engine = run.search) {
      const assistant = freeze(writes.assistant([run.searchCall(text)]))
      const start = performance.now()
      // Items of their own are handed over as they are, a message as the message.
      const reply = await engine.answer(assistant.length === 1 ? assistant[0] : assistant, run.messages, run.perTurn)
      const millis = performance.now() - start
      if (reply.parts.length !== 1 || reply.results.length !== 1) {
        throw new Error(`one search call got ${reply.parts.length} parts and ${reply.results.length} results`)
      }
      const [part] = reply.parts
      if (writes.answers(part) !== CALL_ID) throw new Error(`the part answers another call: ${show(part)}`)
      const [result] = reply.results
      const names = result.hits.map((hit) => hit.name)
      const answer = { assistant, reply, part, ...reads(writes.said(part)), text, result, millis, names }
      run.answers.push(answer)
      return answer
    },
    ask: (query, engine) => run.askRaw(JSON.stringify({ query }), engine),
    askLimit: (query, limit) =>
      run.askRaw(JSON.stringify(limit === "undefined" ? { query } : { query, limit })),
    namesFor: async (query) => (await run.ask(query)).names,
  }
  return run
}

/** `tool_choice` as hosts write it; only a tool's name forces one. */
function forced(choice) {
  if (choice === undefined || choice === null) return undefined
  const many = choice.functionCallingConfig?.allowedFunctionNames
  if (Array.isArray(many)) return many
  const name =
    typeof choice === "string"
      ? choice
      : (choice.function?.name ?? choice.custom?.name ?? choice.tool?.name ?? choice.toolName ?? choice.name)
  return name === undefined || ["auto", "none", "required", "any"].includes(name) ? undefined : [name]
}

const WORDS = (
  "create list update delete search find send read write export import report invoice customer order payment " +
  "refund shipment account contact ticket issue comment project branch commit file folder document page image " +
  "calendar event message channel user group role token server database table record query index metric alert " +
  "deploy build test release version package device sensor weather route price stock currency language note"
).split(" ")

/** A catalogue of any size, the same on every machine. */
function generated({ count, prefix = "tool", descriptionWords = 8, params = 2, ...rest }) {
  const word = (n) => WORDS[n % WORDS.length]
  return Array.from({ length: count }, (_, i) => ({
    name: `${prefix}_${word(i)}_${i}`,
    description: Array.from({ length: descriptionWords }, (_, n) => word(i * 7 + n * 13)).join(" "),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: params }, (_, n) => [
          `${word(i + n * 5)}_${n}`,
          { type: "string", description: `${word(i * 3 + n)} ${word(i + n * 11)}` },
        ]),
      ),
    },
    ...rest,
  }))
}

// ------------------------------------------------------------------------------- the expectations

const THROWING = ["throws", "throwsCode", "throwsMentions"]

/** Each gives the lines of what differs; empty ones are dropped. */
const EXPECT = {
  deferral: ({ turn }, want) => [same("deferral.active", want.active, turn.deferral.applied)],

  tools(run, want) {
    const { turn, tools } = run
    const definitions = run.sent(turn)
    return Object.entries(want).flatMap(([key, value]) => {
      const at = `tools.${key}`
      const names = run.namesSent(turn, value)
      switch (key) {
        case "equals":
          return same(at, value, names)
        case "set":
          return sameSet(at, value, names)
        case "includes":
          return within(at, value, names)
        case "excludes":
          return without(at, value, [...names, ...definitions.map(({ name }) => name)])
        case "count":
          return same(at, value, names.length)
        case "maxCount":
          return atMost(at, value, names.length)
        case "uniqueNames":
          return same(at, value, new Set(definitions.map(({ name }) => name)).size === definitions.length)
        case "definitionUnchanged":
          return list(value).map((name) => {
            const found = definitions.find((one) => one.name === name)
            const own = tools.some((tool) => run.nameOf(tool) === name && tool === found?.definition)
            return own ? undefined : differs(at, `${name} as the same object`, found === undefined ? "not sent" : "another object")
          })
        case "noKeyAnywhere":
          return list(value).map((name) => (keysOf(turn.tools).has(name) ? differs(at, `no key "${name}"`, "one") : undefined))
        case "byteIdenticalToInput":
          return same(at, value, JSON.stringify(turn.tools) === JSON.stringify(run.packed))
      }
    })
  },

  loaded: ({ turn }, want) => [
    "equals" in want ? same("loaded.equals", want.equals, turn.loaded) : undefined,
    "set" in want ? sameSet("loaded.set", want.set, turn.loaded) : undefined,
  ],

  estimate: ({ turn }, want) => [
    "min" in want && !(turn.tokens.all >= want.min) ? differs("estimate.min", `at least ${want.min}`, turn.tokens.all) : undefined,
    "max" in want ? atMost("estimate.max", want.max, turn.tokens.all) : undefined,
  ],

  async search(run, want) {
    const differences = []
    for (const [key, value] of Object.entries(want)) {
      differences.push(...list(await SEARCH[key](run, value, `search.${key}`, want)))
    }
    return differences
  },

  warns({ search, turn }, want) {
    const warnings = [...search.warnings, ...turn.warnings].map(({ message }) => message)
    return list(want).map((text) =>
      warnings.some((message) => message.includes(text)) ? undefined : differs("warns", text, warnings),
    )
  },

  output(run, want) {
    const { search, turn, answers } = run
    const ours = [
      turn.note,
      search.note,
      search.searchTool,
      search.warnings,
      turn.warnings,
      answers.map(({ part, value, result, reply }) => [
        part,
        reply.loaded,
        { ...result, hits: result.hits.map(({ tool: _, ...hit }) => hit) },
        value,
      ]),
    ]
    const faulty = stringsOf(ours).filter((text) => !text.isWellFormed())
    return [same("output.wellFormedUnicode", want.wellFormedUnicode, faulty.length === 0)]
  },

  // Every run compares the prototypes before and after; here the results are looked at as well.
  noPrototypePollution({ turn, answers }, want) {
    const objects = [turn, turn.deferral, ...answers.flatMap(({ reply, result }) => [reply, result])]
    const clean =
      objects.every((object) => Object.getPrototypeOf(object) === Object.prototype) &&
      Object.keys({}).length === 0 &&
      ({}).polluted === undefined
    return [same("noPrototypePollution", want, clean)]
  },

  searchToolDefinition(run, want) {
    const definition = (turn) => run.sent(turn).find(({ name }) => name === run.searchTool)?.definition
    const ours = definition(run.turn)
    if (!ours) return [differs("searchToolDefinition", "sent", "not sent")]
    const differences = []
    if ("maxTokens" in want) {
      differences.push(atMost("searchToolDefinition.maxTokens", want.maxTokens, run.api.estimateTokens(ours)))
    }
    if ("sameAsWithMessages" in want) {
      const other = definition(run.search.turn(want.sameAsWithMessages, run.perTurn))
      differences.push(same("searchToolDefinition.sameAsWithMessages", JSON.stringify(ours), JSON.stringify(other)))
    }
    return differences
  },

  roundTrip(run, want) {
    const at = "roundTrip.afterSearchToolsInclude"
    if (!run.main) return [differs(at, "a query", "none in the input")]
    const { assistant, reply, value } = run.main
    const messages = [...list(run.messages), ...assistant, ...list(reply.messages())]
    const next = run.search.turn(messages, run.perTurn)
    // A result that carries whole definitions sends them too: that is how `proxy` and a native search item do it.
    const carried = sent(list(value?.tools ?? value?.loaded)).filter(({ definition }) => "parameters" in (definition ?? {}))
    const names = want.afterSearchToolsInclude
    return within(at, names, [...run.namesSent(next, names), ...carried.map(({ name }) => name)])
  },

  resolve: (run, want) =>
    Object.entries(want).flatMap(([name, kind]) => {
      const at = `resolve.${name}`
      if (kind !== "deferred" && kind !== "resident") return `unknown value in expect.${at}: ${show(kind)}`
      const resolve = (called, text) => {
        const found = run.search.resolve(run.call(called, text), run.messages, run.perTurn)
        if (found.error) return differs(at, "the host's tool", found.error)
        // The model knows a tool by its alias, the host by its own name.
        const tool = run.byName(name) ?? run.byName(found.name)
        return [
          tool !== undefined && found.tool === tool ? undefined : differs(at, "the host's own object", found.tool),
          same(at, kind, found.deferred ? "deferred" : "resident"),
        ]
      }
      const schema = run.schemaOf(run.byName(name))
      const args = sample(schema, schema)
      const direct = resolve(name, JSON.stringify(args))
      if (run.turn.delivery?.used !== "proxy") return direct
      return [direct, resolve(CALL_TOOL, JSON.stringify({ name, arguments: args }))].flat()
    }),
}

/** Names are those of the answer's hits, best first, loaded ones included. */
const SEARCH = {
  first: ({ main }, want, at) => same(at, want, main?.names[0]),
  firstFor: (run, want, at) => each(run, want, at, (at, name, names) => same(at, name, names[0])),
  async sameFirstFor(run, want, at) {
    const differences = []
    for (const query of want) {
      differences.push(same(`${at} ${show(query)}`, run.main?.names[0], (await run.namesFor(query))[0]))
    }
    return [run.main?.names[0] === undefined ? differs(at, "a first name", "none") : undefined, ...differences]
  },
  includes: ({ main }, want, at) => within(at, want, main?.names),
  includesFor: (run, want, at) => each(run, want, at, within),
  excludes: ({ main }, want, at) => without(at, want, main?.names),
  excludesFor: (run, want, at) => each(run, want, at, without),
  equals: ({ main }, want, at) => same(at, want, main?.names),
  equalsFor: (run, want, at) => each(run, want, at, same),
  setEquals: ({ main }, want, at) => sameSet(at, want, main?.names),
  order({ main }, want, at) {
    const places = want.map((name) => main?.names.indexOf(name) ?? -1)
    const ordered = places.every((place, n) => place >= 0 && (n === 0 || place > places[n - 1]))
    return ordered ? undefined : differs(at, want, main?.names)
  },
  count: ({ main }, want, at) => same(at, want, main?.names.length),
  maxCount: ({ main }, want, at) => atMost(at, want, main?.names.length),
  maxCountFor: (run, want, at) => each(run, want, at, (at, most, names) => atMost(at, most, names.length)),
  scoresPositive({ main }, want, at) {
    const scores = main?.result.hits.map((hit) => hit.score)
    return same(at, want, scores?.length > 0 && scores.every((score) => score > 0)) && differs(at, "scores above 0", scores)
  },
  firstNIsSet: ({ main }, want, at) => sameSet(at, want, main?.names.slice(0, want.length)),
  firstNIsSubsetOf({ main }, want, at) {
    const faults = unknown(`expect.${at}`, want, ["n", "set"])
    const first = main?.names.slice(0, want.n) ?? []
    if (first.length === 0 || !first.every((name) => want.set.includes(name))) faults.push(differs(at, want.set, first))
    return faults
  },
  async stableUnderToolShuffle(run, want, at) {
    const differences = []
    for (const order of shuffles(run.tools)) {
      const engine = run.create(order)
      const { names } = await run.ask(run.query, engine)
      differences.push(same(at, run.main?.names, names))
      engine.free()
    }
    return want === true ? differences : [`unknown value in expect.${at}: ${show(want)}`]
  },
  async notThrowFor(run, want, at) {
    const differences = []
    for (const query of want) differences.push(readable(`${at} ${show(query)}`, await run.ask(query)))
    return differences
  },
  async countForLimit(run, want, at) {
    const differences = []
    for (const [limit, count] of want) {
      differences.push(...(await limited(run, limit, (at, n) => same(at, count, n), `${at} ${show(limit)}`)))
    }
    return differences
  },
  async countBetweenForLimit(run, want, at) {
    const differences = []
    for (const [limit, low, high] of want) {
      const check = (at, n) => (n >= low && n <= high ? undefined : differs(at, `${low} to ${high}`, n))
      differences.push(...(await limited(run, limit, check, `${at} ${show(limit)}`)))
    }
    return differences
  },
  nonFiniteLimitIsDefault(run, want, at) {
    if (!run.main) return differs(at, "a query", "none in the input")
    const standard = comparable(run) ? run.main.names.length : run.search.search(run.query).length
    return [NaN, Infinity, -Infinity].map((limit) => {
      const { length } = run.search.search(run.query, { limit })
      return same(`${at} ${limit}`, want, length === standard)
    })
  },
  hasMessage(run, want, at) {
    const empty = run.answers.filter(({ names }) => names.length === 0)
    if (!empty.includes(run.main)) return differs(at, "an empty result", run.main?.names)
    return empty.map((answer) => same(at, want, messageOf(answer) !== ""))
  },
  marksAsLoaded: (run, want, at) => [
    within(at, want, run.main?.result.alreadyLoaded),
    ...want.map((name) => (run.main && run.says(run.main.said, name) ? undefined : differs(at, name, run.main?.said))),
  ],
  mentionsAlreadyAvailable: (run, want, at) =>
    want.map((name) => (run.main && run.says(messageOf(run.main), name) ? undefined : differs(at, name, run.main?.said))),
  moreAtLeastUnlessAllReturned(run, want, at) {
    const query = run.main?.result.query
    const asked = run.tools.map(run.nameOf).filter((name) => mentions(query, name))
    if (asked.length === 0) return differs(at, "exact names in the query", query)
    const left = asked.filter((name) => !run.main?.names.includes(name))
    if (left.length === 0) return undefined
    const note = run.main ? messageOf(run.main) : ""
    const said = Math.max(
      left.filter((name) => mentions(note, name)).length,
      run.main?.value?.more ?? 0,
    )
    return said >= want ? undefined : differs(at, `at least ${want} said to be left out`, run.main?.said)
  },
  resultIsModelReadableError(run, want, at) {
    if (want !== true) return `unknown value in expect.${at}: ${show(want)}`
    if (!run.main) return differs(at, "a query", "none in the input")
    return [run.main, ...("query" in run.input ? run.raw : run.raw.slice(1))].map((answer) =>
      answer.result.error && messageOf(answer) ? readable(at, answer) : differs(at, "an error result", answer.said),
    )
  },
  async notThrowForRawArguments(run, want, at) {
    const answers = [...run.raw]
    if (Array.isArray(want)) for (const text of want) answers.push(await run.askRaw(text))
    if (answers.length === 0) return differs(at, "raw arguments", "none in the input")
    return answers.map((answer) => readable(`${at} ${show(answer.text)}`, answer))
  },
  maxMillis: ({ main }, want, at) => atMost(at, want, main?.millis),
  async repeat(run, want, at) {
    const differences = []
    run.later = []
    for (let n = 1; n < want; n++) {
      const { names, millis } = await run.ask(run.query)
      run.later.push(millis)
      differences.push(same(at, run.main?.names, names))
    }
    return differences.find(Boolean)
  },
  async maxMillisPerSearchAfterFirst(run, want, at, all) {
    if (!run.main) return differs(at, "a query", "none in the input")
    if (!run.later) await SEARCH.repeat(run, all.repeat ?? REPEATS, at)
    const mean = run.later.reduce((sum, millis) => sum + millis, 0) / run.later.length
    return atMost(at, want, mean)
  },
}

/** The keys within an expectation, where they are fixed. */
const NESTED = {
  deferral: ["active"],
  tools: [
    "equals",
    "set",
    "includes",
    "excludes",
    "count",
    "maxCount",
    "uniqueNames",
    "definitionUnchanged",
    "noKeyAnywhere",
    "byteIdenticalToInput",
  ],
  loaded: ["equals", "set"],
  estimate: ["min", "max"],
  search: Object.keys(SEARCH),
  output: ["wellFormedUnicode"],
  searchToolDefinition: ["maxTokens", "sameAsWithMessages"],
  roundTrip: ["afterSearchToolsInclude"],
}

// ------------------------------------------------------------------------------------- comparing

async function each(run, want, at, check) {
  const differences = []
  for (const [query, value] of Object.entries(want)) {
    differences.push(...list(check(`${at} ${show(query)}`, value, await run.namesFor(query))))
  }
  return differences
}

/** `search.search` knows neither what a turn excludes nor what is loaded, and its limit holds for named tools too. */
const comparable = ({ turn, perTurn, main }) =>
  !perTurn.exclude && turn.loaded.length === 0 && !main?.result.hits.some((hit) => hit.exact)

/** A limit must mean the same in the model's call and in the host's. */
async function limited(run, limit, check, at) {
  if (!comparable(run)) return [check(at, (await run.askLimit(run.query, limit)).names.length)]
  const own = run.search.search(run.query, limit === "undefined" ? {} : { limit })
  return [
    check(at, (await run.askLimit(run.query, limit)).names.length),
    check(`${at} by search.search`, own.length),
  ]
}

/** Whatever was asked, the model gets hits or words that it can read. */
function readable(at, answer) {
  const { part, said, result, names } = answer
  if (said === undefined) return differs(at, "something to read", part)
  if (result.error !== null && (typeof result.error !== "string" || result.error.trim() === "")) {
    return differs(at, "an error in words", result.error)
  }
  if (result.error !== null && names.length > 0) return differs(at, "an error without hits", names)
  // The one result that has no room for words.
  if (part.type === "tool_search_output") return undefined
  return names.length > 0 || messageOf(answer) !== "" ? undefined : differs(at, "hits or a message", said)
}

/** What stands in a result: `said` as text, `value` as data where it is any. */
function reads(content) {
  const texts = list(content).map((part) => part?.text)
  const isTexts = Array.isArray(content) && texts.length > 0 && texts.every((text) => typeof text === "string")
  const said = isTexts ? texts.join("") : content
  if (typeof said === "string") return { said, value: parsed(said) }
  return { said: JSON.stringify(said), value: said }
}

/** What the model is told in words: the note or error of a result, or all of a text that is not JSON. */
function messageOf({ said, value }) {
  if (value === undefined) return said.trim()
  return [value?.note, value?.error, value?.error?.message].filter((text) => typeof text === "string").join(" ").trim()
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True when the text holds the name as a word of its own: not as the start of a longer one. */
function mentions(text, name) {
  const isWord = (character) => character !== undefined && /[\p{L}\p{N}_-]/u.test(character)
  const value = typeof text === "string" ? text : JSON.stringify(text) ?? ""
  for (let at = value.indexOf(name); at >= 0; at = value.indexOf(name, at + 1)) {
    if (!isWord(value[at - 1]) && !isWord(value[at + name.length])) return true
  }
  return false
}

const same = (at, want, got) => (JSON.stringify(want) === JSON.stringify(got) ? undefined : differs(at, want, got))
const sameSet = (at, want, got) => same(at, [...want].sort(), got && [...got].sort()) && differs(at, want, got)
const atMost = (at, want, got) => (got <= want ? undefined : differs(at, `at most ${want}`, got))
function within(at, want, got) {
  return list(want).every((name) => got?.includes(name)) ? undefined : differs(at, want, got)
}
function without(at, want, got) {
  return got && !list(want).some((name) => got.includes(name)) ? undefined : differs(at, `none of ${show(want)}`, got)
}
const differs = (at, want, got) => `${at}: expected ${show(want)}, got ${show(got)}`

function show(value) {
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text
}

function unknown(at, object, known) {
  return Object.keys(object ?? {})
    .filter((key) => !known.includes(key))
    .map((key) => `unknown key "${key}" in ${at}`)
}

/** An expectation that holds nothing to check would pass whatever came. */
function hollow(at, value) {
  const checks = typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  return checks ? [] : [`unknown value in ${at}: ${show(value)}`]
}

// ---------------------------------------------------------------------------------------- helpers

const list = (value) => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value])

function freeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) freeze(value[key])
  return value
}

const globalKeys = () =>
  [Object, Array, Function, String, Map, Promise]
    .map(({ prototype }) => Reflect.ownKeys(prototype).map(String).join())
    .join(" ")

function keysOf(value, keys = new Set()) {
  if (typeof value !== "object" || value === null) return keys
  for (const key of Object.keys(value)) {
    keys.add(key)
    keysOf(value[key], keys)
  }
  return keys
}

function stringsOf(value) {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsOf(inner)])
}

/** The same tools in other orders: backwards, rotated, and shuffled by a fixed sequence. */
function shuffles(tools) {
  let seed = 1
  const next = (below) => (seed = (seed * 48271) % 2147483647) % below
  const shuffled = () => {
    const order = [...tools]
    for (let i = order.length - 1; i > 0; i--) {
      const j = next(i + 1)
      ;[order[i], order[j]] = [order[j], order[i]]
    }
    return order
  }
  return [[...tools].reverse(), [...tools.slice(1), ...tools.slice(0, 1)], shuffled(), shuffled(), shuffled()]
}

/** Arguments that a schema takes, so that a call can be resolved: the required ones, as small as can be. */
function sample(schema, root, depth = 0) {
  if (typeof schema !== "object" || schema === null || depth > 20) return {}
  if ("const" in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if ("default" in schema) return schema.default
  if (typeof schema.$ref === "string") {
    const target = schema.$ref
      .split("/")
      .slice(1)
      .reduce((inner, key) => inner?.[key], root)
    return sample(target, root, depth + 1)
  }
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return sample(choice, root, depth + 1)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "string":
      return "x".repeat(schema.minLength ?? 1)
    case "integer":
    case "number":
      return schema.minimum ?? 1
    case "boolean":
      return true
    case "null":
      return null
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items, root, depth + 1))
  }
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(required.map((key) => [key, sample(schema.properties?.[key] ?? { type: "string" }, root, depth + 1)]))
}

// ------------------------------------------------------------------------------------ the command

async function main(paths) {
  if (paths.length === 0) {
    console.error("usage: node tests/run-case.mjs FILE...")
    return 1
  }
  let api
  try {
    api = await import("../pkg/index.js")
  } catch (error) {
    console.error(`the built package can't be loaded (${error.message}); make it with: npm run build`)
    return 1
  }
  let passed = 0
  for (const path of paths) {
    let id = path
    let differences
    try {
      const file = JSON.parse(readFileSync(path, "utf8"))
      id = file.id ?? path
      differences = await runCase(api, file)
    } catch (error) {
      differences = [`can't be read: ${error.message}`]
    }
    if (differences.length === 0) {
      passed++
      console.log(`ok ${id}`)
    } else if (differences.length === 1 && /is not in this release$/.test(differences[0])) {
      console.log(`not ok ${id}: ${differences[0]}`)
    } else {
      console.log([`not ok ${id}`, ...differences.map((line) => `  ${line}`)].join("\n"))
    }
  }
  console.log(`${passed} passed, ${paths.length - passed} failed`)
  return passed === paths.length ? 0 : 1
}

const isCommand = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isCommand) process.exitCode = await main(process.argv.slice(2))
