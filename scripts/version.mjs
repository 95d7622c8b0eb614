// Whether everything that says a version says the same one.
//
//   node scripts/version.mjs          between releases: the files agree
//   node scripts/version.mjs v1.2.3   at a release: and with the tag, and the changelog is of this version

import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { command, isCommand, Problem } from "./lib/process.mjs"

const UNRELEASED = "Unreleased"

/** The version in each file that has one, as `[file, version]`; `undefined` where a file does not say it. */
export function versions(root) {
  const text = (file) => readFileSync(join(root, file), "utf8")
  const json = (file) => JSON.parse(text(file))
  const manifest = text("Cargo.toml").match(/^\[package\]\n(?:[^[].*\n|\n)*?version = "([^"]+)"/m)?.[1]
  const locked = (file) => text(file).match(/^name = "toolcrib"\nversion = "([^"]+)"/m)?.[1]
  const lock = json("package-lock.json")
  const said = [
    ["package.json", json("package.json").version],
    ["package-lock.json", lock.version],
    ["package-lock.json (packages)", lock.packages[""].version],
    ["Cargo.toml", manifest],
    ["Cargo.lock", locked("Cargo.lock")],
    ["jsr.json", json("jsr.json").version],
  ]
  if (existsSync(join(root, "fuzz", "Cargo.lock"))) said.push(["fuzz/Cargo.lock", locked("fuzz/Cargo.lock")])
  return said
}

/** One sentence for each thing that does not fit; none when all does. */
export function disagreements(root, tag) {
  const said = versions(root)
  const [, version] = said[0]
  const wrong = said.flatMap(([file, other]) =>
    other === version ? [] : [`${file} says ${other ?? "no version"}, package.json says ${version}`],
  )
  const headings = [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (\S+)/gm)].map(([, word]) => word)
  const released = headings.filter((word) => word !== UNRELEASED)
  if (released[0] !== version) {
    wrong.push(`CHANGELOG.md has ${released[0] ?? "no version"} as its newest version, package.json says ${version}`)
  }
  if (tag !== undefined) {
    if (tag !== `v${version}`) wrong.push(`the tag is ${tag}, package.json says ${version}: it should be v${version}`)
    if (headings.includes(UNRELEASED)) wrong.push(`CHANGELOG.md still has "${UNRELEASED}", which should be in ${version}`)
  }
  return wrong
}

if (isCommand(import.meta.url)) {
  await command(() => {
    const root = dirname(dirname(fileURLToPath(import.meta.url)))
    const [tag, ...rest] = process.argv.slice(2)
    if (rest.length > 0) throw new Problem("usage: node scripts/version.mjs [TAG]")
    const wrong = disagreements(root, tag)
    if (wrong.length > 0) throw new Problem("the version is not the same everywhere", wrong.join("\n"))
    console.log(versions(root)[0][1])
  })
}
