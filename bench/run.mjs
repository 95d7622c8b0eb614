// `npm run bench [-- [--json] [--no-build] [CATALOGUE.jsonl]]`: what toolcrib costs, from JavaScript objects to
// JavaScript results, beside minisearch, orama and a plain scan. `npm run bench -- --formats` runs the cases of
// bench/formats.mjs alone, `npm run bench -- --boundary` the benchmark by which it was chosen what crosses into the wasm
// (bench/boundary), `npm run bench -- --runtimes` the one of cold starts and memory in every runtime (bench/runtimes).
//
// A catalogue is a file of definitions, one JSON object a line; without one the tools are made up (generate.mjs).
// Every case proves its result before it is timed: a wrong one stops the bench. A target that is not reached does not,
// as times are the machine's; it is printed.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { fileURLToPath, pathToFileURL } from "node:url"
import { command, must, Problem, say } from "../scripts/lib/process.mjs"
import { entrySizes } from "../scripts/lib/sizes.mjs"
import { formats, formatTargets } from "./formats.mjs"
import { tools as generate } from "./generate.mjs"
import { compare, heap, quantile, ratio } from "./measure.mjs"
import { transcript } from "./messages.mjs"
import { drawn, labelled, lines } from "./queries.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const SIZES = [100, 1000, 8000]
/**
 * So many of the 48 queries drawn from the tools find theirs among the first five. For the others it says that they are
 * wired rightly, no more: on Chinese, and on thousands of tools that are much alike, orama finds 20.
 */
const LEAST = { toolcrib: 43, others: 16 }

// Catches the memory of the first engine on its way: the package does not show it.
let memory
const { Instance } = WebAssembly
WebAssembly.Instance = function (...given) {
  const instance = new Instance(...given)
  memory ??= instance.exports.memory
  return instance
}

async function bench() {
  const { json, build, boundary, runtimes, formatsAlone, file } = options()
  if (boundary) return import(pathToFileURL(join(root, "bench/boundary/run.mjs"))).then(({ run }) => run({ json }))
  // In a process of its own: what it prints is not ours.
  if (build) await must(process.execPath, [join(root, "scripts/build.mjs")], { cwd: root, doing: "npm run build" })
  if (runtimes) return import(pathToFileURL(join(root, "bench/runtimes/run.mjs"))).then(({ run }) => run({ json }))
  const toolcrib = await import(pathToFileURL(join(root, "pkg/index.js")))
  const catalogue = file && lines(file)
  const result = {
    node: process.version,
    processor: `${cpus()[0]?.model ?? "unknown"} x ${cpus().length}`,
    catalogue: catalogue ? `${basename(dirname(resolve(file)))}/${basename(file)}` : "generated",
    sizes: entrySizes(join(root, "pkg")),
    cases: [],
    found: [],
    targets: [],
  }
  const report = (name, tools, rows) => result.cases.push({ name, tools, rows: related(rows) })
  const thousand = catalogue ? catalogue.slice(0, 1000) : generate(1000)

  if (!formatsAlone) await beside(toolcrib, catalogue, file, result, report, thousand)
  say("formats")
  // Of fewer, a few dozen searches would load all.
  const enough = thousand.length === 1000 ? thousand : generate(1000)
  result.cases.push(...(await formats(toolcrib, enough, drawn(enough))))
  result.targets = [...(formatsAlone ? [] : targets(result)), ...formatTargets(result.cases)]
  if (json) console.log(JSON.stringify(result, null, 2))
  else print(result)
}

