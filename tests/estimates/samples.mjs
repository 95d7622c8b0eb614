// What the estimate is measured on without a catalogue of the host's: catalogues of the repository, and texts by kind.

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { tools } from "../../bench/generate.mjs"
import { catalogues, text } from "./measure.mjs"
import { CODE, JSON_VALUES } from "./samples/code.mjs"

const file = (path) => readFileSync(new URL(path, import.meta.url), "utf8")
/** Long files in parts, as each counts as one text. */
const parts = (path, size = 4000) => file(path).match(new RegExp(`[^]{1,${size}}`, "g"))

/** Catalogues that the weights were not fitted on. */
export function own() {
  return new Map([["generated", tools(300).map(text)], ...catalogues(fileURLToPath(new URL("samples", import.meta.url)))])
}

/** Prose in many languages, code and JSON. */
export function kinds() {
  return new Map([
    ...Object.entries(JSON.parse(file("samples/prose.json"))),
    ...Object.entries(CODE),
    ["rust", parts("../../src/engine/mod.rs")],
    ["typescript", parts("../../js/options.ts")],
    ["javascript", parts("../../scripts/test.mjs")],
    ["markdown", parts("../../ARCHITECTURE.md")],
    ["json", JSON_VALUES.map((value) => JSON.stringify(value))],
    ["json, indented", JSON_VALUES.map((value) => JSON.stringify(value, null, 2))],
  ])
}
