export default [
  {
    id: "smoke",
    where: "Node.js",
    how: "import",
    async run(lab) {
      lab.write({ "main.mjs": `import * as toolcrib from "toolcrib"
import { conformance } from "./conform.mjs"
import vectors from "./vectors.mjs"
process.stdout.write(await conformance(toolcrib, vectors))
` })
      return lab.exec(process.execPath, ["main.mjs"])
    },
  },
]
