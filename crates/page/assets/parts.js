// The pieces that views are made of: events, chips, empty states, errors, dialogs, notices.
import { call } from "./api.js";
import { cut, h, fill, name, plural, said } from "./dom.js";
import { when } from "./moment.js";
import { here, to } from "./place.js";

const KINDS = {
  user_input: ["Prompt", "user"],
  actor_output: ["Answer", "agent"],
  tool_call: ["Tool", "tool"],
  tool_result: ["Result", "tool"],
  subconscious_prompt: ["Inner prompt", "inner"],
  subconscious_output: ["Inner voice", "inner"],
  error: ["Error", "fail"],
  "memory.remembered": ["Remembered", "agent"],
  "memory.recalled": ["Was told", "quiet"],
  "memory.purged": ["Forgotten", "fail"],
  "agent.session_started": ["Session begins", "quiet"],
  "agent.session_ended": ["Session ends", "quiet"],
  "conversation.invocation": ["Turn", "quiet"],
  "conversation.started": ["Conversation", "quiet"],
  "conversation.ended": ["Conversation ends", "quiet"],
  "fact.stored": ["Fact", "fact"],
  "fact.updated": ["Fact corrected", "fact"],
  "fact.deleted": ["Fact deleted", "fact"],
  "fact.merged": ["Fact confirmed", "fact"],
  "note.written": ["Note", "note"],
  "note.outcome": ["Note tried", "note"],
  "note.deleted": ["Note deleted", "note"],
  "episode.stored": ["Episode", "fact"],
  "episode.told": ["Episode told", "quiet"],
  "fact.ended": ["Fact ended", "fact"],
  "standing.ended": ["Rule ended", "quiet"],
  "memory.quarantined": ["Hidden", "fail"],
  "memory.released": ["Released", "quiet"],
  "memory.regraded": ["Graded", "quiet"],
  "dream.completed": ["Upkeep", "quiet"],
  "model.used": ["Model call", "quiet"],
  "agent.thought": ["Thought", "inner"],
  "agent.knowledge_learned": ["Learned", "note"],
};
const MONO = new Set(["tool_call", "tool_result"]);

/** The name of a kind, and which colour it has. */
export function kindOf(event) {
  const [label, tone] = KINDS[event.kind] ?? [event.kind.replaceAll(/[._]/g, " "), event.kind.startsWith("fact.") ? "fact" : "quiet"];
  return { label, tone: isFailure(event) ? "fail" : tone };
}

/** Whether it went wrong. */
export const isFailure = (event) => event.status === "failure" || event.status === "timeout" || event.kind === "error";

/** The number of an event for this reader: the owner sees seq, everybody else their own position. */
export const numberOf = (event) => event.seq ?? event.pos;

/** What an event says, in a few words if it says nothing itself. */
export function textOf(event) {
  const meta = event.metadata ?? {};
  if (event.kind === "memory.recalled") {
    const moments = { start: "at the start of a session", failure: "after a failure", prompt: "with a prompt", file: "when a file changed" };
    return `${plural((event.refs ?? []).length, "memory", "memories")} ${moments[meta.moment] ?? "when it asked"}${meta.tokens ? `, ${meta.tokens} tokens` : ""}`;
  }
  if (event.kind === "tool_call" && event.summary) return event.summary;
  if (event.kind === "note.outcome") return `${meta.note ?? "a note"} ${meta.worked === false || meta.outcome === "failed" ? "did not work" : "worked"}`;
  return event.content || event.summary || meta.agent_name || "";
}

/** The end of a project's name: what people call it. */
export const projectName = (source) => cut(String(source ?? ""), 300).split("/").slice(-2).join("/");

/** The projects there are, those with most events first. */
export const projectsOf = (signal) => call("stats", {}, { signal }).then((it) => (it.by_source ?? []).map((one) => one.value).filter(Boolean), () => []);

/** A field in which one of the projects is chosen; nothing where there is none to choose. */
export async function projectChoice(chosen, signal, known) {
  const projects = known ?? (await projectsOf(signal));
  if (chosen && !projects.includes(chosen)) projects.unshift(chosen);
  if (projects.length === 0) return null;
  const choose = h("select", { "aria-label": "Project", on: { change: () => { location.hash = here({ project: choose.value }); } } }, h("option", { value: "" }, "All projects"), projects.slice(0, 200).map((it) => h("option", { value: it }, cut(projectName(it), 60))));
  choose.value = chosen ?? "";
  return choose;
}

/** A small label, a link if it leads somewhere. */
export function chip(text, { href, cls = "", title } = {}) {
  const properties = { class: `chip ${cls}`, href, title };
  return h(href ? "a" : "span", properties, text instanceof Node ? text : name(text, 32));
}

/** Where an event belongs: project, agent, origin, tags. */
export function chipsOf(event, { tags = 4 } = {}) {
  const made = [];
  if (event.status && event.status !== "success") made.push(chip(event.status, { cls: isFailure(event) ? "fail" : "warn" }));
  if (event.source) made.push(chip(projectName(event.source), { href: to("now", { source: event.source }), title: cut(`project ${event.source}`, 200) }));
  if (event.agent_id) made.push(chip(event.persona === "subconscious" ? `${event.agent_id} · subconscious` : event.agent_id, { href: to("personas", { agent: event.agent_id }) }));
  if (event.author && event.author !== event.agent_id) made.push(chip(event.author));
  if (event.origin && event.origin !== "user") made.push(chip(event.origin, { cls: "origin", title: "which way it came in" }));
  const labels = event.tags ?? [];
  made.push(...labels.slice(0, tags).map((tag) => chip(`#${tag}`, { cls: "tag" })));
  if (labels.length > tags) made.push(chip(`+${labels.length - tags} tags`, { cls: "tag" }));
  return h("span", { class: "chips" }, made);
}

