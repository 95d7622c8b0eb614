// Servers that don't behave.

import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"

import { brokenServer, closeServers, demoServers, startServers } from "../servers.mjs"
import { isAlive } from "./processes.mjs"

const home = mkdtempSync(join(tmpdir(), "toolcrib-demo-test-"))
after(() => rmSync(home, { recursive: true, force: true }))

const script = (name, code) => ({ name, package: "(test)", command: [process.execPath, "-e", code] })

test("each failure is one line with its reason, and the others go on", async () => {
  const { running, failed } = await startServers(
    [
      brokenServer,
      script("silent", "console.error('loading'); process.stdin.resume(); setInterval(() => {}, 1000)"),
      script("babbling", "setInterval(() => console.log('hello'), 20)"),
      { name: "absent", package: "(test)", command: [join(home, "no-such-program")] },
      { name: "uninstalled", package: "no-such-package" },
      ...demoServers({ files: home, memory: join(home, "memory.jsonl") }).slice(0, 2),
    ],
    { home, timeout: 10_000 },
  )
  assert.deepEqual(
    running.map(({ name }) => name),
    ["filesystem", "memory"],
  )
  const reasons = Object.fromEntries(failed.map(({ name, failure }) => [name, failure]))
  for (const reason of Object.values(reasons)) assert.doesNotMatch(reason, /\n/)
  assert.match(reasons.broken, /closed; Error: BROKEN_API_KEY is not set$/)
  assert.equal(reasons.silent, "no answer within 10 s; loading")
  assert.match(reasons.babbling, /^no answer within 10 s/)
  assert.match(reasons.absent, /ENOENT/)
  assert.match(reasons.uninstalled, /no-such-package/)
  await closeServers()
})

test("no server outlives a demo that ends at once", async () => {
  const pid = join(home, "pid")
  // Deaf to a closed input: only a signal ends it.
  const deaf = `require("fs").writeFileSync(${JSON.stringify(pid)}, String(process.pid)); setInterval(() => {}, 1000)`
  const code = `
    const { startServers } = await import(${JSON.stringify(new URL("../servers.mjs", import.meta.url).href)});
    startServers([{ name: "deaf", package: "", command: [process.execPath, "-e", ${JSON.stringify(deaf)}] }], { home: ${JSON.stringify(home)} });
    const { existsSync, readFileSync } = await import("node:fs");
    const started = () => existsSync(${JSON.stringify(pid)}) && readFileSync(${JSON.stringify(pid)}, "utf8") !== "";
    setInterval(() => { if (started()) throw new Error("a defect") }, 50);`
  const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" })
  assert.notEqual(status, 0)
  const id = Number(readFileSync(pid, "utf8"))
  // The signal is sent; the process may need a moment to be gone.
  for (let tries = 0; tries < 40 && isAlive(id); tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(isAlive(id), false)
})
