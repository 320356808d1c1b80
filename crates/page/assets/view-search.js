// Search as you type: every hit with the parts of its score, by words, by meaning or both side by side.
import { call, debounce } from "./api.js";
import { cut, fill, h, marked, name, passage, plural, said, wordsOf } from "./dom.js";
import { when } from "./moment.js";
import { chip, chipsOf, empty, eventRow, heading, kindOf, numberOf, problem, projectName } from "./parts.js";
import { note, place, to } from "./place.js";

const MODES = [["hybrid", "Words and meaning"], ["lexical", "Words"], ["vector", "Meaning"], ["beside", "Side by side"]];
const FILTERS = { kind: "Kind", project: "Project", author: "Author", conversation: "Session", since: "Since", until: "Until" };
const PARTS = { words: "words", meaning: "meaning", conversation: "conversation", recency: "recency", author: "author", date: "date", importance: "importance", trust: "trust", links: "links" };

/** Makes the view. */
export async function searchView({ params, signal }) {
  const state = Object.fromEntries(["q", "mode", ...Object.keys(FILTERS)].map((it) => [it, params.get(it) ?? ""]));
  state.mode ||= "hybrid";
  const input = h("input", { type: "search", class: "search-field", value: state.q, placeholder: "What do you want to know?", "aria-label": "Question", autocomplete: "off", autofocus: true });
  const modes = h("div", { class: "segments", role: "group", "aria-label": "Search mode" });
  const filters = h("div", { class: "filter-bar" });
  const results = h("div", { class: "results", "aria-live": "polite", "aria-busy": "false" });
  let control = new AbortController();

  const drawModes = () => fill(modes, MODES.map(([mode, label]) => h("button", { type: "button", "aria-pressed": String(state.mode === mode), on: { click: () => { state.mode = mode; drawModes(); run(); } } }, label)));
  function drawFilters() {
    const set = Object.keys(FILTERS).filter((it) => state[it]);
    const add = h("select", { "aria-label": "Add a filter", on: { change: () => { const key = add.value; edit(key); } } }, h("option", { value: "" }, "Add a filter…"), Object.entries(FILTERS).filter(([it]) => !state[it]).map(([it, label]) => h("option", { value: it }, label)));
    fill(filters, set.map((it) => h("button", { type: "button", class: "chip chosen", on: { click: () => { state[it] = ""; drawFilters(); run(); } } }, FILTERS[it], ": ", name(it === "project" ? projectName(state[it]) : state[it], 30), h("span", { "aria-label": ", remove" }, " ✕"))), add);
  }
  function edit(key) {
    const hint = { since: "7d, or 2026-05-01", until: "2026-05-31", kind: "user_input", project: "acme/shop" }[key] ?? "";
    const value = h("input", { type: "text", placeholder: hint, "aria-label": FILTERS[key], class: "chip-field" });
    const set = () => { state[key] = value.value.trim(); drawFilters(); run(); };
    value.addEventListener("keydown", (event) => (event.key === "Enter" ? set() : event.key === "Escape" && drawFilters()));
    value.addEventListener("blur", set);
    fill(filters, FILTERS[key], " ", value);
    value.focus();
  }
  const args = (mode, k) => ({ query: state.q, mode, k, explain: true, all_projects: !state.project || undefined, ...Object.fromEntries(Object.keys(FILTERS).filter((it) => state[it]).map((it) => [it, state[it]])) });

  async function run() {
    control.abort();
    control = new AbortController();
    const mine = control.signal;
    state.q = input.value.trim();
    if (place().view === "search") note({ ...state, mode: state.mode === "hybrid" ? null : state.mode });
    if (!state.q) return fill(results, empty("Ask anything", "Whole questions work best: names and dates in them are understood. “Who owns the payment service?”, “what broke last week?”"));
    results.setAttribute("aria-busy", "true");
    try {
      const wanted = state.mode === "beside" ? ["lexical", "hybrid", "vector"] : [state.mode];
      const started = performance.now();
      const answers = await Promise.all(wanted.map((mode) => call("recall", args(mode, state.mode === "beside" ? 8 : 20), { signal: mine })));
      const ms = Math.round(performance.now() - started);
      const columns = answers.map((answer, index) => hitsOf(answer.hits ?? [], wanted[index], wanted.length > 1));
      fill(results, h("p", { class: "muted small" }, `${plural(answers[0].hits?.length ?? 0, "hit")} in ${ms} ms`), h("div", { class: wanted.length > 1 ? "beside" : "" }, columns));
    } catch (error) {
      if (!mine.aborted) fill(results, problem(error));
    }
    results.setAttribute("aria-busy", "false");
    return undefined;
  }
  function hitsOf(hits, mode, titled) {
    const most = Math.max(1, ...hits.map((it) => Object.values(it.parts ?? {}).reduce((sum, part) => sum + Math.abs(part), 0)));
    const words = wordsOf(state.q);
    const body = hits.length ? hits.map((hit, index) => hitRow(hit, index + 1, words, most)) : empty("Nothing found", "Try other words, fewer filters, or another moment.");
    return h("div", { class: "list hits" }, titled ? h("h2", null, MODES.find(([it]) => it === mode)[1]) : null, body);
  }
  input.addEventListener("input", debounce(run, 130));
  signal.addEventListener("abort", () => control.abort());
  drawModes();
  drawFilters();
  await run();
  requestAnimationFrame(() => input.isConnected && document.activeElement?.tagName !== "INPUT" && input.focus({ preventScroll: true }));
  return h("div", { class: "search" }, heading("Search", null), input, h("div", { class: "search-bar" }, modes, filters), results, whyNot(() => state, args));
}

