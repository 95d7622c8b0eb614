// The options: unknown names, wrong values, defaults as the documentation states them, and which of several marks wins.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, test } from "node:test"
import { createToolSearch, NEVER_DEFERRED, rankTools, rankToolsByKeywords } from "../../pkg/index.js"
import {
  assistant,
  call,
  chat,
  deferred,
  failsWith,
  freeze,
  loads,
  nameOf,
  namesOf,
  pkg,
  result,
  revoked,
  searchCall,
  throwing,
} from "./support.mjs"

const create = (options) => createToolSearch({ tools: [], ...options })
const none = createToolSearch({ tools: [] })
const FORMATS = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ai-sdk", "neutral"]
const PER_TURN = {
  keepNote: (options) => none.keepNote([], [], options),
  turn: (options) => none.turn([], options),
  resolve: (options) => none.resolve({}, [], options),
}

describe("unknown options are refused, with the nearest name", () => {
  const SLIPS = [
    [{ tool: [] }, "tool", "tools"],
    [{ toosl: [] }, "toosl", "tools"],
    [{ limt: {} }, "limt", "limit"],
    [{ Limit: {} }, "Limit", "limit"],
    [{ THRESHOLD: 0 }, "THRESHOLD", "threshold"],
    [{ treshold: 0 }, "treshold", "threshold"],
    [{ defer: [] }, "defer", "deferred"],
    [{ residents: [] }, "residents", "resident"],
    [{ context_window: 1 }, "context_window", "contextWindow"],
    [{ contextwindow: 1 }, "contextwindow", "contextWindow"],
    [{ formats: "x" }, "formats", "format"],
    [{ handof: "keep" }, "handof", "handoff"],
    [{ handofs: [] }, "handofs", "handoffs"],
    [{ call: "load" }, "call", "calls"],
    [{ unloadedCalls: "run" }, "unloadedCalls", "unloadedCall"],
    [{ server: {} }, "server", "servers"],
    [{ searchtool: {} }, "searchtool", "searchTool"],
    [{ whenAllLoad: "keep" }, "whenAllLoad", "whenAllLoaded"],
    [{ alias: false }, "alias", "aliases"],
    [{ maxNamesLength: 1 }, "maxNamesLength", "maxNameLength"],
    [{ ranks: "bm25" }, "ranks", "rank"],
    [{ rankTimeOut: 1 }, "rankTimeOut", "rankTimeout"],
    [{ toJSONSchema: 1 }, "toJSONSchema", "toJsonSchema"],
    [{ countToken: 1 }, "countToken", "countTokens"],
    [{ zzzzzz: 1 }, "zzzzzz", undefined],
    [{ models: "x" }, "models", "model"],
    [{ deliver: "native" }, "deliver", "delivery"],
    [{ cachebreakpoint: true }, "cachebreakpoint", "cacheBreakpoint"],
    [{ calltool: {} }, "calltool", "callTool"],
    [{ callTool: { nam: "x" } }, "callTool.nam", "callTool.name"],
    [{ "": 1 }, "", undefined],
    [{ ["x".repeat(10_000)]: 1 }, "x".repeat(10_000), undefined],
    [{ threshold: { shares: 1 } }, "threshold.shares", "threshold.share"],
    [{ threshold: { token: 1 } }, "threshold.token", "threshold.tokens"],
    [{ threshold: { tool: 1 } }, "threshold.tool", "threshold.tools"],
    [{ limit: { defualt: 1 } }, "limit.defualt", "limit.default"],
    [{ limit: { maximum: 1 } }, "limit.maximum", undefined],
    [{ limit: { mx: 1 } }, "limit.mx", "limit.max"],
    [{ searchTool: { nam: "x" } }, "searchTool.nam", "searchTool.name"],
    [{ searchTool: { formernames: [] } }, "searchTool.formernames", "searchTool.formerNames"],
    [{ deferred: { abov: 1 } }, "deferred.abov", "deferred.above"],
    [{ servers: { gh: { deferloading: true } } }, "servers.gh.deferloading", "servers.gh.deferLoading"],
    [{ servers: { gh: { tool: [] } } }, "servers.gh.tool", "servers.gh.tools"],
    [{ servers: { gh: { prefixes: "x" } } }, "servers.gh.prefixes", "servers.gh.prefix"],
  ]
  for (const [options, name, near] of SLIPS) {
    const offer = near === undefined ? "no offer" : near
    test(`${name.slice(0, 40)}: ${offer}`, async () => {
      const message = `unknown option "${name.length > 40 ? `${name.slice(0, 40)}…` : name}"${near === undefined ? "" : `; did you mean "${near}"?`}`
      const refused = (error) => failsWith("unknown_option")(error) && (assert.equal(error.message, message), true)
      assert.throws(() => create(options), refused)
      await assert.rejects(createToolSearch.async({ tools: [], ...options }), refused)
    })
  }

  test("also where a turn, an answer, a search and a ranking take options", async () => {
    for (const [near, slip] of [
      ["loaded", "load"],
      ["forced", "force"],
      ["exclude", "exlude"],
    ]) {
      const refused = failsWith("unknown_option", `"${slip}"`, `did you mean "${near}"`)
      for (const ask of Object.values(PER_TURN)) assert.throws(() => ask({ [slip]: [] }), refused)
      await assert.rejects(none.answer({}, [], { [slip]: [] }), refused)
    }
    assert.throws(() => none.search("x", { limits: 1 }), failsWith("unknown_option", 'did you mean "limit"'))
    assert.throws(() => none.search("x", { explains: true }), failsWith("unknown_option", 'did you mean "explain"'))
    for (const rank of [rankTools, rankToolsByKeywords]) {
      assert.throws(() => rank("x", [], { limt: 1 }), failsWith("unknown_option", 'did you mean "limit"'))
      assert.throws(() => rank("x", [], { explain: true }), failsWith("unknown_option", '"explain"'))
    }
  })

  test("an unknown option with the value undefined is refused too: its value may come another day", () => {
    assert.throws(() => create({ limt: undefined }), failsWith("unknown_option", '"limit"'))
  })
})

