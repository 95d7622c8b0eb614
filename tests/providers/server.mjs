// A local server that speaks the providers' endpoints, checks every request by strict.mjs and answers as model.mjs does.

import { createServer } from "node:http"
import { createServer as createServer2 } from "node:http2"
import { offered, respond } from "./model.mjs"
import { check, conversation, remember } from "./strict.mjs"

const ROUTES = [
  [/^\/v1\/chat\/completions$/, "openai-chat"],
  [/^\/v1\/responses$/, "openai-responses"],
  [/^\/v1\/messages$/, "anthropic"],
  [/^\/v1(?:beta)?\/models\/[^/]+:generateContent$/, "gemini"],
  [/^\/model\/[^/]+\/converse$/, "bedrock"],
  [/^\/api\/chat$/, "ollama"],
]

/** A refusal in the shape in which each provider writes errors, with its headers. */
const REFUSAL = {
  "openai-chat": (text, rule) => [{ error: { message: text, type: "invalid_request_error", param: null, code: rule } }],
  "openai-responses": (text, rule) => REFUSAL["openai-chat"](text, rule),
  anthropic: (text) => [{ type: "error", error: { type: "invalid_request_error", message: text }, request_id: "req_1" }],
  gemini: (text) => [{ error: { code: 400, message: text, status: "INVALID_ARGUMENT" } }],
  bedrock: (text) => [{ message: text }, { "x-amzn-errortype": "ValidationException" }],
  ollama: (text) => [{ error: text }],
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

/**
 * Starts the server. What it saw stands in `requests`: `{ format, body, refused }`.
 *
 * @param script `(turn, offer) => acts`: what the model does in its answer number `turn`, by what the request offers it
 * @param options `http2`: without TLS, as the Bedrock client speaks it
 * @returns `{ url, requests, close }`
 */
export async function serve(script, { http2 = false, ids = true } = {}) {
  const requests = []
  const record = conversation()
  let turn = 0
  const answer = async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname
    const format = ROUTES.find(([pattern]) => pattern.test(decodeURIComponent(path)))?.[1]
    const send = (status, body, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers })
      response.end(JSON.stringify(body))
    }
    if (!format || request.method !== "POST") return send(404, { error: { message: `no endpoint ${request.method} ${path}` } })
    try {
      const body = await bodyOf(request)
      const refused = check(format, body, record)
      requests.push({ format, body, refused })
      if (refused) return send(400, ...REFUSAL[format](`${refused.rule}: ${refused.message}`, refused.rule))
      const offer = offered(format, body)
      const reply = respond(format, script(turn, offer), turn, { native: offer.native, ids })
      turn += 1
      if (format === "openai-responses") remember(record, reply)
      return send(200, reply)
    } catch (error) {
      // The script finds nothing that it could call, or the checker fell over: the client shall see why.
      return send(500, { error: { message: error.stack, type: "server_error" }, message: error.stack })
    }
  }
  const server = http2 ? createServer2(answer) : createServer(answer)
  // An HTTP/2 session outlives the answers, and would keep the process.
  const sessions = new Set()
  server.on("session", (session) => sessions.add(session))
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => {
      for (const session of sessions) session.destroy()
      server.closeAllConnections?.()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
