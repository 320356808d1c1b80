// One event in full: what it says, what it came from, who was told, and the hashes that hold it in the chain.
import { call, list } from "./api.js";
import { fill, h, name, said } from "./dom.js";
import { when } from "./moment.js";
import { button, chip, chipsOf, copy, empty, eventRow, heading, kindOf, numberOf, section, textOf } from "./parts.js";
import { to } from "./place.js";

/** Makes the view. */
export async function eventView({ params, signal }) {
  const event = await call("get", { event: params.get("id") ?? "" }, { signal });
  const number = numberOf(event);
  const [causes, told] = await Promise.all([quoted(event.causes, signal), list("log", { refs: [event.id], kind: "memory.recalled", limit: 20, reverse: true }, { signal }).catch(() => [])]);
  const { label, tone } = kindOf(event);
  const row = (title, value) => (value === undefined || value === null || value === "" ? null : [h("dt", null, title), h("dd", null, value)]);
  const step = (by, text) => (number + by < 1 ? null : h("a", { class: "button", href: to("event", { id: number + by }) }, text));
  const erased = !event.content && !event.summary && !event.metadata && !event.trust;
  return h("div", { class: "event-page" },
    heading(`Event ${number ?? ""}`, h("span", null, label, ", ", when(event.ts)), step(-1, "← Before"), step(1, "After →")),
    erased ? empty("What it said was erased", "Its number, time, kind and hash stay, so that the chain still verifies.") : h("section", { class: `quote tone-${tone}` }, said(event.content || textOf(event), { length: 4000, cls: event.kind.startsWith("tool_") ? "said mono" : "said" }), chipsOf(event, { tags: 24 })),
    causes.length ? section("Where it comes from", causes.map((it) => eventRow(it, { time: "moment" }))) : null,
    told.length ? section("Who was told this", told.map((it) => eventRow(it, { time: "moment" }))) : null,
    section("Record", h("dl", { class: "record" },
      row("Id", h("code", { class: "break" }, name(event.id, 200))), row("Kind", name(event.kind)), row("Status", event.status), row("Happened", when(event.ts)), row("Written", event.recorded_at ? when(event.recorded_at) : null),
      row("Author", event.author ? name(event.author) : null), row("Agent", event.agent_id ? chip(event.agent_id, { href: to("personas", { agent: event.agent_id }) }) : null), row("Persona", event.persona), row("Visibility", event.visibility), row("Trust", event.trust), row("Origin", event.origin ? name(event.origin) : null),
      row("Session", event.trace_id ? h("a", { href: to("session", { id: event.trace_id }) }, name(event.trace_id)) : null), row("Turn", event.loop_id ? name(event.loop_id) : null), row("Scope", event.scope ? name(event.scope) : null),
      row("Refers to", event.refs?.length ? h("ul", { class: "plain" }, event.refs.slice(0, 50).map((it) => h("li", null, h("a", { href: to("event", { id: it }) }, name(it))))) : null),
      row("Hash", event.hash ? h("code", { class: "break" }, event.hash) : null), row("Hash before", event.prev_hash ? h("code", { class: "break" }, event.prev_hash) : null))),
    raw(event),
    h("div", { class: "actions" }, button("Copy the id", () => copy(event.id)), h("a", { class: "button danger", href: to("trust", { event: event.id, at: null }) }, "Forget this…")));
}

function raw(event) {
  const body = h("div");
  const details = h("details", { class: "raw", on: { toggle: () => details.open && !body.childElementCount && fill(body, said(JSON.stringify(event, null, 2), { length: 20000, tag: "pre" })) } }, h("summary", null, "As JSON"), body);
  return details;
}

/** The events behind something, as far as this reader may see them. */
export async function quoted(ids, signal, most = 8) {
  const found = await Promise.all((ids ?? []).slice(0, most).map((id) => call("get", { event: id }, { signal }).catch(() => null)));
  return found.filter(Boolean);
}
