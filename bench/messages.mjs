// Transcripts as agents keep them, in the shape of any format.

import { MESSAGES } from "../tests/support/shapes.mjs"
import { random } from "./generate.mjs"

const WORDS =
  "the file holds a list of open invoices and who has to pay them before the end of this month error warning total amount page next customer id status created updated value field returned from server no result found please try again with another name".split(" ")

/** How long a row is in a result of rows. */
const ROW = 100

/** A text of about `length` characters that is no repetition of itself. */
function text(length, next) {
  let text = ""
  while (text.length < length) text += `${WORDS[Math.floor(next() * WORDS.length)]} `
  return text.slice(0, length)
}

/**
 * `count` messages or items: a person asks, the assistant calls tools, the results come, the assistant answers. Texts
 * are `length` characters long, and how many there are does not depend on it. `searches` of the assistant's turns call
 * `tool_search` for one of `queries`, as the provider's own item with `native`, and `answer(assistant, messages)`
 * resolves to what that gets.
 */
export async function transcript({ format = "openai-chat", count, length, searches, queries, answer, native = false, seed = 1 }) {
  const write = MESSAGES[format]
  const next = random(seed)
  // Of its own, so that longer texts change nothing else.
  const word = random(seed + 1)
  let texts = 0
  const say = () => {
    texts++
    return text(length, word)
  }
  const messages = [(write.system ?? write.user)(say())]
  const loaded = []
  let calls = 0
  let searched = 0
  const id = () => `call_${String(++calls).padStart(6, "0")}abcdefghijklmn`
  // A search takes two messages, and they come evenly from the start.
  const every = Math.max(2, Math.floor(count / Math.max(1, searches)))
  const call = (name, args) => {
    const made = id()
    return { id: made, name, call: write.call(name, write.object ? args : JSON.stringify(args), made) }
  }
  const path = () => `/srv/data/${text(30, word).replaceAll(" ", "_")}.json`
  const worked = () => {
    const made = Array.from({ length: next() < 0.3 ? 2 : 1 }, () =>
      next() < 0.8 ? call("read_file", { path: path(), limit: 200 }) : call("write_file", { path: path(), content: say() }),
    )
    const parts = made.map(({ id, name }) => {
      const said = say()
      if (next() < 0.7) return write.result(id, name, said)
      return write.rows(id, name, Array.from({ length: Math.ceil(length / ROW) }, (_, row) => said.slice(row * ROW, (row + 1) * ROW)))
    })
    return [...write.assistant(made.map(({ call }) => call), next() < 0.5 ? undefined : say()), ...write.results(parts)]
  }
  while (messages.length < count) {
    const left = count - messages.length
    if (searched < searches && messages.length >= searched * every && left >= 2) {
      const query = queries[searched % queries.length]
      const one = native ? write.searchItem({ query }, id()) : call("tool_search", { query }).call
      const assistant = write.assistant([one])
      const reply = await answer(assistant.length === 1 ? assistant[0] : assistant, messages)
      messages.push(...assistant, ...[reply.messages()].flat())
      loaded.push(...reply.loaded)
      searched++
    } else if (left >= 5 && next() < 0.75) {
      // At most a text, two calls and two results, where each is an item of its own.
      messages.push(...worked())
    } else {
      messages.push(...(left % 2 ? [write.user(say())] : write.assistant([], say())))
    }
  }
  // As they come from a store: texts that were put together here are chains of pieces in memory.
  return { messages: JSON.parse(JSON.stringify(messages)), loaded, searches: searched, texts }
}
