// Keys and backups: who may call the server, what administrators did, and how the memory is kept elsewhere.
import { backedUp, call, exported, key } from "./api.js";
import { count, fill, h, name, plural } from "./dom.js";
import { when } from "./moment.js";
import { ask, attempt, button, chip, copy, notify, section } from "./parts.js";

const SCOPES = { read: "read", write: "read and write", admin: "everything" };
const MOST_ACTS = 30;

/** The keys there were at a moment. `made` is nothing where this reader may not list them: then the audit log says which were made. */
export function keys({ audit, made, at, now, again }) {
  if (!audit && !made) return section("Keys and administration", h("p", { class: "muted" }, "Only administrators see this."));
  const calls = (audit ?? []).filter((it) => it.kind === "admin.called" && it.metadata?.operation !== "key list").slice(0, MOST_ACTS);
  const known = (made ?? ofAudit(audit)).filter((it) => !at || new Date(it.created).getTime() <= now).map((it) => ({ ...it, state: stateOf(it, at, now) })).sort((a, b) => (a.state === "in use" ? 0 : 1) - (b.state === "in use" ? 0 : 1));
  const mayChange = made !== null && !at;
  return section("Keys and administration",
    key.get() ? h("p", null, "This tab is signed in with a key. ", button("Sign out", () => { key.set(null); location.reload(); }, { cls: "small" })) : null,
    known.length ? h("div", { class: "scroll", tabindex: "0" }, h("table", { class: "data keys-made" }, h("thead", null, h("tr", null, ["Key", "May", "Sees", "Made", "State"].map((it) => h("th", { scope: "col" }, it)), mayChange ? h("td") : null)),
      h("tbody", null, known.map((it) => keyRow(it, mayChange, again)))))
      : h("p", { class: "muted" }, !made ? "The latest administrative acts made no key." : at ? "There were no API keys at this moment." : "There are no API keys."),
    mayChange ? h("p", { class: "actions" }, button("Make a key", () => make(again))) : null,
    made === null && !at ? [h("p", { class: "muted small" }, "Not from this tab: to make and revoke keys, sign in again with ", h("code", null, "idetic open"), " or with a key that administers the whole home; or use a terminal:"), commands([["Make a key", "idetic key create --name NAME --scope read"], ["List them", "idetic key list"], ["Revoke one", "idetic key revoke ID"]])] : null,
    calls.length ? h("details", { class: "raw" }, h("summary", null, `The last ${plural(calls.length, "administrative act")}`), h("table", { class: "data" }, h("tbody", null, calls.map((it) => h("tr", null, h("th", { scope: "row" }, name(it.metadata?.operation ?? it.kind, 40)), h("td", null, name(it.author ?? "", 30)), h("td", null, name(it.metadata?.outcome ?? "", 30)), h("td", null, when(it.ts))))))) : null);
}

/** What the audit log says of keys. */
function ofAudit(audit) {
  const revoked = new Map(audit.filter((it) => it.kind === "key.revoked").map((it) => [it.metadata?.key, it.ts]));
  return audit.filter((it) => it.kind === "key.created").map((it) => ({ id: it.metadata?.key ?? "", name: it.metadata?.name ?? "", rights: it.metadata?.rights ?? "", created: it.ts, revoked: revoked.get(it.metadata?.key) }));
}

function stateOf(it, at, now) {
  const over = (time) => time && new Date(time).getTime() <= now;
  // In the present the clock of this browser has no say in what was revoked.
  return it.revoked && (!at || over(it.revoked)) ? "revoked" : over(it.expires) ? "expired" : "in use";
}

function keyRow(it, mayChange, again) {
  const held = [it.user && `${it.user}/${it.collection ?? "…"}`, !it.user && it.collection, it.agent && `${it.agent}, ${it.persona ?? "actor"}`].filter(Boolean);
  return h("tr", null, h("th", { scope: "row" }, name(it.name, 40), " ", h("code", { class: "muted small" }, name(it.id, 20))), h("td", null, SCOPES[it.rights] ?? name(it.rights, 20), it.trust ? [", trusted as ", name(it.trust, 20)] : null),
    h("td", null, held.length ? name(held.join("; "), 60) : "every space"), h("td", null, when(it.created, "day")),
    h("td", null, it.state === "in use" ? (it.expires ? ["until ", when(it.expires, "day")] : chip("in use")) : chip(it.state, { cls: "fail" })),
    mayChange ? h("td", null, it.state === "in use" ? button("Revoke", () => revoke(it, again), { cls: "small", "aria-label": `Revoke ${it.name}` }) : null) : null);
}

