// The exact text that the next session of a project starts with, within a budget that can be moved.
import { accepts, call, debounce } from "./api.js";
import { count, fill, h, plural, said } from "./dom.js";
import { chip, empty, problem, section } from "./parts.js";
import { here, note, to } from "./place.js";

const SHOWN_EVENTS = 40;

/** The section, or nothing where the server cannot tell. */
export async function nextStart(params, project, signal) {
  if (!(await accepts("session/preview", "budget"))) return null;
  const budget = h("input", { type: "range", min: "100", max: "4000", step: "100", value: params.get("start") ?? "800", "aria-label": "Budget of the next start in tokens" });
  const size = h("output", { class: "muted small" });
  const text = h("div", { class: "context", "aria-live": "polite" });
  async function run() {
    try {
      const preview = await call("session/preview", { budget: +budget.value, ...(project ? { project } : {}) }, { signal });
      fill(size, `${count(preview.tokens)} of ${count(preview.budget)} tokens`);
      if (!preview.text) return fill(text, empty("Nothing to tell yet", "Once something was decided or done in this project, the next session starts with it.", h("a", { href: here({ project: null }) }, "All projects")));
      fill(text, said(preview.text, { tag: "pre", length: 20000, cls: "said mono" }),
        h("p", { class: "small muted" }, `From ${plural(preview.ids.length, "event")}, in the order of the lines:`),
        h("p", { class: "chips" }, preview.ids.slice(0, SHOWN_EVENTS).map((id, index) => chip(`${index + 1}`, { href: to("event", { id }) }))));
    } catch (error) {
      if (error.name !== "AbortError") fill(text, problem(error));
    }
    return undefined;
  }
  budget.addEventListener("input", debounce(() => { note({ start: budget.value }); run(); }, 120));
  await run();
  return section("The next start, word by word", h("label", { class: "budget" }, "Budget ", budget, size), text);
}
