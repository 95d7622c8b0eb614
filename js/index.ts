/**
 * toolcrib keeps the tools an agent rarely needs out of its requests, gives the model `tool_search`,
 * and sends what a search found from the next call on.
 *
 * Three functions make a run: {@link createToolSearch}, then on each turn `search.turn(messages)`, and
 * `search.answer(assistant, messages)` when the model searched. What is loaded is read back from the
 * messages every time, so nothing has to be stored.
 *
 * @module
 */

// The build makes an entry of this file for each way in which the wasm comes: "virtual:source" is a file of loaders/.

import { load } from "virtual:source"
import {
  estimateTokens as estimate,
  open,
  openLater,
  provide,
  rankNames,
  registerModel as register,
} from "./face.js"
import type {
  Catalogue,
  CreateToolSearch,
  Delivery,
  Format,
  FormatOf,
  RankOptions,
  ToolNames,
  ToolSearch,
  ToolSearchOptions,
} from "./types.js"

export { ToolcribError } from "./errors.js"
export type { ErrorCode } from "./errors.js"
export { NEVER_DEFERRED } from "./never-deferred.js"
export type * from "./types.js"

/**
 * Reads and indexes a catalogue, synchronously; see {@link CreateToolSearch} for the async form.
 *
 * ```ts
 * const search = createToolSearch({ tools, deferred: ["linear_*"] })
 * const { tools: now, note } = search.turn(messages)
 * ```
 */
export const createToolSearch: CreateToolSearch = /* @__PURE__ */ Object.assign(
  <const Tools extends Catalogue, const As extends Format = FormatOf<Tools>, const By extends Delivery = "append">(
    options: ToolSearchOptions<Tools, As, By>,
  ): ToolSearch<Tools, As, By> => {
    provide(load)
    return open(options) as unknown as ToolSearch<Tools, As, By>
  },
  {
    async: async <
      const Tools extends Catalogue,
      const As extends Format = FormatOf<Tools>,
      const By extends Delivery = "append",
    >(
      options: ToolSearchOptions<Tools, As, By>,
    ): Promise<ToolSearch<Tools, As, By>> => {
      provide(load)
      return (await openLater(options)) as unknown as ToolSearch<Tools, As, By>
    },
  },
)

/**
 * Ranks any tools by BM25, deferred or not, without an engine to keep.
 *
 * @param query A few words. Anything but a text finds nothing.
 * @returns The names of those that match, best first; ties by name.
 * @throws {ToolcribError} `unknown_option`, `invalid_option`, `invalid_tools`, `duplicate_tool_name`
 */
export function rankTools<const Tools extends Catalogue>(
  query: string,
  tools: Tools,
  options?: RankOptions,
): ToolNames<Tools>[] {
  provide(load)
  return rankNames(query, tools, options, false) as ToolNames<Tools>[]
}

/**
 * Ranks tools by a rule that fits in a sentence: every word of the query that the name holds counts
 * three, every one that the description holds one; ties by name. The same as `rank: "keywords"`.
 *
 * @returns The names of those that match, best first.
 * @throws {ToolcribError} `unknown_option`, `invalid_option`, `invalid_tools`, `duplicate_tool_name`
 */
export function rankToolsByKeywords<const Tools extends Catalogue>(
  query: string,
  tools: Tools,
  options?: RankOptions,
): ToolNames<Tools>[] {
  provide(load)
  return rankNames(query, tools, options, true) as ToolNames<Tools>[]
}

/**
 * Estimates what a text, or the JSON of anything else, costs a model, in tokens: as OpenAI's o200k_base counts, without
 * its vocabulary. Half of all tool definitions are within 3 %, 95 % of them within 9 %; prose, code and JSON mostly
 * within 10 %. Other providers' tokenizers differ; see `countTokens` for what is done about Claude's.
 */
export function estimateTokens(value: string | object): number {
  provide(load)
  return estimate(value)
}

/**
 * Tells the context window of a model that toolcrib does not know, or knows otherwise: for engines made after this, in the
 * whole process. An engine's option `contextWindow` stands above it.
 *
 * ```ts
 * registerModel("acme/large", { contextWindow: 64_000 })
 * registerModel("acme/small-*", { contextWindow: 16_000 })
 * ```
 *
 * @param name The model's name, or a glob. A name is met in any case, with or without what providers and gateways put
 *   before it and after it (`"openai/..."`, a date, `":latest"`), but not as that of another size or kind; exact names come
 *   before globs, and of several the last registered counts.
 * @param options `contextWindow`: in tokens, from 1.
 * @throws {ToolcribError} `invalid_option`, `unknown_option`
 */
export function registerModel(name: string, options: { contextWindow: number }): void {
  register(name, options)
}
