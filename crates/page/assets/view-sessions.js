// Sessions: each as a line of a list by day, and one as a timeline down to the failing step.
import { list, rows } from "./api.js";
import { brief, cut, h, name, plural, said } from "./dom.js";
import { lasted, when } from "./moment.js";
import { chip, empty, eventRow, heading, isFailure, kindOf, paged, projectChoice, projectName, section, textOf } from "./parts.js";
import { here, to } from "./place.js";
import { toldCard } from "./view-told.js";

const PAGE = 40;
// One line a session; the owner's query knows its first prompt, its last answer and its project.
const SQL = `SELECT s.*,
  (SELECT substr(e.content, 1, 240) FROM events e WHERE e.trace_id = s.trace_id AND e.kind = 'user_input' ORDER BY e.seq LIMIT 1) AS title,
  (SELECT substr(e.content, 1, 240) FROM events e WHERE e.trace_id = s.trace_id AND e.kind = 'actor_output' ORDER BY e.seq DESC LIMIT 1) AS outcome,
  (SELECT e.source FROM events e WHERE e.trace_id = s.trace_id AND e.source IS NOT NULL LIMIT 1) AS project,
  (SELECT count(DISTINCT f.value) FROM events e, json_each(e.metadata, '$.files') f WHERE e.trace_id = s.trace_id AND e.kind = 'tool_call' AND json_extract(e.metadata, '$.edit')) AS files
  FROM (SELECT t.trace_id, max(t.agent) AS agent, sum(t.events) AS events, sum(t.failures) AS failures, min(t.started) AS started,
    max(t.ended) AS ended, max(t.last_seq) AS last_seq FROM traces t GROUP BY t.trace_id`;

/** What a reader who is not the owner may list: the conversations of its own view. */
async function conversations(signal) {
  const found = await list("conversation/list", { limit: 200 }, { signal, page: { page_size: 200 } });
  return found.map((it) => ({ trace_id: it.conversation_id, title: it.goal, events: it.invocations, started: it.started, ended: it.last }));
}

/** The steps of a session: measured for the owner, as they stand in the log for everybody else. */
async function traceOf(id, signal) {
  try {
    return (await list("trace", { trace: id }, { signal }))[0];
  } catch (error) {
    if (error.status !== 403) throw error;
    const steps = await list("log", { trace: id, limit: 1000 }, { signal, page: { page_size: 1000 } });
    return steps.length ? { steps, started: steps[0].ts, ended: steps.at(-1).ts, total_ms: new Date(steps.at(-1).ts) - new Date(steps[0].ts) } : undefined;
  }
}

/** Makes the list. */
export async function sessionsView({ params, signal }) {
  const project = params.get("project");
  const failed = params.get("failed") === "1";
  let day;
  async function more(skipped = 0) {
    const inside = project ? SQL.replace("FROM traces t GROUP BY", "FROM traces t WHERE t.trace_id IN (SELECT trace_id FROM events WHERE source = :project) GROUP BY") : SQL;
    const found = await rows(`${inside}${failed ? " HAVING sum(t.failures) > 0" : ""} ORDER BY ended DESC LIMIT ${PAGE} OFFSET ${skipped}) s`, { signal, parameters: project ? [`project=${project}`] : undefined });
    const sessions = found ?? (skipped ? [] : await conversations(signal));
    const nodes = sessions.flatMap((it) => {
      const label = new Date(it.ended).toDateString();
      const head = label === day ? [] : [h("div", { class: "day" }, when(it.ended, "day"))];
      day = label;
      return [...head, sessionRow(it)];
    });
    return { nodes, next: found?.length === PAGE ? skipped + PAGE : undefined };
  }
  const choose = await projectChoice(project, signal);
  const none = empty("No sessions here", project || failed ? "None matches at this moment." : "Sessions appear as soon as an agent with hooks works, or events carry a trace_id.", project || failed ? h("a", { href: to("sessions") }, "Show all") : h("code", null, "idetic setup claude"));
  return h("div", null,
    heading("Sessions", "What was asked, what came of it, and where it failed.", choose, h("a", { class: "button", "aria-current": failed ? "true" : null, href: here({ failed: failed ? null : "1" }) }, "With failures")),
    await paged(more, { cls: "list sessions", none }));
}

