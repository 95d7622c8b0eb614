// The matrix as the README shows it.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { block } from "../docs/markdown.mjs"

/**
 * A line for each place and outcome, in the order of the hosts: `[{ where, works, hows: [...] }]`. A row that this
 * machine skipped stands as it would have to come out.
 */
function lines(rows) {
  const found = []
  for (const { where, how, works } of rows) {
    const same = found.find((line) => line.where === where && line.works === works)
    if (same) same.hows.push(how)
    else found.push({ where, works, hows: [how] })
  }
  return found
}

/** The table in Markdown. */
export function matrixBlock(rows) {
  const cells = lines(rows).map(({ where, works, hows }) => [where, hows.join("; "), works ? "✓" : "✗"])
  const table = [["where", "how", ""], ["---", "---", ":---:"], ...cells]
  return table.map((row) => `| ${row.join(" | ")} |\n`).join("")
}

/** The line in which the README's table first differs from these rows; undefined where none does. */
export function staleLine(root, rows) {
  const said = block(readFileSync(join(root, "README.md"), "utf8"), "matrix").text.split("\n")
  const due = matrixBlock(rows).split("\n")
  const at = due.findIndex((line, index) => line !== said[index])
  if (at >= 0) return `"${said[at] ?? ""}" should be "${due[at]}"`
  return said.length === due.length ? undefined : `"${said[due.length]}" is run by no host`
}
