/**
 * Tests the client against a real server: node run.mjs [--folder FOLDER] PATH-OF-IDETIC [arguments of node --test].
 *
 * The sources are copied into the folder (build, beside this file, where none is named), the packages of package-lock.json
 * installed there unless they are; then form and types are checked, the package is built and the tests run.
 */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
/** What is made and not copied. */
const MADE = ["build", "dist", "node_modules", "installed.txt"];

/** The program npm that came with this Node. */
export function npmProgram() {
  const program = join(
    dirname(realpathSync(process.execPath)),
    "..",
    "lib",
    "node_modules",
    "npm",
    "bin",
    "npm-cli.js",
  );
  if (!existsSync(program)) throw new Error(`npm is not beside Node: there is no ${program}`);
  return program;
}

/** Copies the sources, and removes those that are gone. @param {string} folder */
function copy(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (name === "dist" || !MADE.includes(name)) rmSync(join(folder, name), { recursive: true });
  }
  for (const name of readdirSync(HERE)) {
    if (!MADE.includes(name)) cpSync(join(HERE, name), join(folder, name), { recursive: true });
  }
}

/** @param {string} folder @param {string} binary @param {string[]} rest */
function run(folder, binary, rest) {
  const environment = {
    ...process.env,
    IDETIC_BINARY: resolve(binary),
    IDETIC_BUILDING_MD: join(HERE, "..", "..", "docs", "building.md"),
  };
  for (const name of ["IDETIC_KEY", "IDETIC_URL", "IDETIC_HOME"]) Reflect.deleteProperty(environment, name);
  const passes = (/** @type {string[]} */ ...words) =>
    spawnSync(process.execPath, words, { cwd: folder, env: environment, stdio: "inherit" }).status === 0;
  copy(folder);
  const [stamp, wanted] = [join(folder, "installed.txt"), readFileSync(join(HERE, "package-lock.json"), "utf8")];
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    const options = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
    if (!passes(npmProgram(), "ci", ...options)) return false;
    writeFileSync(stamp, wanted);
  }
  const tool = (/** @type {string[]} */ ...words) => join(folder, "node_modules", ...words);
  const isTidy = passes(tool("prettier", "bin", "prettier.cjs"), "--check", "--log-level", "warn", ".");
  const tsc = tool("typescript", "bin", "tsc");
  if (!passes(tsc) || !passes(tsc, "--project", "tests")) return false;
  const tests = readdirSync(join(folder, "tests")).filter((name) => name.endsWith(".test.mjs"));
  return passes("--test", ...rest, ...tests.map((name) => join("tests", name))) && isTidy;
}

function main() {
  const words = process.argv.slice(2);
  const folder = words[0] === "--folder" ? words.splice(0, 2)[1] : join(HERE, "build");
  const [binary, ...rest] = words;
  if (folder === undefined || binary === undefined) {
    console.error("usage: node run.mjs [--folder FOLDER] PATH-OF-IDETIC [arguments of node --test]");
    return 2;
  }
  return run(resolve(folder), binary, rest) ? 0 : 1;
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1] ?? ".")).href) process.exitCode = main();
