/** What docs/building.md shows side by side, as it stands there. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { Idetic } from "idetic";

import { Server } from "./server.mjs";

// The sources are copied elsewhere before they are tried.
const PAGE = process.env["IDETIC_BUILDING_MD"] ?? "";

test("the tasks in TypeScript", { skip: !existsSync(PAGE) }, async () => {
  const shown = readFileSync(PAGE, "utf8").split("## Side by side")[1] ?? "";
  const block = /```ts\n(.*?)```/s.exec(shown)?.[1] ?? "";
  assert.equal(block.trim().split("\n").length, 8);
  const server = await Server.start();
  try {
    const made = `new Idetic({ url: ${JSON.stringify(server.url)}, key: ${JSON.stringify(server.key)} })`;
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    await new AsyncFunction("Idetic", "console", block.replace("new Idetic()", made))(Idetic, { log() {} });
    const kinds = [];
    for await (const event of new Idetic({ url: server.url, key: server.key }).list()) kinds.push(event.kind);
    assert.deepEqual(kinds, ["memory.purged"]);
  } finally {
    await server.stop();
  }
});
