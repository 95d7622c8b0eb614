// Every vector through the built package. tests/vectors.rs runs the same files through the native engine.

import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { test } from "node:test"
import * as toolcrib from "../../pkg/index.js"
import { difference, run } from "../conform.mjs"

const folder = new URL("../vectors/", import.meta.url)

for (const at of ["", "frozen/"]) {
  const names = readdirSync(new URL(`./${at}`, folder)).filter((name) => name.endsWith(".json"))
  assert.ok(names.length > 0, `no vectors in tests/vectors/${at}`)
  for (const name of names.sort()) {
    test(`${at}${name}`, async (t) => {
      const text = readFileSync(new URL(`${at}${name}`, folder), "utf8")
      const vectors = at === "" ? JSON.parse(text) : [JSON.parse(text)]
      for (const vector of vectors) {
        await t.test(vector.id, async () => {
          const before = JSON.stringify(vector)
          const { gives } = await run(toolcrib, vector)
          const want = vector.steps.map((step) => step.gives)
          const found = difference(want, gives)
          assert.equal(found, undefined, `${vector.id}: ${found}\n${vector.why}`)
          assert.equal(JSON.stringify(vector), before, `${vector.id}: the input was changed`)
        })
      }
    })
  }
}
