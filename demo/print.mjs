// What the demo prints for people, at most 80 columns wide.

import { createColors } from "picocolors"

const WIDTH = 80

/** Whether colours belong in this stream: on a terminal, unless NO_COLOR (no-color.org) says otherwise. */
export const wantsColour = (stream, env) => Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== "dumb"

export const thousands = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",")

/** One line of at most `width` characters, what is too long cut with dots. */
export function fit(text, width) {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= width ? line : `${line.slice(0, width - 3)}...`
}

/** Text broken at spaces, every line indented. */
export function wrap(text, indent) {
  const lines = []
  for (const paragraph of text.split("\n")) {
    let line = ""
    for (const word of paragraph.split(" ")) {
      if (line && indent.length + line.length + 1 + word.length > WIDTH) {
        lines.push(indent + line)
        line = word
      } else line = line ? `${line} ${word}` : word
    }
    lines.push(indent + line)
  }
  return lines.join("\n")
}

/** JSON without its white space; any other text as it is. */
function compact(text) {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

/**
 * Why a tool was found: the terms that matched, grouped by the fields they stand in. Of many fields the
 * two that weigh most, which come first; --json has them all.
 */
export function reasons(terms) {
  const groups = new Map()
  for (const { term, fields } of terms) {
    const where = fields.slice(0, 2).join(", ")
    groups.set(where, [...(groups.get(where) ?? []), term])
  }
  return [...groups].map(([where, found]) => `${found.join(" ")} (${where})`).join(", ")
}

export function printer(write, colour) {
  const { bold, dim, green, red, cyan } = createColors(colour)
  const line = (text = "") => write(`${text}\n`)

  const tools = (count) => (count === 1 ? "tool " : "tools")

  return {
    title(model) {
      line(bold(`toolcrib on real MCP servers, with ${model}`))
      line()
    },

    servers({ running, failed, seconds }) {
      line(bold("MCP servers"))
      for (const { name, tools: listed, package: source, version } of running) {
        line(
          `  ${name.padEnd(12)}${String(listed.length).padStart(4)} ${tools(listed.length)}   ${dim(fit(`${source} ${version}`, WIDTH - 27))}`,
        )
      }
      for (const { name, failure } of failed) {
        line(`  ${name.padEnd(12)}${red(fit(`failed: ${failure}`, WIDTH - 14))}`)
      }
      const total = running.reduce((sum, { tools }) => sum + tools.length, 0)
      line(
        `  ${"together".padEnd(12)}${bold(String(total).padStart(4))} tools   ${dim(`${running.length} servers, up in ${seconds} s`)}`,
      )
      line()
    },

    deferral(deferral, resident, warnings) {
      line(
        `${bold("Deferral")}: ${deferral.applied ? green("on") : "off"}, ${deferral.deferredTools} of ${deferral.catalogueTools} tools`,
      )
      line(wrap(deferral.message, "  "))
      line(`  always sent: ${resident.join(", ")}`)
      for (const { message } of warnings) line(wrap(`warning: ${message}`, "  "))
      line()
    },

    task(task) {
      line(bold("Task"))
      line(wrap(task, "  "))
      line()
    },

    request({ request, sent, everything, searches, calls, says }) {
      const size = `${String(sent.tools).padStart(3)} tools, ${thousands(sent.tokens).padStart(6)} tokens`
      line(
        `${bold(`Request ${request}`.padEnd(11))}${cyan(size)}` +
          dim(`   everything up front: ${thousands(everything.tokens)} tokens`),
      )
      for (const { query, hits: found, alreadyLoaded, note } of searches) {
        const hits = found.filter(({ name }) => !alreadyLoaded.includes(name))
        line(`  search  ${fit(query.map((words) => `"${words}"`).join(", "), WIDTH - 10)}`)
        if (found.length === 0) line(dim(wrap(note, "          ")))
        const width = Math.max(...hits.map(({ name }) => name.length), 0)
        for (const { name, score, terms } of hits) {
          const why = reasons(terms)
          const head = `  ${score.toFixed(2).padStart(6)}  ${name.padEnd(width)}`
          // Beside the name where there is room, else below it.
          if (head.length + 2 + why.length <= WIDTH) line(`${head}  ${dim(why)}`)
          else line(`${head.trimEnd()}\n${dim(wrap(why, " ".repeat(12)))}`)
        }
        if (alreadyLoaded.length > 0) line(dim(wrap(`loaded before: ${alreadyLoaded.join(", ")}`, " ".repeat(10))))
      }
      for (const { name, foundIn, failed, result } of calls) {
        line(`  call    ${name}${foundIn === null ? "" : `  ${green(`found in request ${foundIn}`)}`}`)
        line(`          ${(failed ? red : dim)(fit(compact(result), WIDTH - 10))}`)
      }
      if (says) line(wrap(says, "  "))
      line()
    },

    totals(totals, checks, seconds) {
      const row = (label, figure, rest) => line(`  ${label.padEnd(32)}${figure}  ${dim(rest)}`)
      const figure = (number) => thousands(number).padStart(10)
      line(bold("Tokens over the run"))
      row("all definitions up front", figure(totals.everythingTokens), `in ${totals.requests} requests`)
      row(
        "definitions and note sent",
        figure(totals.sentTokens),
        `${totals.searches} searches, ${totals.calls} tool calls`,
      )
      row(
        "searches and their results",
        figure(totals.searchTokens),
        "they stay in the messages",
      )
      row("saved", bold(green(`${totals.savedPercent.toFixed(1)} %`.padStart(10))), "all of that counted")
      if (totals.onlySearched > 0) {
        row(
          "",
          `${totals.savedPercentStrict.toFixed(1)} %`.padStart(10),
          `without the ${totals.onlySearched} search-only ones`,
        )
      }
      line()
      for (const { what, ok } of checks) line(`  ${ok ? green("ok    ") : red("not ok")}  ${what}`)
      line(dim(`  ${seconds.all} s in all: servers ${seconds.servers} s, run ${seconds.run} s`))
    },
  }
}
