// The tables of a run, for a person, and the targets.

const MB = 1e6
const WIDTH = 50
/** In ms, what a first turn in a Worker may take. */
const TURN = 20
/** In bytes, what Cloudflare gives an isolate. */
const ISOLATE = 128 * 2 ** 20

const line = (...cells) => console.log(cells.join("").trimEnd())
const cell = (text) => text.padStart(14)
const number = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1))
const ms = (time) => cell(time ? `${number(time.median)} ±${number(time.spread)}` : "-")
const mb = (bytes) => cell(bytes ? (bytes.median / MB).toFixed(2) : "-")

const label = (name, version) => `  ${name} (${version})`.padEnd(WIDTH)

/** Whether the targets are reached, each with the value that says so. */
export function targets(worker) {
  if (!worker) return []
  const { cpu, memory } = worker
  const made = []
  const add = (name, value, target, unit) =>
    made.push({ name: `Worker, ${name}`, value, target, unit, ok: value <= target })
  const turn = (name, used) => {
    if (!used.main) return
    add(`${name}, CPU of the thread that answers above the empty Worker's`, used.main.median, TURN, "ms")
    add(`${name}, with V8's background threads`, used.main.median + used.others.median, TURN, "ms")
  }
  turn("first turn of an engine of 500 tools made at module scope", cpu.scopeTurn)
  turn("first request, which makes an engine of 500 tools and answers a turn", cpu.both)
  add("ten engines of 1,000 tools, the tools and the Worker", memory.all.median / 2 ** 20, ISOLATE / 2 ** 20, "MiB")
  return made
}

export function print({ processor, rounds, skipped, places, worker, targets }) {
  line(`toolcrib bench, runtimes: ${processor}, ${rounds} rounds of fresh processes, one after the other`)
  line("medians, and half the distance between the quartiles")
  line()
  const head = ["import", "first engine", "first turn", "second engine", "its turn", "first search", "process above", "empty process"]
  line("cold start, 500 tools, ms".padEnd(WIDTH), ...head.map(cell))
  for (const { name, version, times, process, empty } of places) {
    const { import: load, engine, turn, engine2, turn2, search } = times
    line(label(name, version), ...[load, engine, turn, engine2, turn2, search, process.ms, empty.ms].map(ms))
  }
  for (const { name, why } of skipped) line(`  ${name}: skipped, ${why}`)
  line()
  line("CPU of the process, ms".padEnd(WIDTH), ...["first thread", "others", "empty: first", "others"].map(cell))
  for (const { name, version, process: { cpu: above }, empty: { cpu: empty } } of places) {
    if (empty.main) line(label(name, version), ...[above.main, above.others, empty.main, empty.others].map(ms))
  }
  line("  all of the above, without what the empty program takes; the first thread runs JavaScript and wasm")
  line()
  line("memory, MB".padEnd(WIDTH), ...["wasm, first", "wasm, each", "heap, each", "process, each"].map(cell))
  for (const { name, version, memory: { first, wasm, heap, rss } } of places) {
    line(label(name, version), ...[first, wasm, heap, rss].map(mb))
  }
  line("  each of ten engines of 1,000 tools that live at once, above the tools themselves")
  if (worker) printWorker(worker)
  line()
  line("targets")
  for (const { name, value, target, unit, ok } of targets) {
    line(`  ${(ok ? "ok" : "NOT REACHED").padEnd(13)}${name}: ${value.toFixed(1)} ${unit} (at most ${target})`)
  }
  if (!worker) line("  none: no workerd")
}

function printWorker({ version, cpu, memory, engines }) {
  line()
  line(`workerd ${version}, CPU, ms`.padEnd(60), cell("answers"), cell("background"))
  const row = (name, { main, others }) => line(`  ${name}`.padEnd(60), ms(main), ms(others))
  row("start of an empty Worker", cpu.empty.start)
  row("its first request", cpu.empty.first)
  row("its second request", cpu.empty.second)
  line("  above those:")
  row("start of one that imports toolcrib", cpu.lazyStart)
  row("  its first request: an engine of 500 tools and a turn", cpu.both)
  row("start of one with an engine of 500 tools at module scope", cpu.scopeStart)
  row("  its first request: a turn", cpu.scopeTurn)
  line("  one request for each step:")
  const { instance, engine, turn, engine2, turn2, search } = cpu.steps
  row("the instance", instance)
  row("an engine of 500 tools", engine)
  row("a turn", turn)
  row("a second engine of 500 tools", engine2)
  row("its turn", turn2)
  row("the first search, which makes the index of 500 tools", search)
  line()
  const { all, empty, wasm, first, heap, buffers, rss } = memory
  const size = (bytes) => `${(bytes.median / 2 ** 20).toFixed(1)} MiB`
  line(`workerd ${version}, memory of ${engines} engines of 1,000 tools, alive at once`)
  line(`  ${size(all)} with the tools and the empty Worker, which are ${size(empty)}`)
  line(`  wasm ${size(wasm)} (${size(first)} with one engine), JavaScript ${size(heap)}, buffers ${size(buffers)}`)
  if (rss) line(`  the process has grown by ${size(rss)}`)
  const one = (all.median - empty.median) / engines
  const fit = Math.floor((ISOLATE - empty.median) / one)
  line(`  one takes ${(one / 2 ** 20).toFixed(1)} MiB; ${fit} fit beside these ${engines} catalogues in 128 MiB`)
}
