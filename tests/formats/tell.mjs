// Tells a neutral conversation in the shape of a format.
//
// A conversation is a list of what was said, in its order:
//   { user, lookalikes? }        a person's text; `lookalikes` names tools in blocks that resemble a search's
//   { system }                   a system message
//   { note }                     a keep-note, by the names that it keeps
//   { assistant, calls?, thinks?, asks? }   a text and calls `{ id, name, args }`; `asks` names calls that wait for approval
//   { results: [{ of, name?, content, failed? }] }   of calls by id; `failed` is "error" or "denied"
//   { approves, denies? }        a person's word on calls that waited, by id
//   { hosted: { query, found } } a search that the provider ran; without `found` one that failed
//   { adds }, { removes }        tools that come and go in the middle, by name
//   { compaction: { adds?, removes? } }   what a provider puts in the place of older messages
//   { check, turn? }             the names that are loaded here; `turn` has the options of that turn
// A content is `{ found, form? }` (what a search found, by name), `{ text }`, `{ json }` or `{ lookalikes }`.

import { SHAPES } from "./define.mjs"

/** Why a conversation can't be told in a shape. */
export class Untold extends Error {}

const SEARCH = "tool_search"

/** The shapes of messages that are told, by name: the format's own, or one that says how it varies. */
export const TELLINGS = {
  "openai-chat": { format: "openai-chat", shape: "openai-chat", writer: chat, ids: true },
  ollama: { format: "openai-chat", shape: "openai-chat", writer: ollama, ids: false },
  "openai-responses": { format: "openai-responses", shape: "openai-responses", writer: responses(false), ids: true },
  "openai-responses, native": { format: "openai-responses", shape: "openai-responses", writer: responses(true), ids: true },
  anthropic: { format: "anthropic", shape: "anthropic", writer: anthropic("text"), ids: true },
  "anthropic, native": { format: "anthropic", shape: "anthropic", writer: anthropic("references"), ids: true },
  gemini: { format: "gemini", shape: "gemini", writer: gemini(true), ids: true },
  "gemini without ids": { format: "gemini", shape: "gemini", writer: gemini(false), ids: false },
  bedrock: { format: "bedrock", shape: "bedrock", writer: bedrock, ids: true },
  "ai-sdk": { format: "ai-sdk", shape: "ai-sdk", writer: aiSdk("text"), ids: true },
  "ai-sdk, native": { format: "ai-sdk", shape: "ai-sdk", writer: aiSdk("custom"), ids: true },
  neutral: { format: "neutral", shape: "neutral", writer: neutral, ids: true },
}

/**
 * The messages of a conversation, where its checks stand in them, and the object of each call by its id. Throws an
 * Untold where the shape has no way to say it.
 */
export function tell(name, conversation) {
  const { writer, ids } = TELLINGS[name]
  if (conversation.needs === "ids" && !ids) throw new Untold("without ids results pair in order")
  if (conversation.needs === "calls without ids" && !["openai-chat", "ollama", "gemini", "gemini without ids"].includes(name)) {
    throw new Untold("every call has an id")
  }
  if (conversation.needs === "a name on the call" && name === "openai-responses, native") throw new Untold("a tool_search_call has no name")
  const messages = []
  const checks = []
  const calls = {}
  const names = {}
  for (let said of conversation.says) {
    if ("check" in said) {
      checks.push({ upTo: messages.length, loaded: said.check, turn: said.turn })
      continue
    }
    // In Gemini, too, who has no other system messages: a thread that moved there may hold one.
    if (said.note) said = { system: keepNote(said.note), isNote: true }
    for (const call of said.calls ?? []) names[call.id ?? call.name] = call.name
    const results = said.results?.map((result) => ({ name: names[result.of] ?? SEARCH, ...result }))
    const last = checks.at(-1)?.upTo === messages.length ? undefined : messages.at(-1)
    const written = writer(results ? { results } : said, last)
    if (written.into) {
      // What a person says after results goes into the message that holds them.
      messages[messages.length - 1] = written.into
      continue
    }
    Object.assign(calls, written.calls)
    messages.push(...written.messages)
  }
  return { messages, checks, calls }
}

