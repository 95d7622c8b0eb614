// Runs through the providers' real SDKs, to a local server that checks each request: the files of sdk/, each in a Node that
// its packages take. A file that no Node here can run is skipped, and says why.

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { before, describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import { install } from "../../scripts/lib/install.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const binaries = join(here, "..", "hosts", "node")
const running = parseInt(process.versions.node)
/** The versions that tests/hosts/node installs. */
const OTHERS = [22, 26]

/** The packages that a file imports, its own helpers aside. */
function packages(file) {
  const text = readFileSync(join(here, "sdk", file), "utf8")
  const names = [...text.matchAll(/^import .* from "((?:@[^/"]+\/)?[^./"][^/"]*)/gm)].map(([, name]) => name)
  return [...new Set(names)].filter((name) => !name.startsWith("node:"))
}

/** The first Node that all packages of a file take, as far as they say: by the least major version. */
function least(file) {
  const wants = packages(file).map((name) => {
    const { engines } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"))
    return parseInt(/^>=\s*(\d+)/.exec(engines?.node ?? "")?.[1] ?? "0")
  })
  return Math.max(0, ...wants)
}

/** The program of a Node that is new enough, or why there is none. */
function nodeFor(major) {
  if (running >= major) return { program: process.execPath }
  for (const other of OTHERS.filter((other) => other >= major)) {
    const program = join(binaries, "node_modules", `node-${other}-${process.platform}-${process.arch}`, "bin", "node")
    if (existsSync(program)) return { program }
  }
  return { why: `it needs Node ${major} or later, this is ${process.versions.node}, and tests/hosts/node brings none for ${process.platform}-${process.arch}` }
}

/** Runs a file of tests and resolves to what it printed. */
function perform(program, file) {
  const env = { ...process.env }
  // Node's test runner would take it for a part of this one, and run nothing.
  delete env.NODE_TEST_CONTEXT
  return new Promise((resolve) => {
    const args = ["--test-reporter=tap", join(here, "sdk", file)]
    execFile(program, args, { env, timeout: 120_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) => resolve({ error, output: `${stdout}\n${stderr}` }))
  })
}

describe("runs through the SDKs", () => {
  const files = readdirSync(join(here, "sdk")).filter((name) => name.endsWith(".mjs") && !name.endsWith("talk.mjs"))

  before(async () => {
    await install(here, "tests/providers/package.json")
    if (running < OTHERS[0]) await install(binaries, "tests/hosts/node/package.json")
  })

  for (const file of files) {
    test(file, async (t) => {
      const { program, why } = nodeFor(least(file))
      if (why) {
        t.skip(why)
        return
      }
      const { error, output } = await perform(program, file)
      const count = (what) => Number(new RegExp(`^# ${what} (\\d+)`, "m").exec(output)?.[1])
      assert.equal(error, null, output.slice(-6000))
      // A file whose tests nobody ran would pass too.
      assert.ok(count("pass") > 0 && count("pass") === count("tests"), output.slice(-3000))
      t.diagnostic(`${count("pass")} runs, ${program === process.execPath ? "this Node" : program.split(/[\\/]/).at(-3)}`)
    })
  }

  test("every package of package.json is run", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"))
    const run = new Set(files.flatMap(packages))
    // What only the type tests use.
    const others = ["typescript", "typescript-oldest", "zod"]
    assert.deepEqual(Object.keys(devDependencies).filter((name) => !run.has(name) && !others.includes(name)), [])
  })
})