describe("wrong values are named with what they must be", () => {
  const NAMES = "an array of names"
  const circle = {}
  circle.circle = circle
  const WRONG = [
    [
      "format",
      { format: "openai" },
      '"openai-chat" or "openai-responses" or "anthropic" or "gemini" or "bedrock" or "ai-sdk" or "neutral", not "openai"',
    ],
    ["format", { format: "toString" }, 'not "toString"'],
    ["delivery", { delivery: "defer" }, '"append" or "native" or "proxy" or "auto", not "defer"'],
    ["model", { model: "" }, 'a text that is not empty, not ""'],
    ["model", { model: 5 }, "not 5"],
    ["callTool", { callTool: "run" }, 'an object, not "run"'],
    ["callTool.name", { callTool: { name: "run it" } }, 'A-Z a-z 0-9 _ -, not "run it"'],
    ["cacheBreakpoint", { cacheBreakpoint: "2h" }, '"5m" or "1h", true or false, not "2h"'],
    ["cacheBreakpoint", { cacheBreakpoint: null }, "not null"],
    ["cacheBreakpoint", { cacheBreakpoint: 1 }, "not 1"],
    ["format", { format: null }, "not null"],
    ["contextWindow", { contextWindow: 0 }, "a number from 1, not 0"],
    ["contextWindow", { contextWindow: "128k" }, 'not "128k"'],
    ["contextWindow", { contextWindow: Infinity }, "not Infinity"],
    ["threshold", { threshold: true }, "a share from 0 to 1, false, or an object, not true"],
    ["threshold", { threshold: null }, "not null"],
    ["threshold", { threshold: "0.1" }, 'not "0.1"'],
    ["threshold", { threshold: [] }, "not an array"],
    ["threshold", { threshold: 10 }, "a number from 0 to 1, not 10"],
    ["threshold", { threshold: -0.1 }, "a number from 0 to 1, not -0.1"],
    ["threshold", { threshold: NaN }, "not NaN"],
    ["threshold.share", { threshold: { share: 1.5 } }, "a number from 0 to 1, not 1.5"],
    ["threshold.tokens", { threshold: { tokens: -1 } }, "a number from 0, not -1"],
    ["threshold.tools", { threshold: { tools: "many" } }, 'a number from 0, not "many"'],
    ["deferred", { deferred: "linear_*" }, 'an array of names, a function or { above: number }, not "linear_*"'],
    ["deferred", { deferred: true }, "not true"],
    ["deferred", { deferred: null }, "not null"],
    ["deferred[1]", { deferred: ["a", 5] }, "a name, not 5"],
    ["deferred[0]", { deferred: [""] }, 'a name, not ""'],
    ["deferred[0]", { deferred: [, "a"] }, "a name, not undefined"],
    ["deferred.above", { deferred: {} }, "a whole number from 0, not undefined"],
    ["deferred.above", { deferred: { above: -1 } }, "a whole number from 0, not -1"],
    ["deferred.above", { deferred: { above: 1.5 } }, "not 1.5"],
    ["deferred.above", { deferred: { above: "30" } }, 'not "30"'],
    ["resident", { resident: "a" }, `${NAMES}, not "a"`],
    ["resident", { resident: new Set(["a"]) }, `${NAMES}, not an object`],
    ["resident[0]", { resident: [/a/] }, "a name, not an object"],
    ["handoffs", { handoffs: null }, `${NAMES}, not null`],
    ["handoffs[2]", { handoffs: ["a", "b", null] }, "a name, not null"],
    ["handoff", { handoff: "drop" }, '"keep" or "reset", not "drop"'],
    ["calls", { calls: true }, '"ignore" or "load", not true'],
    ["unloadedCall", { unloadedCall: "ask" }, '"run" or "load" or "refuse", not "ask"'],
    ["servers", { servers: [] }, "an object with one entry for each server, not an array"],
    ["servers", { servers: null }, "not null"],
    ["servers.gh", { servers: { gh: true } }, "an object, not true"],
    ["servers.gh", { servers: { gh: null } }, "an object, not null"],
    ["servers.gh.deferLoading", { servers: { gh: { deferLoading: 1 } } }, "true or false, not 1"],
    ["servers.gh.prefix", { servers: { gh: { prefix: "" } } }, 'a text that is not empty, not ""'],
    ["servers.gh.prefix", { servers: { gh: { prefix: ["a"] } } }, "not an array"],
    ["servers.gh.tools", { servers: { gh: { tools: "a" } } }, `${NAMES}, not "a"`],
    ["servers.gh.tools[0]", { servers: { gh: { tools: [1] } } }, "a name, not 1"],
    ["limit", { limit: 5 }, "an object, not 5"],
    ["limit", { limit: null }, "an object, not null"],
    ["limit.default", { limit: { default: 0 } }, "a whole number from 1, not 0"],
    ["limit.default", { limit: { default: 2.5 } }, "a whole number from 1, not 2.5"],
    ["limit.default", { limit: { default: 21 } }, "at most limit.max (20), not 21"],
    ["limit.default", { limit: { default: 4, max: 3 } }, "at most limit.max (3), not 4"],
    ["limit.max", { limit: { max: NaN } }, "a whole number from 1, not NaN"],
    ["limit.max", { limit: { max: "20" } }, 'not "20"'],
    ["searchTool", { searchTool: "find" }, 'an object, not "find"'],
    ["searchTool.name", { searchTool: { name: "find tools" } }, 'A-Z a-z 0-9 _ -, not "find tools"'],
    ["searchTool.name", { searchTool: { name: "" } }, "1 to 64"],
    ["searchTool.name", { searchTool: { name: "x".repeat(65) } }, "1 to 64"],
    ["searchTool.name", { searchTool: { name: "größe" } }, "1 to 64"],
    ["searchTool.name", { searchTool: { name: 5 } }, "not 5"],
    ["searchTool.formerNames", { searchTool: { formerNames: "a" } }, NAMES],
    ["whenAllLoaded", { whenAllLoaded: "stay" }, '"withdraw" or "keep", not "stay"'],
    ["aliases", { aliases: "yes" }, 'true or false, not "yes"'],
    ["aliases", { aliases: null }, "not null"],
    ["maxNameLength", { maxNameLength: 0 }, "a whole number from 1, not 0"],
    ["rank", { rank: "bm26" }, '"bm25" or "keywords", or a function, not "bm26"'],
    ["rank", { rank: null }, "not null"],
    ["rank", { rank: 10n }, "not 10"],
    ["rank", { rank: Symbol("x") }, "not Symbol(x)"],
    ["rankTimeout", { rankTimeout: 0 }, "a number from 1 to 2147483647, not 0"],
    ["rankTimeout", { rankTimeout: 2 ** 31 }, "a number from 1 to 2147483647, not 2147483648"],
    ["rankTimeout", { rankTimeout: "1s" }, 'not "1s"'],
    ["toJsonSchema", { toJsonSchema: {} }, "a function, not an object"],
    ["countTokens", { countTokens: 4 }, "a function, not 4"],
    ["format", { format: "x".repeat(1000) }, `not "${"x".repeat(60)}…"`],
    ["calls", { calls: circle }, "not an object"],
    ["calls", { calls: () => {} }, "not a function"],
  ]
  for (const [name, options, bound] of WRONG) {
    test(`${name}: ${bound.slice(0, 70)}`, async () => {
      const refused = failsWith("invalid_option", `option "${name}" must be `, bound)
      assert.throws(() => create(options), refused)
      await assert.rejects(createToolSearch.async({ tools: [], ...options }), refused)
    })
  }

  test("options that are no object", async () => {
    for (const options of [undefined, null, 5, "x", true, [], () => {}]) {
      assert.throws(() => createToolSearch(options), failsWith("invalid_option", 'option "options" must be an object'))
      await assert.rejects(createToolSearch.async(options), failsWith("invalid_option", '"options"'))
    }
    assert.throws(() => createToolSearch({}), failsWith("invalid_tools", "not undefined"))
  })

  test("per turn, per search, per ranking", async () => {
    for (const name of ["loaded", "forced", "exclude"]) {
      for (const [value, shown] of [
        ["a", 'not "a"'],
        [null, "not null"],
        [{}, "not an object"],
        [new Set(), "not an object"],
      ]) {
        const refused = failsWith("invalid_option", `option "${name}" must be an array of names`, shown)
        for (const ask of Object.values(PER_TURN)) assert.throws(() => ask({ [name]: value }), refused)
        await assert.rejects(none.answer({}, [], { [name]: value }), refused)
      }
      assert.throws(
        () => none.turn([], { [name]: ["a", 5] }),
        failsWith("invalid_option", `"${name}[1]"`, "a name, not 5"),
      )
    }
    for (const [value, shown] of [[-1, "not -1"], [1.5, "not 1.5"], [NaN, "not NaN"], ["2", 'not "2"'], [null, "not null"], [Infinity, "not Infinity"]]) {
      const refused = failsWith("invalid_option", 'option "since" must be a whole number from 0', shown)
      for (const ask of Object.values(PER_TURN)) assert.throws(() => ask({ since: value }), refused)
      await assert.rejects(none.answer({}, [], { since: value }), refused)
    }
    for (const after of [undefined, null, {}, "x", new Set()]) {
      assert.throws(() => none.keepNote([], after), failsWith("invalid_option", 'option "after" must be the messages that are left'))
    }
    for (const odd of [null, 5, "x", []])
      assert.throws(() => none.turn([], odd), failsWith("invalid_option", '"options"'))
    assert.throws(() => none.search("x", { explain: "yes" }), failsWith("invalid_option", '"explain"', "true or false"))
    for (const rank of [rankTools, rankToolsByKeywords]) {
      assert.throws(
        () => rank("x", [], { limit: 0 }),
        failsWith("invalid_option", '"limit"', "a whole number from 1, not 0"),
      )
      assert.throws(() => rank("x", [], { limit: 1.5 }), failsWith("invalid_option", "not 1.5"))
      assert.throws(() => rank("x", [], null), failsWith("invalid_option", '"options"'))
    }
  })

  test("a predicate that fails, or decides by nothing, is an error that names the tool", () => {
    const tools = [chat("first"), chat("second")]
    const ask = (deferred) => () => createToolSearch({ tools, deferred })
    assert.throws(
      ask((tool) => {
        if (tool === tools[1]) throw new Error("boom")
      }),
      (error) =>
        failsWith("invalid_option", '"deferred"', 'tool "second"', "boom")(error) && error.cause.message === "boom",
    )
    assert.throws(
      ask(() => 1),
      failsWith("invalid_option", 'deferred("first")', "true, false or undefined, not 1"),
    )
    assert.throws(
      ask(async () => true),
      failsWith("invalid_option", 'deferred("first")', "not an object"),
    )
    assert.throws(
      ask(() => "yes"),
      failsWith("invalid_option", 'not "yes"'),
    )
    assert.doesNotThrow(ask(() => null))
  })

  test("an options object that can't be read throws nothing of its own", () => {
    // What a getter of the host's throws is either the host's error as it is, or ours with that as its cause.
    for (const options of [throwing({}, "tools"), throwing({ tools: [] }, "limit"), revoked()]) {
      assert.throws(
        () => createToolSearch(options),
        (error) => error instanceof Error && !(error instanceof WebAssembly.RuntimeError),
      )
    }
    assert.deepEqual(none.turn([]).tools, [], "and the engine goes on")
  })
})

