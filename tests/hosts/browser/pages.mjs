// Files on 127.0.0.1 and pages in Chromium that look at them.

import { createReadStream, statSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join } from "node:path"
import { Problem } from "../../../scripts/lib/process.mjs"
import { browser } from "./chromium.mjs"

/** A row takes some ten seconds on a busy machine. */
const TIMEOUT = 120_000

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
}

/** Serves a folder; resolves to `{ url, close }`. */
export async function serve(folder, headers = {}) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname
    const file = join(folder, path === "/" ? "index.html" : path)
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile()
    // A browser asks for the icon by itself.
    if (!isFile) return response.writeHead(path === "/favicon.ico" ? 204 : 404).end()
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", ...headers })
    createReadStream(file).pipe(response)
  })
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => (server.close(), server.closeAllConnections()),
  }
}

/**
 * Opens a page and resolves to what it gives to its function `report`. Fails when the page or a worker of its throws,
 * prints an error or a warning, finds something missing, or asks for anything that is not its server's.
 */
export async function visit(url) {
  const context = await (await browser()).newContext()
  let timer
  try {
    const watched = new Promise((_, reject) => {
      const wrong = (what) => reject(new Problem(`the page ${what}`))
      const own = (asked) => new URL(asked).host === new URL(url).host || wrong(`asked for ${asked}`)
      timer = setTimeout(wrong, TIMEOUT, `reported nothing in ${TIMEOUT / 1000} s`)
      context.on("request", (request) => own(request.url()))
      context.on("response", (answer) => answer.status() < 400 || wrong(`got ${answer.status()} for ${answer.url()}`))
      context.on("weberror", (event) => wrong(`threw ${event.error().stack || event.error().message}`))
      context.on("console", (message) => {
        const isBad = message.type() === "error" || message.type() === "warning"
        if (isBad) wrong(`printed "${message.text()}" (${message.type()}, ${message.location().url})`)
      })
      context.on("page", (page) => {
        page.on("websocket", (socket) => own(socket.url()))
        page.on("crash", () => wrong("crashed"))
      })
    })
    return await Promise.race([watched, reported(context, url)])
  } finally {
    clearTimeout(timer)
    await context.close()
  }
}

async function reported(context, url) {
  let report
  const given = new Promise((resolve) => (report = resolve))
  await context.exposeFunction("report", report)
  const page = await context.newPage()
  await page.goto(url)
  const got = await given
  // What was on its way when the page reported has come by the time it answers.
  await page.evaluate("0")
  return got
}

/** Serves a folder for one visit of its index.html. */
export async function look(folder, headers) {
  const server = await serve(folder, headers)
  try {
    return await visit(server.url)
  } finally {
    server.close()
  }
}

/** A page of nothing but what is given. */
export const html = (body) => `<!doctype html>\n<meta charset="utf-8">\n<title>toolcrib</title>\n${body}\n`
export const module = (path) => html(`<script type="module" src="${path}"></script>`)
export const classic = (path) => html(`<script defer src="${path}"></script>`)

/** What a page or a worker runs: `first`, then all vectors; the function `give` gets the text, or what was thrown. */
export const program = (from, { first = "", give = "report" } = {}) => `import * as toolcrib from "${from}"
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"
${first}
conformance(toolcrib, vectors).catch((error) => error.stack).then(${give})
`
