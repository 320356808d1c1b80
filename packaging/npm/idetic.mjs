#!/usr/bin/env node
// Starts the program that npm installed for this platform, and exits with its exit code.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const PLATFORM = `${process.platform}-${process.arch}`;

function program() {
  try {
    return createRequire(import.meta.url).resolve(`@idetic/${PLATFORM}/bin/idetic`);
  } catch {
    console.error(`error: the package @idetic/${PLATFORM} is not installed`);
    console.error("  try: install again without --omit=optional; supported are Linux with glibc and macOS, on x64 or arm64");
    process.exit(5);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// Signals sent only to this process are passed on; a terminal sends SIGINT and SIGHUP to both. The program decides how it exits.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`error: cannot start the program: ${error.message}`);
  process.exitCode = 5;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
