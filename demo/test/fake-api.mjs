// A chat-completions API on this machine, for tests: non-streaming, and whoever made it decides the answers.

import { createServer } from "node:http"

/**
 * `answer(body, request)` gives an assistant message, or `{ status, error }`. Returns the base URL, every body
 * that was received and `close()`.
 */
export async function fakeApi(answer) {
  const received = []
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    received.push({ url: request.url, key: request.headers.authorization, body })
    const given = await answer(body, received.length)
    response.setHeader("content-type", "application/json")
    if (given.status) {
      response.statusCode = given.status
      response.end(
        JSON.stringify({ error: { message: given.error, type: "invalid_request_error", code: null, param: null } }),
      )
      return
    }
    const finish_reason = given.tool_calls ? "tool_calls" : "stop"
    response.end(
      JSON.stringify({
        id: `chatcmpl-${received.length}`,
        object: "chat.completion",
        created: 0,
        model: body.model,
        choices: [{ index: 0, message: { refusal: null, annotations: [], ...given }, finish_reason, logprobs: null }],
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      }),
    )
  })
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    received,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