/** The cases in which other libraries have a part, and those of a turn in Chat Completions. */
async function beside(toolcrib, catalogue, file, result, report, thousand) {
  const libraries = await import("./libraries.mjs")
  const contenders = [libraries.toolcrib(toolcrib), libraries.minisearch, libraries.orama, libraries.overlap]

  for (const size of SIZES) {
    if (catalogue && catalogue.length < size && size !== SIZES.find((one) => one >= catalogue.length)) continue
    const tools = catalogue ? catalogue.slice(0, size) : generate(size)
    const count = tools.length
    say(`${count} tools`)
    const queries = drawn(tools)
    const real = labelled(file, tools)
    const indexes = contenders.map(({ name, index }) => ({ name, ...index(tools) }))
    for (const { name, search } of indexes) {
      result.found.push(prove(name, search, queries, real, tools))
    }

    // The labelled ones are long, and orama takes most of the time: no more of them than of the others.
    const step = Math.max(1, Math.ceil(real.length / queries.length))
    const asked = [...queries, ...real.filter((_, at) => at % step === 0)].map(({ query }) => query)
    const searches = compare(
      indexes.map(({ name, search }) => ({
        name,
        run() {
          let hits = 0
          for (const query of asked) hits += search(query).length
          return hits
        },
      })),
      count > 2000 ? 5 : 9,
    )
    report("search", count, searches.map((row) => scaled(row, asked.length)))
    for (const { free } of indexes) free?.()

    report(
      "index build",
      count,
      compare(
        contenders.map(({ name, index }) => ({ name, run: () => index(tools), done: ({ free }) => free?.() })),
        count > 2000 ? 7 : 15,
      ),
    )
    report("turn", count, await turns(toolcrib, tools, queries))
    report("one tool changed", count, updates(toolcrib, tools, count > 2000 ? 7 : 15))
  }
  result.memory = memoryOf(contenders, thousand)
  result.start = await start()
}

function options() {
  let parsed
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        boundary: { type: "boolean", default: false },
        runtimes: { type: "boolean", default: false },
        formats: { type: "boolean", default: false },
        "no-build": { type: "boolean", default: false },
      },
    })
  } catch (error) {
    throw new Problem(error.message)
  }
  const { values, positionals } = parsed
  if (positionals.length > 1) throw new Problem("usage: npm run bench -- [--json] [--no-build] [--formats] [--boundary] [--runtimes] [CATALOGUE.jsonl]")
  const { json, boundary, runtimes } = values
  return { json, boundary, runtimes, formatsAlone: values.formats, build: !values["no-build"], file: positionals[0] }
}

/** Each search gives the host's own objects, at most five, and finds what was asked for. */
function prove(name, search, queries, real, tools) {
  const own = new Set(tools)
  const count = (list) => {
    let found = 0
    for (const { query, gold } of list) {
      const hits = search(query)
      assert(Array.isArray(hits) && hits.length <= 5 && hits.every((hit) => own.has(hit)), `${name}: "${query}" gives the host's tools`)
      if (hits.some((tool) => gold.includes(tool.name))) found++
    }
    return found
  }
  const found = count(queries)
  const least = LEAST[name] ?? LEAST.others
  assert(found >= least, `${name} finds ${found} of ${queries.length} tools by their own words, at least ${least} are due`)
  return { tools: tools.length, name, drawn: [found, queries.length], labelled: real.length ? [count(real), real.length] : null }
}

/** A catalogue in which one tool has changed, and a first search: by way of the engine before, and made anew. */
function updates({ createToolSearch }, tools, rounds) {
  const options = { deferred: { above: 0 }, threshold: 0 }
  const engine = createToolSearch({ tools, ...options })
  engine.search("quokka")
  const at = tools.length >> 1
  const next = tools.with(at, { ...tools[at], description: "Feeds a quokka." })
  // As from a server that was asked again.
  const copied = structuredClone(next)
  const cases = [
    { name: "update", given: next, make: () => engine.update(next).search },
    { name: "update, all definitions listed anew", given: copied, make: () => engine.update(copied).search },
    { name: "made anew", given: next, make: () => createToolSearch({ tools: next, ...options }) },
  ]
  const told = (search) => JSON.stringify([search.search("quokka", { explain: true }), search.search("invoice", { explain: true })])
  for (const { given } of cases.slice(0, 2)) {
    const { search, added, removed, changed, unchanged } = engine.update(given)
    assert.deepEqual([added, removed, changed, unchanged], [[], [], [tools[at].name], tools.length - 1])
    const anew = createToolSearch({ tools: given, ...options })
    assert.equal(told(search), told(anew), "the same hits, to the last bit")
    assert.equal(search.search("quokka")[0].tool, given[at])
    for (const each of [search, anew]) each.free()
  }
  const run = (make) => () => {
    const search = make()
    search.search("quokka")
    return search
  }
  const rows = compare(cases.map(({ name, make }) => ({ name, run: run(make), done: (search) => search.free() })), rounds)
  engine.free()
  return rows
}

