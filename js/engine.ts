import type { Fault } from "./validate.js"
import { createGlue, stamp } from "virtual:engine-glue"
import { ToolcribError, type ErrorCode } from "./errors.js"
import type { Deferral, Explanation, Format, SearchResultPosition, TurnCache, TurnDelivery, TurnEvent, Warning } from "./types.js"

// What crosses the boundary: plain values in, plain values out, never a callback. This file is the
// only one that touches the wasm.

/** What the engine saw in one element of the host's array. */
export interface Read {
  kind: "tool" | "hosted" | "broken"
  name: string | null
  /** The path to the schema in the definition; `null` when there is none. */
  schema: string[] | null
  /** The schema may be in Gemini's dialect. */
  dialect: boolean
}

/** The checked options; `options.ts` makes them. */
export interface Settings {
  format: Format
  delivery: "append" | "native" | "proxy" | "auto"
  model: string | null
  callName: string
  breakpoint: "standard" | "5m" | "1h" | null
  searchName: string
  formerNames: string[]
  contextWindow: number | null
  registered: { name: string; contextWindow: number }[]
  threshold: { share: number | null; tokens: number | null; tools: number | null } | "always" | "never"
  limit: { default: number; max: number }
  resident: string[]
  handoffs: string[]
  handoff: "keep" | "reset"
  calls: "ignore" | "load"
  unloadedCall: "run" | "load" | "refuse"
  deferredNames: string[]
  deferredFlags: (boolean | null)[] | null
  deferredAbove: number | null
  servers: { name: string; deferLoading: boolean | null; prefix: string | null; tools: string[] }[]
  whenAllLoaded: "withdraw" | "keep" | null
  nameLimit: number | null
  refuseNames: boolean
  rank: "bm25" | "keywords" | "custom"
  maxSent: number | null
  texts: { readonly [key: string]: string } | null
  costs: (number | null)[] | null
  /** Of the search tool, the note and the tool that calls all others. */
  ownCosts: (number | null)[]
}

/** Text of JSON: an object is read from it in a fraction of the time that making it across the boundary takes. */
type Json = string

/** What a definition takes over from another of the host's. */
interface Take {
  index: number
  from: string[]
  at: string[]
}

/** How a tool goes on the wire. */
export type Form =
  | { as: "own" }
  | { as: "edit"; strip: string[][]; put: { at: string[]; value: Json }[]; take: Take | null }
  | { as: "convert"; template: Json; at: string[]; take: Take | null }
  | { as: "merged"; into: number }
  | { as: "excluded" }

export interface Report {
  warnings: Warning[]
  deferral: Deferral
  delivery: TurnDelivery
  searchTool: Json
  /** It is the provider's own. */
  isNative: boolean
  note: string
  format: Format
  /** Names and what they go out as. */
  aliases: [name: string, alias: string][]
}

export interface PerTurn {
  loaded: string[]
  forced: string[]
  exclude: string[]
  unavailable: string[]
  /** Whatever the host's request has: the engine reads it where it lies. */
  toolChoice?: unknown
  model?: string | null
  since?: number
  system?: unknown
}

export interface EngineHit {
  index: number
  name: string
  score: number
  exact: boolean
  terms: { term: string; fields: string[] }[]
  explanation?: Explanation
}

export interface EngineAnswer {
  id: string | null
  part: Json
  /** Where in the part positions stand for definitions. */
  fill: string[] | null
  query: string[]
  hits: EngineHit[]
  loaded: string[]
  alreadyLoaded: string[]
  available: string[]
  more: number
  note: string
  error: string | null
}

export interface EngineCall {
  id: string | null
  query: string[]
  limit: number
  error: string | null
}

/** A custom ranking's answer to one search call; `null` for a call that has no query to rank. */
export type Ranked = string[] | { error: string } | null

/** What a catalogue is told apart by: one digest for each tool, and one for all. */
export interface Identity {
  fingerprint: string
  digests: string[]
}

