/**
 * Memory for the Vercel AI SDK: `wrapLanguageModel({ model, middleware: memoryMiddleware(memory) })`.
 *
 * What answers the user's last message is put before the model, packed into a token budget, fenced and cited; what the
 * user and the model said becomes events. The types are the parts of the SDK's that are used, so that it is no dependency.
 */

import type { Idetic } from "./client.js";
import type { JsonObject } from "./json.js";
import type { EventRecord } from "./schemas.js";

export interface MemoryOptions {
  /** The conversation that what is said belongs to. */
  conversation?: string | undefined;
  /** About how many tokens the memories may have; 800. */
  budget?: number | undefined;
  /** Which events they are taken from (docs/filters.md). */
  filter?: JsonObject | undefined;
  /** Whether what is said is kept; true. */
  keep?: boolean | undefined;
}

interface Part {
  readonly type: string;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}
interface Params {
  prompt: readonly Message[];
}
interface Result {
  content: readonly Part[];
}
interface Streamed<P extends Part> {
  stream: ReadableStream<P>;
}

/** A middleware of a language model, as `wrapLanguageModel` takes it. */
export interface MemoryMiddleware {
  readonly specificationVersion: "v3";
  transformParams<P extends Params>(options: { params: P }): Promise<P>;
  wrapGenerate<R extends Result>(options: { doGenerate: () => PromiseLike<R>; params: Params }): Promise<R>;
  wrapStream<P extends Part, R extends Streamed<P>>(options: {
    doStream: () => PromiseLike<R>;
    params: Params;
  }): Promise<R>;
}

const SOURCE = "vercel-ai";

/** A middleware that reminds a model and keeps what is said. */
export function memoryMiddleware(memory: Idetic, options: MemoryOptions = {}): MemoryMiddleware {
  const { conversation, budget = 800, filter, keep = true } = options;

  const event = (kind: string, content: string): EventRecord => ({
    kind,
    content,
    source: SOURCE,
    ...(conversation === undefined ? {} : { conversation_id: conversation }),
  });

  async function remember(params: Params, answer: string): Promise<void> {
    // A step after a tool was called repeats what the user said before.
    const last = params.prompt.at(-1);
    const asked = last?.role === "user" ? textOf(last.content) : "";
    const events = [
      ...(asked === "" ? [] : [event("user_input", asked)]),
      ...(answer === "" ? [] : [event("actor_output", answer)]),
    ];
    if (keep && events.length > 0) await memory.append(events);
  }

  return {
    specificationVersion: "v3",

    async transformParams({ params }) {
      const at = params.prompt.map((message) => message.role).lastIndexOf("user");
      const asked = textOf(params.prompt[at]?.content ?? "");
      if (asked === "") return params;
      const { text, abstained } = await memory.context(asked, { budget, filter });
      if (abstained) return params;
      const reminder = { role: "user", content: [{ type: "text", text }] };
      return { ...params, prompt: [...params.prompt.slice(0, at), reminder, ...params.prompt.slice(at)] };
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      await remember(params, textOf(result.content));
      return result;
    },

    async wrapStream<P extends Part, R extends Streamed<P>>({
      doStream,
      params,
    }: {
      doStream: () => PromiseLike<R>;
      params: Params;
    }): Promise<R> {
      const result = await doStream();
      let answer = "";
      const listening = new TransformStream<P, P>({
        transform(part, controller) {
          if (part.type === "text-delta" && "delta" in part) answer += String(part.delta);
          controller.enqueue(part);
        },
        async flush() {
          await remember(params, answer);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(listening) };
    },
  };
}

/** What a person would read of a content. */
function textOf(content: string | readonly Part[]): string {
  if (typeof content === "string") return content;
  const texts = content.map((part) => (part.type === "text" && "text" in part ? String(part.text) : ""));
  return texts.filter((text) => text !== "").join("\n");
}
