// The exact text that the next session of a project starts with: what each part costs, and what to do about a line.
import { call, debounce, list } from "./api.js";
import { count, fill, h, name, plural, said } from "./dom.js";
import { ask, attempt, button, copy, empty, notify, problem, projectName, section } from "./parts.js";
import { go, note, to } from "./place.js";
import { endRule, stateRule } from "./view-rules.js";

const WORD = 4;
const SHORT = { "The user's standing rules, in their own words": "Rules", "Said by the user, and perhaps still so": "Perhaps" };
const TONES = ["Rules", "Decided", "Open", "Last session", "Known", "Perhaps"];
const SUFFIX = /\s*\(([^()]*, )?#\d+\)$/;

/** About how many tokens a text has, counted as the server counts. */
export function tokensOf(text) {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  const marks = text.match(/[^A-Za-z0-9\s]/gu) ?? [];
  return words.reduce((sum, word) => sum + Math.ceil(word.length / WORD), marks.length);
}

/** The parts of the text: each line that comes from an event has its id. Nothing if the lines and the ids do not match. */
export function partsOf({ text, ids }) {
  const lines = text.split("\n");
  const parts = [{ title: null, lines: [] }];
  let at = 0;
  lines.forEach((line, index) => {
    const isLine = line.startsWith("- ");
    if (!isLine && lines[index + 1]?.startsWith("- ")) parts.push({ title: SHORT[line.replace(/:$/, "")] ?? line.replace(/:$/, ""), lines: [] });
    else if (!isLine && parts.at(-1).lines.some((it) => it.id)) parts.push({ title: null, lines: [] });
    if (line.trim()) parts.at(-1).lines.push({ text: line, id: isLine ? ids[at++] : null });
  });
  if (at !== ids.length) return null;
  for (const part of parts) part.tokens = part.lines.reduce((sum, it) => sum + tokensOf(it.text), 0);
  return parts.filter((it) => it.lines.length);
}

/** The section. `rules` are those that stand; `onTold` hears which of them it tells; without `again` nothing can be changed. */
export async function nextStart({ params, project, rules, signal, again, onTold }) {
  const budget = h("input", { type: "range", min: "100", max: "4000", step: "100", value: params.get("start") ?? "800", "aria-label": "Budget of the next start in tokens" });
  const size = h("output", { class: "small" });
  const bar = h("div", { class: "start-bar", role: "img" });
  const body = h("div", { class: "start", "aria-live": "polite" });
  async function run() {
    try {
      const preview = await call("session/preview", { budget: +budget.value, ...(project ? { project } : {}) }, { signal });
      fill(size, h("strong", null, count(preview.tokens)), ` of ${count(preview.budget)} tokens`);
      onTold?.(new Set(preview.ids));
      const parts = preview.text ? partsOf(preview) : [];
      drawBar(bar, parts ?? [], preview);
      if (!preview.text) return fill(body, empty("Nothing to tell yet", "Once something was decided or done in this project, the next session starts with it."));
      const whole = h("details", { class: "raw" }, h("summary", null, "As plain text"), said(preview.text, { tag: "pre", length: 20000, cls: "said mono" }), button("Copy", () => copy(preview.text), { cls: "small" }));
      return fill(body, parts ? h("div", { class: "start-text" }, parts.map((part) => drawPart(part, { rules, project, again }))) : said(preview.text, { tag: "pre", length: 20000, cls: "said mono" }), parts ? whole : null);
    } catch (error) {
      if (error.name !== "AbortError") fill(body, problem(error));
    }
    return undefined;
  }
  budget.addEventListener("input", debounce(() => { note({ start: budget.value }); run(); }, 120));
  await run();
  return section([again ? "The next start" : "The start at this moment", project ? [" of ", name(projectName(project), 60)] : null, ", word by word"], h("label", { class: "budget" }, "Budget ", budget, size), bar, body);
}

function drawBar(bar, parts, preview) {
  const sums = new Map(parts.filter((it) => it.title).map((it) => [it.title, it.tokens]));
  const around = parts.filter((it) => !it.title).reduce((sum, it) => sum + it.tokens, 0);
  if (around) sums.set("Around them", around);
  const whole = Math.max(preview.budget, preview.tokens, 1);
  bar.setAttribute("aria-label", `Tokens by part: ${[...sums].map(([title, tokens]) => `${title} ${tokens}`).join(", ")}; ${Math.max(0, preview.budget - preview.tokens)} left`);
  fill(bar, [...sums].map(([title, tokens]) => h("span", { class: tone(title), title: `${title}: ${plural(tokens, "token")}`, css: { width: `${(100 * tokens) / whole}%` } })));
}

const tone = (title) => `start-tone-${TONES.includes(title) ? TONES.indexOf(title) : "none"}`;

function drawPart(part, context) {
  const words = (text) => h("span", { class: "start-words" }, name(text, 2000));
  if (!part.title) return h("div", { class: "start-around" }, part.lines.map((it) => h("p", null, words(it.text))));
  const [head, ...rest] = part.lines;
  return h("section", { class: `start-part ${tone(part.title)}`, "aria-label": part.title },
    h("h3", null, words(head.text), h("span", { class: "start-tokens" }, plural(part.tokens, "token"))),
    h("ul", { class: "plain" }, rest.map((it) => drawLine(it, context))));
}

function drawLine(line, { rules, project, again }) {
  const suffix = SUFFIX.exec(line.text)?.[0] ?? "";
  const words = line.text.slice(2, line.text.length - suffix.length);
  const rule = rules.find((it) => it.id.split("@")[0] === line.id && it.text.replace(/\s+/g, " ").startsWith(words.slice(0, 60).replace(/…$/, "")));
  const label = words.slice(0, 80);
  return h("li", { class: "start-line row" },
    h("span", { class: "start-words" }, h("span", { class: "dash" }, "- "), name(words, 2000), h("a", { class: "row-link small", href: to("event", { id: line.id }), "aria-label": `Its event${suffix}` }, suffix || " →")),
    again && h("span", { class: "start-acts" },
      rule ? button("End", () => endRule(rule, again), { cls: "link", "aria-label": `End: ${label}` })
        : [button("Pin", () => pin(words, line.id, project, again), { cls: "link", "aria-label": `Pin: ${label}` }), button("Drop", () => drop(words, line.id, again), { cls: "link", "aria-label": `Drop: ${label}` })]));
}

/** Makes a rule of a line, in words that can still be changed. */
async function pin(text, id, project, again) {
  const where = project ? h("label", { class: "field" }, h("span", null, "For"), h("select", { name: "where" }, h("option", { value: "here" }, projectName(project)), h("option", { value: "" }, "every project"))) : null;
  const values = await ask({ title: "Tell it to every session", body: h("div", null, h("p", { class: "muted" }, "It becomes a rule in your own words, and stands at the top until you end it."), where), action: "Pin it", fields: [{ label: "In your words", key: "text", value: text, long: true }] });
  if (!values?.text.trim()) return;
  await attempt(async () => {
    const stated = await stateRule(values.text.trim(), "rule", values.where ? project : null, [id]);
    notify("Pinned; the next session is told first.", { undo: async () => {
      for (const it of await list("rule/list", { all_projects: true })) if (it.id.startsWith(stated.id)) await call("rule/end", { id: it.id });
      again();
    } });
    again();
  });
}

const WAYS = { end: "It is not true any more: end the fact", hide: "Hide it from every answer, until it is released", erase: "Erase it for good…" };

/** Takes a line away: by ending the fact, by hiding the event, or by erasing it. */
async function drop(text, id, again) {
  await attempt(async () => {
    const [event, [found]] = await Promise.all([call("get", { event: id }), list("quarantine", { event: id })]);
    const isFact = event.kind === "fact.stored";
    const way = h("select", { name: "way" }, Object.entries(WAYS).filter(([it]) => isFact || it !== "end").map(([value, label]) => h("option", { value }, label)));
    const others = (found?.count ?? 1) - 1;
    const values = await ask({ title: "Drop this line?", action: "Drop it", body: h("div", { class: "stack" }, h("blockquote", null, said(text, { length: 400 })), h("label", { class: "field" }, h("span", null, "How"), way, others > 0 ? h("small", null, `Hiding takes ${plural(others, "event")} with it that ${others === 1 ? "is" : "are"} derived from it.`) : null)) });
    if (!values) return;
    if (values.way === "erase") go(to("trust", { event: id }));
    else if (values.way === "end") await endFact(id, again);
    else await hide(id, again);
  });
}

async function endFact(id, again) {
  const fact = await call("fact/get", { fact: id });
  await call("fact/update", { fact: fact.id, until: new Date().toISOString() });
  notify("Ended: no session is told it any more.", { undo: async () => { await call("fact/update", { fact: fact.id, until: fact.valid_until ?? "never" }); again(); } });
  again();
}

async function hide(id, again) {
  const [hidden] = await list("quarantine", { event: id, yes: true, reason: "dropped from what sessions are told" });
  notify("Hidden. Trust lists what is hidden, and releases it.", { undo: async () => { await call("quarantine", { release: hidden.id }); again(); } });
  again();
}