/** A turn over a long transcript, beside a copy of the same messages by way of JSON. */
async function turns({ createToolSearch }, tools, queries) {
  const engine = createToolSearch({ tools, deferred: { above: 0 }, threshold: 0 })
  const make = (given) =>
    transcript({
      count: 1000,
      searches: 5,
      queries: queries.map(({ query }) => query),
      answer: (assistant, messages) => engine.answer(assistant, messages),
      ...given,
    })
  const kilobyte = await make({ length: 1000 })
  const short = await make({ length: 12 })
  const long = await make({ length: 100_000 })
  const searching = await make({ length: 1000, searches: 200 })

  const before = engine.turn([]).tools
  for (const { messages, loaded, searches } of [kilobyte, short, long, searching]) {
    const turn = engine.turn(messages)
    assert.equal(messages.length, 1000)
    assert(searches >= 5 && loaded.length >= 5, "the searches load tools")
    assert.deepEqual(turn.loaded, loaded, "what the transcript loaded is read back from it, in order")
    const names = (tools) => tools.map((tool) => tool.function.name)
    const expected = [...names(before), ...loaded]
    // Once everything is loaded the search tool goes.
    assert.deepEqual(names(turn.tools), turn.note === null ? expected.filter((name) => name !== "tool_search") : expected, "the search tool and what is loaded are sent")
  }
  const turn = (name, { messages }) => ({ name, run: () => engine.turn(messages) })
  const copy = (name, { messages }) => ({ name, run: () => JSON.parse(JSON.stringify(messages)) })
  const rows = compare(
    [
      turn("turn, texts of 1 kB", kilobyte),
      copy("JSON copy of these", kilobyte),
      turn("turn, texts of 12 bytes", short),
      copy("JSON copy of these", short),
      turn("turn, texts of 100 kB", long),
      turn("turn, 200 searches", searching),
      copy("JSON copy of these", searching),
    ],
    9,
  )
  engine.free()
  return rows
}

/** Rows with how they relate: contenders to the first, a copy to the turn before it, a longer turn to the shorter. */
function related(rows) {
  return rows.map((row, at) => {
    const { name, ms, spread } = row
    let to = rows[0]
    if (name.startsWith("JSON")) to = rows[at - 1]
    else if (name.startsWith("turn") && !name.includes("100 kB")) to = row
    return { name, ms, spread, ...(to === row ? {} : { to: to.name, ...named(ratio(to, row)) }) }
  })
}

const named = ({ ratio, spread }) => ({ ratio, ratioSpread: spread })

const scaled = ({ name, ms, spread, times }, by) => ({ name, ms: ms / by, spread, times: times.map((time) => time / by) })

/** What one index of 1,000 tools keeps, in bytes: JavaScript's heap, and for toolcrib the wasm's memory. */
function memoryOf(contenders, tools) {
  // A wasm memory grows in steps and holds what earlier engines freed, so many engines are made.
  const engines = 20
  return contenders.map(({ name, index }) => {
    const before = [heap(), memory.buffer.byteLength]
    const kept = Array.from({ length: engines }, () => index(tools))
    const js = (heap() - before[0]) / engines
    const wasm = (memory.buffer.byteLength - before[1]) / engines
    for (const { free } of kept) free?.()
    return { name, tools: tools.length, bytes: Math.round(js + wasm) }
  })
}

/** What a program waits for at its first call: the file read and compiled, the wasm unpacked and started; in ms. */
async function start() {
  const times = []
  for (let copy = 0; copy < 7; copy++) {
    const started = performance.now()
    // Under another name the same file is loaded anew.
    const { estimateTokens } = await import(`${pathToFileURL(join(root, "pkg/index.js"))}?${copy}`)
    assert.equal(estimateTokens("four"), 1)
    times.push(performance.now() - started)
  }
  return quantile(times, 0.5)
}

