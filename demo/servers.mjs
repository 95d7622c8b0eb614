// Starts real MCP servers over stdio, lists their tools and closes them again.

import { readFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"

const modules = fileURLToPath(new URL("node_modules/", import.meta.url))

/**
 * The servers of the demo. Credentials are placeholders: the services behind them are never called,
 * only their tools are listed. `files` is the one folder the file server may touch, `memory` the
 * file in which the memory server keeps its graph.
 */
export const demoServers = ({ files, memory }) => [
  { name: "filesystem", package: "@modelcontextprotocol/server-filesystem", args: [files] },
  { name: "memory", package: "@modelcontextprotocol/server-memory", env: { MEMORY_FILE_PATH: memory } },
  { name: "everything", package: "@modelcontextprotocol/server-everything", args: ["stdio"] },
  { name: "thinking", package: "@modelcontextprotocol/server-sequential-thinking" },
  {
    name: "github",
    package: "@modelcontextprotocol/server-github",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "placeholder" },
  },
  {
    name: "gitlab",
    package: "@zereight/mcp-gitlab",
    env: {
      GITLAB_PERSONAL_ACCESS_TOKEN: "placeholder",
      // Else it asks a registry for its newest version at each start.
      GITLAB_DISABLE_VERSION_CHECK: "true",
      USE_PIPELINE: "true",
      USE_MILESTONE: "true",
      USE_GITLAB_WIKI: "true",
    },
  },
  { name: "airtable", package: "airtable-mcp-server", env: { AIRTABLE_API_KEY: "pat.placeholder" } },
  { name: "hubspot", package: "@hubspot/mcp-server", env: { PRIVATE_APP_ACCESS_TOKEN: "placeholder" } },
  { name: "chart", package: "@antv/mcp-server-chart" },
  {
    name: "playwright",
    package: "@playwright/mcp",
    // Needs no browser until a tool is called.
    args: ["--headless", "--caps", "vision,pdf,devtools,network,storage,testing,config"],
  },
]

/** A server that says why and exits: shows what the demo makes of one that does not start. */
export const brokenServer = {
  name: "broken",
  package: "(no package)",
  command: [process.execPath, "-e", "console.error('Error: BROKEN_API_KEY is not set'); process.exit(3)"],
}

// Ids of server processes that have not ended. The exit handler is the last resort: it also runs after an
// uncaught error, when nothing asynchronous can any more.
const alive = new Set()
process.on("exit", () => {
  for (const id of alive) {
    try {
      process.kill(id, "SIGKILL")
    } catch {
      // It ended by itself.
    }
  }
})

/**
 * Starts servers side by side and lists their tools, page by page. One that fails or gives no list within
 * `timeout` milliseconds is closed and reported under `failed` with its reason; the others go on.
 * `home` is the working and home folder of all of them, so that none reads the user's settings or
 * leaves files behind. `onProgress(done, all)` is called as they come up.
 */
export async function startServers(specs, { home, timeout = 30_000, onProgress = () => {} }) {
  const results = new Array(specs.length)
  let next = 0
  let done = 0
  const worker = async () => {
    while (next < specs.length && !closing) {
      const at = next++
      results[at] = await startServer(specs[at], home, timeout)
      onProgress(++done, specs.length)
    }
  }
  // A start is mostly loading code: more at once than there are processors only makes each one slower.
  const parallel = Math.min(4, Math.max(2, availableParallelism()))
  await Promise.all(Array.from({ length: parallel }, worker))
  if (closing) throw new Error("closed while starting")
  return {
    running: results.filter((result) => !result.failure),
    failed: results.filter((result) => result.failure),
  }
}

const open = new Set()
let closing = false

/** Closes every server for good: its input ends, then SIGTERM, then SIGKILL, as the protocol asks. None starts any more. */
export async function closeServers() {
  closing = true
  await Promise.all([...open].map((client) => client.close().catch(() => {})))
}

async function startServer(spec, home, timeout) {
  const client = new Client({ name: "toolcrib-demo", version: "1" })
  const signal = AbortSignal.timeout(timeout)
  const result = { name: spec.name, package: spec.package }
  let said = ""
  try {
    let [command, ...args] = spec.command ?? [process.execPath]
    if (!spec.command) {
      const { script, version } = await entry(spec.package)
      result.version = version
      args = [script, ...(spec.args ?? [])]
    }
    const transport = new StdioClientTransport({
      command,
      args,
      cwd: home,
      env: { HOME: home, USERPROFILE: home, ...spec.env },
      stderr: "pipe",
    })
    // Servers chat on stderr; the end of it is kept for the case that they fail.
    transport.stderr.setEncoding("utf8").on("data", (text) => (said = (said + text).slice(-8000)))

    let id = null
    client.onclose = () => {
      alive.delete(id)
      open.delete(client)
    }
    open.add(client)
    const connecting = client.connect(transport, { signal, timeout })
    // Connecting spawns at once and then waits for the answer, which may never come.
    id = transport.pid
    if (id !== null) alive.add(id)
    await connecting

    const tools = []
    let cursor
    do {
      const page = await client.listTools(cursor ? { cursor } : {}, { signal, timeout })
      tools.push(...page.tools)
      cursor = page.nextCursor
    } while (cursor)

    return { ...result, client, tools }
  } catch (error) {
    await client.close().catch(() => {})
    return { ...result, failure: reason(error, said, signal.aborted, timeout) }
  }
}

/** The script behind a package's command. Started by itself, without npx or a shell in between that would outlive it. */
async function entry(name) {
  const folder = join(modules, name)
  const { bin, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  return { script: join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]), version }
}

/** One line: what went wrong, and what the server itself said last about it. */
function reason(error, said, late, timeout) {
  const what = late ? `no answer within ${timeout / 1000} s` : error.message.replace(/^MCP error -?\d+: /, "")
  const lines = said
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith("at "))
  const last = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1)
  return [what, last].filter(Boolean).join("; ").replace(/\s+/g, " ").slice(0, 200)
}
