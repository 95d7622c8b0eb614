// A model that is scripted or rolls dice: given a request as it was sent, it answers in the provider's own shape, and calls
// nothing but what the request lets it know of.

import { isObject, list } from "./strict/common.mjs"

/** Numbers from 0 to 1, the same for the same seed. */
export function dice(seed) {
  let state = seed >>> 0
  // Mulberry32: small, and good enough to mix a few choices.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
const pick = (random, values) => values[Math.floor(random() * values.length)]

// ------------------------------------------------------------------------------- what a request lets a model know of

/** Every object in a value that has this key, texts of JSON included. */
function* holding(value, key) {
  if (typeof value === "string") {
    if (!value.startsWith("{")) return
    try {
      value = JSON.parse(value)
    } catch {
      return
    }
  }
  if (typeof value !== "object" || value === null) return
  if (key in value) yield value
  for (const inner of Object.values(value)) yield* holding(inner, key)
}

/** The names that results of the search tool told it, which call_tool can call. */
const told = (messages) => [
  ...new Set(
    [...holding(messages, "loaded")].flatMap(({ loaded }) => list(loaded).flatMap(({ name }) => (typeof name === "string" ? [name] : []))),
  ),
]

const OFFERED = {
  "openai-chat": ({ tools }) => list(tools).flatMap((tool) => (tool.function ? [{ name: tool.function.name }] : [])),
  ollama: (body) => OFFERED["openai-chat"](body),
  // What its own search loaded comes with a namespace: the declared one, or the function's name.
  "openai-responses": ({ tools, input }) => {
    const sent = list(tools).flatMap((tool) => {
      const inner = tool.type === "namespace" ? tool.tools.map((each) => ({ each, namespace: tool.name })) : [{ each: tool }]
      return inner.flatMap(({ each, namespace }) => (each.type === "function" && !each.defer_loading ? [{ name: each.name, namespace }] : []))
    })
    const found = list(input).flatMap((item) =>
      item.type !== "tool_search_output" || item.execution !== "client" ? []
        : item.tools.flatMap((tool) =>
            tool.type === "namespace" ? tool.tools.map(({ name }) => ({ name, namespace: tool.name })) : [{ name: tool.name, namespace: tool.name }],
          ),
    )
    const seen = new Set()
    return [...sent, ...found].filter(({ name, namespace = name }) => {
      const key = `${namespace} ${name}`
      return !seen.has(key) && seen.add(key)
    })
  },
  anthropic: ({ tools, messages }) => {
    const references = new Set([...holding(messages, "tool_name")].map(({ tool_name }) => tool_name))
    return list(tools).flatMap(({ name, input_schema, defer_loading }) => (input_schema && (!defer_loading || references.has(name)) ? [{ name }] : []))
  },
  gemini: ({ tools }) => list(tools).flatMap(({ functionDeclarations }) => list(functionDeclarations).map(({ name }) => ({ name }))),
  bedrock: ({ toolConfig }) => list(toolConfig?.tools).flatMap(({ toolSpec }) => (toolSpec ? [{ name: toolSpec.name }] : [])),
  "ai-sdk": ({ tools, messages }) => {
    const references = new Set([...holding(messages, "toolName")].filter(({ type }) => type === "tool-reference").map(({ toolName }) => toolName))
    const found = [...holding(messages, "tools")].flatMap(({ tools }) => list(tools).map(({ name }) => name))
    const sent = Object.entries(tools ?? {}).flatMap(([name, tool]) => {
      const deferred = tool.providerOptions?.anthropic?.deferLoading || tool.providerOptions?.openai?.deferLoading
      return tool.inputSchema && (!deferred || references.has(name)) ? [name] : []
    })
    return [...new Set([...sent, ...found])].map((name) => ({ name }))
  },
  neutral: ({ tools }) => list(tools).map(({ name }) => ({ name })),
}

/**
 * What a request lets a model call.
 *
 * @returns `{ tools: [{ name, namespace? }], search, native, proxy, found }`: `search` whether there is a search tool, `native`
 *   whether it is the provider's own, `proxy` whether there is call_tool, `found` the names that it can be given
 */
export function offered(format, body, { searchTool = "tool_search", callTool = "call_tool" } = {}) {
  const all = OFFERED[format](body)
  const native =
    (format === "openai-responses" && list(body.tools).some(({ type, execution }) => type === "tool_search" && execution === "client")) ||
    (format === "ai-sdk" && Object.values(body.tools ?? {}).some(({ id }) => id === "openai.tool_search"))
  const proxy = all.some(({ name }) => name === callTool)
  return {
    tools: all.filter(({ name }) => name !== searchTool && name !== callTool),
    search: native || all.some(({ name }) => name === searchTool),
    native,
    proxy,
    found: proxy ? told(body.messages ?? body.input ?? body.contents) : [],
  }
}

/**
 * What the model does in one answer, by dice: words, or up to three parallel calls. An act is `{ text }`,
 * `{ search: arguments }`, `{ call: { name, namespace? }, input }` or, through call_tool, `{ proxy: name, input }`.
 */
export function roll(random, offer, queries) {
  if (random() < 0.12) return [{ text: "I am done." }]
  const acts = random() < 0.3 ? [{ text: "I look." }] : []
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const chance = random()
    if (offer.search && chance < 0.55) {
      const query = pick(random, queries)
      acts.push({ search: pick(random, [{ query }, { query, limit: 2 }, { query: [query, pick(random, queries)] }, { query, limit: 20 }]) })
    } else if (offer.found.length && chance < 0.9) {
      acts.push({ proxy: pick(random, offer.found), input: { text: "words" } })
    } else if (offer.tools.length && chance < 0.95) {
      acts.push({ call: pick(random, offer.tools), input: { text: "words" } })
    } else {
      acts.push({ call: { name: "invented_tool" }, input: {} })
    }
  }
  return acts
}

