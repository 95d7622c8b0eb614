// The demo as people start it: a process of its own, real servers, and for the real model's path a fake API.

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"

import { scriptedModel } from "../scripted-model.mjs"
import { fakeApi } from "./fake-api.mjs"
import { childrenOf, isAlive } from "./processes.mjs"

const demo = fileURLToPath(new URL("../demo.mjs", import.meta.url))
const temporary = mkdtempSync(join(tmpdir(), "toolcrib-demo-test-"))
const windows = process.platform === "win32"

after(() => rmSync(temporary, { recursive: true, force: true }))

function start(flags, env = {}) {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^OPENAI_|^(NO|FORCE)_COLOR$|^NODE_TEST_CONTEXT$/.test(name)),
  )
  const child = spawn(process.execPath, [demo, ...flags], {
    env: { ...inherited, TMPDIR: temporary, TEMP: temporary, TMP: temporary, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const said = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text))
  child.stderr.setEncoding("utf8").on("data", (text) => (said.err += text))
  const ended = new Promise((resolve) => child.on("close", (code) => resolve({ ...said, code })))
  return { child, said, ended }
}

const play = (flags, env) => start(flags, env).ended

/** What every run must leave behind: nothing. */
const clean = () => assert.deepEqual(readdirSync(temporary), [])

let scripted
test("plays the scripted run on real servers", async () => {
  const { code, out, err } = await play(["--json"])
  assert.equal(code, 0, err)
  clean()
  scripted = JSON.parse(out)
  const { servers, catalogue, requests, totals, checks } = scripted
  assert.ok(servers.length >= 9)
  assert.ok(servers.every(({ tools }) => tools > 0))
  assert.ok(catalogue.tools >= 300, `${catalogue.tools} tools`)
  assert.equal(catalogue.deferral.applied, true)
  assert.equal(catalogue.deferral.deferredTools, catalogue.tools - catalogue.resident.length)
  assert.deepEqual(
    checks.map(({ ok }) => ok),
    [true, true, true],
  )

  const searches = requests.flatMap(({ searches }) => searches)
  assert.ok(
    searches.some(({ hits }) => hits.length === 0),
    "one search finds nothing",
  )
  assert.ok(
    requests.some(({ searches }) => searches.length === 2),
    "two searches in parallel",
  )
  assert.ok(
    requests.some(({ searches, calls }) => searches.length > 0 && calls.length > 0),
    "a search beside a call",
  )
  for (const { hits, loaded } of searches) {
    for (const { score, terms } of hits)
      assert.ok(score > 0 && terms.length > 0 && terms.every(({ fields }) => fields.length > 0))
    assert.ok(loaded.every((name) => hits.some((hit) => hit.name === name)))
  }
  const called = requests.flatMap(({ calls }) => calls)
  assert.ok(called.every(({ failed }) => !failed))
  for (const name of [
    "filesystem__write_file",
    "filesystem__read_text_file",
    "memory__create_entities",
    "memory__search_nodes",
    "everything__get-sum",
  ]) {
    assert.ok(
      called.some((call) => call.name === name),
      name,
    )
  }

  assert.equal(
    totals.sentTokens,
    requests.reduce((sum, { sent }) => sum + sent.tokens, 0),
  )
  assert.equal(
    totals.everythingTokens,
    requests.reduce((sum, { everything }) => sum + everything.tokens, 0),
  )
  assert.ok(totals.savedPercent > 90 && totals.savedPercentStrict > 90)
})

test("plays the same against a real API, number for number", async () => {
  const api = await fakeApi((request) => scriptedModel(request))
  const { code, out, err } = await play(["--json"], {
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: api.url,
    OPENAI_MODEL: "fake-1",
  })
  api.close()
  assert.equal(code, 0, err)
  clean()
  const played = JSON.parse(out)
  assert.equal(played.model, "fake-1")
  const same = ({ model, seconds, ...rest }) => rest
  assert.deepEqual(same(played), same(scripted))

  assert.equal(api.received.length, scripted.requests.length)
  for (const { url, key, body } of api.received) {
    assert.equal(url, "/v1/chat/completions")
    assert.equal(key, "Bearer sk-test")
    assert.equal(body.model, "fake-1")
    assert.ok(body.tools.length <= 128)
    for (const tool of body.tools) {
      assert.deepEqual(Object.keys(tool), ["type", "function"])
      assert.match(tool.function.name, /^[a-zA-Z0-9_-]{1,64}$/)
      assert.equal(tool.function.parameters.type, "object")
    }
    assert.equal(body.messages[0].role, "system")
    assert.ok(!JSON.stringify(body.messages).includes("annotations"))
  }
})

