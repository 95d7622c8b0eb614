// One Next.js app that uses the package in each place where Next.js runs code, built by each of its bundlers.

import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { install } from "../../../scripts/lib/install.mjs"
import { Problem } from "../../../scripts/lib/process.mjs"
import { printed } from "../lab.mjs"
import { edgeApi, edgeRoute, files } from "./app.mjs"

const here = dirname(fileURLToPath(import.meta.url))

/** What the other group drives Chromium with. Its packages may not be there, where only this group runs. */
async function visit(url) {
  const folder = join(here, "..", "browser")
  await install(folder, "tests/hosts/browser/package.json")
  const pages = await import("../browser/pages.mjs")
  return pages.visit(url)
}

export async function done() {
  // Not installed, it has no browser running.
  const chromium = await import("../browser/chromium.mjs").catch(() => undefined)
  await chromium?.close()
}

async function fetched(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(120_000) })
  const text = await response.text()
  if (!response.ok) throw new Problem(`${url}: ${response.status}`, text)
  return text
}

/** Where the app answers with the text, and how it comes from there. */
const PLACES = {
  node: fetched,
  server: async (url) => decodeURIComponent(/<pre>(.*?)<\/pre>/s.exec(await fetched(url))?.[1] ?? ""),
  client: visit,
}

/** Vercel compiles no wasm at run time, though `next start` would: the edge route has to bring it as a file. */
function checkEdge({ functions }) {
  const [edge] = Object.values(functions)
  if (edge?.wasm?.length !== 1) throw new Problem(`the edge route has no wasm file: ${JSON.stringify(functions)}`)
}

const host = (id, bundler, edge, edgePath) => ({
  id,
  where: "Next.js 16",
  how: `${bundler}, in edge route, node route, server and client component`,
  version: (lab) => lab.version("next"),
  async run(lab) {
    lab.write(files(lab.group, edge))
    const options = { env: { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" }, timeout: 600_000 }
    await lab.exec(lab.bin("next"), ["build", `--${bundler.toLowerCase()}`], options)
    checkEdge(JSON.parse(lab.read(".next/server/middleware-manifest.json")))
    const server = lab.start(lab.bin("next"), ["start", "--hostname", "127.0.0.1", "--port", "0"], options)
    const [, url] = await printed(server, /(http:\/\/127\.0\.0\.1:[1-9]\d*)[^]*Ready/)
    const texts = { edge: await fetched(`${url}/${edgePath}`) }
    for (const [place, read] of Object.entries(PLACES)) texts[place] = await read(`${url}/${place}`)
    const odd = Object.keys(texts).find((place) => texts[place] !== texts.node)
    if (odd) throw new Problem(`the ${odd} place gives another text than the node route`, texts[odd].slice(0, 2_000))
    // A hundred megabytes that nobody needs any more.
    rmSync(join(lab.folder, ".next"), { recursive: true, force: true })
    return texts.node
  },
})

export default [
  host("next-turbopack", "Turbopack", edgeRoute, "edge"),
  // Next.js 16.4.6 with webpack builds no edge route in `app`, even of one line: no route_client-reference-manifest.js.
  host("next-webpack", "webpack", edgeApi, "api/edge"),
]
