// Writes THIRD_PARTY.md: whose work is compiled into the wasm, and the notices that have to travel with it.
//
//   node scripts/third-party.mjs
//
// A step of `npm test` compares the file with what this would write. Crates are named without their versions, so
// that an update changes the file only when it changes what has to be said.

import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { command, isCommand, must, Problem } from "./lib/process.mjs"
import { toolchain } from "./lib/toolchain.mjs"

const TARGET = "wasm32-unknown-unknown"

/**
 * Where a crate offers a choice, the first of these is taken. Apache-2.0 asks for its own text, which the package
 * holds, and for the crate's NOTICE file; the others ask for each author's copyright line.
 */
const PREFERRED = ["Apache-2.0", "Unlicense", "MIT", "BSD-3-Clause", "Zlib", "Unicode-3.0"]
/** The file of a crate that holds the notice to keep, by licence. The first that is there. */
const NOTICES = {
  "MIT": ["LICENSE-MIT", "LICENSE", "LICENSE.txt"],
  "BSD-3-Clause": ["LICENSE"],
  "Zlib": ["LICENSE"],
  "Unicode-3.0": ["LICENSE-UNICODE"],
}

/** Packages of npm that are bundled into face.js and face.cjs, all under MIT. Their folders hold no notice of their own. */
const BUNDLED = ["@cfworker/json-schema"]

/** Crates that are not linked, but whose rules are written out anew in src/: stem.rs gives what frostem gives. */
const FOLLOWED = ["frostem"]

/** The text of THIRD_PARTY.md. */
export async function thirdParty(root) {
  await toolchain(root)
  const crates = (await linked(root)).map((crate) => ({ ...crate, licences: chosen(crate) }))
  const under = (licence) => crates.filter(({ licences }) => licences.includes(licence))
  const names = (list) => list.map(({ name }) => name).join(", ")

  const parts = [
    "# Third parties",
    wrapped(
      "Whose work the engine (`engine.wasm`, and the same bytes as text beside it) is compiled from, besides toolcrib's " +
        "own. Written by `scripts/third-party.mjs` from the crates that Cargo links for the wasm, whether or not the " +
        `linker leaves anything of them, and from ${FOLLOWED.join(", ")}, whose rules the engine follows. Where a crate ` +
        "offers a choice of licences, one is taken and named here.",
    ),
    wrapped(`The check of arguments in face.js and face.cjs is that of ${BUNDLED.join(", ")}, bundled.`),
    wrapped(
      `Apache-2.0, whose text is LICENSE-APACHE: ${names(under("Apache-2.0"))}, and the standard library of Rust ` +
        "(Copyright (c) The Rust Project Contributors). No crate of these has a NOTICE file.",
    ),
  ]
  const unlicensed = under("Unlicense")
  if (unlicensed.length > 0) parts.push(`In the public domain (Unlicense): ${names(unlicensed)}.`)
  parts.push(mit(under("MIT"), bundled(root)))
  for (const licence of ["BSD-3-Clause", "Zlib", "Unicode-3.0"]) {
    for (const crate of under(licence)) {
      const also = licence === "Unicode-3.0" ? ", and the data behind the engine's own table of letters" : ""
      parts.push(`## ${licence}: ${crate.name}${also}\n\n${fence(notice(crate, licence))}`)
    }
  }
  return `${parts.join("\n\n")}\n`
}

