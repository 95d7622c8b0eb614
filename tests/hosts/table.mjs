// The matrix as the README shows it.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { block } from "../docs/markdown.mjs"

/** The table in Markdown: a line for each place, and another for what can't work there, with the error's code. */
export function matrixBlock(rows) {
  const lines = []
  for (const { where, how, refuses } of rows) {
    const same = lines.find((line) => line.where === where && line.refuses === refuses)
    if (same) same.hows.add(how)
    else lines.push({ where, refuses, hows: new Set([how]) })
  }
  const isDone = ({ refuses }) => refuses === undefined
  const sorted = [...lines.filter(isDone), ...lines.filter((line) => !isDone(line))]
  const cells = sorted.map(({ where, refuses, hows }) => [refuses ? `✗ \`${refuses}\`` : "✓", where, [...hows].join("; ")])
  return [["", "where", "how"], ["---", "---", "---"], ...cells].map((row) => `| ${row.join(" | ")} |\n`).join("")
}

/** The line in which the README's table first differs from these rows; undefined where none does. */
export function staleLine(root, rows) {
  const said = block(readFileSync(join(root, "README.md"), "utf8"), "matrix").text.split("\n")
  const due = matrixBlock(rows).split("\n")
  const at = due.findIndex((line, index) => line !== said[index])
  if (at >= 0) return `"${said[at] ?? ""}" should be "${due[at]}"`
  return said.length === due.length ? undefined : `"${said[due.length]}" is run by no host`
}
