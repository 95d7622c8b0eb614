// Transcripts as agents keep them, in the shape of Chat Completions.

import { random } from "./generate.mjs"

const WORDS =
  "the file holds a list of open invoices and who has to pay them before the end of this month error warning total amount page next customer id status created updated value field returned from server no result found please try again with another name".split(" ")

/** A text of about `length` characters that is no repetition of itself. */
function text(length, next) {
  let text = ""
  while (text.length < length) text += `${WORDS[Math.floor(next() * WORDS.length)]} `
  return text.slice(0, length)
}

/**
 * `count` messages: a person asks, the assistant calls tools, the results come, the assistant answers. Texts are
 * `length` characters long. `searches` of the assistant's turns call `tool_search` for one of `queries`, and
 * `answer(assistant)` resolves to what it gets.
 */
export async function transcript({ count, length, searches, queries, answer, seed = 1 }) {
  const next = random(seed)
  const messages = [{ role: "system", content: text(length, next) }]
  const loaded = []
  let calls = 0
  let searched = 0
  const id = () => `call_${String(++calls).padStart(6, "0")}abcdefghijklmn`
  // A search takes two messages, and they come evenly from the start.
  const every = Math.max(2, Math.floor(count / Math.max(1, searches)))
  const call = (name, args) => ({ id: id(), type: "function", function: { name, arguments: JSON.stringify(args) } })
  while (messages.length < count) {
    const left = count - messages.length
    if (searched < searches && messages.length >= searched * every && left >= 2) {
      const assistant = { role: "assistant", content: null, tool_calls: [call("tool_search", { query: queries[searched % queries.length] })] }
      const reply = await answer(assistant, messages)
      messages.push(assistant, ...reply.parts)
      loaded.push(...reply.loaded)
      searched++
    } else if (left >= 3 && next() < 0.75) {
      const made = Array.from({ length: next() < 0.3 && left >= 4 ? 2 : 1 }, () =>
        call("read_file", { path: `/srv/data/${text(30, next).replaceAll(" ", "_")}.json`, limit: 200 }),
      )
      messages.push({ role: "assistant", content: next() < 0.5 ? null : text(length, next), tool_calls: made })
      for (const { id: tool_call_id } of made) messages.push({ role: "tool", tool_call_id, content: text(length, next) })
    } else {
      messages.push({ role: left % 2 ? "user" : "assistant", content: text(length, next) })
    }
  }
  // As they come from a store: texts that were put together here are chains of pieces in memory.
  return { messages: JSON.parse(JSON.stringify(messages)), loaded, searches: searched }
}
