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
