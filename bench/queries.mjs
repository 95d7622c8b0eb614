// What is searched for: the words that models pass to a tool search, drawn from the tools themselves in the same way
// every time, and the labelled queries that lie beside a catalogue.

import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const DRAWN = 48

const words = (text) => text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}]+/u).filter(Boolean)
const local = (name) => words(name.split(/__|[./]/).at(-1))
const sentence = (text) => text.trim().split(/[.!?\n]/)[0]

/** The ways to ask for a tool, in turn. */
const WAYS = [
  // "github create issue"
  ({ name }) => words(name).join(" ").toLowerCase(),
  // "create issue" and what it says of it
  ({ name, description }) => [...local(name), ...words(sentence(description)).slice(-4)].join(" ").toLowerCase(),
  // its first sentence, as people paste it
  ({ name, description }) => {
    const said = words(sentence(description))
    return [...said.slice(0, 12), ...(said.length < 4 ? local(name) : [])].join(" ")
  },
  // keywords: the long words of both
  ({ name, description }) =>
    [...new Set([...words(name), ...words(sentence(description))].filter((word) => word.length > 3))].slice(0, 7).join(" "),
]

/** `{ query, gold }` for 48 tools that lie evenly in the catalogue. */
export function drawn(tools) {
  return Array.from({ length: DRAWN }, (_, at) => {
    const tool = tools[Math.floor(((at + 0.5) * tools.length) / DRAWN)]
    return { query: WAYS[at % WAYS.length]({ name: tool.name, description: tool.description ?? "" }), gold: [tool.name] }
  })
}

/** The labelled queries beside a catalogue for which it holds a right tool: `{ query, gold }`. */
export function labelled(file, tools) {
  const path = file && join(dirname(file), "queries.jsonl")
  if (!path || !existsSync(path)) return []
  const names = new Set(tools.map(({ name }) => name))
  return lines(path).filter(({ gold }) => gold.some((name) => names.has(name)))
}

export const lines = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line))
