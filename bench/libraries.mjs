// The contenders: each makes an index of tools and gives `search(query)`, five of the host's own tools, best first.

import { create, insert, search as searchOrama } from "@orama/orama"
import MiniSearch from "minisearch"

/** What a search returns: the library's own number for a page of results, where it has one. */
export const LIMIT = 5

/**
 * The same fields for all that have to be told them, extracted within the time that is measured. Identifiers are given
 * as words: a careful user would see to it, and the others find next to nothing in `createInvoice` without. With that
 * done here, once, minisearch and orama keep their own tokenizers, which are the fastest they have.
 */
function fields(tool, id) {
  const parameters = []
  const texts = []
  read(tool.inputSchema ?? tool.parameters, parameters, texts)
  return {
    id,
    name: spelled(tool.name),
    description: tool.description ?? "",
    parameters: spelled(parameters.join(" ")),
    texts: texts.join(" "),
  }
}

function read(schema, parameters, texts) {
  if (typeof schema !== "object" || schema === null) return
  for (const name in schema.properties) {
    const property = schema.properties[name]
    parameters.push(name)
    if (typeof property?.description === "string") texts.push(property.description)
    read(property, parameters, texts)
  }
  if (schema.items) read(schema.items, parameters, texts)
  for (const key of ["anyOf", "oneOf", "allOf"]) for (const one of schema[key] ?? []) read(one, parameters, texts)
}

const spelled = (name) => name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_.\-/]+/g, " ")

export const toolcrib = ({ createToolSearch }) => ({
  name: "toolcrib",
  index(tools) {
    const engine = createToolSearch({ tools, deferred: { above: 0 } })
    // It makes its index for the first search; the others make theirs now.
    engine.search("a")
    return {
      search: (query) => engine.search(query, { limit: LIMIT }).map(({ tool }) => tool),
      free: () => engine.free(),
    }
  },
})

export const minisearch = {
  name: "minisearch",
  index(tools) {
    const index = new MiniSearch({ fields: ["name", "description", "parameters", "texts"] })
    index.addAll(tools.map(fields))
    return { search: (query) => index.search(query).slice(0, LIMIT).map(({ id }) => tools[id]) }
  },
}

export const orama = {
  name: "orama",
  index(tools) {
    const index = create({ schema: { name: "string", description: "string", parameters: "string", texts: "string" } })
    // One by one: `insertMultiple` does the same and sleeps between its batches.
    tools.forEach((tool, at) => insert(index, { ...fields(tool, at), id: String(at) }))
    return { search: (query) => searchOrama(index, { term: query, limit: LIMIT }).hits.map(({ id }) => tools[id]) }
  },
}

/** What people write who want no library: three for a word in the name, one for a word in the rest. */
export const overlap = {
  name: "overlap scan",
  index(tools) {
    const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    const documents = tools.map((tool, at) => {
      const { name, description, parameters, texts } = fields(tool, at)
      return { tool, name: new Set(words(name)), rest: new Set(words(`${description} ${parameters} ${texts}`)) }
    })
    return {
      search(query) {
        const wanted = new Set(words(query))
        const hits = []
        for (const { tool, name, rest } of documents) {
          let score = 0
          for (const word of wanted) score += (name.has(word) ? 3 : 0) + (rest.has(word) ? 1 : 0)
          if (score > 0) hits.push({ tool, score })
        }
        hits.sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
        return hits.slice(0, LIMIT).map(({ tool }) => tool)
      },
    }
  },
}
