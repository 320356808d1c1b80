// Moments and durations, in the reader's own zone.
import { h } from "./dom.js";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const UNITS = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

const valid = (time) => !Number.isNaN(time.getTime());

/** How long ago, in words. */
export function ago(iso, now = Date.now()) {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (Math.abs(seconds) < 45) return "just now";
  const [unit, length] = UNITS.find(([, it]) => Math.abs(seconds) >= it) ?? UNITS.at(-1);
  return AGO.format(Math.round(seconds / length), unit);
}

/** The day. */
export function day(iso) {
  const time = new Date(iso);
  return valid(time) ? DAY.format(time) : "";
}

/** The day and the time of day. */
export function moment(iso) {
  const time = new Date(iso);
  return valid(time) ? `${DAY.format(time)}, ${CLOCK.format(time)}` : String(iso ?? "");
}

/** An element that shows a time in one of several forms, and the exact one when pointed at. */
export function when(iso, form = "moment") {
  const time = new Date(iso);
  if (!valid(time)) return h("span", { class: "when" }, "unknown time");
  const text = { moment, ago, day, clock: (it) => CLOCK.format(new Date(it)) }[form](iso);
  return h("time", { class: "when", datetime: time.toISOString(), title: EXACT.format(time) }, text);
}

/** A duration for people. */
export function lasted(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 1 : 0)} s`;
  if (ms < 3600000) return `${Math.round(ms / 60000)} min`;
  return ms < 172800000 ? `${(ms / 3600000).toFixed(1)} h` : `${Math.round(ms / 86400000)} days`;
}

/** A time as a field of type datetime-local wants it. */
export function local(iso) {
  const time = new Date(iso);
  if (!valid(time)) return "";
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60000);
  return shifted.toISOString().slice(0, 19);
}
