// `npm run bench -- --boundary` or `node bench/boundary/run.mjs [--json]`: times the ways in which values could cross
// between JavaScript and the engine. Every way of a job is proven to give the same before any is timed.

import assert from "node:assert/strict"
import { copyFileSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bind } from "../../scripts/lib/engine.mjs"
import { command, isCommand, Problem, run as start } from "../../scripts/lib/process.mjs"
import { mending, toolchain } from "../../scripts/lib/toolchain.mjs"
import { tools as generate } from "../generate.mjs"
import { compare, ratio } from "../measure.mjs"
import { transcript } from "../messages.mjs"
import { sketch } from "./variants.js"

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
const ROUNDS = 15

/** Times everything and prints it. */
export async function run({ json = false } = {}) {
  const plain = await load("plain", [])
  const interning = await load("interning", ["--features", "interning"])
  interning.internKeys()

  const jobs = [
    tools(plain, 500),
    tools(plain, 8000),
    await messages(plain, { count: 200, searches: 3 }),
    await messages(plain, { count: 1000, searches: 5 }),
    await messages(plain, { count: 1000, searches: 200 }),
    hits(plain),
    plan(plain),
    keys(plain, interning),
  ]
  const results = jobs.map(({ job, ways }) => {
    const [first, ...rest] = ways
    for (const { name, run } of rest) assert.deepEqual(run(), first.run(), `${job}: "${name}" gives what "${first.name}" gives`)
    const rows = compare(ways, ROUNDS)
    return {
      job,
      ways: rows.map((row) => ({ name: row.name, ms: row.ms, spread: row.spread, ...named(ratio(rows[0], row)) })),
    }
  })
  if (json) return console.log(JSON.stringify({ node: process.version, jobs: results }, null, 2))
  for (const { job, ways } of results) {
    console.log(`\n${job}`)
    for (const { name, ms, spread, times, timesSpread } of ways) {
      const time = ms >= 1 ? `${ms.toFixed(2)} ms` : `${(ms * 1000).toFixed(2)} us`
      const much = `${times.toFixed(2)}x ±${(timesSpread * 100).toFixed(0)} %`
      console.log(`  ${name.padEnd(52)}${time.padStart(11)} ±${(spread * 100).toFixed(0).padStart(2)} %  ${much.padStart(12)}`)
    }
  }
}

const named = ({ ratio, spread }) => ({ times: ratio, timesSpread: spread })

/** Compiles the crate beside this file, has the package's builder make its glue, and starts it. */
async function load(name, features) {
  await toolchain(root)
  const target = join(root, "target", "boundary", name)
  const args = ["build", "--release", "--target", "wasm32-unknown-unknown", ...features]
  // The versions of the engine, whatever they are by then; cargo drops those that are not needed here.
  copyFileSync(join(root, "Cargo.lock"), join(here, "Cargo.lock"))
  const { code, output } = await start("cargo", args, {
    cwd: here,
    env: { CARGO_TARGET_DIR: target },
    doing: `compiling the variants (${name})`,
  })
  if (code !== 0) throw new Problem(mending(output) ?? `failed in bench/boundary: cargo ${args.join(" ")}`, output)
  const out = join(root, ".cache", "boundary", name)
  const wasm = join(target, "wasm32-unknown-unknown", "release", "toolcrib_boundary.wasm")
  await bind(root, { wasm, target: join(root, "target"), paths: [] }, out)

  const glue = await import(pathToFileURL(join(out, "toolcrib_bg.js")))
  const module = new WebAssembly.Module(readFileSync(join(out, "toolcrib_bg.wasm")))
  const { exports } = new WebAssembly.Instance(module, { "./toolcrib_bg.js": glue })
  glue.__wbg_set_wasm(exports)
  exports.__wbindgen_start()
  return glue
}

function tools(glue, count) {
  const tools = generate(count)
  const utf8 = new TextEncoder()
  const lines = (values) => values.map((value) => JSON.stringify(value)).join("\n")
  const schemas = () => utf8.encode(lines(tools.map(({ inputSchema }) => inputSchema)))
  return {
    job: `tool definitions, ${count} of them (${(JSON.stringify(tools).length / 1000).toFixed(0)} kB of JSON)`,
    ways: [
      {
        name: "the engine: read where they lie, schemas as JSON",
        run() {
          const reading = new glue.Reading(tools)
          reading.columns()
          return reading.finish(schemas())
        },
      },
      { name: "the objects whole, serde-wasm-bindgen", run: () => glue.toolsBySerde(tools) },
      { name: "js-sys Reflect", run: () => glue.toolsByReflect(tools) },
      { name: "JSON, a text for each", run: () => glue.toolsByTexts(tools.map((tool) => JSON.stringify(tool))) },
      { name: "JSON, one text", run: () => glue.toolsByText(lines(tools)) },
      { name: "JSON, one text as bytes", run: () => glue.toolsByLines(utf8.encode(lines(tools))) },
      {
        name: "a sketch of each as JSON, schemas as JSON",
        run: () => glue.toolsBySketch(utf8.encode(lines(tools.map((tool) => sketch(tool)))), schemas()),
      },
    ],
  }
}

