// Renders Markdown as elements. Nothing is loaded, no HTML is parsed, and only plain links lead outside.
import { h, name } from "./dom.js";
import { to } from "./place.js";

const MOST_LINES = 4000;
const MOST_CELLS = 24;
const BLOCK = /^(#{1,6}\s|```|\s*[-*+]\s|\s*>|\s*\||\s*\d+[.)]\s)/;
const INLINE = /(`[^`\n]{1,400}`)|(\[\[[^\]\n]{1,200}\]\])|(!?\[[^\]\n]{0,300}\]\([^)\s]{1,500}\))|(\*\*[^*\n]{1,400}\*\*)|(\*[^*\n]{1,400}\*)/g;

/** The text between the marks of one line. */
function inline(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > from) nodes.push(name(text.slice(from, found.index), 20000));
    nodes.push(piece(found[0]));
    from = found.index + found[0].length;
  }
  if (from < text.length) nodes.push(name(text.slice(from), 20000));
  return nodes;
}

function piece(text) {
  if (text.startsWith("`")) return h("code", null, name(text.slice(1, -1), 400));
  if (text.startsWith("[[")) {
    const target = text.slice(2, -2).split("|")[0].trim();
    return h("a", { href: to("note", { id: target }) }, name(text.slice(2, -2).split("|").at(-1)));
  }
  if (text.startsWith("**")) return h("strong", null, name(text.slice(2, -2), 400));
  if (text.startsWith("*")) return h("em", null, name(text.slice(1, -1), 400));
  const [, bang, label, target] = /^(!?)\[([^\]]*)\]\(([^)]*)\)$/.exec(text);
  if (bang) return h("span", { class: "muted" }, "[picture: ", name(label || target), "]");
  if (/^https?:\/\//i.test(target)) return h("a", { href: target, rel: "noopener noreferrer", target: "_blank", class: "outside", title: target.slice(0, 200) }, name(label || target));
  if (/^[\w./-]+$/.test(target)) return h("a", { href: to("note", { id: target.replace(/^.*\//, "").replace(/\.md$/, "") }) }, name(label || target));
  return h("span", null, name(label), " ", h("span", { class: "muted" }, "(", name(target, 60), ")"));
}

const row = (line) => line.replace(/^\s*\|/, "").replace(/\|\s*$/, "").split("|").slice(0, MOST_CELLS);

/** Renders a text; its highest headings are of this level. */
export function markdown(text, level = 2) {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/);
  const root = h("div", { class: "markdown" });
  let at = 0;
  const take = (test) => {
    const taken = [];
    while (at < lines.length && at < MOST_LINES && test(lines[at])) taken.push(lines[at++]);
    return taken;
  };
  while (at < lines.length && at < MOST_LINES) {
    const line = lines[at];
    const title = /^(#{1,6})\s+(.*)$/.exec(line);
    if (/^\s*$/.test(line)) at++;
    else if (/^```/.test(line)) {
      at++;
      const code = take((it) => !/^```/.test(it));
      at++;
      root.append(h("pre", { tabindex: "0" }, h("code", null, name(code.join("\n"), 100000))));
    } else if (title) {
      at++;
      root.append(h(`h${Math.max(2, Math.min(6, title[1].length + level - 1))}`, null, inline(title[2])));
    } else if (/^\s*[-*+]\s+/.test(line)) root.append(h("ul", null, take((it) => /^\s*[-*+]\s+/.test(it)).map((it) => h("li", null, inline(it.replace(/^\s*[-*+]\s+/, ""))))));
    else if (/^\s*\d+[.)]\s+/.test(line)) root.append(h("ol", null, take((it) => /^\s*\d+[.)]\s+/.test(it)).map((it) => h("li", null, inline(it.replace(/^\s*\d+[.)]\s+/, ""))))));
    else if (/^\s*>/.test(line)) root.append(h("blockquote", null, take((it) => /^\s*>/.test(it)).map((it) => h("p", null, inline(it.replace(/^\s*>\s?/, ""))))));
    else if (/^\s*\|/.test(line)) root.append(table(take((it) => /^\s*\|/.test(it))));
    else if (/^\s*(-{3,}|\*{3,})\s*$/.test(line)) {
      at++;
      root.append(h("hr"));
    } else {
      at++;
      root.append(h("p", null, [line, ...take((it) => it.trim() !== "" && !BLOCK.test(it))].map((it) => [inline(it), " "])));
    }
  }
  if (lines.length > MOST_LINES) root.append(h("p", { class: "muted" }, `${lines.length - MOST_LINES} more lines are not shown here.`));
  return root;
}

function table(lines) {
  const [head, rule, ...rest] = lines;
  const titled = rule !== undefined && /^[\s|:-]+$/.test(rule);
  const body = titled ? rest : lines;
  return h("div", { class: "scroll", tabindex: "0" }, h("table", { class: "data" }, titled ? h("thead", null, h("tr", null, row(head).map((it) => h("th", { scope: "col" }, inline(it.trim()))))) : null, h("tbody", null, body.slice(0, 500).map((it) => h("tr", null, row(it).map((cell) => h("td", null, inline(cell.trim()))))))));
}