/** One assistant turn, and every way in which a host may hand its calls over. */
export function ask(name, calls) {
  const { format } = TELLINGS[name]
  const told = tell(name, { says: [{ assistant: "One moment.", calls }] })
  const { messages } = told
  const [message] = messages
  const each = calls.map(({ id }) => told.calls[id])
  const responses = {
    "openai-chat": () => ({ id: "r", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "tool_calls" }] }),
    "openai-responses": () => ({ id: "r", object: "response", status: "completed", output: messages }),
    anthropic: () => ({ id: "r", type: "message", model: "m", stop_reason: "tool_use", ...message }),
    gemini: () => ({ candidates: [{ content: message, finishReason: "STOP", index: 0 }], modelVersion: "m" }),
    bedrock: () => ({ output: { message }, stopReason: "tool_use", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }),
  }
  const ways = { calls: each, messages }
  if (format !== "openai-responses") ways.message = message
  if (responses[format] && name !== "ollama") ways.response = responses[format]()
  return { messages, each, ways }
}

// -------------------------------------------------------------------------------- what a search found

const written = (key, names) => ({ [key]: names.map((name) => ({ name, description: "Found." })), more: 1, note: "Call them." })

/** A keep-note as toolcrib writes it. */
export const keepNote = (names) => JSON.stringify({ toolcrib: "keep-note", loaded: names, note: "They can be called." })

/** The forms in which results of searches were ever written. Each gives a text, texts, an object or blocks. */
export const FORMS = {
  text: (names) => ({ text: JSON.stringify(written("loaded", names)) }),
  "text of tools": (names) => ({ text: JSON.stringify(written("tools", names)) }),
  parts: (names) => {
    const text = JSON.stringify(written("loaded", names))
    return { texts: [text.slice(0, 9), text.slice(9)] }
  },
  object: (names) => ({ object: written("loaded", names) }),
  references: (names) => ({ blocks: names.map((tool_name) => ({ type: "tool_reference", tool_name })) }),
  definitions: (names) => ({ object: { tools: definitions(names) } }),
  custom: (names) => ({
    custom: names.map((toolName) => ({ type: "custom", providerOptions: { anthropic: { type: "tool-reference", toolName } } })),
  }),
}

const definitions = (names) =>
  names.map((name) => ({
    ...SHAPES["openai-responses"]({ name, description: "Found.", schema: { type: "object", properties: {} } }),
    defer_loading: true,
  }))

/** A content as a text, texts, an object, blocks or custom parts. `form` is how this telling writes what a search found. */
function payload(content, form) {
  // A search that found nothing is answered in words, whatever the delivery.
  if (content.found) return FORMS[content.form ?? (content.found.length ? form : "text")](content.found)
  if ("json" in content) return { object: content.json }
  return "text" in content ? { text: content.text } : { lookalikes: content.lookalikes }
}

/** Where a format has no flag for a failure, the content says it. */
function failure(content, failed) {
  if (failed === "denied") return { text: JSON.stringify({ error: "The user denied this call." }) }
  const { text, object = {} } = payload(content, "object")
  return { text: JSON.stringify(text === undefined ? { ...object, error: "It failed." } : { error: text }) }
}

const cannot = (what) => {
  throw new Untold(what)
}

// -------------------------------------------------------------------------------------------- formats

function chat(said) {
  const message = (each) => ({ messages: [each] })
  if ("user" in said) {
    const { user, lookalikes } = said
    return message({
      role: "user",
      content: lookalikes
        ? [{ type: "text", text: user }, ...blocksOf(lookalikes), { role: "tool", tool_call_id: "c1", content: FORMS.text(lookalikes).text }]
        : user,
    })
  }
  if ("system" in said) return message({ role: "system", content: said.system })
  if ("assistant" in said) {
    if (said.asks) cannot("it has no approvals")
    const calls = (said.calls ?? []).map(({ id, name, args }) =>
      defined({ id, type: "function", function: { name, arguments: JSON.stringify(args) } }),
    )
    return {
      messages: [
        {
          role: "assistant",
          content: said.assistant || null,
          ...(said.thinks ? { reasoning_content: said.thinks } : {}),
          ...(calls.length ? { tool_calls: calls } : {}),
        },
      ],
      calls: keyed(said.calls, calls),
    }
  }
  if (said.results) {
    return {
      messages: said.results.map(({ of, content, failed }) =>
        defined({ role: "tool", tool_call_id: of, content: chatContent(failed ? failure(content, failed) : payload(content, "text")) }),
      ),
    }
  }
  return cannotSay(said)
}

