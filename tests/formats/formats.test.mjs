// The conformance suite of the formats through the built package.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import * as toolcrib from "../../pkg/index.js"
import { run as runOn } from "../conform.mjs"
import { CONVERSATIONS } from "./conversations.mjs"
import { SHAPES } from "./define.mjs"
import { contained, definitions, WIRES } from "./pairs.mjs"
import { SKIPS } from "./skips.mjs"
import { conformance } from "./suite.mjs"
import { TELLINGS } from "./tell.mjs"
import { placeOf, vectors } from "./write.mjs"

const run = (vector) => runOn(toolcrib, vector)
const none = (faults) => assert.equal(faults.join("\n"), "")

for (const name of Object.keys(TELLINGS)) {
  test(`conversations told as ${name}`, async (t) => {
    const { faults, skips } = await conformance(run, name, CONVERSATIONS)
    for (const [id, reason] of Object.entries(skips)) t.diagnostic(`skipped ${id}: ${reason}`)
    none(faults)
    // Nobody skips a conversation that is not known to be untold, and for no other reason.
    assert.deepEqual(skips, SKIPS[name])
  })
}

for (const wire of WIRES) {
  test(`definitions on the wire of ${wire}`, async (t) => {
    for (const shape of Object.keys(SHAPES)) {
      await t.test(`from ${shape}`, async () => none(await definitions(run, wire, shape)))
    }
  })
}

test("what containers hold", async () => none(await contained(run)))

test("every conversation has an id of its own and says why", () => {
  const ids = CONVERSATIONS.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const { id, why, says } of CONVERSATIONS) {
    assert.ok(why.length > 20, id)
    assert.ok("check" in says.at(-1), `${id} does not end with a check`)
  }
})

test("the vectors are those of the conversations and definitions", () => {
  for (const [name, due] of Object.entries(vectors())) {
    const found = JSON.parse(readFileSync(placeOf(name), "utf8"))
    const bare = found.map((vector) => ({ ...vector, steps: vector.steps.map(({ gives: _, ...step }) => step) }))
    assert.deepEqual(bare, JSON.parse(JSON.stringify(due)), `${name} is stale: node tests/formats/write.mjs, then node tests/vectors/write.mjs`)
  }
})
