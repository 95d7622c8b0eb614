// The types of the package: what the TypeScript compiler declares for `js/`, once for `import` and once for `require`.

import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { must, Problem } from "./process.mjs"

/** Resolves to a Map from file name (`index.d.ts`, `index.d.cts`, and those they name) to text. */
export async function declarations(root, scratch) {
  rmSync(scratch, { recursive: true, force: true })
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  await must(
    process.execPath,
    [tsc, "-p", "tsconfig.json", "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", scratch],
    { cwd: root, doing: "declaring types" },
  )
  const emitted = new Map()
  for (const path of readdirSync(scratch, { recursive: true })) {
    const name = path.split(sep).join("/")
    if (name.endsWith(".d.ts")) emitted.set(name.slice(0, -".d.ts".length), readFileSync(join(scratch, path), "utf8"))
  }
  if (!emitted.has("index")) throw new Problem("the TypeScript compiler declared no js/index.ts (tsconfig.json)")

  // A declaration file for `require` may only name such files, so each has a twin, and only its specifiers differ.
  const files = new Map()
  const visit = (name) => {
    if (files.has(`${name}.d.ts`)) return
    const text = emitted.get(name)
    if (text.includes("virtual:")) throw new Problem(`js/${name}.ts puts a module of the build into the public types`)
    let twin = text
    const named = []
    for (const other of emitted.keys()) {
      const path = relative(dirname(name), other).split(sep).join("/")
      const specifier = path.startsWith(".") ? path : `./${path}`
      if (!text.includes(`"${specifier}.js"`)) continue
      twin = twin.replaceAll(`"${specifier}.js"`, `"${specifier}.cjs"`)
      named.push(other)
    }
    files.set(`${name}.d.ts`, text)
    files.set(`${name}.d.cts`, twin)
    named.forEach(visit)
  }
  for (const entry of ["index", "slim"]) visit(entry)
  return files
}
