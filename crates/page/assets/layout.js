// Places the nodes of a graph by springs and repulsion. Each node begins where its name says, so a graph looks the same each time.

const REST = 90;
const SPRING = 0.06;
const REPEL = 2600;
const GRAVITY = 0.012;

/** A number in 0…1 that depends on the text alone (FNV-1a, then mixed). */
export function fraction(text, salt = 0) {
  let hash = 2166136261 ^ salt;
  for (let at = 0; at < text.length && at < 200; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  return ((hash ^ (hash >>> 13)) >>> 0) / 4294967296;
}

/** Gives a node its first place, near a neighbour that has one. */
export function seed(node, spread, near) {
  const angle = fraction(node.id) * Math.PI * 2;
  const far = near ? REST : Math.sqrt(fraction(node.id, 7)) * spread;
  node.x = (near?.x ?? 0) + Math.cos(angle) * far;
  node.y = (near?.y ?? 0) + Math.sin(angle) * far;
}

/** Moves every node once; `heat` falls from 1 to 0. */
export function tick(nodes, edges, heat) {
  for (const node of nodes) {
    node.fx = -node.x * GRAVITY;
    node.fy = -node.y * GRAVITY;
  }
  repel(nodes);
  for (const { a, b } of edges) {
    const dx = b.x - a.x;
    const dy = b.y - a.y;
    const far = Math.sqrt(dx * dx + dy * dy) || 1;
    const pull = (SPRING * (far - REST)) / far / Math.max(1, Math.sqrt(Math.min(a.degree, b.degree)));
    a.fx += dx * pull;
    a.fy += dy * pull;
    b.fx -= dx * pull;
    b.fy -= dy * pull;
  }
  const most = 40 * heat + 1;
  for (const node of nodes) {
    if (node.held) continue;
    const force = Math.hypot(node.fx, node.fy) || 1;
    const step = Math.min(force, most) / force;
    node.x += node.fx * step;
    node.y += node.fy * step;
  }
}

// Only what is near repels: nodes lie in the cells of a grid, and each looks at its own and the eight around.
function repel(nodes) {
  const cell = nodes.length > 300 ? 160 : 400;
  const cells = new Map();
  const at = (x, y) => x * 73856093 + y;
  for (const node of nodes) {
    node.cx = Math.floor(node.x / cell);
    node.cy = Math.floor(node.y / cell);
    const index = at(node.cx, node.cy);
    const inside = cells.get(index);
    if (inside) inside.push(node);
    else cells.set(index, [node]);
  }
  for (const node of nodes) {
    for (let x = node.cx - 1; x <= node.cx + 1; x++) {
      for (let y = node.cy - 1; y <= node.cy + 1; y++) {
        for (const other of cells.get(at(x, y)) ?? []) {
          if (other === node) continue;
          const dx = node.x - other.x || fraction(node.id, 3) - 0.5;
          const dy = node.y - other.y || fraction(node.id, 5) - 0.5;
          const square = dx * dx + dy * dy;
          const push = REPEL / Math.max(60, square) / Math.sqrt(square);
          node.fx += dx * push;
          node.fy += dy * push;
        }
      }
    }
  }
}
