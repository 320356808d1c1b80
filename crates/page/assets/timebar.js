// The bar of time below every view: drag it to any event, and the page is that past.
import { call, debounce, list } from "./api.js";
import { count, fill, h, icon } from "./dom.js";
import { local, moment } from "./moment.js";
import { numberOf } from "./parts.js";
import { go, here, place, to } from "./place.js";

const STEPS = 240;
const PLAY_MS = 700;

/** Makes the bar. `head` is the newest event; `show(place)` follows the address. */
export function timebar() {
  let head = { number: 0, recorded: null };
  let timer = null;
  const range = h("input", { type: "range", min: "1", max: "1", value: "1", id: "time-range", "aria-label": "Moment: the number of an event" });
  const number = h("input", { type: "number", min: "1", class: "time-number", "aria-label": "Event number" });
  const time = h("input", { type: "datetime-local", step: "1", class: "time-field", "aria-label": "Date and time" });
  const said = h("output", { class: "time-said", for: "time-range" });
  const live = h("button", { type: "button", class: "live", on: { click: () => go(here({ at: null })) } }, "Live");
  const play = h("button", { type: "button", class: "quiet icon-button", "aria-label": "Play the past", on: { click: toggle } }, icon("play"));
  const compare = h("a", { class: "time-compare" }, "Compare");
  const bar = h("div", { class: "timebar", role: "region", "aria-label": "Time" }, play, range, number, time, said, compare, live);

  const travel = debounce((at) => go(here({ at }), { replace: true }), 120);
  range.addEventListener("input", () => {
    stop();
    number.value = range.value;
    fill(said, `Event ${count(+range.value)} of ${count(head.number)}`);
    travel(+range.value >= head.number ? null : range.value);
  });
  number.addEventListener("change", () => {
    const wanted = Math.max(1, Math.round(+number.value || 1));
    go(here({ at: wanted >= head.number ? null : wanted }));
  });
  time.addEventListener("change", () => {
    const wanted = new Date(time.value);
    if (!Number.isNaN(wanted.getTime())) go(here({ at: wanted >= new Date() ? null : wanted.toISOString() }));
  });

  function toggle() {
    if (timer) return stop();
    const step = Math.max(1, Math.round(head.number / STEPS));
    let at = place().at ? +range.value : 1;
    fill(play, icon("pause"));
    play.setAttribute("aria-label", "Stop");
    timer = setInterval(() => {
      at += step;
      if (at >= head.number) {
        stop();
        go(here({ at: null }), { replace: true });
      } else go(here({ at }), { replace: true });
    }, PLAY_MS);
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    fill(play, icon("play"));
    play.setAttribute("aria-label", "Play the past");
  }

  /** Shows the moment of the address. */
  async function show() {
    const { at } = place();
    range.max = String(Math.max(1, head.number));
    number.max = range.max;
    bar.classList.toggle("past", at !== null);
    document.documentElement.toggleAttribute("data-past", at !== null);
    live.setAttribute("aria-pressed", at === null ? "true" : "false");
    compare.href = to("compare", { a: at ?? Math.max(1, Math.floor(head.number / 2)), b: head.number, at: null });
    if (at === null) {
      range.value = range.max;
      number.value = range.max;
      time.value = head.recorded ? local(head.recorded) : "";
      fill(said, head.number ? `${count(head.number)} events, up to now` : "No events yet");
      return;
    }
    const event = await momentOf(at);
    if (place().at !== at) return;
    if (event) {
      range.value = String(numberOf(event));
      number.value = range.value;
      time.value = local(event.recorded_at ?? event.ts);
    }
    fill(said, event ? `As it was on ${moment(event.recorded_at ?? event.ts)}, event ${count(numberOf(event))} of ${count(head.number)}` : "Before the first event");
  }

  return {
    bar, show,
    /** Takes in the newest event. */
    grow(event) {
      const isFirst = head.number === 0;
      head = { number: numberOf(event) ?? head.number, recorded: event.recorded_at ?? event.ts };
      if (place().at === null || isFirst) show();
      else {
        range.max = String(head.number);
        number.max = range.max;
      }
    },
    reset() {
      stop();
      head = { number: 0, recorded: null };
    },
  };
}

/** The last event of a moment, which is a number or a time. */
export async function momentOf(at) {
  const [event] = await list("log", { limit: 1, reverse: true, as_of: String(at) }).catch(() => []);
  return event ? { ...event, recorded_at: event.recorded_at ?? event.ts } : null;
}

/** What the clock said at a moment of the log; now where none is named. */
export async function clockAt(at) {
  if (!at) return Date.now();
  const event = await momentOf(at);
  return event ? new Date(event.recorded_at).getTime() : Date.now();
}

/** The newest event there is. */
export async function newest(options) {
  const answer = await call("log", { limit: 1, reverse: true }, { ...options, at: null });
  return answer.items?.[0] ?? null;
}