function targets({ cases, sizes }) {
  const row = (name, tools, contender) => cases.find((one) => one.name === name && one.tools === tools)?.rows.find(({ name }) => name === contender)
  const large = cases.filter(({ name, tools }) => name === "search" && tools > 100).map(({ tools }) => tools)
  const made = []
  const add = (name, value, target, ok, unit) => made.push({ name, value, target, unit, ok })
  for (const tools of large) {
    const { ratio } = row("search", tools, "minisearch")
    add(`search, ${thousands(tools)} tools, minisearch's time by ours`, ratio, 10, ratio >= 10, "at least")
  }
  for (const tools of large) {
    const { ratio } = row("index build", tools, "minisearch")
    add(`index build, ${thousands(tools)} tools, minisearch's time by ours`, ratio, 4, ratio >= 4, "at least")
  }
  for (const { tools, rows } of cases.filter(({ name }) => name === "turn")) {
    const copy = rows[1].ratio
    add(`turn over 1,000 messages, ${thousands(tools)} tools, the JSON copy's time by ours`, copy, 5, copy >= 5, "at least")
    const growth = rows.find(({ name }) => name.includes("100 kB")).ratio
    // Equal but for noise and for caches that 100 MB of messages have emptied.
    add(`turn with texts 100 times as long, ${thousands(tools)} tools, times the turn`, growth, 1.5, growth <= 1.5, "at most")
  }
  const { gzip } = sizes.toolcrib
  add("default entry, gzip, kB", gzip / 1000, 150, gzip <= 150_000, "at most")
  return made
}

const thousands = (number) => number.toLocaleString("en-US")

function time(ms) {
  const [value, unit] = ms >= 1 ? [ms, "ms"] : [ms * 1000, "us"]
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${unit}`
}

function print({ node, processor, catalogue, sizes, cases, found, memory, start, targets }) {
  const line = (...cells) => console.log(cells.join("").trimEnd())
  line(`toolcrib bench: ${catalogue} tools, Node ${node}, ${processor}`)
  line("median, and half the distance between the quartiles; ratios are taken round by round")
  for (const { name, tools, rows } of cases) {
    line()
    line(`${name}, ${thousands(tools)} tools`)
    for (const { name: contender, ms, spread, to, ratio, ratioSpread } of rows) {
      const much = ratio === undefined ? "" : compared(name, to, ratio, ratioSpread)
      line(`  ${contender.padEnd(26)}${time(ms).padStart(10)} ±${(spread * 100).toFixed(0).padStart(2)} %   ${much}`)
    }
    if (name === "search") {
      const all = found.filter((one) => one.tools === tools)
      const text = ({ name, drawn, labelled }) => `${name} ${drawn.join("/")}${labelled ? ` and ${labelled.join("/")}` : ""}`
      line(`  found among five, drawn${all[0].labelled ? " and labelled" : ""} queries: ${all.map(text).join(", ")}`)
    }
  }
  if (memory) {
    line()
    line(`memory of one index of ${thousands(memory[0].tools)} tools: ${memory.map(({ name, bytes }) => `${name} ${(bytes / 1e6).toFixed(1)} MB`).join(", ")}`)
    line(`import and first call: ${time(start)}`)
  }
  line()
  line(`${"".padEnd(24)}${["raw", "gzip -9", "brotli 11"].map((word) => word.padStart(11)).join("")}`)
  for (const [name, { raw, gzip, brotli }] of Object.entries(sizes)) {
    line(name.padEnd(24), ...[raw, gzip, brotli].map((bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(11)))
  }
  line()
  line("targets")
  for (const { name, value, target, unit, ok } of targets) {
    line(`  ${(ok ? "ok" : "NOT REACHED").padEnd(13)}${name}: ${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} (${unit} ${target})`)
  }
}

function compared(name, to, ratio, spread) {
  const much = `${ratio < 10 ? ratio.toFixed(1) : ratio.toFixed(0)}x ±${(spread * 100).toFixed(0)} %`
  if (/^(turn|answer|update|made)\b/.test(name)) return `${much} the time of "${to}"`
  return ratio >= 1 ? `${name}: toolcrib is ${much} faster` : `${name}: toolcrib is ${(1 / ratio).toFixed(1)}x slower`
}

await command(bench)
