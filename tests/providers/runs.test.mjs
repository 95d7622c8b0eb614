// Random runs: turn, request, strict server, model, answers, and again, for every format in every delivery. What a turn and
// an answer give must pass the provider's rules, whatever the host does in between.
//
// The seed is fixed: TOOLCRIB_SEED=... tries another, TOOLCRIB_RUNS=... multiplies the number of runs.

import assert from "node:assert/strict"
import { describe, test } from "node:test"
import fc from "fast-check"
import * as toolcrib from "../../pkg/index.js"
import { freeze } from "../js/support.mjs"
import { callOf, calls, definitions, request, result, said, user } from "./host.mjs"
import { dice, offered, respond, roll } from "./model.mjs"
import { check, conversation, remember } from "./strict.mjs"

const SEED = Number(process.env.TOOLCRIB_SEED ?? 20_260_101)
const RUNS = Number(process.env.TOOLCRIB_RUNS ?? 1)
/** Runs of each format in each delivery: 20 pairs, so hundreds in a few seconds. */
const EACH = 30

/** The models that can do what a delivery asks for, by format; `provider` is who stands behind the AI SDK. */
const PAIRS = [
  { format: "openai-chat", deliveries: ["append", "proxy"] },
  { format: "ollama", deliveries: ["append", "proxy"] },
  { format: "openai-responses", deliveries: ["append", "native", "proxy"], model: "gpt-5.4" },
  { format: "anthropic", deliveries: ["append", "native", "proxy"], model: "claude-sonnet-4-5" },
  { format: "gemini", deliveries: ["append", "proxy"] },
  { format: "bedrock", deliveries: ["append", "proxy"] },
  { format: "ai-sdk", deliveries: ["append", "native", "proxy"], model: "claude-sonnet-4-5", provider: "anthropic" },
  { format: "ai-sdk", deliveries: ["append", "native", "proxy"], model: "gpt-5.4", provider: "openai" },
  { format: "neutral", deliveries: ["append", "proxy"] },
]

// ---------------------------------------------------------------------------------------------- catalogues

const WORDS = ["create", "list", "delete", "invoice", "order", "file", "search", "größe", "日本", "customer", "a", "v2"]
const QUERIES = ["create invoice", "list order", "delete file", "customer", "größe", "search", "nothing that there is", "日本 v2"]
const word = fc.constantFrom(...WORDS)
const name = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom("_", "_", "-", ".", "/", ":", " "), fc.constantFrom(0, 0, 0, 0, 70, 150))
  .map(([words, joint, length]) => words.join(joint).padEnd(length, "x"))

/** A tool as it is drawn; `write` gives it a shape. */
const drawn = fc.record({
  name,
  description: fc.array(word, { maxLength: 6 }).map((words) => words.join(" ")),
  deferred: fc.constantFrom(true, true, true, false),
  shape: fc.constantFrom("own", "own", "neutral", "bare"),
  cache: fc.constantFrom(false, false, false, false, true),
  container: fc.constantFrom(undefined, undefined, undefined, "namespace", "declarations"),
})
const catalogue = fc.uniqueArray(drawn, { minLength: 3, maxLength: 14, selector: ({ name }) => name })

const schema = { type: "object", properties: { text: { type: "string", description: "Words." } }, required: ["text"] }
const dialect = { type: "OBJECT", properties: { text: { type: "STRING", nullable: true } } }
const chat = ({ name, description }) => ({ type: "function", function: { name, description, parameters: schema } })
const OWN = {
  "openai-chat": chat,
  ollama: chat,
  "openai-responses": ({ name, description }) => ({ type: "function", name, description, parameters: schema, strict: false }),
  anthropic: ({ name, description, cache }) => ({
    name,
    description,
    input_schema: schema,
    ...(cache ? { cache_control: { type: "ephemeral" } } : {}),
  }),
  gemini: ({ name, description, cache }) => ({ name, description, ...(cache ? { parameters: dialect } : { parametersJsonSchema: schema }) }),
  bedrock: ({ name, description }) => ({ toolSpec: { name, ...(description ? { description } : {}), inputSchema: { json: schema } } }),
  // As the AI SDK's jsonSchema() makes them.
  "ai-sdk": ({ description, cache }) => ({
    description,
    inputSchema: { [Symbol.for("vercel.ai.schema")]: true, [Symbol.for("vercel.ai.validator")]: true, jsonSchema: schema, validate: undefined },
    execute: () => "done",
    ...(cache ? { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } : {}),
  }),
  neutral: ({ name, description }) => ({ name, description, inputSchema: schema }),
}
const HOSTED = {
  "openai-responses": { type: "web_search" },
  anthropic: { type: "web_search_20250305", name: "web_search" },
  gemini: { googleSearch: {} },
}

