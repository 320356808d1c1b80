// Now: what was remembered last, as it happens, and whether all is well.
import { call, list } from "./api.js";
import { count, fill, h, name, plural, said } from "./dom.js";
import { when } from "./moment.js";
import { attempt, button, chip, chipsOf, empty, eventRow, heading, kindOf, numberOf, projectName, textOf } from "./parts.js";
import { here, place, to } from "./place.js";
import { firstRun } from "./welcome.js";

const PAGE = 40;
const MOST_ROWS = 400;
// How soon what stands beside the stream is asked for again while events come, or texts wait to be embedded.
const AGAIN_MS = 3000;
const AGAIN_MOST_MS = 60000;
const WAITING_SHOWN = 3;
const FILTERS = ["kind", "source", "agent", "author", "status"];
// What says something by itself, and can stand at the top.
const WORTHY = new Set(["user_input", "actor_output", "memory.remembered", "fact.stored", "note.written", "decision", "milestone"]);

/** Makes the view. */
export async function nowView({ params, signal, onEvent, again, at }) {
  const filter = Object.fromEntries(FILTERS.filter((it) => params.get(it)).map((it) => [it, params.get(it)]));
  let events;
  try {
    events = await list("log", { limit: PAGE, reverse: true, ...filter }, { signal });
  } catch (error) {
    if (error.status === 404 && !at) return firstRun(again);
    throw error;
  }
  if (events.length === 0 && !at && Object.keys(filter).length === 0) return firstRun(again);
  const stats = await call("stats", {}, { signal }).catch(() => null);
  const last = h("div", { class: "last-slot" });
  const stream = h("div", { class: "list stream-list", "aria-label": "Events, the latest first" });
  const newer = h("div", { class: "newer" });
  const more = h("div", { class: "more" });
  let oldest = Infinity;
  let waiting = [];

  const matches = (event) => FILTERS.every((it) => !filter[it] || filter[it] === (it === "agent" ? event.agent_id : event[it]));
  function add(older) {
    stream.append(...withDays(older, stream));
    oldest = Math.min(oldest, ...older.map(numberOf));
    const left = older.length === PAGE && oldest > 1;
    fill(more, left ? button("Show older", () => attempt(load)) : h("span", { class: "muted small" }, events.length ? "This is where the log begins." : ""));
  }
  async function load() {
    add(await list("log", { limit: PAGE, reverse: true, ...filter, as_of: String(oldest - 1) }, { signal }));
  }
  function top(event) {
    if (event) fill(last, lastCard(event));
  }
  function release() {
    for (const event of waiting) {
      const label = new Date(event.ts).toDateString();
      if (stream.firstElementChild?.dataset.day !== label) stream.prepend(h("div", { class: "day", "data-day": label }, when(event.ts, "day")));
      stream.firstElementChild.after(eventRow(event));
    }
    while (stream.childElementCount > MOST_ROWS) {
      const gone = stream.lastElementChild;
      gone.remove();
      const number = Number(stream.lastElementChild.querySelector(".number")?.textContent.slice(1));
      if (number) oldest = number;
      fill(more, button("Show older", () => attempt(load)));
    }
    waiting = [];
    fill(newer);
  }
  if (!at) {
    onEvent((event) => {
      // The receipt comes before the texts are gone.
      if (event.kind === "memory.purged") setTimeout(() => signal.aborted || again(), AGAIN_MS);
      if (!matches(event)) return;
      waiting.push(event);
      if (WORTHY.has(event.kind)) top(event);
      // Somebody who reads further down is not pushed away from the line they read.
      if (scrollY < 240) release();
      else fill(newer, button(`${plural(waiting.length, "new event")} above`, () => { release(); scrollTo({ top: 0 }); }, { cls: "primary" }));
      if (waiting.length > MOST_ROWS) waiting = waiting.slice(-MOST_ROWS);
    });
  }
  add(events);
  top(events.find((it) => WORTHY.has(it.kind)) ?? events[0]);
  const none = events.length ? null : empty("No events here", "Nothing matches at this moment of the log.", h("a", { href: to("now") }, "Take the filters away"));
  return h("div", { class: "now" },
    h("div", { class: "now-main" }, heading(at ? "Then" : "Now", at ? "What had been remembered last at this moment." : "Everything that is remembered, as it happens."), last, filters(stats, filter), none, newer, stream, more),
    side(stats, signal, at ? null : onEvent));
}

function withDays(events, stream) {
  const nodes = [];
  let current = [...stream.querySelectorAll(".day")].at(-1)?.dataset.day;
  for (const event of events) {
    const label = new Date(event.ts).toDateString();
    if (label !== current) nodes.push(h("div", { class: "day", "data-day": label }, when(event.ts, "day")));
    current = label;
    nodes.push(eventRow(event));
  }
  return nodes;
}

function lastCard(event) {
  const { label, tone } = kindOf(event);
  return h("section", { class: `last tone-${tone}`, "aria-label": "Remembered last" },
    h("p", { class: "last-label" }, place().at ? "Remembered last, then" : "Remembered last", " · ", label, " · ", when(event.ts, place().at ? "moment" : "ago")),
    h("div", { class: "last-text" }, said(textOf(event), { length: 240 })),
    h("p", { class: "last-foot" }, chipsOf(event), h("a", { href: to("event", { id: event.id }) }, `event #${numberOf(event)}`)));
}

