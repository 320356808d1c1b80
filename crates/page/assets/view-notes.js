// Notes: what was learned, one insight each, with their links and how often they worked.
import { call, debounce, list } from "./api.js";
import { fill, h, name, plural, said } from "./dom.js";
import { when } from "./moment.js";
import { ask, attempt, button, chip, empty, heading, notify, problem, section } from "./parts.js";
import { here, note as keep, to } from "./place.js";
import { markdown } from "./markdown.js";

/** Makes the list. */
export async function notesView({ params, signal, at }) {
  const tag = params.get("tag");
  const field = h("input", { type: "search", value: params.get("q") ?? "", placeholder: "Find notes by words or meaning", "aria-label": "Find notes" });
  const body = h("div");
  async function load() {
    const query = field.value.trim();
    const tags = tag ? { tags: [tag] } : {};
    const notes = query ? await list("note/search", { query, k: 50, ...tags }, { signal }) : await list("note/list", tags, { signal, page: { page_size: 300 } });
    fill(body, notes.length ? h("div", { class: "cards" }, notes.map(card)) : empty("No notes here", query || tag ? "Nothing matches." : "Agents write a note when something is worth keeping; so can you.", at ? null : button("Write a note", write, { cls: "primary" })));
  }
  field.addEventListener("input", debounce(() => { keep({ q: field.value || null }); load().catch((error) => fill(body, problem(error))); }, 160));
  await load();
  return h("div", null, heading("Notes", "What was learned, one insight each.", at ? null : button("Write a note", write, { cls: "primary" })),
    h("div", { class: "search-bar" }, field, tag ? h("a", { class: "chip chosen", href: here({ tag: null }) }, "#", name(tag, 30), " ✕") : null), body);
}

function card(note) {
  return h("article", { class: "card note-card row" }, h("h2", null, h("a", { class: "row-link", href: to("note", { id: note.note }) }, name(note.title || note.note, 120))),
    standing(note), h("p", { class: "chips" }, note.status ? chip(note.status) : null, (note.tags ?? []).slice(0, 5).map((it) => chip(`#${it}`, { cls: "tag", href: to("notes", { tag: it }) })), note.links?.length ? chip(plural(note.links.length, "link")) : null),
    h("p", { class: "small muted" }, note.author ? [name(note.author, 40), ", "] : null, when(note.updated, "ago")));
}

/** How far a note is to be relied on, after what was tried. */
export function standing(note) {
  const share = Math.round(100 * (note.standing ?? note.sure ?? 0));
  const tried = note.worked || note.failed ? `worked ${note.worked} of ${note.worked + note.failed} times` : "not tried yet";
  return h("div", { class: "standing" }, h("div", { class: "meter", role: "img", "aria-label": `Confidence ${share} percent, ${tried}` }, h("span", { css: { width: `${share}%` } })), h("span", { class: "small muted" }, `${note.confidence ?? note.how_sure ?? ""}, ${tried}`));
}

async function write() {
  const values = await ask({ title: "Write a note", action: "Write", fields: [{ label: "Title, in one line", key: "title" }, { label: "What it says, in Markdown", key: "content", long: true }, { label: "Tags, separated by commas", key: "tags" }] });
  if (!values?.title.trim()) return;
  await attempt(async () => {
    const answer = await call("note/write", { title: values.title, content: values.content, tags: values.tags.split(",").map((it) => it.trim()).filter(Boolean) });
    const written = answer.items?.[0] ?? answer;
    notify("Written.");
    location.hash = to("note", { id: written.note });
  });
}

