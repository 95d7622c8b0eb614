import { dereference, validate, type Schema as Json } from "@cfworker/json-schema"
import { isArray, isThenable, notTheEnd, property, words, type Schema } from "./schemas.js"

// Arguments are held against the host's own validator, where its schema is one, else against the JSON Schema. Schemas
// come from strangers: the JSON validator reads a copy of them that ends what would never end. Of it the build
// takes what is used here (scripts/lib/bundle.mjs).

/** So many faults are told: a model that mends three at once is helped, more it does not read. */
const MOST = 3
/** Of a value or a text of somebody else's so much is told: enough to know which one is meant. */
const SHOWN = 40
/** Of a fault so much is told, so that three fit in what an error may be long. */
const LENGTH = 120
/** Of so many faults those to be told are chosen, as alternatives of one value are told as one. */
const LOOKED_AT = 50
/** What one call may cost: a look at a schema is as much as there is in it. A thousand times what most calls take. */
const MOST_COST = 100_000

/** What is wrong with an argument. The engine says it to the model (src/engine/resolve.rs). */
export interface Fault {
  kind: "required" | "refused" | "expected" | "one_of" | "other"
  /** Where: empty for the arguments as a whole. */
  name: string
  expected?: string
  got?: string
  /** In a validator's own words. */
  error?: string
}

/** What came of a check. */
export interface Outcome {
  /** What the tool is to be called with. */
  args: unknown
  /** What is wrong; `undefined` where nothing is. */
  faults?: readonly Fault[] | undefined
  /** Why something was not looked at: its code, and what to say of it. */
  unchecked?: [code: string, problem: string]
}

/**
 * Holds arguments against a schema.
 *
 * @param text The arguments as JSON text.
 * @param waits A validator that has to be waited for is; else the JSON Schema stands in for it.
 */
export function check(schema: Schema | undefined, text: string, waits: boolean): Outcome | Promise<Outcome> {
  const parsed = () => JSON.parse(text) as unknown
  const validator = schema?.validator
  const held = () => bySchema(schema, parsed(), text)
  if (!schema || !validator) return held()
  // What it has begun to change is not what the model wrote.
  const failed = (error: unknown): Outcome => ({
    args: parsed(),
    unchecked: [NOT_CHECKED, `its validator failed: ${line(error)}`],
  })
  try {
    const told = validator(parsed())
    if (!isThenable(told)) return read(told)
    const later = Promise.resolve(told).then(read).catch(failed)
    if (waits) return later
    const problem = "its validator is asynchronous, so that only its JSON Schema is looked at; use await resolveAsync(...)"
    return { unchecked: ["async_validator", problem], ...held() }
  } catch (error) {
    notTheEnd()
    return failed(error)
  }
}

const NOT_CHECKED = "arguments_not_checked"

/** What a validator has said: `{ value }` or `{ issues }` by Standard Schema, `{ success, value, error }` by the AI SDK. */
function read(told: unknown): Outcome {
  const { success, error, issues, value } = told as { [key in "success" | "error" | "issues" | "value"]?: unknown }
  if (issues === undefined && success !== false) {
    if (!("value" in (told as object))) throw new Error("it gave neither a value nor what is wrong")
    if (typeof value !== "object" || value === null) throw new Error("what it gave is no object")
    return { args: value }
  }
  const given = issues ?? property(error, "issues")
  const list = isArray(given) && given.length ? given : [error]
  const each = list.slice(0, MOST).map((issue) => {
    const message = property(issue, "message")
    return other(placeOf(property(issue, "path")), typeof message === "string" ? message : "not as expected")
  })
  return { args: undefined, faults: join(each) }
}

/** A path as a model writes one. Each step is a key, or holds one. */
function placeOf(path: unknown): string[] {
  return isArray(path) ? path.map((step) => words(typeof step === "object" ? property(step, "key") : step)) : []
}

const fault = (kind: Fault["kind"], place: readonly string[], more?: Pick<Fault, "expected" | "got">): Fault => ({
  kind,
  name: cut(place.join("."), LENGTH / 2),
  ...more,
})

const other = (place: readonly string[], said: string): Fault => {
  const told = fault("other", place)
  return { ...told, error: cut(said, LENGTH - told.name.length).replace(/[\s.]*$/, "") }
}

/** Each once, and no more than a model reads. The engine takes out what can't be seen. */
const join = (told: readonly Fault[]): Fault[] => [...new Map(told.map((each) => [JSON.stringify(each), each])).values()].slice(0, MOST)

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // Not between the halves of a character.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`
}

const line = (error: unknown): string => cut(words(error).split("\n", 1)[0] as string, LENGTH)