// -------------------------------------------------------------------------------------- what the model answers with

const usage = { input: 10, output: 5 }

/** An act as a call of a function: its name, its arguments and, where there is one, its namespace. */
function asCall(act, { searchTool, callTool }) {
  if (act.search) return { name: searchTool, input: act.search }
  if (act.proxy) return { name: callTool, input: { name: act.proxy, arguments: act.input } }
  return { ...act.call, input: act.input }
}

const WRITE = {
  "openai-chat": (texts, calls, id) => {
    const message = { role: "assistant", content: texts.join("\n") || null, refusal: null, annotations: [] }
    if (calls.length) {
      message.tool_calls = calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } }))
    }
    return {
      id,
      object: "chat.completion",
      created: 1,
      model: "gpt",
      choices: [{ index: 0, message, logprobs: null, finish_reason: calls.length ? "tool_calls" : "stop" }],
      usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
    }
  },
  ollama: (texts, calls) => ({
    model: "llama",
    created_at: "2026-11-01T00:00:00Z",
    message: {
      role: "assistant",
      content: texts.join("\n"),
      ...(calls.length ? { tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })) } : {}),
    },
    done: true,
    done_reason: "stop",
  }),
  "openai-responses": (texts, calls, id) => ({
    id,
    object: "response",
    created_at: 1,
    status: "completed",
    model: "gpt",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    output: [
      ...texts.map((text, at) => ({
        type: "message",
        id: `msg_${id}_${at}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      })),
      ...calls.map(({ id, name, namespace, input, native }) =>
        native
          ? { type: "tool_search_call", id: `ts_${id}`, execution: "client", call_id: id, status: "completed", arguments: input }
          : {
              type: "function_call",
              id: `fc_${id}`,
              call_id: id,
              name,
              arguments: JSON.stringify(input),
              ...(namespace === undefined ? {} : { namespace }),
              status: "completed",
            },
      ),
    ],
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  }),
  anthropic: (texts, calls, id) => ({
    id,
    type: "message",
    role: "assistant",
    model: "claude",
    content: [
      ...texts.map((text) => ({ type: "text", text })),
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    ],
    stop_reason: calls.length ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  }),
  gemini: (texts, calls) => ({
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: {
          role: "model",
          parts: [
            ...texts.map((text) => ({ text })),
            ...calls.map(({ id, name, input }, at) => ({
              functionCall: { ...(id === undefined ? {} : { id }), name, args: input },
              // The first call of an answer is signed, and the signature must come back.
              ...(at === 0 ? { thoughtSignature: "c2lnbmF0dXJl" } : {}),
            })),
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output },
  }),
  bedrock: (texts, calls) => ({
    output: {
      message: {
        role: "assistant",
        content: [
          ...texts.map((text) => ({ text })),
          ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
        ],
      },
    },
    stopReason: calls.length ? "tool_use" : "end_turn",
    usage: { inputTokens: usage.input, outputTokens: usage.output, totalTokens: usage.input + usage.output },
    metrics: { latencyMs: 1 },
  }),
  "ai-sdk": (texts, calls) => ({
    role: "assistant",
    content: [
      ...texts.map((text) => ({ type: "text", text })),
      // What the provider's own search tool is called with stands beside the id of the call.
      ...calls.map(({ id, name, input, native }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input: native ? { arguments: input, call_id: id } : input,
      })),
    ],
  }),
  neutral: (texts, calls) => ({
    role: "assistant",
    content: texts.join("\n"),
    ...(calls.length ? { toolCalls: calls.map(({ id, name, input }) => ({ id, name, arguments: input })) } : {}),
  }),
}

/**
 * The provider's answer to a request, by what the model does.
 *
 * @param acts what `roll` gives, or a script's
 * @param turn a number that no other answer of the conversation has: ids are made of it
 * @param options `native`: the search tool is the provider's own; `ids`: false leaves them out where they are optional
 */
export function respond(format, acts, turn, { native = false, ids = true, searchTool = "tool_search", callTool = "call_tool" } = {}) {
  const texts = acts.filter((act) => act.text !== undefined).map(({ text }) => text)
  const calls = acts
    .filter((act) => act.text === undefined)
    .map((act, at) => ({
      id: ids || format !== "gemini" ? `call_${turn}_${at}` : undefined,
      native: native && isObject(act.search),
      ...asCall(act, { searchTool, callTool }),
    }))
  return WRITE[format](texts, calls, `resp_${turn}`)
}
