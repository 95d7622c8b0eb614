// The public functions, for every entry of the package alike. index.ts has their documentation.

import { sentObject } from "./definitions.js"
import { Engine, lines, rankTools, readTools, release, run, type EngineHit, type PerTurn, type Read, type Settings } from "./engine.js"
import { ToolcribError } from "./errors.js"
import {
  invalid,
  readOptions,
  readRankOptions,
  readSearchOptions,
  readToolArray,
  readTurnOptions,
  type Checked,
} from "./options.js"
import { rankCalls } from "./rank.js"
import { awaitSchemas, isThenable, readSchemas, textOf, warn, words, type Schema } from "./schemas.js"
import type {
  Catalogue as Tools,
  Deferral,
  Delivery,
  Format,
  Hit,
  NeutralTool,
  Reply,
  ReplyMessages,
  Resolved,
  ResultPart,
  SearchOptions,
  SearchResult,
  SearchResultPosition,
  SearchTool,
  ToolSearch,
  ToolSearchOptions,
  Turn,
  TurnOptions,
  Unresolved,
  Update,
  Warning,
} from "./types.js"
import { WIRES, type Wire } from "./wire.js"

export { isModule, provide, stamp, type Source } from "./engine.js"
export { NEVER_DEFERRED } from "./never-deferred.js"
export { ToolcribError }

/** What came of reading the host's array: the part that differs between the two creators. */
interface Catalogue {
  tools: readonly unknown[]
  reads: Read[]
  schemas: Schema[]
  /** What the predicate said of each tool. */
  flags: (boolean | null)[] | null
  warnings: Warning[]
}

/** An engine of any tools; {@link open} says which. */
class Search implements ToolSearch {
  readonly warnings: readonly Warning[]
  readonly searchTool: SearchTool
  readonly note: string
  readonly deferral: Deferral
  readonly #checked: Checked
  readonly #catalogue: Catalogue
  #engine: Engine
  /** What goes on the wire, made when a turn first sends it and the same object from then on. */
  readonly #sent = new Map<number, unknown>()
  /** The positions of the deferred tools. */
  #deferred: Uint32Array | undefined
  #neutral: readonly NeutralTool[] | undefined

  constructor(checked: Checked, catalogue: Catalogue) {
    const { tools, schemas } = catalogue
    const warnings = [...catalogue.warnings]
    const texts = lines(schemas)
    const settings: Settings = { ...checked.settings, deferredFlags: catalogue.flags }
    this.#catalogue = catalogue
    this.#engine = new Engine(tools, texts, settings)
    if (checked.countTokens) {
      // What goes on the wire is known only now; the decision has to be made again with its cost.
      const costs = this.#counts(checked.countTokens, warnings)
      this.#engine.free()
      this.#engine = new Engine(tools, texts, { ...settings, costs })
    }
    const report = this.#engine.call("report")
    this.#checked = checked
    this.warnings = [...warnings, ...report.warnings]
    this.searchTool = report.searchTool as SearchTool
    this.note = report.note
    this.deferral = report.deferral
    // A runtime without Symbol.dispose can't have a method of that name on the prototype.
    if (typeof Symbol.dispose === "symbol") {
      Object.defineProperty(this, Symbol.dispose, { value: () => this.free() })
    }
  }

  declare [Symbol.dispose]: () => void

  turn(messages: readonly unknown[], options?: TurnOptions): Turn {
    const given = readTurnOptions(options)
    return this.#engine.during("turn", () => {
      const turn = this.#engine.call("turn", messages, given)
      return {
        ...turn,
        tools: turn.tools.map((index) => (index < 0 ? this.searchTool : this.#definition(index))),
      } as Turn
    })
  }

