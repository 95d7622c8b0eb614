// Deno and Bun, and Node where a check needs one more collector to compare with.

import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Problem } from "../../../scripts/lib/process.mjs"
import { binary } from "./binary.mjs"
import { commonJs, forgetful, script } from "./programs.mjs"

const FORGOTTEN = "forgotten engines are collected"

/** It has no permission: modules may be loaded without. */
const deno = (lab, args) =>
  lab.exec(binary(lab, "deno", "deno"), args, {
    env: { DENO_DIR: join(lab.folder, ".deno"), DENO_NO_UPDATE_CHECK: "1" },
  })

/** Its caches would be kept in the home folder. */
const bun = (lab, args) =>
  lab.exec(binary(lab, "bun", "bin/bun"), args, {
    env: { BUN_INSTALL: join(lab.folder, ".bun"), BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
  })

/** A host that writes files and runs a program on them. */
const host = (name, where, id, how, files, run) => ({
  id,
  where,
  how,
  version: (lab) => lab.version(name),
  async run(lab) {
    lab.write(files)
    return run(lab)
  },
})

const inDeno = (id, how, text, run) => host("deno", "Deno 2", id, how, { "main.mjs": text }, run)

/** Where there is no terminal, what would be asked for is refused; `--no-prompt` refuses it everywhere. */
async function unpermitted(lab) {
  const text = await deno(lab, ["run", "main.mjs"])
  const unprompted = await deno(lab, ["run", "--no-prompt", "main.mjs"])
  if (unprompted !== text) throw new Problem("--no-prompt makes a difference")
  return text
}

const inBun = (id, how, name, text, run = (lab) => bun(lab, ["run", name])) =>
  host("bun", "Bun 1", id, how, { [name]: text }, run)

/** Away from the package and from everything else: the one file has to do. */
async function compiled(lab) {
  const away = mkdtempSync(join(tmpdir(), "toolcrib-bun-"))
  try {
    const program = join(away, "program")
    await bun(lab, ["build", "--compile", "main.mjs", "--outfile", program])
    return await lab.exec(program, [], { cwd: away })
  } finally {
    rmSync(away, { recursive: true, force: true })
  }
}

/** The runner prints around what a test prints, so this one leaves the text in a file. */
const BUN_TEST = `import { expect, test } from "bun:test"
import * as toolcrib from "toolcrib"
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"

test("vectors", async () => {
  const text = await conformance(toolcrib, vectors)
  expect(text.split("\\n").length).toBe(vectors.length)
  await Bun.write("text", text)
}, 200_000)
`

async function tested(lab) {
  await bun(lab, ["test", "main.test.mjs"])
  return lab.read("text")
}

const withForgotten = (host) => ({
  ...host,
  run(lab) {
    cpSync(join(lab.group, "forgotten.mjs"), join(lab.folder, "forgotten.mjs"))
    return host.run(lab)
  },
})

export default [
  // `deno compile` has no row: it downloads a second runtime from a host of Deno's own, which npm does not carry.
  inDeno("deno", "`import`, without any permission", script, unpermitted),
  withForgotten(inDeno("deno-forgotten", FORGOTTEN, forgetful(), (lab) => deno(lab, ["run", "main.mjs"]))),
  inBun("bun-import", "`import`", "main.mjs", script),
  inBun("bun-require", "`require`", "main.cjs", commonJs),
  inBun("bun-compile", "`bun build --compile`", "main.mjs", script, compiled),
  inBun("bun-test", "`bun test`", "main.test.mjs", BUN_TEST, tested),
  withForgotten(inBun("bun-forgotten", FORGOTTEN, "main.mjs", forgetful())),
  withForgotten({
    id: "node-forgotten",
    where: "Node.js",
    how: FORGOTTEN,
    version: () => process.versions.node,
    run(lab) {
      lab.write({ "main.mjs": forgetful() })
      return lab.exec(process.execPath, ["main.mjs"])
    },
  }),
]