/** One event as a row of a list. */
export function eventRow(event, { length = 280, time = "clock", chips = true } = {}) {
  const { label, tone } = kindOf(event);
  const number = numberOf(event);
  const text = textOf(event);
  const cls = `said ${MONO.has(event.kind) ? "mono" : ""}`;
  return h("article", { class: `row event tone-${tone}`, "data-id": event.id },
    h("a", { class: "row-link number", href: to("event", { id: event.id }), "aria-label": `Event ${number ?? ""}: ${label}` }, `#${number ?? "–"}`),
    h("span", { class: "kind" }, KINDS[event.kind] ? label : name(label, 28)),
    h("div", { class: "body" }, text ? said(text, { length, cls }) : null, chips ? chipsOf(event) : null),
    when(event.ts, time));
}

/** The top of a view: a heading, a sentence on what it is for, and what can be done. */
export function heading(title, lead, ...actions) {
  return h("header", { class: "heading" },
    h("div", null, h("h1", { tabindex: "-1" }, title), lead ? h("p", { class: "lead" }, lead) : null),
    actions.length ? h("div", { class: "actions" }, actions) : null);
}

/** A titled part of a view. */
export function section(title, ...children) {
  return h("section", { class: "section" }, h("h2", null, title), children);
}

/** What stands where there is nothing: what that means, and what to do. */
export function empty(title, text, ...actions) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), h("p", null, text), actions);
}

/** What went wrong and what to do. */
export function problem(error) {
  const hints = { 403: "This key may not do that. Sign in with another key, or ask whoever made it.", 404: "It is not in this space, or not at this moment of its past.", 429: "Too many requests. Wait a moment and try again." };
  const hint = error.hint || hints[error.status] || "Reload the page; if it stays, `idetic doctor` says more.";
  return h("div", { class: "problem", role: "alert" }, h("p", { class: "problem-title" }, said(error.message || "Something went wrong in the page.", { tag: "span", length: 400 })), h("p", null, said(hint, { tag: "span", length: 400 })));
}

/** A button. */
export function button(text, run, { cls = "", ...rest } = {}) {
  return h("button", { type: "button", class: cls, on: { click: run }, ...rest }, text);
}

/** A row of choices of which one is taken; each is a link, so that it can be shared. */
export function tabs(label, choices, current) {
  return h("nav", { class: "tabs", "aria-label": label }, choices.map(([value, text, href]) =>
    h("a", { href, "aria-current": value === current ? "true" : null }, text)));
}

/** Asks before something is done. Resolves to the form's values, or to nothing. */
export function ask({ title, body, action, danger = false, fields = [] }) {
  return new Promise((done) => {
    const inputs = fields.map(({ label, key, value = "", long = false, hint }) => {
      const input = h(long ? "textarea" : "input", { name: key, value, rows: long ? 4 : null, autocomplete: "off" });
      return h("label", { class: "field" }, h("span", null, label), input, hint ? h("small", null, hint) : null);
    });
    const form = h("form", { method: "dialog" }, h("h2", null, title), body, inputs,
      h("div", { class: "dialog-actions" }, h("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel"), h("button", { type: "submit", class: danger ? "danger" : "primary", value: "yes" }, action)));
    const dialog = h("dialog", { class: "dialog", "aria-label": title }, form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close("yes");
    });
    dialog.addEventListener("close", () => {
      const values = Object.fromEntries(new FormData(form));
      const yes = dialog.returnValue === "yes";
      dialog.remove();
      done(yes ? values : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

let notices;
/** Says what was done, with a way back where there is one. */
export function notify(text, { undo, failed = false } = {}) {
  notices ??= document.body.appendChild(h("div", { class: "notices", role: "status", "aria-live": "polite" }));
  const close = () => notice.remove();
  const notice = h("div", { class: `notice ${failed ? "fail" : ""}` }, h("span", null, text),
    undo ? button("Undo", async () => { close(); await attempt(undo); }, { cls: "link" }) : null,
    h("button", { type: "button", class: "link", "aria-label": "Dismiss", on: { click: close } }, "✕"));
  notices.append(notice);
  setTimeout(close, failed ? 15000 : 10000);
}

/** Does something, and says so if it cannot be done. */
export async function attempt(run) {
  try {
    return await run();
  } catch (error) {
    notify(`${error.message} ${error.hint ?? ""}`, { failed: true });
    return undefined;
  }
}

/** Copies a text. */
export async function copy(text) {
  await navigator.clipboard?.writeText(text);
  notify("Copied.");
}

/** A list that grows by pages: `more(cursor)` gives `{ nodes, next }`. */
export async function paged(more, { cls = "list", none } = {}) {
  const body = h("div", { class: cls });
  const foot = h("div", { class: "more" });
  let next;
  async function load() {
    const page = await more(next);
    const focus = document.activeElement === foot.firstChild;
    body.append(...page.nodes);
    next = page.next;
    fill(foot, next === undefined || next === null ? null : button("Show more", () => attempt(load)));
    if (focus) page.nodes[0]?.querySelector?.("a,button")?.focus({ preventScroll: true });
  }
  await load();
  return body.childElementCount ? h("div", null, body, foot) : (none ?? body);
}
