/** What the client itself does: answers, pages, errors, retries, spaces, ends. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";

import { Idetic, IdeticError } from "idetic";

import { Server } from "./server.mjs";

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

/** What is thrown. @param {Promise<unknown>} promise @returns {Promise<IdeticError>} */
async function refused(promise) {
  const error = await promise.then(
    () => assert.fail("it was not refused"),
    (/** @type {unknown} */ error) => error,
  );
  assert.ok(error instanceof IdeticError, String(error));
  return error;
}

/** A `fetch` that notes what is sent, and loses the first answers. @param {number} lost */
function flaky(lost) {
  const sent = /** @type {{path: string, key: string | null}[]} */ ([]);
  /** @type {typeof fetch} */
  const carry = async (input, init) => {
    sent.push({ path: new URL(String(input)).pathname, key: new Headers(init?.headers).get("Idempotency-Key") });
    const response = await fetch(input, init);
    if (sent.length > lost) return response;
    await response.text();
    throw new TypeError("fetch failed", { cause: new Error("the answer was lost") });
  };
  return { sent, fetch: carry };
}

test("what is remembered is recalled, with its metadata", async () => {
  const memory = server.client();
  const ack = await memory.remember("The build needs Node 20", { tags: ["build"], metadata: { vip: true, n: "5" } });
  const { hits } = await memory.recall("which Node does the build need?", { limit: 3 });
  assert.equal(hits[0]?.id, ack.id);
  assert.deepEqual(hits[0]?.metadata, { vip: true, n: "5" });
  const event = await memory.get(ack.id);
  assert.equal(event.content, "The build needs Node 20");
  assert.deepEqual(event.tags, ["build"]);
  const packed = await memory.context("which Node does the build need?", { budget: 300 });
  assert.match(packed.text, /Node 20/);
  assert.equal(packed.sources[0]?.id, ack.id);
});

test("a list is asked for page by page", async () => {
  const { sent, fetch } = flaky(0);
  const memory = server.client({ fetch });
  const contents = Array.from({ length: 25 }, (_, n) => String(n));
  await memory.append(contents.map((content) => ({ kind: "user_input", content })));
  const pages = () => sent.filter(({ path }) => path === "/v1/log").length;
  const listing = memory.list({}, { pageSize: 10 });
  assert.equal(pages(), 0, "nothing is asked for before it is needed");
  const seen = [];
  for await (const event of listing) {
    seen.push(event.content);
    if (seen.length === 10) assert.equal(pages(), 1);
  }
  assert.deepEqual(seen, contents);
  assert.equal(pages(), 3);
  const first = await listing.page();
  const second = await listing.page(first.next);
  assert.equal(second.items[0]?.content, "10");
  assert.equal((await memory.log({ limit: 3 }).all()).length, 3);
});

test("errors say what happened and what to do", async () => {
  const memory = server.client();
  await memory.remember("something");
  const invalid = await refused(memory.append([{ kind: "no such kind", content: "x" }]));
  assert.equal(invalid.status, 400);
  assert.equal(invalid.code, "invalid");
  assert.match(invalid.message, /kind/);
  assert.match(invalid.hint ?? "", /user_input/);
  assert.equal(invalid.details["message"], invalid.message);
  const named = await refused(memory.transport.send({ path: "/v1/recall", arguments: { querry: "x" } }));
  assert.equal(named.status, 400);
  assert.match(named.message, /querry/, "the argument is named");
  const missing = await refused(memory.get("no-such-event"));
  assert.deepEqual([missing.status, missing.code], [404, "not_found"]);
  const conflict = await refused(memory.append([{ kind: "user_input", content: "x" }], { expect: 77 }));
  assert.deepEqual([conflict.status, conflict.code], [409, "conflict"]);
  const unknown = await refused(new Idetic({ url: server.url, key: "idk_0_0" }).spaces());
  assert.deepEqual([unknown.status, unknown.code], [401, "unauthorized"]);
  const reader = new Idetic({ url: server.url, key: server.makeKey("--scope", "read") });
  const forbidden = await refused(reader.remember("not allowed"));
  assert.deepEqual([forbidden.status, forbidden.code], [403, "forbidden"]);
});

test("what no server of ours says is an error as well", async () => {
  const page = createServer((_, response) => response.end("<html>Welcome</html>"));
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (page.address());
  const error = await refused(new Idetic({ url: `http://127.0.0.1:${port}` }).recall("x"));
  assert.equal(error.code, "unknown");
  assert.match(error.message, /not JSON/);
  page.close();
});

test("the key and the address come from the environment", async () => {
  Object.assign(process.env, { IDETIC_KEY: server.key, IDETIC_URL: `${server.url}/` });
  const ack = await new Idetic({ space: "test/environment" }).remember("found");
  delete process.env["IDETIC_KEY"];
  delete process.env["IDETIC_URL"];
  assert.equal(ack.seq, 1);
});

