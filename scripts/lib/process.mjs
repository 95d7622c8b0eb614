// Running other programs: quiet while it is quick, a line now and then while it is not, everything when it fails.

import { spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { basename, delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Something whoever ran the command can mend. Its message is one line; `output` is what the failed program said. */
export class Problem extends Error {
  constructor(message, output = "") {
    super(message)
    this.name = "Problem"
    this.output = output
  }
}

/** Prints a line of progress. On stderr, so that stdout holds results only. */
export function say(line) {
  process.stderr.write(`toolcrib: ${line}\n`)
}

/** Runs `main` as a command: a `Problem` becomes its output, one line and exit code 1; anything else a stack trace. */
export async function command(main) {
  try {
    if (parseInt(process.versions.node) < 20) {
      throw new Problem(`Node ${process.versions.node} is too old, 20 or later is needed`)
    }
    await main()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.output) process.stderr.write(`${error.output.trimEnd()}\n`)
    say(error.message)
    process.exitCode = 1
  }
}

/** Whether the module with this `import.meta.url` is what node was started with, and not imported by another. */
export function isCommand(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)
}

export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

// A shell opened before rustup was installed does not have its folder on the path yet.
const cargoBin = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin")
const path = existsSync(cargoBin) ? `${process.env.PATH}${delimiter}${cargoBin}` : process.env.PATH

const SILENT_FOR = 3_000
const THEN_EVERY = 10_000

/**
 * Runs a program and resolves to `{ code, stdout, output }`; `code` is null when the program is not there.
 * `doing` names the work in the progress lines; after `timeout` milliseconds the program is ended, which is a failure.
 * `output` is stdout and stderr as they came.
 */
export function run(program, args, { doing, cwd, env, timeout } = {}) {
  return new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(program, args, {
      cwd,
      timeout,
      env: { ...process.env, PATH: path, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && program === "npm",
    })
    const stdout = []
    const output = []
    let last = ""
    const keep = (chunk, toStdout) => {
      if (toStdout) stdout.push(chunk)
      output.push(chunk)
      last = String(chunk).trim().split("\n").at(-1).trim() || last
    }
    child.stdout.on("data", (chunk) => keep(chunk, true))
    child.stderr.on("data", (chunk) => keep(chunk, false))

    let timer
    const tick = () => {
      const now = last && last.length < 100 ? `: ${last}` : ""
      say(`${doing} (${Math.round((performance.now() - started) / 1000)} s${now})`)
      timer = setTimeout(tick, THEN_EVERY)
    }
    if (doing) timer = setTimeout(tick, SILENT_FOR)

    const end = (code) => {
      clearTimeout(timer)
      resolve({
        code,
        stdout: Buffer.concat(stdout).toString(),
        output: Buffer.concat(output).toString(),
      })
    }
    child.on("error", () => end(null))
    child.on("close", (code) => end(code ?? 1))
  })
}

/** Like `run`, but a failure is a `Problem` that says what failed; resolves to what went to stdout. */
export async function must(program, args, options = {}) {
  const { code, stdout, output } = await run(program, args, options)
  if (code === 0) return stdout
  const line = [program, ...args].map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(" ")
  throw new Problem(
    code === null ? `${program} is not installed, needed for: ${line}` : `failed with exit code ${code}: ${line}`,
    output,
  )
}

/** The npm that runs this script, or the one on the path: `[program, arguments before the command]`. */
export function npm() {
  const running = process.env.npm_execpath
  return running && basename(running) === "npm-cli.js" ? [process.execPath, [running]] : ["npm", []]
}
