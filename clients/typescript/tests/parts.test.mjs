/** Parts that need no server: the parser of streams, and what the generator makes of a document. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Parser } from "../dist/sse.js";
import { render, untypedOf } from "../generate.mjs";

test("events are found however the bytes are cut", () => {
  const text = ': a comment\n\nid: 7\ndata: {"a":\ndata: "é😀"}\n\nevent: done\r\ndata: {}\r\n\r\nid: 8\n\n';
  const whole = new TextEncoder().encode(text);
  for (let cut = 0; cut < whole.length; cut += 1) {
    const parser = new Parser();
    assert.deepEqual(
      [...parser.feed(whole.slice(0, cut)), ...parser.feed(whole.slice(cut))],
      [
        { name: "message", data: '{"a":\n"é😀"}', id: "7" },
        { name: "done", data: "{}", id: undefined },
      ],
    );
  }
});

test("nothing that only Node has is used", () => {
  const sources = new URL("../src/", import.meta.url);
  for (const name of readdirSync(sources)) {
    const text = readFileSync(new URL(name, sources), "utf8");
    assert.doesNotMatch(text, /from "(?!\.\/)|require\(|\bBuffer\b/, name);
  }
});

/** @param {{[name: string]: any}} entry */
function route(entry) {
  return { responses: {}, summary: "Does it", ...entry };
}

/** @param {{[name: string]: any} | undefined} schema */
function answer(schema, type = "application/json") {
  return { 200: { description: "done", ...(schema && { content: { [type]: { schema } } }) } };
}

const ITEM = { $ref: "#/components/schemas/shop_Item" };
const DOCUMENT = {
  paths: {
    "/v1/forget": {
      post: route({
        operationId: "forget",
        parameters: [{ in: "header", name: "Idempotency-Key" }],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                additionalProperties: false,
                required: ["id"],
                properties: { id: { type: "string", description: "Which */ one" }, why: { type: ["string", "null"] } },
              },
            },
          },
        },
        responses: answer({
          type: "object",
          required: ["state", "left"],
          properties: {
            state: { enum: ["gone", "kept"] },
            left: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
            parts: { type: "object", additionalProperties: { type: "number" } },
            pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
            "odd-name": { const: 1 },
          },
        }),
      }),
    },
    "/v1/items/{item_id}": {
      get: route({
        operationId: "item-get",
        parameters: [
          { in: "path", name: "item_id", required: true, schema: { type: "string" } },
          { in: "query", name: "version", schema: { type: "integer" } },
        ],
        responses: answer(ITEM),
      }),
      delete: route({
        operationId: "item_delete",
        parameters: [{ in: "path", name: "item_id", required: true, schema: { type: "string" } }],
        responses: { 204: { description: "done" } },
      }),
    },
    "/v1/changes": {
      get: route({ operationId: "changes", responses: answer(ITEM, "text/event-stream") }),
    },
    "/v1/list": {
      post: route({
        operationId: "list",
        description: "Needs the right to read.",
        parameters: [{ in: "query", name: "cursor" }],
        requestBody: { content: { "application/json": { schema: { additionalProperties: false, properties: {} } } } },
        responses: answer({ type: "object", properties: { items: { type: "array", items: ITEM } } }),
      }),
    },
    "/v1/log": {
      post: route({ operationId: "log", responses: answer({ type: "object" }) }),
    },
  },
  components: {
    schemas: {
      shop_Item: {
        allOf: [
          { type: "object", required: ["id"], properties: { id: { type: "string" } } },
          {
            type: "object",
            additionalProperties: true,
            properties: { tags: { type: "array", items: { type: "string" } } },
          },
        ],
      },
    },
  },
};

test("a route that is added to the document appears, with its types", () => {
  const { "routes.ts": routes = "", "schemas.ts": schemas = "" } = render(DOCUMENT);
  const has = (/** @type {string} */ text, /** @type {string} */ line) =>
    assert.ok(text.includes(line), `${line}\n${text}`);
  has(
    routes,
    "forget(id: string, args: schemas.ForgetArguments = {}, options: WriteOptions = {}): Promise<schemas.ForgetAnswer>",
  );
  has(routes, '{ path: "/v1/forget", arguments: { ...args, id }, isWrite: true }');
  has(
    routes,
    "itemGet(itemId: string, args: schemas.ItemGetArguments = {}, options: CallOptions = {}): Promise<schemas.ShopItem>",
  );
  has(routes, "path: `/v1/items/${encodeURIComponent(itemId)}`");
  has(routes, "query: { version: args.version }");
  has(routes, "itemDelete(itemId: string, options: CallOptions = {}): Promise<void>");
  has(routes, 'method: "DELETE"');
  has(routes, "changes(options: CallOptions = {}): AsyncGenerator<schemas.ShopItem, void, undefined>");
  has(routes, "list(options: ListOptions = {}): Listing<schemas.ShopItem>");
  assert.equal(routes.match(/ list\(/g)?.length, 1, "a route of the document takes the place of the further name");
  has(schemas, '  state: "gone" | "kept";');
  has(schemas, "  left: (number | null)[];");
  has(schemas, "  parts?: { [name: string]: number };");
  has(schemas, "  pair?: [string, number];");
  has(schemas, '  "odd-name"?: 1;');
  has(schemas, "  why?: string | undefined;");
  has(schemas, "  tags?: string[];\n} & { [name: string]: unknown };");
  has(routes, "@param id Which * / one");
});

test("what the document does not describe is listed", () => {
  assert.deepEqual(untypedOf(DOCUMENT), ["log"]);
});

test("a route may not take the place of a member of the client", () => {
  const taken = { paths: { "/v1/follow": { post: route({ operationId: "follow", responses: answer({}) }) } } };
  assert.throws(() => render(taken), /follow/);
});