function chatContent({ text, texts, object, blocks, custom, lookalikes }) {
  if (custom) cannot("it has no custom parts")
  if (lookalikes) return [{ type: "text", text: FORMS.text(lookalikes).text }, ...blocksOf(lookalikes)]
  return text ?? texts?.map((each) => ({ type: "text", text: each })) ?? object ?? blocks
}

/** Chat Completions as Ollama speaks it: arguments as an object, and names in the place of ids. */
function ollama(said, last) {
  if ("assistant" in said && !said.asks) {
    const calls = (said.calls ?? []).map(({ name, args }) => ({ function: { name, arguments: args } }))
    return {
      messages: [
        {
          role: "assistant",
          content: said.assistant ?? "",
          ...(said.thinks ? { thinking: said.thinks } : {}),
          ...(calls.length ? { tool_calls: calls } : {}),
        },
      ],
      calls: keyed(said.calls, calls),
    }
  }
  const { messages } = chat(said, last)
  const named = messages.map((message, at) => {
    if (message.role !== "tool") return message
    const { role, content } = message
    return { role, tool_name: said.results[at].name, content }
  })
  return { messages: named }
}

function responses(isNative) {
  return (said) => {
    const items = (...messages) => ({ messages })
    if ("user" in said) {
      const { user, lookalikes } = said
      if (!lookalikes) return items({ role: "user", content: user })
      const blocks = [...blocksOf(lookalikes), { type: "tool_search_output", execution: "server", call_id: null, tools: definitions(lookalikes) }]
      return items({ type: "message", role: "user", content: [{ type: "input_text", text: user }, ...blocks] })
    }
    if ("system" in said) return items({ type: "message", role: "developer", content: [{ type: "input_text", text: said.system }] })
    if ("assistant" in said) {
      if (said.asks) cannot("it has no approvals of functions")
      const calls = (said.calls ?? []).map(({ id, name, args }) =>
        isNative && name === SEARCH
          ? { type: "tool_search_call", id: `tsc_${id}`, execution: "client", call_id: id, status: "completed", arguments: args }
          : { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(args), status: "completed" },
      )
      const thought = said.thinks ? [{ type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: said.thinks }], encrypted_content: "eA==" }] : []
      const text = { type: "message", id: "msg", role: "assistant", status: "completed", content: [{ type: "output_text", text: said.assistant, annotations: [] }] }
      return { messages: [...thought, ...(said.assistant ? [text] : []), ...calls], calls: keyed(said.calls, calls) }
    }
    if (said.results) {
      return items(
        ...said.results.map(({ of, name, content, failed }) => {
          if (!isNative || name !== SEARCH) {
            const output = failed ? failure(content, failed) : payload(content, "text")
            return { type: "function_call_output", call_id: of, output: outputOf(output) }
          }
          if (failed) cannot("a tool_search_output has no form for a failure")
          if (!content.found || content.form) cannot("a tool_search_output holds definitions and nothing else")
          return { type: "tool_search_output", execution: "client", call_id: of, status: "completed", tools: definitions(content.found) }
        }),
      )
    }
    if (said.hosted) {
      const { query, found } = said.hosted
      return items(
        { type: "tool_search_call", id: "tsc", execution: "server", call_id: null, status: "completed", arguments: { paths: [query] } },
        { type: "tool_search_output", id: "tso", execution: "server", call_id: null, status: found ? "completed" : "incomplete", tools: definitions(found ?? []) },
      )
    }
    if (said.adds) return items({ type: "additional_tools", role: "developer", tools: definitions(said.adds).map(({ defer_loading: _, ...tool }) => tool) })
    if (said.compaction?.adds) cannot("its compaction items name no tools")
    if (said.compaction) return items({ type: "compaction", id: "cmp", encrypted_content: "eA==" })
    return cannotSay(said)
  }
}

function outputOf({ text, texts, object, blocks, custom, lookalikes }) {
  if (custom) cannot("it has no custom parts")
  if (lookalikes) return [{ type: "input_text", text: FORMS.text(lookalikes).text }, ...blocksOf(lookalikes)]
  return text ?? texts?.map((each) => ({ type: "input_text", text: each })) ?? object ?? blocks
}

