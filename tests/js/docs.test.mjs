// What the documents say is run, compared or looked up. tests/docs/ has the tools for it.

import assert from "node:assert/strict"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { createToolSearch } from "../../pkg/index.js"
import { must, npm } from "../../scripts/lib/process.mjs"
import { agentOptions, errorCodes, formats, knownOptions, modules, objectTypes } from "../docs/declared.mjs"
import { entrySizes } from "../../scripts/lib/sizes.mjs"
import { demoBlock, playDemo, sizeBlock } from "../docs/figures.mjs"
import { anchors, block, fences, links, spans, tables } from "../docs/markdown.mjs"
import { play, prepare, programs, typeCheck } from "../docs/programs.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const read = (name) => readFileSync(join(root, name), "utf8")
const DOCUMENTS = readdirSync(root).filter((name) => name.endsWith(".md"))
const { scripts } = JSON.parse(read("package.json"))

const readme = read("README.md")
/** The documents whose code is run, each with its programs. */
const RUN = Object.fromEntries(["README.md", "PROVIDERS.md"].map((name) => [name, programs(fences(read(name)))]))
const readmePrograms = RUN["README.md"]
const INSTALL = "npm install toolcrib"

for (const name of Object.keys(RUN)) {
  test(`every fence of ${name} is of a kind that a test executes`, () => {
    const all = fences(read(name))
    for (const { language, line } of all) {
      assert.ok(["js", "ts", "sh", "text", "json"].includes(language), `line ${line}: nothing executes "${language}"`)
    }
    for (const { line, code } of all.filter(({ language }) => language === "sh")) {
      for (const command of code.trim().split("\n")) {
        assert.ok(command === INSTALL || script(command) !== undefined, `line ${line}: nothing runs "${command}"`)
      }
    }
  })
}

test("the first example of the README ends by line 60", () => {
  const [{ fences: parts }] = readmePrograms
  assert.ok(parts[0].line + parts[0].code.split("\n").length <= 60)
})

for (const [name, all] of Object.entries(RUN)) {
  test(`the code of ${name} gives and prints what it says`, async (t) => {
    const folder = join(root, ".cache", "docs", name)
    prepare(folder)
    if (all.some(({ language }) => language === "ts")) await t.test("types", () => typeCheck(root, folder, all))
    for (const program of all) await t.test(`line ${program.line}`, () => play(folder, program))
  })
}

test("the tables of formats have all of them, and say which load natively", () => {
  const all = formats(root)
  const rows = (text) => tables(text).find(({ header: [first] }) => first === "format").rows
  assert.deepEqual(rows(read("PROVIDERS.md")).map(([format]) => format), all)
  const told = rows(readme).map(([format, , , native]) => [format.slice(1, -1), native !== ""])
  const models = ["claude-sonnet-4-5", "gpt-5.4"]
  const loads = (format) => models.some((model) => createToolSearch({ tools: [], format, delivery: "auto", model }).delivery.used === "native")
  assert.deepEqual(told, all.map((format) => [format, loads(format)]))
})

