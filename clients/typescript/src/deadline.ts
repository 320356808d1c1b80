/** Waiting that ends: by a caller's signal, or when time is up. */

/** A signal that is given when the caller's is, or when nothing happened for some time. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #end = () => this.#controller.abort(this.#caller?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(caller: AbortSignal | undefined) {
    caller?.throwIfAborted();
    this.#caller = caller;
    caller?.addEventListener("abort", this.#end, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether time is up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Time is up in so many milliseconds from now. */
  set(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!Number.isFinite(milliseconds)) return;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#controller.abort();
    }, milliseconds);
  }

  /** Nothing is waited for any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#end);
  }

  /** Whatever is still under way ends. */
  stop(): void {
    this.clear();
    this.#controller.abort();
  }
}

/** Resolves after some milliseconds; rejects with the signal's reason when that is given first. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}
