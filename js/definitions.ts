import type { Read, Sent } from "./engine.js"
import type { Schema } from "./schemas.js"

/**
 * What goes on the wire for one tool: the host's own object, `===`, unless a rule has to change it.
 */
export function sentObject(tool: unknown, read: Read | undefined, schema: Schema | undefined, how: Sent): unknown {
  try {
    if (how.as === "convert") return filled(how.template, how.at, schema?.value)
    let sent = tool
    if (how.as === "strip") for (const path of how.paths) sent = edited(sent as object, path)
    if (schema?.replaced && read?.schema) sent = edited(sent as object, read.schema, { value: schema.value })
    return sent
  } catch {
    // A proxy or a getter that throws. The engine has warned of what it could not read.
    return tool
  }
}

/** The template with the schema in its place. The template is ours, the schema stays the host's. */
function filled(template: object, path: string[], schema: unknown): object {
  const key = path.at(-1)
  if (key === undefined || schema === undefined || schema === null) return template
  const holder = path.slice(0, -1).reduce<unknown>((inner, step) => (inner as { [key: string]: unknown })[step], template)
  ;(holder as { [key: string]: unknown })[key] = schema
  return template
}

/**
 * A shallow copy without the key at the path, or with another value there. Only the objects on the
 * path are copied; prototype, getters and symbols come along.
 */
function edited(source: object, path: string[], put?: { value: unknown }): object {
  const [key, ...rest] = path as [string, ...string[]]
  const fields: { [key: string]: PropertyDescriptor } = Object.getOwnPropertyDescriptors(source)
  const value = rest.length ? edited((source as { [key: string]: object })[key] as object, rest, put) : put?.value
  if (rest.length || put) fields[key] = { value, enumerable: true, writable: true, configurable: true }
  else delete fields[key]
  return Object.create(Object.getPrototypeOf(source) as object | null, fields) as object
}
