// The public functions, for every entry of the package alike. index.ts has their documentation.

import { madeObject, sentObject, take } from "./definitions.js"
import {
  CHANGES,
  Engine,
  formatOf,
  lines,
  rankTools,
  readTools,
  release,
  run,
  type EngineAnswer,
  type EngineHit,
  type Form,
  type Leaves,
  type PerTurn,
  type Report,
  type Settings,
  type Shared,
} from "./engine.js"
import { ToolcribError } from "./errors.js"
import {
  checkMessages,
  invalid,
  readModel,
  readAgentOptions,
  readOptions,
  readRankOptions,
  readSearchOptions,
  readTools as readGiven,
  readFitOptions,
  readTurnOptions,
  type Checked,
  type Previous,
} from "./options.js"
import { register } from "./models.js"
import { registered } from "./models.js"
import { rankCalls } from "./rank.js"
import { awaitSchemas, isArray, isThenable, notTheEnd, property, readSchemas, textOf, warn, words, type Schema } from "./schemas.js"
import type {
  AnswerEvent,
  Deferral,
  Format,
  Hit,
  NeutralTool,
  SearchOptions,
  SearchResultPosition,
  ToolSearch,
  TurnCache,
  TurnDelivery,
  Warning,
} from "./types.js"
import { check, type Outcome } from "./validate.js"
import { WIRES, type Sent, type Wire } from "./wire.js"

export { isModule, provide, stamp, type Source } from "./engine.js"
export { NEVER_DEFERRED } from "./never-deferred.js"
export { ToolcribError }

/** What stands in a plan for what is none of the host's tools, and the bits of a form: see src/plan.rs. */
const SEARCH_TOOL = -1
const CALL_TOOL = -2
const FIRST_STUB = -10
const INNER = 8

/** What neither tools nor messages tell is read as what most providers take. */
const STANDARD = "openai-chat"

/** What came of reading the host's tools: the part that differs between the two creators. */
interface Catalogue {
  leaves: Leaves
  /** The array that the host gave, where definitions stood in what it held. */
  whole: readonly unknown[] | null
  /** The format, if the host or the tools tell it. */
  format: Format | undefined
  schemas: Schema[]
  /** What the predicate said of each tool. */
  flags: (boolean | null)[] | null
  warnings: Warning[]
}

/** What agents have in common in one format. */
interface Common extends Shared {
  /** What `countTokens` said, which the next agent need not ask. */
  counted?: Counted
}

/** The host's counts, `null` where it has none, and what went wrong. */
interface Counted {
  costs: (number | null)[]
  warnings: Warning[]
}

/** By what a warning names it, and what goes out. */
type Countable = [named: { name: string | null }, sent: () => unknown]

function counted(count: (json: string) => unknown, all: Countable[]): Counted {
  const warnings: Warning[] = []
  const costs = all.map(([named, sent]) => {
    let problem: string
    try {
      const tokens = count(textOf(sent()))
      if (typeof tokens === "number" && tokens >= 0 && tokens < Infinity) return tokens
      problem = `it gave ${words(tokens)}`
    } catch (error) {
      problem = words(error)
    }
    warn(warnings, "tokens_not_counted", named, `countTokens failed, so its cost is estimated: ${problem}`)
    return null
  })
  return { costs, warnings }
}

/** An engine for one format. */
interface Wired {
  wire: Wire
  engine: Engine
  report: Report
  aliases: Map<string, string>
  searchTool: unknown
  /** What goes on the wire, made when a turn first sends it and the same object from then on. */
  sent: Map<string, unknown>
  warnings: Warning[]
}

class Search implements Omit<ToolSearch, "turn" | "fit" | "answer" | "resolve" | "resolveAsync" | "update" | "agent"> {
  readonly warnings: readonly Warning[]
  readonly searchTool: never
  readonly note: string
  readonly deferral: Deferral
  readonly delivery: TurnDelivery
  readonly format: never
  readonly aliases: { readonly [name: string]: string }
  readonly #checked: Checked
  readonly #catalogue: Catalogue
  readonly #texts: Uint8Array
  /** By format, as only what a format takes is indexed. */
  readonly #commons: Map<Format, Common>
  /** By format: one, unless only the messages tell it. */
  readonly #wired = new Map<Format, Wired>()
  /** The positions of the deferred tools. */
  #deferred: Uint32Array | undefined
  #neutral: readonly NeutralTool[] | undefined
  #freed = false

