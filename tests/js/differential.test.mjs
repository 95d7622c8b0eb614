// Native against wasm, bit for bit: thousands of random catalogues and transcripts, valid and broken, through the
// built package and through the same engine as a native program (examples/conform.rs).
//
// TOOLCRIB_SEED=n plays a run again, TOOLCRIB_VECTORS=n changes how many there are. A difference is shrunk before
// it is shown: what is printed can be put into a file of tests/vectors as it is.

import assert from "node:assert/strict"
import { test } from "node:test"
import * as toolcrib from "../../pkg/index.js"
import { difference, run } from "../conform.mjs"
import { build, start } from "../native.mjs"

const seed = Number(process.env.TOOLCRIB_SEED ?? Math.floor(Math.random() * 2 ** 32))
const count = Number(process.env.TOOLCRIB_VECTORS ?? 3000)
/** So many are on their way to the native program while this one runs them itself. */
const BATCH = 50
/** How a difference begins that is no difference of outcomes. */
const ENDED = "no outcome: "
/** Shrinking tries at most so many smaller vectors. */
const ATTEMPTS = 3000

test(`native and wasm give the same for ${count} random vectors (TOOLCRIB_SEED=${seed})`, async (t) => {
  t.diagnostic(`TOOLCRIB_SEED=${seed}`)
  const path = process.env.TOOLCRIB_NATIVE ?? build()
  let native = start(path)
  t.after(() => native.close())

  /** What differs in a vector, or undefined. A native program that ended is a difference too. */
  const differs = async (vector) => {
    const program = native
    const theirs = program.run(vector).catch((error) => ({ error }))
    const ours = await run(toolcrib, vector)
    const { gives, error } = await theirs
    if (error) {
      if (native === program) native = start(path)
      return `${ENDED}${error.message}`.slice(0, 2000)
    }
    // `native` comes first, so "want" in what is said means native and "got" means wasm.
    // Arguments are held against a schema by a library of JavaScript's: the native engine has none.
    const isChecked = (given) => given?.code === "invalid_arguments" && given.error.startsWith("The arguments do not fit ")
    // What it can't check it says.
    const plain = (given) => {
      const { warnings, ...rest } = given ?? {}
      const told = Array.isArray(warnings) ? warnings.filter(({ code }) => code !== "arguments_not_checked") : []
      return "args" in rest ? { ...rest, ...(told.length ? { warnings: told } : {}) } : given
    }
    return difference(gives.map((given, at) => (isChecked(ours.gives[at]) ? ours.gives[at] : given)), ours.gives.map(plain))
  }

  let steps = 0
  let errors = 0
  for (let first = 0; first < count; first += BATCH) {
    const vectors = Array.from({ length: Math.min(BATCH, count - first) }, (_, n) => vectorOf(seed, first + n))
    const found = await Promise.all(vectors.map(async (vector) => [vector, await differs(vector)]))
    steps += vectors.reduce((sum, vector) => sum + vector.steps.length, 0)
    errors += found.filter(([, fault]) => fault).length
    const [vector, fault] = found.find(([, fault]) => fault) ?? []
    if (!vector) continue
    const smallest = await shrink(vector, differs)
    assert.fail(
      `vector ${vector.id} of TOOLCRIB_SEED=${seed} differs (want: native, got: wasm):\n${fault}\n` +
        `shrunk to\n${JSON.stringify(smallest)}\nwhich differs in\n${await differs(smallest)}`,
    )
  }
  t.diagnostic(`${count} vectors, ${steps} steps`)
  assert.equal(errors, 0)
})

test("the generator reaches what it is for", () => {
  const seen = new Set()
  for (let n = 0; n < 300; n++) {
    const vector = vectorOf(1, n)
    assert.deepEqual(JSON.parse(JSON.stringify(vector)), vector, "a vector must be JSON")
    const text = JSON.stringify(vector)
    for (const step of vector.steps) seen.add(step.do)
    for (const word of ["\\ud8", "deferLoading", "function", "handoff", "web_search", "__proto__", "天", "inputSchema", "$ref"]) {
      if (text.includes(word)) seen.add(word)
    }
  }
  const wanted = ["create", "search", "turn", "answer", "resolve", "searchResults", "pending", "fingerprint", "update", "rankTools"]
  for (const what of [...wanted, "rankToolsByKeywords", "estimateTokens", "\\ud8", "deferLoading", "function", "handoff", "web_search", "__proto__", "天", "inputSchema", "$ref"]) {
    assert.ok(seen.has(what), `no vector has ${what}`)
  }
})

