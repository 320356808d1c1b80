// Starts the page: the frame around the views, the way from one to another, the keyboard.
import { call, enterWith, follow, key, list } from "./api.js";
import { fill, h, icon, name } from "./dom.js";
import { MENU } from "./menu.js";
import { heading, problem } from "./parts.js";
import { openPalette } from "./palette.js";
import { go, here, place, to } from "./place.js";
import { openHelp } from "./help.js";
import { signIn } from "./welcome.js";
import { newest, timebar } from "./timebar.js";
import { compareView } from "./view-compare.js";
import { eventView } from "./view-event.js";
import { factView, factsView } from "./view-facts.js";
import { failuresView } from "./view-failures.js";
import { graphView } from "./view-graph.js";
import { notesView, noteView } from "./view-notes.js";
import { nowView } from "./view-now.js";
import { personasView } from "./view-personas.js";
import { rulesView } from "./view-rules.js";
import { searchView } from "./view-search.js";
import { sessionsView, sessionView } from "./view-sessions.js";
import { toldView } from "./view-told.js";
import { trustView } from "./view-trust.js";

const VIEWS = { now: nowView, told: toldView, sessions: sessionsView, session: sessionView, search: searchView, facts: factsView, fact: factView, rules: rulesView, notes: notesView, note: noteView, graph: graphView, failures: failuresView, personas: personasView, compare: compareView, trust: trustView, event: eventView };
const PARENTS = { session: "sessions", fact: "facts", note: "notes" };

const ACTIONS = [["Back to the present", () => go(here({ at: null }))], ["One event back", () => step(-1)], ["One event forward", () => step(1)], ["Light or dark", toggleTheme], ["Keyboard and help", openHelp]];

const time = timebar();
const main = h("main", { id: "main", tabindex: "-1" });
const nav = h("nav", { id: "nav", class: "nav", "aria-label": "Views" });
const spaces = h("select", { class: "spaces", "aria-label": "Space", on: { change: () => go(to("now", { space: spaces.value, at: null })) } });
const state = h("span", { class: "stream", role: "status" });
const listeners = new Set();
let shown = { address: null, control: null, cleanup: null };
let stream = { space: undefined, control: null };

