// Trust: proof that nothing was altered, who did what, and the means to make the memory forget.
import { call, exported, key, list } from "./api.js";
import { count, fill, h, name, plural, said } from "./dom.js";
import { lasted, when } from "./moment.js";
import { ask, attempt, button, chip, copy, empty, eventRow, heading, notify, problem, section } from "./parts.js";
import { to } from "./place.js";

/** Makes the view. */
export async function trustView({ params, signal, at, again }) {
  const [status, audit, told, receipts, hidden] = await Promise.all([
    call("status", {}, { signal }).catch(() => null),
    list("log", { limit: 300, reverse: true }, { signal, at: null, space: "idetic/audit", page: { page_size: 300 } }).catch(() => null),
    list("log", { kind: "memory.recalled", limit: 12, reverse: true }, { signal }).catch(() => []),
    list("log", { kind: "memory.purged", limit: 50, reverse: true }, { signal }).catch(() => []),
    list("quarantine", { list: true }, { signal }).catch(() => [])]);
  const stats = await call("stats", {}, { signal }).catch(() => null);
  return h("div", { class: "trust" }, heading("Trust", "Check that nothing was altered, see who wrote and who read, and make it forget."),
    h("div", { class: "trust-grid" }, verify(status, signal), at ? empty("Forgetting is done in the present", "What is erased is gone at every moment, past ones included.") : purge(params, again)),
    receipts.length ? section("Receipts", h("p", { class: "muted small" }, "What was erased is not said here, on purpose: how many, which numbers, why."), h("div", { class: "list" }, receipts.map(receipt))) : null,
    hidden.length ? section("In quarantine", h("div", { class: "list" }, hidden.map((it) => h("div", { class: "row" }, h("div", { class: "body" }, h("span", null, h("a", { class: "row-link", href: to("event", { id: it.id }) }, plural(it.count ?? 0, "event")), " hidden", it.since ? [" since ", when(it.since)] : null), it.reason ? said(it.reason, { length: 200 }) : null), at ? null : button("Release", () => attempt(async () => { await call("quarantine", { release: it.id ?? it.quarantine }); notify("Released: everything is as it was."); again(); })))))) : null,
    h("div", { class: "trust-grid" }, writers(stats), section("Who was told what", told.length ? h("div", { class: "list" }, told.map((it) => eventRow(it, { time: "ago" }))) : h("p", { class: "muted" }, "Nobody has been told anything yet."), h("p", null, h("a", { href: to("told") }, "Line by line")))),
    h("div", { class: "trust-grid" }, keys(audit), backups(status, signal)));
}

function verify(status, signal) {
  const badge = h("div", { class: "badge", role: "status" }, h("p", { class: "badge-title" }, "Not checked in this visit"), h("p", { class: "muted" }, status ? `${plural(status.events, "event")} up to ${status.head.slice(0, 16)}…` : "Every event, the head, and every row of the views."));
  const run = button("Verify now", async () => {
    run.disabled = true;
    const started = performance.now();
    const bar = h("div", { class: "meter running" }, h("span"));
    const timer = setInterval(() => fill(badge.querySelector(".muted"), `Checking every hash, ${Math.round((performance.now() - started) / 1000)} s…`), 500);
    fill(badge, h("p", { class: "badge-title" }, "Checking…"), h("p", { class: "muted" }, "Checking every hash…"), bar);
    try {
      const result = await call("verify", {}, { signal });
      drawn(result, performance.now() - started);
    } catch (error) {
      badge.className = "badge fail";
      fill(badge, problem(error));
    }
    clearInterval(timer);
    run.disabled = false;
  }, { cls: "primary" });
  function drawn(result, ms) {
    badge.className = `badge ${result.ok ? "good" : "fail"}`;
    fill(badge, h("p", { class: "badge-title" }, result.ok ? "Verified: nothing was altered" : `Altered from event ${result.first_bad_seq ?? "?"} on`),
      h("p", null, `${plural(result.events, "event")} in ${lasted(ms)}. ${result.erased ? `${plural(result.erased, "body", "bodies")} erased on purpose; the chain holds across them. ` : ""}${result.archived ? `${count(result.archived)} archived. ` : ""}`),
      h("ul", { class: "plain" }, (result.problems ?? []).slice(0, 20).map((it) => h("li", null, said(typeof it === "string" ? it : JSON.stringify(it), { tag: "span" })))),
      h("p", { class: "small" }, "Head ", h("code", { class: "break" }, result.head), " ", button("Copy", () => copy(result.head), { cls: "link", "aria-label": "Copy the head" })),
      h("p", { class: "muted small" }, "Keep this hash elsewhere: a log that was cut short later does not contain it."));
  }
  return h("section", { class: "card" }, h("h2", null, "Integrity"), badge, h("div", { class: "actions" }, run));
}

