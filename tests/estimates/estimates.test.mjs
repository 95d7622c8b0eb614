// The token estimate stays within what its documentation says, on catalogues and texts of the repository's own. What it
// is on others, `node tests/estimates/run.mjs FOLDER` prints.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import test from "node:test"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { createToolSearch, estimateTokens } from "../../pkg/index.js"
import { errors, quarter } from "./measure.mjs"
import { kinds, own } from "./samples.mjs"

const off = (texts) => errors(texts.map((text) => countTokens(text)), texts.map((text) => estimateTokens(text)))

/** What issue and README promise of catalogues that the weights were not fitted on. */
for (const [name, texts] of own()) {
  test(`definitions, ${name}: within 3.5 % in the median, 9 % for 95 %, 2.5 % for all`, () => {
    const { median, most, whole } = off(texts)
    assert(median <= 3.5, `median ${median}`)
    // Of a dozen the worst is the 95th percentile.
    assert(most <= (texts.length < 100 ? 12 : 9), `95 % ${most}`)
    assert(Math.abs(whole) <= 2.5, `whole ${whole}`)
  })
}

test("prose, code and JSON: within 10 % in the median, and within 20 % for each kind", () => {
  const all = []
  let near = 0
  for (const [name, texts] of kinds()) {
    const { median } = off(texts)
    assert(median <= 20, `${name}: ${median}`)
    near += median <= 10
    all.push(...texts)
  }
  // What is beyond: Italian, Polish, Turkish, Thai, Chinese, Korean and the one sample of Java, all by 11 to 17 %.
  assert(near >= 22, `${near} kinds within 10 %`)
  assert(off(all).median <= 10)
})

test("the estimate is nearer than bytes / 4 for every kind of definition", () => {
  for (const [name, texts] of own()) {
    const counts = texts.map((text) => countTokens(text))
    assert(off(texts).median < errors(counts, texts.map(quarter)).median / 2, name)
  }
})

test("what a definition costs is the estimate of its minified JSON", () => {
  const tools = readFileSync(new URL("samples/handwritten/tools.jsonl", import.meta.url), "utf8").trim().split("\n").map((line) => JSON.parse(line))
  for (const { name, description, parameters } of tools) {
    const search = createToolSearch({ tools: [{ name, description, inputSchema: parameters }], format: "neutral" })
    assert.equal(search.turn([]).tokens.all, estimateTokens(JSON.stringify({ name, description, parameters })), name)
    search.free()
  }
})

test("Claude's tokens are more, by its version; a model of another maker in its format has none of that", () => {
  const parameters = { type: "object", properties: { query: { type: "string", description: "What to look for" } } }
  const tools = [{ name: "look_up", description: "Looks something up", input_schema: parameters }]
  const all = (options, given = tools) => createToolSearch({ tools: given, ...options }).turn([]).tokens.all
  const plain = all({ format: "neutral" }, [{ name: "look_up", description: "Looks something up", inputSchema: parameters }])
  assert.equal(all({ format: "anthropic" }), Math.floor((plain * 33 + 10) / 20))
  assert.equal(all({ format: "anthropic", model: "claude-opus-4-7" }), Math.floor((plain * 33 + 10) / 20))
  assert.equal(all({ format: "anthropic", model: "claude-sonnet-4-5" }), Math.floor((plain * 5 + 2) / 4))
  assert.equal(all({ format: "anthropic", model: "glm-5" }), plain)
  assert.equal(all({ format: "openai-chat", model: "anthropic/claude-opus-4.7" }), Math.floor((plain * 33 + 10) / 20))
})