// ------------------------------------------------------------------------------------ the generator

/** A vector from two numbers. Everything random comes from one small generator (mulberry32). */
function vectorOf(seed, number) {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(number + 1, 0xc2b2ae35)) >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n) => Math.floor(random() * n)
  const chance = (part) => random() < part
  const pick = (list) => list[below(list.length)]
  const times = (n, make) => {
    const made = []
    while (made.length < n) made.push(make(made.length))
    return made
  }
  /** One of the functions, by weight. */
  const one = (...weighted) => {
    let left = 0
    for (let at = 0; at < weighted.length; at++) left += weighted[at][0]
    left *= random()
    for (let at = 0; at < weighted.length; at++) if ((left -= weighted[at][0]) < 0) return weighted[at][1]()
    return weighted[0][1]()
  }
  const some = (list, part) => list.filter(() => chance(part))
  const object = (...entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined))

  // Texts. Few words, so that they meet; all scripts, so that every rule of splitting is reached.
  const word = () =>
    one(
      [10, () => pick(ENGLISH)],
      [3, () => pick(SCRIPTS)],
      [1, () => pick(ENGLISH) + pick(["s", "ed", "ing", "er", "'s", "’s", "ation"])],
      [1, () => times(1 + below(3), () => pick(ENGLISH)).join(pick(["_", "-", ".", "/", "__", "+"]))],
      [1, () => camel(times(2 + below(2), () => pick(ENGLISH)))],
      [1, () => pick(["HTTPServer", "listS3Buckets", "OAuth2", "parseXMLv2", "iPhone", "k8s", "sha256sum", "create3DModel", "URLs", "2fa", "aUser"])],
      [0.5, () => String.fromCodePoint(codePoint())],
      [0.5, () => String(below(3000))],
    )
  const camel = (words) => words.map((each, at) => (at ? each[0].toUpperCase() + each.slice(1) : each)).join("")
  /** Any code point, half characters among them. */
  const codePoint = () => one([3, () => below(0x250)], [3, () => below(0x10000)], [1, () => 0xd800 + below(0x800)], [1, () => below(0x110000)], [1, () => pick(MARKS)])
  const odd = () => times(1 + below(8), () => String.fromCodePoint(codePoint())).join("")
  const sentence = (most) =>
    times(below(most), () => one([8, word], [1, odd], [0.5, () => pick(["the", "for", "of", "a", "find", "get", "don't"])])).join(pick([" ", " ", " ", ", ", "", "\n"])) +
    pick(["", ".", ". ", "!", "。", "\n", "…"])
  const text = () => one([6, () => sentence(8)], [2, () => sentence(4) + " " + sentence(12)], [1, odd], [0.5, () => ""], [0.03, () => sentence(20).repeat(40)])
  const json = (depth) =>
    one([2, () => null], [2, () => chance(0.5)], [2, number_], [4, () => text()], [depth > 0 ? 2 : 0, () => times(below(4), () => json(depth - 1))], [depth > 0 ? 2 : 0, () => Object.fromEntries(times(below(4), () => [key(), json(depth - 1)]))])
  const number_ = () =>
    one([3, () => below(100)], [1, () => -below(100)], [1, () => random()], [1, () => pick([1e9, 1e21, 1e-7, 123456789012345680000, 2 ** 53, 5e-324, 1.7976931348623157e308, -0.5, 9007199254740991, 1e16])]) || 0
  const key = () => one([6, word], [1, () => pick(["__proto__", "constructor", "toString", "1", "0", "length", "name", "description", "type", "properties"])], [1, odd])

  // Definitions.
  const schema = (depth) =>
    one(
      [8, () => properties(depth)],
      [1, () => object(["$ref", pick(["#", "#/$defs/x", word()])], ["$defs", Object.fromEntries([[word(), deeper(depth)], ["x", { $ref: "#/$defs/x" }]])])],
      [1, () => json(2)],
      [0.3, () => nested(70 + below(60), deeper(1))],
    )
  const deeper = (depth) => (depth > 0 ? schema(depth - 1) : pick([{}, true, { type: "string" }, null, { description: "leaf" }]))
  const nested = (levels, inside) => {
    for (let level = 0; level < levels; level++) inside = pick([{ properties: { child: inside } }, { items: inside }, { properties: { child: inside }, description: "level" }])
    return inside
  }
  const properties = (depth) =>
    object(
      ["type", one([6, () => "object"], [1, () => undefined], [1, () => ["object", "null"]])],
      ["properties", one([9, () => Object.fromEntries(times(below(5), () => [key(), property(depth)]))], [0.5, () => null], [0.5, () => json(1)])],
      ["required", chance(0.3) ? times(below(3), word) : undefined],
      ["additionalProperties", chance(0.1) ? deeper(depth) : undefined],
      ["description", chance(0.2) ? text() : undefined],
    )
  const property = (depth) =>
    one(
      [8, () => object(["type", pick(["string", "integer", "array", "boolean"])], ["description", chance(0.7) ? text() : undefined], ["title", chance(0.1) ? text() : undefined], ["enum", chance(0.2) ? times(below(4), () => one([3, word], [1, number_], [1, () => null])) : undefined], ["default", chance(0.1) ? number_() : undefined])],
      [2, () => object(["anyOf", times(below(3), () => deeper(depth))], ["items", chance(0.5) ? deeper(depth) : undefined])],
      [depth > 0 ? 2 : 0, () => schema(depth - 1)],
      [0.5, () => json(1)],
    )
  const toolName = () =>
    one(
      [6, () => times(1 + below(3), () => pick(ENGLISH)).join("_")],
      [2, () => camel(times(1 + below(3), () => pick(ENGLISH)))],
      [3, () => `${pick(SERVERS)}__${times(1 + below(2), () => pick(ENGLISH)).join("_")}`],
      [1, () => `mcp__${pick(SERVERS)}__${pick(ENGLISH)}`],
      [1, () => times(2, () => pick(ENGLISH)).join(pick([".", "/", "-", " "]))],
      [1, () => `transfer_to_${pick(ENGLISH)}`],
      [0.7, () => pick(["__proto__", "constructor", "toString", "_", "+", "a", "1"])],
      [0.7, word],
      [0.4, odd],
      [0.2, () => "tool_search"],
      [0.2, () => pick(ENGLISH).repeat(20)],
    )
  const names = []
  const tool = () => {
    if (chance(0.05)) {
      const own = word()
      names.push(pick(["web_search", "code_interpreter", own, "custom"]))
      return one([2, () => ({ type: pick(["web_search", "code_interpreter"]) })], [2, () => ({ type: "web_search_20250305", name: "web_search" })], [1, () => ({ type: "custom", custom: { name: own } })], [2, () => json(2)], [1, () => ({ name: json(1) })], [1, () => ({ function: json(1) })])
    }
    const name = toolName()
    names.push(name)
    const description = one([9, text], [1, () => undefined], [0.3, () => json(1)])
    const parameters = one([8, () => schema(2)], [1, () => undefined], [0.3, () => null])
    const marks = [
      ...some(["deferLoading", "defer_loading", "deferred"], 0.3).map((mark) => [mark, one([9, () => true], [2, () => false], [0.5, () => json(0)])]),
      ...(chance(0.05) ? [[pick(["deferloading", "lazy", "Deferred", "isDeferred"]), true]] : []),
      ...(chance(0.3) ? [["server", one([9, () => pick(SERVERS)], [1, () => json(1)])]] : []),
    ]
    return one(
      [5, () => object(["name", name], ["description", description], [pick(["inputSchema", "inputSchema", "parameters", "input_schema"]), parameters], ...marks, ...(chance(0.2) ? [["title", text()], ["annotations", json(1)]] : []))],
      [4, () => object(["type", "function"], ["function", object(["name", name], ["description", description], ["parameters", parameters], ...(chance(0.2) ? [["strict", true]] : []), ...(chance(0.2) ? marks : []))], ...(chance(0.8) ? marks : []))],
    )
  }
  const catalogue = (most) => {
    const tools = []
    const taken = new Set()
    for (let left = below(most); left > 0; left--) {
      const next = tool()
      const name = next?.function?.name ?? next?.name
      // Two tools of one name are an error, which a few vectors are enough for.
      if (typeof name === "string" && taken.has(name) && !chance(0.02)) continue
      taken.add(name)
      tools.push(next)
      if (chance(0.01)) tools.push(JSON.parse(JSON.stringify(next)))
    }
    return tools
  }
  const aName = () => (names.length && chance(0.9) ? pick(names) : toolName())
  const patterns = (most) => times(below(most), () => one([3, aName], [1, () => `${pick(SERVERS)}__*`], [1, () => `*${pick(ENGLISH)}*`], [1, () => pick(["?", "*", "g??_*", "a*b*c"])])).filter((pattern) => pattern !== "")

  // Options. `resident` is always given, as its default is the JavaScript face's alone.
  const options = () => {
    const max = 1 + below(25)
    return object(
      ["resident", chance(0.2) ? patterns(3) : []],
      ["threshold", one([6, () => 0], [1, () => false], [1, () => random()], [2, () => undefined], [1, () => object(["tokens", chance(0.5) ? below(2000) : undefined], ["tools", chance(0.5) ? below(20) : undefined], ["share", chance(0.3) ? random() / 10 : undefined])])],
      ["contextWindow", chance(0.4) ? 1 + below(200000) : undefined],
      ["deferred", one([4, () => undefined], [3, () => patterns(4)], [2, () => ({ above: below(30) })])],
      ["handoffs", chance(0.1) ? patterns(2) : undefined],
      ["handoff", pick([undefined, "keep", "reset"])],
      ["calls", pick([undefined, undefined, "ignore", "load"])],
      ["unloadedCall", pick([undefined, "run", "load", "refuse"])],
      ["servers", chance(0.4) ? Object.fromEntries(some([...SERVERS, "Büro", "7"], 0.5).map((server) => [server, object(["deferLoading", pick([undefined, true, false])], ["prefix", chance(0.4) ? `${server}__` : undefined], ["tools", chance(0.3) ? patterns(3) : undefined])])) : undefined],
      ["limit", chance(0.4) ? object(["max", max], ["default", chance(0.5) ? 1 + below(max) : undefined]) : undefined],
      ["searchTool", chance(0.15) ? object(["name", pick(["tool_search", "find_tools"])], ["formerNames", chance(0.5) ? ["search_tools", pick(names.length ? names : ["x"]) || "x"] : undefined]) : undefined],
      ["whenAllLoaded", pick([undefined, undefined, "withdraw", "keep"])],
      ["aliases", chance(0.1) ? false : undefined],
      ["maxNameLength", chance(0.05) ? 1 + below(40) : undefined],
      ["rank", pick([undefined, undefined, "bm25", "keywords"])],
    )
  }

  // Transcripts.
  const SEARCH = ["tool_search", "tool_search", "tool_search", "find_tools", "search_tools"]
  const query = () =>
    one(
      [8, () => sentence(6)],
      [3, aName],
      [2, () => times(1 + below(4), aName).join(pick([" ", ", ", ";"]))],
      [1, () => `select:${times(below(6), aName).join(",")}`],
      [1, text],
      [0.05, () => sentence(6).repeat(500)],
      [0.2, () => pick(["", " ", "???", "🎉", "select:", "the of"])],
    )
  const searchArguments = () =>
    one(
      [8, () => object(["query", query()], ["limit", chance(0.4) ? limit() : undefined])],
      [2, () => ({ query: times(below(4), query), limit: limit() })],
      [1, () => json(2)],
      [1, () => ({ query: json(1) })],
    )
  const limit = () => one([6, () => below(25)], [1, () => number_()], [1, () => json(0)], [1, () => pick(["3", " 7 ", "1e9", "-1", "x"])])
  const args = (value) => one([9, () => JSON.stringify(value)], [1, () => value], [1, () => JSON.stringify(value).slice(0, below(30))], [0.5, () => pick(["", "null", "{", "[]", "5", "{\"query\":1e999}"])], [0.3, () => undefined])
  let ids = 0
  const idStyle = pick(["fresh", "fresh", "fresh", "constant", "none", "mixed"])
  const newId = () => (idStyle === "none" ? undefined : idStyle === "constant" ? "call_0" : idStyle === "mixed" ? pick([undefined, "call_0", 7, `call_${ids++}`, "\ud800"]) : `call_${ids++}`)
  const call = () => {
    const isSearch = chance(0.6)
    const name = isSearch ? pick(SEARCH) : aName()
    return object(["id", newId()], ["type", chance(0.9) ? "function" : undefined], one([20, () => ["function", object(["name", name], ["arguments", args(isSearch ? searchArguments() : json(2))])]], [1, () => ["custom", { name, input: text() }]], [0.5, () => ["function", json(1)]]))
  }
  const content = () => {
    const loaded = times(below(5), () => object(["name", one([9, aName], [1, () => json(0)])], ["description", chance(0.7) ? text() : undefined]))
    const whole = object([pick(["loaded", "loaded", "tools"]), loaded], ["more", below(30)], ["note", text()])
    const written = JSON.stringify(whole)
    return one(
      [8, () => written],
      [2, () => written.slice(0, below(written.length + 1))],
      [1, () => [{ type: "text", text: written }]],
      [1, () => { const at = below(written.length); return [{ type: "text", text: written.slice(0, at) }, { type: "image" }, { type: "text", text: written.slice(at) }] }],
      [1, () => whole],
      [1, () => JSON.stringify({ error: text() })],
      [1, text],
      [1, () => json(2)],
    )
  }
  const answerTo = (each) => object(["role", one([9, () => "tool"], [0.3, () => "function"], [0.3, () => "user"])], ["tool_call_id", one([9, () => each.id], [0.5, () => undefined], [0.5, () => "stray"])], [pick(["name", "tool_name", "x"]), chance(0.2) ? each.function?.name : undefined], ["content", content()])
  const transcript = (most) => {
    const messages = []
    for (let left = below(most); left > 0; left--) {
      one(
        [3, () => messages.push({ role: pick(["user", "user", "system", "developer", "critic"]), content: one([3, text], [1, content]) })],
        [2, () => messages.push({ role: "assistant", content: one([3, text], [1, () => [{ type: "text", text: text() }]], [1, content]) })],
        [8, () => {
          const calls = times(1 + below(3), call)
          messages.push(object(["role", chance(0.97) ? "assistant" : "user"], ["content", null], ["tool_calls", calls]))
          const results = calls.filter(() => chance(0.9)).map(answerTo)
          if (chance(0.2)) results.reverse()
          if (chance(0.1)) results.push(answerTo(pick(calls)))
          for (const result of results) {
            messages.push(result)
            if (chance(0.1)) messages.push({ role: "user", content: text() })
          }
        }],
        [0.5, () => messages.push({ role: "assistant", content: null, function_call: { name: "tool_search", arguments: "{}" } }, { role: "function", name: "tool_search", content: content() })],
        [0.5, () => messages.push(json(2))],
        [0.3, () => messages.push({ role: "assistant", tool_calls: json(2) })],
      )
    }
    return messages
  }

  const tools = catalogue(pick([3, 7, 12, 24]))
  const chosen = options()
  const messages = chance(0.03) ? json(2) : transcript(10)
  const perTurn = () =>
    object(
      ["loaded", chance(0.2) ? times(below(4), aName).filter((name) => name !== "") : undefined],
      ["forced", chance(0.25) ? times(below(3), () => one([9, aName], [1, () => "tool_search"])).filter((name) => name !== "") : undefined],
      ["exclude", chance(0.2) ? patterns(3) : undefined],
    )
  const upTo = () => (Array.isArray(messages) && chance(0.5) ? { upTo: below(messages.length + 1) } : {})
  const step = () =>
    one(
      [8, () => object(["do", "search"], ["query", one([19, query], [1, () => json(1)])], ["limit", chance(0.4) ? limit() : undefined], ["explain", chance(0.3) ? true : undefined])],
      [8, () => ({ do: "turn", ...upTo(), ...perTurn(), ...(chance(0.2) ? { definitions: true } : {}) })],
      [6, () => ({ do: "answer", calls: one([4, () => ({ role: "assistant", content: null, tool_calls: times(1 + below(3), call) })], [2, () => times(below(3), call)], [1, call], [0.5, () => json(2)]), ...upTo(), ...perTurn(), ...(chance(0.2) ? { others: times(below(4), () => answerTo({ id: newId() })) } : {}) })],
      [5, () => ({ do: "resolve", call: one([9, () => object(["id", newId()], ["function", object(["name", aName()], ["arguments", args(json(2))])])], [1, call], [1, () => json(2)]), ...upTo(), ...perTurn() })],
      [2, () => ({ do: "searchResults", ...upTo() })],
      [2, () => ({ do: "pending", ...upTo() })],
      [1, () => ({ do: "fingerprint" })],
      [1, () => ({ do: "update", next: some(tools, 0.8).concat(catalogue(4)) })],
      [1, () => ({ do: pick(["rankTools", "rankToolsByKeywords"]), query: query(), ...(chance(0.5) ? { limit: 1 + below(9) } : {}) })],
      [0.5, () => ({ do: "estimateTokens", value: one([1, text], [1, () => ({ value: json(3) })]) })],
      [0.5, () => ({ do: "search", query: query(), options: options() })],
      [0.5, () => ({ do: "turn", tools: some(tools, 0.7), ...perTurn() })],
    )
  const steps = [{ do: "create", ...(chance(0.1) ? { definitions: true } : {}) }, ...times(3 + below(4), step)]
  return { id: `${seed}/${number}`, why: "random", tools, options: chosen, messages, steps }
}

