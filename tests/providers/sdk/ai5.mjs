import * as ai from "ai5"
import { MockLanguageModelV2 } from "ai5/test"
import { mock, through } from "./ai-talk.mjs"

// Version 5 has no part that could hold a reference: nothing is native there.
for (const delivery of ["append", "proxy"]) {
  through("ai 5", { ai, delivery, connect: () => mock(MockLanguageModelV2, "other") })
}
