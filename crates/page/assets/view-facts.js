// Facts: what is believed, since when and until when, why, and what contradicts it.
import { call, debounce, list } from "./api.js";
import { brief, count, cut, fill, h, name, said } from "./dom.js";
import { day, when } from "./moment.js";
import { ask, attempt, button, chip, empty, eventRow, heading, notify, problem, projectChoice, section } from "./parts.js";
import { here, note, place, to } from "./place.js";
import { clockAt } from "./timebar.js";
import { quoted } from "./view-event.js";

const PAGE = 200;
const MOST_GROUPS = 60;
const SOON_MS = 250;

/** Makes the list. */
export async function factsView({ params, signal, at, again }) {
  const [now, choose] = await Promise.all([clockAt(at), projectChoice(params.get("project"), signal)]);
  const all = params.get("all") === "1";
  const project = params.get("project");
  const scope = { ...scopeOf(params), ...(project ? { filter: { project } } : {}) };
  const field = h("input", { type: "search", value: params.get("q") ?? "", placeholder: "Find facts by words or meaning", "aria-label": "Find facts" });
  const body = h("div", { class: "facts-body" });
  const subject = params.get("subject");
  let cursor;
  let facts = [];
  let most = MOST_GROUPS;

  async function load(fresh) {
    const query = field.value.trim();
    if (query) {
      const answer = await call("fact/retrieve", { query, top_k: 100, all, ...scope }, { signal });
      facts = answer.facts ?? [];
      cursor = undefined;
    } else {
      const args = { all, limit: 10000, ...scope, ...(subject ? { subject } : {}) };
      const answer = await call("fact/list", args, { signal, page: { page_size: PAGE, ...(fresh || !cursor ? {} : { cursor }) } });
      facts = fresh ? answer.items : facts.concat(answer.items);
      cursor = answer.next;
    }
    draw();
  }
  function draw() {
    const groups = new Map();
    for (const fact of facts) groups.set(fact.subject ?? "", [...(groups.get(fact.subject ?? "") ?? []), fact]);
    const span = spanOf(facts, now);
    const shownGroups = [...groups].sort(([a], [b]) => (a === "") - (b === "")).slice(0, most);
    const nothing = empty("No facts here", field.value ? "Nothing answers to that." : "Facts form from what people plainly state, or are stored by agents.", h("code", null, 'idetic fact store "Ann lives in Basel"'));
    fill(body, facts.length ? axis(span) : nothing,
      shownGroups.map(([who, mine]) => h("section", { class: "subject" }, h("h2", null, who ? h("a", { href: to("facts", { subject: who, all: "1" }) }, name(who, 60)) : "Other statements", " ", who ? h("a", { class: "muted small", href: to("graph", { node: who }) }, "graph") : null), h("div", { class: "list" }, mine.map((fact) => factRow(fact, span))))),
      cursor || groups.size > most ? h("div", { class: "more" }, h("span", { class: "muted small" }, `${count(facts.length)} facts loaded`), button("Show more", () => attempt(async () => { most += MOST_GROUPS; if (groups.size < most && cursor) await load(false); else draw(); }))) : null);
  }
  field.addEventListener("input", debounce(() => { note({ q: field.value || null }); load(true).catch((error) => fill(body, problem(error))); }, 160));
  const asked = subject || project ? null : list("fact/conflicts", scope, { signal }).catch(() => []);
  await load(true);
  const conflicts = asked && await conflictSlot(asked, again);
  return h("div", { class: "facts" },
    heading("Facts", "What is held true, since when, and because of which words.", choose, h("a", { class: "button", "aria-current": all ? "true" : null, href: here({ all: all ? null : "1" }) }, "Also what ended")),
    conflicts,
    h("div", { class: "search-bar" }, field, subject ? h("a", { class: "chip chosen", href: here({ subject: null }) }, "about ", name(subject, 40), " ✕") : null), body);
}

const scopeOf = (params) => (params.get("agent") ? { agent: params.get("agent"), persona: params.get("persona") ?? "actor" } : {});

function spanOf(facts, now) {
  const from = facts.map((it) => new Date(it.valid_from).getTime()).filter((it) => !Number.isNaN(it));
  const until = facts.map((it) => new Date(it.valid_until ?? NaN).getTime()).filter((it) => !Number.isNaN(it));
  const start = Math.min(now - 86400000, ...from.slice(0, 20000));
  const end = Math.max(now, ...until.slice(0, 20000));
  return { start, end: end + (end - start) * 0.02, now };
}

