// Writes what the native engine gives into the vectors: `node tests/vectors/write.mjs [FILE...]`.
// A golden that changes is then a difference to read in review. The frozen threads are never written.

import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { start } from "../native.mjs"

const WIDTH = 120
/** What lies deeper goes into one line: arguments of 200 levels would be a page of brackets. */
const DEEPEST = 20
const folder = fileURLToPath(new URL(".", import.meta.url))
const paths = process.argv.slice(2)
if (paths.length === 0) {
  for (const name of readdirSync(folder).sort()) if (name.endsWith(".json")) paths.push(`${folder}${name}`)
}

const native = start()
let changed = 0
for (const path of paths) {
  const before = readFileSync(path, "utf8")
  const vectors = JSON.parse(before)
  for (const vector of vectors) {
    // The engine knows nothing of what only the JavaScript face does: that is written by hand.
    if (vector.face === "js") continue
    const { gives } = await native.run(vector)
    vector.steps = vector.steps.map((step, at) => ({ ...step, gives: gives[at] }))
  }
  const after = `${print(vectors)}\n`
  if (after === before) continue
  changed += 1
  writeFileSync(path, after)
  console.log(`wrote ${path.slice(folder.length)}`)
}
await native.close()
console.log(`${paths.length} files, ${changed} changed`)

/** JSON with a line for whatever fits into one. */
function print(value, indent = "") {
  const line = spaced(value)
  const isLine = indent.length + line.length <= WIDTH || indent.length >= 2 * DEEPEST
  if (isLine || value === null || typeof value !== "object") return line
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  const items = Array.isArray(value)
    ? value.map((item) => print(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${print(item, inner)}`)
  return `${open}\n${items.map((item) => `${inner}${item}`).join(",\n")}\n${indent}${close}`
}

function spaced(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
  return entries.length ? `{ ${entries.join(", ")} }` : "{}"
}