/** The engine as wasm-bindgen exports it. */
interface Exported {
  report(): Report
  definition(slot: number, form: number, source: number | undefined): Form
  definitionInResult(index: number, isInner: boolean): Form
  stub(name: string, form: number): Json
  prefix(
    before: { names: string[]; loaded: string[]; applied: boolean; used: string; unchanged: number },
    now: { tools: number[]; forms: number[]; loaded: string[]; applied: boolean; exclude: string[] },
  ): TurnCache
  deferred(options: PerTurn): Uint32Array
  turn(
    messages: unknown,
    options: PerTurn,
  ): {
    tools: number[]
    forms: number[]
    breakpoints: [at: number, source: number][]
    stubs: string[]
    note: string | null
    loaded: string[]
    leftOut: string[]
    deferral: Deferral
    tokens: { sent: number; withheld: number; all: number }
    warnings: Warning[]
    events: TurnEvent[]
  }
  fit(
    messages: unknown,
    options: PerTurn,
    contextWindow: number | undefined,
    reserve: number | undefined,
  ): {
    /** Positions: all from here on, and those before. */
    from: number
    kept: number[]
    note: Json | null
    noteAt: number
    loaded: string[]
    cut: number
    since: number
    tokens: { before: number; messages: number; tools: number; budget: number }
    fits: boolean
    warnings: Warning[]
  }
  /** A handle, which the next two take. */
  index(schemas: Uint8Array): Index
  /** The same by way of an older engine's; `kept` has where that has the same tool, or -1. */
  reindex(schemas: Uint8Array, index: Index, kept: Int32Array): Index | undefined
  /** For each tool how it stands to the one at `at` in an older engine, if its schema's text is the same; in `CHANGES`. */
  changes(older: Exported, at: Int32Array): Uint8Array
  /** The positions of what can't stay among the tools of the next engine. */
  newcomers(definitions: Definitions, schemas: Uint8Array, ownSchemas: Uint8Array): Uint32Array
  search(index: Index, query: unknown, limit: unknown, explain: boolean): EngineHit[]
  answer(
    index: Index,
    calls: unknown,
    messages: unknown,
    options: PerTurn,
    ranked: Ranked[] | null,
  ): EngineAnswer[]
  calls(calls: unknown): EngineCall[]
  resolve(
    call: unknown,
    messages: unknown,
    options: PerTurn,
  ):
    | { index: number; deferred: boolean; loaded: boolean; name: string; recovered: string | null; args: string; warnings: Warning[] }
    | Refused
  refused(call: unknown, name: string, faults: readonly Fault[]): Refused
  order(calls: unknown, parts: unknown[]): number[]
  searchResults(messages: unknown): SearchResultPosition[]
  keepNote(before: unknown, after: unknown, options: PerTurn): { replaced: number[]; position: number; note: string | null }
  pending(messages: unknown): { message: number; part: number | null }[]
  free(): void
}

interface Index {
  free(): void
}

interface Refused {
  error: string
  code: string
  part: Json
}

/** What an engine gives as a number: nothing to compare with, the same texts, others. */
export const CHANGES = { unknown: 0, none: 1, changed: 2 }

/** What the engines of several agents have in common: the schemas' texts, and one index, which goes with the last. */
export interface Shared {
  /** From {@link lines}. */
  readonly schemas: Uint8Array
  engines: number
}

/** What takes the index first. */
const INDEXED = ["search", "answer"] as const
type Indexed = (typeof INDEXED)[number]

/** What is given to a method, the index aside. */
type Given<Name extends keyof Exported> = Name extends Indexed
  ? Parameters<Exported[Name]> extends [Index, ...infer Rest]
    ? Rest
    : never
  : Parameters<Exported[Name]>

/** The functions that need no engine. */
interface Functions {
  identity(tools: readonly unknown[], origins: string, schemas: Uint8Array): Identity
  estimateTokens(text: string): number
  plainSchema(schema: string): string | undefined
  /** The JSON of what each text is called, its words, and what may stand in its braces. */
  texts(): string
  detectFormat(messages: unknown): Format | undefined
}

const KINDS = ["tool", "hosted", "broken"] as const

