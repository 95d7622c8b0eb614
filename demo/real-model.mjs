// The real model, through the official client.

import OpenAI, { APIConnectionError, APIError } from "openai"

/**
 * A function from a request to an assistant message, over the chat-completions API. The key, OPENAI_BASE_URL and
 * OPENAI_MODEL come from the environment. An error of the API is thrown with a message of one line.
 */
export function realModel(env) {
  const model = env.OPENAI_MODEL || "gpt-5.4"
  const client = new OpenAI({ apiKey: env.OPENAI_API_KEY, baseURL: env.OPENAI_BASE_URL || undefined, timeout: 120_000 })
  const ask = async ({ tools, messages }) => {
    try {
      const completion = await client.chat.completions.create({ model, messages, tools })
      const message = completion.choices?.[0]?.message
      if (!message) throw new Error(`${model} at ${client.baseURL} sent no message`)
      // Only what the API takes back: some servers refuse `refusal` and `annotations` in a request.
      const calls = message.tool_calls?.length ? { tool_calls: message.tool_calls } : {}
      return { role: "assistant", content: message.content ?? null, ...calls }
    } catch (error) {
      throw error instanceof APIError ? new Error(explain(error, model, client.baseURL)) : error
    }
  }
  return { ask, model }
}

function explain(error, model, url) {
  if (error instanceof APIConnectionError) {
    let cause = error
    while (cause.cause) cause = cause.cause
    return `${url} can't be reached (${cause.message}); check OPENAI_BASE_URL, or add --scripted`
  }
  const said = error.message.replace(/\s+/g, " ").slice(0, 200)
  if (error.status === 401) return `${url} refused the key (${said}); check OPENAI_API_KEY, or add --scripted`
  if (error.status === 404) return `${url} has no ${model} (${said}); check OPENAI_MODEL`
  return `${url} answered ${model} with an error (${said})`
}