/** A drawn tool as a definition: in the format's shape, in the neutral one, or neutral without a schema. */
function write(format, tool) {
  const mark = tool.deferred ? { deferLoading: true } : {}
  if (tool.shape === "own") return { ...OWN[format](tool), ...mark }
  const { name, description } = tool
  return { name, ...(description ? { description } : {}), ...(tool.shape === "bare" ? {} : { inputSchema: schema }), ...mark }
}

/** The catalogue as a host has it: whole from a server, definitions one by one with some in containers, or the AI SDK's record. */
function host(format, drawn, hosted, whole) {
  if (whole && format === "bedrock") return { toolConfig: { tools: drawn.map((tool) => write(format, { ...tool, shape: "own" })) } }
  // As an MCP server lists them.
  if (whole) return { tools: drawn.map((tool) => write("neutral", { ...tool, shape: "neutral" })) }
  if (format === "ai-sdk") {
    const own = Object.fromEntries(drawn.map((tool) => [tool.name, { ...OWN["ai-sdk"](tool), ...(tool.deferred ? { deferLoading: true } : {}) }]))
    return hosted ? { web_search: { type: "provider", id: "anthropic.web_search_20250305", args: {} }, ...own } : own
  }
  const held = (kind) => (tool) => tool.container === kind && (kind !== "declarations" || format === "gemini")
  const spaced = drawn.filter(held("namespace"))
  const listed = drawn.filter(held("declarations"))
  const alone = drawn.filter((tool) => !spaced.includes(tool) && !listed.includes(tool)).map((tool) => write(format, tool))
  const tools = [...(hosted && HOSTED[format] ? [HOSTED[format]] : []), ...alone]
  if (spaced.length) {
    const inner = spaced.map((tool) => ({ ...OWN["openai-responses"](tool), ...(tool.deferred ? { defer_loading: true } : {}) }))
    tools.push({ type: "namespace", name: "crm", description: "Customers.", tools: inner })
  }
  if (listed.length) tools.push({ functionDeclarations: listed.map((tool) => write(format, { ...tool, shape: "own" })) })
  // A cachePoint stands after what it caches.
  if (format === "bedrock") for (const at of drawn.keys()) if (drawn[at].cache && tools[at]?.toolSpec) tools.splice(at + 1, 0, { cachePoint: { type: "default" } })
  return tools
}

// -------------------------------------------------------------------------------------------------- plans

/** What the host does before a turn. Most often nothing. */
const EVENTS = ["none", "none", "none", "none", "none", "forced", "exclude", "loaded", "update", "drop", "switch"]
const plan = fc.record({
  drawn: catalogue,
  hosted: fc.boolean(),
  whole: fc.constantFrom(false, false, false, true),
  ids: fc.boolean(),
  keep: fc.boolean(),
  seed: fc.nat(),
  steps: fc.array(fc.record({ event: fc.constantFrom(...EVENTS), at: fc.nat({ max: 40 }), to: fc.nat({ max: 40 }) }), { minLength: 3, maxLength: 8 }),
})

/** JSON of a definition and its name without breakpoints, which may move to another when what they stood on is loaded. */
const bare = (each) => JSON.stringify(each, (key, value) => (["cache_control", "cacheControl"].includes(key) ? undefined : value))

