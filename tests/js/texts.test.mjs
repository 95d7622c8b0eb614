// The host's own words: all that a model reads of ours comes from one table, and nothing of it is left where all is set.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, test } from "node:test"
import { createToolSearch } from "../../pkg/index.js"
import { root } from "./support.mjs"

/** The table in src/texts.rs: key, places, words. */
const TEXTS = [...readFileSync(new URL("src/texts.rs", root), "utf8").matchAll(/^ {4}\w+ = "(\w+)", \[(.*)\], "(.*)";$/gm)].map(([, key, places, words]) => ({
  key,
  places: [...places.matchAll(/\w+/g)].map(([place]) => place),
  words: JSON.parse(`"${words}"`),
}))

const tool = (name, description = name) => ({ type: "function", function: { name, description, parameters: { type: "object", properties: {} } } })
const call = (args, name = "tool_search") => ({ id: "1", type: "function", function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } })
const said = (...calls) => ({ role: "assistant", tool_calls: calls })
const result = (content) => ({ role: "tool", tool_call_id: "1", content })

describe("texts", () => {
  test("the types name each, with its words", () => {
    const types = readFileSync(new URL("js/types.ts", root), "utf8")
    const declared = /export interface Texts \{\n(.*?)\n\}/s.exec(types)[1]
    const each = [...declared.matchAll(/\/\*\* (.*?) Default: `(.*)` \*\/\n {2}(\w+)\?: string \| undefined/g)]
    assert.deepEqual(each.map(([, , words, key]) => ({ key, words })), TEXTS.map(({ key, words }) => ({ key, words })))
    assert.ok(TEXTS.length > 35)
  })

  test("whatever it says, a model reads the words of the host alone", async () => {
    /** Signs that no word of ours has, and nothing of what is filled in. */
    const texts = Object.fromEntries(TEXTS.map(({ key, places }, at) => [key, `⟦${at}⟧${places.filter((place) => !VALIDATORS.includes(key) || place !== "error").map((place) => `{${place}}`).join(" ")}`]))
    const read = []
    const schema = {
      type: "object",
      properties: { q: {}, n: { type: "integer" }, e: { enum: [1, 2] }, s: { type: "string", minLength: 1 } },
      required: ["q"],
      minProperties: 2,
      additionalProperties: false,
    }
    const checked = { type: "function", function: { name: "v", description: "v", parameters: schema } }
    const all = ["eins", "zwei", "drei", "vier"].map((name) => tool(name)).concat(tool("s__a"), tool("t__b"), tool("u__v-one"), tool("w__v_one"), checked)
    const servers = Object.fromEntries(["s", "t"].map((name) => [name, { prefix: `${name}__` }]))
    for (const delivery of ["append", "proxy"]) {
      const make = (options) => createToolSearch({ tools: all, threshold: 0, deferred: ["*"], resident: ["vier"], servers, delivery, texts, limit: { max: 2 }, ...options })
      for (const options of [{}, { deferred: ["eins"] }, { rank: () => Promise.reject(new Error("7")) }]) {
        const search = make(options)
        const loaded = [said(call({ query: "eins" })), result('{"loaded":[{"name":"eins"}]}')]
        for (const messages of [[], loaded]) {
          const turn = search.turn(messages)
          read.push(turn.note, turn.tools)
          const queries = ["eins", "zwei", "vier", "zzz", "...", [7], [], 7, undefined, "eins zwei drei", "s", "eins"]
          const asked = [...queries.map((query) => call({ query })), call(""), call("{"), call("[]")]
          for (const each of asked) {
            for (const unavailable of [[], ["s"]]) read.push((await search.answer(each, messages, { unavailable })).parts)
          }
          read.push((await search.answer(said(call({ query: "zzz" }), call({ query: "yyy" }), call({ query: "xxx" })), messages)).parts)
          read.push((await search.answer(call({ query: "zzz" }), [], { loaded: ["eins", "zwei", "drei", "s__a", "t__b"] })).parts)
        }
        for (const name of ["nix", "v-one", "eins", "vier", "v", "call_tool", "calltool", "s__b"]) {
          for (const args of ["{}", "{", "[]", 7, '{"n":"x","e":9,"s":"","z":1}', '{"q":1}', { name: "vier", arguments: {} }]) {
            const { part } = search.resolve(call(args, name), [], { exclude: ["zwei"] })
            if (part) read.push(part)
          }
        }
        read.push(search.resolve({ ...call("", "vier"), function: { name: "vier", get arguments() { return { toJSON() { throw new Error("7") } } } } }).part)
        read.push(search.resolve(call("", "vier"), [], { exclude: ["vier"] }).part)
        search.free()
      }
      const refusing = make({ unloadedCall: "refuse" })
      read.push(refusing.resolve(call("", "eins")).part)
    }
    const many = createToolSearch({ tools: Array.from({ length: 12 }, (_, at) => tool(`n${at}__x`)), threshold: 0, deferred: ["*"], texts, servers: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`n${at}`, { prefix: `n${at}__` }])) })
    read.push(many.turn([]).note)
    const seen = JSON.stringify(read)
    const missing = TEXTS.filter((_, at) => !seen.includes(`⟦${at}⟧`)).map(({ key }) => key)
    assert.deepEqual(missing, NOT_HERE)
    // What is left: JSON, names, descriptions, and the words of the formats.
    const left = seen.replaceAll("\\", "").replace(/"(type|function|name|description|parameters|properties|object|string|integer|query|limit|minimum|maximum|required|arguments|additionalProperties|true|role|tool|tool_call_id|content|loaded|more|note|error|enum|minLength|minProperties)"/g, "")
    const words = [...left.matchAll(/\p{L}[\p{L}_\d]*/gu)].map(([word]) => word)
    const known = /^(eins|zwei|drei|vier|null|[st]\d*|s__a|t__b|a|b|n\d+|true|tool_search|call_tool|[enqvxz]|name|u__v|w__v_one|one|integer|arguments|false)$/
    assert.deepEqual([...new Set(words.filter((word) => !known.test(word)))], [])
  })
})

/** Where a validator's own words, or those of the reader of JSON, are filled in, which are nobody's to set. */
const VALIDATORS = ["argumentsFault", "faultOther"]

/** Keep-notes and stubs have tests of their own formats. */
const NOT_HERE = ["keepNote", "keepNoteProxy", "keepNoteEmpty", "gone"]
