// Writes src/models/table.rs: context windows by the words of models' names.
//
//   node scripts/model-table.mjs > src/models/table.rs
//
// The source is @pydantic/genai-prices, whose maintainers keep prices and windows of the providers' models; tokenlens,
// which was looked at too, ends a year before. What it lacks or says of a whole family at once stands below, by hand.
// tests/js/models.test.mjs writes the table again and compares.

import { findProvider } from "@pydantic/genai-prices"
import { fileURLToPath } from "node:url"

/** Who makes models first, then who runs others': of two windows for one name the earlier provider's counts. */
const PROVIDERS = ["anthropic", "openai", "google", "x-ai", "mistral", "deepseek", "moonshotai", "perplexity", "aws", "azure", "openrouter", "fireworks"]

/** What no agent gives tools to, and models that are seen too seldom to ship a line for. */
const LEFT_OUT =
  /embed|tts|transcribe|whisper|image|audio|realtime|live|voice|ocr|guard|moderation|safety|lyria|sonic|voxtral|computer-use|claude-v|claude-2|palm|davinci|babbage|titan|aion|magnum|mancer|weaver|morph|wizardlm|ui-tars|mythomax|hermes|dolphin|euryale|lunaris|rp-|-her\b|distill|saba|inkling|customtools/
const FAMILIES =
  /claude|gpt|chatgpt|codex|\bo[134]\b|gemini|gemma|grok|mistral|mixtral|codestral|devstral|magistral|pixtral|deepseek|kimi|moonshot|sonar|nova|llama|qwen|glm|minimax|command|nemotron|phi-4|mimo|granite|palmyra|seed-|ernie|jamba/

/** What the package has no window for, with the provider's own page as the source, or says of all kinds of a version. */
const BY_HAND = {
  // The chat models of ChatGPT have a smaller window than the versions that they are named after.
  "gpt-5-chat": 128_000,
  "gpt-5.1-chat": 128_000,
  "gpt-5.2-chat": 128_000,
  // The rest of the version, of which the package has the chat model only.
  "gpt-5.3": 400_000,
  "gpt-5.3-chat": 128_000,
  // Azure writes 3.5 so.
  "gpt-35-turbo": 16_385,
  // The latest models by their family alone: the smallest window of those that the name has stood for lately.
  "gemini-flash-latest": 1_000_000,
  "gemini-flash-lite-latest": 1_000_000,
  "gemini-pro-latest": 1_000_000,
  "gemini-3-pro": 1_048_576,
  // Meta's own figures, in the order in which hosts write the name.
  "gemma-3": 131_072,
  "gemma-3-1b": 32_768,
  "gemma-3n": 32_768,
  "grok-4-fast": 2_000_000,
  "llama-3": 8192,
  "llama-3.1": 128_000,
  "llama-3.2": 128_000,
  "llama-3.3": 128_000,
  "llama-v3": 8192,
  "llama-v3.1": 128_000,
  "llama-v3.2": 128_000,
  "llama-v3.3": 128_000,
  "llama-4-maverick": 1_000_000,
  "llama-4-scout": 1_000_000,
  // Alibaba's open weights without extrapolation.
  "qwen-2.5": 32_768,
  "qwen-3": 32_768,
  "qwen-3-coder": 262_144,
  "qwen-3-max": 262_144,
  "qwen-3-next": 262_144,
  "mistral-nemo": 128_000,
  "mistral-small": 32_000,
  "mistral-small-latest": 262_144,
  "mistral-large": 128_000,
  "mistral-large-latest": 262_144,
  "mistral-medium": 131_072,
  "mistral-medium-latest": 262_144,
  "command-r": 128_000,
  "command-a": 256_000,
}

/** As src/models/mod.rs does it; the test holds the two to each other through the package. */
export function words(name) {
  return name
    .toLowerCase()
    .replace(/([0-9])p(?=[0-9])/g, "$1 ")
    .replace(/([a-z])(?=[0-9])/g, "$1 ")
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}

const isVersion = (word) => word !== undefined && /^[1-9]?[0-9]$/.test(word) && !(word.length === 2 && word[0] === "0")

/** The window of the longest pattern that stands in a name and is not followed by more of a version. */
export function lookUp(table, name) {
  const own = words(name)
  let best
  for (const [pattern, window] of table) {
    const wanted = pattern.split(" ")
    for (let at = 0; at + wanted.length <= own.length; at++) {
      const isThere = wanted.every((word, index) => own[at + index] === word) && !isVersion(own[at + wanted.length])
      if (isThere && (best === undefined || pattern.length > best.pattern.length)) best = { pattern, window }
    }
  }
  return best?.window
}

/** A model's own name: without its provider and the revision that a host gives it. */
function own(id) {
  const last = id.slice(id.lastIndexOf("/") + 1).replace(/^.*\b(amazon|anthropic|meta|mistral|openai|google|qwen|nvidia|writer)\./, "")
  return last.replace(/:.*$/, "").replace(/-v\d+$/, "")
}

/** The same without its date and what says no more than that it is a kind of it. */
function plain(name) {
  const dateless = name.replace(/-(20\d{6}|20\d\d-\d\d-\d\d|\d{4}|0\d\d)(?=-|$)/g, "").replace(/-(preview|fast|us|maas|it)$/, "")
  const short = dateless.replace(/-latest$/, "")
  // A family's latest is no version: without the word it would stand for all of them, those to come too.
  return /\d/.test(short) ? short : dateless
}

export function table() {
  const known = new Map()
  const add = (name, window) => {
    const pattern = words(name).join(" ")
    if (!known.has(pattern)) known.set(pattern, window)
  }
  for (const [name, window] of Object.entries(BY_HAND)) add(name, window)
  for (const provider of PROVIDERS) {
    const models = findProvider({ providerId: provider })
      .models.filter(({ id, context_window: window }) => window && !LEFT_OUT.test(id) && FAMILIES.test(id))
      .map(({ id, context_window: window }) => ({ name: own(id), window }))
    for (const { name, window } of models) {
      const same = models.filter((other) => plain(other.name) === plain(name))
      // Two dates of one model may have two windows: then the one without a date has its own, or the smallest.
      const standard = same.find((other) => other.name === plain(name)) ?? same.reduce((a, b) => (b.window < a.window ? b : a))
      add(plain(name), standard.window)
      if (window !== standard.window) add(name, window)
    }
  }
  // What a shorter pattern says alike need not be said: the longest first, so that none is left without the one it leans on.
  const all = [...known].sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))
  for (const entry of [...all]) {
    const rest = all.filter((other) => other !== entry)
    if (lookUp(rest, entry[0]) === entry[1]) all.splice(all.indexOf(entry), 1)
  }
  return all
}

function written() {
  const groups = new Map()
  for (const [pattern, window] of table().sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!groups.has(window)) groups.set(window, [])
    groups.get(window).push(pattern)
  }
  const lines = [...groups]
    .sort(([a], [b]) => a - b)
    .map(([window, patterns]) => `    (${window}, "${patterns.join("|")}"),`)
  return `//! Generated by scripts/model-table.mjs: context windows in tokens, and the words of the models that have them.

/// See [\`super::window\`].
#[rustfmt::skip]
pub(super) const TABLE: [(u32, &str); ${groups.size}] = [
${lines.join("\n")}
];
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(written())
export { written }
