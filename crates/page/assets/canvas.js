// Draws a graph on a canvas: drag to move, buttons or Ctrl and the wheel to zoom, a click takes a node.
import { button } from "./parts.js";
import { h } from "./dom.js";
import { seed, tick } from "./layout.js";

const TICKS = 260;
const MANY = 300;
const VERY_MANY = 2000;

/** Makes the drawing. `onPick(node)` is told which node was clicked. */
export function drawing({ onPick, signal }) {
  const canvas = h("canvas", { class: "graph-canvas", tabindex: "0", role: "img", "aria-label": "The graph; the list beside it says the same in words" });
  const tools = h("div", { class: "graph-tools" }, button("+", () => zoom(1.3), { "aria-label": "Zoom in" }), button("−", () => zoom(1 / 1.3), { "aria-label": "Zoom out" }), button("Fit", () => { fit(); draw(); }));
  const box = h("div", { class: "graph-box" }, canvas, tools);
  const pen = canvas.getContext("2d");
  let nodes = [];
  let edges = [];
  let view = { x: 0, y: 0, scale: 1 };
  let picked = null;
  let pointed = null;
  let drag = null;
  let worker = null;
  let settling = false;

  const color = (variable) => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  let colors = {};
  function readColors() {
    // A probe resolves light-dark() to the colour that is in use.
    const probe = box.appendChild(h("span", { hidden: true }));
    const read = (name) => { probe.style.setProperty("color", `var(${name})`); return getComputedStyle(probe).color; };
    colors = Object.fromEntries([["ink", "--ink"], ["muted", "--muted"], ["line", "--graph-line"], ["bg", "--surface"], ["entity", "--fact"], ["note", "--note"], ["failure", "--fail"], ["session", "--user"], ["file", "--tool"], ["task", "--warn"], ["other", "--accent"]].map(([key, name]) => [key, read(name)]));
    colors.font = color("--sans");
    probe.remove();
  }
  const tone = (node) => colors[node.type] ?? colors.other;
  const radius = (node) => 4 + Math.min(10, Math.sqrt(node.degree) * 1.6);

  function resize() {
    const ratio = devicePixelRatio || 1;
    const { width, height } = canvas.getBoundingClientRect();
    if (!width) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    draw();
  }
  function fit() {
    if (!nodes.length) return;
    const xs = nodes.map((it) => it.x);
    const ys = nodes.map((it) => it.y);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const { width, height } = canvas.getBoundingClientRect();
    const scale = Math.min(1.6, Math.min((width - 120) / Math.max(1, right - left), (height - 80) / Math.max(1, bottom - top)));
    view = { scale: Math.max(0.02, scale), x: (left + right) / 2, y: (top + bottom) / 2 };
  }
  function zoom(by) {
    view.scale = Math.max(0.02, Math.min(6, view.scale * by));
    draw();
  }
  function draw() {
    const ratio = devicePixelRatio || 1;
    const width = canvas.width / ratio;
    const height = canvas.height / ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.translate(width / 2, height / 2);
    pen.scale(view.scale, view.scale);
    pen.translate(-view.x, -view.y);
    // Thousands of lines take longer to paint than the next places take to come.
    for (const isEnded of settling && nodes.length > VERY_MANY ? [] : [true, false]) {
      pen.globalAlpha = isEnded ? 0.35 : 0.9;
      pen.setLineDash(isEnded ? [4 / view.scale, 4 / view.scale] : []);
      pen.strokeStyle = colors.line;
      pen.lineWidth = 1 / view.scale;
      pen.beginPath();
      for (const { a, b, ended } of edges) {
        if (Boolean(ended) !== isEnded) continue;
        pen.moveTo(a.x, a.y);
        pen.lineTo(b.x, b.y);
      }
      pen.stroke();
    }
    pen.setLineDash([]);
    const near = picked ? edges.filter(({ a, b }) => a === picked || b === picked) : [];
    pen.globalAlpha = 1;
    pen.strokeStyle = colors.other;
    pen.lineWidth = 1.6 / view.scale;
    for (const isEnded of [true, false]) {
      pen.setLineDash(isEnded ? [4 / view.scale, 4 / view.scale] : []);
      pen.beginPath();
      for (const { a, b, ended } of near) {
        if (Boolean(ended) !== isEnded) continue;
        pen.moveTo(a.x, a.y);
        pen.lineTo(b.x, b.y);
      }
      pen.stroke();
    }
    dots();
    if (!settling) label(near);
  }
  // One path for each colour: thousands of nodes are a few calls.
  function dots() {
    const groups = new Map();
    for (const node of nodes) {
      const key = `${tone(node)}${node.ended ? "~" : ""}`;
      if (groups.has(key)) groups.get(key).push(node);
      else groups.set(key, [node]);
    }
    const by = Math.max(0.6, Math.min(1.4, view.scale)) * (nodes.length > 1000 ? 2.2 : 1);
    for (const group of groups.values()) {
      pen.globalAlpha = group[0].ended ? 0.45 : 1;
      pen.fillStyle = tone(group[0]);
      pen.beginPath();
      for (const node of group) {
        const size = radius(node) / by;
        if (nodes.length > VERY_MANY) pen.rect(node.x - size, node.y - size, 2 * size, 2 * size);
        else { pen.moveTo(node.x + size, node.y); pen.arc(node.x, node.y, size, 0, 7); }
      }
      pen.fill();
    }
    if (!picked) return;
    pen.globalAlpha = 1;
    pen.strokeStyle = colors.ink;
    pen.lineWidth = 2 / view.scale;
    pen.beginPath();
    pen.arc(picked.x, picked.y, radius(picked) / by, 0, 7);
    pen.stroke();
  }
  function label(near) {
    const close = new Set(near.flatMap(({ a, b }) => [a, b]));
    const busy = nodes.length > 80;
    pen.globalAlpha = 1;
    pen.font = `${12 / view.scale}px ${colors.font}`;
    pen.textAlign = "center";
    pen.lineWidth = 3 / view.scale;
    pen.strokeStyle = colors.bg;
    const first = (it) => (it === picked ? 1e9 : it === pointed ? 1e8 : close.has(it) ? 1e7 : 0) + it.degree - (it.ended ? 0.5 : 0);
    const taken = [];
    const wanted = nodes.filter((it) => !busy || it === picked || it === pointed || close.has(it) || (view.scale > 0.5 && it.degree > 6) || view.scale > 1.4).sort((a, b) => first(b) - first(a)).slice(0, 400);
    for (const node of wanted) {
      const text = node.label.length > 26 ? `${node.label.slice(0, 25)}…` : node.label;
      const y = node.y + (radius(node) + 13) / view.scale;
      // A label that would cover another is left out; pointing at the node shows it.
      const half = pen.measureText(text).width / 2;
      const box = [node.x - half, y - 12 / view.scale, node.x + half, y + 3 / view.scale];
      if (node !== picked && node !== pointed && taken.some(([left, top, right, bottom]) => box[0] < right && box[2] > left && box[1] < bottom && box[3] > top)) continue;
      taken.push(box);
      pen.strokeText(text, node.x, y);
      pen.fillStyle = node.ended ? colors.muted : colors.ink;
      pen.fillText(text, node.x, y);
    }
  }
  const place = (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return { x: (event.clientX - left - width / 2) / view.scale + view.x, y: (event.clientY - top - height / 2) / view.scale + view.y };
  };
  const under = (point) => nodes.findLast((it) => Math.hypot(it.x - point.x, it.y - point.y) < (radius(it) + 4) / Math.min(1.2, view.scale));
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, y: event.clientY, moved: false, node: under(place(event)) };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      const found = under(place(event)) ?? null;
      if (found !== pointed) { pointed = found; canvas.classList.toggle("on-node", Boolean(found)); draw(); }
      return;
    }
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moved ||= Math.hypot(dx, dy) > 4;
    if (!drag.moved) return;
    if (drag.node) Object.assign(drag.node, place(event));
    else { view.x -= dx / view.scale; view.y -= dy / view.scale; }
    [drag.x, drag.y] = [event.clientX, event.clientY];
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    if (drag && !drag.moved && drag.node) onPick(drag.node);
    drag = null;
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.12 : 1 / 1.12);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [-40, 0], ArrowRight: [40, 0], ArrowUp: [0, -40], ArrowDown: [0, 40] };
    if (moves[event.key]) { event.preventDefault(); view.x += moves[event.key][0] / view.scale; view.y += moves[event.key][1] / view.scale; draw(); } else if (event.key === "+") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
  });
  const observer = new ResizeObserver(() => { const first = canvas.width === 300; resize(); if (first) { fit(); draw(); } });
  observer.observe(canvas);
  signal.addEventListener("abort", () => { observer.disconnect(); worker?.terminate(); });

  /** Shows these nodes and edges; those that were there before stay where they are. */
  function show(shownNodes, shownEdges, chosen) {
    readColors();
    const fresh = shownNodes.filter((it) => it.x === undefined);
    const spread = 40 * Math.sqrt(shownNodes.length);
    for (const node of fresh) seed(node, spread, shownNodes.length < VERY_MANY ? neighbour(node, shownEdges) : null);
    nodes = shownNodes;
    edges = shownEdges;
    picked = chosen ?? null;
    settle(fresh.length ? TICKS : 0);
  }
  const neighbour = (node, all) => all.map(({ a, b }) => (a === node ? b : b === node ? a : null)).find((it) => it && it.x !== undefined);
  function settle(ticks) {
    worker?.terminate();
    worker = null;
    settling = false;
    if (ticks > 0 && nodes.length > MANY) return settleBeside(ticks);
    for (let left = ticks; left > 0; left--) tick(nodes, edges, left / ticks);
    fit();
    return draw();
  }
  function settleBeside(ticks) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const mine = nodes;
    const index = new Map(mine.map((it, at) => [it, at]));
    worker = new Worker("/page/layout-worker.js", { type: "module" });
    settling = true;
    worker.addEventListener("message", ({ data: { places, done } }) => {
      if (nodes !== mine) return;
      mine.forEach((node, at) => { [node.x, node.y] = [places[2 * at], places[2 * at + 1]]; });
      if (done) {
        worker?.terminate();
        settling = false;
      }
      if (!still || done) requestAnimationFrame(() => { fit(); draw(); });
    });
    worker.postMessage({ nodes: mine.map(({ id, x, y, degree }) => ({ id, x, y, degree })), pairs: edges.map(({ a, b }) => [index.get(a), index.get(b)]), ticks });
    fit();
    draw();
  }
  return { box, show };
}
