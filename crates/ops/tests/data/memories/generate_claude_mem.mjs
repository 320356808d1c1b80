// Makes claude-mem.db again with the store of the package itself: see generate.py.

import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "claude-mem-"));
process.env.CLAUDE_MEM_DATA_DIR = folder;
const require = createRequire(join(process.cwd(), "x.js"));
const packaged = dirname(require.resolve("claude-mem/package.json"));
const { SessionStore } = require(join(packaged, "plugin/sqlite/SessionStore.js"));
const store = new SessionStore(join(folder, "claude-mem.db"));

const session = store.createSDKSession("c0ffee00-1111-2222-3333-444455556666", "shop", "Move the login to port 7000");
store.updateMemorySessionId(session, "memory-session-1");
const own = "c0ffee00-1111-2222-3333-444455556666";
store.saveUserPrompt(own, 1, "Move the login to port 7000", session);
store.saveUserPrompt(own, 2, "off the record: I am quitting in May", session);
const observation = {
  type: "decision",
  title: "The login listens on port 7000",
  subtitle: "Port 7000 was free",
  facts: ["login.toml sets the port", "The old port was 8080"],
  narrative: "The port was changed in login.toml and the tests pass.",
  concepts: ["what-changed"],
  files_read: ["login.toml"],
  files_modified: ["login.toml"],
};
store.storeObservation("memory-session-1", "shop", observation, 1);
const quitting = { ...observation, title: "Ann quits in May", narrative: "She said so.", facts: [], files_read: [], files_modified: [] };
store.storeObservation("memory-session-1", "shop", quitting, 2);
const summary = {
  request: "Move the login",
  investigated: "login.toml",
  learned: "The port is set in one place",
  completed: "The login listens on port 7000",
  next_steps: "Tell the operators",
  notes: null,
};
store.storeSummary("memory-session-1", "shop", summary, 1);
store.db
  .query(
    `INSERT INTO tool_uses (tool_use_id, content_session_id, project, tool_name, tool_input, tool_response, prompt_number,
     created_at, created_at_epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  .run("toolu_1", own, "shop", "Bash", '{"command":"npm test"}', '{"stdout":"12 passed"}', 1, new Date().toISOString(), Date.now());

const target = join(import.meta.dir, "claude-mem.db");
rmSync(target, { force: true });
store.db.query("VACUUM INTO ?").run(target);
const copy = new Database(target);
for (const sql of ["PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM", "PRAGMA journal_mode = WAL"]) {
  copy.exec(sql);
}
copy.close(true);
