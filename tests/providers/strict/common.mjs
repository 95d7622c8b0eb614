// What the checkers of several providers share.

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
export const list = (value) => (Array.isArray(value) ? value : [])

/** The first sentence that `say` gives for one of the values. */
export function first(values, say) {
  for (const [at, value] of list(values).entries()) {
    const message = say(value, at)
    if (message !== undefined) return message
  }
  return undefined
}

/** A sentence about the first key that is none of these. */
export function extra(object, keys, where) {
  const key = Object.keys(object).find((key) => !keys.includes(key))
  return key === undefined ? undefined : `${where}.${key}: extra inputs are not permitted`
}

/** A sentence about the first name that stands twice. */
export function twice(names, what = "tool names") {
  const seen = new Set()
  for (const name of names) {
    if (seen.has(name)) return `${what} must be unique: ${name}`
    seen.add(name)
  }
  return undefined
}

export function isJsonObject(text) {
  if (typeof text !== "string") return false
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** A rule. */
export const rule = (from, breaks) => ({ from, breaks })
