import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { thirdParty } from "../../scripts/third-party.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const read = (name) => readFileSync(join(root, name), "utf8")
const manifest = JSON.parse(read("package.json"))

test("THIRD_PARTY.md is what node scripts/third-party.mjs writes", async () => {
  assert.equal(read("THIRD_PARTY.md"), await thirdParty(root))
})

test("no script of a dependency runs at npm ci, and those of the package do", () => {
  const { packages } = JSON.parse(read("package-lock.json"))
  const withScripts = Object.keys(packages).filter((path) => packages[path].hasInstallScript)
  const names = withScripts.map((path) => path.split("node_modules/").at(-1))
  assert.deepEqual(manifest.allowScripts, Object.fromEntries(names.map((name) => [name, false])))
  // A dependency that brings a script is an error until it is named, not a warning.
  assert.match(read(".npmrc"), /^strict-allow-scripts=true$/m)
  // It would forbid prepack too, and an empty package be published.
  assert.doesNotMatch(read(".npmrc"), /ignore-scripts/)
})

test("what prepack prints is not in the way of what npm prints", () => {
  assert.equal(manifest.scripts.prepack, "node scripts/build.mjs 1>&2")
})

test("the package names no address that nobody has given it", () => {
  for (const field of ["repository", "homepage", "bugs", "author"]) {
    // The release workflow sets the first, from where it runs.
    if (field === "repository" && process.env.GITHUB_ACTIONS) continue
    assert.equal(manifest[field], undefined)
  }
})
