// The workflows run where no test of ours does. So each line of them is held to what is here.

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import { parseDocument } from "yaml"
import { npm } from "../../scripts/lib/process.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const folder = join(root, ".github", "workflows")
const { scripts, publishConfig } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const workflows = Object.fromEntries(
  readdirSync(folder).map((name) => {
    const text = readFileSync(join(folder, name), "utf8")
    const document = parseDocument(text)
    return [name, { text, problems: [...document.errors, ...document.warnings], ...document.toJS() }]
  }),
)
const stepsOf = ({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps)

/** The usage that npm prints for one of its commands. */
function usage(subcommand) {
  const [program, before] = npm()
  return execFileSync(program, [...before, subcommand, "--help"], { encoding: "utf8" })
}

/** Throws unless a shell in the repository could run this line. */
function exists(line) {
  const [program, first, ...rest] = line.split(" ")
  if (program === "node") return assert.ok(existsSync(join(root, first)), `no ${first}`)
  assert.equal(program, "npm", `${program} is not known to be on a runner`)
  if (first === "test") return assert.ok(scripts.test)
  if (first === "run") return assert.ok(scripts[rest[0]], `no script ${rest[0]}`)
  const text = usage(first)
  for (const flag of rest.filter((word) => word.startsWith("--"))) assert.ok(text.includes(flag), `npm ${first} has no ${flag}`)
}

for (const [name, workflow] of Object.entries(workflows)) {
  describe(name, () => {
    test("is YAML", () => {
      assert.deepEqual(workflow.problems, [])
      assert.deepEqual(Object.keys(workflow).filter((key) => !["text", "problems"].includes(key)), [
        ...["name", "on", "permissions", "concurrency", "jobs"],
      ])
    })

    test("every command exists", () => {
      const lines = stepsOf(workflow).flatMap(({ run }) => (run ?? "").split("\n").filter((line) => line !== ""))
      assert.ok(lines.length > 0)
      lines.forEach(exists)
    })

    test("every action is pinned by a commit and says its version", () => {
      const used = stepsOf(workflow).flatMap(({ uses }) => uses ?? [])
      assert.ok(used.length > 0)
      for (const uses of used) {
        assert.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
        assert.match(workflow.text, new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\n`))
      }
    })

    test("may read and nothing else, but for the job that publishes", () => {
      assert.deepEqual(workflow.permissions, { contents: "read" })
      for (const { permissions, steps, needs } of Object.values(workflow.jobs)) {
        const publishes = steps.some(({ run }) => run?.includes("npm publish"))
        if (publishes) assert.deepEqual([permissions, needs], [{ contents: "read", "id-token": "write" }, "test"])
        else assert.equal(permissions, undefined)
      }
      assert.ok(!workflow.text.includes("secrets."))
    })
  })
}

test("there are two workflows", () => assert.deepEqual(Object.keys(workflows).sort(), ["ci.yml", "release.yml"]))

test("ci runs what everyone runs", () => {
  assert.ok(stepsOf(workflows["ci.yml"]).some(({ run }) => run === "npm test"))
})

describe("a release", () => {
  const { on, jobs } = workflows["release.yml"]
  const runs = (job) => jobs[job].steps.flatMap(({ run }) => run ?? [])
  const at = (job, text) => {
    const index = runs(job).findIndex((run) => run.includes(text))
    assert.ok(index >= 0, `${job} runs no ${text}`)
    return index
  }

  test("begins with a tag", () => assert.deepEqual(on, { push: { tags: ["v*"] } }))

  test("checks the versions first", () => assert.equal(at("test", 'scripts/version.mjs "$GITHUB_REF_NAME"'), 0))

  test("tests what it publishes", () => {
    const repository = runs("test").find((run) => run.startsWith("npm pkg set"))
    assert.match(repository, /repository\.url=git\+\$GITHUB_SERVER_URL\/\$GITHUB_REPOSITORY\.git/)
    assert.ok(at("test", repository) < at("test", "npm test"))
    assert.ok(at("test", "npm test") < at("test", 'scripts/integrity.mjs >> "$GITHUB_OUTPUT"'))
    assert.ok(at("publish", repository) < at("publish", 'scripts/integrity.mjs "$TESTED"'))
    assert.ok(at("publish", 'scripts/integrity.mjs "$TESTED"') < at("publish", "npm publish"))
    assert.equal(jobs.test.outputs.integrity, "${{ steps.packed.outputs.integrity }}")
    assert.ok(jobs.publish.steps.some(({ env }) => env?.TESTED === "${{ needs.test.outputs.integrity }}"))
  })

  test("is public and has provenance, and can't be made without", () => {
    assert.ok(runs("publish").includes("npm publish --provenance --access public"))
    assert.deepEqual(publishConfig, { access: "public", provenance: true })
  })
})
