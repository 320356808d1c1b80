/** A program that reads the fields of answers without a cast, compiled with every strict option; it is not run. */

import { type Fact, type Hit, Idetic, IdeticError, type JsonObject, type MemoryEvent } from "idetic";

export async function readsFields(memory: Idetic): Promise<string[]> {
  const ack = await memory.remember("Ann lives in Brno", { tags: ["home"], metadata: { vip: true, level: 3 } });
  const seq: number | undefined = ack.seq;
  const { hits } = await memory.recall("Where does Ann live?", { limit: 3, since: "7d" });
  const best: Hit | undefined = hits[0];
  const author: string | null | undefined = best?.author;
  const packed = await memory.context("Where does Ann live?", { budget: 300 });
  const sources: number[] = packed.sources.map((source) => source.score);
  const event: MemoryEvent = await memory.get(ack.id);
  const tags: string[] = event.tags ?? [];
  const stored = await memory.factStore("Ann lives in Brno", { subject: "Ann" });
  const fact: Fact = await memory.factGet(stored.fact_id);
  const until: string | null = fact.valid_until;
  const level: JsonObject | null = fact.metadata;
  for await (const listed of memory.list({ kind: "user_input" }, { pageSize: 10 })) tags.push(listed.kind);
  for await (const followed of memory.follow({ after: seq ?? 0 })) tags.push(followed.id);
  return [...tags, ...sources.map(String), author ?? "", until ?? "", JSON.stringify(level), packed.text];
}

export async function readsEveryAnswer(memory: Idetic): Promise<(string | number | boolean | null | undefined)[]> {
  const advice = await memory.advise("timeout of the backend");
  const note = await memory.noteShow("timeouts");
  const answered = await memory.ask("Where does Ann live?");
  const status = await memory.status();
  const retained = await memory.retain({ dry_run: true });
  const [before, after]: [number, number] = retained.database_bytes;
  const said: (string | number | boolean | null | undefined)[] = [
    advice.notes[0]?.because,
    advice.fixes?.[0]?.steps[0],
    note.linked_from[0],
    answered.answer,
    answered.facts[0]?.done,
    answered.remembered[0]?.what,
    status.quota[0]?.limit,
    status.coverage?.pending,
    retained.folder.stayed[0]?.reason,
    (await memory.stats()).by_kind[0]?.count,
    (await memory.profileShow("bot")).capabilities["backend"]?.skill_level,
    (await memory.sessionShow()).trace?.steps[0]?.duration_ms,
    (await memory.forget({ id: "x" })).events[0]?.passage,
    (await memory.verify()).problems[0]?.message,
    (await memory.agent("Where does Ann live?")).error?.code,
    before - after,
  ];
  // An answer of one of two forms is told by a field that the other has not.
  for await (const trace of memory.trace()) said.push("steps" in trace ? trace.steps[0]?.status : trace.failures);
  for (const ended of await memory.conversationEnd("c-1")) said.push("quote" in ended ? ended.quote : ended.episode);
  for await (const found of memory.query({ list: true })) said.push("rows" in found ? found.cut : found.from);
  for await (const used of memory.usage()) said.push(used.cost);
  const graph = await memory.graph();
  said.push("nodes" in graph ? graph.edges[0]?.relation : graph.format);
  return said;
}

export async function readsErrors(memory: Idetic): Promise<[number | undefined, string, string | undefined]> {
  try {
    await memory.get("no-such-event");
  } catch (error) {
    if (error instanceof IdeticError) return [error.status, error.code, error.hint];
    throw error;
  }
  return [undefined, "", undefined];
}

export async function isRefused(memory: Idetic): Promise<void> {
  // @ts-expect-error a limit is a number
  await memory.recall("x", { limit: "3" });
  // @ts-expect-error there is no such argument
  await memory.recall("x", { no_such_argument: 1 });
  // @ts-expect-error a record has a kind
  await memory.append([{ content: "x" }]);
  // @ts-expect-error a record has no such field
  await memory.append([{ kind: "test", no_such_field: 1 }]);
  // @ts-expect-error a text must be given
  await memory.remember();
  // @ts-expect-error a question that reads has no name
  await memory.recall("x", {}, { idempotencyKey: "a name" });
  // @ts-expect-error a log that is followed has no limit
  memory.follow({ limit: 3 });
  const { hits } = await memory.recall("x");
  // @ts-expect-error there may be no hit
  hits[0].text;
  // @ts-expect-error there is no such field
  hits[0]?.content;
}
