// The agent: asks a model, answers its searches with toolcrib and its other calls over MCP, until it is done.

import { createToolSearch, estimateTokens, NEVER_DEFERRED } from "../pkg/index.js"

/**
 * Names every server's tools `server__tool`, defers all but `resident`, and makes the engine. `call` runs one of
 * the host's tools on the server it came from.
 */
export function makeAgent(servers, resident) {
  const origin = new Map()
  const tools = servers.flatMap(({ name: server, client, tools }) =>
    tools.map((listed) => {
      const tool = { ...listed, name: `${server}__${listed.name}` }
      origin.set(tool, { client, name: listed.name })
      return tool
    }),
  )
  const search = createToolSearch({
    tools,
    format: "openai-chat",
    contextWindow: 128_000,
    resident: [...NEVER_DEFERRED, ...resident],
    servers: Object.fromEntries(servers.map(({ name }) => [name, { deferLoading: true, prefix: `${name}__` }])),
  })
  const call = async (tool, args) => {
    const { client, name } = origin.get(tool)
    const { content = [], isError } = await client.callTool({ name, arguments: args }, undefined, { timeout: 60_000 })
    return { text: content.map((part) => part.text ?? `[${part.type}]`).join("\n"), failed: isError === true }
  }
  return { tools, search, call }
}

/**
 * Plays one run: at most `rounds` requests. `ask` is the model, a function from `{ tools, messages }` to an assistant
 * message. `onRequest(record)` is called after each round with what was sent, searched and called.
 * Returns the model's last words, or null when the rounds ran out.
 */
export async function run({ agent: { search, call }, ask, prompt, task, rounds = 20, onRequest = () => {} }) {
  const system = { role: "system", content: prompt }
  const messages = [{ role: "user", content: task }]
  // What searching adds to the messages, and so to every later request.
  let searchTokens = 0
  const foundIn = new Map()

  for (let request = 1; request <= rounds; request++) {
    const turn = search.turn(messages)
    const note = turn.note ? [{ role: "system", content: turn.note }] : []
    // A copy as it goes over the wire: whoever answers gets data, and nothing of the host's.
    const wire = JSON.stringify({ tools: turn.tools, messages: [system, ...note, ...messages] })
    const assistant = await ask(JSON.parse(wire))

    const record = {
      request,
      sent: {
        tools: turn.tools.length,
        tokens: turn.tokens.sent,
        noteTokens: turn.note ? estimateTokens(turn.note) : 0,
        searchTokens,
      },
      everything: { tokens: turn.tokens.all },
      searches: [],
      calls: [],
      says: assistant.content ?? null,
    }
    const calls = assistant.tool_calls ?? []
    if (calls.length === 0) {
      messages.push(assistant)
      onRequest(record)
      return assistant.content ?? ""
    }

    const reply = await search.answer(assistant, messages)
    record.searches = reply.results.map((result) => ({
      query: result.query,
      hits: result.hits.map(({ name, score, terms }) => ({ name, score, terms })),
      loaded: result.loaded,
      alreadyLoaded: result.alreadyLoaded,
      note: result.error ?? result.note,
    }))

    const isSearch = ({ function: { name } }) => name === search.searchTool.function.name
    const answered = await Promise.all(
      calls
        .filter((made) => !isSearch(made))
        .map(async (made) => {
          const target = search.resolve(made, messages)
          if (target.error)
            return { name: made.function.name, failed: true, text: target.error.message, part: target.part }
          const result = await call(target.tool, target.args).catch((error) => ({ text: error.message, failed: true }))
          const part = { role: "tool", tool_call_id: made.id, content: result.text }
          return { name: target.name, failed: result.failed, text: result.text, part }
        }),
    )
    record.calls = answered.map(({ name, failed, text }) => ({
      name,
      foundIn: foundIn.get(name) ?? null,
      failed,
      result: text,
    }))
    for (const name of reply.loaded) foundIn.set(name, request)

    for (const added of [...calls.filter(isSearch), ...reply.parts]) searchTokens += estimateTokens(added)
    messages.push(assistant, ...reply.messages(answered.map(({ part }) => part)))
    onRequest(record)
  }
  return null
}

/** The sums of a run's records. */
export function totals(records) {
  const sum = (pick) => records.reduce((total, record) => total + pick(record), 0)
  const sent = sum(({ sent }) => sent.tokens)
  const everything = sum(({ everything }) => everything.tokens)
  const notes = sum(({ sent }) => sent.noteTokens)
  const searching = sum(({ sent }) => sent.searchTokens)
  // Requests that a model with every tool at hand would not have made: the strict comparison leaves them out.
  const onlySearched = records.filter(({ searches, calls }) => searches.length > 0 && calls.length === 0)
  const unneeded = onlySearched.reduce((total, { everything }) => total + everything.tokens, 0)
  const percent = (part, whole) => (whole > 0 ? Math.round((1 - part / whole) * 1000) / 10 : 0)
  return {
    requests: records.length,
    onlySearched: onlySearched.length,
    searches: sum(({ searches }) => searches.length),
    calls: sum(({ calls }) => calls.length),
    sentTokens: sent,
    noteTokens: notes,
    searchTokens: searching,
    everythingTokens: everything,
    // The note is among what was sent.
    savedPercent: percent(sent + searching, everything),
    savedPercentStrict: percent(sent + searching, everything - unneeded),
  }
}
