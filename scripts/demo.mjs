// `npm run demo`: builds the package, installs the demo's own packages and plays the run.

import { join } from "node:path"
import { options } from "../demo/options.mjs"
import { build, root } from "./build.mjs"
import { install } from "./lib/install.mjs"
import { command } from "./lib/process.mjs"

await command(async () => {
  options()
  await withoutResults(build)
  await install(join(root, "demo"), "demo/package.json (real MCP servers, 130 MB, once)")
  // Only now, because it imports what has just been installed.
  await import("../demo/demo.mjs")
})

/** The build prints sizes on stdout, which here belongs to the run. */
async function withoutResults(work) {
  const { log } = console
  console.log = () => {}
  try {
    await work()
  } finally {
    console.log = log
  }
}