const share = (time, span) => Math.max(0, Math.min(100, (100 * (time - span.start)) / (span.end - span.start)));

function axis(span) {
  const ticks = [0, 25, 50, 75].map((it) => h("span", { css: { left: `${it}%` } }, day(new Date(span.start + ((span.end - span.start) * it) / 100).toISOString())));
  return h("div", { class: "axis", "aria-hidden": "true" }, h("span"), h("div", { class: "axis-ticks" }, ticks));
}

/** When a fact holds, as a bar. */
function validity(fact, span) {
  const from = share(new Date(fact.valid_from).getTime(), span);
  const until = fact.valid_until ? share(new Date(fact.valid_until).getTime(), span) : 100;
  const ended = isEnded(fact, span.now);
  return h("div", { class: "validity", role: "img", "aria-label": `True from ${day(fact.valid_from)} ${fact.valid_until ? `until ${day(fact.valid_until)}` : "on"}` },
    h("span", { class: ended ? "ended" : fact.valid_until ? "bounded" : "open", css: { left: `${from}%`, width: `${Math.max(1, until - from)}%` } }));
}

const isEnded = (fact, now) => fact.valid_until && new Date(fact.valid_until).getTime() <= now;

function factRow(fact, span) {
  return h("article", { class: `row fact ${isEnded(fact, span.now) ? "is-ended" : ""}` },
    h("div", { class: "body" }, h("a", { class: "row-link", href: to("fact", { id: fact.id, ...Object.fromEntries(place().params.has("agent") ? [["agent", place().params.get("agent")], ["persona", place().params.get("persona")]] : []) }) }, brief(fact.content, 200)),
      h("span", { class: "chips" }, fact.attribute ? chip(fact.attribute.replaceAll("_", " ")) : null, chip(fact.origin ?? fact.trust, { cls: "origin" }), fact.sources > 1 ? chip(`${fact.sources} sources`) : null)),
    validity(fact, span));
}

/** Shows conflicts at once where they are known soon; else a line that does not push the list away when they come. */
async function conflictSlot(asked, again) {
  const soon = await Promise.race([asked, new Promise((done) => setTimeout(done, SOON_MS))]);
  if (soon) return soon.length ? conflictList(soon, again) : null;
  const slot = h("div", { class: "conflict-line small muted", role: "status" }, "Looking for conflicts…");
  asked.then((found) => fill(slot, found.length ? button(`${count(found.length)} conflicts to decide`, () => slot.replaceWith(conflictList(found, again)), { cls: "link" }) : null));
  return slot;
}

function conflictList(conflicts, again) {
  return h("section", { class: "conflicts", "aria-label": "Conflicts" }, h("h2", null, conflicts.length === 1 ? "One conflict to decide" : `${conflicts.length} conflicts to decide`),
    conflicts.slice(0, 20).map((it) => h("div", { class: "conflict" },
      side(it.fact, it.content, it.other, again), h("span", { class: "versus" }, "or"), side(it.other, it.other_content, it.fact, again), h("p", { class: "muted small" }, it.why))));
}

function side(id, content, other, again) {
  return h("div", { class: "conflict-side" }, h("a", { class: "row-link", href: to("fact", { id }) }, brief(content, 200)),
    place().at ? null : button("This one is true", () => attempt(async () => {
      await call("fact/delete", { fact: other, reason: "the other of two contradicting facts was chosen" });
      notify("Decided. The other is no longer retrieved; its words stay in the log.");
      again();
    }), { cls: "small", "aria-label": `True: ${content.slice(0, 80)}` }));
}