  /** @param sibling Another agent over the same catalogue. */
  constructor(checked: Checked, catalogue: Catalogue, sibling?: Search) {
    this.#checked = checked
    this.#catalogue = catalogue
    this.#texts = sibling ? sibling.#texts : lines(catalogue.schemas)
    this.#commons = sibling ? sibling.#commons : new Map()
    if (!catalogue.format && checked.settings.delivery === "native") {
      throw new ToolcribError("ambiguous_format", 'delivery "native" depends on the format, which the tools do not tell: set format')
    }
    const { report, searchTool, warnings, aliases } = this.#of(catalogue.format ?? STANDARD)
    this.warnings = [...catalogue.warnings, ...warnings]
    this.searchTool = searchTool as never
    this.note = report.note
    this.deferral = report.deferral
    this.delivery = report.delivery
    this.format = report.format as never
    // A tool may be called "constructor": whoever asks for its alias must not get what objects inherit.
    this.aliases = Object.freeze(Object.assign(Object.create(null) as { [name: string]: string }, Object.fromEntries(aliases)))
    // A runtime without Symbol.dispose can't have a method of that name on the prototype.
    if (typeof Symbol.dispose === "symbol") {
      Object.defineProperty(this, Symbol.dispose, { value: () => this.free() })
    }
  }

  declare [Symbol.dispose]: () => void

  /** The engine for a format. */
  #of(format: Format): Wired {
    const known = this.#wired.get(format)
    if (known) return known
    const { leaves, flags } = this.#catalogue
    const wire = wireOf(format)
    const settings: Settings = { ...this.#checked.settings, format, deferredFlags: flags }
    const warnings: Warning[] = []
    const common = this.#commons.get(format) ?? { schemas: this.#texts, engines: 0 }
    this.#commons.set(format, common)
    const open = (costs: Partial<Settings>): Wired => {
      const engine = new Engine(leaves, common, { ...settings, ...costs })
      const report = engine.call("report")
      const searchTool = this.#dressed(wire, JSON.parse(report.searchTool) as object)
      return { wire, engine, report, searchTool, aliases: new Map(report.aliases), sent: new Map(), warnings }
    }
    const count = this.#checked.countTokens
    let wired = open({ costs: common.counted?.costs ?? null })
    if (count) {
      // What goes on the wire is known only now; the decision has to be made again with its cost.
      common.counted ??= this.#counts(count, wired)
      const own = this.#ownCounts(count, wired)
      wired.engine.free()
      wired = { ...open({ costs: common.counted.costs, ownCosts: own.costs }), sent: wired.sent }
      warnings.push(...common.counted.warnings, ...own.warnings)
    }
    warnings.push(...wired.report.warnings)
    this.#wired.set(format, wired)
    return wired
  }

  /** The engine for what these messages are. */
  #on(messages: unknown, calls?: unknown): Wired {
    checkMessages(messages)
    if (this.#catalogue.format || this.#freed) return this.#standard()
    const told = run("detectFormat", messages) ?? formatOfCalls(calls)
    // Reading messages may run what a host has put on them, and that may free this.
    return told === undefined || this.#freed ? this.#standard() : this.#of(told)
  }