interface Definitions {
  /** By position in `KINDS`. */
  kinds(): Uint8Array
  /** The JSON of an array. */
  names(): string
  /** For each tool the first that has its schema at the same path. */
  alike(): Uint32Array
  schemaAt(index: number): string[] | null
  /** The tools, each on its own; once. */
  leaves(): unknown[]
  /** Where they stood, for making them anew. */
  origins(): string
  /** The format that their shapes tell. */
  format(): Format | undefined
  dialects(): Uint8Array
  free(): void
}

interface Glue extends Functions {
  rankTools(
    query: string,
    definitions: Definitions,
    schemas: Uint8Array,
    limit: number | null,
    byKeywords: boolean,
  ): string[]
  __wbg_set_wasm(exports: object): void
  /** What was read of tools; given to an engine it is gone. */
  Definitions: { new (tools: unknown): Definitions; again(leaves: readonly unknown[], origins: string): Definitions }
  Engine: new (definitions: Definitions, schemas: Uint8Array, settings: Settings) => Exported
}

export { stamp }

/** The wasm, compiled or as bytes. Called once, on the first call that needs the engine. */
export type Source = () => WebAssembly.Module | BufferSource

let source: Source | undefined
let compiled: WebAssembly.Module | undefined
let glue: Glue | undefined

/**
 * Says where the wasm comes from; every public function begins so. Nothing once it is compiled, and until then the last
 * one counts: a module that uses `toolcrib/slim` before its `init` must not take the wasm from those that use `toolcrib`.
 */
export function provide(from: Source): void {
  if (!compiled) source = from
}

/** The running instance; made on first use, so that importing the package costs nothing. */
function running(): Glue {
  if (glue) return glue
  try {
    compiled ??= compile((source as Source)())
    const fresh = createGlue() as Glue
    const { exports } = new WebAssembly.Instance(compiled, {
      "./toolcrib_bg.js": fresh as unknown as WebAssembly.ModuleImports,
    })
    fresh.__wbg_set_wasm(exports)
    memories.set(fresh, exports["memory"] as WebAssembly.Memory)
    ;(exports["__wbindgen_start"] as (() => void) | undefined)?.()
    return (glue = fresh)
  } catch (cause) {
    if (cause instanceof ToolcribError) throw cause
    throw new ToolcribError("wasm_unavailable", `WebAssembly can't be started here: ${reason(cause).replace(/\.+$/, "")}. ${advice(cause)}`, {
      cause,
    })
  }
}

function compile(given: WebAssembly.Module | BufferSource): WebAssembly.Module {
  const module = isModule(given) ? given : new WebAssembly.Module(given)
  // By way of the module: whoever has put a function of his own in the place of WebAssembly.Module seldom gives it this.
  const { customSections } = module.constructor as typeof WebAssembly.Module
  const sections = customSections(module, "toolcrib").map((section) => new TextDecoder().decode(section))
  // Another release's wasm could be called and answer wrongly.
  if (sections[0] !== stamp) {
    throw new ToolcribError(
      "wasm_unavailable",
      `this engine.wasm is not the one of this toolcrib: it is marked "${sections[0] ?? ""}" and should be "${stamp}". Both have to come from the same release of the package.`,
    )
  }
  return module
}

/** Not by `instanceof`: test runners have realms of their own. */
export function isModule(value: unknown): value is WebAssembly.Module {
  return Object.prototype.toString.call(value) === "[object WebAssembly.Module]"
}