test("spaces are apart, for a client and for a call", async () => {
  const memory = server.client();
  const other = memory.inSpace("test/other-space");
  await memory.remember("only here");
  await other.remember("only there");
  await memory.remember("only elsewhere", {}, { space: "test/third-space" });
  const contents = async (/** @type {import("idetic").Listing<import("idetic").MemoryEvent>} */ listing) =>
    (await listing.all()).map((event) => event.content);
  assert.deepEqual(await contents(memory.list()), ["only here"]);
  assert.deepEqual(await contents(memory.list({}, { space: "test/other-space" })), ["only there"]);
  assert.deepEqual(await contents(other.list({}, { space: "test/third-space" })), ["only elsewhere"]);
  const { hits } = await other.recall("only", {}, { space: "test/third-space" });
  assert.deepEqual(
    hits.map((hit) => hit.text),
    ["only elsewhere"],
  );
});

test("a tenant's key reaches that tenant's spaces and no other", async () => {
  const memory = server.client({ space: "bob/default" });
  await memory.remember("Bob's secret");
  const ann = new Idetic({ url: server.url, key: server.makeKey("--user", "ann", "--scope", "write") });
  await ann.remember("Ann's own");
  await ann.remember("Ann's work", {}, { space: "ann/work" });
  const error = await refused(ann.recall("secret", {}, { space: "bob/default" }));
  assert.ok(error.status === 403 || error.status === 404, String(error.status));
  assert.deepEqual(
    (await ann.list().all()).map((event) => event.content),
    ["Ann's own"],
  );
});

test("a header that cannot be sent is refused before anything is", async () => {
  const { sent, fetch } = flaky(0);
  const error = await refused(server.client({ fetch }).remember("x", {}, { space: "ann/wörk→" }));
  assert.equal(error.code, "invalid");
  assert.match(error.message, /Idetic-Space/);
  assert.equal(sent.length, 0);
});

test("a write whose answer is lost is sent again and carried out once", async () => {
  const { sent, fetch } = flaky(2);
  const memory = server.client({ fetch });
  await memory.append([
    { kind: "user_input", content: "one" },
    { kind: "user_input", content: "two" },
  ]);
  await memory.factStore("The sky over Brno is blue");
  const keys = sent.map(({ key }) => key);
  assert.equal(keys.length, 4);
  assert.equal(new Set(keys).size, 2);
  assert.equal((await memory.list({ kind: "user_input" }).all()).length, 2);
  assert.equal((await memory.factList().all()).length, 1);
});

test("a question is sent again, a call that does something without a name is not", async () => {
  const asking = flaky(2);
  const memory = server.client({ fetch: asking.fetch });
  await memory.remember("something");
  assert.equal((await memory.recall("something")).hits.length, 1);
  const doing = flaky(1);
  const error = await refused(server.client({ fetch: doing.fetch }).agent("Who are you?"));
  assert.equal(error.code, "unavailable");
  assert.equal(doing.sent.length, 1);
  const patient = flaky(1);
  await refused(server.client({ fetch: patient.fetch }).recall("x", {}, { retries: 0 }));
  assert.equal(patient.sent.length, 1);
});

test("a named call is answered as before", async () => {
  const memory = server.client();
  const name = { idempotencyKey: "a name" };
  const first = await memory.remember("once", {}, name);
  assert.deepEqual(await memory.remember("once", {}, name), first);
  assert.equal((await refused(memory.remember("something else", {}, name))).status, 409);
});

test("in the end it gives up", async () => {
  const nobody = createServer();
  nobody.listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (nobody.address());
  nobody.close();
  await once(nobody, "close");
  const error = await refused(new Idetic({ url: `http://127.0.0.1:${port}`, key: "k", retries: 1 }).remember("x"));
  assert.equal(error.status, undefined);
  assert.equal(error.code, "unavailable");
  assert.match(error.message, /ECONNREFUSED/);
  assert.ok(error.hint);
});

test("a caller that asks too often waits as long as the server says", async () => {
  const own = await Server.start("[server]\nrequests_per_second = 2\n");
  const memory = own.client();
  for (let n = 0; n < 6; n += 1) await memory.remember(`number ${n}`);
  assert.equal((await memory.list().all()).length, 6);
  const hasty = own.client({ retries: 0 });
  const error = await refused(Promise.all(Array.from({ length: 40 }, () => hasty.spaces())));
  assert.deepEqual([error.status, error.code], [429, "too_many"]);
  await own.stop();
});

test("a call ends when its caller says so, or when time is up", async () => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (silent.address());
  const memory = new Idetic({ url: `http://127.0.0.1:${port}` });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), 50);
  await assert.rejects(memory.recall("x", {}, { signal: controller.signal }), /enough/);
  await assert.rejects(memory.recall("x", {}, { signal: controller.signal }), /enough/, "before it begins");
  const late = await refused(memory.recall("x", {}, { timeout: 50, retries: 0 }));
  assert.equal(late.code, "unavailable");
  assert.match(late.message, /within 50 ms/);
  silent.closeAllConnections();
  silent.close();
});

test("a pause between attempts ends when the caller says so", async () => {
  const busy = createServer((_, response) => {
    response.writeHead(503, { "Retry-After": "9" });
    response.end(JSON.stringify({ error: { kind: "unavailable", message: "busy" } }));
  });
  busy.listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (busy.address());
  const began = Date.now();
  const call = new Idetic({ url: `http://127.0.0.1:${port}` }).recall("x", {}, { signal: AbortSignal.timeout(100) });
  await assert.rejects(call, { name: "TimeoutError" });
  assert.ok(Date.now() - began < 5000);
  busy.closeAllConnections();
  busy.close();
});
