// The figures of README.md that a command prints. `node tests/docs/figures.mjs` plays the demo, weighs pkg/ as it is
// (`npm run build` comes first), takes the matrix that `node tests/hosts/run.mjs` left, and writes them anew; the tests
// only compare.

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { install } from "../../scripts/lib/install.mjs"
import { command, isCommand, must } from "../../scripts/lib/process.mjs"
import { entrySizes } from "../../scripts/lib/sizes.mjs"
import { matrixBlock } from "../hosts/table.mjs"
import { block } from "./markdown.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const thousands = (number) => number.toLocaleString("en-US")

/** What the demo's scripted run said, as data. It is the same on every machine but for the times. */
export async function playDemo() {
  await install(join(root, "demo"), "demo/package.json (real MCP servers, 130 MB, once)")
  const flags = ["--json", "--scripted"]
  return JSON.parse(await must(process.execPath, ["demo/demo.mjs", ...flags], { cwd: root, doing: "playing the demo" }))
}

/** The demo's table for README.md. */
export function demoBlock({ servers, catalogue, requests, totals }) {
  const rows = requests.map(({ request, sent, everything, searches, calls }) => {
    const does = [
      ...searches.map(({ query }) => `searches "${query.join('", "')}"`),
      ...calls.map(({ name }) => `calls \`${name.replace(/^.*?__/, "")}\``),
    ]
    return [request, does.join("; ") || "answers", sent.tools, thousands(sent.tokens), thousands(everything.tokens)]
  })
  const head = ["request", "the model", "tools sent", "tokens of tools", `all ${catalogue.tools} tools`]
  const tokens = [totals.sentTokens, totals.everythingTokens].map(thousands)
  const sums = [`all ${totals.requests}`, `${totals.searches} searches, ${totals.calls} calls`, "", ...tokens]
  return `${table([head, ...rows, sums], "r-rrr")}
${servers.length} MCP servers, ${catalogue.tools} tools, ${catalogue.deferral.deferredTools} of them deferred.
Searches and their results stay in the messages, which adds ${thousands(totals.searchTokens)} tokens to the ${totals.requests} requests.
All of that counted, the run sends ${totals.savedPercent} % fewer tokens for tools. With every tool at hand, a model would
not have made the ${totals.onlySearched} requests that only searched: measured against the other ${totals.requests - totals.onlySearched}, it is ${totals.savedPercentStrict} %.
`
}

export function sizeBlock(sizes) {
  const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`
  const row = ([name, { raw, gzip, brotli }]) => [name, ...[raw, gzip, brotli].map(kilobytes)]
  return table([["", "raw", "gzip -9", "brotli"], ...Object.entries(sizes).map(row)], "-rrr")
}

function table([header, ...rows], sides) {
  const rule = [...sides].map((side) => (side === "r" ? "---:" : "---"))
  return [header, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("")
}

async function write() {
  const file = join(root, "README.md")
  const matrix = join(root, ".cache", "hosts", "matrix.json")
  const made = {
    demo: demoBlock(await playDemo()),
    sizes: sizeBlock(entrySizes(join(root, "pkg"))),
    ...(existsSync(matrix) && { matrix: matrixBlock(JSON.parse(readFileSync(matrix, "utf8")).rows) }),
  }
  let text = readFileSync(file, "utf8")
  for (const [name, fresh] of Object.entries(made)) {
    const { from, to } = block(text, name)
    text = text.slice(0, from) + fresh + text.slice(to)
  }
  writeFileSync(file, text)
}

if (isCommand(import.meta.url)) await command(write)
