/** A model of the Vercel AI SDK that remembers. */

import { generateText, type LanguageModel, wrapLanguageModel } from "ai";
import { Idetic } from "idetic";
import { memoryMiddleware } from "idetic/ai";

export async function answer(model: Exclude<LanguageModel, string>, question: string): Promise<string> {
  const memory = new Idetic({ space: "ann/work" });
  const middleware = memoryMiddleware(memory, { conversation: "c-17" });
  if (model.specificationVersion !== "v3") throw new Error("a model of the AI SDK 6 is needed");
  const { text } = await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: question });
  return text;
}
