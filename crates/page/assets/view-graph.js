// The graph: facts, notes, tasks, files, failures and sessions; the neighbourhood first, grown by clicking.
import { call, list, rows } from "./api.js";
import { count, fill, h, name, plural } from "./dom.js";
import { drawing } from "./canvas.js";
import { button, chip, empty, heading } from "./parts.js";
import { note, to } from "./place.js";
import { clockAt } from "./timebar.js";

const SMALL = 60;
const MOST_NODES = 20000;
// The latest sessions, and the files that each of them changed.
const SESSIONS = "SELECT t.trace_id AS id, (SELECT substr(e.content, 1, 120) FROM events e WHERE e.trace_id = t.trace_id AND e.kind = 'user_input' ORDER BY e.seq LIMIT 1) AS title FROM traces t GROUP BY t.trace_id ORDER BY max(t.last_seq) DESC LIMIT 40";
const FILES = `SELECT DISTINCT e.trace_id AS session, f.value AS file FROM events e, json_each(e.metadata, '$.files') f
  WHERE e.trace_id IN (SELECT trace_id FROM traces GROUP BY trace_id ORDER BY max(last_seq) DESC LIMIT 40) AND e.kind = 'tool_call' AND json_extract(e.metadata, '$.edit') LIMIT 400`;
const SAID_IN = "SELECT id, trace_id AS session FROM events WHERE id IN (SELECT value FROM json_each(:ids))";

/** Makes the view. */
export async function graphView({ params, signal, at }) {
  const graph = await read(signal, await clockAt(at));
  if (graph.nodes.size === 0) return h("div", null, heading("Graph"), empty("Nothing is connected yet", "Facts with a subject and a value, notes with links, tasks and files appear here.", h("a", { href: to("facts") }, "See the facts")));
  const visible = new Set();
  let chosen = graph.nodes.get(params.get("node")) ?? null;
  const panel = h("aside", { class: "graph-panel", "aria-label": "The chosen node" });
  const state = h("p", { class: "muted small", role: "status" });
  const canvas = drawing({ signal, onPick: (node) => pick(node, true) });
  const known = h("datalist", { id: "graph-nodes" }, [...graph.nodes.values()].sort((a, b) => b.degree - a.degree).slice(0, 500).map((it) => h("option", { value: it.label.slice(0, 120) })));
  const field = h("input", { type: "search", list: "graph-nodes", placeholder: "Go to a node", "aria-label": "Go to a node" });
  field.addEventListener("change", () => {
    const wanted = field.value.trim().toLowerCase();
    const found = [...graph.nodes.values()].find((it) => it.label.toLowerCase() === wanted) ?? [...graph.nodes.values()].find((it) => it.label.toLowerCase().includes(wanted));
    if (wanted && found) pick(found, true);
  });
  const around = (node) => graph.edges.filter(({ a, b }) => a === node || b === node);
  function grow(node) {
    visible.add(node);
    for (const { a, b } of around(node)) visible.add(a).add(b);
  }
  function pick(node, growing) {
    chosen = node;
    if (growing) grow(node);
    note({ node: node.id });
    draw();
  }
  function draw() {
    const nodes = [...visible].sort((a, b) => (a.id < b.id ? -1 : 1));
    const edges = graph.edges.filter(({ a, b }) => visible.has(a) && visible.has(b));
    canvas.show(nodes, edges, chosen);
    fill(state, `${plural(nodes.length, "node")} of ${count(graph.nodes.size)}, ${plural(edges.length, "edge")}. Click a node to grow it; dashed is what ended.`);
    fill(panel, chosen ? describe(chosen, around(chosen), (it) => pick(it, true)) : h("p", { class: "muted" }, "Choose a node: its neighbours are listed here."));
  }
  const all = () => { for (const node of graph.nodes.values()) visible.add(node); draw(); };
  if (chosen) grow(chosen);
  else if (graph.nodes.size <= SMALL) for (const node of graph.nodes.values()) visible.add(node);
  else {
    chosen = [...graph.nodes.values()].reduce((best, it) => (it.degree > best.degree ? it : best));
    grow(chosen);
  }
  requestAnimationFrame(draw);
  return h("div", null,
    heading("Graph", null, field, known, button("Show everything", all), button("Start over", () => { visible.clear(); if (chosen) grow(chosen); draw(); })),
    state, h("div", { class: "graph" }, h("div", null, canvas.box, legend(graph)), panel));
}

const TYPES = { entity: "thing", note: "note", failure: "failure", session: "session", file: "file", task: "task" };

function legend(graph) {
  const types = new Set([...graph.nodes.values()].map((it) => (TYPES[it.type] ? it.type : "other")));
  return h("p", { class: "legend small" }, [...types].map((it) => h("span", null, h("i", { class: `swatch type-${it}` }), TYPES[it] ?? "other")));
}

