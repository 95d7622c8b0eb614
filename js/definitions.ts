import type { Form, Read } from "./engine.js"
import { notTheEnd, property, type Schema } from "./schemas.js"
import type { Wire } from "./wire.js"

/**
 * What goes on the wire for one tool: the host's own object, `===`, unless a rule has to change it.
 *
 * @param tools All tools, as a breakpoint may be another's.
 */
export function sentObject(
  tools: readonly unknown[],
  index: number,
  read: Read | undefined,
  schema: Schema | undefined,
  how: Form,
  wire: Wire,
): unknown {
  const tool = tools[index]
  try {
    if (how.as === "convert") {
      const made = madeObject(how, schema?.value)
      take(tools, how, made)
      return made
    }
    let sent = tool
    if (how.as === "edit") {
      for (const path of how.strip) sent = edited(sent as object, path)
      for (const { at, value } of how.put) sent = edited(sent as object, at, { value: JSON.parse(value) as unknown })
      if (how.take) sent = edited(sent as object, how.take.at, { value: valueAt(tools[how.take.index], how.take.from) })
    }
    if (schema?.replaced && read?.schema && !wire.keepsSchemas) {
      sent = edited(sent as object, read.schema, { value: schema.value })
    }
    return sent
  } catch {
    notTheEnd()
    // A proxy or a getter that throws. The engine has warned of what it could not read.
    return tool
  }
}

/** What the engine has written, with the schema in its place. The template is ours, the schema stays the host's. */
export function madeObject(how: Form & { as: "convert" }, schema?: unknown): object {
  const made = JSON.parse(how.template) as object
  if (how.at.length && schema !== undefined && schema !== null) set(made, how.at, ofObject(schema))
  return made
}

/** Servers write `{}`, `true` or a type that may be null, too; a provider refuses the whole request for one that says no object. */
function ofObject(schema: unknown): unknown {
  try {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return { type: "object", properties: {} }
    return (schema as Fields)["type"] === "object" ? schema : { ...schema, type: "object" }
  } catch {
    // It refuses to be read, and the engine has warned of it.
    return schema
  }
}

/** Puts what another tool of the host's has into what is ours. */
export function take(tools: readonly unknown[], how: Form & { as: "convert" }, made: object): void {
  if (how.take) set(made, how.take.at, valueAt(tools[how.take.index], how.take.from))
}

type Fields = { [key: string]: unknown }

function set(target: object, path: readonly string[], value: unknown): void {
  const last = path.length - 1
  let inner = target as Fields
  for (const key of path.slice(0, last)) {
    if (!Object.hasOwn(inner, key)) inner[key] = {}
    inner = inner[key] as Fields
  }
  inner[path[last] as string] = value
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Fields)[key], value)

/**
 * A shallow copy without the key at the path, or with another value there. Only the objects on the
 * path are copied; prototype, getters and symbols come along.
 */
function edited(source: object, path: readonly string[], put?: { value: unknown }): object {
  const [key, ...rest] = path as [string, ...string[]]
  const fields: { [key: string]: PropertyDescriptor } = Object.getOwnPropertyDescriptors(source)
  const inner = property(source, key)
  const value = rest.length ? edited((typeof inner === "object" && inner !== null ? inner : {}) as object, rest, put) : put?.value
  if (rest.length || put) fields[key] = { value, enumerable: true, writable: true, configurable: true }
  else delete fields[key]
  return Object.create(Object.getPrototypeOf(source) as object | null, fields) as object
}
