// Whole lives of runs, by dice, against a naive model of the rules. A difference is a failure that names its seed:
// TOOLCRIB_SEED=n plays that run alone, TOOLCRIB_RUNS=n so many.

import assert from "node:assert/strict"
import { test } from "node:test"
import { draw, play } from "./host.mjs"

const ALONE = process.env.TOOLCRIB_SEED
const RUNS = Number(process.env.TOOLCRIB_RUNS ?? 300)
/** The first seed; the others follow it. */
const FIRST = 1
/** How often a failed run is played again to find a shorter one. */
const TRIES = 150

const seeds = ALONE === undefined ? Array.from({ length: RUNS }, (_, at) => FIRST + at) : [Number(ALONE)]

/** The failure of a plan, or null. */
async function failure(plan, count = {}) {
  try {
    const seen = await play(plan)
    for (const key of Object.keys(seen)) count[key] = (count[key] ?? 0) + seen[key]
    return null
  } catch (error) {
    return error
  }
}

/** Leaves out steps as long as what is left still fails. */
async function shrink(plan, error) {
  let steps = plan.steps.slice(0, error.step + 1)
  let tries = TRIES
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < steps.length && tries > 0; tries--) {
      const fewer = steps.toSpliced(at, size)
      const next = fewer.length ? await failure({ ...plan, steps: fewer }) : null
      if (next) {
        error = next
        steps = fewer.slice(0, next.step + 1)
      } else at += size
    }
  }
  return { error, steps }
}

test(`${seeds.length} runs go by the rules`, async (t) => {
  const count = {}
  const failed = []
  for (const seed of seeds) {
    const plan = draw(seed)
    const first = await failure(plan, count)
    if (!first) continue
    const { error, steps } = await shrink(plan, first)
    const { run } = error
    const { tools: _, place, ...agent } = run.agent
    failed.push(
      [
        `seed ${seed}: step ${first.step} (${plan.steps[first.step]?.action}): ${first.message}`,
        `shortest: ${steps.map(({ action }) => action).join(", ")}: ${error.name === "Error" ? error.message : error.stack}`,
        `agent: ${place.plain} ${JSON.stringify(agent)}`,
        `tools: ${JSON.stringify(run.tools.map(({ name, mark, cost }) => [name, mark, cost]))}`,
        `said: ${JSON.stringify(run.rounds.flatMap(({ says }) => says))}`,
        ...(ALONE === undefined ? [] : [`messages: ${JSON.stringify(run.rounds.flatMap(({ messages }) => messages))}`]),
      ].join("\n"),
    )
    if (failed.length === 3) break
  }
  assert.equal(failed.length, 0, `${failed.join("\n\n")}\n\nagain: TOOLCRIB_SEED=n node --test tests/life/life.test.mjs`)
  t.diagnostic(`${seeds.length} runs, ${JSON.stringify(count)}`)
  // Runs in which nothing happens prove nothing; of a few nothing can be expected.
  const least = { searches: 8, calls: 8, loaded: 4, turns: 20, kept: 0.5, fitted: 1, capped: 0.5, approved: 0.05, cut: 0.03 }
  if (ALONE === undefined && RUNS >= 300) for (const what of Object.keys(least)) assert.ok(count[what] >= least[what] * RUNS, `${what}: ${count[what]} in ${RUNS} runs`)
})
