#!/usr/bin/env node
// Starts the program that npm installed for this platform, and ends as it ends.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const PLATFORM = `${process.platform}-${process.arch}`;

function program() {
  try {
    return createRequire(import.meta.url).resolve(`@idetic/${PLATFORM}/bin/idetic`);
  } catch {
    console.error(`error: there is no program for ${PLATFORM} beside this package`);
    console.error("  try: install again without --omit=optional, on Linux with glibc or on macOS, on x64 or arm64");
    process.exit(5);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// What only this process is sent is passed on; a terminal sends ctrl-c and its end to both. The program decides how it ends.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`error: the program does not start: ${error.message}`);
  process.exitCode = 5;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
