/** The client: where the server is, and the calls that are more than one route. */

import type { CallOptions } from "./calls.js";
import type { JsonInput, JsonObject } from "./json.js";
import type { Listing } from "./listing.js";
import { Routes } from "./routes.js";
import type { LogArguments } from "./schemas.js";
import { type Settings, Transport } from "./transport.js";

const URL = "http://127.0.0.1:4747";
const TIMEOUT_MS = 60_000;
const RETRIES = 3;

/** How a client asks. What is left out is as said here. */
export interface IdeticOptions {
  /** The address of the server; else the environment variable IDETIC_URL, else http://127.0.0.1:4747. */
  url?: string | undefined;
  /** The API key; else the environment variable IDETIC_KEY, else none. */
  key?: string | undefined;
  /** The space, as USER/COLLECTION; else the key's own. */
  space?: string | undefined;
  /** Milliseconds to wait for an answer; 60 000. */
  timeout?: number | undefined;
  /** How often a call is sent again where that is safe and may help; 3. */
  retries?: number | undefined;
  /** What sends requests; else the `fetch` that every program has. */
  fetch?: typeof fetch | undefined;
}

/** A log that is followed begins somewhere and has no end. */
export type FollowArguments = Omit<LogArguments, "limit" | "reverse" | "as_of">;

type ItemOf<L> = L extends Listing<infer T> ? T : never;

/** A memory behind a server. Each route of the server is a method. */
export class Idetic extends Routes {
  override readonly transport: Transport;

  constructor(options: IdeticOptions = {}) {
    super();
    this.transport = new Transport(settingsOf(options));
  }

  /** The same client for another space, named USER/COLLECTION. */
  inSpace(space: string): Idetic {
    return new Idetic({ ...this.transport.settings, space });
  }

  /**
   * The events of the log that match, and then each that comes. It has no end: leave the loop, or abort. After an
   * interruption it goes on behind the last event, `retries` times in a row.
   */
  follow(args: FollowArguments = {}, options: CallOptions = {}): AsyncGenerator<ItemOf<ReturnType<Routes["log"]>>> {
    return this.transport.followed({ path: "/v1/log", arguments: { ...args }, isRepeatable: true }, options);
  }

  /** The answers of any route as they come: `memory.stream("/v1/ask", { question: "…" })`. */
  stream(path: string, args: JsonInput = {}, options: CallOptions = {}): AsyncGenerator<JsonObject> {
    return this.transport.streamed({ path, arguments: args }, options);
  }
}

/** What was said, and for the rest what the environment says. */
function settingsOf(options: IdeticOptions): Settings {
  // Browsers have no `process`.
  const { process } = globalThis as { process?: { env?: { [name: string]: string | undefined } } };
  const url = options.url ?? process?.env?.["IDETIC_URL"] ?? URL;
  return {
    url: url.replace(/\/+$/, ""),
    key: options.key ?? process?.env?.["IDETIC_KEY"],
    space: options.space,
    timeout: options.timeout ?? TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
    // Called as a function of its own: a browser's `fetch` refuses to be a method of something else.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}
