// Two pages for those who have nothing yet: a key to sign in with, or a first memory.
import { call, key } from "./api.js";
import { fill, h, said } from "./dom.js";
import { attempt, button, copy, problem } from "./parts.js";

/** Asks for an API key. */
export function signIn(failure, done) {
  const field = h("input", { type: "password", name: "key", required: true, autocomplete: "off", placeholder: "idk_…" });
  const form = h("form", { class: "card sign-in", on: { submit: (event) => { event.preventDefault(); key.set(field.value.trim()); done(); } } },
    h("h1", null, "Sign in"), h("p", { class: "lead" }, "This server answers to API keys. What the key may not see is not here."),
    failure ? h("p", { class: "muted" }, said(failure.message, { tag: "span" })) : null,
    h("label", { class: "field" }, h("span", null, "API key"), field, h("small", null, "It is kept for this tab only. Whoever runs the server makes one with `idetic key create`.")),
    h("button", { type: "submit", class: "primary" }, "Sign in"));
  return h("div", { class: "view" }, form);
}

const COMMANDS = [["Claude Code", "idetic setup claude"], ["Codex", "idetic setup codex"], ["Cursor", "idetic setup cursor"], ["VS Code", "idetic setup vscode"], ["Sessions you already had", "idetic import claude"]];

/** From nothing to a first recall. */
export function firstRun(done) {
  const text = h("textarea", { rows: "2", required: true, "aria-label": "Something to remember", value: "The build needs Node 20" });
  const query = h("input", { type: "text", required: true, "aria-label": "A question", value: "which version of Node?" });
  const kept = h("div", { class: "first-answer", role: "status" });
  const found = h("div", { class: "first-answer", role: "status" });
  const recall = h("form", { class: "first-step", hidden: true, on: { submit } }, h("h2", null, "2. Ask for it in other words"), h("div", { class: "first-row" }, query, h("button", { class: "primary" }, "Recall")), found);
  const remember = h("form", { class: "first-step", on: { submit: keep } }, h("h2", null, "1. Tell it something"), h("div", { class: "first-row" }, text, h("button", { class: "primary" }, "Remember")), kept);
  async function keep(event) {
    event.preventDefault();
    await attempt(async () => {
      const answer = await call("remember", { text: text.value, trust: "user" });
      const first = answer.items?.[0] ?? answer;
      fill(kept, h("p", null, "Kept as event ", h("strong", null, `#${first.seq ?? first.pos ?? 1}`), ": it is on disk, and part of a chain of hashes from now on."));
      recall.hidden = false;
      query.focus();
    });
  }
  async function submit(event) {
    event.preventDefault();
    try {
      const { hits = [] } = await call("recall", { query: query.value, k: 3 });
      fill(found, hits.length ? hits.map((hit) => h("blockquote", null, said(hit.text))) : h("p", null, "Nothing is good enough as an answer. Try words that are closer."), button("Look around", done, { cls: "primary" }));
    } catch (error) {
      fill(found, problem(error));
    }
  }
  return h("div", { class: "first" },
    h("header", { class: "heading" }, h("div", null, h("h1", { tabindex: "-1" }, "Nothing is remembered yet"), h("p", { class: "lead" }, "One append-only log of everything your agent sees and does. Two steps to see it work."))),
    remember, recall,
    h("section", { class: "first-step" }, h("h2", null, "Then let your agent do it"), h("p", { class: "muted" }, "One command in a terminal. From its next session on, the agent remembers and recalls by itself, and you watch it here."),
      h("dl", { class: "commands" }, COMMANDS.map(([title, command]) => [h("dt", null, title), h("dd", null, h("code", null, command), button("Copy", () => copy(command), { cls: "link", "aria-label": `Copy ${command}` }))]))));
}