/** Forgetting: first everything that would go, in full; then the receipt. */
function purge(params, again) {
  const preset = ["event", "fact", "conversation"].find((it) => params.get(it));
  const what = h("select", { "aria-label": "What to forget" }, [["matching", "Everything that says"], ["event", "One event"], ["fact", "One fact"], ["conversation", "One conversation"]].map(([value, label]) => h("option", { value }, label)));
  what.value = preset ?? "matching";
  const text = h("input", { type: "text", value: preset ? params.get(preset) : "", placeholder: "a name, a number, a secret", "aria-label": "Which" });
  const preview = h("div", { class: "preview", "aria-live": "polite" });
  const form = h("form", { class: "purge-form", on: { submit: (event) => { event.preventDefault(); look(); } } }, what, text, h("button", { type: "submit" }, "Show what would go"));
  async function look() {
    const wanted = text.value.trim();
    if (!wanted) return fill(preview, h("p", { class: "muted" }, "Say what is to be forgotten."));
    try {
      const [found] = await list("purge", { [what.value]: wanted, dry_run: true });
      const whole = await Promise.all((found?.events ?? []).slice(0, 30).map((it) => call("get", { event: it.id }, { at: null }).catch(() => null)));
      fill(preview, found?.count ? [h("p", null, h("strong", null, `${plural(found.count, "event")} would go`), ", with everything derived from them."),
        h("div", { class: "list scroll-list", tabindex: "0", role: "region", "aria-label": "What would go" }, found.events.map((it, index) => h("div", { class: "row" }, h("a", { class: "number", href: to("event", { id: it.id }) }, `#${it.seq}`), h("div", { class: "body" }, said(whole[index]?.content || it.passage || it.kind, { length: 500 }), h("span", { class: "chips" }, chip(it.why), chip(it.kind)))))),
        found.files?.length ? h("p", { class: "small" }, `Also from ${plural(found.files.length, "file")}.`) : null, (found.warnings ?? []).map((it) => h("p", { class: "warn-text small" }, said(it, { tag: "span" }))),
        button("Erase for good…", () => erase(wanted, found.count), { cls: "danger" })] : empty("Nothing says that", "Not one event of the space would go."));
    } catch (error) {
      fill(preview, problem(error));
    }
    return undefined;
  }
  async function erase(wanted, number) {
    const values = await ask({ title: "Erase for good?", danger: true, action: `Erase ${plural(number, "event")}`, body: h("p", null, "There is no way back. The text goes from the log, the views, the index and the files; a receipt stays. Backups taken before still have it."), fields: [{ label: "Why, for the receipt", key: "reason", hint: "It is kept, so it must not say what is erased." }] });
    if (!values) return;
    await attempt(async () => {
      const [done] = await list("purge", { [what.value]: wanted, yes: true, ...(values.reason.trim() ? { reason: values.reason.trim() } : {}) });
      notify(`${plural(done.count, "event")} erased at every moment.`);
      location.hash = to("trust", { event: null, fact: null, conversation: null });
      again();
    });
  }
  if (preset) look();
  return h("section", { class: "card" }, h("h2", null, "Forget"), h("p", { class: "muted" }, "A person, a conversation, a secret that was pasted. In every spelling, at every moment of the past."), form, preview);
}

function receipt(event) {
  const meta = event.metadata ?? {};
  const number = meta.count ?? meta.events?.length ?? meta.seqs?.length;
  return h("div", { class: "row" }, h("a", { class: "row-link number", href: to("event", { id: event.id }) }, `#${event.seq ?? event.pos}`), h("div", { class: "body" }, number ? `${plural(number, "event")} erased. ` : "Erased. ", meta.reason ? said(meta.reason, { tag: "span", length: 200 }) : h("span", { class: "muted" }, "No reason was given.")), when(event.ts));
}

