// The little of Markdown that the documents here use.

/** The fenced blocks: `{ language, line, code }`, `line` being that of the first line of code. */
export function fences(text) {
  const found = []
  let open
  text.split("\n").forEach((row, at) => {
    const fence = /^```(.*)$/.exec(row)
    if (fence && open) open = undefined
    else if (fence) found.push((open = { language: fence[1].trim(), line: at + 2, code: "" }))
    else if (open) open.code += `${row}\n`
  })
  if (open) throw new Error(`the fence at line ${open.line - 1} does not end`)
  return found
}

/** The text without its fenced blocks, the lines where they were. */
export function prose(text) {
  let open = false
  const keep = (row) => (row.startsWith("```") ? ((open = !open), false) : !open)
  return text
    .split("\n")
    .map((row) => (keep(row) ? row : ""))
    .join("\n")
}

/** The tables: `{ line, header, rows }`, cells trimmed, `\|` read as `|`. */
export function tables(text) {
  const found = []
  let rows = []
  prose(`${text}\n`).split("\n").forEach((row, at) => {
    if (row.startsWith("|")) {
      rows.push(row.slice(1).replace(/\|\s*$/, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")))
    } else if (rows.length) {
      const [header, , ...body] = rows
      found.push({ line: at + 1 - rows.length, header, rows: body })
      rows = []
    }
  })
  return found
}

/** Where links lead: `[words](target)`, without what leads out of the repository. */
export function links(text) {
  const targets = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target)
  return targets.filter((target) => !/^[a-z]+:/.test(target))
}

/** What stands between backticks in the running text. */
export function spans(text) {
  return [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span)
}

/** The anchors that headings have on the usual hosts. */
export function anchors(text) {
  return [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"),
  )
}

/** A block that is made and not written by hand: what stands between `<!-- name -->` and `<!-- /name -->`. */
export function block(text, name) {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const from = text.indexOf(start)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`no block "${name}"`)
  return { from: from + start.length, to, text: text.slice(from + start.length, to) }
}
