// What js/ and src/ declare, as far as the documents repeat it, read from how their lines are indented.

import { readFileSync } from "node:fs"
import { join } from "node:path"

const read = (root, file) => readFileSync(join(root, "js", file), "utf8")

/** The exported object types of js/types.ts: a Map from name to a Map from field to its doc comment. */
export function objectTypes(root) {
  const found = new Map()
  let fields
  let indent
  let comment = ""
  for (const row of read(root, "types.ts").split("\n")) {
    const start = /^export (?:interface|type) (\w+)/.exec(row)
    const field = /^( +)(?:readonly )?(\w+)\??[:(<]/.exec(row)
    if (start) {
      found.set(start[1], (fields = new Map()))
      indent = undefined
    } else if (row.startsWith("}")) fields = undefined
    else if (/^ +(\*|\/\*\*)/.test(row)) comment += row
    else if (field && field[1] === (indent ??= field[1])) {
      fields?.set(field[2], comment)
      comment = ""
    }
  }
  return found
}

/** The formats, in order. */
export function formats(root) {
  const [, union] = /^export type Format =(.+)$/m.exec(read(root, "types.ts"))
  return [...union.matchAll(/"([\w-]+)"/g)].map(([, format]) => format)
}

/** The codes of `ToolcribError`, in order. */
export function errorCodes(root) {
  const [, union] = /export type ErrorCode =\n((?: {2}\| "\w+"\n)+)/.exec(read(root, "errors.ts"))
  return [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code)
}

/** The names in a list of js/options.ts, in order: `OPTIONS` has those that `createToolSearch` takes when it runs. */
export function knownOptions(root, name = "OPTIONS") {
  const [, list] = new RegExp(`^const ${name}\\b[^=]*= \\[([^\\]]+)\\]`, "m").exec(read(root, "options.ts"))
  return [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name)
}

/** The options that another agent of the same catalogue may have of its own: by the types, and by what is taken. */
export function agentOptions(root) {
  const [, typed] = /interface AgentOptions[^{]*?Pick<[^,]+,([^>]+)>/.exec(read(root, "types.ts"))
  const [, taken] = /^const AGENT\b[^=]*= \{([^}]+)\}/m.exec(read(root, "options.ts"))
  return {
    typed: ["servers", ...[...typed.matchAll(/"(\w+)"/g)].map(([, name]) => name)],
    taken: [...taken.matchAll(/^ *(\w+)[:,]/gm)].map(([, name]) => name),
  }
}

/** The modules of the crate, in the order of src/lib.rs. */
export function modules(root) {
  const text = readFileSync(join(root, "src/lib.rs"), "utf8")
  return [...text.matchAll(/^(?:pub )?mod (\w+);/gm)].map(([, name]) => name)
}
