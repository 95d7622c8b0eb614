import { run, type PerTurn, type Settings } from "./engine.js"
import { ToolcribError } from "./errors.js"
import { NEVER_DEFERRED } from "./never-deferred.js"
import { registered } from "./models.js"
import { isArray, isThenable, notTheEnd, property, words } from "./schemas.js"
import type { AnswerEvent, Format, Rank } from "./types.js"
import { WIRES } from "./wire.js"

const OPTIONS = [
  "tools",
  "format",
  "delivery",
  "model",
  "callTool",
  "cacheBreakpoint",
  "contextWindow",
  "threshold",
  "deferred",
  "resident",
  "handoffs",
  "handoff",
  "calls",
  "unloadedCall",
  "servers",
  "limit",
  "searchTool",
  "whenAllLoaded",
  "aliases",
  "maxNameLength",
  "rank",
  "rankTimeout",
  "maxSent",
  "texts",
  "toJsonSchema",
  "countTokens",
]
/** What an agent may set for itself, and where it stands among the settings; servers are joined with the catalogue's. */
const AGENT: { readonly [option: string]: readonly (keyof Checked["settings"])[] } = {
  deferred: ["deferredNames", "deferredAbove"],
  resident: ["resident"],
  threshold: ["threshold"],
  contextWindow: ["contextWindow"],
  model: ["model"],
  handoffs: ["handoffs"],
  handoff: ["handoff"],
  calls: ["calls"],
  unloadedCall: ["unloadedCall"],
  servers: [],
  limit: ["limit"],
  whenAllLoaded: ["whenAllLoaded"],
  cacheBreakpoint: ["breakpoint"],
  maxSent: ["maxSent"],
  texts: ["texts"],
}
/** What marks a tool or a server, and is most likely to be tried as an option. */
const MARKS = ["deferLoading", "defer_loading"]
const THRESHOLD = ["share", "tokens", "tools"]
const TURN = ["loaded", "forced", "toolChoice", "exclude", "unavailable", "model", "since", "system", "previous"]
const SERVER = ["deferLoading", "prefix", "tools"]
const FIT = ["contextWindow", "reserve"]

/** Ten per cent of the window, but 20,000 tokens of a huge one, and the widest-spread cap on the count. */
const DEFAULT_THRESHOLD = { share: 0.1, tokens: 20_000, tools: 128 }
const DEFAULT_LIMIT = 5
const DEFAULT_MAX = 20
const DEFAULT_RANK_TIMEOUT = 10_000
/** The longest delay that a timer takes: longer ones fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1

/** The options, checked, and nothing in it that the host could still change. */
export interface Checked {
  tools: object
  /** The format that the host names. */
  format: Format | undefined
  settings: Omit<Settings, "format">
  predicate: ((tool: unknown) => unknown) | undefined
  rank: Rank | undefined
  rankTimeout: number
  toJsonSchema: ((tool: unknown) => unknown) | undefined
  countTokens: ((json: string) => unknown) | undefined
}

type Fields = { readonly [name: string]: unknown }

export function readOptions(options: unknown): Checked {
  const given = fields("options", options, OPTIONS)
  const { settings, predicate } = readSettings(given)
  const rank = given["rank"]
  const tools = readTools(given["tools"])
  return {
    tools,
    format: given["format"] === undefined ? undefined : oneOf("format", given["format"], Object.keys(WIRES) as [Format, ...Format[]]),
    settings,
    predicate,
    rank: typeof rank === "function" ? (rank as Rank) : undefined,
    rankTimeout: amount("rankTimeout", given["rankTimeout"], 1, LONGEST_TIMEOUT) ?? DEFAULT_RANK_TIMEOUT,
    toJsonSchema: callback("toJsonSchema", given["toJsonSchema"]),
    countTokens: callback("countTokens", given["countTokens"]),
  }
}

