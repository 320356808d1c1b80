/** The client in a real browser, on a page of the server's own origin as behind a reverse proxy. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Server } from "./server.mjs";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];
const BROWSER = BROWSERS.find((name) => spawnSync(name, ["--version"]).status === 0);
const SKIP = BROWSER === undefined ? `none of ${BROWSERS.join(", ")} is installed` : false;

const PAGE = (/** @type {string} */ key) => `<!doctype html><script type="module">
  import { Idetic, IdeticError } from "/dist/index.js";
  const memory = new Idetic({ url: location.origin, key: ${JSON.stringify(key)}, space: "test/browser" });
  const report = (result) => fetch("/result", { method: "POST", body: JSON.stringify(result) });
  try {
    const ack = await memory.remember("The build needs Node 20", { metadata: { vip: true } });
    const { hits } = await memory.recall("which Node?", { limit: 1 });
    const error = await memory.get("no-such-event").catch((error) => error);
    let followed;
    for await (const event of memory.follow()) { followed = event.id; break; }
    const isOurs = error instanceof IdeticError;
    await report({ text: hits[0].text, vip: hits[0].metadata.vip, isSame: followed === ack.id, code: isOurs && error.code });
  } catch (error) {
    await report({ failed: String(error) });
  }
</script>`;

test("a page remembers, recalls, follows and sees errors", { skip: SKIP, timeout: 120_000 }, async () => {
  const server = await Server.start();
  /** @type {(result: unknown) => void} */
  let resolve;
  const result = new Promise((settle) => (resolve = settle));
  const proxy = createServer(async (request, response) => {
    const path = request.url ?? "/";
    if (path === "/") {
      response.setHeader("Content-Type", "text/html");
      response.end(PAGE(server.key));
    } else if (path.startsWith("/dist/")) {
      response.setHeader("Content-Type", "text/javascript");
      response.end(readFileSync(new URL(`..${path}`, import.meta.url)));
    } else if (path === "/result") {
      resolve(JSON.parse((await request.toArray()).join("")));
      response.end();
    } else {
      const { method, headers } = request;
      const onward = forward(`${server.url}${path}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      response.on("close", () => onward.destroy());
      request.pipe(onward);
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (proxy.address());
  const profile = mkdtempSync(join(tmpdir(), "idetic-browser-"));
  const words = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"];
  words.push(`--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`);
  const environment = { ...process.env, HOME: profile };
  const browser = spawn(/** @type {string} */ (BROWSER), words, { stdio: "ignore", env: environment });
  try {
    const expected = { text: "The build needs Node 20", vip: true, isSame: true, code: "not_found" };
    assert.deepEqual(await result, expected);
  } finally {
    const end = once(browser, "exit");
    browser.kill();
    await end;
    proxy.closeAllConnections();
    proxy.close();
    await server.stop();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
