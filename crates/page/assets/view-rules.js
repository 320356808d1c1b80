// Rules, decisions and to-dos that stand, in the user's own words.
import { call, list } from "./api.js";
import { h, said } from "./dom.js";
import { when } from "./moment.js";
import { ask, attempt, button, chip, empty, heading, notify, projectChoice, projectName } from "./parts.js";
import { to } from "./place.js";

const TITLES = { rule: "Rules", decision: "Decisions", todo: "To do" };
const MOST = 1000;

/** Makes the view. */
export async function rulesView({ params, signal, at, again }) {
  const project = params.get("project");
  const [rules, choose] = await Promise.all([list("rule/list", project ? { project } : { all_projects: true }, { signal, page: { page_size: MOST } }), projectChoice(project, signal)]);
  const head = heading("Rules", "Taken from prompts in the words that were said. They are the first thing a session hears.", choose, at ? null : button("State one", () => state(again), { cls: "primary" }));
  if (rules.length === 0) return h("div", null, head, at ? empty("No rules stood", "None had been stated by this moment, or all of them had been ended.") : empty("No rules stand", "Tell your agent “Remember: …”, “From now on …” or “Let's go with …”, or state one yourself."));
  return h("div", null, head, Object.entries(TITLES).map(([kind, title]) => {
    const mine = rules.filter((it) => it.kind === kind);
    return mine.length ? h("section", { class: "section" }, h("h2", null, title), h("div", { class: "list" }, mine.map((it) => ruleRow(it, at ? null : again)))) : null;
  }));
}

/** One rule, with a button that ends it. */
export function ruleRow(rule, again) {
  const event = rule.id.split("@")[0];
  return h("article", { class: "row rule" }, h("div", { class: "body" }, said(rule.text, { length: 400 }),
    h("span", { class: "chips" }, rule.project ? chip(projectName(rule.project)) : chip("every project"), rule.sure === false ? chip("perhaps", { cls: "warn", title: "the model that reads prompts is not certain" }) : null)),
    h("a", { class: "row-link small", href: to("event", { id: event }) }, "said ", when(rule.ts, "ago")),
    again ? button("End", () => endRule(rule, again), { cls: "small", "aria-label": `End: ${rule.text.slice(0, 80)}` }) : null);
}

/** States something as the user's own word; it stands until it is ended. */
export const stateRule = (text, kind, project, refs) => call("remember", { text, tags: [kind], trust: "user", ...(project ? { source: project } : {}), ...(refs ? { refs } : {}) });

/** Ends a rule, after asking. */
export async function endRule(rule, again) {
  const yes = await ask({ title: "End this?", body: h("div", null, h("blockquote", null, said(rule.text)), h("p", { class: "muted" }, "No session is told it any more. The words stay in the log.")), action: "End it" });
  if (!yes) return;
  await attempt(async () => {
    await call("rule/end", { id: rule.id });
    notify("Ended.", { undo: async () => { await stateRule(rule.text, rule.kind, rule.project); again(); } });
    again();
  });
}

async function state(again) {
  const kind = h("select", { name: "kind", "aria-label": "What it is" }, Object.entries({ rule: "a rule", decision: "a decision", todo: "a to-do" }).map(([value, label]) => h("option", { value }, label)));
  const values = await ask({ title: "State one", body: h("label", { class: "field" }, h("span", null, "It is"), kind), action: "State it", fields: [{ label: "In your words", key: "text", long: true }] });
  if (!values?.text.trim()) return;
  await attempt(async () => {
    const stated = await stateRule(values.text.trim(), values.kind);
    notify("Stated; the next session is told.", { undo: async () => { await call("rule/end", { id: stated.id }); again(); } });
    again();
  });
}
