/** Carries out calls over HTTP: again where that is safe, page by page, or as a stream. */

import type { Call, CallOptions, ListOptions, WriteOptions } from "./calls.js";
import { Deadline, pause } from "./deadline.js";
import { errorOf, IdeticError, unreachable } from "./errors.js";
import { Listing, type Page } from "./listing.js";
import { Parser, type Sent } from "./sse.js";

/** Where the server is, who asks and how patiently. */
export interface Settings {
  readonly url: string;
  readonly key: string | undefined;
  readonly space: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A stream says something at least every 15 seconds. */
const SILENCE_MS = 45_000;

export class Transport {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Carries out a call, again where that is safe and may help. */
  async send<T>(call: Call, options: WriteOptions = {}): Promise<T> {
    const request = this.#request(call, options);
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(request, options);
      if (!(outcome instanceof Failed)) return read(outcome, call) as T;
      const milliseconds = this.#wait(call, outcome, attempt, options);
      if (milliseconds === undefined) throw outcome.error;
      await pause(milliseconds, options.signal);
    }
  }

  /** The answers of a call that has many and no pages. */
  async items<T>(call: Call, options: WriteOptions = {}): Promise<T[]> {
    return (await this.send<Page<T>>(call, options)).items;
  }

  /** The answers of a call that has pages. */
  list<T>(call: Call, options: ListOptions = {}): Listing<T> {
    const { pageSize } = options;
    const query = { ...call.query, ...(pageSize !== undefined && { page_size: pageSize }) };
    return new Listing((cursor) => this.send({ ...call, query: { ...query, cursor } }, options));
  }

  /** The answers of a call as they come. */
  async *streamed<T>(call: Call, options: WriteOptions = {}): AsyncGenerator<T, void, undefined> {
    for await (const sent of this.#stream(call, options, undefined)) {
      if (sent.name === "done") return;
      yield parse(sent.data) as T;
    }
  }

  /** What a call answers, and then what comes: it has no end, and goes on where it was after an interruption. */
  async *followed<T>(call: Call, options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    let last: string | undefined;
    for (let attempt = 0; ; attempt += 1) {
      let failed: Failed;
      try {
        for await (const sent of this.#stream(call, options, last)) {
          last = sent.id ?? last;
          attempt = 0;
          yield parse(sent.data) as T;
        }
        // The server stops: perhaps it comes back.
        failed = new Failed(unreachable("the stream ended"));
      } catch (error) {
        if (!(error instanceof IdeticError)) throw error;
        failed = new Failed(error);
      }
      const milliseconds = this.#wait(call, failed, attempt, options);
      if (milliseconds === undefined) throw failed.error;
      await pause(milliseconds, options.signal);
    }
  }

  async #attempt(request: Request, options: CallOptions): Promise<string | Failed> {
    const deadline = new Deadline(options.signal);
    const timeout = options.timeout ?? this.settings.timeout;
    deadline.set(timeout);
    try {
      const response = await this.settings.fetch(request.url, { ...request.init, signal: deadline.signal });
      const body = await response.text();
      if (response.ok) return body;
      return new Failed(errorOf(response.status, body), response.headers.get("Retry-After"));
    } catch (error) {
      return new Failed(lost(error, deadline, options, timeout));
    } finally {
      deadline.clear();
    }
  }

  async *#stream(call: Call, options: WriteOptions, last: string | undefined): AsyncGenerator<Sent, void, undefined> {
    const { url, init } = this.#request(call, options);
    init.headers["Accept"] = "text/event-stream";
    if (last !== undefined) init.headers["Last-Event-ID"] = last;
    const deadline = new Deadline(options.signal);
    let timeout = options.timeout ?? this.settings.timeout;
    deadline.set(timeout);
    try {
      const response = await this.settings.fetch(url, { ...init, signal: deadline.signal });
      timeout = SILENCE_MS;
      if (!response.ok || response.body === null) throw errorOf(response.status, await response.text());
      const [reader, parser] = [response.body.getReader(), new Parser()];
      for (;;) {
        deadline.set(timeout);
        const { done, value } = await reader.read();
        // Whoever reads may take all the time there is.
        deadline.set(Infinity);
        if (done) return;
        for (const sent of parser.feed(value)) {
          if (sent.name === "error") throw errorOf(response.status, sent.data);
          // How far a long call is, is no answer.
          if (sent.name !== "progress") yield sent;
        }
      }
    } catch (error) {
      throw error instanceof IdeticError ? error : lost(error, deadline, options, timeout);
    } finally {
      deadline.stop();
    }
  }

  #request(call: Call, options: WriteOptions): Request {
    const { url, key, space } = this.settings;
    const headers: { [name: string]: string } = {};
    const add = (name: string, value: string | undefined) => {
      if (value !== undefined) headers[name] = checked(name, value);
    };
    add("Authorization", key ? `Bearer ${key}` : undefined);
    add("Idetic-Space", options.space ?? space);
    if (call.isWrite) add("Idempotency-Key", options.idempotencyKey ?? randomName());
    const init: Request["init"] = { method: call.method ?? "POST", headers };
    if (call.arguments !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(call.arguments);
    }
    return { url: `${url}${call.path}${queryOf(call.query ?? {})}`, init };
  }

  /** How many milliseconds to wait before a call is sent again; undefined where that would not help. */
  #wait(call: Call, failed: Failed, attempt: number, options: CallOptions): number | undefined {
    const isSafe = call.isRepeatable === true || call.isWrite === true;
    if (!isSafe || attempt >= (options.retries ?? this.settings.retries)) return undefined;
    const { code, message, status } = failed.error;
    // Sent again before the first was answered: the answer is on its way.
    const isBegun = status === 409 && attempt > 0 && message.includes("Idempotency-Key");
    if (!isBegun && status !== 429 && status !== 503 && code !== "unavailable") return undefined;
    const asked = Number.parseInt(failed.retryAfter ?? "", 10) * 1000;
    if (asked >= 0) return Math.min(asked, LONGEST_PAUSE_MS);
    return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
  }
}

interface Request {
  readonly url: string;
  readonly init: { method: string; headers: { [name: string]: string }; body?: string };
}

/** An attempt without success. */
class Failed {
  constructor(
    readonly error: IdeticError,
    readonly retryAfter: string | null = null,
  ) {}
}

/** Why no answer came; the caller's own reason is thrown as it is. */
function lost(error: unknown, deadline: Deadline, options: CallOptions, timeout: number): IdeticError {
  if (options.signal?.aborted) throw options.signal.reason;
  if (deadline.isOver) return unreachable(`no answer from the server within ${timeout} ms`, error);
  return unreachable(`no answer from the server: ${reasonOf(error)}`, error);
}

/** `fetch` says why only in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function read(body: string, call: Call): unknown {
  return call.reads === "text" || body === "" ? body : parse(body);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    const hint = "is that the address of an Idetic server?";
    throw new IdeticError(`the answer is not JSON: ${body.slice(0, 200)}`, { code: "unknown", hint, cause });
  }
}

function queryOf(query: { readonly [name: string]: unknown }): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

/** A header holds only printable ASCII. */
function checked(name: string, value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  const hint = "use printable ASCII characters only";
  throw new IdeticError(`${name}: the value has characters that a header cannot hold`, { code: "invalid", hint });
}

/** A name that no other call has. Node 18 has no `crypto` for every program. */
function randomName(): string {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto === undefined) bytes.forEach((_, at) => (bytes[at] = Math.random() * 256));
  else crypto.getRandomValues(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
