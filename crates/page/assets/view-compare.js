// Two moments compared: what was learned, changed, ended and forgotten between them.
import { call, list, rows } from "./api.js";
import { brief, count, h, name, plural } from "./dom.js";
import { moment } from "./moment.js";
import { eventRow, chip, empty, heading, kindOf, numberOf } from "./parts.js";
import { go, to } from "./place.js";
import { momentOf, newest } from "./timebar.js";

const MOST = 10000;
const SHOWN = 100;

/** Makes the view. */
export async function compareView({ params, signal }) {
  const head = await newest({ signal });
  if (!head) return h("div", null, heading("Compare"), empty("Nothing to compare yet", "There are no events."));
  const last = numberOf(head);
  const b = params.get("b") ?? String(last);
  const a = params.get("a") ?? String(Math.max(1, Math.floor(last / 2)));
  const [from, until] = await Promise.all([momentOf(a), momentOf(b)]);
  const lead = "What the memory learned, changed, ended and forgot between two moments.";
  if (!from || !until) return h("div", null, heading("Compare", lead), form(a, b, last), empty("Before the first event", "One of the two moments is older than the log."));
  const [first, second] = numberOf(from) <= numberOf(until) ? [from, until] : [until, from];
  const [before, after, notesBefore, notesAfter, counts, receipts] = await Promise.all([
    factsAt(numberOf(first), signal), factsAt(numberOf(second), signal), everything("note/list", numberOf(first), signal), everything("note/list", numberOf(second), signal),
    Promise.all([first, second].map((it) => call("stats", { as_of: String(numberOf(it)) }, { signal }).catch(() => null))),
    list("log", { kind: "memory.purged", after: numberOf(first), as_of: String(numberOf(second)), limit: 200 }, { signal }).catch(() => [])]);
  const facts = difference(before, after, (it) => it.id, second);
  const notes = difference(notesBefore, notesAfter, (it) => it.note, second);
  const fact = (it) => row(to("fact", { id: it.id, at: numberOf(second) }), it.content, it.subject);
  const gone = (it) => row(to("fact", { id: it.id, at: numberOf(first) }), it.content, it.subject);
  const noteRow = (at) => (it) => row(to("note", { id: it.note, at }), it.title || it.note);
  const parts = [
    part("Learned", facts.added, fact, "good"), part("Corrected", facts.changed, ([old, now]) => h("div", { class: "row" }, h("div", { class: "body" }, h("del", null, name(old.content, 200)), " ", h("a", { class: "row-link", href: to("fact", { id: now.id, at: numberOf(second) }) }, name(now.content, 200)))), ""),
    part("Ended", facts.ended, fact, "warn"), part("Forgotten", facts.removed, gone, "fail"),
    part("Notes written", notes.added, noteRow(numberOf(second)), "good"), part("Notes changed", notes.changed, ([, now]) => noteRow(numberOf(second))(now), ""), part("Notes deleted", notes.removed, noteRow(numberOf(first)), "fail"),
    receipts.length ? h("section", { class: "section compare-fail" }, h("h2", null, `Erased for good, ${plural(receipts.length, "time")}`), h("p", { class: "muted small" }, "What was erased is gone at every moment, so it is in neither list. These are the receipts."), receipts.map((it) => eventRow(it, { time: "moment" }))) : null].filter(Boolean);
  return h("div", { class: "compare" }, heading("Compare", lead), form(numberOf(first), numberOf(second), last),
    h("p", { class: "compare-span" }, `${moment(first.recorded_at)} → ${moment(second.recorded_at)}: `, h("strong", null, plural(numberOf(second) - numberOf(first), "event")), " more."),
    kinds(counts), parts.length ? h("div", { class: "compare-parts" }, parts) : empty("No fact or note differs", "Events were added, but nothing that is believed changed."));
}

/** Every fact at a moment: by one query where the reader is the owner, else page by page. */
async function factsAt(at, signal) {
  const found = await rows("SELECT id, content, subject, valid_until FROM facts", { signal, at: String(at), limit: 0 });
  return found ?? everything("fact/list", at, signal);
}

/** Every item of a list as it was at a moment. */
async function everything(operation, at, signal) {
  const found = [];
  let cursor;
  do {
    const args = { as_of: String(at), ...(operation === "fact/list" ? { all: true, limit: MOST } : {}) };
    const page = await call(operation, args, { signal, page: { page_size: 1000, ...(cursor ? { cursor } : {}) } }).catch((error) => { if (error.status === 403 || error.status === 404) return { items: [] }; throw error; });
    found.push(...page.items);
    cursor = page.next;
  } while (cursor && found.length < MOST);
  return found;
}

function difference(before, after, id, second) {
  const old = new Map(before.map((it) => [id(it), it]));
  const now = new Map(after.map((it) => [id(it), it]));
  const moment = new Date(second.recorded_at).getTime();
  const over = (it) => it.valid_until && new Date(it.valid_until).getTime() <= moment;
  const both = after.filter((it) => old.has(id(it))).map((it) => [old.get(id(it)), it]);
  return {
    added: after.filter((it) => !old.has(id(it)) && !over(it)),
    removed: before.filter((it) => !now.has(id(it))),
    ended: both.filter(([was, is]) => over(is) && was.valid_until !== is.valid_until).map(([, is]) => is).concat(after.filter((it) => !old.has(id(it)) && over(it))),
    changed: both.filter(([was, is]) => was.content !== is.content || was.updated !== is.updated || was.title !== is.title),
  };
}

const row = (href, text, subject) => h("div", { class: "row" }, h("div", { class: "body" }, h("a", { class: "row-link", href }, brief(text, 200)), subject ? h("span", { class: "chips" }, chip(subject)) : null));

function part(title, items, make, tone) {
  return items.length ? h("section", { class: `section compare-${tone}` }, h("h2", null, `${title} `, h("span", { class: "muted" }, count(items.length))), h("div", { class: "list" }, items.slice(0, SHOWN).map(make)), items.length > SHOWN ? h("p", { class: "muted small" }, `and ${count(items.length - SHOWN)} more`) : null) : null;
}

function kinds([before, after]) {
  if (!before || !after) return null;
  const old = new Map(before.by_kind.map((it) => [it.value, it.count]));
  const more = after.by_kind.map((it) => [it.value, it.count - (old.get(it.value) ?? 0)]).filter(([, by]) => by > 0);
  return more.length ? h("p", { class: "chips" }, more.slice(0, 14).map(([kind, by]) => chip(`+${count(by)} ${kindOf({ kind }).label.toLowerCase()}`))) : null;
}

function form(a, b, last) {
  const field = (value, label) => h("label", { class: "compare-field" }, h("span", null, label), h("input", { type: "range", min: "1", max: String(last), value: String(value), "aria-label": `${label}: event number` }), h("output", null, String(value)));
  const left = field(a, "From");
  const right = field(b, "To");
  const set = () => go(to("compare", { a: left.querySelector("input").value, b: right.querySelector("input").value }), { replace: true });
  for (const it of [left, right]) {
    const input = it.querySelector("input");
    input.addEventListener("input", () => { it.querySelector("output").textContent = input.value; });
    input.addEventListener("change", set);
  }
  return h("div", { class: "compare-form" }, left, right);
}
