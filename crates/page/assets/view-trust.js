// Trust: proof that nothing was altered, who did what, and the means to make the memory forget.
import { call, list, listAnew, listOnce, verified } from "./api.js";
import { count, fill, h, name, plural, said } from "./dom.js";
import { lasted, when } from "./moment.js";
import { ask, attempt, button, chip, copy, empty, eventRow, heading, notify, paged, problem, section } from "./parts.js";
import { here, to } from "./place.js";
import { clockAt } from "./timebar.js";
import { backups, keys } from "./view-keys.js";

const AT_A_TIME = 30;

/** Makes the view. */
export async function trustView({ params, signal, at, space, again: draw }) {
  const again = () => { listAnew(); draw(); };
  const now = await clockAt(at);
  const [status, acts, made, told, receipts, everHidden] = await Promise.all([
    at ? null : call("status", {}, { signal }).catch(() => null),
    // The log of administration has numbers of its own, so that its moment is named by the time. Many acts of one kind hide none of another.
    Promise.all(["key.created", "key.revoked", "admin.called"].map((kind) => list("log", { kind, limit: 300, reverse: true, ...(at ? { as_of: new Date(now).toISOString() } : {}) }, { signal, at: null, space: "idetic/audit", page: { page_size: 300 } }))).catch(() => null),
    listOnce("key/list", { all: true }, null).catch((error) => { if (error.status === 403) return null; throw error; }),
    list("log", { kind: "memory.recalled", limit: 12, reverse: true }, { signal }).catch(() => []),
    list("log", { kind: "memory.purged", limit: 50, reverse: true }, { signal }).catch(() => []),
    listOnce("quarantine", { list: true }, space).catch(() => [])]);
  const stats = await call("stats", {}, { signal }).catch(() => null);
  const audit = acts?.flat() ?? null;
  const hidden = everHidden.filter((it) => !at || new Date(it.since).getTime() <= now);
  return h("div", { class: "trust" }, heading("Trust", at ? "Who had written, who had been told what, and who held a key by this moment." : "Check that nothing was altered, see who wrote and who read, and make it forget."),
    at ? empty("Checking and forgetting are done in the present", "The chain of hashes holds all moments together, and what is erased is gone at every one of them. What was in quarantine then and has been released since is not listed.", h("a", { class: "button", href: here({ at: null }) }, "Back to the present")) : h("div", { class: "trust-grid" }, verify(status, signal), purge(params, again)),
    receipts.length ? section("Receipts", h("p", { class: "muted small" }, "What was erased is not said here, on purpose: how many, which numbers, why."), h("div", { class: "list" }, receipts.map(receipt))) : null,
    hidden.length ? section("In quarantine", h("div", { class: "list" }, hidden.map((it) => h("div", { class: "row" }, h("div", { class: "body" }, h("span", null, h("a", { class: "row-link", href: to("event", { id: it.id }) }, plural(it.count ?? 0, "event")), " hidden", it.since ? [" since ", when(it.since)] : null), it.reason ? said(it.reason, { length: 200 }) : null), at ? null : button("Release", () => attempt(async () => { await call("quarantine", { release: it.id ?? it.quarantine }); notify("Released: everything is as it was."); again(); })))))) : null,
    h("div", { class: "trust-grid" }, writers(stats), section("Who was told what", told.length ? h("div", { class: "list" }, told.map((it) => eventRow(it, { time: "ago" }))) : h("p", { class: "muted" }, "Nobody has been told anything yet."), h("p", null, h("a", { href: to("told") }, "Line by line")))),
    h("div", { class: "trust-grid of-home" }, keys({ audit, made, at, now, again }), at ? null : backups({ status, mayBackUp: made !== null, signal })));
}

function verify(status, signal) {
  const badge = h("div", { class: "badge", role: "status" }, h("p", { class: "badge-title" }, "Not checked in this visit"), h("p", { class: "muted" }, status ? `${plural(status.events, "event")} up to ${status.head.slice(0, 16)}…` : "Every event, the head, and every row of the views."));
  const run = button("Verify now", async () => {
    run.disabled = true;
    const started = performance.now();
    const share = h("span");
    const line = h("p", { class: "muted" }, "Checking every hash…");
    let reached = 0;
    let views = false;
    fill(badge, h("p", { class: "badge-title" }, "Checking…"), line, h("div", { class: "meter" }, share));
    badge.className = "badge";
    try {
      // First every event against its hash, then every row of the views against the log.
      const onProgress = ({ done, of }) => {
        views ||= done < reached;
        reached = done;
        share.style.setProperty("width", `${(100 * done) / Math.max(1, of)}%`);
        fill(line, `${views ? "Comparing what is derived" : "Checking every hash"}: ${count(done)} of ${count(of)}`);
      };
      const result = await verified({ signal, onProgress });
      drawn(result, performance.now() - started);
    } catch (error) {
      badge.className = "badge fail";
      fill(badge, problem(error));
    }
    run.disabled = false;
  }, { cls: "primary" });
  function drawn(result, ms) {
    badge.className = `badge ${result.ok ? "good" : "fail"}`;
    fill(badge, h("p", { class: "badge-title" }, result.ok ? "Verified: nothing was altered" : `Altered from event ${result.first_bad_seq ?? "?"} on`),
      h("p", null, `${plural(result.events, "event")} in ${lasted(ms)}. ${result.erased ? `${plural(result.erased, "body", "bodies")} erased on purpose; the chain holds across them. ` : ""}${result.archived ? `${count(result.archived)} archived. ` : ""}`),
      h("ul", { class: "plain" }, (result.problems ?? []).slice(0, 20).map((it) => h("li", null, said(it.message ?? JSON.stringify(it), { tag: "span" })))),
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
      // Every text in full, so many at a time.
      const rows = await paged(async (from = 0) => {
        const some = (found?.events ?? []).slice(from, from + AT_A_TIME);
        const whole = await Promise.all(some.map((it) => call("get", { event: it.id }, { at: null }).catch(() => null)));
        const row = (it, index) => h("div", { class: "row" }, h("a", { class: "number", href: to("event", { id: it.id }) }, `#${it.seq}`), h("div", { class: "body" }, said(whole[index]?.content || it.passage || it.kind, { length: 500 }), h("span", { class: "chips" }, chip(it.why), chip(it.kind))));
        return { nodes: some.map(row), next: from + AT_A_TIME < (found?.events ?? []).length ? from + AT_A_TIME : undefined };
      });
      fill(preview, found?.count ? [h("p", null, h("strong", null, `${plural(found.count, "event")} would go`), ", with everything derived from them."),
        h("div", { class: "scroll-list", tabindex: "0", role: "region", "aria-label": "What would go" }, rows),
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
