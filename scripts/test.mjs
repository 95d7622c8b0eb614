// `npm test`: everything that CI runs, in its order. `npm test -- --only STEP` runs one step.

import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { build, root } from "./build.mjs"
import { deny } from "./lib/deny.mjs"
import { BUILDER } from "./lib/engine.mjs"
import { install } from "./lib/install.mjs"
import { jsr } from "./lib/jsr.mjs"
import { library } from "./lib/library.mjs"
import { command, isCommand, Problem, run, seconds } from "./lib/process.mjs"
import { release } from "./lib/release.mjs"
import { component, mending, toolchain } from "./lib/toolchain.mjs"
import { typeTests } from "./lib/type-tests.mjs"
import { binary } from "../tests/hosts/edge/binary.mjs"

const node = process.execPath
const tsc = (...args) => [node, "node_modules/typescript/bin/tsc", ...args]
const lints = ["--locked", "--", "-D", "warnings"]

/** The lines in which cargo, node's test runner and run-case.mjs count. */
const COUNTS = /^test result: |^(ℹ|#) (tests|pass|fail|skipped) \d|^\S*:? ?\d+ passed, /
/** The same, and why a telling leaves a conversation out. */
const FORMATS = /^(ℹ|#) (tests|pass|fail) \d|^(ℹ|#) skipped /

/** The same, and what the runs held. */
const RUNS = /^(ℹ|#) (tests|pass|fail) \d|^(ℹ|#) \d+ runs, /

// A step is a program with its arguments, or a function that gives one, or, where it `prints`, its lines. A missing path
// fails its step. `pkg` marks those that read the built package: alone, they build it first.
const STEPS = [
  { name: "build", does: build },
  { name: "format", does: ["cargo", "fmt", "--all", "--check"], needs: () => component(root, "rustfmt", "fmt") },
  { name: "clippy", does: ["cargo", "clippy", "--workspace", "--all-targets", ...lints], needs: clippy },
  // What only the wasm has is seen by no native lint. The release profile shares the macros that the build compiled.
  {
    name: "clippy-wasm",
    does: ["cargo", "clippy", "--release", "--lib", "--target", "wasm32-unknown-unknown", ...lints],
    needs: clippy,
  },
  { name: "rust", does: ["cargo", "test", "--locked"], needs: () => toolchain(root) },
  // In the profile that the build compiled it in; the test profile would compile walrus again, optimised.
  {
    name: "builder",
    does: ["cargo", "test", "--package", "toolcrib-builder", "--profile", "dev", "--locked"],
    env: BUILDER,
    needs: () => toolchain(root),
  },
  { name: "doc", does: async () => [await library(root)], prints: true },
  { name: "deny", does: () => deny(root), prints: true },
  { name: "types", does: tsc("-p", "tsconfig.json"), needs: () => install(root) },
  { name: "type-tests", does: () => typeTests(root), prints: true, pkg: true },
  // Slow to install the first time: it brings every runtime.
  { name: "hosts", does: [node, "tests/hosts/run.mjs"], pkg: true, shows: /^hosts: |^skipped / },
  {
    name: "release-files",
    does: () => [node, "--test", "--test-reporter=spec", ...files("tests/release", ".test.mjs")],
    needs: () => install(root),
  },
  { name: "release", does: () => release(root), prints: true },
  { name: "jsr", does: async () => [await jsr(root, await deno(root))], prints: true, pkg: true },
  {
    name: "javascript",
    does: () => [node, "--test", "--test-reporter=spec", ...files("tests/js", ".test.mjs")],
    pkg: true,
  },
  {
    name: "formats",
    does: () => [node, "--test", "--test-reporter=spec", ...files("tests/formats", ".test.mjs")],
    pkg: true,
    shows: FORMATS,
  },
  // The SDKs want the Node that their packages name: what the hosts have installed.
  {
    name: "providers",
    does: () => [node, "--test", "--test-reporter=spec", ...files("tests/providers", ".test.mjs")],
    needs: () => install(join(root, "tests", "providers"), "tests/providers/package.json"),
    pkg: true,
  },
  {
    name: "life",
    does: () => [node, "--test", "--test-reporter=spec", ...files("tests/life", ".test.mjs")],
    pkg: true,
    shows: RUNS,
  },
  {
    name: "estimates",
    does: () => [node, "--test", "--test-reporter=spec", ...files("tests/estimates", ".test.mjs")],
    needs: () => install(join(root, "tests", "estimates"), "tests/estimates/package.json"),
    pkg: true,
  },
  { name: "cases", does: () => [node, "tests/run-case.mjs", ...files("tests/vectors/cases", ".json")], pkg: true },
  { name: "demo", does: () => [node, "--test", "--test-reporter=spec", ...files("demo/test", ".test.mjs")], pkg: true },
]

/** The Deno that the hosts are tested on. */
async function deno(root) {
  const group = join(root, "tests", "hosts", "edge")
  await install(group, "tests/hosts/edge/package.json")
  return binary({ group }, "deno", "deno")
}

async function clippy() {
  await toolchain(root)
  await component(root, "clippy", "clippy")
}

/** The files in `folder` with this ending, in the order of their names. None is a failure: it would test nothing. */
function files(folder, ending) {
  const path = join(root, folder)
  const found = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(ending)) : []
  if (found.length === 0) throw new Problem(`no file ${folder}/*${ending}`)
  return found.sort().map((name) => `${folder}/${name}`)
}

/** Runs a step; resolves to the lines worth printing. */
async function perform({ name, does, env, needs, shows = COUNTS, prints }) {
  await needs?.()
  const program = Array.isArray(does) ? does : await does()
  if (prints) return program
  if (!Array.isArray(program)) return []
  const { code, output } = await run(program[0], program.slice(1), { cwd: root, env, doing: name })
  if (code !== 0) {
    const why = code === null ? `${program[0]} is not installed` : `exit code ${code}: ${shorter(program)}`
    throw new Problem(mending(output) ?? why, output)
  }
  return output.split("\n").filter((line) => shows.test(line))
}

function shorter(program) {
  const words = program.map((word) => (word === node ? "node" : word))
  return words.length > 9 ? `${words.slice(0, 8).join(" ")} and ${words.length - 8} more` : words.join(" ")
}

async function test() {
  const [flag, only, ...rest] = process.argv.slice(2)
  const names = STEPS.map(({ name }) => name).join(", ")
  if (flag !== undefined && (flag !== "--only" || rest.length > 0 || !STEPS.some(({ name }) => name === only))) {
    throw new Problem(`usage: npm test -- --only STEP, one of: ${names}`)
  }
  let passed = 0
  let failed = 0
  for (const step of STEPS) {
    if (only !== undefined && step.name !== only) continue
    const started = performance.now()
    try {
      if (only !== undefined && step.pkg) await build()
      const lines = await perform(step)
      passed += 1
      for (const line of lines) console.log(line)
      console.log(`ok ${step.name.padEnd(16)}${seconds(started).padStart(9)}`)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      failed += 1
      if (error.output) console.log(error.output.trimEnd())
      console.log(`not ok ${step.name.padEnd(12)}${seconds(started).padStart(9)}  ${error.message}`)
      console.log(`    again: npm test -- --only ${step.name}`)
      process.exitCode = 1
      // Of a package that was not built every later failure would only repeat this one.
      if (step.name === "build") break
    }
  }
  console.log(`toolcrib: ${passed} passed, ${failed} failed`)
}

if (isCommand(import.meta.url)) await command(test)
