// Places a large graph beside the page's own thread, so that it stays smooth meanwhile.
import { tick } from "./layout.js";

const EVERY_MS = 200;

self.addEventListener("message", ({ data: { nodes, pairs, ticks } }) => {
  const edges = pairs.map(([a, b]) => ({ a: nodes[a], b: nodes[b] }));
  let told = performance.now();
  for (let left = ticks; left > 0; left--) {
    tick(nodes, edges, left / ticks);
    if (left > 1 && performance.now() - told < EVERY_MS) continue;
    const places = new Float32Array(2 * nodes.length);
    nodes.forEach(({ x, y }, at) => places.set([x, y], 2 * at));
    self.postMessage({ places, done: left === 1 }, [places.buffer]);
    told = performance.now();
  }
});
