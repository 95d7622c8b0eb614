// What a host gets to run in: a folder with the package installed from its tarball, the conformance program and the
// vectors, and ways to start programs there.

import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { must, npm, Problem } from "../../scripts/lib/process.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** No host needs a tenth of it; one that hangs must not take the suite with it. */
const TIMEOUT = 240_000

// What labs have started is in process groups of its own, which Ctrl-C doesn't reach.
const running = new Set()
process.on("exit", () => running.forEach(kill))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130))

/** A host that can't run on this machine says so with this; the reason is printed. */
export class Skip extends Error {}

/** Packs the package and installs it from the tarball as a user would, in a new folder; gives `{ folder, pkg }`. */
export async function installed() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-hosts-"))
  // However the run ends.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  const [program, before] = npm()
  await must(program, [...before, "pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root })
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))
  if (tarball === undefined) throw new Problem("npm pack made no tarball")
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
  await must(program, [...before, "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], { cwd: folder })
  return { folder, pkg: join(folder, "node_modules", "toolcrib") }
}

/**
 * The lab of one host.
 *
 * @param group The folder of its group, whose node_modules hold the host's programs.
 * @param id Names the lab's folder, `group/.lab/id-pid`: from within it whatever the group installed can be imported.
 * @param pkg The package, from `installed()`.
 * @param vectors As they stand in tests/vectors.
 */
export function lab(group, id, pkg, vectors) {
  // Two runs in one checkout keep out of each other's way.
  const folder = join(group, ".lab", `${id}-${process.pid}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(pkg, join(folder, "node_modules", "toolcrib"), { recursive: true })
  cpSync(join(root, "tests", "conform.mjs"), join(folder, "conform.mjs"))
  const json = JSON.stringify(vectors)
  const children = new Set()

  const made = {
    root,
    group,
    folder,
    /** Writes files, by their path in the folder. */
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), text)
      }
    },
    read: (name) => readFileSync(join(folder, name), "utf8"),
    /** A program that one of the group's packages brings. */
    bin: (name) => join(group, "node_modules", ".bin", name),
    /** The installed version of one of the group's packages. */
    version: (name) => JSON.parse(readFileSync(join(group, "node_modules", name, "package.json"), "utf8")).version,
    /** Runs a program in the folder; resolves to its stdout. Fails with all that it printed. */
    exec: (program, args = [], options = {}) => ended(made.start(program, args, options), [program, ...args], options),
    /** Starts a program in the folder, which ends with the lab. Gives the child process, its streams as pipes. */
    start(program, args = [], { env, cwd = folder } = {}) {
      const child = spawn(program, args, {
        cwd,
        // What the machine's owner has set for npm or Node is not what is tested.
        env: { ...process.env, NODE_OPTIONS: "", NODE_ENV: "", CI: "1", NO_COLOR: "1", FORCE_COLOR: "0", ...env },
        stdio: ["ignore", "pipe", "pipe"],
        // Of its own group, so that what it starts ends with it.
        detached: true,
      })
      children.add(child)
      running.add(child)
      child.on("close", () => (children.delete(child), running.delete(child)))
      return child
    },
    /** Ends what still runs. */
    close() {
      for (const child of children) kill(child)
    },
    /** Removes the folder, if nobody has to look into it. */
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
  made.write({
    // The nearest package.json decides what a `.js` file is; frameworks take this folder for the project's root.
    "package.json": JSON.stringify({ name: `lab-${id}`, private: true, type: "module", version: "0.0.0" }),
    "vectors.json": json,
    // As a text: an object literal takes the key "__proto__" for the prototype.
    "vectors.mjs": `export default JSON.parse(${JSON.stringify(json)})\n`,
  })
  return made
}

function kill(child) {
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
}

function ended(child, words, { timeout = TIMEOUT } = {}) {
  return new Promise((resolve, reject) => {
    const stdout = []
    const all = []
    child.stdout.on("data", (chunk) => {
      stdout.push(chunk)
      all.push(chunk)
    })
    child.stderr.on("data", (chunk) => all.push(chunk))
    const fail = (what) => reject(new Problem(`${words.join(" ")}: ${what}`, Buffer.concat(all).toString()))
    const timer = setTimeout(() => {
      kill(child)
      fail(`still running after ${timeout / 1000} s`)
    }, timeout)
    child.on("error", (error) => {
      clearTimeout(timer)
      fail(error.message)
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 0) resolve(Buffer.concat(stdout).toString())
      else fail(`exit code ${code}`)
    })
  })
}

/** Waits until what a started program has printed matches; resolves to the match. */
export function printed(child, pattern, timeout = TIMEOUT) {
  return new Promise((resolve, reject) => {
    let text = ""
    const timer = setTimeout(() => reject(new Problem(`printed nothing like ${pattern}`, text)), timeout)
    const look = (chunk) => {
      text += chunk
      const match = pattern.exec(text)
      if (!match) return
      clearTimeout(timer)
      resolve(match)
    }
    child.stdout.on("data", look)
    child.stderr.on("data", look)
    child.on("close", () => {
      clearTimeout(timer)
      reject(new Problem(`ended before it printed anything like ${pattern}`, text))
    })
  })
}
