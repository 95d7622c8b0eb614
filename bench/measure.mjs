// A harness of our own, because what counts here is the ratio between contenders and the libraries that are kept up
// (tinybench, mitata) run one contender to its end before the next: on a machine that others use too, the ratio then
// says who ran while it was quiet. Here every round runs all of them, and a ratio is taken within each round.

import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

/** A sample runs at least this long, so that neither the clock's steps nor one collection of garbage shows. */
const SAMPLE_MS = 30

/**
 * Times contenders `{ name, run, done? }` against each other. `run` is what is timed; `done(result)` disposes of a
 * result, outside the time. Returns for each `{ name, ms, spread, times }`: the median, half the distance between the
 * quartiles as a share of it, and all samples.
 */
export function compare(contenders, rounds) {
  collect()
  const all = contenders.map(({ name, run, done }) => ({ name, run, done, times: [], repeat: 1 }))
  for (const one of all) one.repeat = warm(one)
  for (let round = 0; round < rounds; round++) {
    for (const one of all) one.times.push(sample(one))
  }
  return all.map(({ name, times }) => ({ name, ms: quantile(times, 0.5), spread: spread(times), times }))
}

/** How many times slower `other` is than `one`: the median of the rounds' ratios, and its spread. */
export function ratio(one, other) {
  const ratios = one.times.map((time, round) => other.times[round] / time)
  return { ratio: quantile(ratios, 0.5), spread: spread(ratios) }
}

/** Runs until the compilers have settled; says how often to run for one sample. */
function warm(one) {
  const least = []
  const until = performance.now() + 15 * SAMPLE_MS
  do least.push(sample({ ...one, repeat: 1 }))
  while (performance.now() < until && least.length < 1000)
  // What has to be disposed of is made one at a time.
  return one.done ? 1 : Math.max(1, Math.ceil(SAMPLE_MS / Math.min(...least)))
}

// No collection is forced between samples: it would empty the processor's caches and shrink the young generation, and
// double the times of whoever comes next. Whoever allocates much collects much, in its own time.
function sample({ run, done, repeat }) {
  let result
  const started = performance.now()
  for (let time = 0; time < repeat; time++) result = run()
  const ms = (performance.now() - started) / repeat
  done?.(result)
  return ms
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const low = Math.floor(at)
  return sorted[low] + ((sorted[low + 1] ?? sorted[low]) - sorted[low]) * (at - low)
}

const spread = (values) => (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / quantile(values, 0.5)

/** The heap in use after a collection, in bytes. */
export function heap() {
  collect()
  return process.memoryUsage().heapUsed
}