describe("defaults", () => {
  const docs = readFileSync(new URL("types.d.ts", pkg), "utf8").replace(/\n\s*\* ?/g, " ")
  /** The documentation says so. */
  const says = (...words) => words.forEach((word) => assert.ok(docs.includes(word), `types.d.ts does not say: ${word}`))
  const ten = (tokens) => ({ countTokens: () => tokens })
  const tools = [deferred("a"), deferred("b")]
  const open = (options = {}, given = tools) => createToolSearch({ tools: given, ...options })

  test("undefined is as good as absent", () => {
    const keys = [
      "format",
      "contextWindow",
      "threshold",
      "deferred",
      "resident",
      "handoffs",
      "handoff",
      "calls",
      "unloadedCall",
      "servers",
      "limit",
      "searchTool",
      "whenAllLoaded",
      "aliases",
      "maxNameLength",
      "rank",
      "rankTimeout",
      "toJsonSchema",
      "countTokens",
    ]
    const absent = open()
    const given = open(Object.fromEntries(keys.map((key) => [key, undefined])))
    for (const part of ["searchTool", "note", "deferral", "warnings"]) assert.deepEqual(given[part], absent[part])
    assert.deepEqual(given.turn([], { loaded: undefined, forced: undefined, exclude: undefined }), absent.turn([]))
    assert.deepEqual(given.search("a", { limit: undefined, explain: undefined }), absent.search("a"))
    const nested = open({
      threshold: { share: undefined, tokens: undefined, tools: undefined },
      limit: { default: undefined, max: undefined },
      searchTool: { name: undefined, formerNames: undefined },
      servers: { s: { deferLoading: undefined, prefix: undefined, tools: undefined } },
    })
    assert.deepEqual(nested.deferral, absent.deferral)
    assert.deepEqual(nested.searchTool, absent.searchTool)
  })

  test("threshold: a tenth of the window, 20,000 tokens or 128 tools, whichever comes first", () => {
    says("Default `{ share: 0.1, tokens: 20_000, tools: 128 }`; naming any of them switches the unnamed off")
    assert.deepEqual(open().deferral.limits, { share: 0.1, tokens: 20_000, tools: 128 })
    // 12,800 of the assumed 128,000 by two tools.
    assert.equal(open(ten(6399)).deferral.reason, "below")
    assert.equal(open(ten(6400)).deferral.reason, "share")
    assert.equal(open({ ...ten(9999), contextWindow: 1e6 }).deferral.reason, "below")
    assert.equal(open({ ...ten(10_000), contextWindow: 1e6 }).deferral.reason, "tokens")
    const many = (count) => Array.from({ length: count }, (_, at) => (at ? chat(`t${at}`) : deferred("t0")))
    assert.equal(open({}, many(128)).deferral.reason, "below")
    assert.equal(open({}, many(129)).deferral.reason, "tools")
    // Only deferred definitions count, never what is resident.
    assert.equal(open(ten(1e6), [chat("huge"), chat("huger")]).deferral.reason, "nothing_deferred")
    assert.equal(
      open({ countTokens: (json) => (json.includes('"a"') ? 10 : 1e6) }, [deferred("a"), chat("huge")]).deferral.reason,
      "below",
    )
  })

  test("threshold: naming one switches the others off; 0 always, false never", () => {
    says("A number is a share of the context window, `0` always defers, `false` never")
    const limits = (threshold) => open({ threshold }).deferral.limits
    assert.deepEqual(limits(0.5), { share: 0.5, tokens: null, tools: null })
    assert.deepEqual(limits({ tokens: 5000 }), { share: null, tokens: 5000, tools: null })
    assert.deepEqual(limits({ tools: 30, share: 0.2 }), { share: 0.2, tokens: null, tools: 30 })
    assert.deepEqual(limits({}), { share: 0.1, tokens: 20_000, tools: 128 })
    assert.equal(open({ threshold: { tools: 1 }, ...ten(0) }).deferral.reason, "tools")
    assert.equal(open({ threshold: { tools: 2 }, ...ten(1e6) }).deferral.reason, "below")
    assert.equal(open({ threshold: 1, contextWindow: 100, ...ten(49) }).deferral.reason, "below")
    assert.equal(open({ threshold: 1, contextWindow: 100, ...ten(50) }).deferral.reason, "share")
    for (const always of [0, -0, { share: 0 }, { tokens: 0 }, { tools: 0 }, { share: 0.5, tools: 0 }]) {
      assert.deepEqual(
        [open({ threshold: always }).deferral.applied, open({ threshold: always }).deferral.reason],
        [true, "always"],
      )
    }
    const never = open({ threshold: false, ...ten(1e6) })
    assert.deepEqual([never.deferral.applied, never.deferral.reason], [false, "never"])
    assert.deepEqual(namesOf(never.turn(loads(["a"]))), ["a", "b"], "not even when the transcript has searched")
    // The decision's own words have its numbers.
    for (const [threshold, number] of [
      [{ tokens: 7 }, "7"],
      [{ tools: 1 }, "1"],
      [0.001, "128"],
    ]) {
      assert.ok(open({ threshold, ...ten(100) }).deferral.message.includes(number))
    }
  })

  test("contextWindow: 128,000, with a warning when a share of it decides", () => {
    says("Default 128,000, with a warning when a share of it decides")
    assert.equal(open().deferral.contextWindow, 128_000)
    assert.equal(open().deferral.contextWindowFrom, "default")
    const { deferral } = open({ contextWindow: 8000 })
    assert.deepEqual([deferral.contextWindow, deferral.contextWindowFrom], [8000, "contextWindow"])
    const warned = (options, given) =>
      open(options, given)
        .turn([])
        .warnings.map(({ code }) => code)
    assert.deepEqual(warned({}), ["unknown_context_window"])
    assert.ok(open().turn([]).warnings[0].message.includes("contextWindow"))
    assert.deepEqual(warned({ contextWindow: 8000 }), [])
    for (const threshold of [0, false, { tokens: 5 }, { tools: 5 }]) assert.deepEqual(warned({ threshold }), [])
    assert.deepEqual(warned({}, [chat("a")]), [])
  })

  test("resident: NEVER_DEFERRED, which the host extends or replaces", () => {
    says("Default `NEVER_DEFERRED`; spread it to extend it")
    assert.ok(Object.isFrozen(NEVER_DEFERRED))
    assert.equal(new Set(NEVER_DEFERRED).size, NEVER_DEFERRED.length)
    for (const name of ["load_skill", "task", "ask_question", "Task", "memory", "TodoWrite"])
      assert.ok(NEVER_DEFERRED.includes(name), name)
    for (const name of NEVER_DEFERRED) assert.match(name, /^\w+$/, "exact names, no globs")
    const given = [...NEVER_DEFERRED, "linear_create", "Load_Skill"].map((name) => deferred(name))
    const held = (options) =>
      namesOf(createToolSearch({ tools: given, threshold: 0, ...options }).turn([])).filter(
        (name) => name !== "tool_search",
      )
    assert.deepEqual(held({}), NEVER_DEFERRED)
    assert.deepEqual(held({ deferred: ["*"] }), NEVER_DEFERRED)
    assert.deepEqual(held({ deferred: () => true }), NEVER_DEFERRED)
    assert.deepEqual(held({ resident: [...NEVER_DEFERRED, "linear_*"] }), [...NEVER_DEFERRED, "linear_create"])
    assert.deepEqual(held({ resident: ["task"] }), ["task"])
    assert.deepEqual(held({ resident: [] }), [])
  })

  test("handoffs: transfer_to_*, never deferred; handoff: keep", () => {
    says('Default `["transfer_to_*"]`', '(`"keep"`, default)')
    const given = [deferred("transfer_to_billing"), deferred("hand_over"), deferred("a")]
    const held = (options) =>
      namesOf(createToolSearch({ tools: given, threshold: 0, ...options }).turn([])).filter(
        (name) => name !== "tool_search",
      )
    assert.deepEqual(held({}), ["transfer_to_billing"])
    assert.deepEqual(held({ resident: [] }), ["transfer_to_billing"])
    assert.deepEqual(held({ handoffs: ["hand_*"] }), ["hand_over"])
    assert.deepEqual(held({ handoffs: [] }), [])
    const messages = [...loads(["a"]), assistant(call("transfer_to_billing", {}, "h")), result("done", "h")]
    const after = (options) => createToolSearch({ tools: given, threshold: 0, ...options }).turn(messages).loaded
    assert.deepEqual(after({}), ["a"])
    assert.deepEqual(after({ handoff: "keep" }), ["a"])
    assert.deepEqual(after({ handoff: "reset" }), [])
    assert.deepEqual(after({ handoff: "reset", handoffs: ["x"] }), ["a"])
  })

  test("calls: ignore; unloadedCall: run", () => {
    says('Default `"ignore"`', 'it runs (`"run"`, default)')
    const messages = [assistant(call("a", {})), result("done")]
    const after = (options) => open({ threshold: 0, ...options }).turn(messages).loaded
    assert.deepEqual(after({}), [])
    assert.deepEqual(after({ calls: "load" }), ["a"])
    assert.deepEqual(after({ unloadedCall: "load" }), ["a"])
    const target = (options) => open({ threshold: 0, ...options }).resolve(call("a", {}))
    assert.deepEqual([target({}).tool, target({}).loaded], [tools[0], false])
    assert.equal(target({ unloadedCall: "load" }).tool, tools[0])
    const refusal = target({ unloadedCall: "refuse" })
    assert.equal(refusal.error.code, "not_loaded")
    assert.match(refusal.error.message, /tool_search.*select:a/)
    // A conversation that has searched goes on deferring, so the call is still one of a tool that was not sent.
    const begun = createToolSearch({ tools, unloadedCall: "refuse" })
    assert.equal(begun.resolve(call("a", {}), loads(["b"])).error.code, "not_loaded")
    assert.equal(begun.resolve(call("a", {}), []).tool, tools[0])
    // What is sent anyway is no unloaded call.
    assert.equal(open({ threshold: false, unloadedCall: "refuse" }).resolve(call("a", {})).tool, tools[0])
    assert.equal(open({ threshold: 0, unloadedCall: "refuse" }).resolve(call("a", {}), loads(["a"])).tool, tools[0])
    assert.equal(
      open({ threshold: 0, unloadedCall: "refuse" }).resolve(call("a", {}), [], { loaded: ["a"] }).tool,
      tools[0],
    )
  })

  test("limit: 5, at most 20; a max below 5 lowers the default with it", () => {
    says(
      "`default` (5) when the call does not say, never more than `max` (20)",
      "A `max` below 5 lowers the default with it",
    )
    const many = Array.from({ length: 60 }, (_, at) => deferred(`t${at}`))
    const found = (options, limit) =>
      createToolSearch({ tools: many, threshold: 0, ...options }).search("handles", { limit }).length
    assert.equal(found({}), 5)
    assert.equal(found({}, 100), 20)
    assert.equal(found({ limit: { max: 3 } }), 3)
    assert.equal(found({ limit: { max: 3 } }, 100), 3)
    assert.equal(found({ limit: { default: 7 } }), 7)
    assert.equal(found({ limit: { max: 50 } }), 5)
    assert.equal(found({ limit: { max: 50 } }, 100), 50)
    assert.equal(found({ limit: { max: 1e9 } }, 100), 60)
    assert.equal(found({ limit: { default: 1e12, max: 1e12 } }), 60)
    const { limit } = createToolSearch({ tools: many, limit: { default: 7, max: 9 } }).searchTool.function.parameters
      .properties
    assert.match(limit.description, /Default 7\./)
    assert.deepEqual([limit.minimum, limit.maximum], [1, 9])
  })

  test("searchTool: tool_search; former names keep old threads readable", async () => {
    says('(default `"tool_search"`)')
    assert.equal(open().searchTool.function.name, "tool_search")
    const search = open({ threshold: 0, searchTool: { name: "find-tools_2", formerNames: ["tool_search", "older"] } })
    assert.deepEqual(namesOf(search.turn([])), ["find-tools_2"])
    assert.ok(search.note.includes("call find-tools_2"))
    assert.deepEqual(search.turn(loads(["a"])).loaded, ["a"])
    assert.deepEqual(search.turn([assistant(call("older", {})), result({ loaded: [{ name: "b" }] })]).loaded, ["b"])
    assert.deepEqual(open({ threshold: 0, searchTool: { name: "find" } }).turn(loads(["a"])).loaded, [])
    assert.equal(
      (await search.answer(assistant(searchCall("a")))).loaded[0],
      "a",
      "a call by a former name is answered",
    )
    assert.equal(search.resolve(call("find-tools_2", {})).error.code, "search_call")
    for (const name of ["A", "x".repeat(64), "-", "_0"])
      assert.equal(open({ searchTool: { name } }).searchTool.function.name, name)
  })

  test("whenAllLoaded: withdraw, but keep where a cache that is written is billed", () => {
    says('(`"withdraw"`)', "stay with `anthropic`, `bedrock` and `ai-sdk`")
    for (const format of FORMATS) {
      const none = open({ threshold: 0, format }).turn([], { loaded: ["a", "b"] }).note === null
      assert.equal(none, !["anthropic", "bedrock", "ai-sdk"].includes(format), format)
      const asked = (whenAllLoaded) => open({ threshold: 0, format, whenAllLoaded }).turn([], { loaded: ["a", "b"] })
      assert.equal(asked("withdraw").note, null)
      assert.notEqual(asked("keep").note, null)
    }
    const all = (options) => open({ threshold: 0, ...options }).turn(loads(["a", "b"]))
    assert.deepEqual(namesOf(all({})), ["a", "b"])
    assert.equal(all({}).note, null)
    const kept = open({ threshold: 0, whenAllLoaded: "keep" })
    assert.deepEqual(namesOf(kept.turn(loads(["a", "b"]))), ["tool_search", "a", "b"])
    assert.equal(kept.turn(loads(["a", "b"])).note, kept.note)
  })

  test("aliases and maxNameLength: names that the format refuses go out under an alias, or are left out with a warning", () => {
    const long = "n".repeat(65)
    const given = [chat("fine"), chat(long), chat("with space"), chat("n".repeat(20))]
    const sent = (options) => {
      const search = createToolSearch({ tools: given, ...options })
      return [
        search.turn([]).names.map((name) => (name === long ? "long" : name)),
        search.warnings.map(({ code, tool }) => [code, tool]),
      ]
    }
    assert.deepEqual(sent({}), [
      ["fine", "long", "with space", "n".repeat(20)],
      [],
    ])
    assert.deepEqual(sent({ aliases: true }), sent({}))
    const { aliases } = createToolSearch({ tools: given })
    assert.deepEqual(Object.keys(aliases).sort(), [long, "with space"].sort())
    const wire = namesOf(createToolSearch({ tools: given }).turn([]))
    assert.deepEqual(wire, ["fine", aliases[long], aliases["with space"], "n".repeat(20)])
    for (const alias of wire) assert.match(alias, /^[\w-]{1,64}$/)
    assert.deepEqual(sent({ aliases: false }), [
      ["fine", "n".repeat(20)],
      [
        ["excluded_tool", long],
        ["excluded_tool", "with space"],
      ],
    ])
    // What is longer than the host's own limit has an alias that is not, where one fits.
    for (const [limit, aliased] of [
      [10, [long, "with space", "n".repeat(20)]],
      [20, [long, "with space"]],
      [128, ["with space"]],
    ]) {
      const search = createToolSearch({ tools: given, maxNameLength: limit })
      assert.deepEqual(Object.keys(search.aliases).sort(), aliased.sort())
      assert.deepEqual(search.warnings, [])
      for (const alias of Object.values(search.aliases)) {
        assert.ok(alias.length <= limit, alias)
        assert.equal(search.resolve(call(alias, {})).tool, given[search.turn([]).tools.map(nameOf).indexOf(alias)])
      }
    }
    const short = sent({ maxNameLength: 3 })
    assert.deepEqual(short[0], [], "too short for any alias")
    assert.deepEqual(new Set(short[1].map(([code]) => code)), new Set(["excluded_tool"]))
    assert.deepEqual(sent({ maxNameLength: 10, aliases: false })[0], ["fine"])
    assert.ok(
      sent({ maxNameLength: 128, aliases: false })[0].includes("long"),
      "a longer one than the format's own, where the provider takes it",
    )
  })

  test("rank: bm25; keywords counts words in the name three times", () => {
    says('`"bm25"` (default)', "Default 10,000")
    const given = [deferred("invoice", { description: "x" }), deferred("other", { description: "invoice order" })]
    const found = (rank) =>
      createToolSearch({ tools: given, threshold: 0, rank }).search("the invoice of an order", { explain: true })
    assert.deepEqual(found("bm25"), found(undefined))
    assert.deepEqual(
      found("keywords").map(({ name, score }) => [name, score]),
      [
        ["invoice", 3],
        ["other", 2],
      ],
    )
    assert.notDeepEqual(
      found("bm25").map(({ score }) => score),
      [3, 2],
    )
  })
})

