/** A language model that says the same to everybody, as an OpenAI-compatible server would. */

import { once } from "node:events";
import { createServer } from "node:http";

const CONTENT = "Thought: I know it.\nFinal Answer: Ann lives in Brno.";

/** Starts it. */
export async function startLanguageModel() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const choice = { index: 0, message: { role: "assistant", content: CONTENT }, finish_reason: "stop" };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ model: "scripted", choices: [choice], usage }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const config = `[model]\nbase_url = "http://127.0.0.1:${port}/v1"\nname = "scripted"\n`;
  return { config, stop: () => server.close() };
}
