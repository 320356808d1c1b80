// Makes elements. Stored text becomes text nodes and nothing else: there is no way here to parse it as HTML.

/** Makes an element: properties are attributes, but for `class`, `on` (listeners) and `css` (single style properties). */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "on") for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    else if (name === "css") for (const [key, set] of Object.entries(value)) element.style.setProperty(key, set);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces everything inside an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  now: "M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18",
  told: "M4 5h16v11H9l-5 4z",
  sessions: "M5 5v14M9 7h11M9 12h8M9 17h11",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14m5 12 5 5",
  facts: "M6 4h12v16l-6-4-6 4z",
  rules: "M5 6h14M5 12h14M5 18h9",
  notes: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5",
  graph: "M6 6l12 3M6 6l4 12M18 9l-8 9M6 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4m12 3a2 2 0 1 0 0 4 2 2 0 0 0 0-4m-8 9a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  failures: "M12 4 3 20h18zM12 10v4m0 3v.5",
  personas: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6m8 0a3 3 0 1 0 0 6 3 3 0 0 0 0-6M2 20c0-4 3-6 6-6s6 2 6 6m1-6c4-1 7 2 7 6",
  compare: "M8 4v16M16 4v16M8 8H3m5 8H3m13-8h5m-5 8h5",
  trust: "M12 3 5 6v6c0 4 3 7 7 9 4-2 7-5 7-9V6zM9 12l2 2 4-4",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  theme: "M12 3a9 9 0 1 0 9 9c-5 2-11-3-9-9",
};

/** A small line drawing that says nothing to screen readers: the text beside it does. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of [["viewBox", "0 0 24 24"], ["class", "icon"], ["aria-hidden", "true"]]) svg.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

// What nobody sees but what changes how a line reads: controls, direction marks, tag characters, lone surrogates.
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;
const MOST_MARKS = 200;

/** The text as nodes, with what cannot be seen written out, so that no text can look like another. */
function visible(text) {
  const nodes = [];
  let from = 0;
  let marks = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (++marks > MOST_MARKS) break;
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(h("span", { class: "unseen", title: "a character that cannot be seen" }, `U+${code}`));
    from = found.index + found[0].length;
  }
  const rest = text.slice(from);
  nodes.push(marks > MOST_MARKS ? rest.replace(UNSEEN, "\u{fffd}") : rest);
  return nodes;
}

/** A piece of a text that does not end within a character. */
export function cut(text, length) {
  if (text.length <= length) return text;
  const half = text.charCodeAt(length - 1);
  return text.slice(0, half >= 0xd800 && half <= 0xdbff ? length - 1 : length);
}

/** A short stored text in one line: a name, a tag, an id. */
export function name(text, length = 80) {
  const whole = String(text ?? "");
  const short = cut(whole, length);
  return h("bdi", { class: "name", title: short === whole ? null : cut(whole, 400) }, visible(short), short === whole ? "" : "…");
}

const STEP = 65536;

/** A stored text of any length: cut, with a button for the rest. `mark` makes nodes of a piece of it. */
export function said(text, { length = 600, tag = "div", cls = "said", mark } = {}) {
  const whole = String(text ?? "");
  let shown = Math.min(length, whole.length);
  const body = h("bdi", { class: cls });
  const render = () => fill(body, (mark ?? visible)(cut(whole, shown)), shown < whole.length ? "…" : "");
  render();
  const box = h(tag, { class: "text", tabindex: tag === "pre" ? "0" : null }, body);
  if (shown >= whole.length) return box;
  const more = h("button", { type: "button", class: "link small", on: { click } });
  const label = () => fill(more, whole.length - shown <= STEP ? `Show all ${size(whole.length)}` : `Show ${size(STEP)} more of ${size(whole.length)}`);
  function click(event) {
    event.preventDefault();
    shown = Math.min(whole.length, shown + STEP);
    body.classList.add("long");
    body.tabIndex = 0;
    render();
    if (shown >= whole.length) more.remove();
    else label();
  }
  label();
  box.append(" ", more);
  return box;
}

/** The beginning of a stored text, for places where no button can stand: in links and summaries. */
export const brief = (text, length, cls) => said(text, { length, cls }).firstChild;

/** The same, with the words of a question marked. */
export function marked(text, words, options = {}) {
  const stems = words.filter((word) => word.length > 2).map((word) => word.slice(0, Math.max(3, word.length - 3)));
  if (stems.length === 0) return said(text, options);
  const mark = (piece) => {
    const parts = piece.split(/([\p{L}\p{N}_]+)/u);
    const is = (part) => stems.some((stem) => part.toLowerCase().startsWith(stem));
    return parts.slice(0, 4000).map((part, index) => (index % 2 && is(part) ? h("mark", null, visible(part)) : visible(part)))
      .concat(parts.length > 4000 ? visible(parts.slice(4000).join("")) : []);
  };
  return said(text, { ...options, mark });
}

/** Where in a text the words stand closest together, so that a cut shows them. */
export function passage(text, words, length = 420) {
  if (text.length <= length) return text;
  const lower = text.slice(0, 200000).toLowerCase();
  let best = { at: 0, hits: 0 };
  for (const word of words.slice(0, 8)) {
    let at = lower.indexOf(word.toLowerCase());
    for (let tries = 0; at >= 0 && tries < 20; tries++) {
      const near = lower.slice(Math.max(0, at - 120), at + length - 120);
      const hits = words.filter((other) => near.includes(other.toLowerCase())).length;
      if (hits > best.hits) best = { at, hits };
      at = lower.indexOf(word.toLowerCase(), at + length);
    }
  }
  const from = Math.max(0, best.at - 120);
  return (from > 0 ? "…" : "") + text.slice(from);
}

const SMALL = new Set("a an and are as at be but by did do does for from had has have how i in is it its of on or our that the their they this to was we were what when where which who why will with you your".split(" "));
/** The words of a question that say what it is about. */
export const wordsOf = (query) => (query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !SMALL.has(word)).slice(0, 24);

/** A number of characters for people. */
export function size(count) {
  if (count < 1000) return `${count}`;
  return count < 1e6 ? `${Math.round(count / 1000)} K` : `${(count / 1e6).toFixed(1)} M`;
}

const NUMBER = new Intl.NumberFormat();
/** A number with its separators. */
export const count = (value) => NUMBER.format(value ?? 0);
/** A number and its noun. */
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;
