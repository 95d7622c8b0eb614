// What each provider answers with a 400, as far as it is known without asking one: `check(format, body)` gives null or
// `{ status: 400, rule, message }`.
//
// A rule is a name, where it was read (`from`) and a function `breaks(body, record)` that gives a sentence when the request
// breaks it. "PROVIDERS" is the project's page of provider rules with the section that says so, "types" the published types of
// the provider's SDK, "vendor" what the vendor's API is known to answer. The checkers are stricter than the APIs where those
// forgive at random: a request that passes here has nothing to be forgiven.

import anthropic from "./strict/anthropic.mjs"
import aiSdk from "./strict/ai-sdk.mjs"
import bedrock from "./strict/bedrock.mjs"
import gemini from "./strict/gemini.mjs"
import neutral from "./strict/neutral.mjs"
import ollama from "./strict/ollama.mjs"
import openaiChat from "./strict/openai-chat.mjs"
import openaiResponses from "./strict/openai-responses.mjs"

/** The rules by format, in the order in which they are asked: a later one may rely on those before it. */
export const RULES = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  bedrock,
  "ai-sdk": aiSdk,
  neutral,
  ollama,
}

/** What a server remembers of one conversation: the calls that it issued by their ids, and its items by theirs. */
export function conversation() {
  return { issued: new Map(), items: new Map() }
}

/**
 * Keeps what a response of OpenAI Responses issued, which later requests must send back as it came.
 *
 * @param record what `conversation()` gave
 * @param response the response object
 */
export function remember(record, response) {
  for (const item of Array.isArray(response.output) ? response.output : []) {
    if (typeof item.call_id === "string") record.issued.set(item.call_id, item)
    if (typeof item.id === "string") record.items.set(item.id, item)
  }
}

/**
 * The first rule that a request breaks, or null.
 *
 * @param format one of the keys of RULES
 * @param body the request as the provider's HTTP API takes it; for "ai-sdk" `{ provider, tools, messages }`
 * @param record what the server remembers of the conversation, where it does
 */
export function check(format, body, record = conversation()) {
  const rules = RULES[format]
  if (!rules) throw new Error(`no checker for ${format}`)
  // What is sent as a reference stands for the item that the server holds.
  if (Array.isArray(body.input)) body = { ...body, input: body.input.map((item) => (item.type === "item_reference" && record.items.get(item.id)) || item) }
  for (const [rule, { breaks }] of Object.entries(rules)) {
    const message = breaks(body, record)
    if (message !== undefined) return { status: 400, rule, message }
  }
  return null
}
