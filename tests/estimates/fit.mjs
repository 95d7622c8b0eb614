// Fits the weights of the token estimate (src/cost/estimate.rs) to what o200k_base counts.
//
//   node tests/estimates/fit.mjs FOLDER            prints the errors on each catalogue of weights fitted on the others
//   node tests/estimates/fit.mjs FOLDER --write    then fits on all of them and writes src/cost/weights.rs
//
// FOLDER holds catalogues as `<name>/tools.jsonl`. The texts in other languages, and the code, are of the packages in
// tests/estimates/fit. A text is cut into pieces by the tokenizer's own pattern; each piece is an equation: its weights,
// which the crate itself tells (examples/weights.rs), add up to its tokens. They are solved one weight at a time, again
// and again, with a penalty on large ones; the last rounds choose among the values that the table can hold.

import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { install } from "../../scripts/lib/install.mjs"
import { catalogues, errors, HEAD, quarter, row } from "./measure.mjs"
import { kinds } from "./samples.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
await install(here, "tests/estimates/package.json")
await install(join(here, "fit"), "tests/estimates/fit/package.json")
const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")

/** The pattern of o200k_base. */
const CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
const LEAD = String.raw`[^\r\n\p{L}\p{N}]?`
const PIECE = new RegExp(
  [
    `${LEAD}${UPPER}*${LOWER}+${CONTRACTION}`,
    `${LEAD}${UPPER}+${LOWER}*${CONTRACTION}`,
    String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  ].join("|"),
  "gu",
)

/**
 * A piece counts as often as it stands in a catalogue, to this power: by frequency alone a few words of one catalogue would
 * decide for all, by none the table would be spent on words that nobody writes. With less all is overestimated, as rare words come in more tokens.
 */
const POWER = 0.85
/** And so much in code and documents: definitions are what is mostly counted. With 1, catalogues are off by a fifth more. */
const DOCUMENTS = 0.3
/** And so much in texts of other languages, of which there is little. With 3, Italian gains 3 % and catalogues lose a half. */
const LANGUAGES = 1.5
const kindOf = (set) => (names.includes(set) ? 1 : ["code", "documents", "json"].includes(set) ? DOCUMENTS : LANGUAGES)
/** The penalty on a weight, in pieces: what is seen less often is not believed. */
const PENALTY = 10
/** A shape's weight is the mean of many pieces and needs none. */
const SHAPE_PENALTY = 0.5
const ROUNDS = 20
/** Rounds in which weights are whole: the rounding of one is then made good by others. */
const WHOLE_ROUNDS = 4
/** Of src/cost/estimate.rs. */
const TOKEN = 8
const ZERO = "@".charCodeAt(0)
/** Of what is found by a hash: five bits, so that the table compresses well. */
const HASHED = 15
/** What a printable letter can hold, but for the quote and the backslash. */
const [LEAST, MOST] = [35 - ZERO, 126 - ZERO]
const BACKSLASH = 92 - ZERO

const source = readFileSync(join(root, "src/cost/estimate.rs"), "utf8")
const constants = {}
for (const [, name, value] of source.matchAll(/^(?:pub )?const ([A-Z_]+): (?:usize|u32) = ([^;]+);/gm)) {
  constants[name] = Function(...Object.keys(constants), `return ${value}`)(...Object.values(constants))
}
const { COUNT, RUN } = constants
if (!COUNT || !RUN) throw new Error("src/cost/estimate.rs names its constants otherwise")

const pieces = []
const numbers = new Map()
const counts = []
const sets = new Map()

function add(set, text) {
  const of = Array.from(text.match(PIECE) ?? [], (piece) => {
    if (!numbers.has(piece)) {
      numbers.set(piece, pieces.length)
      pieces.push(piece)
      counts.push(countTokens(piece))
    }
    return numbers.get(piece)
  })
  if (!sets.has(set)) sets.set(set, [])
  sets.get(set).push({ text, of })
}

const folder = process.argv[2]
const names = []
for (const [name, texts] of catalogues(folder)) {
  names.push(name)
  for (const text of texts) add(name, text)
}

