// `npm run bench -- --runtimes [--json] [--no-build]`: cold start and memory of the packed package in every runtime
// that tests/hosts installs. README.md says what is measured.

import { readFileSync, rmSync } from "node:fs"
import { cpus } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { install } from "../../scripts/lib/install.mjs"
import { Problem, say } from "../../scripts/lib/process.mjs"
import { installed, lab, Skip } from "../../tests/hosts/lab.mjs"
import { tools as generate } from "../generate.mjs"
import { quantile } from "../measure.mjs"
import { transcript } from "../messages.mjs"
import { places, done } from "./places.mjs"
import { print, targets } from "./print.mjs"
import { cpu, resident, spent } from "./proc.mjs"
import { OPTIONS } from "./program.mjs"
import * as worker from "./worker.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
const ROUNDS = 9
/** Sizes hardly vary. */
const MEMORY_ROUNDS = 3
const ENGINES = 10

export async function run({ json = false } = {}) {
  const { folder, pkg } = await installed()
  const { createToolSearch } = await import(pathToFileURL(join(pkg, "pkg", "index.js")))
  const given = await cases(createToolSearch)
  const skipped = []
  const ready = []
  try {
    for (const place of [...places, worker.place]) {
      try {
        ready.push(await prepared(place, pkg, given))
      } catch (error) {
        if (!(error instanceof Problem || error instanceof Skip)) throw error
        skipped.push({ name: place.name, why: error.message })
      }
    }
    await rounds(ready)
  } finally {
    await done()
    for (const made of [folder, ...ready.map(({ lab }) => lab.folder)]) rmSync(made, { recursive: true, force: true })
  }
  const workerd = ready.find((place) => place.isWorker)
  const result = {
    processor: `${cpus()[0]?.model ?? "unknown"} x ${cpus().length}`,
    rounds: ROUNDS,
    skipped,
    places: ready.filter((place) => !place.isWorker).map(row),
    worker: workerd ? workerRow(workerd) : null,
  }
  result.targets = targets(result.worker)
  if (json) console.log(JSON.stringify(result, null, 2))
  else print(result)
}

/** A place with what it runs, in a folder of its own; its group is installed by whoever comes first. */
async function prepared(place, pkg, given) {
  const group = join(root, "tests", "hosts", place.group)
  if (!groups.has(group)) groups.set(group, install(group, `tests/hosts/${place.group}/package.json`))
  await groups.get(group)
  const made = lab(group, `bench-${place.id}`, pkg, [])
  made.write({
    "given.mjs": `export default JSON.parse(${JSON.stringify(JSON.stringify(given))})\n`,
    "program.mjs": readFileSync(join(here, "program.mjs"), "utf8"),
    "generate.mjs": readFileSync(join(root, "bench", "generate.mjs"), "utf8"),
  })
  return { ...place, lab: made, samples: [], version: await place.version(made) }
}

const groups = new Map()

/** Two catalogues of 500 tools, a conversation that has searched, and what a turn over it sends. */
async function cases(createToolSearch) {
  const lists = [generate(500), generate(500, 7)]
  const engines = lists.map((tools) => createToolSearch({ tools, ...OPTIONS }))
  const queries = ["list open invoices of a customer", "create a calendar event"]
  const answer = (assistant, messages) => engines[0].answer(assistant, messages)
  const { messages, loaded } = await transcript({ count: 20, length: 300, searches: 2, queries, answer })
  const sent = engines.map((engine) => engine.turn(messages).tools.map((tool) => tool.function.name))
  // The tools that the searches loaded, and the search tool.
  if (loaded.length < 5 || sent[0].length !== loaded.length + 1) throw new Error(`the searches load ${loaded}`)
  return { cases: lists.map((tools, at) => ({ tools, sent: sent[at] })), messages }
}

/** Every round runs everything once; the first is thrown away, as it fills the disk's caches. */
async function rounds(ready) {
  for (let round = 0; round <= ROUNDS; round++) {
    say(`round ${round} of ${ROUNDS}`)
    for (const place of ready) {
      const sample = place.isWorker ? await workerSample(place, round) : await placeSample(place, round)
      if (round > 0) place.samples.push(sample)
    }
  }
}

