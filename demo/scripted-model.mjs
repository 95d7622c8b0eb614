// Plays the model when there is no key. Like a model it sees one request, the tools and the messages, and
// answers with an assistant message; it remembers nothing and imports nothing. It never calls a tool that
// it was not sent: it searches for it in the words that models use, and gives up aloud when the search did
// not bring it.

const NOTE = "# Project Heron\n\nRelease date: 2027-03-12\n"

/**
 * What the model wants to do, in order; the wishes of one step are pursued side by side. `query` is what it
 * searches for when the tool was not sent. `args` makes the arguments from what is known so far (undefined:
 * not known enough yet). `read` takes from the result what later wishes need, undefined when the result is
 * not what was hoped for.
 */
const STEPS = [
  [
    {
      tool: "filesystem__list_allowed_directories",
      query: "list allowed directories folders",
      args: () => ({}),
      read: (text) => /^Allowed directories:\s*(.+)$/m.exec(text)?.[1],
    },
    {
      tool: "filesystem__write_file",
      query: "write file create save text release.md",
      args: (known) => {
        const folder = known.filesystem__list_allowed_directories
        return folder && { path: `${folder}/release.md`, content: NOTE }
      },
      read: (text) => /^Successfully wrote/.test(text) || undefined,
    },
  ],
  [
    {
      tool: "filesystem__read_text_file",
      query: "read file contents text",
      args: (known) => ({ path: `${known.filesystem__list_allowed_directories}/release.md` }),
      read: (text) => (text === NOTE ? /\d{4}-\d\d-\d\d/.exec(text)[0] : undefined),
    },
  ],
  [
    {
      tool: "memory__create_entities",
      query: "knowledge graph create entity remember Heron release date",
      args: (known) => ({
        entities: [
          {
            name: "Heron",
            entityType: "project",
            observations: [`ships on ${known.filesystem__read_text_file}`],
          },
        ],
      }),
      read: (text) => /Heron/.test(text) || undefined,
    },
    {
      tool: "everything__get-sum",
      query: "add numbers sum calculator 128 57",
      args: () => ({ a: 128, b: 57 }),
      read: (text) => /\b185\b/.exec(text)?.[0],
    },
  ],
  [
    {
      tool: "memory__search_nodes",
      query: "search nodes find lookup entity",
      args: () => ({ query: "Heron" }),
      read: (text) => /ships on (\d{4}-\d\d-\d\d)/.exec(text)?.[1],
    },
  ],
  // No tool can do this one: the search is to find nothing and the model goes on without.
  [{ fits: /translat/i, query: "translate translation Portuguese" }],
]

/** Answers one chat-completions request with an assistant message. Throws when it can't go on. */
export function scriptedModel({ tools, messages }) {
  const made = callsSoFar(messages)
  const known = {}
  for (const step of STEPS) {
    const todo = step.filter((wish) => !settled(wish, made, known, tools))
    if (todo.length > 0) return callTools(todo, made, known, tools)
  }
  return { role: "assistant", content: conclusion(known) }
}

function conclusion(known) {
  return (
    `release.md is written and reads back as it should: Heron ships on ${known.filesystem__read_text_file}. ` +
    `The knowledge graph has it too (${known.memory__search_nodes}). ` +
    `Open and blocked tickets together: ${known["everything__get-sum"]}. ` +
    "None of the tools can translate, so the note stays in English."
  )
}

/** Every call with the content of its result, in order. */
function callsSoFar(messages) {
  const results = new Map(
    messages.filter(({ role }) => role === "tool").map((result) => [result.tool_call_id, result.content]),
  )
  return messages
    .flatMap(({ tool_calls }) => tool_calls ?? [])
    .map(({ id, function: { name, arguments: args } }) => ({ name, args: JSON.parse(args), result: results.get(id) }))
}

function settled(wish, made, known, tools) {
  if (!wish.tool) {
    const found = tools.find(({ function: { name, description } }) => wish.fits.test(`${name} ${description}`))
    if (found) throw new Error(`did not expect a tool that fits "${wish.query}", was sent ${found.function.name}`)
    return searched(wish, made)
  }
  const call = made.find(({ name }) => name === wish.tool)
  if (!call) return false
  known[wish.tool] = wish.read(call.result)
  if (known[wish.tool] === undefined) throw new Error(`${wish.tool} gave an unexpected result: ${call.result}`)
  return true
}

function searched(wish, made) {
  return made.some(({ name, args }) => name === "tool_search" && args.query === wish.query)
}

function callTools(wishes, made, known, tools) {
  const calls = []
  for (const wish of wishes) {
    const tool = tools.find(({ function: { name } }) => name === wish.tool)
    if (tool) {
      const args = wish.args(known)
      if (args) calls.push([check(tool.function, args), args])
    } else if (searched(wish, made)) {
      throw new Error(`searched for "${wish.query}" and was not sent ${wish.tool}`)
    } else if (tools.some(({ function: { name } }) => name === "tool_search")) {
      calls.push(["tool_search", { query: wish.query }])
    } else {
      throw new Error(`needs ${wish.tool}, but was sent neither it nor tool_search`)
    }
  }
  return {
    role: "assistant",
    content: null,
    tool_calls: calls.map(([name, args], at) => ({
      id: `call_${made.length + at + 1}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    })),
  }
}

/** A model writes arguments from the schema it was sent, so the schema must be there and have them. */
function check({ name, parameters }, args) {
  const properties = Object.keys(parameters?.properties ?? {})
  const unknown = Object.keys(args).find((key) => !properties.includes(key))
  const missing = (parameters?.required ?? []).find((key) => !(key in args))
  if (unknown) throw new Error(`${name} was sent without a parameter "${unknown}"`)
  if (missing) throw new Error(`${name} asks for "${missing}", which the script does not give`)
  return name
}
