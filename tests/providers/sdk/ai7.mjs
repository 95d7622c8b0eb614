import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import * as ai from "ai7"
import { MockLanguageModelV4 } from "ai7/test"
import { local, mock, through } from "./ai-talk.mjs"

const base = { ai, system: "instructions" }

for (const delivery of ["append", "proxy"]) {
  through("ai 7", { ...base, delivery, connect: () => mock(MockLanguageModelV4, "other") })
  through("ai 7, @ai-sdk/openai chat", {
    ...base,
    delivery,
    connect: () => local((url) => createOpenAI({ apiKey: "none", baseURL: `${url}/v1` }).chat("gpt-5.4")),
  })
}
for (const delivery of ["append", "native", "proxy"]) {
  through("ai 7, @ai-sdk/anthropic", {
    ...base,
    delivery,
    model: "claude-sonnet-4-5",
    connect: () => local((url) => createAnthropic({ apiKey: "none", baseURL: `${url}/v1` })("claude-sonnet-4-5")),
  })
  through("ai 7, @ai-sdk/openai", {
    ...base,
    delivery,
    model: "gpt-5.4",
    connect: () => local((url) => createOpenAI({ apiKey: "none", baseURL: `${url}/v1` })("gpt-5.4")),
  })
}