/** One run. `count` counts what was seen, so that a run that does nothing can't pass for one. */
async function run({ format, model, provider, deliveries }, delivery, { drawn, hosted, whole, ids, keep, seed, steps }, count) {
  const wire = format === "ollama" ? "openai-chat" : format
  const random = dice(seed)
  const record = conversation()
  let used = delivery
  let tools = freeze(host(format, drawn, hosted, whole))
  const open = () =>
    toolcrib.createToolSearch({
      tools,
      format: wire,
      delivery: used,
      threshold: 0,
      resident: [],
      ...(model ? { model } : {}),
      ...(keep ? { whenAllLoaded: "keep" } : {}),
    })
  let search = open()
  /** The first message, then what each turn brought: a compaction drops whole turns. */
  let rounds = [[user(format, "Go on.")]]
  const messages = () => freeze(rounds.flat())
  let base = null
  let before = null
  let due = []
  let turns = 0
  let hadReferences = false

  /** The host's name for a name on the wire; undefined for one that is none of its own. */
  const real = (tool) => {
    const target = search.resolve(callOf(format, tool), messages())
    return target.error ? undefined : target.name
  }

  try {
    for (const { event, at, to } of steps) {
      const options = {}
      const changed = event === "drop" || event === "switch" || event === "update"
      if (event === "switch") {
        used = deliveries[at % deliveries.length]
        search.free()
        search = open()
      } else if (event === "update") {
        const fewer = drawn.filter((_, place) => place !== at % drawn.length)
        const more = { name: `new_${at}`, description: "create invoice", deferred: true, shape: "own", cache: false, container: undefined }
        tools = freeze(host(format, to % 2 ? fewer : [...drawn, more], hosted, whole))
        const next = search.update(tools)
        search.free()
        search = next.search
      } else if (event === "drop" && rounds.length > 2) {
        // The first is the user's, and stays.
        rounds = rounds.filter((_, place) => place !== 1 + (at % (rounds.length - 1)))
      } else if (event === "exclude") {
        options.exclude = [drawn[at % drawn.length].name]
      } else if (event === "loaded") {
        options.loaded = [drawn[at % drawn.length].name]
      } else if (event === "forced") {
        options.forced = [drawn[at % drawn.length].name]
      }
      // What a compaction drops may have been all that the provider could see of a tool that a later text names too.
      if (changed) base = before = null
      freeze(options)

      const turn = search.turn(messages(), options)
      assert.equal(turn.delivery?.used ?? "append", used, "the delivery that was asked for")
      const sent = definitions(format, turn.tools)
      const names = sent.flatMap(({ name }) => (name === undefined ? [] : [name]))
      const forced = options.forced && used !== "proxy" ? sent.find(({ name }) => name !== undefined && real({ name }) === options.forced[0]) : undefined
      const body = freeze(request(format, { tools: turn.tools, note: turn.note, messages: messages(), choice: forced?.name, provider }))
      const refused = check(format, structuredClone(plain(body)), record)
      // Appended definitions have no flag that makes one free, so a tool that is gone is not sent for the sake of a
      // reference that another delivery left in the messages: whoever leaves native has to rewrite those.
      hadReferences ||= used === "native"
      const isLeft = used === "append" && hadReferences && refused?.rule === "unknown_reference"
      if (!isLeft) assert.equal(refused, null, `${event}: ${refused?.rule}: ${refused?.message}`)
      assert.equal(new Set(names).size, names.length, "no name twice")

      // A history that was cut to any size is one that the provider takes.
      const room = search.fit(messages(), { ...options, contextWindow: 1e9, reserve: 0 }).tokens
      const contextWindow = 1 + Math.floor(((room.before + room.tools) * (turns % 7)) / 7)
      const fitted = search.fit(messages(), { ...options, contextWindow, reserve: 0 })
      const left = search.turn(fitted.messages, { ...options, loaded: fitted.loaded })
      assert.deepEqual(left.loaded, turn.loaded, "what was loaded stays loaded")
      assert.ok(fitted.messages.filter((message) => messages().includes(message)).length >= fitted.messages.length - 1, "the host's own messages")
      const cut = check(format, structuredClone(plain(request(format, { tools: left.tools, note: left.note, messages: fitted.messages, choice: forced?.name, provider }))), record)
      if (!isLeft) assert.equal(cut, null, `cut to ${contextWindow}: ${cut?.rule}: ${cut?.message}`)

      // The laws of each delivery.
      const json = JSON.stringify(plain(turn.tools))
      const quiet = Object.keys(options).length === 0
      // A search beside a forced tool finds it loaded and says so in words, which the provider can't see: the flag stays off.
      if (used === "native" && (options.forced || options.loaded)) base = null
      if ((used === "native" && quiet) || (used === "proxy" && !options.exclude)) {
        base ??= json
        assert.equal(json, base, `${used}: the array is the same on every turn`)
        count.constant += 1
      }
      if (used === "append" && quiet) {
        const now = sent.flatMap((each) => (each.tool.cachePoint ? [] : [bare(each)]))
        // Once all is loaded the search tool goes, and only then.
        const withdrawn = !names.includes("tool_search") && !sent.some(({ tool }) => tool.type === "tool_search" || tool.id === "openai.tool_search")
        const grows = before?.filter((text) => !(withdrawn && /"tool_search"/.test(text)))
        if (grows) assert.deepEqual(now.slice(0, grows.length), grows, "append: the array grows at its end alone")
        if (grows && now.length > grows.length) count.grown += 1
        before = now
      }

      // What the last answer loaded can be called now.
      const offer = offered(format, body)
      if (quiet && !changed && due.length) {
        const known = new Set([...offer.tools.map(real), ...offer.found.map((name) => real({ name }) ?? name)])
        for (const name of due) {
          assert.ok(known.has(name), `${name} was loaded and can't be called; callable: ${[...known].join(", ")}`)
          count.loaded += 1
        }
      }

      const acts = roll(random, offer, QUERIES)
      const response = freeze(respond(format, acts, turns++, { native: offer.native, ids }))
      remember(record, response)
      const kept = said(format, response)
      const history = freeze([...messages(), ...kept])
      const made = calls(format, kept)
      // The whole response, where the engine knows its shape; the messages or items; one by one.
      const forms = [kept.length === 1 ? kept[0] : kept, kept, made.map(({ call }) => call), ...(format === "ollama" ? [] : [response])]
      const reply = await search.answer(freeze(forms[Math.floor(random() * forms.length)]), history, options)
      const ours = ({ call, name }) => name === undefined || name === "tool_search"
      assert.equal(reply.parts.length, made.filter(ours).length, "one part for each search")
      const others = made
        .filter((each) => !ours(each))
        .map(({ call }) => {
          const target = search.resolve(call, history, options)
          count.calls += 1
          const failed = random() < 0.3
          return target.error ? target.part : result(format, call, failed ? "It failed." : "done", failed)
        })
      // Tools end in any order; without ids it is all that says whose result is whose.
      if (format !== "ollama" && ids && random() < 0.5) others.reverse()
      freeze(others)
      const answers = [reply.messages(others)].flat()
      rounds.push(made.length ? [...kept, ...answers] : [...kept, user(format, "Go on.")])
      due = event === "exclude" ? [] : reply.loaded
      count.turns += 1
      count.searches += reply.parts.length
    }
  } finally {
    search.free()
  }
}