  turn(messages: readonly unknown[], options?: object): object {
    const { turn: given, previous } = readTurnOptions(options)
    const wired = this.#on(messages)
    return wired.engine.during("turn", () => {
      const { forms, breakpoints, stubs, tools: slots, ...turn } = wired.engine.call("turn", messages, given)
      const sources = new Map(breakpoints)
      const { reads } = this.#catalogue.leaves
      const { searchName, callName } = this.#checked.settings
      let sent = slots.map((slot, at): Sent & { slot: number; form: number; own: string | null } => {
        const read = reads[slot]
        const special = slot === SEARCH_TOOL ? searchName : slot === CALL_TOOL ? callName : (stubs[FIRST_STUB - slot] ?? null)
        const own = read ? read.name : special
        const hosted = slot >= 0 && read?.kind !== "tool"
        const definition = this.#definition(wired, slot, forms[at] ?? 0, sources.get(at), own)
        return { slot, form: forms[at] ?? 0, own, hosted, definition, name: wired.aliases.get(own as string) ?? own ?? `tool_${slot}` }
      })
      const untouched = this.#untouched(wired, slots, turn.deferral.applied)
      if (wired.wire.hostedFirst && !untouched) sent = [...sent.filter(({ hosted }) => hosted), ...sent.filter(({ hosted }) => !hosted)]
      const names = sent.map(({ own }) => own)
      const { note, loaded, leftOut, deferral, tokens, events, warnings } = turn
      const tools = untouched ?? wired.wire.tools(sent)
      return {
        tools,
        names,
        note,
        loaded,
        leftOut,
        deferral,
        delivery: wired.report.delivery,
        cache: previous ? this.#prefix(wired, previous, tools, sent, turn, given) : null,
        tokens,
        events,
        warnings,
      }
    })
  }

  fit(messages: readonly unknown[], options?: object): object {
    const { turn, contextWindow, reserve } = readFitOptions(options)
    const { engine } = this.#on(messages)
    return engine.during("fit", () => {
      const { from, kept, note, noteAt, loaded, cut, since, tokens, fits, warnings } = engine.call("fit", messages, turn, contextWindow, reserve)
      const at = (position: number): unknown => {
        try {
          return messages[position]
        } catch {
          notTheEnd()
          return undefined
        }
      }
      const fitted = kept.map(at)
      if (note !== null) fitted.splice(noteAt, 0, JSON.parse(note))
      const length = isArray(messages) ? messages.length : 0
      for (let position = from; position < length; position++) fitted.push(at(position))
      return { messages: fitted, loaded, since, cut, tokens, fits, warnings }
    })
  }