type Held = (args: unknown) => Fault[] | undefined
/** What a schema comes to, kept with it: a conversation calls the same tools over and over. */
const validators = /* @__PURE__ */ new WeakMap<Schema, Held>()
/** The same for long arguments. */
const ofLong = /* @__PURE__ */ new WeakMap<Schema, Held>()
/**
 * Longer arguments are held against no pattern, and not against `uniqueItems`: either takes as long as the square of what
 * it looks at, and nothing ends it.
 */
const LONG = 4000

function bySchema(schema: Schema | undefined, args: unknown, text: string): Outcome {
  if (!schema || schema.text === null) return { args }
  try {
    const isLong = text.length > LONG
    const known = isLong ? ofLong : validators
    let faults = known.get(schema)
    if (!faults) known.set(schema, (faults = made(schema.text, isLong)))
    const whole = wellFormed(text)
    return { args, faults: faults(whole === text ? args : JSON.parse(whole)) }
  } catch (error) {
    notTheEnd()
    return { args, unchecked: [NOT_CHECKED, `the arguments are not held against its schema: ${line(error)}`] }
  }
}

/** JSON text without halves of characters, which the validator can't write into the path of a fault. */
const wellFormed = (text: string): string =>
  text.replace(/\\(?:\\|u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..)/g, (found) => (found.length === 6 ? "\ufffd" : found))

/** Keywords that hold schemas by names: what a name is says nothing there. */
const MAPS = /* @__PURE__ */ new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"])
/** Keywords that hold no schemas. */
const VALUES = /* @__PURE__ */ new Set(["const", "enum", "default", "examples", "required", "type"])
const TYPES = /* @__PURE__ */ new Set(["string", "number", "integer", "boolean", "object", "array", "null"])

/** What it gives throws where the schema is none that the validator takes, or asks for more than can be done. */
function made(text: string, isLong: boolean): (args: unknown) => Fault[] | undefined {
  let left = MOST_COST
  const spend = (cost: number): void => {
    if ((left -= cost) < 0) throw new Error("its schema asks for too much")
  }
  const schema: unknown = JSON.parse(wellFormed(text))
  if (schema === null || (typeof schema !== "object" && typeof schema !== "boolean")) return () => undefined
  const draft = draftOf(property(schema, "$schema"))
  let copy: Json
  let lookup: ReturnType<typeof dereference>
  try {
    copy = prepared(schema, false, spend, isLong) as Json
    lookup = dereference(copy)
  } catch (error) {
    return () => {
      throw error
    }
  }
  return (args) => {
    left = MOST_COST
    let { valid, errors } = validate(args, copy, draft, lookup, true)
    if (valid) return undefined
    try {
      errors = validate(args, copy, draft, lookup, false).errors
    } catch {
      notTheEnd()
      // All faults of a long list are more than the stack holds. The first is one.
    }
    return join(told(errors, args))
  }
}

/**
 * The schema without what would never end, or what nobody knows. Every look at it is counted, at the key that the validator
 * reads once whenever it comes by.
 *
 * @param value Ours to change.
 * @param isMap Its keys are names and no keywords.
 */
function prepared(value: unknown, isMap: boolean, spend: (cost: number) => void, isLong: boolean): unknown {
  if (typeof value !== "object" || value === null) return value
  const holder = value as { [key: string]: unknown }
  const isSchema = !isMap && !isArray(value)
  const { nullable, $ref } = holder
  const patterns = Object.keys(holder["patternProperties"] ?? {})
  const isPlain = patterns.length === 0 || (!isLong && patterns.length <= MOST_PATTERNS && patterns.every(isSimple))
  let cost = 1
  for (const [key, inner] of Object.entries(holder)) {
    cost += typeof inner === "object" && inner !== null ? Object.keys(inner).length : 0
    const isSkipped = isLong && (key === "pattern" || key === "uniqueItems")
    const put = !isSchema ? inner : isSkipped ? undefined : keyword(key, inner, nullable === true, isPlain)
    if (put === undefined) delete holder[key]
    // A value and no schema.
    else if (isSchema && VALUES.has(key)) holder[key] = put
    else holder[key] = prepared(put, isSchema && MAPS.has(key), spend, isLong)
  }
  if (!isSchema) return value
  const get = () => {
    spend(cost)
    return $ref
  }
  return Object.defineProperty(holder, "$ref", { get, enumerable: "$ref" in holder })
}

