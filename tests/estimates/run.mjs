// How far the token estimate is off: per definition and for whole catalogues, and for prose, code and JSON.
//
//   node tests/estimates/run.mjs [FOLDER]...
//
// FOLDER is a catalogue (`tools.jsonl`, a definition a line) or holds several (`<name>/tools.jsonl`). The truth is what
// o200k_base counts (gpt-tokenizer). It reads the built package: run `npm run build` first.

import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { install } from "../../scripts/lib/install.mjs"
import { catalogues, errors, HEAD, quarter, row } from "./measure.mjs"
import { kinds, own } from "./samples.mjs"

const here = dirname(fileURLToPath(import.meta.url))
await install(here, "tests/estimates/package.json")
const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
const { estimateTokens } = await import("../../pkg/index.js")

function measure(name, texts) {
  const counts = texts.map((text) => countTokens(text))
  const ours = errors(counts, texts.map((text) => estimateTokens(text)))
  console.log(row(name, texts.length, ours, errors(counts, texts.map(quarter))))
}

console.log(HEAD)
for (const folder of process.argv.slice(2)) {
  for (const [name, texts] of catalogues(folder)) measure(name, texts)
}
for (const [name, texts] of own()) measure(name, texts)
for (const [name, texts] of kinds()) measure(name, texts)

// The process's own time: on a busy machine the clock says nothing.
for (const [name, texts] of [
  ["definitions", own()],
  ["prose, code and JSON", kinds()],
]) {
  const text = Array.from(texts.values()).flat().join("\n").repeat(20)
  estimateTokens(text)
  const before = process.cpuUsage()
  for (let round = 0; round < 5; round++) estimateTokens(text)
  const { user } = process.cpuUsage(before)
  console.log(`${name}: ${(user / 1000 / 5 / (Buffer.byteLength(text) / 1e6)).toFixed(1)} ms a megabyte`)
}