async function messages(glue, { count, searches }) {
  const found = ["github__create_issue", "github__list_issues", "linear__create_ticket", "jira__get_ticket", "gitlab__create_issue"]
  const answer = ({ tool_calls }) => ({
    parts: tool_calls.map(({ id, function: { arguments: args } }) => ({
      role: "tool",
      tool_call_id: id,
      content: JSON.stringify({
        loaded: found.map((name) => ({ name: `${name}_${JSON.parse(args).query}`, description: "Creates an issue. ".repeat(15) })),
        more: 280,
        note: "These tools can be called from now on.",
      }),
    })),
    loaded: [],
  })
  const queries = Array.from({ length: 40 }, (_, at) => `q${at}`)
  const { messages } = await transcript({ count, length: 1000, searches, queries, answer })
  // The turns that call the search tool, each with what follows up to the next.
  const excerpt = () => {
    const chosen = []
    for (let turn = 0; turn < messages.length; turn++) {
      if (!messages[turn].tool_calls?.some((call) => call.function?.name === "tool_search")) continue
      let at = turn
      do chosen.push(messages[at])
      while (++at < messages.length && messages[at].role !== "assistant")
    }
    return JSON.stringify(chosen)
  }
  return {
    job: `messages, ${count} of them (1 kB each) with ${searches} searches`,
    ways: [
      { name: "the engine: a sieve in JavaScript, then where they lie", run: () => glue.messagesByEngine(messages) },
      { name: "JSON", run: () => glue.messagesByText(JSON.stringify(messages)) },
      { name: "the objects whole, serde-wasm-bindgen", run: () => glue.messagesBySerde(messages) },
      { name: "js-sys Reflect, message by message", run: () => glue.messagesByReflect(messages) },
      { name: "a sieve in JavaScript, then JSON of what it lets through", run: () => glue.messagesByText(excerpt()) },
    ],
  }
}

function hits(glue) {
  return {
    job: "five hits out of the engine",
    ways: [
      { name: "serde-wasm-bindgen", run: () => glue.hitsBySerde() },
      { name: "JSON text, JSON.parse", run: () => JSON.parse(glue.hitsByText()) },
      { name: "js-sys Reflect", run: () => glue.hitsByReflect() },
      { name: "numbers in one array, words in one text", run: () => expanded(glue.hitsByNumbers(), glue.hitWords().split("\n")) },
    ],
  }
}

const FIELDS = ["name", "summary", "parameter text"]

/** Hits from numbers: see `hits_by_numbers` in src/results.rs. */
function expanded(numbers, words) {
  const hits = []
  for (let at = 0; at < numbers.length; ) {
    const index = numbers[at++]
    const score = numbers[at++]
    const exact = numbers[at++] === 1
    const terms = []
    for (let left = numbers[at++]; left > 0; left--) {
      const term = words[numbers[at++]]
      const bits = numbers[at++]
      terms.push({ term, fields: FIELDS.filter((_, bit) => (bits >> bit) & 1) })
    }
    hits.push({ index, name: NAMES[index / 31], score, exact, terms })
  }
  return hits
}

// The host's own, which the engine need not send back.
const NAMES = Array.from({ length: 5 }, (_, index) => `github__create_issue_${index}`)

function plan(glue) {
  return {
    job: "a plan of 300 tools out of the engine",
    ways: [
      { name: "serde-wasm-bindgen", run: () => glue.planBySerde() },
      { name: "JSON text, JSON.parse", run: () => JSON.parse(glue.planByText()) },
    ],
  }
}

function keys(plain, interning) {
  const tools = generate(1000)
  return {
    job: "12 properties of each of 1,000 definitions",
    ways: [
      { name: "the name as a text each time", run: () => plain.keysByText(tools) },
      { name: "the name interned (wasm-bindgen's enable-interning)", run: () => interning.keysByText(tools) },
      { name: "the name as a JsValue that is kept", run: () => plain.keysByValue(tools) },
      { name: "a number for the name", run: () => plain.keysByNumber(tools) },
      { name: "all in one array", run: () => plain.keysByArray(tools) },
      { name: "which there are, then those", run: () => plain.keysByMask(tools) },
    ],
  }
}

if (isCommand(import.meta.url)) await command(() => run({ json: process.argv.includes("--json") }))