test(`${INSTALL}: the packed package runs the first example`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-docs-"))
  try {
    const [program, before] = npm()
    await must(program, [...before, "pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root })
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
    await must(program, [...before, "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], { cwd: folder })
    const installed = readdirSync(join(folder, "node_modules", "toolcrib")).sort()
    assert.deepEqual(installed, ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "THIRD_PARTY.md", "package.json", "pkg"])
    const own = join(folder, "app")
    prepare(own)
    await play(own, readmePrograms[0])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test("tables that name a type of the package list its fields, all of them once", () => {
  const declared = objectTypes(root)
  const named = tables(readme).filter(({ header: [first] }) => /^`\w+`$/.test(first))
  const names = named.map(({ header: [first] }) => first.slice(1, -1))
  const due = ["ToolSearchOptions", "TurnOptions", "Turn", "TurnDelivery", "TurnCache", "Reply", "SearchResult", "Fitted", "Hit", "ErrorCode", "Warning"]
  assert.deepEqual(names, due)
  for (const [at, { line, rows }] of named.entries()) {
    const fields = names[at] === "ErrorCode" ? errorCodes(root) : [...(declared.get(names[at])?.keys() ?? [])]
    const listed = rows.map(([first]) => first.slice(1, -1))
    assert.ok(fields.length > 0, `line ${line}: there is no type ${names[at]}`)
    assert.deepEqual([...listed].sort(), [...fields].sort(), `line ${line}`)
  }
  const options = declared.get("ToolSearchOptions")
  assert.deepEqual([...options.keys()].sort(), knownOptions(root).sort())
})

test("the options that are taken are those that the types name, and the README names every method", () => {
  const declared = objectTypes(root)
  const fields = (name) => [...declared.get(name).keys()].sort()
  for (const [type, list] of [["TurnOptions", "TURN"], ["FitOptions", "FIT"], ["Threshold", "THRESHOLD"], ["ServerOptions", "SERVER"]]) {
    assert.deepEqual(fields(type), knownOptions(root, list).sort(), `${type} and ${list} of js/options.ts`)
  }
  const { typed, taken } = agentOptions(root)
  assert.deepEqual([...typed].sort(), [...taken].sort(), "AgentOptions and AGENT of js/options.ts")
  const named = spans(readme).join("\n") + fences(readme).map(({ code }) => code).join("\n")
  for (const name of fields("ToolSearch")) assert.match(named, new RegExp(`\\b${name}\\b`), `the README does not name ${name}`)
})

test("the defaults in the options table are those that js/types.ts names", () => {
  const options = objectTypes(root).get("ToolSearchOptions")
  const { header, rows } = tables(readme).find(({ header: [first] }) => first === "`ToolSearchOptions`")
  assert.equal(header[2], "default")
  for (const [name, , given] of rows) {
    const values = given.match(/"[^"]+"|\d+(?:[,._]\d+)*|[A-Z_]{4,}|true|false/g) ?? []
    const comment = options.get(name.slice(1, -1))
    for (const value of values) assert.ok(comment.includes(value), `${name}: js/types.ts knows no default ${value}`)
    assert.ok(values.length > 0 || given === "" || given === "required", `${name}: what is the default "${given}"?`)
  }
})

test("the README's table is what the demo measures (mend: node tests/docs/figures.mjs)", async () => {
  assert.equal(block(readme, "demo").text, demoBlock(await playDemo()))
})

test("the README's sizes are those of the build, within 3 % (mend: node tests/docs/figures.mjs)", () => {
  const [said, fresh] = [block(readme, "sizes").text, sizeBlock(entrySizes(join(root, "pkg")))].map((text) => tables(text)[0])
  assert.deepEqual(said.header, fresh.header)
  for (const [at, [name, ...sizes]] of fresh.rows.entries()) {
    assert.equal(said.rows[at][0], name)
    for (const [column, size] of sizes.entries()) {
      const [ours, theirs] = [said.rows[at][column + 1], size].map(parseFloat)
      assert.ok(Math.abs(ours / theirs - 1) <= 0.03, `${name}: the README says ${ours} kB, the build has ${theirs} kB`)
    }
  }
})

test("links lead to what is there", () => {
  for (const name of DOCUMENTS) {
    for (const target of links(read(name))) {
      const [path, anchor] = target.split("#")
      assert.ok(path === "" || existsSync(join(root, path)), `${name} links to ${target}`)
      if (anchor) assert.ok(anchors(read(path || name)).includes(anchor), `${name} links to ${target}`)
    }
  }
})

test("paths and commands in the documents exist", () => {
  const folders = readdirSync(root)
  for (const name of DOCUMENTS) {
    const shell = fences(read(name)).flatMap(({ language, code }) => (language === "sh" ? code.trim().split("\n") : []))
    for (const span of [...spans(read(name)), ...shell]) {
      const path = /^(?:node )?((?:[\w.-]+\/)*[\w.*-]*)(?:::(\w+))?(?: |$)/.exec(span)
      const isPath = path && (folders.includes(path[1].split("/")[0]) || /\.(rs|mjs|ts|md|toml|json)$/.test(path[1]))
      if (isPath && path[1].split("/")[0] !== "toolcrib") {
        assert.ok(exists(path[1]), `${name} names ${path[1]}, which is not there`)
        if (path[2]) assert.ok(read(path[1]).includes(path[2]), `${name}: ${path[1]} has no ${path[2]}`)
      }
      if (/^npm (run|test)\b/.test(span)) assert.ok(script(span) !== undefined, `${name} names "${span}"`)
    }
  }
})

test("ARCHITECTURE.md maps every module of src/ in its order, and every file of js/", () => {
  const rows = tables(read("ARCHITECTURE.md")).map(({ rows }) => rows.map(([first]) => first.replaceAll("`", "")))
  const order = modules(root)
  assert.ok(rows.some((names) => names.join() === order.join()), `no table lists ${order.join(", ")}`)
  const sources = readdirSync(join(root, "js"), { recursive: true }).filter((name) => /(?<!\.d)\.ts$/.test(name))
  const files = sources.map((name) => `js/${name.replaceAll("\\", "/")}`).sort()
  assert.ok(rows.some((names) => [...names].sort().join() === files.join()), `no table lists ${files.join(", ")}`)
})

/** The script that `npm test` or `npm run NAME` runs; undefined when there is none. */
function script(command) {
  const [, run, name, step] = /^npm (?:(run) )?([\w-]+)(?: -- --only ([\w-]+))?/.exec(command) ?? []
  if (step !== undefined && !read("scripts/test.mjs").includes(`name: "${step}"`)) return undefined
  return run || name === "test" ? scripts[name] : undefined
}

function exists(path) {
  if (!path.includes("*")) return existsSync(join(root, path))
  const pattern = new RegExp(`^${basename(path).replaceAll(".", "\\.").replaceAll("*", ".*")}$`)
  const folder = join(root, dirname(path))
  return existsSync(folder) && readdirSync(folder).some((name) => pattern.test(name))
}
