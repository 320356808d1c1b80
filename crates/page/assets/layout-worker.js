// Places a large graph beside the page's own thread, so that it stays smooth meanwhile.
import { tick } from "./layout.js";

const EVERY_MS = 120;

self.addEventListener("message", ({ data: { nodes, pairs, ticks } }) => {
  const edges = pairs.map(([a, b]) => ({ a: nodes[a], b: nodes[b] }));
  let told = performance.now();
  for (let left = ticks; left > 0; left--) {
    tick(nodes, edges, left / ticks);
    if (left > 1 && performance.now() - told < EVERY_MS) continue;
    self.postMessage({ places: nodes.map(({ x, y }) => [x, y]), done: left === 1 });
    told = performance.now();
  }
});
