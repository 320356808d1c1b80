/** The first recall: what the README shows. */

import { Idetic } from "idetic";

const memory = new Idetic({ space: "ann/work" });
await memory.remember("The build needs Node 20", { tags: ["build"], metadata: { vip: true } });
const { hits } = await memory.recall("which Node?", { limit: 3 });
for (const hit of hits) console.log(hit.score.toFixed(1), hit.text, hit.metadata?.["vip"]);