function filters(stats, filter) {
  if (!stats) return null;
  const chosen = Object.entries(filter).map(([key, value]) => h("a", { class: "chip chosen", href: here({ [key]: null }) }, key === "source" ? "project" : key, ": ", name(value, 30), h("span", { "aria-label": ", remove" }, " ✕")));
  const offer = (key, values, most, label = (it) => it) => (filter[key] ? [] : (values ?? []).slice(0, most).map((it) =>
    h("a", { class: "chip", href: here({ [key]: it.value }) }, name(label(it.value), 30), h("span", { class: "chip-count" }, count(it.count)))));
  const group = (title, chips) => (chips.length ? h("div", { class: "filter-group" }, h("span", { class: "filter-title" }, title), chips) : null);
  return h("div", { class: "filters" }, chosen.length ? h("p", { class: "chips" }, chosen) : null, h("details", null, h("summary", null, "Filter"),
    group("Kind", offer("kind", stats.by_kind, 12)), group("Project", offer("source", stats.by_source, 8, projectName)), group("Agent", offer("agent", stats.by_agent?.filter((it) => it.value), 8)),
    group("Status", offer("status", stats.by_status, 4))));
}

/** What stands beside the stream: it comes when it is known, and the stream does not wait for it. */
function side(stats, signal, onEvent) {
  const slots = [h("div"), stats ? rhythm(stats) : null, h("div")];
  let timer = null;
  let wait = AGAIN_MS;
  let pending = 0;
  const soon = (ms = AGAIN_MS) => { timer ??= setTimeout(() => { timer = null; ask(); }, ms); };
  // Whoever stands on a link there keeps it.
  const draw = (slot, node) => slot.contains(document.activeElement) || fill(slot, node);
  async function ask() {
    const status = onEvent ? await call("status", {}, { signal }).catch(() => null) : null;
    const facts = await list("fact/list", { limit: 6 }, { signal }).catch(() => null);
    const before = pending;
    pending = status?.model ? (status.coverage?.pending ?? 0) : 0;
    const texts = pending ? await list("ltm", { limit: 20 }, { signal }).catch(() => []) : [];
    if (signal.aborted) return;
    if (status) draw(slots[0], health(status, texts.filter((it) => it.status === "pending").slice(0, WAITING_SHOWN)));
    if (facts) {
      // What is gone goes at once, also from under whoever stands on it.
      const kept = new Set(facts.map((it) => it.id));
      for (const line of slots[2].querySelectorAll("li")) if (!kept.has(line.dataset.id)) line.remove();
      draw(slots[2], facts.length ? latestFacts(facts, !onEvent) : null);
    }
    // What makes no progress is looked at less and less often.
    wait = pending === before ? Math.min(2 * wait, AGAIN_MOST_MS) : AGAIN_MS;
    if (pending) soon(wait);
  }
  ask();
  onEvent?.(() => soon());
  signal.addEventListener("abort", () => clearTimeout(timer));
  return h("aside", { class: "side", "aria-label": "State of the memory" }, slots);
}

const latestFacts = (facts, past) => h("section", { class: "card" }, h("h2", null, past ? "Facts, as they stood" : "Latest facts"), h("ul", { class: "plain" }, facts.map((fact) =>
  h("li", { "data-id": fact.id }, h("a", { href: to("fact", { id: fact.id }) }, said(fact.content, { tag: "span", length: 120 })), " ", chip(fact.origin ?? fact.trust, { cls: "origin" })))));

function health(status, waiting) {
  const { embedded = 0, pending = 0, retry = 0 } = status.coverage ?? {};
  const all = Math.max(1, embedded + pending + retry);
  const behind = (status.views ?? []).filter((it) => it.behind > 0);
  return h("section", { class: "card" }, h("h2", null, "Health"),
    h("dl", { class: "figures" }, h("dt", null, "Events"), h("dd", null, count(status.events)),
      h("dt", null, "Views"), h("dd", null, behind.length ? `${plural(behind.length, "view")} behind` : "all up to date"),
      h("dt", null, "Memory"), h("dd", null, status.memory ?? "on"),
      h("dt", null, "Found by meaning"), h("dd", null, status.model ? `${count(embedded)} of ${count(embedded + pending + retry)}` : "off: words only")),
    status.model ? h("div", { class: "meter", role: "img", "aria-label": `${embedded} of ${all} texts are embedded` }, h("span", { css: { width: `${(100 * embedded) / all}%` } })) : null,
    pending + retry > 0 ? h("p", { class: "muted small" }, `${plural(pending + retry, "text")} waiting; found by words meanwhile.`) : null,
    waiting.length ? h("ul", { class: "plain small" }, waiting.map((it) => h("li", null, "embedding ", h("a", { href: to("event", { id: it.id }) }, name(it.summary, 60))))) : null,
    h("p", { class: "small" }, h("a", { href: to("trust") }, "Verify the log")));
}

function rhythm(stats) {
  const days = (stats.by_day ?? []).slice(-28);
  const most = Math.max(1, ...days.map((it) => it.count));
  const failed = (stats.by_status ?? []).filter((it) => it.value === "failure" || it.value === "timeout").reduce((sum, it) => sum + it.count, 0);
  return h("section", { class: "card" }, h("h2", null, "By day"),
    h("div", { class: "bars", role: "img", "aria-label": `Events a day, ${days.length} days, ${most} at most` }, days.map((it) => h("span", { title: `${it.value}: ${count(it.count)}`, css: { height: `${Math.max(3, (100 * it.count) / most)}%` } }))),
    days.length ? h("p", { class: "bars-foot small muted" }, h("span", null, days[0].value), h("span", null, days.at(-1).value)) : null,
    failed ? h("p", { class: "small" }, h("a", { href: to("failures") }, plural(failed, "failure")), " in all") : null);
}
