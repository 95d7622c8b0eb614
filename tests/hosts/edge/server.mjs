import { Problem } from "../../../scripts/lib/process.mjs"
import { printed } from "../lab.mjs"

/** As long as the lab gives a program. */
const TIMEOUT = 240_000

/**
 * What a server that was just started answers to a request.
 *
 * @param server From `lab.start`.
 * @param pattern What it prints when it is ready; its group `port` is where.
 */
export async function answer(server, pattern, path = "/") {
  const said = []
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => said.push(chunk))
  const { groups } = await printed(server, pattern)
  const url = `http://127.0.0.1:${groups.port}${path}`
  const fail = (what) => new Problem(`${url}: ${what}`, Buffer.concat(said).toString())
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) })
    const text = await response.text()
    if (!response.ok) throw fail(`${response.status} ${text}`)
    return text
  } catch (error) {
    throw error instanceof Problem ? error : fail(error.cause?.message ?? error.message)
  }
}