/** The crates that end up in one program with ours, by name: no build scripts, no macros, no tests. */
async function linked(root) {
  const metadata = JSON.parse(
    await must("cargo", ["metadata", "--format-version", "1", "--locked", "--filter-platform", TARGET], { cwd: root }),
  )
  // Which of them, with the features that are really on, cargo's tree says more exactly than its metadata.
  const tree = await must(
    "cargo",
    [
      ...["tree", "--locked", "--package", "toolcrib", "--target", TARGET, "--prefix", "none"],
      ...["--edges", "normal,no-proc-macro", "--format", "{p}"],
    ],
    { cwd: root },
  )
  const wanted = new Set(tree.split("\n").flatMap((line) => line.match(/^(\S+) v(\S+)/)?.slice(1, 3).join(" ") ?? []))
  return metadata.packages
    .filter(({ source }) => source !== null)
    .filter(({ name, version }) => wanted.has(`${name} ${version}`) || FOLLOWED.includes(name))
    .map(({ name, license, manifest_path: manifest }) => ({ name, license, folder: dirname(manifest) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The licences that a crate is taken under: of each `OR` one, of each `AND` all. */
function chosen({ name, license, folder }) {
  if (license === null) throw new Problem(`the crate ${name} names no licence`)
  const licences = license.split(" AND ").map((part) => {
    const choices = part.replace(/[()]/g, "").split(/ OR |\//)
    const taken = PREFERRED.find((licence) => choices.includes(licence))
    if (taken === undefined) throw new Problem(`${name} is under ${part}, which scripts/third-party.mjs does not know`)
    return taken
  })
  const asked = readdirSync(folder).find((file) => /^NOTICE/i.test(file))
  if (licences.includes("Apache-2.0") && asked) throw new Problem(`${name} has a ${asked} that THIRD_PARTY.md must hold`)
  return licences
}

function notice({ name, folder }, licence) {
  const there = readdirSync(folder)
  const file = NOTICES[licence].find((candidate) => there.includes(candidate))
  if (file === undefined) throw new Problem(`the crate ${name} has no file with the ${licence} notice`)
  return readFileSync(join(folder, file), "utf8")
}

const GRANT = "Permission is hereby granted, free of charge"
const END = "DEALINGS IN THE SOFTWARE."

/** The MIT licence once, under the copyright lines of all who use it; the words are compared, not the line breaks. */
function mit(crates, packages) {
  let text
  const holders = crates.map((crate) => {
    const whole = notice(crate, "MIT")
    const from = whole.indexOf(GRANT)
    const words = whole.slice(from).replaceAll(/\s+/g, " ")
    const to = words.indexOf(END)
    if (from < 0 || to < 0) throw new Problem(`the MIT licence of ${crate.name} reads differently`)
    const own = words.slice(0, to + END.length)
    text ??= own
    if (own !== text) throw new Problem(`the MIT licence of ${crate.name} reads differently`)
    const lines = whole.split("\n").filter((line) => /^\s*Copyright (\(c\)|©|\d)/i.test(line))
    const names = lines.map((line) => line.trim().replace(/ or$/, "")).join("; ")
    return `- ${crate.name}: ${names || "its authors give no copyright line"}`
  })
  for (const name of packages) holders.push(`- ${name}, in face.js and face.cjs: its authors give no copyright line`)
  return `## MIT\n\n${holders.join("\n")}\n\n${fence(wrapped(text))}`
}

/** The bundled packages, once they are what is said of them. */
function bundled(root) {
  for (const name of BUNDLED) {
    const folder = join(root, "node_modules", name)
    const { license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    const own = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file))
    if (license !== "MIT" || own.length) throw new Problem(`${name} is under ${license} and holds ${own}: THIRD_PARTY.md has to say so`)
  }
  return BUNDLED
}

function wrapped(text) {
  const lines = [""]
  for (const word of text.split(" ")) {
    if (lines.at(-1).length + word.length > 110) lines.push("")
    lines[lines.length - 1] += lines.at(-1) === "" ? word : ` ${word}`
  }
  return lines.join("\n")
}

function fence(text) {
  return `\`\`\`text\n${text.trim().replaceAll("\r", "")}\n\`\`\``
}

if (isCommand(import.meta.url)) {
  await command(async () => {
    const root = dirname(dirname(fileURLToPath(import.meta.url)))
    writeFileSync(join(root, "THIRD_PARTY.md"), await thirdParty(root))
  })
}
