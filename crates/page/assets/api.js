// Asks the server: every operation is a POST with JSON, in the space and as of the moment that the address names.
import { place } from "./place.js";

const KEY = "idetic.key";
const PAGE = "idetic.page";
// What can be asked of the past. Anything else is as it is now.
const PAST = new Set(["advise", "context", "conversation/list", "conversation/show", "digest", "episode/list", "fact/conflicts", "fact/get",
  "fact/history", "fact/list", "fact/retrieve", "failures", "get", "graph", "log", "loops", "ltm", "note/history", "note/list",
  "note/related", "note/search", "note/show", "profile/list", "profile/show", "query", "recall", "rule/list", "session/preview", "shown", "stats", "stm", "trace"]);

/** What the server said was wrong. */
export class Failure extends Error {
  constructor(status, kind, message, hint) {
    super(message);
    Object.assign(this, { status, kind, hint });
  }
}

/** The key of this tab, if one was given. */
export const key = {
  get: () => sessionStorage.getItem(KEY),
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

/** Signs in with the token of a link. What the page shows besides the cookie stays under this origin, which no other port reads. */
export async function enterWith(token) {
  const response = await fetch("/page/sign-in", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) }).catch(() => null);
  const answer = response?.ok ? await response.json().catch(() => null) : null;
  if (answer?.page) sessionStorage.setItem(PAGE, answer.page);
}

function headers(space) {
  const set = { "Content-Type": "application/json" };
  if (key.get()) set.Authorization = `Bearer ${key.get()}`;
  const page = sessionStorage.getItem(PAGE);
  if (page) set["Idetic-Page"] = page;
  if (space) set["Idetic-Space"] = space;
  return set;
}

/** Calls an operation. `at: null` asks for the present, whatever the address says. */
export async function call(operation, args = {}, { signal, space = place().space, at = place().at, page } = {}) {
  const body = at && PAST.has(operation) && args.as_of === undefined ? { ...args, as_of: await momentFor(operation, args, at, { signal, space }) } : args;
  const query = new URLSearchParams(page ?? {}).toString();
  let response;
  try {
    response = await fetch(`/v1/${operation}${query ? `?${query}` : ""}`, { method: "POST", headers: headers(space), body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, "unreachable", "The server does not answer.", "Is `idetic serve` still running? The page goes on by itself once it is.");
  }
  return read(response);
}

// Through an agent's view a number would be a position of that view, so the moment is named by its time.
async function momentFor(operation, args, at, options) {
  const isView = args.agent && (operation !== "log" || args.view);
  if (!isView || !/^\d+$/.test(at)) return at;
  const event = await call("get", { event: at }, { ...options, at: null });
  return event.recorded_at ?? at;
}

async function read(response) {
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const refused = failure(response.status, answer);
  if (response.status === 401) window.dispatchEvent(new CustomEvent("idetic:signin", { detail: refused }));
  throw refused;
}

function failure(status, answer) {
  const said = answer?.error ?? {};
  return new Failure(status, said.kind ?? "error", said.message ?? `The server answered ${status}.`, said.hint ?? "");
}

/** The items of an operation that answers with a list. */
export const list = async (operation, args, options) => (await call(operation, args, options)).items ?? [];

// What only administrators may list is in the audit log each time, so a visit of a view asks for it once.
const listed = new Map();
let visited = place().view;
window.addEventListener("hashchange", () => {
  if (place().view !== visited) listed.clear();
  visited = place().view;
});

/** The items of an operation of the present, as they were when the view was gone to. */
export function listOnce(operation, args, space) {
  const asked = JSON.stringify([operation, args, space, key.get()]);
  if (!listed.has(asked)) {
    const items = list(operation, args, { at: null, space });
    listed.set(asked, items);
    items.catch(() => listed.delete(asked));
  }
  return listed.get(asked);
}

/** Lets the next `listOnce` ask again, after something was changed. */
export const listAnew = () => listed.clear();

/** The rows of a statement, with `all` also of what the subconscious keeps; nothing where the caller is not the owner and may not ask. */
export async function rows(sql, { parameters, all, limit = 1000, ...options } = {}) {
  try {
    const [answer] = await list("query", { sql, parameters, all, limit, timeout: 30 }, options);
    return answer?.rows ?? [];
  } catch (error) {
    if (error.status === 403) return null;
    throw error;
  }
}

/** Follows the log from a number on until the signal ends it; lost connections are made again. */
export async function follow(after, { signal, space, onEvent, onState }) {
  let last = after;
  for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 30000)) {
    try {
      const response = await fetch("/v1/log", { method: "POST", headers: { ...headers(space), Accept: "text/event-stream" }, body: JSON.stringify({ after: last }), signal });
      if (!response.ok) throw new Failure(response.status, "error", "the log cannot be followed", "");
      onState("live");
      wait = 1000;
      for await (const { name, data } of messages(response.body)) {
        if (name === "error") break;
        const event = JSON.parse(data);
        last = event.seq ?? event.pos ?? last;
        onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 401 || error.status === 403) return onState("closed");
    }
    onState("waiting");
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** Every event with its hashes as lines of JSON, as the server wrote them: parsing could change a number. */
export async function exported({ signal, onLine } = {}) {
  const lines = [];
  for await (const { data } of streamed("export", signal)) {
    lines.push(data, "\n");
    onLine?.(lines.length / 2);
  }
  return { count: lines.length / 2, last: lines.at(-2) ?? null, blob: new Blob(lines, { type: "application/x-ndjson" }) };
}

/** Checks the whole log; `onProgress` hears how far it is. What is wrong is an answer, too. */
export async function verified({ signal, onProgress }) {
  let verdict;
  try {
    for await (const { name, data } of streamed("verify", signal)) {
      if (name === "progress") onProgress(JSON.parse(data));
      else verdict = JSON.parse(data);
    }
  } catch (error) {
    if (!verdict) throw error;
  }
  return verdict;
}

/** The backup of the space as one file. */
export async function backedUp({ signal }) {
  const response = await fetch("/v1/backup", { headers: headers(place().space), signal });
  return response.ok ? response.blob() : read(response);
}

const stopped = () => new Failure(0, "error", "The server stopped in the middle.", "Try again; `idetic doctor` says more.");

/** What an operation of the present answers bit by bit, to its very end. */
async function* streamed(operation, signal) {
  const response = await fetch(`/v1/${operation}`, { method: "POST", headers: { ...headers(place().space), Accept: "text/event-stream" }, body: "{}", signal });
  if (!response.ok) return read(response);
  for await (const message of messages(response.body)) {
    if (message.name === "done") return undefined;
    if (message.name === "error") throw failure(0, JSON.parse(message.data));
    yield message;
  }
  throw stopped();
}

/** The messages of a stream of events, each with its name where it has one. */
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim()).join("\n");
      if (data) yield { name: /^event: *(\w+)/m.exec(block)?.[1], data };
    }
  }
}

/** Runs after the last of a burst of calls. */
export function debounce(run, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), ms);
  };
}
