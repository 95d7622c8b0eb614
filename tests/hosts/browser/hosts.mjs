// Pages and workers in Chromium, as a browser takes them and through bundlers.

import { readFileSync } from "node:fs"
import { Problem } from "../../../scripts/lib/process.mjs"
import bundlers from "./bundlers.mjs"
import { browser } from "./chromium.mjs"
import { html, look, module, program } from "./pages.mjs"

export { close as done } from "./chromium.mjs"

const FULL = "/node_modules/toolcrib/pkg/index.js"
const SLIM = "/node_modules/toolcrib/pkg/slim.js"
const WASM = "/node_modules/toolcrib/pkg/engine.wasm"
const STREAMED = `toolcrib.init(await WebAssembly.compileStreaming(fetch("${WASM}")))`

/** A host without a build step. */
const page = (id, how, files, headers) => ({
  id,
  where: "Chromium",
  how,
  version: async () => (await browser()).version(),
  run(lab) {
    lab.write({ "index.html": module("main.js"), ...files })
    return look(lab.folder, headers)
  },
})

const policy = (scripts) => ({
  "content-security-policy": `default-src 'none'; script-src ${scripts}; connect-src 'self'`,
})
const forbidden = page(
  "page-csp-refused",
  "a Content-Security-Policy without `'wasm-unsafe-eval'`",
  {
    "main.js": `import { createToolSearch } from "${FULL}"
try {
  createToolSearch({ tools: [] })
  report("it works")
} catch ({ code, message }) {
  report({ code, message })
}
`,
  },
  policy("'self'"),
)

export default [
  page("page-module", "module", { "main.js": program(`.${FULL}`) }),
  page("page-import-map", "import map", {
    "index.html": html(`<script type="importmap">{ "imports": { "toolcrib": ".${FULL}" } }</script>
<script type="module" src="main.js"></script>`),
    "main.js": program("toolcrib"),
  }),
  page("page-slim", "`slim` with `compileStreaming`", { "main.js": program(SLIM, { first: STREAMED }) }),
  page(
    "page-csp",
    "a Content-Security-Policy with `'wasm-unsafe-eval'`",
    { "main.js": program(FULL) },
    policy("'self' 'wasm-unsafe-eval'"),
  ),
  {
    ...forbidden,
    refuses: "wasm_unavailable",
    async run(lab) {
      const got = await forbidden.run(lab)
      // Who reads the message must know what to write where.
      const words = ["Content-Security-Policy", "script-src", "'wasm-unsafe-eval'"]
      const missing = words.find((word) => !got.message?.includes(word))
      if (missing) throw new Problem(`the error does not speak of ${missing}: ${JSON.stringify(got)}`)
      return got
    },
  },
  page("page-forgotten", "forgotten engines are collected", {
    "forgotten.mjs": readFileSync(new URL("../edge/forgotten.mjs", import.meta.url)),
    "main.js": program(FULL, {
      first: `import { forgotten } from "./forgotten.mjs"
// A timer waits for milliseconds, a message comes in the next turn.
const { port1, port2 } = new MessageChannel()
const pause = () => new Promise((resolve) => ((port1.onmessage = resolve), port2.postMessage(null)))
await forgotten(toolcrib, { pause })`,
    }),
  }),
  page("worker-module", "web worker", {
    "main.js": `new Worker("worker.js", { type: "module" }).onmessage = ({ data }) => report(data)`,
    "worker.js": program(FULL, { give: "postMessage" }),
  }),
  page(
    "worker-shared",
    "shared worker",
    {
      "main.js": `const worker = new SharedWorker("worker.js", { type: "module" })
worker.onerror = () => report("the shared worker did not start")
worker.port.onmessage = ({ data }) => report(data)
`,
      // Playwright sees nothing of a shared worker, so this one watches itself: with a policy to be violated.
      "worker.js": `const connected = new Promise((resolve) => (onconnect = ({ ports }) => resolve(ports[0])))
const wrong = []
console.error = console.warn = (...words) => wrong.push(words.join(" "))
addEventListener("securitypolicyviolation", ({ blockedURI }) => wrong.push("it asked for " + blockedURI))
globalThis.report = async (text) => {
  const port = await connected
  // The vectors leave no turn for an event.
  setTimeout(() => port.postMessage(wrong[0] ?? text), 100)
}
import("./program.js").catch((error) => report(error.stack))
`,
      "program.js": program(FULL),
    },
    policy("'self' 'wasm-unsafe-eval'"),
  ),
  page("worker-service", "service worker", {
    "main.js": `navigator.serviceWorker.onmessage = ({ data }) => report(data)
await navigator.serviceWorker.register("worker.js", { type: "module" })
const { active } = await navigator.serviceWorker.ready
active.postMessage("go")
`,
    "worker.js": program(FULL, {
      first: `const asked = new Promise((resolve) => (onmessage = ({ source }) => resolve(source)))`,
      give: "async (text) => (await asked).postMessage(text)",
    }),
  }),
  ...bundlers,
]
