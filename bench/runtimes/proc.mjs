// What Linux says of a process from outside, which works for runtimes whose clocks stand still or that say nothing of
// their threads. `null` elsewhere.

import { readdirSync, readFileSync } from "node:fs"

/** CPU of a process so far, in ms: of the thread it began with, and of all others, which compile and collect. */
export function cpu(pid) {
  return attempt(() => {
    const used = { main: 0, others: 0 }
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      // Nanoseconds; the ticks in `stat` are of ten milliseconds.
      const [ran] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")
      used[Number(thread) === pid ? "main" : "others"] += Number(ran) / 1e6
    }
    return used
  })
}

/** The memory in use, in bytes, without that of files, which other processes share. */
export function resident(pid) {
  return attempt(() => 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]))
}

/** CPU once the process has come to rest, as compilers go on after an answer. */
export async function settled(pid) {
  let last = cpu(pid)
  if (!last) return null
  for (let quiet = 0, polls = 0; quiet < 4 && polls < 100; polls++) {
    await new Promise((resolve) => setTimeout(resolve, 25))
    const now = cpu(pid)
    quiet = now.main + now.others - last.main - last.others < 0.3 ? quiet + 1 : 0
    last = now
  }
  return last
}

export const spent = (after, before) =>
  after && before && { main: after.main - before.main, others: after.others - before.others }

function attempt(read) {
  try {
    return read()
  } catch {
    return null
  }
}
