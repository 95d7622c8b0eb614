// What every runtime runs to be measured: no import, and nothing of any one runtime.

/** Everything is deferred, and no catalogue is too small to defer. */
export const OPTIONS = { deferred: { above: 0 }, threshold: 0 }

/** What the first search asks for. */
export const QUERY = "list open invoices of a customer"

/**
 * The first things that a program does with the package, each timed once, as the second time is another matter.
 *
 * @param load Resolves to the package.
 * @param given Two cases of `{ tools, sent }`, and the messages. A turn that sends anything but `sent` throws.
 * @returns Milliseconds.
 */
export async function cold(load, { cases: [one, other], messages }) {
  const times = [performance.now()]
  const mark = () => times.push(performance.now())
  const { createToolSearch } = await load()
  mark()
  const first = createToolSearch({ tools: one.tools, ...OPTIONS })
  mark()
  const turn = first.turn(messages)
  mark()
  const second = createToolSearch({ tools: other.tools, ...OPTIONS })
  mark()
  const next = second.turn(messages)
  mark()
  // It makes the index first.
  const hits = first.search(QUERY)
  mark()
  // Not before: the check would warm up what is timed.
  check(turn, one)
  check(next, other)
  if (hits.length === 0) throw new Error(`nothing is found by "${QUERY}"`)
  const spans = ["import", "engine", "turn", "engine2", "turn2", "search"]
  return Object.fromEntries(spans.map((name, at) => [name, times[at + 1] - times[at]]))
}

/** That a turn sends what it should. */
export function check({ tools }, { sent }) {
  const names = tools.map((tool) => tool.function.name)
  if (JSON.stringify(names) !== JSON.stringify(sent)) throw new Error(`a turn sends ${names}, not ${sent}`)
}

/**
 * Engines, one for each list of tools, all alive at once; or none, for what the tools themselves take.
 *
 * @param load Resolves to the package, of which nothing has run yet; or undefined.
 * @param lists Of tools.
 * @returns `kept`, which the caller holds on to, and `wasm`: the bytes of wasm memory after each engine.
 */
export async function held(load, lists) {
  const memories = watched()
  const toolcrib = await load?.()
  const kept = []
  const wasm = []
  for (const tools of lists) {
    const engine = toolcrib?.createToolSearch({ tools, ...OPTIONS })
    if (engine && engine.search(tools[0].name).length === 0) throw new Error(`an engine does not find ${tools[0].name}`)
    kept.push(engine, tools)
    wasm.push(memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0))
  }
  return { kept, wasm }
}

/** The wasm memories from now on: the package does not show its own. */
function watched() {
  const memories = []
  WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
    construct(target, given) {
      const instance = Reflect.construct(target, given)
      memories.push(instance.exports.memory)
      return instance
    },
  })
  return memories
}
