// workerd, the runtime of Cloudflare Workers. Its clocks stand still while a request runs, so CPU is read from outside,
// by thread: one runs all of JavaScript, the others compile and collect in the background (proc.mjs).

import { cpSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { printed } from "../../tests/hosts/lab.mjs"
import { resident, settled, spent } from "./proc.mjs"

const from = (file) => import(new URL(`../../tests/hosts/${file}`, import.meta.url))

const worker = (answers, imports = "", first = "") => `import given from "./given.mjs"
import { OPTIONS, QUERY, check, held } from "./program.mjs"
${imports}
const { cases, messages } = given
const kept = []
${first}
const answers = { ${answers} }
export default {
  async fetch({ url }) {
    return new Response(await answers[new URL(url).pathname.slice(1)]())
  },
}
`
const IMPORT = 'import { createToolSearch, estimateTokens } from "./toolcrib/pkg/workerd.js"'
const ENGINE = "const engine = (at) => (kept[at] = createToolSearch({ tools: cases[at].tools, ...OPTIONS }))"
// The answer says as much where nothing was made.
const ANSWERS = `empty() { return "ok" },
  engine(at = 0) { return engine(at), "ok" },
  turn(at = 0) { return check(kept[at].turn(messages), cases[at]), "ok" },
  instance() { return estimateTokens("four") === 1 ? "ok" : "wrong" },
  engine2() { return answers.engine(1) },
  turn2() { return answers.turn(1) },
  search() { return kept[0].search(QUERY).length > 0 ? "ok" : "nothing" },
  both() { return answers.engine(), answers.turn() },`

/** The Workers, and the requests that each sample makes of a fresh one, in order. */
const COLD = {
  empty: { text: worker('empty() { return "ok" }'), requests: ["empty", "empty"] },
  request: { text: worker(ANSWERS, IMPORT, ENGINE), requests: ["both"] },
  scope: { text: worker(ANSWERS, IMPORT, `${ENGINE}\nengine(0)`), requests: ["turn"] },
  // What the first request is made of; an empty one goes first, for what any first request costs.
  steps: {
    text: worker(ANSWERS, IMPORT, ENGINE),
    requests: ["empty", "instance", "engine", "turn", "engine2", "turn2", "search"],
  },
}

const LISTS = `import { tools } from "./generate.mjs"
const lists = (count) => Array.from({ length: count }, (_, seed) => JSON.parse(JSON.stringify(tools(1000, seed))))`
const HOLD = (load) => `async hold() {
    const { kept: all, wasm } = await held(${load}, lists(10))
    kept.push(all)
    gc()
    return JSON.stringify(wasm)
  }`
const MEMORY = {
  empty: worker(HOLD("undefined"), LISTS),
  engines: worker(HOLD('() => import("./toolcrib/pkg/workerd.js")'), LISTS),
}

export const names = Object.keys(COLD)
const version = (lab) => lab.version("workerd-newest")
export const place = { id: "workerd", group: "edge", name: "workerd", isWorker: true, version }

/**
 * Starts a fresh workerd with a Worker: `{ pid, ask(path), inspector, end }`. To be inspected it is told to show its
 * collector and to listen for an inspector, which makes its start dearer.
 */
async function serve(lab, text, inspected = false) {
  const [{ binary }, { dateOf }] = await Promise.all([from("edge/binary.mjs"), from("edge/workerd.mjs")])
  cpSync(join(lab.folder, "node_modules", "toolcrib", "pkg"), join(lab.folder, "toolcrib", "pkg"), { recursive: true })
  const ours = ["main.mjs", "given.mjs", "program.mjs", "generate.mjs"]
  const module = (name) => `(name = "${name}", esModule = embed "${name}")`
  const embedded = [...ours, "toolcrib/pkg/workerd.js", "toolcrib/pkg/face.js"].map(module)
  lab.write({
    "main.mjs": text,
    "config.capnp": `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "${dateOf(version(lab))}", modules = [
    ${embedded.join(",\n    ")},
    (name = "toolcrib/pkg/engine.wasm", wasm = embed "toolcrib/pkg/engine.wasm"),
  ]))],
  v8Flags = [${inspected ? '"--expose-gc"' : ""}],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  })
  const args = ["serve", "--control-fd=1", ...(inspected ? ["--inspector-addr=127.0.0.1:0"] : []), "config.capnp"]
  const child = lab.start(binary(lab, "workerd-newest", "bin/workerd"), args)
  const listens = (what) => printed(child, new RegExp(`${what}.*"port":\\s*(\\d+)`)).then(([, port]) => port)
  const said = [listens('"socket":"http"'), inspected ? listens("listen-inspector") : null]
  const [port, inspector] = await Promise.all(said)
  return {
    pid: child.pid,
    inspector,
    async ask(path) {
      const response = await fetch(`http://127.0.0.1:${port}/${path}`)
      const answer = await response.text()
      if (!response.ok) throw new Error(`/${path}: ${response.status} ${answer}`)
      return answer
    },
    end: () => lab.close(),
  }
}

/** CPU of one fresh Worker: `{ start, requests: [...] }`, each `{ main, others }`. */
export async function cold(lab, name) {
  const { text, requests } = COLD[name]
  const { pid, ask, end } = await serve(lab, text)
  const start = await settled(pid)
  const used = []
  for (let before = start, [path, ...rest] = requests; path; [path, ...rest] = rest) {
    const answer = await ask(path)
    if (answer !== "ok") throw new Error(`/${path} answers ${answer}`)
    const after = await settled(pid)
    used.push({ path, ...spent(after, before) })
    before = after
  }
  end()
  return { start, requests: used }
}

/** What ten engines of 1,000 tools take in one fresh Worker, with the tools themselves; or only the tools. */
export async function memory(lab, name) {
  const { pid, ask, inspector, end } = await serve(lab, MEMORY[name], true)
  const wasm = JSON.parse(await ask("hold"))
  const heap = await inspect(lab, inspector)
  const rss = resident(pid)
  end()
  return { wasm, heap, rss }
}

/** What JavaScript uses of the isolate, in bytes, as its inspector says it; wasm memories are not among the buffers. */
async function inspect(lab, port) {
  const { WebSocket } = createRequire(join(lab.group, "package.json"))("ws")
  const list = await (await fetch(`http://127.0.0.1:${port}/json`)).json()
  const socket = new WebSocket(list[0].webSocketDebuggerUrl, { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject))
  const answered = new Promise((resolve) => socket.on("message", resolve))
  socket.send(JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" }))
  const { result, error } = JSON.parse(await answered)
  socket.close()
  if (error) throw new Error(`workerd's inspector: ${error.message}`)
  return { used: result.usedSize, buffers: result.backingStorageSize }
}