function sessionRow(it) {
  const title = it.title || cut(it.trace_id, 200);
  return h("article", { class: "row session" },
    h("div", { class: "body" }, h("a", { class: "row-link session-title", href: to("session", { id: it.trace_id }) }, brief(title, 140)),
      it.outcome ? h("p", { class: "outcome" }, brief(it.outcome, 180)) : null,
      h("span", { class: "chips" }, it.failures ? chip(plural(it.failures, "failure"), { cls: "fail" }) : null, it.project ? chip(projectName(it.project), { href: to("sessions", { project: it.project }) }) : null, it.agent ? chip(it.agent) : null, it.files ? chip(`${plural(it.files, "file")} changed`) : null, chip(plural(it.events, "event")), chip(lasted(it.total_ms ?? new Date(it.ended) - new Date(it.started))))),
    when(it.ended, "clock"));
}

/** Makes one session. */
export async function sessionView({ params, signal }) {
  const id = params.get("id") ?? "";
  const [trace, shown] = await Promise.all([traceOf(id, signal), list("shown", { session: id }, { signal }).catch(() => [])]);
  if (!trace) return h("div", null, heading("Session"), empty("Nothing of it is here", "No event of this session is in the space at this moment.", h("a", { href: to("sessions") }, "All sessions")));
  const steps = trace.steps ?? [];
  const first = steps.find((it) => it.kind === "user_input");
  const last = steps.findLast((it) => it.kind === "actor_output");
  const files = [...new Set(steps.flatMap((it) => (it.metadata?.edit && it.metadata.files) || []))].slice(0, 30);
  const failures = steps.filter(isFailure);
  const begin = new Date(trace.started).getTime();
  const span = Math.max(1, trace.total_ms ?? 1, ...steps.map((it) => new Date(it.ts).getTime() - begin + (it.measured ? it.duration_ms : 0)));
  const cost = shown.reduce((sum, it) => sum + (it.tokens ?? 0), 0);
  return h("div", { class: "session-page" },
    heading(first ? cut(textOf(first), 90) : "Session", h("span", null, name(id), " · ", when(trace.started)), trace.first_failure ? h("a", { class: "button danger", href: `#step-${trace.first_failure}`, on: { click: (event) => jump(event, trace.first_failure) } }, "First failure") : null),
    h("dl", { class: "figures wide" }, figure("Took", lasted(trace.total_ms)), figure("Events", String(steps.length)), figure("Failures", String(failures.length)), figure("Was told", `${cost} tokens`), figure("Files changed", String(files.length))),
    last ? h("section", { class: "quote tone-agent" }, h("p", { class: "last-label" }, "How it ended"), said(last.content, { length: 600 })) : null,
    files.length ? h("p", { class: "chips" }, files.map((it) => chip(String(it).split("/").slice(-2).join("/"), { title: cut(String(it), 300) }))) : null,
    loops(steps).map(([loop, mine], index, all) => section(loop ? `Turn ${all.slice(0, index + 1).filter(([it]) => it).length}` : "Before the first turn", h("div", { class: "timeline" }, mine.map((it) => stepRow(it, begin, span, trace, shown))))));
}

const figure = (title, value) => [h("dt", null, title), h("dd", null, value)];

function jump(event, seq) {
  event.preventDefault();
  const step = document.getElementById(`step-${seq}`);
  step?.scrollIntoView({ block: "center" });
  step?.querySelector("a")?.focus({ preventScroll: true });
}

function loops(steps) {
  const groups = [];
  for (const step of steps) {
    const loop = step.loop_id ?? "";
    const known = groups.at(-1);
    // What has no turn of its own, such as what was told, belongs to the turn it happened in.
    if (known && (known[0] === loop || (loop === "" && known[0] !== ""))) known[1].push(step);
    else groups.push([loop, [step]]);
  }
  return groups;
}

function stepRow(step, begin, span, trace, shown) {
  const offset = (100 * (new Date(step.ts).getTime() - begin)) / span;
  const width = Math.max(0.6, (100 * (step.duration_ms ?? 0)) / span);
  const left = step.measured ? offset : Math.max(0, offset - width);
  const telling = shown.find((it) => it.id === step.id);
  const marks = [step.seq !== undefined && step.seq === trace.first_failure ? chip("failed here first", { cls: "fail" }) : null, step.seq !== undefined && step.seq === trace.bottleneck && span > 1000 ? chip("took longest", { cls: "warn" }) : null];
  return h("div", { class: `step tone-${kindOf(step).tone}`, id: step.seq ? `step-${step.seq}` : null },
    telling ? toldCard(telling, false) : eventRow(step, { length: 320 }),
    !step.duration_ms && !marks.some(Boolean) ? null : h("div", { class: "step-foot" }, h("div", { class: "track", "aria-hidden": "true" }, h("span", { css: { left: `${Math.min(99, left)}%`, width: `${Math.min(width, 100 - Math.min(99, left))}%` } })), h("span", { class: "small muted" }, lasted(step.duration_ms)), marks));
}