/** The options of another agent over a catalogue: its own, and for the rest those of `inherited`. */
export function readAgentOptions(options: unknown, inherited: Checked): Checked {
  const given = fields("options", options, Object.keys(AGENT), OPTIONS)
  const own = readSettings(given)
  // Models that were registered since are known.
  const settings = { ...inherited.settings, registered: own.settings.registered }
  const take = <Key extends keyof Checked["settings"]>(key: Key) => {
    settings[key] = own.settings[key]
  }
  for (const [option, keys] of Object.entries(AGENT)) if (given[option] !== undefined) keys.forEach(take)
  // One sentence of its own leaves the others as they are.
  if (given["texts"] !== undefined) settings.texts = { ...inherited.settings.texts, ...own.settings.texts }
  const servers = new Map(settings.servers.map((server) => [server.name, server]))
  for (const { name, deferLoading } of own.settings.servers) {
    // What belongs to a server is the catalogue's to say.
    fields(`servers.${name}`, (given["servers"] as Fields)[name], ["deferLoading"], SERVER)
    const known = servers.get(name) ?? { name, deferLoading: null, prefix: null, tools: [] }
    servers.set(name, deferLoading === null ? known : { ...known, deferLoading })
  }
  settings.servers = [...servers.values()]
  return { ...inherited, settings, predicate: given["deferred"] === undefined ? inherited.predicate : own.predicate }
}

function readSettings(given: Fields): Pick<Checked, "settings" | "predicate"> {
  const deferred = given["deferred"]
  const rank = given["rank"]
  const settings: Checked["settings"] = {
    delivery: oneOf("delivery", given["delivery"], ["append", "native", "proxy", "auto"]),
    model: text("model", given["model"]) ?? null,
    callName: readToolName("callTool", given["callTool"], ["name"], "call_tool"),
    breakpoint: readBreakpoint(given["cacheBreakpoint"]),
    contextWindow: amount("contextWindow", given["contextWindow"], 1) ?? null,
    registered: registered(),
    threshold: readThreshold(given["threshold"]),
    limit: readLimit(given["limit"]),
    ...readSearchTool(given["searchTool"]),
    resident: names("resident", given["resident"], NEVER_DEFERRED),
    handoffs: names("handoffs", given["handoffs"], ["transfer_to_*"]),
    handoff: oneOf("handoff", given["handoff"], ["keep", "reset"]),
    calls: oneOf("calls", given["calls"], ["ignore", "load"]),
    unloadedCall: oneOf("unloadedCall", given["unloadedCall"], ["run", "load", "refuse"]),
    deferredNames: [],
    deferredFlags: null,
    deferredAbove: null,
    servers: readServers(given["servers"]),
    whenAllLoaded: given["whenAllLoaded"] === undefined ? null : oneOf("whenAllLoaded", given["whenAllLoaded"], ["withdraw", "keep"]),
    nameLimit: whole("maxNameLength", given["maxNameLength"]) ?? null,
    refuseNames: flag("aliases", given["aliases"]) === false,
    rank: typeof rank === "function" ? "custom" : oneOf("rank", rank, ["bm25", "keywords"], ", or a function"),
    maxSent: whole("maxSent", given["maxSent"]) ?? null,
    texts: readTexts(given["texts"]),
    costs: null,
    ownCosts: [],
  }
  if (isArray(deferred)) {
    settings.deferredNames = names("deferred", deferred, [])
  } else if (deferred !== undefined && typeof deferred !== "function") {
    if (!isObject(deferred)) invalid("deferred", deferred, "an array of names, a function or { above: number }")
    const { above } = fields("deferred", deferred, ["above"])
    settings.deferredAbove = whole("deferred.above", above, 0) ?? invalid("deferred.above", above, aWhole(0))
  }
  return { settings, predicate: typeof deferred === "function" ? (deferred as Checked["predicate"]) : undefined }
}

/** An array, or what holds definitions: a record, a container, a reply of a server. */
export function readTools(tools: unknown): object {
  let cause: unknown
  try {
    if (Array.isArray(tools)) return tools
    if (typeof tools === "object" && tools !== null && isRecord(tools)) return tools
  } catch (error) {
    cause = error
  }
  const problem = cause === undefined ? show(tools) : `one that can't be read: ${words(cause)}`
  throw new ToolcribError(
    "invalid_tools",
    `"tools" must be an array or a record of tool definitions, not ${problem}`,
    ...(cause === undefined ? [] : [{ cause }]),
  )
}

const HOLDERS = ["tools", "toolConfig", "functionDeclarations"]

