const PROGRAM = `import * as toolcrib from "toolcrib"
import { conformance } from "../../conform.mjs"
import vectors from "../../vectors.mjs"
`

const route = (runtime) => `${PROGRAM}
export const runtime = "${runtime}"
export const dynamic = "force-dynamic"
export const GET = async () => new Response(await conformance(toolcrib, vectors))
`

/** `app` is the newer way of writing routes, `pages` the older one. */
export const edgeRoute = { "app/edge/route.js": route("edge") }
export const edgeApi = {
  "pages/api/edge.js": `${PROGRAM}
export const config = { runtime: "edge" }
export default async () => new Response(await conformance(toolcrib, vectors))
`,
}

/**
 * The app's files.
 *
 * @param root What holds the app and the packages; Next.js would look for a lock file and take the repository.
 * @param edge Those of its edge route: `edgeRoute` or `edgeApi`.
 */
export const files = (root, edge) => ({
  "next.config.mjs": `export default ${JSON.stringify({ turbopack: { root }, outputFileTracingRoot: root })}\n`,
  // A browser asks for it by itself.
  "public/favicon.ico": "",
  "app/layout.js": `export default ({ children }) => <html lang="en"><body>{children}</body></html>\n`,
  "app/node/route.js": route("nodejs"),
  // As a URI component without apostrophes, so that React has nothing to escape.
  "app/server/page.js": `${PROGRAM}
export const dynamic = "force-dynamic"
export default async function Page() {
  const text = await conformance(toolcrib, vectors)
  return <pre>{encodeURIComponent(text).replaceAll("'", "%27")}</pre>
}
`,
  "app/client/page.js": `"use client"
import { useEffect } from "react"
${PROGRAM}
export default function Page() {
  useEffect(() => {
    conformance(toolcrib, vectors).catch((error) => error.stack).then(window.report)
  }, [])
  return null
}
`,
  ...edge,
})