/** Makes one note. */
export async function noteView({ params, signal, at, again }) {
  const id = params.get("id") ?? "";
  const note = await call("note/show", { note: id }, { signal });
  const [related, history] = await Promise.all([list("note/related", { note: id, depth: 2 }, { signal }).catch(() => []), list("note/history", { note: id, diff: true }, { signal }).catch(() => [])]);
  const text = (note.text ?? "").replace(/^---\n[\s\S]*?\n---\n/, "");
  const body = text.trimStart();
  const titled = `# ${note.title}`;
  const link = (other, title) => h("a", { class: "row-link", href: to("note", { id: other }) }, name(title ?? other));
  return h("div", { class: "note-page" },
    heading(name(note.title || note.note, 120), h("span", null, name(note.note, 60), note.author ? [" · ", name(note.author, 40)] : null, " · ", when(note.updated, "ago")),
      at ? null : [button("Edit", () => edit(note, text, again)), button("It worked", () => outcome(note, true, again)), button("It did not", () => outcome(note, false, again)), button("Delete", () => remove(note), { cls: "danger" })]),
    h("div", { class: "note-columns" },
      h("article", { class: "note-text" }, text.trim() ? (body.startsWith(`${titled}\n`) ? markdown(body.slice(titled.length), 1) : markdown(text)) : h("p", { class: "muted" }, "It says nothing.")),
      h("aside", { class: "side" },
        h("section", { class: "card" }, h("h2", null, "Standing"), standing(note), h("p", { class: "chips" }, note.status ? chip(note.status) : null, note.origin ? chip(note.origin, { cls: "origin" }) : null, (note.tags ?? []).slice(0, 40).map((it) => chip(`#${it}`, { cls: "tag", href: to("notes", { tag: it }) }))), h("p", { class: "small" }, h("a", { href: to("graph", { node: note.note }) }, "Show in the graph"))),
        note.links?.length ? h("section", { class: "card" }, h("h2", null, "Links to"), h("ul", { class: "plain" }, note.links.slice(0, 50).map((it) => h("li", null, link(it, related.find((one) => one.note === it)?.title))))) : null,
        note.linked_from?.length ? h("section", { class: "card" }, h("h2", null, "Linked from"), h("ul", { class: "plain" }, note.linked_from.slice(0, 50).map((it) => h("li", null, link(it, related.find((one) => one.note === it)?.title))))) : null,
        related.some((it) => it.distance > 1) ? h("section", { class: "card" }, h("h2", null, "Two steps away"), h("ul", { class: "plain" }, related.filter((it) => it.distance > 1).slice(0, 20).map((it) => h("li", null, link(it.note, it.title), " ", h("span", { class: "muted small" }, "via ", name(it.via, 40)))))) : null)),
    history.length ? section("Versions", history.slice(0, 40).map((it) => h("details", { class: "version" }, h("summary", null, when(it.recorded_at), " ", it.deleted ? "deleted" : "", it.author ? [" by ", name(it.author, 40)] : null), h("p", { class: "small" }, h("a", { href: to("event", { id: it.id }) }, `Event #${it.seq}`)), diff(it.diff ?? [])))) : null);
}

const diff = (lines) => h("pre", { class: "diff", tabindex: "0" }, lines.slice(0, 400).map((it) => h("span", { class: it.startsWith("+") ? "plus" : it.startsWith("-") ? "minus" : "" }, name(it, 400), "\n")));

async function edit(note, text, again) {
  const values = await ask({ title: "Edit this note", action: "Save", fields: [{ label: "Title", key: "title", value: note.title }, { label: "What it says, in Markdown", key: "content", value: text.trimStart(), long: true }] });
  if (!values) return;
  await attempt(async () => {
    await call("note/edit", { note: note.note, title: values.title, content: values.content, ...(note.seq ? { expect: note.seq } : {}) });
    notify("Saved; the version before is kept.", { undo: async () => { await call("note/edit", { note: note.note, title: note.title, content: text }); again(); } });
    again();
  });
}

async function outcome(note, worked, again) {
  await attempt(async () => {
    await call("note/outcome", { note: note.note, [worked ? "worked" : "failed"]: true });
    notify(worked ? "Noted: it worked." : "Noted: it did not work.");
    again();
  });
}

async function remove(note) {
  const yes = await ask({ title: "Delete this note?", body: h("div", null, h("blockquote", null, said(note.title)), h("p", { class: "muted" }, "Its history stays in the log.")), action: "Delete", danger: true });
  if (!yes) return;
  await attempt(async () => {
    await call("note/delete", { note: note.note });
    notify("Deleted.", { undo: async () => { await call("note/write", { id: note.note, title: note.title, content: (note.text ?? "").replace(/^---\n[\s\S]*?\n---\n/, ""), tags: note.tags ?? [], links: note.links ?? [] }); location.hash = to("note", { id: note.note }); } });
    location.hash = to("notes");
  });
}