async function placeSample(place, round) {
  const { load, heap, first = "", lab } = place
  const imports = `${first}
import { cold, held } from "./program.mjs"
import { tools } from "./generate.mjs"
import given from "./given.mjs"`
  const at = async (text) => {
    const { ms, given, pid, end } = await place.start(lab, `${imports}\n${text}`)
    const sample = { ms, given, cpu: pid && cpu(pid), rss: pid && resident(pid) }
    end()
    return sample
  }
  const sample = { empty: await at("give(given.cases.length)"), cold: await at(`give(await cold(${load}, given))`) }
  if (round > MEMORY_ROUNDS) return sample
  const hold = (load) => `
const lists = Array.from({ length: ${ENGINES} }, (_, seed) => JSON.parse(JSON.stringify(tools(1000, seed))))
globalThis.all = await held(${load}, lists)
give({ wasm: all.wasm, heap: (${heap})() })`
  return { ...sample, memory: { empty: await at(hold("undefined")), engines: await at(hold(load)) } }
}

async function workerSample({ lab }, round) {
  const sample = {}
  for (const name of worker.names) sample[name] = await worker.cold(lab, name)
  if (round <= MEMORY_ROUNDS) {
    sample.memory = { empty: await worker.memory(lab, "empty"), engines: await worker.memory(lab, "engines") }
  }
  return sample
}

/** The median of what `of` says of the samples, and how far they spread; null where it says nothing. */
function median(samples, of) {
  const values = samples.map(of).filter((value) => Number.isFinite(value))
  if (values.length === 0) return null
  // Half the distance between the quartiles, absolute: a difference near nothing has no meaningful share.
  return { median: quantile(values, 0.5), spread: (quantile(values, 0.75) - quantile(values, 0.25)) / 2 }
}

function byThread(samples, of) {
  const used = (thread) => median(samples, (sample) => of(sample)?.[thread] ?? NaN)
  return { main: used("main"), others: used("others") }
}

function row({ id, name, version, samples }) {
  const times = (key) => median(samples, ({ cold }) => cold.given[key])
  const held = samples.flatMap(({ memory }) => memory ?? [])
  const grown = (of) => ({ empty, engines }) => (of(engines) === null ? NaN : (of(engines) - of(empty)) / ENGINES)
  const above = (of) => median(held, grown(of))
  return {
    id,
    name,
    version,
    times: Object.fromEntries(["import", "engine", "turn", "engine2", "turn2", "search"].map((key) => [key, times(key)])),
    // A difference of the same round, as both then ran on an equally busy machine.
    process: {
      ms: median(samples, ({ cold, empty }) => cold.ms - empty.ms),
      cpu: byThread(samples, ({ cold, empty }) => spent(cold.cpu, empty.cpu)),
    },
    empty: { ms: median(samples, ({ empty }) => empty.ms), cpu: byThread(samples, ({ empty }) => empty.cpu) },
    memory: {
      first: median(held, ({ engines }) => engines.given.wasm[0]),
      wasm: median(held, ({ engines }) => engines.given.wasm.at(-1) / ENGINES),
      heap: above(({ given }) => given.heap),
      rss: above(({ rss }) => rss),
    },
  }
}

function workerRow({ version, samples }) {
  const each = (of) => byThread(samples, of)
  const request = (name, path, at = 0) => ({ [name]: sample }) => sample.requests.filter((one) => one.path === path)[at]
  const above = (of, base) => each((sample) => spent(of(sample), base(sample)))
  const first = request("empty", "empty")
  const second = request("empty", "empty", 1)
  const steps = ["instance", "engine", "turn", "engine2", "turn2", "search"]
  const held = samples.flatMap(({ memory }) => memory ?? [])
  const all = ({ wasm, heap }) => wasm.at(-1) + heap.used + heap.buffers
  const bytes = (of) => median(held, of)
  return {
    version,
    engines: ENGINES,
    cpu: {
      empty: { start: each(({ empty }) => empty.start), first: each(first), second: each(second) },
      lazyStart: above(({ request }) => request.start, ({ empty }) => empty.start),
      both: above(request("request", "both"), first),
      scopeStart: above(({ scope }) => scope.start, ({ empty }) => empty.start),
      scopeTurn: above(request("scope", "turn"), first),
      steps: Object.fromEntries(steps.map((name) => [name, above(request("steps", name), second)])),
    },
    memory: {
      all: bytes(({ engines }) => all(engines)),
      empty: bytes(({ empty }) => all(empty)),
      wasm: bytes(({ engines }) => engines.wasm.at(-1)),
      first: bytes(({ engines }) => engines.wasm[0]),
      heap: bytes(({ engines, empty }) => engines.heap.used - empty.heap.used),
      buffers: bytes(({ engines, empty }) => engines.heap.buffers - empty.heap.buffers),
      rss: bytes(({ engines, empty }) => engines.rss - empty.rss),
    },
  }
}
