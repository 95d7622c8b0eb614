// One small catalogue in every shape of definition and every container, on every wire, as vectors.

import { CONTAINERS, define, READERS, SHAPES } from "./define.mjs"

/** The shapes on the wire. MCP's is only read. */
export const WIRES = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ai-sdk", "neutral"]

const address = {
  type: "object",
  properties: {
    lines: { type: "array", items: { type: "string" } },
    country: { type: "string", enum: ["DE", "FR"] },
  },
  required: ["lines"],
}

/** The breakpoint of a prompt cache, as each shape writes it on a definition. Bedrock's stands beside it. */
const BREAKPOINTS = {
  anthropic: { cache_control: { type: "ephemeral" } },
  "ai-sdk": { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
}

/** The catalogue in the dialect of a shape. Gemini writes types in capitals, and `nullable`. */
function catalogue(shape) {
  const note = shape === "gemini"
    ? { parameters: { type: "OBJECT", properties: { text: { type: "STRING", nullable: true }, tags: { type: "ARRAY", items: { type: "STRING" } } }, required: ["text"] } }
    : { schema: { type: "object", properties: { text: { type: ["string", "null"] }, tags: { type: "array", items: { type: "string" } } }, required: ["text"] } }
  return [
    { name: "ship_order", description: "Send a parcel", schema: { type: "object", properties: { order: { type: "string" }, address }, required: ["order", "address"] } },
    { name: "thin", schema: { type: "object", properties: { id: { type: "integer" } } } },
    { name: "add_note", description: "Write a note", ...note },
    { name: "pinned", description: "Takes nothing", ...BREAKPOINTS[shape] },
    { name: "refund_order", description: "Give money back", schema: { type: "object", properties: { order: { type: "string" } } }, deferLoading: true },
    { name: "export_ledger", description: "Export", deferLoading: true },
  ]
}

const STEP = { do: "turn", loaded: ["refund_order"], definitions: true, only: ["tools", "definitions", "warnings"] }

/** Every shape on every wire, then the containers. */
export function pairs() {
  const vectors = []
  const add = (id, why, wire, tools, step = STEP, more = {}) =>
    vectors.push({ id, why, tools, options: { format: wire, threshold: 0, ...more }, messages: [], steps: [step] })
  for (const wire of WIRES) {
    for (const shape of Object.keys(SHAPES)) {
      const how = shape === wire ? "pass as they are but for the mark" : `are written for ${wire}`
      add(`pairs-${wire}-from-${shape}`, `Definitions of ${shape} ${how}; the deferred tool that is loaded stands last.`, wire, define(shape, catalogue(shape)))
    }
  }
  // Anthropic's `type: "custom"` says little of a tool without a schema: OpenAI has such, whose input is free text.
  const schema = { type: "object", properties: {} }
  const few = (shape) => catalogue(shape).filter(({ name }) => ["thin", "refund_order", "export_ledger"].includes(name)).map((tool) => ({ schema, ...tool }))
  for (const [name, contain] of Object.entries(CONTAINERS)) {
    if (name === "openai namespace") continue
    add(`pairs-container-${name.replaceAll(",", "").replaceAll(/[ /]/g, "-")}`, "What a container holds are the definitions, in its order.", "anthropic", contain(few(name.split(/[ ,]/)[0])), STEP, name.includes("tools/list") ? { deferred: ["refund_order", "export_ledger"] } : {})
  }
  for (const wire of WIRES) {
    const step = { ...STEP, loaded: ["crm__refund_order"] }
    add(`pairs-${wire}-from-a-namespace`, "A tool in a namespace is called by both names on the wire.", wire, CONTAINERS["openai namespace"](few()), step)
  }
  return vectors
}

/** What is wrong with the definitions of a shape on a wire: names, descriptions and schemas must come through. */
export async function definitions(run, wire, shape) {
  const { tools, options, messages } = pairs().find(({ id }) => id === `pairs-${wire}-from-${shape}`)
  const faults = []
  const step = { ...STEP, only: undefined }
  const { gives } = await run({ tools, options, messages, steps: [step] })
  const [{ tools: names, definitions, warnings, threw, error }] = gives
  if (threw ?? error) return [threw ?? error.message]
  let sent
  try {
    sent = wire === "ai-sdk" ? Object.entries(definitions).map(([name, tool]) => READERS[wire](tool, name)) : held(wire, definitions).map((tool) => READERS[wire](tool))
  } catch (error) {
    return [`${error.message}: ${JSON.stringify(definitions)}`]
  }
  const due = ["ship_order", "thin", "add_note", "pinned", "tool_search", "refund_order"]
  // Without a name: a breakpoint that stands beside the definitions.
  if (JSON.stringify(names.filter((name) => name !== null)) !== JSON.stringify(due)) faults.push(`sends ${names}, due are ${due}`)
  if (warnings.length) faults.push(`warns: ${warnings.map(({ message }) => message)}`)
  // Gemini's dialect is rewritten on every wire but its own.
  for (const { name, description, schema, parameters } of catalogue(wire === "gemini" && shape === "gemini" ? "gemini" : "neutral")) {
    const found = sent.find((each) => each.name === name)
    if (!due.includes(name)) continue
    const wanted = schema ?? parameters
    if (found === undefined) faults.push(`${name} is not sent`)
    else if (found.description !== description) faults.push(`${name} is described as ${found.description}`)
    else if (wanted && JSON.stringify(found.schema) !== JSON.stringify(wanted)) faults.push(`${name} takes ${JSON.stringify(found.schema)}, due is ${JSON.stringify(wanted)}`)
  }
  // MCP's definitions are neutral ones with more in them, and pass as they are.
  if (wire === "neutral" && shape === "mcp") return faults
  const text = JSON.stringify(definitions)
  for (const mark of ["deferLoading", "readOnlyHint", "The tool "]) if (text.includes(mark)) faults.push(`${mark} reaches the wire`)
  return faults
}

/** What is wrong with what is read from containers: every one holds the same tools in the same order. */
export async function contained(run) {
  const faults = []
  for (const vector of pairs().filter(({ id }) => /container|namespace/.test(id))) {
    const { gives } = await run(vector)
    const prefix = vector.id.includes("namespace") ? "crm__" : ""
    const due = [`${prefix}thin`, "tool_search", `${prefix}refund_order`]
    const names = gives[0].tools
    if (JSON.stringify(names) !== JSON.stringify(due)) faults.push(`${vector.id} sends ${JSON.stringify(names ?? gives[0])}, due are ${due}`)
  }
  return faults
}

/** The definitions in what goes on a wire that has a list. */
const held = (wire, tools) => (wire === "gemini" ? tools.flatMap(({ functionDeclarations }) => functionDeclarations ?? []) : tools.filter((tool) => !("cachePoint" in tool)))
