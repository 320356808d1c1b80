/** Every route of the server's description, called with the method that was generated for it. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { definitionsOf, render, routesOf } from "../generate.mjs";
import { answer, DOCUMENT } from "./document.mjs";
import { startLanguageModel } from "./language_model.mjs";
import { differences } from "./schema.mjs";
import { Server } from "./server.mjs";

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

test("the generated files are what the server says", async () => {
  for (const [name, text] of Object.entries(render(await server.document()))) {
    const there = readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8");
    assert.equal(there, text, `${name} is old: run generate.mjs on the server's /openapi.json`);
  }
});

test("with routes that a newer server has, it still compiles", async () => {
  const document = await server.document();
  const newer = { paths: { ...document["paths"] }, components: { schemas: { ...document["components"].schemas } } };
  for (const [path, methods] of Object.entries(DOCUMENT.paths)) if (path !== "/v1/log") newer.paths[path] = methods;
  Object.assign(newer.components.schemas, DOCUMENT.components.schemas);
  const recall = structuredClone(newer.paths["/v1/recall"]);
  const { properties } = recall.post.requestBody.content["application/json"].schema;
  Object.assign(properties, { limit: { type: "integer" }, filter: { type: "object" } });
  recall.post.responses = answer({ type: "object", required: ["hits"], properties: { hits: { type: "array" } } });
  newer.paths["/v1/recall"] = recall;
  delete newer.components.schemas.RecallAnswer;
  const folder = mkdtempSync(join(tmpdir(), "idetic-newer-"));
  const here = fileURLToPath(new URL("..", import.meta.url));
  cpSync(join(here, "src"), join(folder, "src"), { recursive: true });
  for (const name of ["package.json", "tsconfig.json"]) cpSync(join(here, name), join(folder, name));
  const files = render(newer);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "src", name), text);
  const compiled = spawnSync(process.execPath, [join(here, "node_modules/typescript/bin/tsc"), "--project", folder]);
  assert.equal(compiled.status, 0, String(compiled.stdout));
  rmSync(folder, { recursive: true });
  assert.match(files["routes.ts"] ?? "", /path: "\/v1\/recall", arguments: \{ \.\.\.args, query \}/);
  assert.match(files["routes.ts"] ?? "", / forget\(id: string/);
});

/**
 * Fills a space with one of each thing, and says what each method is given; nothing where it needs nothing.
 * @param {import("idetic").Idetic} client
 * @returns {Promise<{[name: string]: unknown[]}>}
 */
