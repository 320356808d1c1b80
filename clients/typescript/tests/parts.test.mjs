/** Parts that need no server: the parser of streams, and what the generator makes of a document. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Parser } from "../dist/sse.js";
import { render } from "../generate.mjs";
import { answer, DOCUMENT, route } from "./document.mjs";

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
    '  itemGet(\n    itemId: string,\n    in_: "shop" | "cart",\n    args: schemas.ItemGetArguments = {},\n    options: CallOptions = {},\n  ): Promise<schemas.ShopItem>',
  );
  has(routes, "path: `/v1/items/${encodeURIComponent(itemId)}`");
  has(routes, "query: { in: in_, version: args.version }");
  has(routes, "itemDelete(itemId: string, options: CallOptions = {}): Promise<void>");
  has(routes, 'method: "DELETE"');
  has(routes, "changes(options: CallOptions = {}): AsyncGenerator<schemas.ShopItem, void, undefined>");
  has(routes, "list(options: ListOptions = {}): Listing<schemas.ShopItem>");
  assert.equal(routes.match(/ list\(/g)?.length, 1, "a route of the document takes the place of the further name");
  has(schemas, '  state: "gone" | "kept";');
  has(schemas, "  left: (number | null)[];");
  has(schemas, "  items?: ({\n    a?: string;\n  })[];");
  has(schemas, "  parts?: { [name: string]: number };");
  has(schemas, "  pair?: [string, number];");
  has(schemas, '  "odd-name"?: 1;');
  has(schemas, "  why?: string | undefined;");
  has(schemas, "  tags?: string[];\n} & { [name: string]: unknown });");
  has(routes, "@param id Which * / one");
});

test("what the document does not describe is a JSON object", () => {
  const { "routes.ts": routes = "" } = render(DOCUMENT);
  assert.ok(routes.includes("log(options: CallOptions = {}): Promise<JsonObject>"), routes);
});

test("a route may not take the place of a member of the client", () => {
  const taken = { paths: { "/v1/follow": { post: route({ operationId: "follow", responses: answer({}) }) } } };
  assert.throws(() => render(taken), /follow/);
});
