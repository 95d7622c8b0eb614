import { run, type Read } from "./engine.js"
import type { Warning } from "./types.js"

/** The schema of one tool. */
export interface Schema {
  /** Its JSON, for the index and the cost; `null` when there is none. */
  text: string | null
  /** The JSON Schema: the host's own object, or what stands for it. */
  value: unknown
  /** `value` is not what the definition holds, so the definition can't go out as it is. */
  replaced: boolean
  /** The host's own check of arguments, where the definition carries one. */
  validator: Validator | undefined
  /** The object in the definition that it was read of; nothing where there was something to say of it. */
  source?: object | undefined
  /** It was read as what may be in Gemini's dialect. */
  dialect?: boolean
}

/** A check that may have to be waited for, with what Standard Schema or the AI SDK says of the arguments. */
export type Validator = (args: unknown) => unknown

/** What came of the first look at a schema. */
type Found = { schema: unknown } | { later: () => unknown; made?: boolean } | { code: string; problem: string }

/** How the AI SDK marks a schema of its own, which holds the JSON Schema or a promise of it. */
const AI_SDK = Symbol.for("vercel.ai.schema")

/** zod and others know both; draft-07 is the older. */
const TARGETS = ["draft-2020-12", "draft-07"]
/** What Gemini's dialect has and JSON Schema has not. Few schemas have it, and to rewrite one costs more than all else here. */
const DIALECT = /"nullable":|"type":"[a-zA-Z]*[A-Z]/
/** A promise of a function of a promise is one too many, and the loop must end. */
const LAZY_STEPS = 4
/** Deeper than any schema that a person wrote, and far from the end of the stack. */
const DEPTH = 500

/**
 * What was awaited, so that `update`, which can't wait, knows it: what lazy schemas came to, and what an
 * asynchronous `toJsonSchema` made of a tool.
 */
const awaited = /* @__PURE__ */ new WeakMap<object, unknown>()
const converted = /* @__PURE__ */ new WeakMap<object, WeakMap<object, unknown>>()

type Convert = ((tool: unknown) => unknown) | undefined

/**
 * The schemas of all tools. Lazy ones are a warning. The very object of which there is one in `older` is not read again:
 * to write schemas as text is a quarter of what an update takes.
 */
export function readSchemas(
  tools: readonly unknown[],
  reads: readonly Read[],
  convert: Convert,
  warnings: Warning[],
  older: readonly Schema[] = [],
): Schema[] {
  // The host's function is asked about the tool, which may be another.
  const known = new Map(convert ? [] : older.map((schema) => [schema.source, schema]))
  return reads.map((read, index) => {
    const slot = valueAt(tools[index], read, warnings)
    const same = isObject(slot) ? known.get(slot) : undefined
    if (same && same.dialect === read.dialect) return same
    return finish(slot, find(slot, tools[index], read, convert), read, warnings)
  })
}

/** The same, lazy ones awaited, all at once. */
export async function awaitSchemas(
  tools: readonly unknown[],
  reads: readonly Read[],
  convert: Convert,
  warnings: Warning[],
): Promise<Schema[]> {
  const waited = reads.map(async (read, index) => {
    const slot = valueAt(tools[index], read, warnings)
    let found = find(slot, tools[index], read, convert)
    for (let step = 0; "later" in found && step < LAZY_STEPS; step++) {
      try {
        const value = await found.later()
        if (isLazy(slot) && !isLazy(value)) awaited.set(slot, value)
        if (convert && found.made && isObject(tools[index])) keep(convert, tools[index], value)
        found = find(value, tools[index], read, convert)
      } catch (error) {
        found = { code: "schema_failed", problem: `its schema failed to load: ${words(error)}` }
      }
    }
    return { slot, found, read }
  })
  return (await Promise.all(waited)).map(({ slot, found, read }) => finish(slot, found, read, warnings))
}

