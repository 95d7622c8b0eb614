// Reads of a host's living values for src/wasm.rs. They know no format and no tool, and they never
// throw, whatever a getter or a revoked proxy does, but where the stack ends.

const ABSENT = 0, NULL = 1, BOOL = 2, NUMBER = 3, TEXT = 4, ARRAY = 5, OBJECT = 6, OTHER = 7

/** Stands for what is there and refuses to be read: of no kind that the engine reads, yet not absent. */
const UNREADABLE = Symbol('unreadable')

/**
 * For those who go on after an error: throws where what was met is the end of the stack and not something of the host's,
 * as what can't be read then would pass for what is not there.
 */
function notTheEnd(frames = 1000) {
  return frames > 0 ? 1 + notTheEnd(frames - 1) : 0
}

/** What a value is, as the number that `kind` in src/wasm.rs expects. */
export function kindOf(value) {
  try {
    switch (typeof value) {
      case 'undefined': return ABSENT
      case 'boolean': return BOOL
      case 'number': return NUMBER
      case 'string': return TEXT
      case 'object': return value === null ? NULL : Array.isArray(value) ? ARRAY : OBJECT
      default: return OTHER
    }
  } catch {
    notTheEnd()
    return ABSENT
  }
}

/** A property of an object; an inherited one too, as tools may be instances of a class. */
export function property(value, key) {
  try {
    if (value === null || typeof value !== 'object') return undefined
    return key in Object.prototype && !Object.hasOwn(value, key) ? undefined : value[key]
  } catch {
    notTheEnd()
    return UNREADABLE
  }
}

/** What a property is, as `kindOf` says it. */
export function kindAt(value, key) {
  return kindOf(property(value, key))
}

/** An element of an array. */
export function element(value, index) {
  try {
    return Array.isArray(value) ? value[index] : undefined
  } catch {
    notTheEnd()
    return undefined
  }
}

/** No conversation and no catalogue is longer; a sparse array of four billion holes would be walked for minutes. */
const LONGEST = 1 << 20

/** How many elements an array has, 0 for anything else. */
export function lengthOf(value) {
  try {
    return Array.isArray(value) ? Math.min(value.length, LONGEST) : 0
  } catch {
    notTheEnd()
    return 0
  }
}

/** The text of a property, or undefined where it is none. */
export function textAt(value, key) {
  const text = property(value, key)
  return typeof text === 'string' ? text : undefined
}

/** The first `most` characters of a text that has more; undefined for all else. */
export function headOf(value, most) {
  return typeof value === 'string' && value.length > most ? value.slice(0, most) : undefined
}

/** Which of `keys` an object has, a bit for each; the highest bit when it has properties besides. */
export function present(value, keys) {
  let mask = 0
  // Asked of what is not there, `in` throws, which costs more than a whole turn.
  if (value === null || typeof value !== 'object') return mask
  try {
    for (let bit = 0; bit < keys.length; bit++) {
      if (keys[bit] in value) mask |= 1 << bit
    }
    for (const key in value) {
      if (!keys.includes(key)) return mask | (1 << 31)
    }
  } catch {
    notTheEnd()
    // What could be seen before it refused.
  }
  return mask
}

/** The names of an object's own properties, at most `most`. */
export function keysOf(value, most) {
  try {
    return value !== null && typeof value === 'object' ? Object.keys(value).slice(0, most) : []
  } catch {
    notTheEnd()
    return []
  }
}

/** The value as JSON text, or undefined where it has none. */
export function textOf(value) {
  try {
    return JSON.stringify(value)
  } catch {
    notTheEnd()
    return undefined
  }
}

/** The texts at `key` of all elements, one a line; undefined unless each has one and none has any of `without`. */
export function lines(list, key, without) {
  try {
    let lines = ''
    for (const value of list) {
      const text = typeof value === 'object' ? value[key] : undefined
      if (typeof text !== 'string' || text.includes('\n')) return undefined
      for (const other of without) if (other in value) return undefined
      lines += text + '\n'
    }
    return lines
  } catch {
    notTheEnd()
    return undefined
  }
}

/** What a JSON text holds, or undefined where it is none; a byte order mark may stand before it. */
export function parsed(text) {
  try {
    return typeof text === 'string' ? JSON.parse(text.replace(/^\uFEFF+/, '')) : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) notTheEnd()
    return undefined
  }
}

/**
 * The positions of the elements in which the text at `path` is one of `words`. In the path '*' stands
 * for every element of an array, and 'a|b' for either key; a text where the path would go on counts too,
 * and any text where there are no words.
 * Of all other elements where `wanted` is false.
 * One pass in the engine's stead: a crossing for each message costs more than the whole loop here.
 */
export function holding(list, path, words, wanted) {
  const steps = path.map((key) => key.split('|'))
  const is = words.length === 0 ? isText : words.some((word) => word.includes('\uFFFD')) ? isOneOfCut : isOneOf
  return steps.length === 1 && steps[0].length === 1
    ? shallow(list, path[0], words, wanted, is)
    : deep(list, steps, words, wanted, is)
}

/**
 * The positions after `after` of elements whose `key` is one of `wanted`, 'a|b' for either and empty for
 * none at all, up to the first whose `key` is `stop`.
 */
export function run(list, after, key, wanted, stop) {
  const found = []
  const words = wanted.split('|')
  for (let index = after + 1; index < lengthOf(list); index++) {
    const text = property(element(list, index), key)
    if (text === stop) break
    if (words.includes(text ?? '')) found.push(index)
  }
  return found
}