const modules = join(here, "fit", "node_modules")
const read = (file) => readFileSync(join(modules, file), "utf8")
const under = (folder, ending) =>
  readdirSync(join(modules, folder), { recursive: true })
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => join(folder, name))
/** Of the longest files only the beginning, so that one does not outweigh the rest. */
const START = 20_000
for (const language of "cs de es fr it ja ko pl pt-br ru tr zh-cn zh-tw".split(" ")) {
  const messages = JSON.parse(read(`typescript/lib/${language}/diagnosticMessages.generated.json`))
  add(`typescript ${language}`, Object.values(messages).join("\n"))
}
for (const file of under("@uppy/locales/lib", /_[A-Z]{2}\w*\.js$/)) {
  add(file, Array.from(read(file).matchAll(/'([^'\n]*)'/g), ([, words]) => words).join("\n"))
}
for (const file of under("@codingame/monaco-vscode-language-pack-zh-hans/translations", /i18n\.json(\.js)?$/)) {
  const chinese = read(file).matchAll(/"((?:[^"\\\n]|\\.)*\p{Script=Han}(?:[^"\\\n]|\\.)*)"/gu)
  add("vscode zh", Array.from(chinese, ([, words]) => words).join("\n"))
}
for (const file of under("zod/v4/locales", /^[a-z-]+\.js$/i)) add(file, read(file))
for (const file of [...under("zod/src", /\.ts$/), ...under("yaml/dist", /\.js$/), ...under("openai/resources", /\.js$/).slice(0, 100)]) {
  add("code", read(file).slice(0, START))
}
for (const file of under("", /\.md$/i)) add("documents", read(file).slice(0, START))
for (const file of under("", /package\.json$/)) add("json", read(file).slice(0, START))

// Only measured.
const measured = kinds()
for (const [name, texts] of measured) for (const text of texts) add(`of ${name}`, text)

const tell = spawnSync("cargo", ["run", "--release", "--locked", "--quiet", "--example", "weights"], {
  cwd: root,
  input: pieces.map((piece) => `${JSON.stringify(piece)}\n`).join(""),
  maxBuffer: 2 ** 30,
  stdio: ["pipe", "pipe", "inherit"],
})
if (tell.status !== 0) throw new Error("cargo run --example weights failed")
/** What each piece is made of. Nearly always one piece here too; where not, each part has its own least. */
const parts = tell.stdout
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => Int32Array.from(line.replaceAll(";", "").trim().split(" "), Number))

const seen = new Map()
for (const [set, texts] of sets) {
  const often = new Float64Array(pieces.length)
  for (const { of } of texts) for (const piece of of) often[piece]++
  seen.set(set, often)
}

function fit(training) {
  const share = new Float64Array(pieces.length)
  for (const set of training) {
    seen.get(set).forEach((often, piece) => {
      if (often > 0) share[piece] += often ** POWER * kindOf(set)
    })
  }
  // For each weight the pieces that have it, and how often each has it.
  const having = Array.from({ length: COUNT }, () => [])
  share.forEach((value, piece) => {
    if (value === 0) return
    for (const weight of parts[piece]) {
      const list = having[weight]
      if (list.at(-2) === piece) list[list.length - 1]++
      else list.push(piece, 1)
    }
  })
  const weights = new Float64Array(COUNT)
  const sums = new Float64Array(pieces.length)
  for (let round = 0; round < ROUNDS + WHOLE_ROUNDS; round++) {
    having.forEach((list, weight) => {
      if (list.length === 0) return
      const isHashed = weight >= RUN
      const penalty = isHashed ? PENALTY : SHAPE_PENALTY
      let off = -penalty * weights[weight]
      let all = penalty
      for (let at = 0; at < list.length; at += 2) {
        const [piece, times] = [list[at], list[at + 1]]
        all += share[piece] * times * times
        // Less than a token is a token.
        if (sums[piece] < 1 && counts[piece] === 1) continue
        off += share[piece] * times * (counts[piece] - sums[piece])
      }
      let value = weights[weight] + off / all
      if (round >= ROUNDS) {
        const [least, most] = isHashed ? [-HASHED, HASHED] : [LEAST, MOST]
        let whole = Math.max(least, Math.min(most, Math.round(value * TOKEN)))
        if (whole === BACKSLASH) whole--
        value = whole / TOKEN
      }
      const change = value - weights[weight]
      if (change === 0) return
      weights[weight] = value
      for (let at = 0; at < list.length; at += 2) sums[list[at]] += change * list[at + 1]
    })
  }
  return weights
}

function estimates(weights, set) {
  const costs = parts.map((part) => Math.max(1, part.reduce((sum, weight) => sum + weights[weight], 0)))
  return sets.get(set).map(({ of }) => Math.round(of.reduce((sum, piece) => sum + costs[piece], 0)))
}

function report(weights, set) {
  const texts = sets.get(set)
  const truth = texts.map(({ of }) => of.reduce((sum, piece) => sum + counts[piece], 0))
  console.log(row(set.slice(-20), texts.length, errors(truth, estimates(weights, set)), errors(truth, texts.map(({ text }) => quarter(text)))))
}

const others = [...sets.keys()].filter((set) => !names.includes(set) && !set.startsWith("of "))
console.log(HEAD)
for (const left of names) report(fit([...names.filter((name) => name !== left), ...others]), left)
const weights = fit([...names, ...others])
for (const name of measured.keys()) report(weights, `of ${name}`)

if (process.argv.includes("--write")) {
  const letters = Array.from(weights, (value) => String.fromCharCode(Math.round(value * TOKEN) + ZERO)).join("")
  const broken = letters.match(/.{1,116}/gs).map((line) => `    ${line}\\\n`).join("")
  writeFileSync(
    join(root, "src/cost/weights.rs"),
    [
      "//! Generated by tests/estimates/fit.mjs. Do not edit.",
      "",
      `/// A letter for each weight: its distance from \`@\`, in parts of ${TOKEN} of a token.`,
      `pub(super) static WEIGHTS: &[u8; ${COUNT}] = b"\\`,
      `${broken}";`,
      "",
    ].join("\n"),
  )
}
