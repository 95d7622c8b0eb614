// Writes the vectors of the formats: `node tests/formats/write.mjs`. They are of the same conversations and definitions as
// the suite, so that the native engine and every runtime run them too. Then `node tests/vectors/write.mjs` fills in what
// they give.

import { readFileSync, writeFileSync } from "node:fs"
import { isCommand } from "../../scripts/lib/process.mjs"
import { CONVERSATIONS } from "./conversations.mjs"
import { pairs } from "./pairs.mjs"
import { vectorOf } from "./suite.mjs"
import { TELLINGS, Untold } from "./tell.mjs"

/** The vectors by the name of their file, without what they give. */
export function vectors() {
  const files = {}
  for (const [name, { format }] of Object.entries(TELLINGS)) {
    const file = (files[`formats-${format}.json`] ??= [])
    for (const conversation of CONVERSATIONS) {
      if (conversation.written === false || (name !== format && !conversation.everywhere)) continue
      try {
        file.push(vectorOf(name, conversation))
      } catch (error) {
        if (!(error instanceof Untold)) throw error
      }
    }
  }
  return { ...files, "definitions-pairs.json": pairs() }
}

/** Where the vectors of a file are. */
export const placeOf = (name) => new URL(`../vectors/${name}`, import.meta.url)

if (isCommand(import.meta.url)) {
  for (const [name, all] of Object.entries(vectors())) {
    const before = new Map(gives(name))
    const after = all.map((vector) => {
      const given = before.get(vector.id) ?? []
      return { ...vector, steps: vector.steps.map((step, at) => ({ ...step, gives: given[at] })) }
    })
    writeFileSync(placeOf(name), `${JSON.stringify(after)}\n`)
    console.log(`${name}: ${all.length} vectors`)
  }
}

/** What the vectors of a file gave, so that a new vector is no difference in the others. */
function gives(name) {
  try {
    return JSON.parse(readFileSync(placeOf(name), "utf8")).map(({ id, steps }) => [id, steps.map((step) => step.gives)])
  } catch (error) {
    if (error.code !== "ENOENT") throw error
    return []
  }
}
