// Starts real MCP servers, puts toolcrib in front of their tools and plays a run. `npm run demo` comes here after
// the build and the install.

import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { makeAgent, run, totals } from "./agent.mjs"
import { options } from "./options.mjs"
import { printer, wantsColour } from "./print.mjs"
import { progress } from "./progress.mjs"
import { realModel } from "./real-model.mjs"
import { PROMPT, RESIDENT, TASK, check } from "./scenario.mjs"
import { scriptedModel } from "./scripted-model.mjs"
import { brokenServer, closeServers, demoServers, startServers } from "./servers.mjs"

const flags = options()

// The real path, because the file server resolves links before it compares.
const folder = await realpath(await mkdtemp(join(tmpdir(), "toolcrib-demo-")))
let stopping = false
async function stop(code) {
  if (stopping) return
  stopping = true
  await closeServers()
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  // Where a pipe is written in the background, leaving now would cut the output.
  await new Promise((done) => process.stdout.write("", done))
  process.exit(code)
}
for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
]) {
  process.on(signal, () => (stopping ? process.exit(128 + number) : stop(128 + number)))
}
// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", () => stop(0))

try {
  await stop((await demo()) ? 0 : 1)
} catch (error) {
  if (!stopping) process.stderr.write(`demo: ${error.message}\n`)
  await stop(1)
}

async function demo() {
  const write = (text) => flags.json || stopping || process.stdout.write(text)
  const print = printer(write, wantsColour(process.stdout, process.env))
  const real = process.env.OPENAI_API_KEY && !flags.scripted ? realModel(process.env) : null
  const began = Date.now()
  const seconds = (from, to = Date.now()) => Number(((to - from) / 1000).toFixed(1))

  const paths = { files: join(folder, "files"), memory: join(folder, "memory.jsonl"), home: join(folder, "home") }
  await Promise.all([mkdir(paths.files), mkdir(paths.home)])
  const specs = [...demoServers(paths), ...(flags.broken ? [brokenServer] : [])]
  print.title(real ? real.model : "a scripted model (no key, no network)")
  const starting = progress("Starting MCP servers")
  const { running, failed } = await startServers(specs, {
    home: paths.home,
    onProgress: (done, all) => starting.note(`${done} of ${all}`),
  }).finally(() => starting.done())
  const up = Date.now()
  print.servers({ running, failed, seconds: seconds(began, up) })

  const agent = makeAgent(running, RESIDENT)
  print.deferral(agent.search.deferral, RESIDENT, agent.search.warnings)
  print.task(TASK)

  const records = []
  const answer = await run({
    agent,
    ask: real ? waiting(real) : async (request) => scriptedModel(request),
    prompt: PROMPT,
    task: TASK,
    onRequest: (record) => {
      records.push(record)
      print.request(record)
    },
  }).catch((error) => {
    const missing = failed.map(({ name }) => name).join(", ")
    const hint = missing && ` (not running: ${missing})`
    throw new Error(real ? error.message : `the scripted model gave up: ${error.message}${hint}`)
  })
  const ended = Date.now()

  const checks = await check({ ...paths, answer: answer ?? "" })
  if (answer === null) checks.push({ what: `the model was done after ${records.length} requests`, ok: false })
  const sums = totals(records)
  const time = { servers: seconds(began, up), run: seconds(up, ended), all: seconds(began) }
  print.totals(sums, checks, time)
  if (flags.json) {
    const document = {
      model: real ? real.model : "scripted",
      servers: [
        ...running.map(({ name, package: source, version, tools }) => ({
          name,
          package: source,
          version,
          tools: tools.length,
        })),
        ...failed.map(({ name, package: source, failure }) => ({ name, package: source, failure })),
      ],
      catalogue: { tools: agent.tools.length, resident: RESIDENT, deferral: agent.search.deferral },
      requests: records,
      totals: sums,
      checks,
      // Everything above is the same on every machine for the scripted model; these are not.
      seconds: time,
    }
    // The temporary folder has another name in every run.
    const name = JSON.stringify(folder).slice(1, -1)
    process.stdout.write(`${JSON.stringify(document, null, 2).replaceAll(name, "<temporary>")}\n`)
  }
  return checks.every(({ ok }) => ok)
}

function waiting({ ask, model }) {
  return async (request) => {
    const asking = progress(`Waiting for ${model}`)
    try {
      return await ask(request)
    } finally {
      asking.done()
    }
  }
}