/** A path of one key, which every turn asks for: a loop of its own stays five times as fast. */
function shallow(list, key, words, wanted, is) {
  const found = []
  const length = lengthOf(list)
  for (let index = 0; index < length; index++) {
    let holding = false
    try {
      const value = list[index]
      holding = value !== null && typeof value === 'object' && is(value[key], words)
    } catch {
    notTheEnd()
      // Not readable, so not one of them.
    }
    if (holding === wanted) found.push(index)
  }
  return found
}

function deep(list, steps, words, wanted, is) {
  const found = []
  const length = lengthOf(list)
  const first = steps[0]
  for (let index = 0; index < length; index++) {
    let holding = false
    try {
      const value = list[index]
      if (typeof value === 'object' && value !== null) {
        for (let key = 0; key < first.length && !holding; key++) {
          const inner = value[first[key]]
          holding = inner !== undefined && holds(inner, steps, 1, words, is)
        }
      }
    } catch {
    notTheEnd()
      // Not readable, so not one of them.
    }
    if (holding === wanted) found.push(index)
  }
  return found
}

function holds(value, steps, at, words, is) {
  if (typeof value === 'string') return is(value, words)
  if (value === null || typeof value !== 'object' || at === steps.length) return false
  const keys = steps[at]
  if (keys[0] !== '*') {
    for (let key = 0; key < keys.length; key++) {
      const inner = value[keys[key]]
      if (inner !== undefined && holds(inner, steps, at + 1, words, is)) return true
    }
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item = value[index]
      if (typeof item !== 'object' || at + 2 !== steps.length) {
        if (holds(item, steps, at + 1, words, is)) return true
      } else if (item !== null) {
        const last = steps[at + 1]
        for (let key = 0; key < last.length; key++) {
          const text = item[last[key]]
          if (typeof text === 'string' && is(text, words)) return true
        }
      }
    }
  }
  return false
}

function isText(value) {
  return typeof value === 'string'
}

function isOneOf(value, words) {
  return typeof value === 'string' && words.includes(value)
}

/** The same for words with half a character in them, which the engine reads as U+FFFD. A text longer than any name is no name. */
function isOneOfCut(value, words) {
  if (isOneOf(value, words)) return true
  const canBeCut = typeof value === 'string' && value.length <= 512 && typeof value.isWellFormed === 'function'
  return canBeCut && !value.isWellFormed() && words.includes(value.toWellFormed())
}

/** See `Tell` in src/value.rs, which has the same and the reasons. */
const TOLD_DEPTH = 60
const TOLD_VALUES = 1 << 20
const MEDIA = new Set([
  'image_url', 'input_audio', 'inlineData', 'inline_data', 'fileData', 'file_data', 'file_url', 'file_id', 'file', 'image', 'bytes',
  's3Location', 'data', 'blob',
])
const SEALED = new Set([
  'encrypted_content', 'reasoningEncryptedContent', 'signature', 'thoughtSignature', 'thought_signature', 'redactedData', 'redactedContent',
])
const PLAIN = new Set(['input', 'args', 'arguments', 'response', 'json'])
const SOURCES = ['base64', 'url', 'file']

/**
 * All that is text in a message; into `counts` go how many images, files and recordings it holds, and how long the texts
 * are that only a provider reads.
 */
export function told(message, counts) {
  const tell = { text: '', media: 0, sealed: 0, left: TOLD_VALUES }
  try {
    tellValue(tell, message, TOLD_DEPTH, false)
  } catch {
    notTheEnd()
    // What could be read before it refused.
  }
  counts[0] = tell.media
  counts[1] = tell.sealed
  return tell.text
}

function tellValue(tell, value, depth, plain) {
  if (depth === 0 || tell.left === 0) return
  tell.left--
  switch (typeof value) {
    case 'string':
      tell.text += plain ? '"' + value + '",' : value + '\n'
      return
    case 'number':
      // Not what is no number: JSON has no word for it.
      if (plain) tell.text += Number.isInteger(value) && Math.abs(value) < 9e15 ? (value || 0) + ',' : '0.12345678,'
      return
    case 'boolean':
      if (plain) tell.text += value + ','
      return
    case 'object':
      break
    default:
      return
  }
  if (value === null) {
    if (plain) tell.text += 'null,'
  } else if (Array.isArray(value)) {
    if (plain) tell.text += '['
    const length = lengthOf(value)
    for (let index = 0; index < length && tell.left > 0; index++) tellValue(tell, element(value, index), depth - 1, plain)
    if (plain) tell.text += '],'
  } else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    tell.media++
  } else {
    if (plain) tell.text += '{'
    const kind = textAt(value, 'type') ?? ''
    for (const key of Object.keys(value)) {
      if (tell.left === 0) break
      tellProperty(tell, key, property(value, key), kind, depth - 1, plain)
    }
    if (plain) tell.text += '},'
  }
}

function tellProperty(tell, key, value, kind, depth, plain) {
  if (plain) {
    tell.text += '"' + key + '":'
    tellValue(tell, value, depth, true)
  } else if (typeof value === 'string' && (SEALED.has(key) || (key === 'data' && kind === 'redacted_thinking'))) {
    tell.sealed += value.length
  } else if (isMedium(key, value, kind)) {
    if (value !== null && value !== undefined) tell.media++
  } else {
    // What a tool said in the neutral shape may be an object; elsewhere content is a text or a list.
    const isSaid = key === 'content' && kindOf(value) === OBJECT
    const isJson = isSaid || (key === 'value' && (kind === 'json' || kind === 'error-json'))
    tellValue(tell, value, depth, isJson || PLAIN.has(key))
  }
}

function isMedium(key, value, kind) {
  switch (key) {
    case 'data': return kind !== 'text'
    case 'image': return property(value, 'source') === undefined
    case 'source': return SOURCES.includes(property(value, 'type'))
    case 'url': return kind.endsWith('-url')
    case 'result': return kind === 'image_generation_call'
    default: return MEDIA.has(key)
  }
}