/** Makes one fact: why it is believed, and what was believed before. */
export async function factView({ params, signal, at, again }) {
  const scope = scopeOf(params);
  const id = params.get("id") ?? "";
  const fact = await call("fact/get", { fact: id, ...scope }, { signal });
  const history = await list("fact/history", { fact: fact.id, ...scope }, { signal }).catch(() => []);
  const events = await quoted([...new Set([...(fact.causes ?? []), ...history.filter((it) => it.fact_id === fact.id).flatMap((it) => it.causes ?? [])])], signal);
  const others = history.filter((it, index) => history.findLastIndex((other) => other.fact_id === it.fact_id) === index);
  const now = await clockAt(at);
  const span = spanOf(others.length ? others : [fact], now);
  const act = (label, run, cls = "") => button(label, run, { cls });
  return h("div", { class: "fact-page" },
    heading(cut(fact.content, 120), h("span", null, fact.subject ? h("a", { href: to("facts", { subject: fact.subject, all: "1" }) }, name(fact.subject)) : "Statement", fact.attribute ? [" · ", name(fact.attribute.replaceAll("_", " "))] : null),
      at ? null : [act("Correct", () => correct(fact, scope, again)), isEnded(fact, now) ? null : act("End", () => end(fact, scope, again)), act("Delete", () => remove(fact, scope), "danger")]),
    h("dl", { class: "figures wide" }, [["True from", when(fact.valid_from, "day")], ["Until", fact.valid_until ? when(fact.valid_until, "day") : "now"], ["Certain", `${Math.round(100 * (fact.confidence ?? 0))} %`], ["Trust", fact.trust], ["Origin", name(fact.origin)], ["Learned", when(fact.timestamp)]].map(([title, value]) => [h("dt", null, title), h("dd", null, value)])),
    section("Why it is believed", events.length ? events.map((it) => eventRow(it, { time: "moment", length: 500 })) : h("p", { class: "muted" }, "It was stated outright; the event itself is the source.")),
    others.length ? section("Before and after", h("div", { class: "list" }, others.map((it) => h("article", { class: `row fact ${it.fact_id === fact.id ? "is-current" : ""}` }, h("div", { class: "body" }, h("a", { class: "row-link", href: to("fact", { id: it.fact_id }) }, brief(it.content, 200)), h("span", { class: "chips" }, chip(it.done), when(it.timestamp, "day"))), validity(it, span))))) : null,
    history.length > others.length ? section("Every wording", h("ol", { class: "plain" }, history.map((it) => h("li", null, h("a", { href: to("event", { id: it.event }) }, it.seq ? `#${it.seq}` : "event"), ` ${it.done}: `, said(it.content, { tag: "span", length: 160 }))))) : null,
    h("p", null, h("a", { class: "button danger", href: to("trust", { fact: fact.id, at: null }) }, "Erase it for good…")));
}

async function correct(fact, scope, again) {
  const values = await ask({ title: "Correct this fact", action: "Correct", fields: [{ label: "What it should say", key: "text", value: fact.content, long: true }, { label: "Value", key: "value", value: fact.value ?? "", hint: "What stands for it in the graph, and what supersedes it." }] });
  if (!values) return;
  const change = (text, value) => call("fact/update", { fact: fact.id, text, ...(value ? { value } : {}), ...scope });
  await attempt(async () => {
    await change(values.text, values.value);
    notify("Corrected; the old wording is in its history.", { undo: async () => { await change(fact.content, fact.value); again(); } });
    again();
  });
}

async function end(fact, scope, again) {
  const yes = await ask({ title: "End this fact?", body: h("div", null, h("blockquote", null, said(fact.content)), h("p", { class: "muted" }, "It was true until now, and is not any more. It can still be asked of the past.")), action: "End it" });
  if (!yes) return;
  await attempt(async () => {
    await call("fact/update", { fact: fact.id, until: new Date().toISOString(), ...scope });
    notify("Ended.", { undo: async () => { await call("fact/update", { fact: fact.id, until: fact.valid_until ?? "never", ...scope }); again(); } });
    again();
  });
}

async function remove(fact, scope) {
  const yes = await ask({ title: "Delete this fact?", body: h("div", null, h("blockquote", null, said(fact.content)), h("p", { class: "muted" }, "It is no longer retrieved. Its words stay in the log until they are erased.")), action: "Delete", danger: true });
  if (!yes) return;
  await attempt(async () => {
    await call("fact/delete", { fact: fact.id, ...scope });
    const { content: text, subject, attribute, value, valid_from: at } = fact;
    notify("Deleted.", { undo: async () => {
      const stored = await call("fact/store", { text, at, ...(subject ? { subject } : {}), ...(attribute ? { attribute, value } : {}), ...scope });
      location.hash = to("fact", { id: stored.fact_id });
    } });
    location.hash = to("facts");
  });
}
