/** The AI SDK's own functions and its mock model with our middleware. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { generateText, simulateReadableStream, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { memoryMiddleware } from "idetic/ai";
import { z } from "zod";

import { Server } from "./server.mjs";

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const STOP = { unified: /** @type {const} */ ("stop"), raw: undefined };

/** A model that answers as it was told, and what it was asked. @param {any[]} answers */
function scripted(...answers) {
  /** @type {any[]} */
  const prompts = [];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt);
      return { content: [answers.shift()], finishReason: STOP, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const id = "0";
      const deltas = answers.shift().map((/** @type {string} */ delta) => ({ type: "text-delta", id, delta }));
      const chunks = [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
      return { stream: simulateReadableStream({ chunks: [...chunks, { type: "finish", finishReason: STOP, usage }] }) };
    },
  });
  return { model, prompts };
}

test("a model is reminded of what was said in another conversation", async () => {
  const memory = server.client();
  const { model, prompts } = scripted({ type: "text", text: "Noted." }, ["You drink ", "green tea."]);
  const remembers = (/** @type {string} */ conversation) =>
    wrapLanguageModel({ model, middleware: memoryMiddleware(memory, { conversation }) });
  await generateText({ model: remembers("one"), prompt: "I drink green tea every morning" });
  const streamed = streamText({ model: remembers("two"), prompt: "What do I drink in the morning?" });
  assert.equal(await streamed.text, "You drink green tea.");
  const [first, second] = prompts.map((prompt) => JSON.stringify(prompt));
  assert.doesNotMatch(first ?? "", /Recalled from memory/);
  assert.match(second ?? "", /Recalled from memory.*I drink green tea every morning.*What do I drink/s);
  const kept = [];
  for await (const event of memory.list()) kept.push([event.kind, event.conversation_id, event.content]);
  assert.deepEqual(kept, [
    ["user_input", "one", "I drink green tea every morning"],
    ["actor_output", "one", "Noted."],
    ["user_input", "two", "What do I drink in the morning?"],
    ["actor_output", "two", "You drink green tea."],
  ]);
});

test("what the user said is kept once although tools are called between, and nothing without keep", async () => {
  const memory = server.client();
  const call = { type: "tool-call", toolCallId: "c", toolName: "weather", input: '{"city":"Brno"}' };
  const { model } = scripted(call, { type: "text", text: "It rains." }, { type: "text", text: "Hello." });
  const weather = tool({
    description: "How the weather is",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `rain in ${city}`,
  });
  const wrapped = wrapLanguageModel({ model, middleware: memoryMiddleware(memory) });
  await generateText({ model: wrapped, tools: { weather }, stopWhen: stepCountIs(3), prompt: "How is it in Brno?" });
  const quiet = wrapLanguageModel({ model, middleware: memoryMiddleware(memory, { keep: false }) });
  await generateText({ model: quiet, prompt: "Hello?" });
  const kept = [];
  for await (const event of memory.list()) kept.push(event.content);
  assert.deepEqual(kept, ["How is it in Brno?", "It rains."]);
});
