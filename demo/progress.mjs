// Progress of a step that may take more than a few seconds, on stderr so that stdout stays
// what was asked for. No dependencies: the install step needs it before anything is installed.

/**
 * Shows that a step is still running. On a terminal one line that is redrawn and removed at the end;
 * elsewhere a plain line once the step has taken three seconds, then every ten.
 * Returns `note(text)`, which adds to the line, and `done()`, which must be called in any case.
 */
export function progress(label, stream = process.stderr) {
  const began = Date.now()
  const live = stream.isTTY && process.env.TERM !== "dumb"
  let extra = ""
  const line = () => {
    const seconds = Math.round((Date.now() - began) / 1000)
    return `${label}${extra && `: ${extra}`}${seconds > 0 ? ` (${seconds} s)` : ""}`
  }
  const draw = () => stream.write(`\r\x1b[2K${line().slice(0, (stream.columns ?? 80) - 1)}`)
  const say = () => stream.write(`${line()}\n`)

  let timer
  if (live) {
    draw()
    timer = setInterval(draw, 1000)
  } else {
    timer = setTimeout(() => {
      say()
      timer = setInterval(say, 10_000)
      timer.unref()
    }, 3000)
  }
  timer.unref()

  const clear = () => live && stream.write("\r\x1b[2K")
  // An interrupted step would else leave its line before the prompt.
  process.once("exit", clear)

  return {
    note(text) {
      extra = text
      if (live) draw()
    },
    done() {
      clearInterval(timer)
      process.off("exit", clear)
      clear()
    },
  }
}
