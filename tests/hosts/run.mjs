// `node tests/hosts/run.mjs [--only ID,ID...]`: the packed package in every place where JavaScript runs, held to the
// bytes of the native engine. Prints the matrix that the README shows and leaves it in .cache/hosts/matrix.json.
//
// A host is an object in the `hosts.mjs` of a folder here; a folder has a package.json and a lock of its own.
//   id       its name on the command line
//   where    the runtime or tool, as the README's table says it; `version` (a function of the lab, perhaps async) is
//            added
//   how      what of the package it uses, as the table says it
//   refuses  for a place that can't work: the code of the error that says so
//   alone    true for one that needs the whole machine
//   run(lab) resolves to the text of `conformance()`; where it refuses, to `{ code, message }` of the error.
//            Throws a Skip where this machine can't run it.
// What hosts of a folder share, such as a browser, ends in the function `done` that its `hosts.mjs` may export.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { install } from "../../scripts/lib/install.mjs"
import { command, isCommand, Problem, say, seconds } from "../../scripts/lib/process.mjs"
import { difference } from "../conform.mjs"
import { start } from "../native.mjs"
import { installed, lab, Skip } from "./lab.mjs"
import { staleLine } from "./table.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
/** Two cores, and most of a host's time is spent starting. */
const JOBS = 2

/**
 * The groups by name: `[{ name, folder, hosts, done }]`. Their packages are installed first, as hosts import them; where
 * `only` names nothing but groups, only theirs.
 */
export async function groups(only) {
  const all = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const found = []
  for (const name of only?.every((each) => all.includes(each)) ? only : all.sort()) {
    const folder = join(here, name)
    await install(folder, `tests/hosts/${name}/package.json`)
    const { default: hosts, done } = await import(pathToFileURL(join(folder, "hosts.mjs")))
    found.push({ name, folder, hosts, done })
  }
  return found
}

function readVectors() {
  const folder = join(root, "tests", "vectors")
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"))
  if (names.length === 0) throw new Problem("no vectors in tests/vectors")
  return names.sort().flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
}

/** What the native engine gives, in the words of `conformance()`. What only the face does stands in the vector. */
async function expected(vectors) {
  const native = start()
  const lines = await Promise.all(
    vectors.map(async (vector) => {
      if (vector.face === "js") return { id: vector.id, gives: vector.steps.map(({ gives }) => gives) }
      return native.run(vector)
    }),
  )
  await native.close()
  return lines.map((line) => JSON.stringify(line)).join("\n")
}

/** Where two texts of `conformance()` first differ, for a person. */
function unlike(want, got) {
  if (typeof got !== "string") return `gave no text but ${JSON.stringify(got)?.slice(0, 300)}`
  const [wanted, given] = [want.split("\n"), got.split("\n")]
  const at = wanted.findIndex((line, index) => line !== given[index])
  if (at < 0) return `${given.length} lines where ${wanted.length} are due`
  try {
    const [one, other] = [JSON.parse(wanted[at]), JSON.parse(given[at])]
    return `vector ${one.id}: ${difference(one, other, "it") ?? "the same values in other bytes"}`
  } catch {
    return `line ${at + 1} is ${JSON.stringify(given[at])?.slice(0, 300)}`
  }
}

async function perform(host, group, pkg, vectors, want) {
  const started = performance.now()
  const row = { id: host.id, group: group.name, where: host.where, how: host.how, refuses: host.refuses }
  let place
  try {
    place = lab(group.folder, host.id, pkg, vectors)
    row.version = await host.version?.(place)
    const got = await host.run(place)
    if (host.refuses) {
      if (got?.code !== host.refuses) throw new Problem(`should refuse with ${host.refuses}, gave ${JSON.stringify(got)?.slice(0, 300)}`)
      row.message = got.message
    } else if (got !== want) {
      throw new Problem(unlike(want, got))
    }
    row.outcome = "ok"
    place.close()
    place.remove()
  } catch (error) {
    row.outcome = error instanceof Skip ? "skipped" : "failed"
    row.why = error instanceof Problem || error instanceof Skip ? error.message : error.stack
    row.output = error.output
  } finally {
    place?.close()
  }
  row.seconds = (performance.now() - started) / 1000
  const why = row.why ? `  ${row.why}` : host.refuses ? `  refuses: ${host.refuses}` : ""
  console.log(`${row.outcome.padEnd(8)}${host.id.padEnd(34)}${seconds(started).padStart(8)}${why}`)
  if (row.output) console.log(row.output.trimEnd().split("\n").slice(-40).join("\n"))
  return row
}

/** Runs the hosts and gives their rows, in the order of the groups. */
export async function matrix(only) {
  const every = await groups(only)
  const all = every.flatMap((group) => group.hosts.map((host) => ({ group, host })))
  const ids = all.map(({ host }) => host.id)
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) throw new Problem(`two hosts are called ${twice}`)
  const unknown = only?.find((id) => !ids.includes(id) && !all.some(({ group }) => group.name === id))
  if (unknown !== undefined) throw new Problem(`no host or group is called "${unknown}"; there are ${ids.join(", ")}`)
  const wanted = all.filter(({ group, host }) => !only || only.includes(host.id) || only.includes(group.name))

  const { pkg } = await installed()
  const vectors = readVectors()
  const want = await expected(vectors)
  const rows = new Map()
  const work = async (list) => {
    for (let next = list.shift(); next; next = list.shift()) {
      rows.set(next.host.id, await perform(next.host, next.group, pkg, vectors, want))
    }
  }
  try {
    const together = wanted.filter(({ host }) => !host.alone)
    await Promise.all(Array.from({ length: JOBS }, () => work(together)))
    await work(wanted.filter(({ host }) => host.alone))
  } finally {
    for (const { done } of every) await done?.()
  }
  return { vectors: vectors.length, rows: wanted.map(({ host }) => rows.get(host.id)) }
}

function asked() {
  try {
    return parseArgs({ options: { only: { type: "string" } } }).values.only?.split(",")
  } catch (error) {
    throw new Problem(`${error.message}; usage: node tests/hosts/run.mjs [--only ID,ID...]`)
  }
}

async function main() {
  const only = asked()
  const result = await matrix(only)
  if (!only) {
    mkdirSync(join(root, ".cache", "hosts"), { recursive: true })
    writeFileSync(join(root, ".cache", "hosts", "matrix.json"), JSON.stringify(result, null, 2))
  }
  const count = (outcome) => result.rows.filter((row) => row.outcome === outcome).length
  for (const row of result.rows.filter(({ outcome }) => outcome === "skipped")) say(`skipped ${row.id}: ${row.why}`)
  console.log(`hosts: ${count("ok")} passed, ${count("failed")} failed, ${count("skipped")} skipped, ${result.vectors} vectors each`)
  if (count("failed") > 0) throw new Problem("not every host gives the bytes of the native engine")
  const stale = only ? undefined : staleLine(root, result.rows)
  if (stale !== undefined) throw new Problem(`README.md's table is not this matrix: ${stale} (mend: node tests/docs/figures.mjs)`)
}

if (isCommand(import.meta.url)) await command(main)