function anthropic(form) {
  return (said, last) => {
    if ("user" in said) {
      const text = { type: "text", text: said.user }
      if (said.lookalikes) return { messages: [{ role: "user", content: [text, ...blocksOf(said.lookalikes), ...changes("tool_addition", said.lookalikes)] }] }
      return heldBy(last, "content", (part) => part.type === "tool_result", text) ?? { messages: [{ role: "user", content: said.user }] }
    }
    if ("system" in said) return { messages: [{ role: "system", content: said.system }] }
    if ("assistant" in said) {
      if (said.asks) cannot("it has no approvals")
      const calls = (said.calls ?? []).map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }))
      const thought = said.thinks ? [{ type: "thinking", thinking: said.thinks, signature: "eA==" }] : []
      const text = said.assistant ? [{ type: "text", text: said.assistant }] : []
      return { messages: [{ role: "assistant", content: [...thought, ...text, ...calls] }], calls: keyed(said.calls, calls) }
    }
    if (said.results) {
      const content = said.results.map(({ of, content, failed }) => {
        const said = "json" in content ? { text: JSON.stringify(content.json) } : content
        const what = failed === "denied" ? { text: "The user denied this call." } : payload(said, failed ? "text" : form)
        return { type: "tool_result", tool_use_id: of, content: blockContent(what), ...(failed ? { is_error: true } : {}) }
      })
      return { messages: [{ role: "user", content }] }
    }
    if (said.hosted) {
      const { query, found } = said.hosted
      const content = found
        ? { type: "tool_search_tool_search_result", tool_references: FORMS.references(found).blocks }
        : { type: "tool_search_tool_result_error", error_code: "unavailable" }
      return {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_bm25", input: { query } },
              { type: "tool_search_tool_result", tool_use_id: "srvtoolu_1", content },
            ],
          },
        ],
      }
    }
    if (said.adds) return { messages: [{ role: "system", content: changes("tool_addition", said.adds) }] }
    if (said.removes) return { messages: [{ role: "system", content: changes("tool_removal", said.removes) }] }
    if (said.compaction) {
      const { adds = [], removes = [] } = said.compaction
      const tool_changes = [...changes("tool_addition", adds), ...changes("tool_removal", removes)]
      const block = { type: "compaction", content: "A summary.", ...(tool_changes.length ? { tool_changes } : {}) }
      return { messages: [{ role: "assistant", content: [block] }] }
    }
    return cannotSay(said)
  }
}

const changes = (type, names) => names.map((name) => ({ type, tool: { type: "tool_reference", name } }))

function blockContent({ text, texts, object, blocks, custom, lookalikes }) {
  if (custom) cannot("it has no custom parts")
  if (object) cannot("its content is a text or blocks")
  if (lookalikes) return [{ type: "text", text: FORMS.text(lookalikes).text }, ...blocksOf(lookalikes)]
  return text ?? texts?.map((each) => ({ type: "text", text: each })) ?? blocks
}

function gemini(hasIds) {
  return (said, last) => {
    if ("user" in said) {
      const text = { text: said.user }
      if (said.lookalikes) {
        const response = { ...(hasIds && { id: "c1" }), name: SEARCH, response: FORMS.object(said.lookalikes).object }
        return { messages: [{ role: "user", parts: [text, ...blocksOf(said.lookalikes), { functionResponse: response }] }] }
      }
      return heldBy(last, "parts", (part) => "functionResponse" in part, text) ?? { messages: [{ role: "user", parts: [text] }] }
    }
    if (said.isNote) return { messages: [{ role: "system", parts: [{ text: said.system }] }] }
    if ("system" in said) cannot("its system instruction stands beside the contents")
    if ("assistant" in said) {
      if (said.asks) cannot("it has no approvals")
      const calls = (said.calls ?? []).map(({ id, name, args }) => ({
        functionCall: defined({ id: hasIds ? id : undefined, name, args }),
        ...(said.thinks ? { thoughtSignature: "eA==" } : {}),
      }))
      const thought = said.thinks ? [{ text: said.thinks, thought: true }] : []
      const text = said.assistant ? [{ text: said.assistant }] : []
      return { messages: [{ role: "model", parts: [...thought, ...text, ...calls] }], calls: keyed(said.calls, calls) }
    }
    if (said.results) {
      const parts = said.results.map(({ of, name, content, failed }) => {
        const what = failed === "denied" ? { text: "The user denied this call." } : payload(content, "text")
        return { functionResponse: defined({ id: hasIds ? of : undefined, name, response: responseOf(what, failed) }) }
      })
      return { messages: [{ role: "user", parts }] }
    }
    return cannotSay(said)
  }
}

