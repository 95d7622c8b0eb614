// What the tests of the JavaScript face share: words to write a conversation in, and the ways to hold that nothing
// was changed or thrown.

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { createToolSearch, ToolcribError } from "../../pkg/index.js"

export const pkg = new URL("../../pkg/", import.meta.url)
export const root = new URL("../../", import.meta.url)

let folder
let copies = 0
/**
 * The package as npm installs it, once more: its modules are loaded anew, with an instance that nobody else in this
 * process has. Gives the URL of the copy, a folder `node_modules/toolcrib/`.
 */
export function installed() {
  if (!folder) {
    folder = mkdtempSync(join(tmpdir(), "toolcrib-"))
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  }
  const copy = join(folder, `${copies++}`, "node_modules", "toolcrib")
  mkdirSync(copy, { recursive: true })
  for (const name of ["package.json", "pkg"]) cpSync(new URL(name, root), join(copy, name), { recursive: true })
  return pathToFileURL(`${copy}/`)
}
export const fresh = (name = "index.js") => import(new URL(`pkg/${name}`, installed()))

/** Everything that an engine says of a catalogue and a conversation, as text; here as source text, for other realms. */
export const SAYS = `async function says({ createToolSearch, rankTools, rankToolsByKeywords, estimateTokens }, tools, messages) {
  const search = createToolSearch({ tools, threshold: 0 })
  const said = { role: "assistant", tool_calls: [{ id: "s1", function: { name: "tool_search", arguments: '{"query":"bill a customer"}' } }] }
  const reply = await search.answer(said, messages)
  return JSON.stringify([
    search.searchTool, search.note, search.deferral, search.warnings, search.turn(messages), reply, reply.messages(),
    search.search("bills", { explain: true }), search.resolve({ function: { name: "refund_order", arguments: "{}" } }, messages),
    search.pending([...messages, said]), search.searchResults(messages), search.fingerprint(), search.update(tools).changed,
    rankTools("refund order", tools), rankToolsByKeywords("order", tools), estimateTokens("größe"),
  ])
}`
export const says = new Function(`${SAYS}; return says`)()

export const WASM = readFileSync(new URL("engine.wasm", pkg))

/** The sections of a wasm: what each is, and where in the file it begins and ends. */
export function sections(wasm) {
  const found = []
  for (let at = 8; at < wasm.length;) {
    const start = at
    const id = wasm[at++]
    let [size, shift] = [0, 0]
    do {
      size |= (wasm[at] & 127) << shift
      shift += 7
    } while (wasm[at++] & 128)
    found.push({ id, start, content: wasm.subarray(at, at + size), end: at + size })
    at += size
  }
  return found
}

const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)])

/** The engine with a memory of at most so many pages of 64 KiB: what does not fit in really runs out of memory. */
export function capped(pages, wasm = WASM) {
  const { start, content, end } = sections(wasm).find(({ id }) => id === 5)
  // One memory, so far without a maximum, and its size at the start.
  assert.deepEqual([...content.subarray(0, 2)], [1, 0])
  const memory = [1, 1, ...content.subarray(2), ...number(pages)]
  return Buffer.concat([wasm.subarray(0, start), Buffer.from([5, memory.length, ...memory]), wasm.subarray(end)])
}

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

/** A catalogue of three, one resident, and a conversation that loaded one of the others. */
export const CATALOGUE = [
  chat("resident"),
  deferred("create_invoice", { description: "Bills a customer." }),
  deferred("refund_order"),
]
export const CONVERSATION = [user("hi"), ...loads(["refund_order"]), user("go on")]

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
 * the built package, `toolcribCjs` the path for `require`, `copies` has the folders of as many copies as were asked for.
 */
export function child(text, { flags = [], timeout = 60_000, copies = 0 } = {}) {
  const folders = Array.from({ length: copies }, () => new URL("pkg/", installed()).href)
  const source = `const toolcrib = ${JSON.stringify(new URL("index.js", pkg).href)}
const toolcribCjs = ${JSON.stringify(fileURLToPath(new URL("index.cjs", pkg)))}
const copies = ${JSON.stringify(folders)}
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