function valueAt(tool: unknown, read: Read, warnings: Warning[]): unknown {
  if (read.kind !== "tool" || !read.schema) return undefined
  try {
    return read.schema.reduce<unknown>((holder, key) => (holder as { [key: string]: unknown } | undefined)?.[key], tool)
  } catch (error) {
    warn(warnings, "schema_unreadable", read, `its schema can't be read: ${words(error)}`)
    return undefined
  }
}

/** The definition's own, then Standard JSON Schema, then the host's `toJsonSchema`. */
function find(value: unknown, tool: unknown, read: Read, convert: Convert): Found {
  let problem: string | undefined
  try {
    if (isObject(value) && (value as { [AI_SDK]?: unknown })[AI_SDK] === true) {
      const { jsonSchema } = value as { jsonSchema?: unknown }
      return isThenable(jsonSchema) ? { later: () => jsonSchema } : { schema: jsonSchema }
    }
    const standard = standardOf(value)
    if (!standard) {
      if (isLazy(value)) return awaited.has(value) ? find(awaited.get(value), tool, read, convert) : { later: load(value) }
      if ((value !== undefined && value !== null) || !convert) return { schema: value }
    } else if (standard.jsonSchema) {
      for (const target of TARGETS) {
        try {
          return { schema: standard.jsonSchema.input({ target }) }
        } catch (error) {
          problem ??= `its schema can't be written as JSON Schema: ${words(error)}`
        }
      }
    } else {
      problem = "its schema gives no JSON Schema (zod does from 4.2 on); pass toJsonSchema"
    }
    if (convert && read.kind === "tool") {
      const kept = isObject(tool) ? converted.get(convert) : undefined
      if (kept?.has(tool as object)) return { schema: kept.get(tool as object) }
      const made = convert(tool)
      if (isThenable(made)) return { later: () => made, made: true }
      if (made !== undefined) return { schema: made }
    }
  } catch (error) {
    problem = `its schema can't be read: ${words(error)}`
  }
  return problem === undefined ? { schema: value } : { code: "schema_not_converted", problem }
}

function keep(convert: object, tool: object, schema: unknown): void {
  const known = converted.get(convert) ?? new WeakMap<object, unknown>()
  converted.set(convert, known.set(tool, schema))
}

function finish(slot: unknown, found: Found, read: Read, warnings: Warning[]): Schema {
  const validator = validatorOf(slot)
  if ("schema" in found) {
    const { schema } = found
    const said = warnings.length
    if (schema !== undefined && schema !== null && typeof schema !== "boolean" && (typeof schema !== "object" || Array.isArray(schema))) {
      warn(warnings, "schema_not_object", read, "its schema is no object, so its parameters are not searched")
    }
    const text = json(found.schema, read, warnings)
    const plain = read.dialect && text !== null && DIALECT.test(text) ? run("plainSchema", text) : undefined
    // Where the dialect is read, the host's own goes out.
    const origin = { validator, source: isObject(slot) && said === warnings.length ? slot : undefined, dialect: read.dialect }
    if (plain !== undefined) return { text: plain, value: JSON.parse(plain) as unknown, replaced: false, ...origin }
    return { text, value: found.schema, replaced: found.schema !== slot, ...origin }
  }
  const [code, problem] =
    "later" in found
      ? ["schema_lazy", "its schema is a promise or a function; make the engine with await createToolSearch.async(...)"]
      : [found.code, found.problem]
  warn(warnings, code, read, problem)
  return { text: null, value: slot, replaced: false, validator }
}

/** The check that a schema brings along: what zod and its kin say of themselves, or the AI SDK's wrapper has. */
function validatorOf(slot: unknown): Validator | undefined {
  try {
    const schema = isLazy(slot) && awaited.has(slot) ? awaited.get(slot) : slot
    const marked = isObject(schema) && (schema as { [AI_SDK]?: unknown })[AI_SDK] === true
    const holder = (marked ? schema : standardOf(schema)) as { validate?: unknown } | undefined
    const validate = holder?.validate
    return typeof validate === "function" ? (args) => (validate as Validator).call(holder, args) : undefined
  } catch {
    notTheEnd()
    // A getter that throws: there is none.
    return undefined
  }
}