/** As it goes over the line: functions have no JSON. */
const plain = (value) => JSON.parse(JSON.stringify(value, (_, value) => (typeof value === "function" ? undefined : value)))

for (const pair of PAIRS) {
  describe(`runs: ${pair.format}${pair.provider ? `, ${pair.provider}` : ""}`, () => {
    for (const delivery of pair.deliveries) {
      test(`${delivery}: every request passes the strict server`, async (t) => {
        const count = { turns: 0, searches: 0, calls: 0, loaded: 0, constant: 0, grown: 0 }
        // What a provider loads itself has most that it can refuse.
        const numRuns = Math.ceil(EACH * RUNS * (delivery === "native" ? 3 : 1))
        await fc.assert(
          fc.asyncProperty(plan, (plan) => run(pair, delivery, plan, count)),
          { seed: SEED, numRuns, includeErrorInReport: true },
        )
        t.diagnostic(`seed ${SEED}, ${numRuns} runs, ${JSON.stringify(count)}`)
        // Runs in which nothing happens prove nothing.
        assert.ok(count.searches > numRuns && count.calls > numRuns / 2 && count.loaded > numRuns / 2, JSON.stringify(count))
        assert.ok(delivery === "append" ? count.grown > numRuns / 4 : count.constant > numRuns, JSON.stringify(count))
      })
    }
  })
}