function responseOf({ text, texts, object, blocks, custom, lookalikes }, failed) {
  if (texts || blocks || custom) cannot("its response is an object")
  if (failed) return { error: text ?? object }
  if (lookalikes) return { output: FORMS.text(lookalikes).text, ...FORMS.object(lookalikes).object, content: blocksOf(lookalikes) }
  if (text !== undefined) return { output: text }
  return object !== null && typeof object === "object" && !Array.isArray(object) ? object : { output: object }
}

function bedrock(said, last) {
  if ("user" in said) {
    const text = { text: said.user }
    if (said.lookalikes) {
      const additions = said.lookalikes.map((name) => ({ toolAddition: { tool: { type: "tool_reference", name } } }))
      const result = { toolResult: { toolUseId: "c1", content: [{ json: FORMS.object(said.lookalikes).object }], status: "success" } }
      return { messages: [{ role: "user", content: [text, ...blocksOf(said.lookalikes), ...additions, result] }] }
    }
    return heldBy(last, "content", (part) => "toolResult" in part, text) ?? { messages: [{ role: "user", content: [text] }] }
  }
  if ("system" in said) return { messages: [{ role: "system", content: [{ text: said.system }] }] }
  if ("assistant" in said) {
    if (said.asks) cannot("it has no approvals")
    const calls = (said.calls ?? []).map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } }))
    const thought = said.thinks ? [{ reasoningContent: { reasoningText: { text: said.thinks, signature: "eA==" } } }] : []
    const text = said.assistant ? [{ text: said.assistant }] : []
    return { messages: [{ role: "assistant", content: [...thought, ...text, ...calls] }], calls: keyed(said.calls, calls) }
  }
  if (said.results) {
    const content = said.results.map(({ of, content, failed }) => {
      const what = failed === "denied" ? { text: "The user denied this call." } : payload(content, "text")
      return { toolResult: { toolUseId: of, content: resultContent(what), status: failed ? "error" : "success" } }
    })
    return { messages: [{ role: "user", content: [...content, { cachePoint: { type: "default" } }] }] }
  }
  if (said.adds) return { messages: [{ role: "system", content: said.adds.map((name) => ({ toolAddition: { tool: { type: "tool_reference", name } } })) }] }
  if (said.removes) return { messages: [{ role: "system", content: said.removes.map((name) => ({ toolRemoval: { tool: { type: "tool_reference", name } } })) }] }
  return cannotSay(said)
}

function resultContent({ text, texts, object, blocks, custom, lookalikes }) {
  if (blocks || custom) cannot("its content holds texts and JSON")
  if (lookalikes) return [{ json: FORMS.object(lookalikes).object }, { text: FORMS.text(lookalikes).text }, ...blocksOf(lookalikes)]
  return texts?.map((each) => ({ text: each })) ?? [text === undefined ? { json: object } : { text }]
}

function aiSdk(form) {
  return (said) => {
    if ("user" in said) {
      const content = said.lookalikes
        ? [{ type: "text", text: said.user }, ...blocksOf(said.lookalikes), resultPart("c1", SEARCH, { type: "json", value: FORMS.object(said.lookalikes).object })]
        : said.user
      return { messages: [{ role: "user", content }] }
    }
    if ("system" in said) return { messages: [{ role: "system", content: said.system }] }
    if ("assistant" in said) {
      const calls = (said.calls ?? []).map(({ id, name, args }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: args }))
      const thought = said.thinks ? [{ type: "reasoning", text: said.thinks, providerOptions: { anthropic: { signature: "eA==" } } }] : []
      const text = said.assistant ? [{ type: "text", text: said.assistant }] : []
      const asks = (said.asks ?? []).map((id) => ({ type: "tool-approval-request", approvalId: `approval_${id}`, toolCallId: id }))
      return { messages: [{ role: "assistant", content: [...thought, ...text, ...calls, ...asks] }], calls: keyed(said.calls, calls) }
    }
    if (said.approves || said.denies) {
      const part = (id, approved) => ({ type: "tool-approval-response", approvalId: `approval_${id}`, approved })
      const content = [...(said.approves ?? []).map((id) => part(id, true)), ...(said.denies ?? []).map((id) => part(id, false))]
      return { messages: [{ role: "tool", content }] }
    }
    if (said.results) {
      const content = said.results.map(({ of, name, content, failed }) => resultPart(of, name, toolOutput(content, failed, form)))
      return { messages: [{ role: "tool", content }] }
    }
    if (said.hosted) {
      const { query, found } = said.hosted
      if (!found) cannot("what a failed hosted search leaves is the provider's")
      return {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "tool-call", toolCallId: "srvtoolu_1", toolName: "tool_search_tool_bm25", input: { query }, providerExecuted: true },
              resultPart("srvtoolu_1", "tool_search_tool_bm25", {
                type: "json",
                value: found.map((toolName) => ({ type: "tool_reference", toolName })),
              }),
            ],
          },
        ],
      }
    }
    return cannotSay(said)
  }
}

