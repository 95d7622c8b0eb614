// workerd itself, the runtime of Cloudflare Workers, without any of Cloudflare's tools.

import * as esbuild from "esbuild"
import { cpSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Problem } from "../../../scripts/lib/process.mjs"
import { binary } from "./binary.mjs"
import { eagerWorker, forgetfulWorker, IMPORT, refusedWorker, SLIM, worker } from "./programs.mjs"
import { answer } from "./server.mjs"

/** An alias, as wrangler brings an older one. */
const WORKERD = "workerd-newest"
/** The conditions under which wrangler resolves packages. */
const CONDITIONS = ["workerd", "worker", "browser"]
/** The last compatibility date without FinalizationRegistry; the runtime has it, and shows it to later dates. */
const BEFORE_FINALIZATION = "2025-05-04"

/** The compatibility date of a version of workerd, which is the day it was made: 1.20260401.1. */
export const dateOf = (version) => version.replace(/^\d+\.(\d{4})(\d\d)(\d\d)\..*$/, "$1-$2-$3")

/** Runs the Worker in a folder of the lab, whose other files are its modules; resolves to what it answers. */
export async function serve(lab, folder, main, date = dateOf(lab.version(WORKERD))) {
  const names = readdirSync(join(lab.folder, folder), { recursive: true }).filter((name) => /\.(m?js|wasm)$/.test(name))
  // The first module is the Worker itself.
  const modules = [main, ...names.filter((name) => name !== main)].map((name) => {
    const text = JSON.stringify(name)
    return `(name = ${text}, ${name.endsWith(".wasm") ? "wasm" : "esModule"} = embed ${text})`
  })
  writeFileSync(
    join(lab.folder, folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "${date}", modules = [${modules.join(", ")}]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  )
  const args = ["serve", "--control-fd=1", join(folder, "config.capnp")]
  const server = lab.start(binary(lab, WORKERD, "bin/workerd"), args)
  return answer(server, /"port":\s*(?<port>\d+)/)
}

/** A bundle of main.js in the folder `out`, with the wasm as a file of its own beside it. */
async function bundle(lab, conditions) {
  await esbuild.build({
    absWorkingDir: lab.folder,
    entryPoints: ["main.js"],
    outdir: "out",
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions,
    loader: { ".wasm": "copy" },
    assetNames: "[name]",
    logLevel: "silent",
  })
}

/** A Worker that esbuild has bundled. `judge` gets what it answers. */
const bundled = ({ text, date, conditions = CONDITIONS, judge = (given) => given, ...host }) => ({
  where: "workerd (Cloudflare Workers)",
  version: (lab) => lab.version(WORKERD),
  async run(lab) {
    cpSync(join(lab.group, "forgotten.mjs"), join(lab.folder, "forgotten.mjs"))
    lab.write({ "main.js": text })
    await bundle(lab, conditions)
    return judge(await serve(lab, "out", "main.js", date))
  },
  ...host,
})

/** With an older date nothing collects what is not freed; and a check that misses it would prove nothing elsewhere. */
const PILES_UP = `if (typeof FinalizationRegistry !== "undefined") throw new Error("this date has FinalizationRegistry")
    const piled = await forgotten(toolcrib).then(() => "no error", ({ message }) => message)
    if (!/engines forgotten/.test(piled)) throw new Error("engines that nothing collects were not missed: " + piled)`

export default [
  bundled({ id: "workerd", how: "in a request", text: worker() }),
  bundled({ id: "workerd-module-scope", how: "at module scope", text: eagerWorker }),
  {
    id: "workerd-files",
    where: "workerd (Cloudflare Workers)",
    how: "without a bundler",
    version: (lab) => lab.version(WORKERD),
    async run(lab) {
      const { exports } = JSON.parse(lab.read("node_modules/toolcrib/package.json"))
      const entry = JSON.stringify(`./toolcrib/${exports["."].workerd.default}`)
      lab.write({ "out/main.js": worker(`import * as toolcrib from ${entry}`) })
      cpSync(join(lab.folder, "node_modules", "toolcrib"), join(lab.folder, "out", "toolcrib"), { recursive: true })
      for (const name of ["conform.mjs", "vectors.mjs"]) cpSync(join(lab.folder, name), join(lab.folder, "out", name))
      return serve(lab, "out", "main.js")
    },
  },
  bundled({ id: "workerd-slim", how: "`slim`", text: worker(SLIM) }),
  bundled({ id: "workerd-forgotten", how: "forgotten engines are collected", text: forgetfulWorker }),
  bundled({
    id: "workerd-old",
    how: `compatibility date ${BEFORE_FINALIZATION}, where nothing is collected`,
    text: worker(IMPORT, { imports: 'import { forgotten } from "./forgotten.mjs"', first: PILES_UP }),
    date: BEFORE_FINALIZATION,
  }),
  bundled({
    id: "workerd-inlined",
    how: 'bundled without the condition `workerd`',
    refuses: "wasm_unavailable",
    text: refusedWorker,
    conditions: [],
    judge(answered) {
      const refused = JSON.parse(answered)
      if (refused?.message.includes('"workerd"')) return refused
      throw new Problem(`the error should name the condition: ${answered}`)
    },
  }),
]