/** What the host can do about it, as far as the error says. */
function advice(cause: unknown): string {
  if (typeof WebAssembly === "undefined") return "This runtime has none, or has it switched off (node --jitless does)."
  const words = reason(cause)
  if (/embedder/i.test(words)) {
    return 'Cloudflare Workers refuse bytes that come as text: the bundler has to resolve the package with the condition "workerd" ("edge-light" on Vercel), or give toolcrib/slim the module. An older Chrome says the same where the page\'s Content-Security-Policy lacks \'wasm-unsafe-eval\' in script-src.'
  }
  if (/content.security|csp|unsafe-eval/i.test(words)) {
    return "The page's Content-Security-Policy needs 'wasm-unsafe-eval' in script-src."
  }
  // A RangeError too, as are the next two.
  if (/main thread/i.test(words)) {
    return "This browser compiles so much only in a worker, or when toolcrib/slim is given what WebAssembly.compileStreaming gives."
  }
  // Jest's jsdom environment, for one.
  if (/Text(De|En)coder/.test(words)) {
    return "This environment hides what the runtime has: set TextEncoder and TextDecoder from Node's util in its setup file, or use the node environment."
  }
  if (/stack|recursion/i.test(words)) return "The call stack was nearly full."
  if (cause instanceof RangeError || /out of memory/i.test(words)) return "There is not enough memory for it."
  // How V8, SpiderMonkey and JavaScriptCore say where a file is not WebAssembly, and V8 that there is none.
  if (/@\+\d|at offset \d|at byte \d|is empty/.test(words)) {
    return "These bytes are not the whole engine.wasm: cut off, still compressed, or a page that says something else."
  }
  return "A page's Content-Security-Policy needs 'wasm-unsafe-eval' in script-src; edge runtimes need the condition \"workerd\" or \"edge-light\", or toolcrib/slim with a module."
}

/** Each instance's memory: what is left of it says why an instance stopped. */
const memories = /* @__PURE__ */ new WeakMap<Glue, WebAssembly.Memory>()

const WITHIN = "a call from within it stopped the engine"

/**
 * Makes one call. The engine throws `{code, message}` and nothing else, so whatever else comes out (a
 * trap, memory that ran out, an exhausted stack) has left the instance in an unknown state: it is thrown away.
 */
function attempt<Result>(inside: Glue, call: () => Result): Result {
  try {
    const result = call()
    if (glue === inside) return result
    // A getter or a proxy of the host's has called the package in the middle of this, and that call ended the instance.
    throw new Error(WITHIN)
  } catch (cause) {
    const within = glue !== inside
    if (!within && !(cause instanceof Error)) {
      const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown }
      if (typeof code === "string") throw new ToolcribError(code as ErrorCode, String(message))
    }
    if (!within) {
      glue = undefined
      living = new WeakMap()
      indexes = new WeakMap()
    }
    const why = within ? WITHIN : (shortage(inside) ?? reason(cause))
    // The glue frees forgotten engines on its own. From now on whatever it calls does nothing.
    inside.__wbg_set_wasm(new Proxy({}, { get: () => () => {} }))
    throw new ToolcribError(
      "engine_trapped",
      `the engine stopped in the middle of this call, which has no result: ${why}. The next call starts it afresh.`,
      { cause },
    )
  }
}

/** More than any one call asks for beyond what it has: 64 MiB in pages of 64 KiB. */
const SPARE = 1024