const resultPart = (toolCallId, toolName, output) => ({ type: "tool-result", toolCallId, toolName, output })

function toolOutput(content, failed, form) {
  if (failed === "denied") return { type: "execution-denied", reason: "The user said no." }
  const { text, texts, object, blocks, custom, lookalikes } = payload(content, failed ? "text" : form)
  if (failed) return text === undefined ? { type: "error-json", value: object } : { type: "error-text", value: text }
  if (blocks) cannot("its references are custom parts")
  if (lookalikes) return { type: "content", value: [{ type: "text", text: FORMS.text(lookalikes).text }, ...blocksOf(lookalikes), ...FORMS.custom(lookalikes).custom] }
  if (texts) return { type: "content", value: texts.map((each) => ({ type: "text", text: each })) }
  if (custom) return { type: "content", value: custom }
  return text === undefined ? { type: "json", value: object } : { type: "text", value: text }
}

function neutral(said) {
  if ("user" in said) {
    const content = said.lookalikes ? [{ type: "text", text: said.user }, ...blocksOf(said.lookalikes)] : said.user
    return { messages: [{ role: "user", content }] }
  }
  if ("system" in said) return { messages: [{ role: "system", content: said.system }] }
  if ("assistant" in said) {
    if (said.asks) cannot("it has no approvals")
    const calls = (said.calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args }))
    return {
      messages: [{ role: "assistant", content: said.assistant ?? "", ...(calls.length ? { toolCalls: calls } : {}) }],
      calls: keyed(said.calls, calls),
    }
  }
  if (said.results) {
    return {
      messages: said.results.map(({ of, name, content, failed }) => {
        const what = failed === "denied" ? { text: "The user denied this call." } : payload(content, "text")
        return { role: "tool", toolCallId: of, name, content: neutralContent(what), ...(failed ? { isError: true } : {}) }
      }),
    }
  }
  return cannotSay(said)
}

function neutralContent({ text, texts, object, blocks, custom, lookalikes }) {
  if (texts || blocks || custom) cannot("its content is a text or an object")
  if (lookalikes) return { ...FORMS.object(lookalikes).object, content: blocksOf(lookalikes) }
  return text ?? object
}

// --------------------------------------------------------------------------------------------- shared

/** What a format has no way to say. */
function cannotSay(said) {
  const whys = {
    hosted: "it has no hosted search",
    adds: "it has no tools that come in the middle",
    removes: "it has no tools that go in the middle",
    compaction: "it has no compaction items",
    approves: "it has no approvals",
    denies: "it has no approvals",
  }
  const key = Object.keys(whys).find((each) => each in said)
  if (key === undefined) throw new Error(`what is ${JSON.stringify(said)}?`)
  return cannot(whys[key])
}

/** Blocks by which providers name tools, standing where nobody but the search tool may stand. */
const blocksOf = (names) => [
  ...FORMS.references(names).blocks,
  { type: "tool_search_tool_result", tool_use_id: "srvtoolu_1", content: { type: "tool_search_tool_search_result", tool_references: FORMS.references(names).blocks } },
  { type: "tool_result", tool_use_id: "c1", content: FORMS.text(names).text },
]

/** The message before, where it holds results, with a person's text at its end. */
function heldBy(last, key, isResult, text) {
  const parts = last?.role === "user" && Array.isArray(last[key]) ? last[key] : []
  return parts.some(isResult) ? { into: { ...last, [key]: [...parts, text] } } : undefined
}

const keyed = (calls = [], objects) => Object.fromEntries(calls.map(({ id, name }, at) => [id ?? name, objects[at]]))

const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
