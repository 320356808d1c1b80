// Personas: what an agent's actor and its subconscious see, side by side, so that isolation can be seen.
import { call, list, rows } from "./api.js";
import { count, h, name, plural } from "./dom.js";
import { when } from "./moment.js";
import { chip, empty, eventRow, heading, section, tabs } from "./parts.js";
import { here, to } from "./place.js";

const SIDES = [["actor", "Actor", "What it says and does. It sees its own events and what is shared."], ["subconscious", "Subconscious", "What it thinks. It may look at what the actor did; the actor never sees it."]];
const SEEN = 500;

/** Makes the view. */
export async function personasView({ params, signal }) {
  const [stats, profiles] = await Promise.all([call("stats", {}, { signal }).catch(() => ({ by_agent: [] })), list("profile/list", {}, { signal }).catch(() => [])]);
  const agents = [...new Set([...(stats.by_agent ?? []).map((it) => it.value), ...profiles.map((it) => it.agent_name)])].filter(Boolean);
  const lead = "Two readers of one log. What one may not see changes not a byte of what it gets.";
  if (agents.length === 0) return h("div", null, heading("Personas", lead), empty("No agent has written yet", "Events with an agent belong to it; without one they are shared.", h("code", null, 'idetic remember --agent aria --persona actor "…"')));
  const agent = params.get("agent") ?? agents[0];
  const sides = await Promise.all(SIDES.map(async ([persona, title, about]) => {
    const scope = { agent, persona };
    const [own, seen, facts, loops] = await Promise.all([
      list("log", { ...scope, limit: 60, reverse: true }, { signal }).catch(() => []),
      list("log", { ...scope, view: true, limit: SEEN, reverse: true }, { signal, page: { page_size: SEEN } }).catch(() => []),
      rows("SELECT id, content FROM facts WHERE agent = :agent AND persona = :persona ORDER BY seq DESC LIMIT 50", { signal, all: true, parameters: [`agent=${agent}`, `persona=${persona}`] }),
      list("loops", { ...scope, limit: 5 }, { signal }).catch(() => [])]);
    return { persona, title, about, own: own.filter((it) => it.persona === persona), seen, facts: facts ?? [], loops };
  }));
  const profile = await call("profile/show", { agent }, { signal }).catch(() => null);
  return h("div", null, heading("Personas", lead),
    tabs("Agent", agents.slice(0, 40).map((it) => [it, name(it, 30), here({ agent: it })]), agent),
    profile ? h("p", { class: "chips" }, profile.session_count ? chip(plural(profile.session_count, "session")) : null, Object.entries(profile.preferences ?? {}).slice(0, 10).map(([key, value]) => chip(`prefers ${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)), profile.last_active ? h("span", { class: "small muted" }, "last active ", when(profile.last_active, "ago")) : null) : null,
    isolation(sides), h("div", { class: "personas" }, sides.map((it) => column(agent, it))));
}

/** Counts the subconscious events among what the actor sees: there must be none. */
function isolation([actor, subconscious]) {
  const inner = new Set(subconscious.own.map((it) => it.id));
  const crossed = actor.seen.filter((it) => inner.has(it.id) || it.persona === "subconscious").length;
  return h("p", { class: `isolation ${crossed ? "fail" : "good"}`, role: "status" }, crossed ? `${crossed} events of the subconscious are visible to the actor.` : `Checked: of the last ${plural(actor.seen.length, "event")} that the actor sees, none is of the subconscious.`);
}

function column(agent, { persona, title, about, own, seen, facts, loops }) {
  const others = seen.filter((it) => it.persona !== persona).length;
  return h("section", { class: `persona persona-${persona}`, "aria-label": title }, h("h2", null, title), h("p", { class: "muted small" }, about),
    h("dl", { class: "figures" }, h("dt", null, "Its own, lately"), h("dd", null, count(own.length)), h("dt", null, "Of others, that it sees"), h("dd", null, `${count(others)} of the last ${count(seen.length)}`), h("dt", null, "Facts of its own"), h("dd", null, count(facts.length))),
    facts.length ? section("Facts", h("ul", { class: "plain" }, facts.slice(0, 8).map((it) => h("li", null, h("a", { href: to("fact", { id: it.id, agent: agent, persona }) }, name(it.content, 160)))))) : null,
    loops.length ? section("Short-term memory", h("ul", { class: "plain small" }, loops.map((it) => h("li", null, name(it.summary.replaceAll("\n", " · "), 160))))) : null,
    section("Its own events", own.length ? h("div", { class: "list" }, own.slice(0, 30).map((it) => eventRow(it, { chips: false, time: "ago" }))) : h("p", { class: "muted" }, "None yet.")));
}
