import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime"
import { user } from "../host.mjs"
import { refuses, SCHEMA, through } from "./talk.mjs"

const bedrock = {
  format: "bedrock",
  http2: true,
  toolsOf: ({ toolConfig }) => toolConfig.tools,
  define: (name, { description }) => ({ toolSpec: { name, description, inputSchema: { json: SCHEMA } } }),
  connect: (url) => {
    const client = new BedrockRuntimeClient({
      region: "us-east-1",
      endpoint: url,
      credentials: { accessKeyId: "none", secretAccessKey: "none" },
      maxAttempts: 1,
    })
    return {
      ask: ({ tools, note }, messages) =>
        client.send(new ConverseCommand({ modelId: "some-model", toolConfig: { tools }, messages, ...(note ? { system: [{ text: note }] } : {}) })),
      close: () => client.destroy(),
    }
  },
}
for (const delivery of ["append", "proxy"]) through("@aws-sdk/client-bedrock-runtime", { ...bedrock, delivery })
refuses("@aws-sdk/client-bedrock-runtime", { ...bedrock, messages: [user("bedrock", "Go on.")], rule: "tools_empty" })
