// What the variants call in JavaScript, guarded as src/reader.js guards its reads.

const KEYS = [
  "type", "function", "name", "title", "description", "inputSchema", "parameters", "annotations", "deferred",
  "deferLoading", "defer_loading", "server",
]

export function property(value, key) {
  try {
    return value !== null && typeof value === "object" && !(key in Object.prototype) ? value[key] : undefined
  } catch {
    return undefined
  }
}

export function propertyOf(value, key) {
  return property(value, KEYS[key])
}

export function properties(value, keys) {
  return keys.map((key) => property(value, key))
}

export function present(value, keys) {
  let mask = 0
  try {
    for (let bit = 0; bit < keys.length; bit++) if (keys[bit] in value) mask |= 1 << bit
  } catch {
    // What could be seen before it refused.
  }
  return mask
}

/**
 * A copy of what can matter of a definition, as JSON: its plain properties, of an object within it the same one level
 * deep, and of what lies deeper that it is there.
 */
export function sketch(value, depth = 2) {
  const copy = {}
  for (const key in value) {
    try {
      const inner = value[key]
      if (typeof inner !== "object" || inner === null) copy[key] = inner
      else copy[key] = depth > 1 && (key === "function" || key === "annotations") ? sketch(inner, depth - 1) : {}
    } catch {
      // A getter that throws.
    }
  }
  return copy
}