function writers(stats) {
  const table = (title, items) => (items?.some((it) => it.value) ? h("div", null, h("h3", null, title), h("table", { class: "data" }, h("tbody", null, items.filter((it) => it.value).slice(0, 10).map((it) => h("tr", null, h("th", { scope: "row" }, name(it.value, 50)), h("td", null, count(it.count))))))) : null);
  return section("Who wrote what", stats ? [table("By agent", stats.by_agent), table("By project", stats.by_source)] : h("p", { class: "muted" }, "Not for this key."));
}

function keys(audit) {
  if (!audit) return section("Keys and administration", h("p", { class: "muted" }, "Only administrators see this."));
  const made = audit.filter((it) => it.kind === "key.created");
  const revoked = new Set(audit.filter((it) => it.kind === "key.revoked").flatMap((it) => [it.metadata?.key, it.metadata?.name]));
  const calls = audit.filter((it) => it.kind === "admin.called").slice(0, 30);
  return section("Keys and administration",
    key.get() ? h("p", null, "This tab is signed in with a key. ", button("Sign out", () => { key.set(null); location.reload(); }, { cls: "small" })) : null,
    made.length ? h("div", { class: "scroll", tabindex: "0" }, h("table", { class: "data" }, h("thead", null, h("tr", null, ["Key", "Id", "May", "Made", "State"].map((it) => h("th", { scope: "col" }, it)))), h("tbody", null, made.map((it) => h("tr", null, h("th", { scope: "row" }, name(it.metadata?.name ?? "", 40)), h("td", null, h("code", null, name(it.metadata?.key ?? "", 20))), h("td", null, name(it.metadata?.rights ?? "", 20)), h("td", null, when(it.ts, "day")), h("td", null, revoked.has(it.metadata?.key) ? chip("revoked", { cls: "fail" }) : chip("in use")))))))
      : h("p", { class: "muted" }, "No API keys were made lately."),
    commands([["Make a key", "idetic key create --name NAME --scope read"], ["List them", "idetic key list"], ["Revoke one", "idetic key revoke ID"]]),
    calls.length ? h("details", { class: "raw" }, h("summary", null, `The last ${calls.length} administrative acts`), h("table", { class: "data" }, h("tbody", null, calls.map((it) => h("tr", null, h("th", { scope: "row" }, name(it.metadata?.operation ?? it.kind, 40)), h("td", null, name(it.author ?? "", 30)), h("td", null, name(it.metadata?.outcome ?? "", 30)), h("td", null, when(it.ts))))))) : null);
}

/** A download of every event with its hashes; the file of a backup and restoring are made where the home is. */
function backups(status, signal) {
  const all = (status?.files ?? []).reduce((sum, it) => sum + (it.bytes ?? 0), 0);
  const state = h("p", { class: "small muted", role: "status" });
  const run = button("Download every event", async () => {
    run.disabled = true;
    await attempt(async () => {
      const made = await exported({ signal, onLine: (number) => number % 1000 === 0 && fill(state, `${count(number)} events…`) });
      const space = (status?.space ?? "memory").replaceAll(/[^\w.-]+/g, "-");
      const link = h("a", { href: URL.createObjectURL(made.blob), download: `${space}-${made.count}.jsonl` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      const isWhole = !status || made.count === status.events || made.last?.includes(status.head);
      fill(state, `${plural(made.count, "event")}, ${(made.blob.size / 1e6).toFixed(1)} MB${isWhole ? "" : "; others wrote meanwhile"}. `, h("code", null, "idetic import FILE"), " brings them into an empty space, and checks the chain.");
    });
    run.disabled = false;
  });
  return section("Backups", status ? h("p", null, "The space takes ", h("strong", null, `${(all / 1e6).toFixed(1)} MB`), " on disk. ", run) : null, state,
    commands([["One file, consistent while others write", "idetic backup memory.idetic"], ["Bring it back, after checking its whole chain", "idetic restore memory.idetic"]]));
}

const commands = (rows) => h("dl", { class: "commands" }, rows.map(([title, command]) => [h("dt", null, title), h("dd", null, h("code", null, command), button("Copy", () => copy(command), { cls: "link", "aria-label": `Copy ${command}` }))]));