async function asked(client) {
  /** @type {import("idetic").EventRecord} */
  const failure = { kind: "tool_result", status: "failure", content: "timeout of the backend", trace_id: "t-1" };
  const event = (await client.append([failure]))[0]?.id;
  for (const name of ["kept", "linked", "unlinked", "left", "gone"]) {
    await client.noteWrite(`The note ${name}`, { id: name, content: `What ${name} says`, force: true });
  }
  await client.noteLink("kept", "unlinked");
  const facts = [await client.factStore("Ann lives in Brno"), await client.factStore("Bob has a boat")];
  const [ann, bob] = facts.map((fact) => fact.fact_id);
  const episodes = [await client.episodeStore("Repair the build"), await client.episodeStore("Paint the fence")];
  const [repair, paint] = episodes.map((episode) => episode.episode_id);
  const rule = (await client.remember("Knock before you enter", { tags: ["rule"], trust: "user" })).id;
  const talks = [await client.conversationStart(), await client.conversationStart()];
  const [open, ended] = talks.map((talk) => talk.conversation_id);
  const spare = (await client.keyCreate("no longer needed", { scope: "read" })).id;
  const question = "Where does Ann live?";
  return {
    agent: [question, { user: "test" }],
    agentOfFlow: ["a flow/with a slash", question],
    advise: ["timeout of the backend"],
    append: [[{ kind: "user_input", content: "hello" }]],
    ask: [question],
    context: [question],
    conversationAdd: [question, { id: open, result: "In Brno." }],
    conversationEnd: [ended],
    conversationShow: [open],
    do: ["Say where Ann lives"],
    episodeDelete: [paint],
    episodeGet: [repair],
    episodeRetrieve: ["build"],
    episodeStore: ["Walk the dog"],
    factDelete: [bob],
    factGet: [ann],
    factHistory: [ann],
    factRetrieve: ["Ann"],
    factStore: ["Eve plays chess"],
    factUpdate: [ann, { text: "Ann lives in Prague" }],
    get: [event],
    history: [event],
    update: [event, { text: "timeout of the backend, twice", metadata: { times: 2 } }],
    keyCreate: ["another", { scope: "read", expires: "1d" }],
    keyRevoke: [spare],
    learn: ["Answer in one sentence"],
    noteDelete: ["gone"],
    noteDeprecate: ["left", "kept", "said better there"],
    noteEdit: ["kept", { append: "More of it" }],
    noteHistory: ["kept"],
    noteLink: ["kept", "linked"],
    noteOutcome: ["kept", { worked: true }],
    noteRelated: ["kept"],
    noteShow: ["kept"],
    noteUnlink: ["kept", "unlinked"],
    noteWrite: ["Quite another thing", { content: "Whales sing" }],
    otlpTraces: [{ resourceSpans: [] }],
    profilePrefer: ["bot", "language", { value: "English" }],
    profileShow: ["bot"],
    purge: [{ event, dry_run: true }],
    forget: [{ id: event, dry_run: true }],
    sessionPreview: [{ budget: 500 }],
    quarantine: [{ list: true }],
    query: [{ sql: "SELECT count(*) AS n FROM events" }],
    recall: [question],
    remember: ["The build needs Node 20"],
    ruleEnd: [`${rule}@0`],
    retain: [{ dry_run: true, older_than: "1d" }],
    sessionStart: [{ agent: "bot" }],
    sessionNote: [["mood", "good"]],
    stm: ["backend"],
  };
}

test("every route is answered, in the form that is promised", async () => {
  /** @type {{method: string, path: string}[]} */
  const requests = [];
  const client = server.client({
    fetch: (input, init) => {
      requests.push({ method: init?.method ?? "GET", path: new URL(String(input)).pathname });
      return fetch(input, init);
    },
  });
  const document = await server.document();
  const given = await asked(client);
  const first = ["sessionStart"];
  const last = ["sessionEnd"];
  const order = (/** @type {string} */ name) => (first.includes(name) ? 0 : last.includes(name) ? 2 : 1);
  const routes = routesOf(document).sort((a, b) => order(a.name) - order(b.name));
  assert.deepEqual(
    Object.keys(given).filter((name) => !routes.some((route) => route.name === name)),
    [],
  );
  for (const route of routes) {
    const methods = /** @type {any} */ (client);
    const called = methods[route.name](...(given[route.name] ?? []));
    const answer = route.isPaged ? await called.all() : await called;
    const path = route.path.replace("{flow}", "a%20flow%2Fwith%20a%20slash");
    assert.deepEqual(requests.at(-1), { method: route.method.toUpperCase(), path }, route.name);
    const items = route.isMany ? answer : [answer];
    assert.ok(Array.isArray(items), route.name);
    const wrong = items.flatMap((item) =>
      route.isText
        ? typeof item === "string"
          ? []
          : ["no text"]
        : differences(route.item, item, definitionsOf(document)),
    );
    assert.deepEqual(wrong, [], route.name);
  }
  assert.deepEqual(
    routes.filter((route) => route.isUntyped).map((route) => route.name),
    [],
  );
  assert.ok(routes.length >= 78, `${routes.length} routes were answered`);
});

test("every operation refuses in one form what it does not know", async () => {
  const client = server.client();
  await client.remember("something");
  const operations = routesOf(await server.document()).filter((route) => route.takes === "named" && route.body);
  assert.ok(operations.length > 60);
  for (const { path, name } of operations) {
    const call = client.transport.send({ path, arguments: { no_such_argument: 1 } });
    await assert.rejects(call, { name: "IdeticError", status: 400, code: "invalid", message: /arguments/ }, name);
  }
});
