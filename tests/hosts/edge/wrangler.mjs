// wrangler, with which Workers are made. It is a version for Node 20; later ones ask for Node 22.

import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Problem } from "../../../scripts/lib/process.mjs"
import { WORKER_UPLOAD } from "../../../scripts/lib/sizes.mjs"
import { worker } from "./programs.mjs"
import { answer } from "./server.mjs"
import { dateOf, serve } from "./workerd.mjs"

/** An agent's turn and nothing else. */
const SMALLEST = `import { createToolSearch } from "toolcrib"
export default {
  async fetch(request) {
    const { tools, messages } = await request.json()
    return Response.json(createToolSearch({ tools }).turn(messages))
  },
}
`

/** What `lab.exec` takes: it asks nobody, reports nothing and keeps what it writes in the lab. */
function wrangler(lab, args) {
  const own = join(lab.folder, "own")
  mkdirSync(own, { recursive: true })
  const env = {
    HOME: own,
    XDG_CONFIG_HOME: own,
    TMPDIR: own,
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    // It looks for a newer version of itself only to show it there.
    WRANGLER_HIDE_BANNER: "true",
    // What `request.cf` holds would come from Cloudflare.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  }
  // Its own workerd is hoisted; the other one has an alias.
  const date = dateOf(lab.version("workerd"))
  const all = [...args, "main.mjs", "--name", "toolcrib", "--compatibility-date", date]
  return [lab.bin("wrangler"), all, { env }]
}

/** Has wrangler bundle main.mjs into the folder `out`, as it would upload it; resolves to what it printed. */
const deploy = (lab) => lab.exec(...wrangler(lab, ["deploy", "--dry-run", "--outdir", "out"]))

/**
 * What a Worker that does nothing but use the package weighs when it is uploaded, in bytes after gzip; Cloudflare has a
 * limit for that. Wrangler prints it in KiB.
 */
export async function workerUpload(lab) {
  lab.write({ "main.mjs": SMALLEST })
  const said = await deploy(lab)
  const out = join(lab.folder, "out")
  const modules = readdirSync(out).filter((name) => /\.(js|wasm)$/.test(name))
  // In wrangler's order, with what it imports first: how well they compress together depends on it.
  const sorted = modules.sort((a, b) => Number(a.endsWith(".js")) - Number(b.endsWith(".js")))
  const bytes = gzipSync(Buffer.concat(sorted.map((name) => readFileSync(join(out, name))))).length
  const kib = `${(bytes / 1024).toFixed(2)} KiB`
  if (!said.includes(`gzip: ${kib}`)) throw new Problem(`wrangler finds other than ${kib}`, said)
  return bytes
}

const host = (id, how, run) => ({
  id,
  where: "wrangler 4",
  how,
  version: (lab) => lab.version("wrangler"),
  run(lab) {
    lab.write({ "main.mjs": worker() })
    return run(lab)
  },
})

export default [
  host("wrangler-deploy", "`deploy`, into a folder that workerd runs", async (lab) => {
    const bytes = await workerUpload(lab)
    console.log(`        the smallest Worker uploads ${bytes} bytes, gzipped`)
    if (bytes > WORKER_UPLOAD) throw new Problem(`the smallest Worker uploads ${bytes} bytes, the ceiling is ${WORKER_UPLOAD}`)
    lab.write({ "main.mjs": worker() })
    await deploy(lab)
    return serve(lab, "out", "main.js")
  }),
  host("wrangler-dev", "`dev`", (lab) => {
    const where = ["--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0", "--show-interactive-dev-session=false"]
    const server = lab.start(...wrangler(lab, ["dev", ...where]))
    return answer(server, /Ready on http:\/\/127\.0\.0\.1:(?<port>\d+)/)
  }),
]
