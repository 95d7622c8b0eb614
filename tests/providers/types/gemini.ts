// What toolcrib takes from and gives to `@google/genai`, without a cast.
import { type Content, type FunctionDeclaration, type GoogleGenAI, type Part, type Tool, Type } from "@google/genai"
import { createToolSearch } from "toolcrib"
import { type Equal, holds, type IsAny } from "./expect.js"

declare const ai: GoogleGenAI
declare const contents: Content[]

declare const own: Tool[]
const search = createToolSearch({ tools: own })
const turn = search.turn(contents)
holds<Equal<IsAny<typeof turn.tools>, false>>()
holds<Equal<IsAny<(typeof turn.tools)[number]>, false>>()
const config = { tools: turn.tools }
const response = await ai.models.generateContent({ model: "m", contents, config })
const reply = await search.answer(response, contents)
for (const call of response.functionCalls ?? []) await search.answer(call, contents)
reply.parts satisfies Part[]
search.searchTool satisfies FunctionDeclaration
const results: Part[] = []
for (const call of response.functionCalls ?? []) {
  const target = search.resolve(call, contents)
  results.push(target.error ? target.part : { functionResponse: { name: target.name, response: { output: "done" } } })
}
declare const held: Content[]
await ai.models.generateContent({ model: "m", contents: [...contents, ...reply.messages()], config })
await ai.models.generateContent({ model: "m", contents: [...contents, ...reply.messages(results)], config })
await ai.models.generateContent({ model: "m", contents: [...contents, ...reply.messages(held)], config })
ai.chats.create({ model: "m", history: [...contents, ...reply.messages()], config })

// Literals, in an array among others and alone.
const declared = {
  functionDeclarations: [
    { name: "find", description: "Find", parameters: { type: Type.OBJECT, properties: { q: { type: Type.STRING, nullable: true } }, required: ["q"] } },
    { name: "bill", parametersJsonSchema: { type: "object", required: ["cents"] }, deferred: true },
  ],
} as const
const literal = createToolSearch({ tools: [declared, { googleSearch: {} }, { name: "plain", inputSchema: { type: "object" } }] })
literal.turn(contents).tools satisfies Tool[]
literal.turn(contents).loaded satisfies ("find" | "bill" | "plain")[]
const alone = createToolSearch({ tools: declared })
alone.turn(contents).tools satisfies Tool[]
const target = alone.resolve({ name: "bill", args: {} })
if (!target.error && target.name === "bill") target.tool.deferred satisfies true
createToolSearch({ tools: [{ ...declared, codeExecution: {} }] }).turn(contents).tools satisfies Tool[]
declare const declarations: FunctionDeclaration[]
createToolSearch({ tools: { functionDeclarations: declarations } }).turn(contents).tools satisfies Tool[]

// Tools of other shapes, with the format named.
createToolSearch({ tools: [{ name: "a" }], format: "gemini" }).turn(contents).tools satisfies Tool[]
createToolSearch({ tools: { a: { description: "A" } }, format: "gemini" }).turn(contents).tools satisfies Tool[]
createToolSearch({ tools: [{ toolSpec: { name: "a" } }], format: "gemini" }).turn(contents).tools satisfies Tool[]

const chat = createToolSearch({ tools: [{ name: "a" }] })
// @ts-expect-error tools of Chat Completions
await ai.models.generateContent({ model: "m", contents, config: { tools: chat.turn(contents).tools } })
const anthropic = createToolSearch({ tools: [{ name: "a", input_schema: { type: "object" } }] })
// @ts-expect-error parts of Anthropic's; whole messages the SDK's types take from anybody, for they ask for nothing
results.push(...(await anthropic.answer(response)).parts)
