// Every vector through the built package. tests/vectors.rs runs the same files through the native engine.

import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { test } from "node:test"
import * as toolcrib from "../../pkg/index.js"
import { difference, run } from "../conform.mjs"

/** The JSON files in a folder below tests/vectors, by name. */
function files(at) {
  const folder = new URL(`../vectors/${at}`, import.meta.url)
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"))
  assert.ok(names.length > 0, `no vectors in tests/vectors/${at}`)
  return names.sort().map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8"))])
}

/** `run` freezes what it passes on, so a write to an input is an error; nothing may come back changed either. */
async function outcome(vector) {
  const before = JSON.stringify(vector)
  const { gives } = await run(toolcrib, vector)
  assert.equal(JSON.stringify(vector), before, `${vector.id}: the input was changed`)
  return gives
}

for (const [name, vectors] of files("")) {
  test(name, async (t) => {
    for (const vector of vectors) {
      await t.test(vector.id, async () => {
        const want = vector.steps.map(({ gives }) => gives)
        const found = difference(want, await outcome(vector))
        assert.equal(found, undefined, `${vector.id}: ${found}\n${vector.why}`)
      })
    }
  })
}

// Threads that an earlier release wrote. What it gave for them is asked for, and no more: a later release may say more
// and cost less.
for (const [name, vector] of files("frozen/")) {
  test(`frozen/${name}`, async () => {
    const got = await outcome(vector)
    vector.steps.forEach(({ gives: want }, at) => {
      const whole = Array.isArray(want)
      const part = whole ? got[at] : Object.fromEntries(Object.keys(want).map((key) => [key, got[at][key]]))
      assert.equal(difference(want, part), undefined, `step ${at}`)
    })
  })
}
