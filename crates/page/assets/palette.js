// Finds anything: views, actions, moments, memories, facts, notes and sessions, from one field.
import { call, debounce, list, rows } from "./api.js";
import { cut, fill, h, name, wordsOf, marked, passage } from "./dom.js";
import { MENU } from "./menu.js";
import { kindOf } from "./parts.js";
import { go, here, to } from "./place.js";

let open = null;

/** Opens the field, or puts the cursor back into it. `actions` are names with what they do. */
export function openPalette(actions = []) {
  if (open) return open.querySelector("input").focus();
  let choices = [];
  let at = 0;
  let moved = false;
  let control = new AbortController();
  const results = h("div", { class: "palette-results", role: "listbox", id: "palette-results", "aria-label": "Found" });
  const input = h("input", { type: "text", role: "combobox", placeholder: "Find a view, a memory, a fact, a note, an event number…", "aria-label": "Find anything", "aria-controls": "palette-results", "aria-expanded": "true", autocomplete: "off", spellcheck: "false" });
  const dialog = h("dialog", { class: "palette", "aria-label": "Find anything", on: { close: () => { control.abort(); dialog.remove(); open = null; } } }, input, results);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  function draw(groups) {
    // What was moved to stays chosen when more is found.
    const kept = moved ? choices[at] : null;
    choices = groups.flatMap(([, items]) => items);
    const again = kept ? choices.findIndex((item) => item.href === kept.href && item.run === kept.run) : 0;
    at = again >= 0 ? again : Math.min(at, Math.max(0, choices.length - 1));
    let index = 0;
    fill(results, groups.filter(([, items]) => items.length).map(([title, items]) => h("div", { role: "group", "aria-label": title }, h("div", { class: "palette-title", "aria-hidden": "true" }, title),
      items.map((item) => {
        const mine = index++;
        return h("div", { role: "option", id: `choice-${mine}`, class: "palette-item", "aria-selected": String(mine === at), on: { click: () => choose(mine), pointermove: () => select(mine) } }, h("span", { class: "kind" }, item.label), item.node);
      }))), choices.length ? null : h("p", { class: "muted palette-none" }, "Nothing found."));
    input.setAttribute("aria-activedescendant", choices.length ? `choice-${at}` : "");
  }
  function select(index) {
    moved = true;
    if (index === at) return;
    results.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    at = index;
    const element = results.querySelector(`#choice-${at}`);
    element?.setAttribute("aria-selected", "true");
    element?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `choice-${at}`);
  }
  function choose(index) {
    const choice = choices[index];
    if (!choice) return;
    dialog.close();
    if (choice.run) choice.run();
    else go(choice.href);
  }
  const says = (label, query) => label.toLowerCase().includes(query.toLowerCase());
  const views = (query) => MENU.filter(([, label]) => says(label, query)).map(([view, label]) => ({ label: "View", node: h("span", null, label), href: to(view) }));
  const acts = (query) => actions.filter(([label]) => says(label, query)).map(([label, run]) => ({ label: "Do", node: h("span", null, label), run }));
  const first = (query) => [["Views", views(query)], ["Actions", acts(query)]];
  const search = debounce(async (query) => {
    control.abort();
    control = new AbortController();
    const { signal } = control;
    const words = wordsOf(query);
    const line = (text) => marked(passage(text ?? "", words, 100), words, { length: 110, cls: "one-line" }).firstChild;
    const found = { Memories: [], Facts: [], Notes: [], Sessions: [] };
    // What comes first is shown first: a group that takes long holds up no other.
    const show = (group, promise, item) => promise.then((items) => {
      if (signal.aborted) return;
      found[group] = items.map(item);
      draw([...first(query), ...Object.entries(found), ["More", more(query)]]);
    }, () => {});
    await Promise.all([
      show("Memories", call("recall", { query, k: 8 }, { signal }).then((it) => it.hits ?? []), (hit) => ({ label: kindOf(hit).label, node: line(cut(hit.text ?? "", 4000)), href: to("event", { id: hit.id }) })),
      show("Facts", call("fact/retrieve", { query, top_k: 4 }, { signal }).then((it) => it.facts ?? []), (it) => ({ label: "Fact", node: line(it.content), href: to("fact", { id: it.id }) })),
      show("Notes", list("note/search", { query, k: 4 }, { signal }), (it) => ({ label: "Note", node: name(it.title ?? it.note), href: to("note", { id: it.note }) })),
      show("Sessions", rows("SELECT DISTINCT trace_id FROM traces WHERE trace_id LIKE '%' || :part || '%' ORDER BY last_seq DESC LIMIT 4", { signal, parameters: [`part=${query}`] }).then((it) => it ?? []), (it) => ({ label: "Session", node: name(it.trace_id), href: to("session", { id: it.trace_id }) }))]);
    if (!signal.aborted) results.setAttribute("aria-busy", "false");
  }, 140);
  const more = (query) => [/^#?\d+$/.test(query) ? { label: "Event", node: h("span", null, `Open event ${query.replace("#", "")}`), href: to("event", { id: query.replace("#", "") }) } : null,
    /^\d+$/.test(query) ? { label: "Moment", node: h("span", null, `See everything as it was at event ${query}`), href: here({ at: query }) } : null,
    /^\d{4}-\d\d-\d\d/.test(query) && !Number.isNaN(Date.parse(query)) ? { label: "Moment", node: h("span", null, "See everything as it was on ", name(query, 40)), href: here({ at: new Date(query).toISOString() }) } : null,
    { label: "Search", node: h("span", null, "Search for “", name(query, 60), "” with all its scores"), href: to("search", { q: query }) }].filter(Boolean);

  input.addEventListener("input", () => {
    const query = input.value.trim();
    control.abort();
    at = 0;
    moved = false;
    results.setAttribute("aria-busy", String(query !== ""));
    if (query === "") return draw(first(""));
    draw([...first(query), ["More", more(query)]]);
    return search(query);
  });
  input.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (moves[event.key]) {
      event.preventDefault();
      select(Math.max(0, Math.min(choices.length - 1, at + moves[event.key])));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(at);
    }
  });
  draw(first(""));
  document.body.append(dialog);
  open = dialog;
  dialog.showModal();
  return input.focus();
}