/** With `panic = "abort"` a failed allocation is the same `unreachable` as a panic; only the memory tells them apart. */
function shortage(stopped: Glue): string | undefined {
  const memory = memories.get(stopped)
  try {
    memory?.grow(SPARE)
  } catch (cause) {
    const used = (memory as WebAssembly.Memory).buffer.byteLength / 2 ** 20
    if (cause instanceof RangeError) return `it ran out of memory, with ${used.toFixed()} MiB in use`
  }
  return undefined
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Calls a function that needs no engine. */
export function run<Name extends keyof Functions>(
  name: Name,
  ...given: Parameters<Functions[Name]>
): ReturnType<Functions[Name]> {
  const inside = running()
  return attempt(inside, () => (inside[name] as (...given: unknown[]) => ReturnType<Functions[Name]>)(...given))
}

/** The host's tools, each on its own. */
export interface Leaves {
  tools: readonly unknown[]
  reads: Read[]
  /** Where each stood; empty where none stood in anything. */
  origins: string
}

/** What was read of a catalogue and waits for its engine, so that the tools are read once. */
const waiting = /* @__PURE__ */ new WeakMap<Leaves, { home: Glue; definitions: Definitions }>()

/** What stands in what the host gives as its tools. The array is ours: what the host does to its own later changes nothing. */
export function readTools(given: unknown): Leaves {
  const home = running()
  return attempt(home, () => {
    const definitions = new home.Definitions(given)
    const names = JSON.parse(definitions.names()) as (string | null)[]
    const [kinds, alike, dialects] = [definitions.kinds(), definitions.alike(), definitions.dialects()]
    const paths = new Map([...new Set(alike)].map((first) => [first, definitions.schemaAt(first)] as const))
    const leaves: Leaves = {
      tools: definitions.leaves(),
      origins: definitions.origins(),
      reads: names.map((name, index) => ({
        kind: KINDS[kinds[index] as number] as Read["kind"],
        name,
        schema: paths.get(alike[index] as number) ?? null,
        dialect: dialects[index] === 1,
      })),
    }
    waiting.set(leaves, { home, definitions })
    return leaves
  })
}

/** The format that the shapes of tools tell; `undefined` where they tell none. */
export function formatOf(leaves: Leaves): Format | undefined {
  const home = running()
  return attempt(home, () => {
    const known = waiting.get(leaves)
    return (known?.home === home ? known.definitions : home.Definitions.again(leaves.tools, leaves.origins)).format()
  })
}

/** Lets go of what was read of tools that came to no engine; the collector would, but late. */
export function release(leaves: Leaves): void {
  const known = waiting.get(leaves)
  if (!known) return
  waiting.delete(leaves)
  if (known.home === glue) attempt(known.home, () => known.definitions.free())
}

function definitionsOf(leaves: Leaves, home: Glue): Definitions {
  const known = waiting.get(leaves)
  waiting.delete(leaves)
  return known?.home === home ? known.definitions : home.Definitions.again(leaves.tools, leaves.origins)
}

const NO_SCHEMA = { text: null }

/** The schemas' JSON texts as the engine takes them: one a line, as minified JSON has no line breaks, in UTF-8. */
export function lines(schemas: readonly { text: string | null }[]): Uint8Array {
  let all = ""
  for (const [index, { text }] of schemas.entries()) all += index ? `\n${text ?? ""}` : (text ?? "")
  return new TextEncoder().encode(all)
}

/** Ranks tools that `readTools` has read. */
export function rankTools(
  query: string,
  leaves: Leaves,
  schemas: Uint8Array,
  limit: number | null,
  byKeywords: boolean,
): string[] {
  const inside = running()
  return attempt(inside, () => inside.rankTools(query, definitionsOf(leaves, inside), schemas, limit, byKeywords))
}

/**
 * What the engines are in the running instance. Gone with it: an engine that is not asked again must not keep the glue,
 * whose views keep the memory of an instance that may have ended for being full.
 */
let living = /* @__PURE__ */ new WeakMap<Engine, Exported>()
/** Made on the first search: it is most of what an engine costs, and not every run searches. */
let indexes = /* @__PURE__ */ new WeakMap<Shared, Index>()
/** Hashed on demand, as most hosts never ask; by the schemas' texts. */
const identities = /* @__PURE__ */ new WeakMap<Uint8Array, Identity>()

/** The public methods that ask under another name. */
const ASKED_BY: { readonly [name: string]: string } = { calls: "answer", deferred: "answer", order: "messages", refused: "resolve" }

/** One engine. It keeps what it was made from, and makes itself anew when the instance it lived in is gone. */
export class Engine {
  readonly #leaves: Leaves
  readonly #shared: Shared
  readonly #settings: Settings
  #freed = false
  #left = false
  #calls = 0

  constructor(leaves: Leaves, shared: Shared, settings: Settings) {
    this.#leaves = leaves
    this.#shared = shared
    this.#settings = settings
    this.#settle(running())
    shared.engines++
  }

  #settle(inside: Glue): Exported {
    const known = living.get(this)
    if (known) return known
    const { schemas } = this.#shared
    const made = attempt(inside, () => new inside.Engine(definitionsOf(this.#leaves, inside), schemas, this.#settings))
    living.set(this, made)
    return made
  }

  /** From within {@link attempt}. */
  #index(engine: Exported): Index {
    const known = indexes.get(this.#shared)
    if (known) return known
    const made = engine.index(this.#shared.schemas)
    indexes.set(this.#shared, made)
    return made
  }

  call<Name extends Exclude<keyof Exported, "free" | "index" | "reindex" | "changes" | "newcomers">>(
    name: Name,
    ...given: Given<Name>
  ): ReturnType<Exported[Name]> {
    return this.during(name, () => {
      const inside = running()
      const engine = this.#settle(inside)
      return attempt(inside, () => {
        const first = (INDEXED as readonly string[]).includes(name) ? [this.#index(engine)] : []
        return (engine[name] as (...given: unknown[]) => ReturnType<Exported[Name]>)(...first, ...given)
      })
    })
  }

  /** As `call("answer", ...)`, which makes no index to answer nothing: most messages search for nothing. */
  answer(...given: Given<"answer">): EngineAnswer[] {
    const [calls, , , ranked] = given
    return this.during("answer", () => {
      // Whoever has ranked has read the calls.
      const isIdle = () => (ranked ?? this.call("calls", calls)).length === 0
      return !indexes.has(this.#shared) && isIdle() ? [] : this.call("answer", ...given)
    })
  }

  /**
   * How the tools stand to those of an older engine, which has at `at` the one with the same schema, if any. Where that one
   * has an index, this one gets its own by way of it: the older may go at any time, so it can't be put off to the first
   * search.
   */
  follow(older: Engine, schemas: readonly { text: string | null }[], at: Int32Array): Uint8Array {
    const inside = running()
    const [own, theirs] = [this.#settle(inside), older.#settle(inside)]
    const changes = attempt(inside, () => own.changes(theirs, at))
    const isKept = (index: number) => changes[index] === CHANGES.none
    const index = indexes.get(older.#shared)
    if (index && !indexes.has(this.#shared)) {
      const rest = lines(schemas.map((schema, index) => (isKept(index) ? NO_SCHEMA : schema)))
      const kept = at.map((place, index) => (isKept(index) ? place : -1))
      const made = attempt(inside, () => own.reindex(rest, index, kept))
      if (made) indexes.set(this.#shared, made)
    }
    return changes
  }

  /** There was a search in this instance. */
  get isIndexed(): boolean {
    return !this.#left && indexes.has(this.#shared)
  }

  /** The positions of what can't stay among the tools that are to take the place of this engine's. */
  newcomers(leaves: Leaves, schemas: Uint8Array): Uint32Array {
    const inside = running()
    const own = this.#settle(inside)
    return attempt(inside, () => {
      const definitions = definitionsOf(leaves, inside)
      const found = own.newcomers(definitions, schemas, this.#shared.schemas)
      definitions.free()
      return found
    })
  }

  /** Several calls as one: freed in the middle, as a getter on a message could, the engine lasts to their end. */
  during<Result>(name: string, calls: () => Result): Result {
    this.refuse(name)
    this.#calls++
    try {
      return calls()
    } finally {
      this.#calls--
      if (this.#freed) this.free()
    }
  }

  identity(): Identity {
    this.refuse("fingerprint")
    const { schemas } = this.#shared
    const known = identities.get(schemas)
    if (known) return known
    const made = run("identity", this.#leaves.tools, this.#leaves.origins, schemas)
    identities.set(schemas, made)
    return made
  }

  /** Throws where this engine has been freed. */
  refuse(name: string): void {
    if (!this.#freed || this.#calls) return
    throw new ToolcribError("engine_freed", `${ASKED_BY[name] ?? name}: this engine has been freed; create a new one`)
  }

  /** From within a call the memory goes when the call is over. */
  free(): void {
    this.#freed = true
    if (this.#left || this.#calls) return
    this.#left = true
    const [own, index] = [living.get(this), indexes.get(this.#shared)]
    living.delete(this)
    const isLast = --this.#shared.engines === 0
    if (isLast) indexes.delete(this.#shared)
    if (!own && !(isLast && index)) return
    attempt(glue as Glue, () => {
      if (isLast) index?.free()
      own?.free()
    })
  }
}