const SERVERS = ["github", "jira", "drive", "s3", "Google Drive"]
const ENGLISH = "create list get find delete update search invoice order customer issue comment page file message user name the mail report query read write id".split(" ")
const SCRIPTS = ["天气", "日历事件", "会議室", "メール", "ﾒｰﾙ", "회의를", "예약", "счёт", "СЧЕТ", "πελάτης", "ΠΕΛΑΤΗΣ", "לקוח", "عَمِيل", "ลูกค้า", "ग्राहक", "தேடல்", "ស្វែងរក", "Résumé", "résumé", "Straße", "İstanbul", "ıspanak", "ﬁle", "ｆｕｌｌ", "комп'ютер", "𝒳𝓎𝓏", "🎉", "Ünïcödé", "ǅ", "ß", "ſ"]
const MARKS = [0x300, 0x301, 0x308, 0x327, 0x200b, 0x200d, 0x202e, 0x2066, 0xfeff, 0xfe0f, 0x3099, 0x309a, 0xff9e, 0x0345, 0x0591, 0x094d, 0x0e31, 0xe0041, 0x1f3fb, 0x2028, 0x0, 0x7f, 0x85, 0xa0, 0xad, 0x130, 0x1e9e, 0x3c2]

// ------------------------------------------------------------------------------------ the shrinking

