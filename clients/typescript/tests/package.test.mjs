/** The package as others get it: packed, installed into a fresh folder, and used by strict programs of a few lines. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { npmProgram } from "../run.mjs";
import { Server } from "./server.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const TSC = join(HERE, "node_modules", "typescript", "bin", "tsc");
const STRICT = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022"];
const CONSUMER = { name: "consumer", private: true, type: "module" };

test("packed and installed, it gives a first recall", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "idetic-package-"));
  const server = await Server.start();
  /** @param {string[]} words */
  const node = (...words) => {
    const env = { ...process.env, IDETIC_URL: server.url, IDETIC_KEY: server.key };
    return execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8", env });
  };
  try {
    node(npmProgram(), "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, HERE);
    const [packed] = readdirSync(folder);
    assert.match(packed ?? "", /^idetic-\d+\.\d+\.\d+\.tgz$/);
    writeFileSync(join(folder, "package.json"), JSON.stringify(CONSUMER));
    node(npmProgram(), "install", "--silent", "--no-audit", "--no-fund", "--offline", `./${packed}`);
    const installed = JSON.parse(readFileSync(join(folder, "node_modules/idetic/package.json"), "utf8"));
    assert.equal(installed.dependencies, undefined, "it needs nothing else");
    assert.deepEqual(
      readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")),
      ["idetic"],
    );
    copyFileSync(join(HERE, "examples", "first_recall.ts"), join(folder, "first.ts"));
    const blocks = programs().map((text, at) => [`block${at}.ts`, text]);
    for (const [name = "", text = ""] of blocks) writeFileSync(join(folder, name), text);
    node(TSC, ...STRICT, "--module", "nodenext", "first.ts", ...blocks.map(([name = ""]) => name));
    assert.match(node("first.js"), /^\d+\.\d The build needs Node 20 true\n$/);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

/** The blocks of the README as programs. */
function programs() {
  const readme = readFileSync(join(HERE, "README.md"), "utf8");
  const first = readFileSync(join(HERE, "examples", "first_recall.ts"), "utf8")
    .split("\n")
    .slice(2)
    .join("\n");
  assert.ok(readme.includes(first.trim()), "the README shows the program that is tried");
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, block = ""]) => block);
  assert.ok(blocks.length >= 3);
  return blocks.map((block) => {
    const given = "declare const id: string, cursor: string | undefined, question: string;\n";
    const memory = 'declare const memory: import("idetic").Idetic;\n';
    return `${given}${block.includes("const memory") ? "" : memory}${block}export {};\n`;
  });
}
