import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"
import { disagreements, versions } from "../../scripts/version.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const folder = mkdtempSync(join(tmpdir(), "toolcrib-version-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const FILES = ["package.json", "package-lock.json", "Cargo.toml", "Cargo.lock", "fuzz/Cargo.lock", "jsr.json"]
const VERSION = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version

/** The repository's own files, changed by `change(file, text)`, with this changelog. */
function tree(changelog, change = (_, text) => text) {
  mkdirSync(join(folder, "fuzz"), { recursive: true })
  for (const file of FILES) writeFileSync(join(folder, file), change(file, readFileSync(join(root, file), "utf8")))
  writeFileSync(join(folder, "CHANGELOG.md"), changelog)
  return folder
}

const RELEASED = `# Changelog\n\n## ${VERSION}\n\nNew.\n`
const UNRELEASED = `# Changelog\n\n## Unreleased\n\nNewer.\n\n## ${VERSION}\n\nNew.\n`

test("the files of the repository agree", () => {
  assert.deepEqual(disagreements(root), [])
  assert.deepEqual(
    versions(root).map(([, version]) => version),
    versions(root).map(() => VERSION),
  )
})

test("a release is what its tag says", () => {
  assert.deepEqual(disagreements(tree(RELEASED), `v${VERSION}`), [])
  assert.match(disagreements(tree(RELEASED), VERSION).join(), /the tag is .* it should be v/)
  assert.match(disagreements(tree(RELEASED), "v9.9.9").join(), /the tag is v9\.9\.9/)
})

test("the changelog is of the version that is released", () => {
  assert.deepEqual(disagreements(tree(UNRELEASED)), [])
  assert.match(disagreements(tree(UNRELEASED), `v${VERSION}`).join(), /still has "Unreleased"/)
  assert.match(disagreements(tree("# Changelog\n\n## 0.0.1\n")).join(), /has 0\.0\.1 as its newest version/)
  assert.match(disagreements(tree("# Changelog\n")).join(), /has no version as its newest/)
})

test("each file that says another version is named", () => {
  for (const file of FILES.slice(1)) {
    // The first time that the package's version stands after its name.
    const change = (name, text) =>
      name === file ? text.replace(/("?name"?[ =:]+"(?:@toolcrib\/)?toolcrib"[\s\S]*?version"?[ =:]+)"[^"]+"/, '$1"9.9.9"') : text
    const wrong = disagreements(tree(RELEASED, change))
    assert.equal(wrong.length, 1, file)
    assert.ok(wrong[0].startsWith(`${file} says 9.9.9`), wrong[0])
  }
})

test("a file without a version is named", () => {
  const change = (name, text) => (name === "Cargo.toml" ? text.replace(/^version = .*\n/m, "") : text)
  assert.match(disagreements(tree(RELEASED, change)).join(), /Cargo\.toml says no version/)
})
