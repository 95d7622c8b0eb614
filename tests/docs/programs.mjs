// Runs the code of a document. A fence that begins with an import begins a program; the code fences after it go on
// with it, as a reader would paste them. `EXPRESSION // => VALUE` is checked, and a `text` or `json` fence is what
// the code fence before it prints.

import assert from "node:assert/strict"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { must, run } from "../../scripts/lib/process.mjs"

const CODE = ["js", "ts"]
const OUTPUT = ["text", "json"]
const MARK = "\u0001fence "

/** The programs of a document's fences: `{ language, line, fences }`, each code fence with the output it is to have. */
export function programs(fences) {
  const found = []
  let last
  for (const { language, line, code } of fences) {
    if (CODE.includes(language)) {
      last = { line, code, prints: undefined }
      if (/^import /.test(code)) found.push({ language, line, fences: [last] })
      else {
        assert.equal(found.at(-1)?.language, language, `the code at line ${line} goes on with no program`)
        found.at(-1).fences.push(last)
      }
    } else if (OUTPUT.includes(language)) {
      assert.ok(last && last.prints === undefined, `the ${language} at line ${line} follows no code that prints it`)
      last.prints = { language, line, code }
    } else {
      last = undefined
    }
  }
  return found
}

/** The text of a program with each line where it stands in the document, so that an error names the right one. */
function source({ fences }) {
  const checks = []
  const lines = []
  for (const { line, code } of fences) {
    // The line with the backticks has room for it. Imports are hoisted over it.
    lines[line - 2] = `__fence(${line})`
    code.trimEnd().split("\n").forEach((row, at) => {
      const check = /^(\s*)(\S.*?)\s+\/\/ => (.+)$/.exec(row)
      lines[line - 1 + at] = check ? `${check[1]}__check(${line + at}, (${check[2]}), (${check[3]}))` : row
      if (check) checks.push(line + at)
    })
  }
  return { text: `${Array.from(lines, (row) => row ?? "").join("\n")}\n`, checks }
}

// How many checks were made is told by the exit code: one that no line reached would else pass.
const PRELOAD = `
import { isDeepStrictEqual, inspect } from "node:util"
const reached = new Set()
globalThis.__fence = (line) => console.log(${JSON.stringify(MARK)} + line)
globalThis.__check = (line, actual, expected) => {
  reached.add(line)
  if (isDeepStrictEqual(actual, expected)) return
  const [gives, wanted] = [actual, expected].map((value) => inspect(value, { depth: 9 }))
  throw new Error("line " + line + " gives " + gives + ", not " + wanted)
}
process.on("exit", (code) => {
  const missed = JSON.parse(process.env.TOOLCRIB_DOCS_CHECKS).filter((line) => !reached.has(line))
  if (code !== 0 || missed.length === 0) return
  console.error("not reached: line " + missed.join(", "))
  process.exitCode = 1
})
`
const DECLARED = `declare function __fence(line: number): void
declare function __check(line: number, actual: unknown, expected: unknown): void
`

/** An empty folder in which `toolcrib` means the package of the folder around it. */
export function prepare(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "preload.mjs"), PRELOAD)
  writeFileSync(join(folder, "declared.d.ts"), DECLARED)
}

/** Checks the types of all TypeScript programs at once: the compiler takes as long for one as for ten. */
export async function typeCheck(root, folder, all) {
  const typed = all.filter(({ language }) => language === "ts")
  for (const program of typed) writeFileSync(join(folder, `line${program.line}.ts`), source(program).text)
  const { compilerOptions } = JSON.parse(
    readFileSync(join(root, "tests/types/tsconfig.json"), "utf8").replace(/^\s*\/\/.*$/gm, ""),
  )
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  await must(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], { cwd: folder })
}

/** Runs a program and compares what it gives and prints. */
export async function play(folder, program) {
  const { text, checks } = source(program)
  const file = `line${program.line}.mjs`
  writeFileSync(join(folder, file), program.language === "ts" ? await stripped(text) : text)
  const { code, stdout, output } = await run(
    process.execPath,
    ["--enable-source-maps", "--import", "./preload.mjs", file],
    { cwd: folder, env: { TOOLCRIB_DOCS_CHECKS: JSON.stringify(checks), NODE_OPTIONS: "" } },
  )
  assert.equal(code, 0, output)
  const [, ...printed] = stdout.split(MARK)
  assert.equal(printed.length, program.fences.length)
  printed.forEach((part, at) => {
    const { line, prints } = program.fences[at]
    const said = part.slice(part.indexOf("\n") + 1).trimEnd()
    if (prints === undefined) assert.equal(said, "", `the code at line ${line} prints what the document does not show`)
    else {
      const read = prints.language === "json" ? JSON.parse : (text) => text.trimEnd()
      assert.deepEqual(read(said), read(prints.code), `line ${prints.line}`)
    }
  })
}

async function stripped(text) {
  const { transform } = await import("esbuild")
  const { code } = await transform(text, { loader: "ts", format: "esm", target: "es2022", sourcemap: "inline" })
  return code
}
