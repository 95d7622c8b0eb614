// The task of the run, and how it is checked that it was really done: on disk, not in what the model says.

import { readFile } from "node:fs/promises"
import { join } from "node:path"

export const PROMPT = "You are a project assistant. Do what is asked with the tools you have, then sum up what you did."

export const TASK = `Project Heron ships on 2027-03-12.
1. Write that to release.md in the folder you may use and read it back.
2. Remember Heron and its release date in the knowledge graph.
3. QA has 128 open and 57 blocked tickets: how many together?
4. Look Heron up in the knowledge graph.
5. Translate the note into Portuguese, or say that no tool can.`

/** Tools that this agent needs on nearly every run: always sent. Everything else is deferred. */
export const RESIDENT = ["filesystem__list_allowed_directories", "filesystem__read_text_file"]

/** What must be true after the run, each with whether it is. */
export async function check({ files, memory, answer }) {
  const note = await readFile(join(files, "release.md"), "utf8").catch(() => "")
  const graph = await readFile(memory, "utf8").catch(() => "")
  return [
    { what: "release.md on disk holds the date", ok: note.includes("2027-03-12") },
    { what: "the memory server's file knows Heron and the date", ok: /Heron/.test(graph) && /2027-03-12/.test(graph) },
    { what: "the answer has the sum", ok: /\b185\b/.test(answer) },
  ]
}