/** A map, a set, a promise or a registry of a class's own would pass for a record of no tools. */
function isRecord(value: object): boolean {
  if (isThenable(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Of any realm.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return isPlain || HOLDERS.some((key) => typeof property(value, key) === "object")
}

/** Not `{}`, which has whatever someone has put on Object.prototype. */
const NOTHING = /* @__PURE__ */ Object.create(null) as Fields

/** What `fit` takes beside the options of a turn. */
export function readFitOptions(options: unknown): { turn: PerTurn; contextWindow: number | undefined; reserve: number | undefined } {
  const { turn } = readTurnOptions(options, FIT)
  const given = options === undefined ? NOTHING : fields("options", options, [...TURN, ...FIT])
  return {
    turn,
    contextWindow: amount("contextWindow", given["contextWindow"], 1),
    reserve: reserved(given["reserve"]),
  }
}

/** Tokens. A share, as the threshold takes one, would leave nothing free. */
function reserved(given: unknown): number | undefined {
  const reserve = amount("reserve", given, 0)
  if (reserve !== undefined && reserve > 0 && reserve < 1) invalid("reserve", given, "a number of tokens, 0 or from 1")
  return reserve
}

/** Messages may hold anything, and may be anything; but not what a host has given in place of them. */
export function checkMessages(messages: unknown): void {
  if (typeof property(messages, "then") === "function") {
    throw new ToolcribError("invalid_option", "messages are given as a promise: await them first")
  }
  let keys: string[]
  try {
    if (!isObject(messages)) return
    keys = Object.keys(messages)
  } catch {
    notTheEnd()
    // What refuses to be read is not what a host has written in place of something else.
    return
  }
  const known = [...TURN, ...FIT, "onEvent"]
  if (keys.length > 0 && keys.every((key) => known.includes(key))) {
    throw new ToolcribError("invalid_option", `options are given in place of the messages: { ${keys.join(", ")} } come after them`)
  }
}

/** @param also What one of the methods takes beside the others. */
export function readTurnOptions(options: unknown, also: readonly string[] = []): {
  turn: PerTurn
  previous: Previous | undefined
  onEvent: ((event: AnswerEvent) => unknown) | undefined
} {
  const given = options === undefined ? NOTHING : fields("options", options, also.length ? [...TURN, ...also] : TURN)
  const turn = {
    loaded: names("loaded", given["loaded"], []),
    forced: names("forced", given["forced"], []),
    exclude: names("exclude", given["exclude"], []),
    unavailable: [...new Set(names("unavailable", given["unavailable"], []))],
    toolChoice: given["toolChoice"],
    model: text("model", given["model"]) ?? null,
    since: whole("since", given["since"], 0) ?? 0,
    system: given["system"],
  }
  return { turn, previous: readPrevious(given["previous"]), onEvent: callback("onEvent", given["onEvent"]) }
}

/** The turn before, as it was given or read from its JSON. */
export interface Previous {
  tools: unknown
  names: string[]
  loaded: string[]
  applied: boolean
  used: string
}

function readPrevious(previous: unknown): Previous | undefined {
  if (previous === undefined || previous === null) return undefined
  const text = (name: unknown) => (typeof name === "string" ? name : "")
  const [tools, names, loaded] = ["tools", "names", "loaded"].map((key) => property(previous, key))
  const applied = property(property(previous, "deferral"), "applied")
  const used = property(property(previous, "delivery"), "used")
  const isTurn = typeof tools === "object" && tools !== null && isArray(names) && isArray(loaded)
  if (!isTurn || typeof applied !== "boolean" || typeof used !== "string") {
    invalid("previous", previous, "what turn gave before, or its JSON")
  }
  return { tools, names: Array.from(names, text), loaded: Array.from(loaded, text), applied, used }
}

/** The limit of a search is what a model might write: anything goes, and the engine clamps it. */
export function readSearchOptions(options: unknown): { limit: unknown; explain: boolean } {
  const given = options === undefined ? NOTHING : fields("options", options, ["limit", "explain"])
  return { limit: given["limit"], explain: flag("explain", given["explain"]) ?? false }
}

/** A model's name and its window, as `registerModel` takes them. */
export function readModel(name: unknown, options: unknown): { name: string; contextWindow: number } {
  const { contextWindow } = fields("registerModel", options, ["contextWindow"])
  return {
    name: text("name", name) ?? invalid("name", name, "the name of a model"),
    contextWindow: amount("contextWindow", contextWindow, 1) ?? invalid("contextWindow", contextWindow, "a number from 1"),
  }
}

export function readRankOptions(options: unknown): number | null {
  const given = options === undefined ? NOTHING : fields("options", options, ["limit"])
  return whole("limit", given["limit"]) ?? null
}

/** What a text of the host's may be long. */
const LONGEST_TEXT = 2000

/** The host's own words. Which there are and what stands in their braces the engine knows. */
function readTexts(given: unknown): Settings["texts"] {
  if (given === undefined) return null
  const known = new Map((JSON.parse(run("texts")) as [string, string, string[]][]).map(([key, , places]) => [key, places]))
  const named = fields("texts", given, [...known.keys()])
  const texts: { [key: string]: string } = Object.create(null) as object as { [key: string]: string }
  for (const [key, words] of Object.entries(named)) {
    if (words === undefined) continue
    if (typeof words !== "string" || words === "" || words.length > LONGEST_TEXT) {
      invalid(`texts.${key}`, words, `a text of 1 to ${LONGEST_TEXT} characters`)
    }
    const places = known.get(key) as string[]
    for (const [whole, place] of words.matchAll(/\{(\w+)\}/g)) {
      if (places.includes(place as string)) continue
      const near = nearest(place as string, places)
      const offer = near === undefined ? `it may hold {${places.join("}, {")}}` : `did you mean {${near}}?`
      throw new ToolcribError("invalid_option", `option "texts.${key}" holds ${whole}, which nothing is known for; ${offer}`)
    }
    texts[key] = words
  }
  return texts
}

function readThreshold(given: unknown): Settings["threshold"] {
  if (given === undefined) return { ...DEFAULT_THRESHOLD }
  if (given === false) return "never"
  const share = (name: string, value: unknown) => amount(name, value, 0, 1)
  if (!isObject(given)) {
    if (typeof given !== "number") invalid("threshold", given, "a share from 0 to 1, false, or an object")
    return share("threshold", given) === 0 ? "always" : { share: given, tokens: null, tools: null }
  }
  const named = fields("threshold", given, THRESHOLD)
  const limits = {
    share: share("threshold.share", named["share"]) ?? null,
    tokens: amount("threshold.tokens", named["tokens"], 0) ?? null,
    tools: amount("threshold.tools", named["tools"], 0) ?? null,
  }
  const values = Object.values(limits)
  if (values.includes(0)) return "always"
  return values.every((value) => value === null) ? { ...DEFAULT_THRESHOLD } : limits
}

function readBreakpoint(given: unknown): Settings["breakpoint"] {
  if (given === undefined || given === false) return null
  return given === true ? "standard" : oneOf("cacheBreakpoint", given, ["5m", "1h"], ", true or false")
}

function readLimit(given: unknown): Settings["limit"] {
  const named = given === undefined ? NOTHING : fields("limit", given, ["default", "max"])
  const max = whole("limit.max", named["max"]) ?? DEFAULT_MAX
  const standard = whole("limit.default", named["default"]) ?? Math.min(DEFAULT_LIMIT, max)
  if (standard > max) invalid("limit.default", standard, `at most limit.max (${max})`)
  return { default: standard, max }
}

function readSearchTool(given: unknown): Pick<Settings, "searchName" | "formerNames"> {
  const known = ["name", "formerNames"]
  const named = given === undefined ? NOTHING : fields("searchTool", given, known)
  return {
    searchName: readToolName("searchTool", given, known, "tool_search"),
    formerNames: names("searchTool.formerNames", named["formerNames"], []),
  }
}

function readToolName(at: string, given: unknown, known: string[], standard: string): string {
  const { name = standard } = given === undefined ? NOTHING : fields(at, given, known)
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) {
    invalid(`${at}.name`, name, "1 to 64 of the characters A-Z a-z 0-9 _ -")
  }
  return name
}

function readServers(given: unknown): Settings["servers"] {
  if (given === undefined) return []
  if (!isObject(given)) invalid("servers", given, "an object with one entry for each server")
  return Object.entries(given).map(([name, server]) => {
    const at = `servers.${name}`
    const { deferLoading, prefix, tools } = fields(at, server, SERVER)
    return {
      name,
      deferLoading: flag(`${at}.deferLoading`, deferLoading) ?? null,
      prefix: text(`${at}.prefix`, prefix) ?? null,
      tools: names(`${at}.tools`, tools, []),
    }
  })
}

/** The fields of an options object, each read once; unknown ones are refused, and those of `shared`, which no agent has. */
function fields(at: string, given: unknown, known: readonly string[], shared: readonly string[] = []): Fields {
  if (!isObject(given)) invalid(at, given, at === "options" && isArray(given) ? "an object, { tools }" : "an object")
  let read: Fields
  try {
    // Of its own keys only, whatever Object.prototype holds.
    read = Object.assign(Object.create(null) as Fields, given)
  } catch (cause) {
    throw new ToolcribError("invalid_option", `${at} can't be read: ${words(cause)}`, { cause })
  }
  for (const name of Object.keys(read)) {
    if (known.includes(name)) continue
    const before = at === "options" ? "" : `${at}.`
    if (shared.includes(name)) {
      throw new ToolcribError("unknown_option", `option "${before}${name}" is the catalogue's: an agent has it from createToolSearch`)
    }
    const near = at === "options" && MARKS.includes(name) ? "deferred" : nearest(name, known)
    throw new ToolcribError(
      "unknown_option",
      `unknown option "${before}${name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name}"${near === undefined ? "" : `; did you mean "${before}${near}"?`}`,
    )
  }
  return read
}

/** A longer name than this is no slip of an option's, and is cut where it is shown. */
const LONGEST = 40

/** The known name that `name` may be a slip of: at most two letters in five differ. */
function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Infinity
  if (name.length > LONGEST) return undefined
  for (const candidate of known) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase())
    if (edits < least && edits <= 0.4 * Math.max(name.length, candidate.length)) {
      best = candidate
      least = edits
    }
  }
  return best
}

