// What becomes of engines that their host never frees: the collector finds them, or they pile up.
//
// No import and nothing of any one runtime, like ../../conform.mjs.

/** Engines to forget: more than three times what any collector leaves lying, which is some 1,300 in Deno. */
const ROUNDS = 4_500
/** Of what all would take. Collectors leave up to 0.3; where indexes alone leak, two fifths of an engine, it is 0.57. */
const SHARE = 0.42

/**
 * Makes engines, forgets them, and throws where the wasm memory grows as if nobody had ever collected one.
 *
 * @param toolcrib The package, of which nothing may have run yet: its memory is seen when the instance is made.
 * @param options `rounds`; `pause()` resolves after a turn of the event loop, in which a collector may work.
 * @returns In bytes: `each` engine's share of the memory, and what all have come to take, `grown`.
 */
export async function forgotten(toolcrib, { rounds = ROUNDS, pause = turn } = {}) {
  const memories = []
  const { Instance } = WebAssembly
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, given) {
      const instance = Reflect.construct(target, given)
      memories.push(instance.exports.memory)
      return instance
    },
  })
  const bytes = () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
  // With its index, which is a thing of its own to collect and is made by the first search.
  const make = () => {
    const engine = toolcrib.createToolSearch({ tools: TOOLS, threshold: 0 })
    if (engine.search("number 7").length === 0) throw new Error("an engine finds nothing")
    return engine
  }

  try {
    make().free()
    if (memories.length !== 1) throw new Error(`${memories.length} instances where the first engine makes one`)
    // What one takes is told by some that are kept. What they leave is used again.
    const kept = Array.from({ length: 20 }, make)
    const idle = bytes()
    kept.push(...Array.from({ length: 20 }, make))
    const each = (bytes() - idle) / 20
    for (const engine of kept) engine.free()

    const before = bytes()
    for (let round = 0; round < rounds; round++) {
      make()
      await pause()
    }
    const grown = bytes() - before
    const all = each * rounds
    if (grown > all * SHARE) {
      throw new Error(`${rounds} engines forgotten: ${mib(grown)} more, of ${mib(all)} if none is collected`)
    }
    return { each, grown }
  } finally {
    WebAssembly.Instance = Instance
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve))
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const TOOLS = Array.from({ length: 100 }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does what is said of number ${at}. `.repeat(8),
  inputSchema: {
    type: "object",
    properties: { [`input_${at}`]: { type: "string", description: `The text that number ${at} works on` } },
  },
  deferLoading: true,
}))
