import { dereference, validate, type Schema } from "@cfworker/json-schema"

// Schemas come from strangers. The validator reads a copy through a proxy, which ends what would never end. Of the
// validator the build takes what is used here (scripts/lib/bundle.mjs).

/** So many faults are told: a model that mends three at once is helped, more it does not read. */
const MOST = 3
/** What one call may cost, in looks at the schema: a thousand times what real schemas take. */
const LOOKS = 500_000

/** What a schema comes to, kept with it: a conversation calls the same tools over and over. */
const validators = /* @__PURE__ */ new WeakMap<object, (args: unknown) => string | undefined>()

/**
 * What is wrong with the arguments, in a line for the model; `undefined` where nothing is.
 *
 * @throws Where the schema is none that the validator takes, or asks for more than can be done.
 */
export function faults(schema: unknown, args: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined
  let check = validators.get(schema)
  if (!check) validators.set(schema, (check = made(schema)))
  return check(args)
}

function made(schema: object): (args: unknown) => string | undefined {
  let looks = LOOKS
  const seen = new WeakMap<object, object>()
  const watched = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    const known = seen.get(value)
    if (known) return known
    const proxy = new Proxy(value, {
      get(target, key, receiver) {
        if (--looks < 0) throw new Error("its schema asks for too much")
        const inner: unknown = Reflect.get(target, key, receiver)
        switch (key) {
          // What a text looks like is for the tool to say: a stranger's expression can run for ever.
          case "format":
            return typeof inner === "string" ? undefined : watched(inner)
          case "pattern":
            return typeof inner === "string" && !isSimple(inner) ? undefined : watched(inner)
          case "patternProperties":
          case "additionalProperties":
          case "unevaluatedProperties":
            return Object.keys((target as Patterns).patternProperties ?? {}).every(isSimple) ? watched(inner) : undefined
          default:
            return watched(inner)
        }
      },
    })
    seen.set(value, proxy)
    return proxy
  }
  // The validator writes notes into it.
  const copy = watched(JSON.parse(JSON.stringify(schema))) as Schema
  const draft = draftOf(copy.$schema)
  const lookup = dereference(copy)
  return (args) => {
    looks = LOOKS
    const { valid, errors } = validate(args, copy, draft, lookup, false)
    if (valid) return undefined
    // The innermost say what; those around them only that something within is wrong.
    const telling = errors.filter(({ keyword }) => !OUTER.has(keyword))
    const told = (telling.length ? telling : errors).map(
      ({ instanceLocation, error }) => `${placeOf(instanceLocation) || "arguments"}: ${error}`,
    )
    return [...new Set(told)].slice(0, MOST).join(" ")
  }
}

/** A JSON pointer as a model writes a path: with the names as they are. */
function placeOf(pointer: string): string {
  const names = pointer.split("/").slice(1)
  return names.map((name) => decodeURI(name).replaceAll("~1", "/").replaceAll("~0", "~")).join(".")
}

interface Patterns {
  patternProperties?: object
}

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

const OUTER = /* @__PURE__ */ new Set(["properties", "items", "prefixItems", "allOf", "anyOf", "oneOf", "$ref"])

/** Servers write any of the drafts, and most say none: 2020-12 is what MCP assumes. */
function draftOf(uri: unknown): "4" | "7" | "2019-09" | "2020-12" {
  if (typeof uri !== "string") return "2020-12"
  if (uri.includes("draft-04")) return "4"
  if (/draft-0[67]/.test(uri)) return "7"
  return uri.includes("2019-09") ? "2019-09" : "2020-12"
}
