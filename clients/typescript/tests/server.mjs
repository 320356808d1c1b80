/** A real server in a home of its own, and a space of its own for each test. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Idetic } from "idetic";

const BINARY = process.env["IDETIC_BINARY"] ?? "idetic";
let number = 0;

/** The program as a server, and a key that allows everything. */
export class Server {
  home = mkdtempSync(join(tmpdir(), "idetic-typescript-"));
  url = "";
  key = "";
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;

  /** A server in a new home, started. @param {string} config */
  static async start(config = "") {
    const server = new Server();
    server.run("init", server.home);
    writeFileSync(join(server.home, "config.toml"), config);
    server.key = server.makeKey("--admin");
    await server.listen();
    return server;
  }

  /** @param {string[]} words */
  run(...words) {
    return execFileSync(BINARY, words, { encoding: "utf8" });
  }

  /** @param {string[]} limits @returns {string} */
  makeKey(...limits) {
    number += 1;
    const words = ["--home", this.home, "--json", "key", "create", "--name", `test ${number}`, ...limits];
    return JSON.parse(this.run(...words)).key;
  }

  /** Starts to answer, at a port of its own or where it did before. */
  async listen() {
    const address = this.url.replace("http://", "") || "127.0.0.1:0";
    const words = ["--home", this.home, "serve", "--listen", address, "--log", "off"];
    const child = spawn(BINARY, words, { stdio: ["ignore", "pipe", "inherit"] });
    this.#process = child;
    const [line] = await once(createInterface(child.stdout), "line");
    this.url = line.trim();
  }

  async pause() {
    if (this.#process === undefined) return;
    const end = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    await end;
  }

  async stop() {
    await this.pause();
    rmSync(this.home, { recursive: true });
  }

  /** A client for a space that nobody else uses. @param {import("idetic").IdeticOptions} options */
  client(options = {}) {
    number += 1;
    return new Idetic({ url: this.url, key: this.key, space: `test/space-${number}`, ...options });
  }

  /** The server's description of itself. @returns {Promise<{[name: string]: any}>} */
  async document() {
    const response = await fetch(`${this.url}/openapi.json`, { headers: { Authorization: `Bearer ${this.key}` } });
    return JSON.parse(await response.text());
  }
}