describe("which mark wins", () => {
  // Nearest to the host: resident and handoffs, the agent's list or predicate, the tool's own mark, its server, above.
  const AGENT = {
    none: [undefined, undefined],
    "a list that names it": [["to*"], true],
    "a list that does not": [["other"], undefined],
    "a predicate that says true": [() => true, true],
    "a predicate that says false": [() => false, false],
    "a predicate that says nothing": [() => undefined, undefined],
    "above, passed": [{ above: 0 }, undefined],
    "above, not passed": [{ above: 1 }, undefined],
  }
  for (const [agent, [option, answer]] of Object.entries(AGENT)) {
    test(`${agent}, with every other mark`, () => {
      let cases = 0
      for (const resident of [false, true]) {
        for (const handoff of [false, true]) {
          for (const mark of [undefined, true, false]) {
            for (const server of [undefined, true, false]) {
              for (const how of ["name", "prefix", "glob"]) {
                for (const key of ["deferred", "deferLoading", "defer_loading"]) {
                  const tool = {
                    name: "tool",
                    inputSchema: {},
                    ...(mark === undefined ? {} : { [key]: mark }),
                    ...(how === "name" ? { server: "s" } : {}),
                  }
                  const servers = {
                    s: {
                      deferLoading: server,
                      ...(how === "prefix" ? { prefix: "too" } : how === "glob" ? { tools: ["t?ol"] } : {}),
                    },
                  }
                  const search = createToolSearch({
                    tools: [tool],
                    deferred: option,
                    servers,
                    resident: resident ? ["tool"] : [],
                    handoffs: handoff ? ["tool"] : [],
                    threshold: 0,
                  })
                  const want = resident || handoff ? false : (answer ?? mark ?? server ?? agent === "above, passed")
                  assert.equal(
                    search.resolve(call("tool", {})).deferred,
                    want,
                    JSON.stringify({ resident, handoff, mark, server, how, key }),
                  )
                  assert.equal(search.deferral.deferredTools, Number(want))
                  cases++
                }
              }
            }
          }
        }
      }
      assert.equal(cases, 324)
    })
  }

  test("the first marker on the object counts, also within `function`, and none reaches the wire", () => {
    const at = (outer, inner) => ({ type: "function", function: { name: "tool", parameters: {}, ...inner }, ...outer })
    for (const [tool, want] of [
      [at({ deferred: false, deferLoading: true }, {}), false],
      [at({}, { defer_loading: true }), true],
      [at({ deferLoading: false }, { deferLoading: true }), false],
    ]) {
      const search = createToolSearch({ tools: freeze([tool]), threshold: 0 })
      assert.equal(search.resolve(call("tool", {})).deferred, want)
      const [sent] = search.turn([], { loaded: ["tool"] }).tools
      assert.doesNotMatch(JSON.stringify(sent), /defer/i)
    }
  })

  test("a copy of a tool keeps its mark; a mark in the schema is no mark", () => {
    const search = createToolSearch({
      tools: [
        { ...deferred("copy") },
        {
          name: "plain",
          inputSchema: { deferLoading: true, properties: { deferred: { type: "boolean" } } },
          _meta: { deferLoading: true },
        },
      ],
      threshold: 0,
    })
    assert.deepEqual(namesOf(search.turn([])), ["plain", "tool_search"])
  })

  test("a provider's own tool is never deferred, never found and never asked about", () => {
    const hosted = [{ type: "web_search" }, { type: "web_search_20250305", name: "web_search" }]
    const asked = []
    const search = createToolSearch({
      tools: [...hosted, chat("a")],
      deferred: (tool) => (asked.push(tool), true),
      threshold: 0,
      resident: [],
    })
    assert.deepEqual(search.turn([]).tools.slice(0, 2), hosted)
    assert.equal(search.turn([]).tools[0], hosted[0])
    assert.deepEqual(asked.length, 1)
    assert.deepEqual(search.search("web search"), [])
    assert.deepEqual(search.warnings, [])
    assert.equal(createToolSearch({ tools: hosted, deferred: { above: 0 }, threshold: 0 }).deferral.deferredTools, 0)
  })

  test("a predicate is asked once for each tool, with the host's own object, in order", () => {
    const tools = freeze([chat("a"), deferred("b"), chat("c", { deferred: false })])
    const asked = []
    const search = createToolSearch({ tools, deferred: (tool) => void asked.push(tool), threshold: 0 })
    assert.deepEqual(asked, tools)
    asked.forEach((tool, at) => assert.equal(tool, tools[at]))
    search.turn([])
    search.search("a")
    assert.equal(asked.length, 3)
  })

  test("what the host does to its options later changes nothing", () => {
    const options = {
      tools: [deferred("a"), deferred("b"), chat("c")],
      threshold: { tokens: 0 },
      resident: ["a"],
      deferred: ["c"],
      servers: { s: { tools: ["b"] } },
      searchTool: { name: "find", formerNames: ["x"] },
      limit: { max: 3 },
    }
    const search = createToolSearch(options)
    const untouched = createToolSearch(options)
    const before = JSON.stringify(search.turn(loads(["b"])))
    const given = [...options.tools]
    options.tools.length = 0
    options.resident.push("b")
    options.deferred.length = 0
    options.threshold.tokens = 1e9
    options.servers.s.tools[0] = "z"
    options.searchTool.name = "other"
    options.limit.max = 1
    assert.equal(JSON.stringify(search.turn(loads(["b"]))), before)
    // Nothing of the array is read later either, as an engine looks up what it sends and finds.
    assert.equal(JSON.stringify(untouched.turn(loads(["b"]))), before)
    assert.equal(untouched.search("b")[0].tool, given[1])
    assert.equal(untouched.resolve(call("c", {})).tool, given[2])
    assert.equal(
      JSON.stringify(search.update([deferred("a"), deferred("b"), chat("c")]).search.turn(loads(["b"]))),
      before,
    )
  })
})

