import * as ai from "ai6"
import { MockLanguageModelV3 } from "ai6/test"
import { mock, through } from "./ai-talk.mjs"

for (const delivery of ["append", "proxy"]) {
  through("ai 6", { ai, delivery, connect: () => mock(MockLanguageModelV3, "other") })
}
through("ai 6, Claude", { ai, delivery: "native", model: "claude-sonnet-4-5", connect: () => mock(MockLanguageModelV3, "anthropic") })
through("ai 6, GPT", { ai, delivery: "native", model: "gpt-5.4", connect: () => mock(MockLanguageModelV3, "openai") })
