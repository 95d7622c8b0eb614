// The demo's own options, read before anything is built or installed for it.

const USAGE = `npm run demo [-- options]
  --json           print one JSON document instead of text
  --scripted       play the scripted model, also with OPENAI_API_KEY set
  --broken-server  add a server that fails to start
With OPENAI_API_KEY set the run is played against the real model; OPENAI_MODEL and
OPENAI_BASE_URL are respected.`

/** Reads the command line. Ends the process for --help and for an option that does not exist. */
export function options(flags = process.argv.slice(2)) {
  const known = ["--json", "--scripted", "--broken-server", "--help"]
  const unknown = flags.find((flag) => !known.includes(flag))
  if (unknown !== undefined) {
    process.stderr.write(`unknown option ${unknown}\n${USAGE}\n`)
    process.exit(2)
  }
  if (flags.includes("--help")) {
    process.stdout.write(`${USAGE}\n`)
    process.exit(0)
  }
  const [json, scripted, broken] = known.map((flag) => flags.includes(flag))
  return { json, scripted, broken }
}