function describe(node, edges, pick) {
  const open = { note: to("note", { id: node.id }), session: to("session", { id: node.id }), failure: to("failures", { id: node.event }), task: node.event && to("event", { id: node.event }) }[node.type] ?? (node.type === "entity" ? to("facts", { subject: node.id, all: "1" }) : null);
  return h("div", null, h("h2", null, name(node.label, 80)), h("p", { class: "chips" }, chip(TYPES[node.type] ?? node.type), node.status && node.status !== "active" ? chip(node.status) : null, open ? h("a", { class: "button small", href: open }, "Open") : null),
    h("ul", { class: "plain neighbours" }, edges.slice(0, 100).map((edge) => {
      const other = edge.a === node ? edge.b : edge.a;
      return h("li", { class: edge.ended ? "is-ended" : "" }, h("span", { class: "muted small" }, edge.a === node ? "" : "← ", name(edge.relation, 40)), " ", h("button", { type: "button", class: "link row-link", on: { click: () => pick(other) } }, name(other.label, 60)), edge.event ? [" ", h("a", { class: "small muted", href: to("event", { id: edge.event }), "aria-label": "Where it comes from" }, "why")] : null);
    })), edges.length > 100 ? h("p", { class: "muted small" }, `${edges.length - 100} more`) : null);
}

async function read(signal, now) {
  const safe = (promise, otherwise) => promise.catch((error) => { if (error.name === "AbortError") throw error; return otherwise; });
  const [graph, notes, ended, failures, sessions, files, rules] = await Promise.all([
    call("graph", { format: "json" }, { signal }).catch((error) => { if (error.status === 403) return {}; throw error; }),
    safe(list("note/list", {}, { signal, page: { page_size: 1000 } }), []),
    safe(list("fact/list", { all: true, limit: 1000 }, { signal, page: { page_size: 1000 } }), []),
    safe(list("failures", { days: 30 }, { signal, page: { page_size: 60 } }), []),
    safe(rows(SESSIONS, { signal }), []), safe(rows(FILES, { signal }), []),
    safe(list("rule/list", { all_projects: true }, { signal, page: { page_size: 500 } }), [])]);
  const tasks = rules.filter((it) => it.kind === "todo").map((it) => ({ ...it, event: it.id.split("@")[0] }));
  const said = tasks.length ? await safe(rows(SAID_IN, { signal, parameters: [`ids=${JSON.stringify(tasks.map((it) => it.event))}`] }), []) : [];
  const nodes = new Map();
  const edges = [];
  const add = (id, type, extra = {}) => {
    if (!nodes.has(id) && nodes.size < MOST_NODES) nodes.set(id, { id, type, label: String(extra.label ?? id).replace(/[\u0000-\u001f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\u{fffd}"), degree: 0, ...extra.more });
    return nodes.get(id);
  };
  const link = (a, b, relation, extra = {}) => {
    if (!a || !b || a === b) return;
    a.degree++;
    b.degree++;
    edges.push({ a, b, relation, ...extra });
  };
  for (const it of graph.nodes ?? []) add(it.node, it.type, { more: { status: it.status } });
  const attribute = (edge) => (edge.attributes ?? []).find(([key]) => key === "attribute")?.[1];
  for (const it of graph.edges ?? []) link(add(it.from, "entity"), add(it.to, "entity"), (attribute(it) ?? it.relation).replaceAll("_", " "), { event: it.created });
  for (const it of ended) {
    if (it.subject && it.value && it.valid_until && new Date(it.valid_until).getTime() <= now) link(add(it.subject, "entity"), add(it.value, "entity", { more: { ended: true } }), (it.attribute ?? "was").replaceAll("_", " "), { ended: true, event: it.causes?.[0] });
  }
  for (const it of notes) add(it.note, "note", { label: it.title || it.note });
  for (const it of notes) for (const other of it.links ?? []) link(nodes.get(it.note), add(other, "note"), "links to", { event: it.id });
  const titles = new Map((sessions ?? []).map((it) => [it.id, it.title?.replaceAll("\n", " ")]));
  const session = (id) => add(id, "session", { label: titles.get(id) || id });
  for (const it of files ?? []) link(session(it.session), add(`file ${it.file}`, "file", { label: String(it.file).split("/").slice(-2).join("/") }), "changed");
  for (const it of tasks) {
    const task = add(`task ${it.id}`, "task", { label: it.text.slice(0, 60), more: { event: it.event } });
    const from = (said ?? []).find((one) => one.id === it.event)?.session;
    if (from) link(session(from), task, "left open", { event: it.event });
  }
  for (const it of failures.filter((one) => one.traces?.length)) {
    const failure = add(`failure ${it.id}`, "failure", { label: it.example.replaceAll("\n", " ").slice(0, 60), more: { event: it.id } });
    for (const trace of it.traces.slice(0, 12)) link(failure, session(trace), "happened in");
  }
  return { nodes, edges };
}
