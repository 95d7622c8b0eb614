// One headless Chromium for all rows, started by the first that asks; `close()` ends it. Where there is none, a root
// of Debian gets Debian's: no registry of npm brings a browser, and a test tool's own download is not to be relied on.

import { accessSync, constants, existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { chromium } from "playwright-core"
import { Problem, run } from "../../../scripts/lib/process.mjs"
import { Skip } from "../lab.mjs"

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const ELSEWHERE = ["/usr/bin/chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]

// Nothing leaves the machine: no look-up of Google's hosts at the start, and a page that asks for a name gets none.
const ARGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

// Of several that ask at once, in whatever processes, one installs and the others wait and find it there. Without
// fresh lists apt finds none, one of last year's, or the name of a file that is gone.
const INSTALL = `
command -v chromium && exit
apt-get update
apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends chromium`

let path
let opened

/** The path of a Chromium or Chrome; installs one if need be, once. */
export async function executable() {
  return (path ??= find() ?? installed())
}

/** The running browser, as playwright-core's object. */
export function browser() {
  return (opened ??= launch())
}

/** Ends the browser, if there is one. */
export async function close() {
  const running = opened
  opened = undefined
  await running?.then((browser) => browser.close(), () => {})
}

async function launch() {
  return chromium.launch({ executablePath: await executable(), headless: true, args: ARGS, timeout: 120_000 })
}

function find() {
  const given = process.env.CHROMIUM
  if (given && !isProgram(given)) throw new Problem(`CHROMIUM names ${given}, which can't be run`)
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean)
  const known = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return given || [...known, ...ELSEWHERE].find(isProgram)
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function installed() {
  const mend = "install Chromium or Chrome, or name one in CHROMIUM"
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) throw new Skip(`no Chromium here: ${mend}`)
  const { code, output } = await run("flock", ["/tmp/toolcrib-chromium.lock", "sh", "-c", INSTALL], {
    doing: "installing Debian's chromium",
    env: { DEBIAN_FRONTEND: "noninteractive" },
  })
  const found = find()
  if (found) return found
  // Ubuntu's is a snap.
  if (/no installation candidate|Unable to locate package/.test(output)) {
    throw new Skip(`no Chromium here, and apt has none: ${mend}`)
  }
  throw new Problem(`apt-get install chromium failed (${code}): ${mend}`, output)
}