/** What is held of a keyword; `undefined` where nothing is. */
function keyword(key: string, value: unknown, isNullable: boolean, isPlain: boolean): unknown {
  switch (key) {
    // What a text looks like is for the tool to say: a stranger's expression can run for ever.
    case "format":
      return undefined
    case "pattern":
      return typeof value === "string" && isSimple(value) ? value : undefined
    case "patternProperties":
    case "additionalProperties":
    case "unevaluatedProperties":
      return isPlain ? value : undefined
    case "type": {
      // Gemini's dialect in other definitions too. A type that nobody knows, such as "any", says nothing.
      const types = (isArray(value) ? value : [value]).map((type) => words(type).toLowerCase())
      return types.every((type) => TYPES.has(type)) ? (isNullable ? [...types, "null"] : types) : undefined
    }
    case "enum":
      return isArray(value) && isNullable ? [...value, null] : value
    // Of draft 3, where each property says it of itself, nothing is asked.
    case "required":
      return isArray(value) ? value : undefined
    default:
      return value
  }
}

type Faults = ReturnType<typeof validate>["errors"]

/** The faults as a model needs them: where, what was expected, and what was there. */
function told(errors: Faults, args: unknown): Fault[] {
  // The innermost say what; those around them only that something within is wrong.
  const telling = errors.filter(({ keyword, error }) => !OUTER.has(keyword) && !(keyword === "oneOf" && error.includes("(0 ")))
  const wanted = new Map<string, Set<string>>()
  const list = (telling.length ? telling : errors).slice(0, LOOKED_AT).map(({ keyword, instanceLocation, error }) => {
    const place = stepsOf(instanceLocation)
    const quoted = error.slice(error.indexOf('"') + 1, error.lastIndexOf('"'))
    const got = () => shown(valueAt(args, place))
    switch (keyword) {
      case "required":
        return () => fault("required", [...place, quoted])
      case "false":
        return () => fault("refused", place)
      case "type": {
        // Of several alternatives each says what it is.
        const types = wanted.get(instanceLocation) ?? new Set()
        wanted.set(instanceLocation, types)
        for (const type of error.slice(error.indexOf("Expected")).match(/[a-z]+(?=")/g) ?? []) types.add(type)
        return () => fault("expected", place, { expected: [...types].join(" | "), got: got() })
      }
      case "const":
      case "enum": {
        const known = error.replace(/^Instance does not match (any of \[)?|\]?\.$/g, "")
        return () => fault(keyword === "enum" ? "one_of" : "expected", place, { expected: cut(known, LENGTH / 2), got: got() })
      }
      default:
        return () => other(place, error)
    }
  })
  return list.map((tell) => tell())
}

/** A JSON pointer with the names as they are. */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => decodeURI(name).replaceAll("~1", "/").replaceAll("~0", "~"))

const valueAt = (value: unknown, place: readonly string[]): unknown =>
  place.reduce<unknown>((inner, step) => (typeof inner === "object" && inner !== null && Object.hasOwn(inner, step) ? (inner as { [key: string]: unknown })[step] : undefined), value)

function shown(value: unknown): string {
  if (isArray(value)) return value.length ? "[...]" : "[]"
  if (typeof value === "object" && value !== null) return "{...}"
  return typeof value === "string" ? JSON.stringify(cut(value, SHOWN)) : String(value)
}

/** Each is held against the name of each argument. */
const MOST_PATTERNS = 20

/** So many parts that may be missing make a match at most eight times as long. */
const OPTIONAL = 3

/**
 * One repetition of a varying length, none of groups, and no groups of alternatives beside it: no text takes it longer than
 * the square of its length. Two that meet multiply, a dozen never end, with or without an upper bound.
 */
function isSimple(pattern: string): boolean {
  const plain = pattern.replace(/\\[^]/g, "x").replace(/\[[^\]]*\]/g, "x").replace(/\(\?/g, "(")
  const count = (what: RegExp) => plain.match(what)?.length ?? 0
  const groups = plain.includes("|") ? count(/\(/g) : 0
  const isOne = count(/[*+]|\{\d*,\d*\}/g) + groups <= 1 && count(/\?/g) <= OPTIONAL
  return isOne && !/\)[*+{]/.test(plain) && !/\\[1-9k]/.test(pattern)
}

/** What says only that something within is wrong. */
const OUTER = /* @__PURE__ */ new Set(
  "properties patternProperties additionalProperties unevaluatedProperties items prefixItems additionalItems unevaluatedItems allOf anyOf $ref $recursiveRef if dependentSchemas".split(" "),
)

/** Servers write any of the drafts, and most say none: 2020-12 is what MCP assumes. */
function draftOf(uri: unknown): "4" | "7" | "2019-09" | "2020-12" {
  if (typeof uri !== "string") return "2020-12"
  if (uri.includes("draft-04")) return "4"
  if (/draft-0[67]/.test(uri)) return "7"
  return uri.includes("2019-09") ? "2019-09" : "2020-12"
}