  async answer(calls: object, messages: readonly unknown[] = [], options?: TurnOptions): Promise<Reply> {
    const turn = readTurnOptions(options)
    const { rank, rankTimeout } = this.#checked
    const ranked = rank
      ? await rankCalls(rank, rankTimeout, this.#neutralTools(turn), this.#engine.call("calls", calls))
      : null
    const answers = this.#engine.answer(calls, messages, turn, ranked)
    const parts = answers.map(({ part }) => part as ResultPart)
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
    })) as SearchResult[]
    return {
      parts,
      results,
      loaded: [...new Set(results.flatMap(({ loaded }) => loaded))],
      messages: <Part>(others: readonly Part[] = []) => {
        const all: unknown[] = [...parts, ...(Array.isArray(others) ? (others as readonly Part[]) : [])]
        const waiting = all.findIndex(isWaiting)
        if (waiting >= 0) {
          throw new ToolcribError(
            "invalid_option",
            `reply.messages takes results, and others[${waiting - parts.length}] is a promise of one: reply.messages(await Promise.all(others))`,
          )
        }
        return this.#engine.call("order", calls, all).map((index) => all[index]) as ReplyMessages<Format, Delivery, Part>
      },
    }
  }

  resolve(call: object, messages: readonly unknown[] = [], options?: TurnOptions): Resolved | Unresolved {
    const found = this.#engine.call("resolve", call, messages, readTurnOptions(options))
    if (found.error !== undefined) {
      return { error: { code: found.code, message: found.error }, part: found.part as ResultPart }
    }
    const { index, name, args, deferred, loaded } = found
    return { tool: this.#catalogue.tools[index], name, args: JSON.parse(args), deferred, loaded } as Resolved
  }

  search(query: string, options?: SearchOptions): Hit[] {
    const { limit, explain } = readSearchOptions(options)
    return this.#hits(this.#engine.call("search", query, limit, explain))
  }

  searchResults(messages: readonly unknown[]): SearchResultPosition[] {
    return this.#engine.call("searchResults", messages)
  }

  pending<Message>(messages: readonly Message[]): object[] {
    const found = this.#engine.call("pending", messages)
    if (!found) return []
    try {
      const calls = this.#wire().calls(messages[found.message])
      return found.calls.map((index) => calls[index] as object)
    } catch {
      // The engine has read what now refuses to be read.
      return []
    }
  }

  update<const Next extends Tools>(tools: Next): Update<Next, Format> {
    const before = this.#digests()
    const search = reopen({ ...this.#checked, tools: readToolArray(tools) })
    const after = search.#digests()
    const names = [...after.keys()]
    return {
      search: typed<Next, Format, Delivery>(search),
      added: names.filter((name) => !before.has(name)),
      removed: [...before.keys()].filter((name) => !after.has(name)),
      changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
    }
  }

  fingerprint(): string {
    return this.#engine.identity("fingerprint").fingerprint
  }

  free(): void {
    this.#engine.free()
  }

  #hits(hits: EngineHit[]): Hit[] {
    return hits.map(({ index, ...hit }) => ({ tool: this.#catalogue.tools[index], ...hit })) as Hit[]
  }

  #digests(): Map<string, string | undefined> {
    const { digests } = this.#engine.identity("update")
    return new Map(
      this.#catalogue.reads.flatMap(({ name }, index) => (name === null ? [] : [[name, digests[index]] as const])),
    )
  }

  #definition(index: number): unknown {
    if (!this.#sent.has(index)) {
      const { tools, reads, schemas } = this.#catalogue
      const how = this.#engine.call("definition", index)
      this.#sent.set(index, sentObject(tools[index], reads[index], schemas[index], how))
    }
    return this.#sent.get(index)
  }

  #counts(count: (json: string) => unknown, warnings: Warning[]): (number | null)[] {
    return this.#catalogue.reads.map((read, index) => {
      let problem: string
      try {
        const tokens = count(textOf(this.#definition(index)))
        if (typeof tokens === "number" && tokens >= 0 && tokens < Infinity) return tokens
        problem = `it gave ${words(tokens)}`
      } catch (error) {
        problem = words(error)
      }
      warn(warnings, "tokens_not_counted", read, `countTokens failed, so its cost is estimated: ${problem}`)
      return null
    })
  }

  /** For the host's own ranking: the deferred tools, the same list on every turn that excludes none. */
  #neutralTools(turn: PerTurn): readonly NeutralTool[] {
    this.#deferred ??= this.#engine.call("deferred", { loaded: [], forced: [], exclude: [] })
    this.#neutral ??= Object.freeze(
      Array.from(this.#deferred, (index) => {
        const name = this.#catalogue.reads[index]?.name as string
        const inputSchema = this.#catalogue.schemas[index]?.value
        return Object.freeze({ name, description: this.#description(index), inputSchema })
      }),
    )
    if (turn.exclude.length === 0) return this.#neutral
    const wanted = new Set(this.#engine.call("deferred", turn))
    return Object.freeze(this.#neutral.filter((_, at) => wanted.has(this.#deferred?.[at] as number)))
  }

  #description(index: number): string {
    try {
      const description = this.#wire().description(this.#definition(index))
      return typeof description === "string" ? description : ""
    } catch {
      // A getter that throws: the engine read nothing either.
      return ""
    }
  }

  #wire(): Wire {
    return WIRES[this.#checked.settings.format] as Wire
  }
}

/** What an async function of a tool's gives: among the messages it would be an empty object. */
function isWaiting(part: unknown): boolean {
  try {
    return isThenable(part)
  } catch {
    return false
  }
}

/** The predicate's answer for every tool. A function that fails here would withhold or send at random. */
function flags({ predicate, tools }: Checked, reads: readonly Read[]): (boolean | null)[] | null {
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

function read(checked: Checked): Catalogue {
  const { tools, toJsonSchema } = checked
  const warnings: Warning[] = []
  const reads = readTools(tools)
  const schemas = readSchemas(tools, reads, toJsonSchema, warnings)
  return { tools, reads, schemas, flags: flags(checked, reads), warnings }
}

export function open<Given extends Tools, As extends Format, By extends Delivery>(
  options: ToolSearchOptions<Given, As, By>,
): ToolSearch<Given, As, By> {
  const checked = readOptions(options)
  try {
    return typed(new Search(checked, read(checked)))
  } finally {
    release(checked.tools)
  }
}

/** What the engine gives follows from the options, which its class does not know. */
function typed<Given extends Tools, As extends Format, By extends Delivery>(search: ToolSearch): ToolSearch<Given, As, By> {
  return search as unknown as ToolSearch<Given, As, By>
}

export async function openLater<Given extends Tools, As extends Format, By extends Delivery>(
  options: ToolSearchOptions<Given, As, By>,
): Promise<ToolSearch<Given, As, By>> {
  const checked = readOptions(options)
  const { tools, toJsonSchema } = checked
  try {
    const warnings: Warning[] = []
    const reads = readTools(tools)
    const schemas = await awaitSchemas(tools, reads, toJsonSchema, warnings)
    return typed(new Search(checked, { tools, reads, schemas, flags: flags(checked, reads), warnings }))
  } finally {
    release(tools)
  }
}

/** In the middle of a run a new tool with the search tool's name must not end it: it is left out. */
function reopen(checked: Checked): Search {
  const { tools, settings } = checked
  try {
    const { reads, schemas, flags, warnings } = read(checked)
    try {
      return new Search(checked, { tools, reads, schemas, flags, warnings })
    } catch (error) {
      if (!(error instanceof ToolcribError) || error.code !== "reserved_tool_name") throw error
      const kept = <Each>(all: readonly Each[]): Each[] => all.filter((_, index) => reads[index]?.name !== settings.searchName)
      return new Search(checked, {
        tools: kept(tools),
        reads: kept(reads),
        schemas: kept(schemas),
        flags: flags && kept(flags),
        // Of what is left out nothing else is worth saying.
        warnings: [
          { code: error.code, message: `${error.message}: left out`, tool: settings.searchName },
          ...warnings.filter(({ tool }) => tool !== settings.searchName),
        ],
      })
    }
  } finally {
    release(tools)
  }
}

export function rankNames(query: unknown, tools: unknown, options: unknown, byKeywords: boolean): string[] {
  const limit = readRankOptions(options)
  const copy = readToolArray(tools)
  const schemas = lines(readSchemas(copy, readTools(copy), undefined, []))
  return rankTools(typeof query === "string" ? query : "", copy, schemas, limit, byKeywords)
}

export function estimateTokens(value: string | object): number {
  return run("estimateTokens", typeof value === "string" ? value : textOf(value))
}
