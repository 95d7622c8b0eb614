import type { EngineCall, Ranked } from "./engine.js"
import { words } from "./schemas.js"
import type { NeutralTool, Rank } from "./types.js"

/** Asks the host's ranking for every search call, all at once. Whatever it does wrong is that call's error. */
export function rankCalls(
  rank: Rank,
  timeout: number,
  tools: readonly NeutralTool[],
  calls: readonly EngineCall[],
): Promise<Ranked[]> {
  return Promise.all(
    calls.map(async ({ query, error }) => {
      if (error !== null) return null
      const control = new AbortController()
      let timer: ReturnType<typeof setTimeout> | undefined
      try {
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => {
            const reason = new Error(`it took longer than ${timeout} ms`)
            control.abort(reason)
            reject(reason)
          }, timeout)
        })
        const asked = query.map(async (each) => rank(each, tools, { signal: control.signal }))
        return inTurn(await Promise.race([Promise.all(asked), late]))
      } catch (failure) {
        return { error: words(failure) }
      } finally {
        clearTimeout(timer)
      }
    }),
  )
}

/** Several searches share the limit: the best of each, then the second of each. */
function inTurn(lists: readonly unknown[]): string[] {
  const names = new Set<string>()
  let longest = 0
  for (const list of lists) {
    if (!Array.isArray(list)) throw new TypeError("rank did not return an array of names")
    longest = Math.max(longest, list.length)
  }
  for (let place = 0; place < longest; place++) {
    for (const list of lists as unknown[][]) {
      const name = list[place]
      if (typeof name === "string") names.add(name)
    }
  }
  return [...names]
}