interface Standard {
  validate?: unknown
  jsonSchema?: { input(options: { target: string }): unknown }
}

/** What zod and its kin say of themselves. `z.toJSONSchema` leaves the same key on plain JSON Schema. */
function standardOf(value: unknown): Standard | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined
  let $schema: unknown
  let standard: unknown
  try {
    ;({ $schema, "~standard": standard } = value as { $schema?: unknown; "~standard"?: unknown })
  } catch {
    notTheEnd()
    // A getter that throws: it says nothing of itself.
    return undefined
  }
  // What someone has put on Object.prototype is nobody's schema.
  if (standard === (Object.prototype as { "~standard"?: unknown })["~standard"]) return undefined
  return typeof $schema === "string" || typeof standard !== "object" || standard === null ? undefined : (standard as Standard)
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/**
 * For those who go on after an error: throws where what was met is the end of the stack and not something of the host's,
 * as what can't be read then would pass for what is not there.
 */
export function notTheEnd(frames = 1000): number {
  return frames > 0 ? 1 + notTheEnd(frames - 1) : 0
}

/** As `Array.isArray`, which throws at a revoked proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value)
  } catch {
    notTheEnd()
    return false
  }
}

/** A property of what a host gives, as src/reader.js reads it: not what someone has put on Object.prototype. */
export function property(value: unknown, key: string): unknown {
  try {
    if (!isObject(value) || (key in Object.prototype && !Object.hasOwn(value, key))) return undefined
    return (value as { readonly [key: string]: unknown })[key]
  } catch {
    notTheEnd()
    return undefined
  }
}

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"

const isLazy = (value: unknown): value is (() => unknown) | PromiseLike<unknown> =>
  typeof value === "function" || isThenable(value)

const load = (lazy: (() => unknown) | PromiseLike<unknown>) => () => (typeof lazy === "function" ? lazy() : lazy)

function json(schema: unknown, read: Read, warnings: Warning[]): string | null {
  try {
    return JSON.stringify(schema) ?? null
  } catch (error) {
    warn(warnings, "schema_not_json", read, `its schema is not JSON (${words(error)}); the rest of it is searched`)
    return legible(schema) ?? null
  }
}

function legible(value: unknown): string | undefined {
  try {
    return JSON.stringify(plain(value, new Set(), DEPTH))
  } catch {
    notTheEnd()
    // A proxy that does not even list its keys.
    return undefined
  }
}

/** What JSON can hold of a value. A circle is cut where an object comes a second time. */
function plain(value: unknown, seen: Set<object>, depth: number): unknown {
  // A function is nothing to JSON, but one called toJSON would be asked.
  if (typeof value === "function" || typeof value === "symbol") return undefined
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? Number(value) : value
  if (seen.has(value) || depth === 0) return undefined
  seen.add(value)
  if (Array.isArray(value)) return value.map((item) => plain(item, seen, depth - 1) ?? null)
  return Object.fromEntries(Object.keys(value).map((key) => [key, plain(held(value, key), seen, depth - 1)]))
}

function held(holder: object, key: string): unknown {
  try {
    return (holder as { [key: string]: unknown })[key]
  } catch {
    notTheEnd()
    // A getter that throws holds nothing that could be searched.
    return undefined
  }
}

/** JSON text of anything, for counting its tokens. */
export function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return legible(value) ?? ""
  }
}

export function words(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return "no reason given"
  }
}

export function warn(warnings: Warning[], code: string, { name }: { name: string | null }, problem: string): void {
  warnings.push({ code, message: `tool "${name ?? "?"}": ${problem}`, ...(name === null ? {} : { tool: name }) })
}