async function make(again) {
  // A key for everything cannot be restricted to an agent.
  const restrict = () => { scope.form.elements.agent.disabled = scope.value === "admin"; };
  const scope = h("select", { name: "scope", on: { change: restrict } }, Object.entries(SCOPES).map(([value, label]) => h("option", { value }, label)));
  const values = await ask({ title: "Make a key", action: "Make it", body: h("label", { class: "field" }, h("span", null, "What it may do"), scope), fields: [
    { label: "What it is for", key: "name", hint: "Such as the name of a program or a machine." }, { label: "Only the spaces of this user", key: "user", hint: "Leave it empty for all." },
    { label: "Only what this agent sees", key: "agent", hint: "Its own memory and what is shared. Leave it empty for everything." }, { label: "Until", key: "expires", hint: "A date, or from now on: 12h, 90d. Empty: until it is revoked." }] });
  if (!values?.name.trim()) return;
  const given = Object.fromEntries(Object.entries(values).map(([field, value]) => [field, value.trim()]).filter(([, value]) => value));
  await attempt(async () => {
    const { key: secret } = await call("key/create", given, { at: null, space: null });
    await ask({ title: "Copy the key now", action: "Done", body: h("div", { class: "stack" }, h("p", null, "It is shown this once: only its hash is kept."), h("p", null, h("code", { class: "break" }, secret), " ", button("Copy", () => copy(secret), { cls: "small" }))) });
    again();
  });
}

async function revoke(it, again) {
  const yes = await ask({ title: "Revoke this key?", danger: true, action: "Revoke it", body: h("p", null, "Whoever uses ", h("strong", null, name(it.name, 60)), " is refused from now on. It cannot be taken back; another key can be made.") });
  if (!yes) return;
  await attempt(async () => {
    await call("key/revoke", { key: it.id }, { at: null, space: null });
    notify("Revoked: it is refused from now on.");
    again();
  });
}

/** Downloads: a backup that `restore` takes, and every event as a line of JSON. */
export function backups({ status, mayBackUp, signal }) {
  const all = (status?.files ?? []).reduce((sum, it) => sum + (it.bytes ?? 0), 0);
  const space = (status?.space ?? "memory").replaceAll(/[^\w.-]+/g, "-");
  const state = h("p", { class: "small muted", role: "status" });
  const job = (label, run) => {
    const start = button(label, async () => {
      start.disabled = true;
      await attempt(run);
      start.disabled = false;
    });
    return start;
  };
  const backup = job("Download a backup", async () => {
    fill(state, "Packing the log…");
    const blob = await backedUp({ signal }).catch((error) => { fill(state); throw error; });
    save(blob, `${space}.idetic.gz`);
    fill(state, `${megabytes(blob.size)}. `, h("code", null, "idetic restore FILE"), " makes it the log of a space, after checking its whole chain.");
  });
  const events = job("Download every event", async () => {
    const made = await exported({ signal, onLine: (number) => number % 1000 === 0 && fill(state, `${count(number)} events…`) });
    save(made.blob, `${space}-${made.count}.jsonl`);
    const isWhole = !status || made.count === status.events || made.last?.includes(status.head);
    fill(state, `${plural(made.count, "event")}, ${megabytes(made.blob.size)}${isWhole ? "" : "; others wrote meanwhile"}. `, h("code", null, "idetic import FILE"), " brings them into an empty space, and checks the chain.");
  });
  return section("Backups", status ? h("p", null, "The space takes ", h("strong", null, megabytes(all)), " on disk.") : null,
    h("p", { class: "actions" }, mayBackUp ? backup : null, events), state,
    commands([["One file, consistent while others write", "idetic backup memory.idetic.gz"], ["Bring it back, after checking its whole chain", "idetic restore memory.idetic.gz"]]));
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

function save(blob, file) {
  const link = h("a", { href: URL.createObjectURL(blob), download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const commands = (rows) => h("dl", { class: "commands" }, rows.map(([title, command]) => [h("dt", null, title), h("dd", null, h("code", null, command), button("Copy", () => copy(command), { cls: "link", "aria-label": `Copy ${command}` }))]));