test("prints at most 80 columns, plain where there is no terminal, and names a server that fails", async () => {
  const { code, out, err } = await play(["--broken-server", "--scripted"], { OPENAI_API_KEY: "sk-unused", CI: "1" })
  assert.equal(code, 0, err)
  clean()
  const lines = out.split("\n")
  for (const line of lines) assert.ok(line.length <= 80, `${line.length} columns: ${line}`)
  assert.doesNotMatch(out, /\x1b/)
  assert.doesNotMatch(err, /\x1b/)
  assert.equal(lines.filter((line) => line.includes("broken")).length, 1)
  assert.match(out, /^  broken +failed: .*BROKEN_API_KEY is not set$/m)
  assert.match(out, /^ +ok +release\.md/m)
  assert.match(out, /"translate translation Portuguese"/)
})

test("a refused key is one line", async () => {
  const api = await fakeApi(() => ({ status: 401, error: "Incorrect API key provided: sk-wrong." }))
  const { code, err } = await play([], { OPENAI_API_KEY: "sk-wrong", OPENAI_BASE_URL: api.url })
  api.close()
  assert.equal(code, 1)
  clean()
  const lines = err.split("\n").filter((line) => line && !/^(Starting|Waiting)/.test(line))
  assert.equal(lines.length, 1, err)
  assert.match(
    lines[0],
    /^demo: .* refused the key \(401 Incorrect API key provided: sk-wrong\.\); check OPENAI_API_KEY/,
  )
})

test("a model that makes mistakes and never ends is answered and stopped", async () => {
  const call = (id, name, args) => ({ id, type: "function", function: { name, arguments: args } })
  const api = await fakeApi((body, count) => ({
    role: "assistant",
    content: null,
    tool_calls:
      count === 1
        ? [
            call("a", "no_such_tool", "{}"),
            call("b", "filesystem__list_allowed_directories", "{not json"),
            call("c", "tool_search", "[]"),
          ]
        : [call(`d${count}`, "tool_search", '{"query":"issue"}')],
  }))
  const { code, out, err } = await play(["--json"], { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: api.url })
  api.close()
  assert.equal(code, 1, err)
  clean()
  const { requests, checks } = JSON.parse(out)
  assert.equal(requests.length, 20)
  assert.deepEqual(
    requests[0].calls.map(({ failed }) => failed),
    [true, true],
  )
  assert.ok(checks.some(({ what, ok }) => /the model was done/.test(what) && !ok))
  // Every call had its answer, in the order of the calls.
  const answers = api.received[1].body.messages.filter(({ role }) => role === "tool")
  assert.deepEqual(
    answers.map(({ tool_call_id }) => tool_call_id),
    ["a", "b", "c"],
  )
})

test("an interrupt closes every server and leaves nothing", { skip: windows && "no signals on Windows" }, async () => {
  let asked
  const waiting = new Promise((resolve) => (asked = resolve))
  const api = await fakeApi(() => (asked(), new Promise(() => {})))
  const { child, ended } = start([], { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: api.url })
  await waiting
  const servers = childrenOf(child.pid)
  assert.ok(servers.length >= 9, `${servers.length} server processes`)
  child.kill("SIGINT")
  const { code, err } = await ended
  api.close()
  assert.equal(code, 130)
  assert.doesNotMatch(err, /demo:/)
  clean()
  assert.deepEqual(servers.filter(isAlive), [])
})

test("an unknown option is refused with the usage", async () => {
  const { code, err } = await play(["--jsn"])
  assert.equal(code, 2)
  assert.match(err, /^unknown option --jsn\n/)
})

test("the scripted model can't cheat: it imports nothing and gives up without the tool it needs", () => {
  const request = { tools: [], messages: [{ role: "user", content: "go" }] }
  assert.throws(() => scriptedModel(request), /sent neither it nor tool_search/)
  const tool = { type: "function", function: { name: "tool_search", parameters: {} } }
  const first = scriptedModel({ ...request, tools: [tool] })
  const answers = first.tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: '{"loaded":[]}' }))
  assert.throws(
    () => scriptedModel({ tools: [tool], messages: [...request.messages, first, ...answers] }),
    /was not sent/,
  )
})