function hitRow(hit, rank, words, most) {
  const { label, tone } = kindOf(hit);
  return h("article", { class: `row hit tone-${tone}` },
    h("a", { class: "row-link number", href: to("event", { id: hit.id }), "aria-label": `Hit ${rank}: event ${numberOf(hit) ?? ""}` }, `${rank}`),
    h("div", { class: "body" }, marked(passage((hit.text ?? "").trim().replace(/\s*\n\s*/g, " "), words), words, { length: 320 }), h("div", { class: "hit-foot" }, scoreBars(hit, most),
      h("span", { class: "chips" }, h("span", { class: "kind" }, label), chip(`#${numberOf(hit)}`), chipsOf({ ...hit, tags: [] }).childNodes.length ? [...chipsOf({ ...hit, tags: [] }).childNodes] : null, when(hit.ts, "day")))));
}

/** The parts of a score as one bar and in numbers. */
function scoreBars(hit, most) {
  const parts = Object.entries(hit.parts ?? {}).filter(([, value]) => Math.abs(value) > 0.005).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const text = parts.map(([part, value]) => `${PARTS[part] ?? part} ${value.toFixed(1)}`);
  return h("div", { class: "score" },
    h("div", { class: "score-bar", role: "img", "aria-label": `Score ${hit.score.toFixed(1)}: ${text.join(", ")}` }, parts.map(([part, value]) => h("span", { class: `part part-${PARTS[part] ? part : "other"} ${value < 0 ? "minus" : ""}`, title: `${part} ${value.toFixed(2)}`, css: { width: `${(100 * Math.abs(value)) / most}%` } }))),
    h("span", { class: "score-number" }, hit.score.toFixed(1)),
    h("span", { class: "score-parts" }, parts.slice(0, 4).map(([part, value]) => h("span", null, h("i", { class: `part part-${PARTS[part] ? part : "other"}` }), `${part} ${value.toFixed(1)}`))));
}

/** Why an event was not among the hits: its rank, and what it lacked against the first. */
function whyNot(state, args) {
  const input = h("input", { type: "text", placeholder: "id or number of an event", "aria-label": "Id or number of an event" });
  const answer = h("div", { class: "why-answer", "aria-live": "polite" });
  const form = h("form", { class: "why-form", on: { submit } }, input, h("button", { type: "submit" }, "Why not this?"));
  async function submit(event) {
    event.preventDefault();
    if (!state().q) return fill(answer, h("p", { class: "muted" }, "Ask a question first."));
    try {
      const wanted = await call("get", { event: input.value.trim().replace(/^#/, "") });
      const mode = state().mode === "beside" ? "hybrid" : state().mode;
      const { hits = [] } = await call("recall", args(mode, 1000));
      const rank = hits.findIndex((it) => it.id === wanted.id || it.causes?.[0] === wanted.id);
      fill(answer, eventRow(wanted, { time: "moment", length: 200 }), rank < 0 ? absent(wanted, hits) : lacked(hits[rank], hits[0], rank));
    } catch (error) {
      fill(answer, problem(error));
    }
    return undefined;
  }
  return h("details", { class: "why" }, h("summary", null, "Why not another one?"), h("p", { class: "muted small" }, "Paste the id of an event that you expected: this shows what it lacked."), form, answer);
}

function absent(event, hits) {
  const quiet = /^(memory\.|dream\.|agent\.session|model\.|key\.|admin\.)/.test(event.kind) && event.kind !== "memory.remembered";
  return h("p", null, quiet ? `It is about the memory itself (${cut(event.kind, 60)}): such events are found only when their kind is asked for.` : !event.content && !event.summary ? "It says nothing that could be found, or what it said was erased." : hits.length >= 1000 ? "It is not among the first 1000: neither its words nor its meaning come near the question." : "The filters leave it out, or it says the same as a hit that stands for both.");
}

function lacked(hit, best, rank) {
  if (rank === 0) return h("p", null, "It is the first hit.");
  const keys = [...new Set([...Object.keys(hit.parts), ...Object.keys(best.parts)])];
  const gaps = keys.map((key) => [key, (hit.parts[key] ?? 0) - (best.parts[key] ?? 0)]).filter(([, gap]) => Math.abs(gap) > 0.05).sort((a, b) => a[1] - b[1]);
  return h("div", null, h("p", null, `It is number ${rank + 1}, with ${hit.score.toFixed(1)} against ${best.score.toFixed(1)} of the first.`),
    h("table", { class: "data" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Part"), h("th", { scope: "col" }, "This"), h("th", { scope: "col" }, "The first"), h("th", { scope: "col" }, "Difference"))),
      h("tbody", null, gaps.map(([key, gap]) => h("tr", null, h("th", { scope: "row" }, key), h("td", null, (hit.parts[key] ?? 0).toFixed(2)), h("td", null, (best.parts[key] ?? 0).toFixed(2)), h("td", { class: gap < 0 ? "less" : "more-than" }, gap.toFixed(2)))))), h("p", { class: "muted small" }, "First hit: ", said(best.text, { tag: "span", length: 120 })));
}
