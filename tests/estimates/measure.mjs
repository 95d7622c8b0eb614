// What fit.mjs, run.mjs and the test share: catalogues as texts, and how far estimates are off.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"

/** The minified JSON that a definition is counted by. */
export const text = ({ name, description, parameters }) => JSON.stringify({ name, description, parameters })

/** The definitions' texts of each catalogue in a folder, by its name: `<name>/tools.jsonl`, or the folder itself. */
export function catalogues(folder) {
  const own = join(folder, "tools.jsonl")
  const files = existsSync(own)
    ? [[basename(folder), own]]
    : readdirSync(folder)
        .sort()
        .map((name) => [name, join(folder, name, "tools.jsonl")])
        .filter(([name, file]) => statSync(join(folder, name)).isDirectory() && existsSync(file))
  return new Map(files.map(([name, file]) => [name, lines(file).map((line) => text(JSON.parse(line)))]))
}

const lines = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")

/** The value below which a share of the values lie. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** How far estimates are off counts, in per cent: median and 95th percentile of each, and all together, with its sign. */
export function errors(counts, estimates) {
  const sum = (values) => values.reduce((all, value) => all + value, 0)
  const off = counts.map((count, at) => (100 * Math.abs(estimates[at] - count)) / count)
  return { median: quantile(off, 0.5), most: quantile(off, 0.95), whole: 100 * (sum(estimates) / sum(counts) - 1) }
}

/** The usual rule. */
export const quarter = (text) => Math.ceil(Buffer.byteLength(text) / 4)

export const row = (name, size, ours, bytes) =>
  [
    name.padEnd(20),
    String(size).padStart(6),
    ...[ours, bytes].flatMap(({ median, most, whole }) => [median, most, whole]).map((value) => value.toFixed(1).padStart(7)),
  ].join(" ")

export const HEAD =
  `${"".padEnd(20)} ${"number".padStart(6)}    estimate, % off         bytes / 4, % off\n` +
  `${"".padEnd(27)} ${["median", "95 %", "whole", "median", "95 %", "whole"].map((word) => word.padStart(7)).join(" ")}`