describe("globs", () => {
  const GLOBS = [
    ["linear_*", ["linear_", "linear_create"], ["Linear_create", "xlinear_create", "linear"]],
    ["*", ["a", "", "anything at all", "größe", "🦓"].filter(Boolean), []],
    ["?", ["a", "ß", "🦓"], ["ab"]],
    ["a?c", ["abc", "a🦓c"], ["ac", "abbc"]],
    ["*_read", ["a_read", "_read"], ["a_reader", "read"]],
    ["a*b*c", ["abc", "aXbYc", "abbcc"], ["acb", "ab"]],
    ["a**c", ["ac", "abc"], ["ab"]],
    ["a.c", ["a.c"], ["abc"]],
    ["a[bc]", ["a[bc]"], ["ab"]],
    ["(a|b)+", ["(a|b)+"], ["a"]],
    ["^a$", ["^a$"], ["a"]],
    ["a\\*", ["a\\*", "a\\b"], ["a*"]],
    ["exact", ["exact"], ["exact_", "Exact", "exac"]],
  ]
  for (const [pattern, takes, leaves] of GLOBS) {
    test(`${pattern} takes ${takes.map((name) => JSON.stringify(name)).join(" ")}`, () => {
      const tools = [...takes, ...leaves].map((name) => ({ name, inputSchema: {} }))
      const held = (options) =>
        tools
          .map(({ name }) => name)
          .filter(
            (name) =>
              createToolSearch({ tools, threshold: 0, resident: [], ...options }).resolve(call(name, {})).deferred,
          )
      assert.deepEqual(held({ deferred: [pattern] }), takes)
      assert.deepEqual(held({ deferred: { above: 0 }, resident: [pattern] }), leaves)
      assert.deepEqual(held({ deferred: { above: 0 }, handoffs: [pattern] }), leaves)
      assert.deepEqual(held({ servers: { s: { tools: [pattern], deferLoading: true } } }), takes)
      const left = createToolSearch({ tools }).turn([], { exclude: [pattern] }).names
      assert.deepEqual(left, leaves)
    })
  }

  test("a prefix is no glob", () => {
    const held = (prefix) =>
      ["a*b", "axb"].filter(
        (name) =>
          createToolSearch({
            tools: [{ name, inputSchema: {} }],
            threshold: 0,
            servers: { s: { prefix, deferLoading: true } },
          }).resolve(call(name, {})).deferred,
      )
    assert.deepEqual(held("a*"), ["a*b"])
    assert.deepEqual(held("a"), ["a*b", "axb"])
  })

  test("a hostile pattern costs no more than its length times that of the name", () => {
    const started = performance.now()
    createToolSearch({
      tools: [{ name: "a".repeat(2000), inputSchema: {} }],
      deferred: ["*a".repeat(1000) + "b"],
      threshold: 0,
    })
    assert.ok(performance.now() - started < 1000)
  })
})
