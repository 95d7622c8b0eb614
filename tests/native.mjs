// The native engine as a process that answers vectors: builds examples/conform.rs and talks to it.

import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { createInterface } from "node:readline"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Builds the example in the profile in which `cargo test` has compiled all of it, and gives its path. */
export function build() {
  const { stdout, status, error } = spawnSync(
    "cargo",
    ["build", "--locked", "--profile", "test", "--example", "conform", "--message-format", "json-render-diagnostics"],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 2 ** 28 },
  )
  if (error) throw error
  const built = stdout
    .split("\n")
    .filter((line) => line.includes('"compiler-artifact"'))
    .map((line) => JSON.parse(line))
    .find(({ target, executable }) => target.name === "conform" && executable)
  if (status !== 0 || !built) throw new Error(`cargo build --example conform failed (${status})`)
  return built.executable
}

/**
 * Starts it. `run(vector)` gives `{id, gives}`; any number may be on their way at once. `close()` ends it.
 * TOOLCRIB_NATIVE names a binary that is there already, such as one that was broken on purpose.
 */
export function start(path = process.env.TOOLCRIB_NATIVE ?? build()) {
  const child = spawn(path, { stdio: ["pipe", "pipe", "pipe"] })
  const waiting = []
  let words = ""
  child.stderr.setEncoding("utf8").on("data", (text) => (words += text))
  child.stdin.on("error", () => {})
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => waiting.shift().resolve(JSON.parse(line)))
  child.on("close", () => {
    const failure = new Error(`the native engine ended: ${words.trim()}`)
    for (const { reject } of waiting.splice(0)) reject(failure)
  })
  return {
    run: (vector) =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null || child.signalCode !== null) return reject(new Error(`the native engine ended: ${words.trim()}`))
        waiting.push({ resolve, reject })
        child.stdin.write(`${JSON.stringify(vector)}\n`)
      }),
    async close() {
      child.stdin.end()
      if (child.exitCode === null && child.signalCode === null) await once(child, "close")
    },
  }
}