  /** What the host gave, where all of it goes out as it is. */
  #untouched(wired: Wired, slots: readonly number[], applied: boolean): unknown {
    const { leaves, whole } = this.#catalogue
    const { holds } = wired.wire
    if (!whole || !holds || applied || slots.length !== leaves.tools.length) return undefined
    if (!whole.every((given) => leaves.tools.includes(given) || holds(given))) return undefined
    const isAsItIs = (slot: number) => this.#definition(wired, slot, INNER, undefined, null) === leaves.tools[slot]
    return slots.every((slot, at) => slot === at && isAsItIs(slot)) ? [...whole] : undefined
  }

  #prefix(
    { wire, engine }: Wired,
    previous: Previous,
    tools: unknown,
    sent: readonly (Sent & { slot: number; form: number })[],
    { loaded, deferral }: { loaded: string[]; deferral: Deferral },
    { exclude }: PerTurn,
  ): TurnCache {
    // As they lie in a request: what stands in a namespace has another name there.
    const [before, now] = [wire.list(previous.tools), wire.list(tools)]
    let unchanged = 0
    while (unchanged < before.length && unchanged < now.length && isSame(before[unchanged], now[unchanged])) unchanged++
    return engine.call(
      "prefix",
      {
        names: previous.names,
        loaded: previous.loaded,
        applied: previous.applied,
        used: previous.used,
        unchanged,
      },
      { tools: sent.map(({ slot }) => slot), forms: sent.map(({ form }) => form), loaded, applied: deferral.applied, exclude },
    )
  }

  async answer(calls: object, messages: readonly unknown[] = [], options?: object): Promise<object> {
    const { turn, onEvent } = readTurnOptions(options, ["onEvent"])
    if (isWaiting(calls)) {
      throw new ToolcribError("invalid_option", "answer takes what the model said, and this is a promise of it: answer(await it, messages)")
    }
    const { rank, rankTimeout } = this.#checked
    const wired = this.#on(messages, calls)
    const { engine } = wired
    const asked = rank || onEvent ? engine.call("calls", calls) : []
    const warnings: Warning[] = []
    const tell = (event: AnswerEvent) => {
      try {
        const told: unknown = onEvent?.(event)
        // Nobody waits for it, and what it rejects with must not end the process.
        if (isWaiting(told)) void Promise.resolve(told).catch(() => {})
      } catch (error) {
        notTheEnd()
        if (!warnings.length) warnings.push({ code: "event_failed", message: `onEvent failed, and the answer goes on: ${words(error).slice(0, LONGEST_ERROR)}` })
      }
    }
    for (const { id, query, limit } of asked) tell({ type: "search_started", id, query: [...query], limit })
    const ranked = rank ? await rankCalls(rank, rankTimeout, this.#neutralTools(turn), asked) : null
    const answers = engine.answer(calls, messages, turn, ranked)
    const parts = answers.map((answer) => this.#part(wired, answer))
    const results = answers.map(({ id, query, hits, loaded, alreadyLoaded, available, more, note, error }) => ({
      id,
      query,
      hits: this.#hits(hits),
      loaded,
      alreadyLoaded,
      available,
      more,
      note,
      error,
    }))
    for (const { id, loaded, hits, error } of results) tell({ type: "search_done", id, loaded: [...loaded], hits: hits.length, error })
    return {
      parts,
      results,
      loaded: [...new Set(results.flatMap(({ loaded }) => loaded))],
      warnings: parts.length ? warnings : [...warnings, ...foreign(calls, wired.report.format)],
      messages: (others: readonly unknown[] = []) => {
        const { wire } = wired
        // One result alone is meant as one.
        const given = isArray(others) ? (others as readonly unknown[]) : isLegible(others) ? [others] : []
        const waiting = given.findIndex(isWaiting)
        if (waiting >= 0) {
          throw new ToolcribError(
            "invalid_option",
            `reply.messages takes results, and others[${waiting}] is a promise of one: reply.messages(await Promise.all(others))`,
          )
        }
        // `null` stands for the result of a call that the provider answers.
        const results = given.filter((other) => other !== null && other !== undefined)
        const all = [...parts, ...results.flatMap((other) => within(other, wire))]
        const ordered = engine.call("order", calls, all).map((index) => all[index])
        return wire.message ? (ordered.length ? [wire.message(ordered)] : []) : ordered
      },
    }
  }

  /** The part, with the definitions in it that a provider loads from there. */
  #part(wired: Wired, { part, fill }: EngineAnswer): object {
    const made = JSON.parse(part) as { [key: string]: unknown }
    if (!fill) return made
    const filled = (at: unknown, isInner: boolean): unknown => {
      if (typeof at !== "number") {
        const namespace = at as { tools: unknown[] }
        return { ...namespace, tools: namespace.tools.map((inner) => filled(inner, true)) }
      }
      const key = `${at}/result/${isInner}`
      if (!wired.sent.has(key)) {
        const { leaves, schemas } = this.#catalogue
        const how = wired.engine.call("definitionInResult", at, isInner)
        // Whoever reads a definition there reads no schema of the host's.
        wired.sent.set(key, sentObject(leaves.tools, at, leaves.reads[at], schemas[at], how, wireOf("openai-responses")))
      }
      return wired.sent.get(key)
    }
    const last = fill.at(-1) as string
    const holder = fill.slice(0, -1).reduce((inner, key) => inner[key] as { [key: string]: unknown }, made)
    holder[last] = (holder[last] as unknown[]).map((at) => filled(at, false))
    return made
  }

  resolve(call: object, messages: readonly unknown[] = [], options?: object): object {
    return this.#resolve(call, messages, options, false) as object
  }

  async resolveAsync(call: object, messages: readonly unknown[] = [], options?: object): Promise<object> {
    return this.#resolve(call, messages, options, true)
  }

  #resolve(call: object, messages: readonly unknown[], options: object | undefined, waits: boolean): object | Promise<object> {
    const { turn } = readTurnOptions(options)
    const { engine } = this.#on(messages, call)
    const refused = ({ code, error, part }: { code: string; error: string; part: string }) => ({
      error: { code, message: error },
      part: JSON.parse(part) as unknown,
    })
    // A validator of the host's may free the engine.
    return engine.during(waits ? "resolveAsync" : "resolve", () => {
      const found = engine.call("resolve", call, messages, turn)
      if ("part" in found) return refused(found)
      const { index, name, recovered, deferred, loaded, warnings } = found
      const { leaves, schemas } = this.#catalogue
      const told = ({ args, faults, unchecked }: Outcome) => {
        if (faults !== undefined) return refused(engine.call("refused", call, name, faults))
        if (unchecked) warn(warnings, unchecked[0], { name }, unchecked[1])
        return { tool: leaves.tools[index], name, recovered, args, deferred, loaded, warnings }
      }
      const outcome = check(schemas[index], found.args, waits)
      return outcome instanceof Promise ? outcome.then(told) : told(outcome)
    })
  }

  search(query: string, options?: SearchOptions): Hit[] {
    const { limit, explain } = readSearchOptions(options)
    return this.#hits(this.#standard().engine.call("search", query, limit, explain))
  }

  searchResults(messages: readonly unknown[]): SearchResultPosition[] {
    return this.#on(messages).engine.call("searchResults", messages)
  }

  keepNote<Message>(before: readonly Message[], after: readonly Message[], options?: object): Message[] {
    const { turn } = readTurnOptions(options)
    if (!isArray(after)) invalid("after", after, "the messages that are left")
    // Each once, and what refuses to be read is none.
    const left = listOf<Message>(after)
    const wired = this.#on(before, after)
    return wired.engine.during("keepNote", () => {
      const { replaced, position, note } = wired.engine.call("keepNote", before, left, turn)
      const goes = new Set(replaced)
      const stays = (from: number, to?: number) => left.slice(from, to).filter((_, at) => !goes.has(from + at))
      return [...stays(0, position), ...(note === null ? [] : [JSON.parse(note) as Message]), ...stays(position)]
    })
  }

  pending(messages: readonly unknown[]): object[] {
    const { engine, wire } = this.#on(messages)
    const places = engine.call("pending", messages)
    try {
      return places.map(({ message, part }) => wire.call(messages[message], part))
    } catch {
      notTheEnd()
      // The engine has read what now refuses to be read.
      return []
    }
  }

  update(tools: object): object {
    const { engine } = this.#standard()
    return engine.during("update", () => {
      const settings = { ...this.#checked.settings, registered: registered() }
      const checked = { ...this.#checked, settings, format: this.#catalogue.format, tools: readGiven(tools) }
      const search = reopen(checked, this.#catalogue.schemas, (leaves, schemas) => engine.newcomers(leaves, schemas))
      const [before, after] = [placed(this.#catalogue), placed(search.#catalogue)]
      const { schemas } = search.#catalogue
      const at = Int32Array.from(search.#catalogue.leaves.reads, ({ name }, index) => {
        const place = name === null ? undefined : before.get(name)
        return place !== undefined && this.#catalogue.schemas[place]?.text === schemas[index]?.text ? place : -1
      })
      // In the formats in which there were searches there will be others.
      for (const [format, wired] of this.#wired) if (wired.engine.isIndexed) search.#of(format).engine.follow(wired.engine, schemas, at)
      const changes = search.#standard().engine.follow(engine, schemas, at)
      const names = [...after.keys()]
      const isChanged = differing(this.#catalogue, before, search.#catalogue, after, changes)
      const changed = names.filter((name) => before.has(name) && isChanged(name))
      const added = names.filter((name) => !before.has(name))
      return {
        search,
        added,
        removed: [...before.keys()].filter((name) => !after.has(name)),
        changed,
        unchanged: names.length - added.length - changed.length,
      }
    })
  }

  agent(options: unknown = {}): Search {
    this.#standard().engine.refuse("agent")
    const checked = readAgentOptions(options, this.#checked)
    const { leaves } = this.#catalogue
    return new Search(checked, { ...this.#catalogue, flags: flags(checked, leaves) }, this)
  }

  fingerprint(): string {
    return this.#standard().engine.identity().fingerprint
  }

  free(): void {
    this.#freed = true
    for (const { engine } of this.#wired.values()) engine.free()
  }

  /** For what is the same in every format. */
  #standard(): Wired {
    return this.#of(this.#catalogue.format ?? STANDARD)
  }

  #hits(hits: EngineHit[]): Hit[] {
    return hits.map(({ index, ...hit }) => ({ tool: this.#catalogue.leaves.tools[index], ...hit })) as Hit[]
  }

  #definition(wired: Wired, slot: number, form: number, source: number | undefined, name: string | null): unknown {
    if (slot === SEARCH_TOOL && source === undefined && (form === 0) !== wired.report.isNative) return wired.searchTool
    const key = slot <= FIRST_STUB ? `stub/${form}/${name}` : `${slot}/${form}/${source}`
    const { engine, wire, sent } = wired
    if (!sent.has(key)) {
      const { leaves, schemas } = this.#catalogue
      if (slot <= FIRST_STUB) {
        sent.set(key, this.#dressed(wire, JSON.parse(engine.call("stub", name as string, form)) as object))
      } else {
        const how = engine.call("definition", slot, form, source)
        const own = slot >= 0 ? sentObject(leaves.tools, slot, leaves.reads[slot], schemas[slot], how, wire) : this.#made(how)
        sent.set(key, how.as === "convert" ? this.#dressed(wire, own as object) : own)
      }
    }
    return sent.get(key)
  }

  #made(how: Form): object {
    const made = madeObject(how as Form & { as: "convert" })
    take(this.#catalogue.leaves.tools, how as Form & { as: "convert" }, made)
    return made
  }

  #dressed(wire: Wire, definition: object): object {
    wire.dress?.(definition)
    return definition
  }

  #counts(count: (json: string) => unknown, wired: Wired): Counted {
    const { reads } = this.#catalogue.leaves
    return counted(
      count,
      reads.map((read, index) => [read, () => this.#definition(wired, index, 0, undefined, null)]),
    )
  }

  /** What is each agent's own: the search tool, the note and, where it is sent, the tool that calls all others. */
  #ownCounts(count: (json: string) => unknown, wired: Wired): Counted {
    const { searchName: name, callName, delivery } = this.#checked.settings
    const own: Countable[] = [
      [{ name }, () => wired.searchTool],
      [{ name }, () => wired.report.note],
    ]
    if (delivery === "proxy") own.push([{ name: callName }, () => this.#definition(wired, CALL_TOOL, 0, undefined, callName)])
    return counted(count, own)
  }

  /** For the host's own ranking: the deferred tools, the same list on every turn that excludes none. */
  #neutralTools(turn: PerTurn): readonly NeutralTool[] {
    const { engine } = this.#standard()
    this.#deferred ??= engine.call("deferred", { loaded: [], forced: [], exclude: [], unavailable: [] })
    this.#neutral ??= Object.freeze(
      Array.from(this.#deferred, (index) => {
        const name = this.#catalogue.leaves.reads[index]?.name as string
        const inputSchema = this.#catalogue.schemas[index]?.value
        return Object.freeze({ name, description: this.#description(index), inputSchema })
      }),
    )
    if (turn.exclude.length === 0) return this.#neutral
    const wanted = new Set(engine.call("deferred", turn))
    return Object.freeze(this.#neutral.filter((_, at) => wanted.has(this.#deferred?.[at] as number)))
  }

  #description(index: number): string {
    try {
      const wired = this.#standard()
      const description = wired.wire.description(this.#definition(wired, index, 0, undefined, null))
      return typeof description === "string" ? description : ""
    } catch {
      // A getter that throws: the engine read nothing either.
      return ""
    }
  }
}

/** What a wire has not, it must not have from Object.prototype either. */
const wireOf = (format: Format): Wire => Object.assign(Object.create(null) as Wire, WIRES[format])

/** An object with something in it, and one that lets itself be read. */
function isLegible(value: unknown): boolean {
  try {
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
  } catch {
    return false
  }
}

/** The same object, or the same to whoever reads it. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    notTheEnd()
    return false
  }
}

/** The results in what a host gives as one: itself, or those that a message of its holds. */
function within(other: unknown, { parts, message }: Wire): readonly unknown[] {
  if (!message || !parts) return [other]
  const inner = property(other, parts)
  return typeof property(other, "role") === "string" && isArray(inner) ? inner : [other]
}

/** Messages and items tell it themselves, bare calls as what an assistant says. */
function formatOfCalls(calls: unknown): Format | undefined {
  const list = isArray(calls) ? calls : [calls]
  return run("detectFormat", list) ?? run("detectFormat", [{ role: "assistant", content: list }])
}

/** A word where nothing was answered and what was given is another format's. */
function foreign(calls: unknown, format: Format): Warning[] {
  let seen: Format | undefined
  try {
    seen = formatOfCalls(calls)
  } catch (error) {
    // Of two formats at once: whatever it is, it is none of this one's alone.
    if (!(error instanceof ToolcribError) || error.code !== "ambiguous_format") throw error
  }
  if (!seen || seen === format) return []
  return [{ code: "foreign_calls", message: `nothing is answered: these calls are written as ${seen} has them, and the format is ${format}` }]
}

/** What an async function of a tool's gives: among the messages it would be an empty object. */
/** What is told of an error of the host's. */
const LONGEST_ERROR = 200

/** The elements of an array that a host may have made unreadable. */
function listOf<Element>(list: readonly Element[]): Element[] {
  try {
    return [...list]
  } catch {
    notTheEnd()
    return invalid("after", list, "an array that can be read")
  }
}

function isWaiting(part: unknown): boolean {
  try {
    return isThenable(part)
  } catch {
    return false
  }
}

/** The predicate's answer for every tool. A function that fails here would withhold or send at random. */
function flags({ predicate }: Checked, { tools, reads }: Leaves): (boolean | null)[] | null {
  if (!predicate) return null
  return reads.map(({ kind, name }, index) => {
    if (kind !== "tool") return null
    let answer: unknown
    try {
      answer = predicate(tools[index])
    } catch (cause) {
      throw new ToolcribError("invalid_option", `option "deferred" failed for tool "${name}": ${words(cause)}`, { cause })
    }
    if (answer === undefined || answer === null) return null
    return typeof answer === "boolean" ? answer : invalid(`deferred("${name}")`, answer, "true, false or undefined")
  })
}

/** Everything but the schemas, which may be waited for. */
function begun(checked: Checked, leaves: Leaves): Omit<Catalogue, "schemas" | "warnings"> {
  const { tools } = checked
  const format = checked.format ?? formatOf(leaves)
  const isWhole = leaves.origins !== "" && (Array.isArray(tools) || property(tools, "functionDeclarations") !== undefined)
  const whole = isWhole ? (Array.isArray(tools) ? [...(tools as unknown[])] : [tools]) : null
  return { leaves, whole, format, flags: flags(checked, leaves) }
}

function read(checked: Checked, leaves: Leaves, older?: readonly Schema[]): Catalogue {
  const warnings: Warning[] = []
  const schemas = readSchemas(leaves.tools, leaves.reads, checked.toJsonSchema, warnings, older)
  return { ...begun(checked, leaves), schemas, warnings }
}

export function open(options: unknown): Search {
  const checked = readOptions(options)
  const leaves = readTools(checked.tools)
  try {
    return new Search(checked, read(checked, leaves))
  } finally {
    release(leaves)
  }
}

export async function openLater(options: unknown): Promise<Search> {
  const checked = readOptions(options)
  const leaves = readTools(checked.tools)
  try {
    const warnings: Warning[] = []
    const schemas = await awaitSchemas(leaves.tools, leaves.reads, checked.toJsonSchema, warnings)
    return new Search(checked, { ...begun(checked, leaves), schemas, warnings })
  } finally {
    release(leaves)
  }
}

/** By name the last position, as names of what the provider runs may come twice. */
function placed({ leaves }: Catalogue): Map<string, number> {
  return new Map(leaves.reads.flatMap(({ name }, index) => (name === null ? [] : [[name, index] as const])))
}

/** Whether what stands under a name in both is another. The engine has said it of most; of the rest there are few. */
function differing(
  older: Catalogue,
  before: Map<string, number>,
  newer: Catalogue,
  after: Map<string, number>,
  changes: Uint8Array,
): (name: string) => boolean {
  const said = (name: string) => changes[after.get(name) as number]
  const rest = [...after.keys()].filter((name) => before.has(name) && said(name) === CHANGES.unknown)
  const [was, is] = [digests(older, before, rest), digests(newer, after, rest)]
  return (name) => said(name) === CHANGES.changed || was.get(name) !== is.get(name)
}

function digests(catalogue: Catalogue, places: Map<string, number>, names: string[]): Map<string, string> {
  const wanted = new Set(names.map((name) => places.get(name)))
  const { leaves, schemas } = only(catalogue, (index) => wanted.has(index))
  const { digests } = names.length ? run("identity", leaves.tools, leaves.origins, lines(schemas)) : { digests: [] }
  return new Map(leaves.reads.map(({ name }, index) => [name as string, digests[index] as string]))
}

/** Those of a catalogue's definitions that `keep` takes in. */
function only(catalogue: Catalogue, keep: (index: number) => boolean): Catalogue {
  const { leaves, schemas, flags } = catalogue
  const { tools, reads, origins } = leaves
  const kept = <Each>(all: readonly Each[]): Each[] => all.filter((_, index) => keep(index))
  return {
    ...catalogue,
    whole: null,
    leaves: { tools: kept(tools), reads: kept(reads), origins: origins && JSON.stringify(kept(JSON.parse(origins) as unknown[])) },
    schemas: kept(schemas),
    flags: flags && kept(flags),
  }
}

/** The positions of what can't stay beside the tools that were there before. */
type Newcomers = (leaves: Leaves, schemas: Uint8Array) => Uint32Array

/**
 * In the middle of a run a new tool must not end it: one that has the search tool's name, or call_tool's, or that of
 * another tool is left out. Of two with one name that stays which was there before.
 */
function reopen(checked: Checked, older: readonly Schema[], newcomers: Newcomers): Search {
  const leaves = readTools(checked.tools)
  try {
    let catalogue = read(checked, leaves, older)
    for (;;) {
      try {
        return new Search(checked, catalogue)
      } catch (error) {
        const fewer = without(error, catalogue, checked.settings, newcomers)
        if (!fewer || fewer.leaves.tools.length === catalogue.leaves.tools.length) throw error
        catalogue = fewer
      }
    }
  } finally {
    release(leaves)
  }
}

/** A catalogue without what an error is about; nothing where it is another. */
function without(
  error: unknown,
  catalogue: Catalogue,
  { searchName, callName, delivery }: Checked["settings"],
  newcomers: Newcomers,
): Catalogue | undefined {
  const { leaves, schemas, warnings } = catalogue
  const code = error instanceof ToolcribError ? error.code : undefined
  const warning = (index: number, why: string): Warning => {
    const tool = leaves.reads[index]?.name as string
    return { code: code as string, message: `tool "${tool}": ${why}`, tool }
  }
  if (code === "duplicate_tool_name") {
    const left = [...newcomers(leaves, lines(schemas))]
    const why = "another tool has its name and stays, this one is left out; give each its own, for example with its server's before it"
    const indexes = new Set(left)
    return { ...only(catalogue, (index) => !indexes.has(index)), warnings: [...left.map((index) => warning(index, why)), ...warnings] }
  }
  if (code !== "reserved_tool_name") return undefined
  const isOurs = (name?: string | null) => name === searchName || (delivery === "proxy" && name === callName)
  const ours = leaves.reads.flatMap(({ name }, index) => (isOurs(name) ? [index] : []))
  const why = "it has the name of a tool of ours and is left out; rename it, or ours by searchTool.name or callTool.name"
  return {
    ...only(catalogue, (index) => !ours.includes(index)),
    // Of what is left out nothing else is worth saying.
    warnings: [...ours.map((index) => warning(index, why)), ...warnings.filter(({ tool }) => !isOurs(tool))],
  }
}

export function rankNames(query: unknown, tools: unknown, options: unknown, byKeywords: boolean): string[] {
  const limit = readRankOptions(options)
  const leaves = readTools(readGiven(tools))
  const schemas = lines(readSchemas(leaves.tools, leaves.reads, undefined, []))
  return rankTools(typeof query === "string" ? query : "", leaves, schemas, limit, byKeywords)
}

export function registerModel(name: unknown, options: unknown): void {
  register(readModel(name, options))
}

export function estimateTokens(value: string | object): number {
  return run("estimateTokens", typeof value === "string" ? value : textOf(value))
}