/** Drops and shortens whatever can go while the vector still differs. */
async function shrink(vector, differs) {
  const isEnd = async (candidate) => (await differs(candidate))?.startsWith(ENDED)
  const wanted = await isEnd(vector)
  let smallest = vector
  for (let attempts = 0, found = true; found && attempts < ATTEMPTS; ) {
    found = false
    for (const candidate of smaller(smallest)) {
      if (++attempts > ATTEMPTS) break
      // Of the same kind: a vector that has become unreadable ends the program, which is not what is looked for.
      if ((await isEnd(candidate)) === wanted) {
        smallest = candidate
        found = true
        break
      }
    }
  }
  return smallest
}

/** Parts in which anything may be left out without making the vector itself unreadable. */
const FREE = ["tools", "next", "messages", "calls", "call", "others", "query", "value", "limit"]

function* smaller(vector) {
  for (const [at] of vector.steps.entries()) {
    if (vector.steps.length > 1) yield { ...vector, steps: vector.steps.filter((_, other) => other !== at) }
  }
  for (const key of Object.keys(vector.options)) {
    if (key !== "resident") yield { ...vector, options: without(vector.options, key) }
  }
  for (const key of ["tools", "messages"]) for (const value of less(vector[key])) yield { ...vector, [key]: value }
  for (const [at, step] of vector.steps.entries()) {
    const steps = (changed) => ({ ...vector, steps: vector.steps.map((other, index) => (index === at ? changed : other)) })
    for (const key of Object.keys(step)) if (!["do", "call", "calls", "query", "value", "next"].includes(key)) yield steps(without(step, key))
    for (const key of FREE) if (key in step) for (const value of less(step[key])) yield steps({ ...step, [key]: value })
  }
}

const without = (object, key) => Object.fromEntries(Object.entries(object).filter(([other]) => other !== key))

function* less(value) {
  if (typeof value === "string") {
    if (value.length > 1) yield value.slice(0, value.length / 2)
    if (value.length > 1) yield value.slice(value.length / 2)
    if (value.length > 0 && value.length < 12) for (let at = 0; at < value.length; at++) yield value.slice(0, at) + value.slice(at + 1)
  } else if (Array.isArray(value)) {
    for (let size = value.length >> 1; size > 1; size >>= 1) {
      for (let at = 0; at < value.length; at += size) yield [...value.slice(0, at), ...value.slice(at + size)]
    }
    for (const [at] of value.entries()) yield value.filter((_, other) => other !== at)
    for (const [at, inner] of value.entries()) for (const each of less(inner)) yield value.map((other, index) => (index === at ? each : other))
  } else if (value !== null && typeof value === "object") {
    for (const key of Object.keys(value)) yield without(value, key)
    for (const [key, inner] of Object.entries(value)) for (const each of less(inner)) yield Object.fromEntries(Object.entries(value).map(([other, old]) => [other, other === key ? each : old]))
  }
}
