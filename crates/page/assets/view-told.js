// What the agent is told: what stands for its next session, and what earlier ones were told.
import { call, debounce, list } from "./api.js";
import { count, fill, h, name, plural, said } from "./dom.js";
import { when } from "./moment.js";
import { chip, empty, heading, problem, projectChoice, projectName, projectsOf, section } from "./parts.js";
import { note, to } from "./place.js";
import { ruleRow } from "./view-rules.js";
import { nextStart } from "./view-start.js";

const MOST_UNTOLD = 8;
const MOST_TOLD = 200;
const MOST_RULES = 500;
const MOMENTS = { start: "At its start", failure: "After a failure", prompt: "With a prompt", file: "When a file changed", recall: "When it asked" };

/** Makes the view. */
export async function toldView({ params, signal, at, again }) {
  const project = params.get("project");
  const [shown, rules, projects] = await Promise.all([
    list("shown", { limit: MOST_TOLD }, { signal, page: { page_size: MOST_TOLD } }),
    list("rule/list", project ? { project } : { all_projects: true }, { signal, page: { page_size: MOST_RULES } }),
    projectsOf(signal)]);
  const told = shown.filter((it) => !project || it.project === project).reverse();
  const start = told.find((it) => it.moment === "start");
  const choose = await projectChoice(project, signal, projects);
  const others = h("div");
  const change = at ? null : again;
  const next = await nextStart({ params, project: project ?? start?.project ?? projects[0], rules, signal, again: change, onTold: (ids) => fill(others, untold(rules.filter((it) => !ids.has(it.id.split("@")[0])), change)) });
  return h("div", null,
    heading("What it is told", at ? "What a session would have started with at this moment, and what sessions had been told by then." : "A session starts with the rules that stand and what matters from the ones before. Pin a line, end a rule, drop what should not be said.", choose),
    h("div", { class: "told" },
      h("div", null, next, others, await question(params, signal)),
      h("div", null,
        section("The latest start", start ? [h("p", { class: "muted small" }, "What the newest session of ", project ? name(projectName(project)) : "any project", " began with. ", at ? "" : "The next one begins with the same, and with what happened since."), toldCard(start, true)] : empty("No session has started yet", "Set up an agent, and each start is kept here, line by line.", h("code", null, "idetic setup claude"))),
        told.length > 1 ? section("Told before", told.filter((it) => it !== start).slice(0, 60).map((it) => toldCard(it, false))) : null)));
}

/** What stands and is not in the next start: of other projects, uncertain, reported done, over, or too much for the budget. */
function untold(rules, again) {
  return rules.length ? section(["Stands, and is not in it ", h("span", { class: "muted" }, count(rules.length))], h("p", { class: "muted small" }, "Said in other projects, uncertain, reported done, over, or too much for the budget."), h("div", { class: "list" }, rules.slice(0, MOST_UNTOLD).map((it) => ruleRow(it, again))), rules.length > MOST_UNTOLD ? h("p", { class: "small" }, h("a", { href: to("rules") }, "All rules")) : null) : null;
}

/** One telling: each line leads to its event. */
export function toldCard(telling, open) {
  return h("details", { class: "card told-card", open }, h("summary", null, h("strong", null, MOMENTS[telling.moment] ?? telling.moment), " · ", when(telling.ts), h("span", { class: "chips" },
    telling.project ? chip(projectName(telling.project)) : null, chip(`${plural((telling.events ?? []).length, "line")}`), telling.tokens ? chip(`${telling.tokens} tokens`) : null)),
    telling.session ? h("p", { class: "small told-session" }, "Session ", h("a", { href: to("session", { id: telling.session }) }, name(telling.session, 60))) : null,
    h("ol", { class: "lines" }, (telling.events ?? []).map((line) => h("li", null, h("a", { class: "row-link", href: to("event", { id: line.id }), "aria-label": `Line ${line.rank}: its event` }, `${line.rank}`), line.text ? said(line.text, { length: 220 }) : h("span", { class: "muted" }, "erased since")))));
}

async function question(params, signal) {
  const input = h("input", { type: "search", value: params.get("q") ?? "", placeholder: "e.g. which port does the payment service use", "aria-label": "A question" });
  const budget = h("input", { type: "range", min: "100", max: "4000", step: "100", value: params.get("budget") ?? "1000", "aria-label": "Budget in tokens" });
  const said_budget = h("output", { class: "muted small" });
  const answer = h("div", { class: "context", "aria-live": "polite" });
  async function run() {
    fill(said_budget, `at most ${count(+budget.value)} tokens`);
    const query = input.value.trim();
    if (!query) return fill(answer, h("p", { class: "muted" }, "Type a question: this is the exact text an agent would get, fenced and cited, or nothing if nothing is good enough."));
    try {
      const context = await call("context", { query, budget: +budget.value }, { signal });
      fill(answer, h("p", { class: "small muted" }, context.abstained ? "It abstains: nothing is good enough to be put before an agent." : `${context.tokens} of ${context.budget} tokens, ${plural(context.sources.length, "source")}${context.omitted ? `, ${context.omitted} left out` : ""}`),
        context.text ? said(context.text, { tag: "pre", length: 8000, cls: "said mono" }) : null,
        h("p", { class: "chips" }, (context.sources ?? []).map((it) => chip(`[${it.number}] ${it.origin}`, { href: to("event", { id: it.id }) }))));
    } catch (error) {
      if (error.name !== "AbortError") fill(answer, problem(error));
    }
    return undefined;
  }
  const soon = debounce(() => { note({ q: input.value, budget: budget.value }); run(); }, 180);
  input.addEventListener("input", soon);
  budget.addEventListener("input", soon);
  await run();
  return section("Told about a question", h("div", { class: "question" }, input, h("label", { class: "budget" }, "Budget ", budget, said_budget)), answer);
}