/** Edits that turn one text into the other: a letter added, dropped or replaced, two neighbours swapped. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(cell(row, j - 1) + 1, cell(above, j) + 1, cell(above, j - 1) + (same ? 0 : 1))
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, cell(before, j - 2) + 1)
      row.push(least)
    }
    before = above
    above = row
  }
  return cell(above, b.length)
}

const cell = (row: number[], j: number): number => row[j] ?? Infinity

function oneOf<const Value extends string>(
  name: string,
  given: unknown,
  values: readonly [Value, ...Value[]],
  also = "",
): Value {
  if (given === undefined) return values[0]
  for (const value of values) if (value === given) return value
  const list = values.map((value) => `"${value}"`).join(" or ")
  return invalid(name, given, list + also)
}

const aWhole = (least: number): string => `a whole number from ${least}`

/** A count. More than any catalogue holds is as good as the most that the engine's numbers hold. */
function whole(name: string, given: unknown, least = 1): number | undefined {
  if (given === undefined) return undefined
  if (!Number.isInteger(given) || (given as number) < least) invalid(name, given, aWhole(least))
  return Math.min(given as number, 2 ** 31 - 1)
}

function amount(name: string, given: unknown, least: number, most = Infinity): number | undefined {
  if (given === undefined) return undefined
  if (typeof given !== "number" || !Number.isFinite(given) || given < least || given > most) {
    invalid(name, given, most === Infinity ? `a number from ${least}` : `a number from ${least} to ${most}`)
  }
  return given
}

function flag(name: string, given: unknown): boolean | undefined {
  if (given !== undefined && typeof given !== "boolean") invalid(name, given, "true or false")
  return given
}

function text(name: string, given: unknown): string | undefined {
  if (given !== undefined && (typeof given !== "string" || given === "")) invalid(name, given, "a text that is not empty")
  return given
}

function names(name: string, given: unknown, standard: readonly string[]): string[] {
  if (given === undefined) return [...standard]
  if (!isArray(given)) invalid(name, given, "an array of names")
  // Not map alone, which passes over holes.
  return Array.from(given, (each: unknown, index) =>
    typeof each === "string" && each !== "" ? each : invalid(`${name}[${index}]`, each, "a name"),
  )
}

function callback<Function>(name: string, given: unknown): Function | undefined {
  if (given !== undefined && typeof given !== "function") invalid(name, given, "a function")
  return given as Function | undefined
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !isArray(value)

export function invalid(name: string, value: unknown, bound: string): never {
  throw new ToolcribError("invalid_option", `option "${name}" must be ${bound}, not ${show(value)}`)
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === "function") return "a function"
  if (typeof value === "object" && value !== null) return isArray(value) ? "an array" : "an object"
  return String(value)
}
