/** Answers as they come: a log that is followed, an agent that speaks, and how streams end. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startLanguageModel } from "./language_model.mjs";
import { Server } from "./server.mjs";

const AWKWARD = "a line\u2028another\u0085third \x1e end\r\nnext 😀";

/** @type {Server} */
let server;
/** @type {Awaited<ReturnType<typeof startLanguageModel>>} */
let model;
before(async () => {
  model = await startLanguageModel();
  server = await Server.start(model.config);
});
after(async () => {
  await server.stop();
  model.stop();
});

/** @template T @param {AsyncGenerator<T>} events */
async function next(events) {
  const { value, done } = await events.next();
  assert.ok(!done, "the stream ended");
  return value;
}

test("a log is followed", async () => {
  const memory = server.client();
  await memory.remember("before");
  const events = memory.follow({ kind: "memory.remembered" });
  assert.equal((await next(events)).content, "before");
  const later = next(events);
  await memory.append([{ kind: "user_input", content: "of another kind" }]);
  await memory.remember(AWKWARD);
  assert.equal((await later).content, AWKWARD);
  await events.return(undefined);
});

test("a log is followed from a position", async () => {
  const memory = server.client();
  const [first] = await memory.append(["one", "two", "three"].map((content) => ({ kind: "user_input", content })));
  const seen = [];
  for await (const event of memory.follow({ after: first?.seq })) {
    seen.push(event.content);
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, ["two", "three"]);
});

test("whoever leaves the loop closes the connection", async () => {
  /** @type {AbortSignal | null | undefined} */
  let signal;
  const memory = server.client({
    fetch: (input, init) => {
      signal = init?.signal;
      return fetch(input, init);
    },
  });
  await memory.remember("one");
  for await (const event of memory.follow()) {
    assert.equal(event.content, "one");
    assert.equal(signal?.aborted, false);
    break;
  }
  assert.equal(signal?.aborted, true);
});

test("following ends when the caller says so", async () => {
  const memory = server.client();
  await memory.remember("one");
  const controller = new AbortController();
  const events = memory.follow({}, { signal: controller.signal });
  await next(events);
  setTimeout(() => controller.abort(new Error("enough")), 50);
  await assert.rejects(events.next(), /enough/);
});

test("following goes on where it was when the server comes back", async () => {
  const own = await Server.start();
  const memory = own.client();
  await memory.remember("one");
  const events = memory.follow({}, { retries: 20 });
  assert.equal((await next(events)).content, "one");
  const later = next(events);
  await own.pause();
  await own.listen();
  await memory.remember("two");
  assert.equal((await later).content, "two", "neither lost nor told twice");
  await events.return(undefined);
  await own.stop();
});

test("an agent is heard as it speaks", async () => {
  const memory = server.client();
  const parts = [];
  for await (const part of memory.stream("/v1/ask", { question: "Where does Ann live?" })) parts.push(part);
  assert.ok(parts.length > 1, JSON.stringify(parts));
  assert.match(JSON.stringify(parts.at(-1)), /Ann lives in Brno/);
});

test("how far a long call is, is no answer", async () => {
  const memory = server.client();
  await memory.remember("x");
  const answers = [];
  for await (const answer of memory.stream("/v1/verify")) answers.push(answer);
  assert.deepEqual(
    answers.map((answer) => answer["ok"]),
    [true],
  );
});

test("a refusal ends a stream", async () => {
  const memory = server.client();
  await memory.remember("x");
  const limited = memory.follow(/** @type {any} */ ({ limit: 3 }));
  await assert.rejects(limited.next(), { name: "IdeticError", code: "invalid" });
  await assert.rejects(memory.stream("/v1/get", { event: "no-such-event" }).next(), { code: "not_found" });
  const stranger = server.client({ key: "idk_0_0" });
  await assert.rejects(stranger.follow().next(), { status: 401, code: "unauthorized" });
});
