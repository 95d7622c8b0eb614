// What the tests of the JavaScript face share: words to write a conversation in, and the ways to hold that nothing
// was changed or thrown.

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { createToolSearch, ToolcribError } from "../../pkg/index.js"

export const pkg = new URL("../../pkg/", import.meta.url)
export const root = new URL("../../", import.meta.url)

/** A definition in the wire's own shape. */
export const chat = (name, more = {}) => ({
  type: "function",
  function: { name, description: `handles ${name}`, parameters: { type: "object", properties: {} } },
  ...more,
})

/** A definition in another shape, deferred by its own mark. */
export const deferred = (name, more = {}) => ({
  name,
  description: `handles ${name}`,
  inputSchema: { type: "object", properties: {} },
  deferLoading: true,
  ...more,
})

export const user = (content = "go on") => ({ role: "user", content })

/** A call; `args` is text as a model writes it, or an object. */
export const call = (name, args, id = "c1") => ({
  id,
  type: "function",
  function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
})
export const searchCall = (query, id = "c1") => call("tool_search", { query }, id)
export const assistant = (...calls) => ({ role: "assistant", content: null, tool_calls: calls })
export const result = (content, id = "c1") => ({
  role: "tool",
  tool_call_id: id,
  content: typeof content === "string" ? content : JSON.stringify(content),
})

/** A search and its result as our own engine writes it, which loads these names. */
export const loads = (names, id = "c1") => [
  assistant(searchCall("anything", id)),
  result({ loaded: names.map((name) => ({ name })), more: 0, note: "" }, id),
]

export const nameOf = (tool) => tool?.function?.name ?? tool?.name
export const namesOf = (turn) => turn.tools.map(nameOf)

/** For `assert.throws` and `assert.rejects`: our error, with this code and with words that match. */
export const failsWith =
  (code, ...words) =>
  (error) => {
    assert.ok(error instanceof ToolcribError, `not ours: ${error?.stack ?? error}`)
    assert.equal(error.code, code)
    assert.equal(error.name, "ToolcribError")
    for (const word of words) assert.match(error.message, typeof word === "string" ? literal(word) : word)
    return true
  }

const literal = (text) => new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))

/** Everything that can be reached from a value, with what each object looked like. */
function survey(value, seen = new Map()) {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return seen
  let fields
  try {
    fields = Reflect.ownKeys(value).map((key) => [key, Object.getOwnPropertyDescriptor(value, key)])
    seen.set(value, { fields, prototype: Object.getPrototypeOf(value), open: Object.isExtensible(value) })
  } catch {
    // A proxy that refuses to be looked at can't be compared either.
    return seen
  }
  for (const [, field] of fields) survey(field?.value, seen)
  return seen
}

/** Runs `work` and holds that nothing which can be reached from `values` has changed. */
export function untouched(values, work) {
  const before = survey(values)
  const compare = () => {
    for (const [object, was] of before) {
      const keys = Reflect.ownKeys(object)
      assert.deepEqual(
        keys,
        was.fields.map(([key]) => key),
        "keys of an input changed",
      )
      assert.equal(Object.getPrototypeOf(object), was.prototype, "the prototype of an input changed")
      assert.equal(Object.isExtensible(object), was.open, "an input was frozen")
      for (const [key, field] of was.fields) {
        const now = Object.getOwnPropertyDescriptor(object, key)
        for (const part of ["value", "get", "set", "writable", "enumerable", "configurable"]) {
          assert.ok(Object.is(now[part], field[part]), `an input changed at ${String(key)}`)
        }
      }
    }
  }
  const given = work()
  if (typeof given?.then !== "function") {
    compare()
    return given
  }
  return given.then((value) => {
    compare()
    return value
  })
}

/** Freezes everything that can be reached: whoever writes to it throws. */
export function freeze(value) {
  for (const [object] of survey(value)) {
    if (!ArrayBuffer.isView(object)) Object.freeze(object)
  }
  return value
}

/** An object with a getter that throws at `key`. */
export const throwing = (object, key) =>
  Object.defineProperty(object, key, {
    enumerable: true,
    configurable: true,
    get() {
      throw new Error(`the getter of ${String(key)} throws`)
    },
  })

const refuse = (trap) => () => {
  throw new Error(`the proxy refuses ${trap}`)
}
const TRAPS = Object.getOwnPropertyNames(Reflect)

/** A proxy that throws whatever is done to it. */
export const refusing = (target = {}) =>
  new Proxy(target, Object.fromEntries(TRAPS.map((trap) => [trap, refuse(trap)])))

export function revoked(target = {}) {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

/** What the engine may never write to. */
export function prototypes() {
  const all = [Object, Array, Function, String, Number, Boolean, Map, Set, Promise, Error, RegExp].map(
    (each) => each.prototype,
  )
  return all.map((prototype) => Reflect.ownKeys(prototype).map(String).sort().join()).join("\n")
}

/**
 * Calls every part of the public face over one catalogue. Resolves to what came of it; whatever throws fails the
 * test that asked, for only a bad option may.
 */
export async function everything(tools, options = {}, messages = [user()]) {
  const search = createToolSearch({ tools, threshold: 0, ...options })
  try {
    const names = tools
      .map((_, index) => attempt(() => nameOf(tools[index])))
      .filter((name) => typeof name === "string")
    const turns = [search.turn(messages), search.turn([], { loaded: names, forced: names.slice(0, 3), exclude: [] })]
    const asked = names[0] ?? "anything"
    const said = assistant(
      searchCall(asked),
      call("tool_search", { query: [asked, "handles"], limit: 50 }, "c2"),
      call(asked, {}, "c3"),
    )
    const reply = await search.answer(said, messages)
    const hits = search.search(asked, { explain: true, limit: 1000 })
    const target = search.resolve(call(asked, {}), messages)
    const pending = search.pending([...(Array.isArray(messages) ? messages : []), said])
    const places = search.searchResults([...(Array.isArray(messages) ? messages : []), said, ...reply.messages()])
    const print = search.fingerprint()
    const update = search.update(tools)
    assert.deepEqual(
      [update.added, update.removed, update.changed],
      [[], [], []],
      "an update with the same tools changes nothing",
    )
    assert.equal(update.search.fingerprint(), print)
    update.search.free()
    return { search, turns, reply, hits, target, pending, places, warnings: search.warnings }
  } finally {
    search.free()
  }
}

export function attempt(work) {
  try {
    return work()
  } catch {
    return undefined
  }
}

/**
 * Runs a module in a Node of its own and resolves to the JSON that it printed. `toolcrib` in the text is the URL of
 * the built package.
 */
export function child(text, { flags = [], timeout = 60_000 } = {}) {
  const source = `const toolcrib = ${JSON.stringify(new URL("index.js", pkg).href)}
const toolcribCjs = ${JSON.stringify(fileURLToPath(new URL("index.cjs", pkg)))}
${text}`
  const args = [...flags, "--input-type=module", "--eval", source]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error)
        return reject(
          new Error(`the child failed: ${error.killed ? `no end after ${timeout} ms` : stderr || error.message}`),
        )
      try {
        resolve(JSON.parse(stdout))
      } catch {
        reject(new Error(`the child printed no JSON: ${stdout.slice(0, 500)}\n${stderr}`))
      }
    })
  })
}
