// Failures and fixes: what goes wrong again and again, what helped, and which notes solved it.
import { call, list } from "./api.js";
import { brief, fill, h, name, plural, said } from "./dom.js";
import { when } from "./moment.js";
import { chip, empty, heading, problem, tabs } from "./parts.js";
import { here, to } from "./place.js";
import { standing } from "./view-notes.js";

const RANGES = [["1", "A day"], ["7", "A week"], ["30", "A month"], ["3650", "All"]];
const MOST = 100;

/** Makes the view. */
export async function failuresView({ params, signal }) {
  const days = params.get("days") ?? "30";
  const groups = await list("failures", { days: +days }, { signal, page: { page_size: 300 } });
  const open = params.get("id");
  return h("div", null,
    heading("Failures and fixes", "Similar failures together. Open one to see what was done until it worked."),
    tabs("How far back", RANGES.map(([value, label]) => [value, label, here({ days: value })]), days),
    groups.length ? h("div", { class: "list" }, groups.slice(0, MOST).map((it) => group(it, it.id === open, signal))) : empty("Nothing failed", "No failure or timeout in this time. Look further back, or enjoy it."),
    groups.length > MOST ? h("p", { class: "muted small" }, `${groups.length - MOST} more are rarer; choose a shorter time.`) : null);
}

function group(it, isOpen, signal) {
  const body = h("div", { class: "advice" });
  const load = async () => {
    if (body.childElementCount) return;
    fill(body, h("p", { class: "muted" }, "Looking for what helped…"));
    try {
      const advice = await call("advise", { error: it.example.slice(0, 4000), k: 5 }, { signal });
      fill(body, it.example.length > 260 ? said(it.example, { length: 4000, tag: "pre", cls: "said mono" }) : null, adviceOf(advice), traces(it));
    } catch (error) {
      fill(body, problem(error));
    }
  };
  const details = h("details", { class: "failure", on: { toggle: () => { if (details.open) load(); } } },
    h("summary", { class: "row-link" }, h("span", { class: "times" }, h("strong", null, `${it.count}×`)), h("div", { class: "failure-text" }, brief(it.example, 260, "said mono"),
      h("span", { class: "chips" }, it.traces?.length ? chip(plural(it.traces.length, "session")) : null, h("span", { class: "small muted" }, "last ", when(it.last, "ago"), it.count > 1 ? [", first ", when(it.first, "ago")] : null)))), body);
  if (isOpen) { details.open = true; load(); }
  return h("article", { class: "row" }, details);
}

function adviceOf({ fixes = [], notes = [] }) {
  return h("div", null,
    h("h3", null, "Solved by"), fixes.length ? h("ol", { class: "fixes" }, fixes.slice(0, 8).map((it) => h("li", null, (it.steps ?? []).slice(0, 8).map((step) => h("div", null, said(step, { length: 300, cls: "said mono" }))), it.said ? said(it.said, { length: 300 }) : null))) : h("p", { class: "muted" }, "Nothing that was done afterwards is known to have helped."),
    notes.length ? [h("h3", null, "Notes that speak of it"), h("div", { class: "cards" }, notes.map((it) => h("div", { class: "card" }, h("h4", null, h("a", { href: to("note", { id: it.note }) }, name(it.title || it.note, 100))), standing(it), h("p", { class: "small muted" }, name(it.because, 200)))))] : null);
}

const traces = (it) => h("p", { class: "chips" }, "Sessions: ", (it.traces ?? []).slice(0, 12).map((trace) => chip(trace, { href: to("session", { id: trace }) })), h("a", { href: to("event", { id: it.id }) }, "the latest event"));