function frame() {
  const menu = h("button", { type: "button", class: "quiet icon-button menu", "aria-label": "Menu", "aria-expanded": "false", "aria-controls": "nav", on: { click: () => openMenu() } }, icon("menu"));
  const top = h("header", { class: "top" }, menu, h("a", { class: "brand", href: "#/now", "aria-label": "Idetic, start" }, h("span", { class: "mark", "aria-hidden": "true" }), "Idetic"), spaces, state,
    h("button", { type: "button", class: "find", "aria-label": "Find anything", on: { click: () => openPalette(ACTIONS) } }, icon("search"), h("span", null, "Find anything"), h("kbd", null, navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K")),
    h("button", { type: "button", class: "quiet icon-button", "aria-label": "Light or dark", title: "Light or dark", on: { click: toggleTheme } }, icon("theme")),
    h("button", { type: "button", class: "quiet icon-button", "aria-label": "Keyboard and help", title: "Keyboard and help", on: { click: openHelp } }, "?"));
  fill(document.getElementById("app"), h("div", { class: "progress", id: "progress", hidden: true }), top, h("div", { class: "columns" }, nav, main), time.bar);
  nav.addEventListener("click", () => openMenu(false));
}

function openMenu(open = !document.body.classList.contains("menu-open")) {
  document.body.classList.toggle("menu-open", open);
  document.querySelector(".menu").setAttribute("aria-expanded", String(open));
  if (open) nav.querySelector("a")?.focus();
}

function drawNav(view) {
  fill(nav, MENU.map(([address, label]) => h("a", { href: to(address), "aria-current": (PARENTS[view] ?? view) === address ? "page" : null }, icon(address), label)));
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("idetic.theme", root.dataset.theme);
  window.dispatchEvent(new Event("idetic:theme"));
}

const titleOf = (view) => MENU.find(([address]) => address === (PARENTS[view] ?? view))?.[1] ?? "Event";

/** Shows the view that the address names; the one before stays until the new one is there. */
async function show() {
  const { view, params, at, space } = place();
  const same = shown.view === view && shown.params === params.toString();
  shown.control?.abort();
  const control = new AbortController();
  const before = shown;
  shown = { view, params: params.toString(), control };
  drawNav(view);
  connect(space);
  time.show();
  const progress = document.getElementById("progress");
  const slow = setTimeout(() => { progress.hidden = false; }, 150);
  let node;
  try {
    node = await (VIEWS[view] ?? VIEWS.now)({ params, at, space, signal: control.signal, onEvent: (run) => { listeners.add(run); control.signal.addEventListener("abort", () => listeners.delete(run)); }, again: show });
  } catch (error) {
    if (control.signal.aborted) return;
    if (error.status === 401) return;
    if (!error.status && error.status !== 0) console.error(error);
    node = h("div", null, heading(titleOf(view)), problem(error));
  } finally {
    clearTimeout(slow);
    if (!control.signal.aborted) progress.hidden = true;
  }
  if (control.signal.aborted) return;
  const scroll = same ? scrollY : 0;
  fill(main, h("div", { class: `view view-${view}` }, node));
  document.title = `${titleOf(view)} · Idetic`;
  scrollTo(0, scroll);
  if (!same && before.view !== undefined) main.querySelector("h1")?.focus({ preventScroll: true });
}

/** Follows the log of the space, once for the whole page. */
async function connect(space) {
  if (stream.control && stream.space === space) return;
  stream.control?.abort();
  const control = new AbortController();
  stream = { space, control };
  time.reset();
  fill(state, "");
  try {
    listSpaces(space);
    const event = await newest({ space, signal: control.signal });
    if (control.signal.aborted) return;
    if (event) time.grow(event);
    else time.show();
    follow(event?.seq ?? event?.pos ?? 0, { signal: control.signal, space, onEvent: (it) => { time.grow(it); for (const run of listeners) run(it); },
      onState: (it) => fill(state, h("span", { class: `dot ${it}` }), { live: "live", waiting: "reconnecting", closed: "not live" }[it]) });
  } catch (error) {
    if (!control.signal.aborted) stream = { space: undefined, control: null };
  }
}

async function listSpaces(space) {
  const [known, status] = await Promise.all([list("spaces", {}, { at: null, space: null }).catch(() => []), space ? null : call("status", {}, { at: null }).catch(() => null)]);
  if (place().space !== space) return;
  const current = space ?? status?.space ?? "";
  const names = [...new Set([current, ...known.map((it) => it.space)])].filter(Boolean);
  fill(spaces, names.map((it) => h("option", { value: it }, name(it, 60).textContent)));
  spaces.value = current;
  spaces.hidden = names.length === 0;
}

let leader = 0;
function onKey(event) {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return openPalette(ACTIONS);
  }
  const typing = event.target.closest("input:not([type=range]), textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.key === "Escape") return openMenu(false);
  if (Date.now() - leader < 1200) {
    leader = 0;
    const entry = MENU.find(([, , letter]) => letter === event.key);
    if (entry) return go(to(entry[0]));
  }
  if (event.key === "g") leader = Date.now();
  else if (event.key === "?") openHelp();
  else if (event.key === "/") {
    event.preventDefault();
    openPalette(ACTIONS);
  } else if (event.key === "j" || event.key === "k") walk(event.key === "j" ? 1 : -1);
  else if (event.key === "[" || event.key === "]") step(event.key === "]" ? 1 : -1);
  else if (event.key === "l") go(here({ at: null }));
  return undefined;
}

function walk(by) {
  const rows = [...main.querySelectorAll(".row-link")].filter((it) => it.offsetParent !== null);
  const at = rows.findIndex((it) => it === document.activeElement || it.closest(".row")?.contains(document.activeElement));
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const range = document.getElementById("time-range");
  const at = Math.max(1, +range.value + by);
  go(here({ at: at >= +range.max ? null : at }), { replace: true });
}

/** A link of `idetic open` signs in once; the token leaves the address at once. */
async function enter() {
  const token = /^#token=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (!token) return;
  history.replaceState(null, "", "#/now");
  await enterWith(token);
}

window.addEventListener("hashchange", show);
window.addEventListener("idetic:theme", () => shown.view === "graph" && show());
window.addEventListener("idetic:signin", ({ detail }) => {
  // Several requests may be refused at once; what somebody has begun to type stays.
  if (main.querySelector(".sign-in")) return;
  key.set(null);
  // A view that makes do without what it was refused does not take the place of the form.
  shown.control?.abort();
  document.getElementById("progress").hidden = true;
  fill(main, signIn(detail, () => { fill(main); stream = { space: undefined, control: null }; show(); }));
});
document.addEventListener("keydown", onKey);
const theme = localStorage.getItem("idetic.theme");
if (theme) document.documentElement.dataset.theme = theme;
frame();
await enter();
show();
