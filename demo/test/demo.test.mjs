// One file for the test runner, which gives each file a process of its own: two at once would install twice, and
// a start of ten servers is timed best alone.

import { fileURLToPath } from "node:url"

import { install } from "../../scripts/lib/install.mjs"

await install(fileURLToPath(new URL("..", import.meta.url)), "demo/package.json")
// Only now, because they import what has just been installed.
await import("./servers.mjs")
await import("./run.mjs")
