// What a turn costs in every format and by every delivery: `npm run bench -- --formats`. Texts in a conversation must
// cost nothing: a turn over 10 MB of them is held against one over as many short ones in the same run.

import assert from "node:assert/strict"
import { MESSAGES, sent } from "../tests/support/shapes.mjs"
import { compare, ratio } from "./measure.mjs"
import { transcript } from "./messages.mjs"

const COUNT = 1000
const SEARCHES = 36
const SHORT = 12
const LONG_TOTAL = 10_000_000
const ROUNDS = 9
/** The formats that have every delivery. */
const DELIVERED = ["anthropic", "openai-responses"]

/** The cases of this file: `{name, tools, rows}`, a row with the one it is held against. */
export async function formats({ createToolSearch }, tools, queries) {
  const asked = queries.map(({ query }) => query)
  const engine = (format, delivery) =>
    createToolSearch({ tools, format, delivery, deferred: { above: 0 }, threshold: 0 })
  const made = (format, delivery, given) => {
    const search = engine(format, delivery)
    const native = delivery === "native" && MESSAGES[format].searchItem !== undefined
    const answer = (assistant, messages) => search.answer(assistant, messages)
    const make = (more) => transcript({ format, native, count: COUNT, searches: SEARCHES, queries: asked, answer, ...more })
    return given(search, make)
  }

  const lengths = []
  const deliveries = []
  const answers = []
  // Without a format the messages are looked at for one.
  for (const format of [undefined, ...Object.keys(MESSAGES)]) {
    lengths.push(await made(format, "append", (search, make) => lengthPair(format ?? "not named", search, make)))
  }
  for (const format of DELIVERED) {
    const found = []
    for (const delivery of ["append", "native", "proxy"]) {
      const { turn, answer, loads } = await made(format, delivery, (search, make) => delivered(format, delivery, search, make, asked, tools))
      deliveries.push(turn)
      answers.push(answer)
      found.push(loads)
    }
    for (const loads of found) assert.deepEqual(loads, found[0], `${format}: every delivery finds and loads the same`)
  }
  return [
    { name: "turn, 10 MB of texts", tools: tools.length, rows: timed(lengths.flat(), 2) },
    { name: "turn by delivery", tools: tools.length, rows: timed(deliveries, 3) },
    { name: "answer by delivery", tools: tools.length, rows: timed(answers, 3) },
  ]
}

/** The targets that these cases have. */
export function formatTargets(cases) {
  const rows = cases.find(({ name }) => name === "turn, 10 MB of texts")?.rows ?? []
  return rows
    .filter(({ ratio }) => ratio !== undefined)
    .map(({ name, ratio }) => ({
      name: `turn over 1,000 messages, ${name}, times that over short ones`,
      value: ratio,
      target: 1.5,
      unit: "at most",
      ok: ratio <= 1.5,
    }))
}

/** Runs them in turn, round by round, and holds each against the first of its group. */
function timed(contenders, group) {
  const rows = compare(contenders, ROUNDS)
  return rows.map((row, at) => {
    const first = rows[at - (at % group)]
    const { name, ms, spread } = row
    if (row === first) return { name, ms, spread }
    const { ratio: times, spread: ratioSpread } = ratio(first, row)
    return { name, ms, spread, to: first.name, ratio: times, ratioSpread }
  })
}

async function lengthPair(format, search, make) {
  const short = await make({ length: SHORT })
  const long = await make({ length: Math.ceil(LONG_TOTAL / short.texts) })
  assert.equal(long.texts, short.texts, "the two differ in the length of their texts alone")
  const size = textsOf(long.messages)
  assert(size >= LONG_TOTAL && textsOf(short.messages) < size / 50, `${format}: ${size} characters of text`)
  for (const { messages, loaded, searches } of [short, long]) {
    assert.equal(messages.length, COUNT)
    assert.equal(searches, SEARCHES)
    const turn = search.turn(messages)
    assert(loaded.length >= SEARCHES, `${format}: the searches load tools, ${loaded.length}`)
    assert.deepEqual(turn.loaded, loaded, `${format}: what the transcript loaded is read back from it, in order`)
    assert.deepEqual(turn.loaded, short.loaded, `${format}: the length of the texts changes nothing`)
    assert.deepEqual(names(turn).slice(-loaded.length), loaded, `${format}: what is loaded is sent, at the end`)
  }
  return [
    { name: `${format}, short`, run: () => search.turn(short.messages) },
    { name: `${format}, 10 MB`, run: () => search.turn(long.messages) },
  ]
}

async function delivered(format, delivery, search, make, queries, tools) {
  const { messages, loaded } = await make({ length: 1000 })
  const turn = search.turn(messages)
  assert.equal(turn.delivery.used, delivery)
  assert.deepEqual(turn.loaded, loaded, `${format}, ${delivery}: what the transcript loaded is read back from it`)
  const sent = new Set(names(turn))
  const withheld = tools.filter(({ name }) => !sent.has(name)).length
  if (delivery === "append") assert.equal(withheld, tools.length - loaded.length, "what is loaded is sent")
  else if (delivery === "proxy") assert(sent.has("call_tool") && withheld === tools.length, "only the constant tools are sent")
  else assert.equal(withheld, format === "anthropic" ? 0 : tools.length, "all are sent, or none that a search output holds")

  // The next search of that conversation that finds something new.
  const write = MESSAGES[format]
  let call
  let reply
  for (const query of queries.slice(SEARCHES)) {
    call =
      delivery === "native" && write.searchItem
        ? write.searchItem({ query }, "call_next")
        : write.call("tool_search", write.object ? { query } : JSON.stringify({ query }), "call_next")
    reply = await search.answer(call, messages)
    if (reply.loaded.length > 0) break
  }
  assert.equal(reply.parts.length, 1)
  assert.equal(write.answers(reply.parts[0]), "call_next")
  assert(reply.loaded.length > 0, "the search loads something")
  const carries = JSON.stringify(reply.parts).includes("parameters")
  assert.equal(carries, delivery === "proxy" || (delivery === "native" && format !== "anthropic"), `${format}, ${delivery}: the schemas are in the result, or not`)
  return {
    turn: { name: `${format}, ${delivery}`, run: () => search.turn(messages) },
    // All its work is done when it returns; the promise is only how the result comes.
    answer: { name: `${format}, ${delivery}`, run: () => search.answer(call, messages) },
    loads: [loaded, reply.loaded],
  }
}

const names = (turn) => sent(turn.tools).map(({ name }) => name)

/** How many characters the texts of a value have, keys and short words aside. */
function textsOf(value) {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 0
  let sum = 0
  for (const inner of Object.values(value)) sum += textsOf(inner)
  return sum
}
