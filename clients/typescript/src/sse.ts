/** Server-sent events, from bytes. */

/** One event of a stream. */
export interface Sent {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Finds the events in what comes in, however it is cut. */
export class Parser {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #name = "message";
  #data: string[] = [];
  #id: string | undefined;

  /** The events that are complete with these bytes. */
  feed(more: Uint8Array): Sent[] {
    const lines = (this.#rest + this.#decoder.decode(more, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#take(line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  #take(line: string): Sent[] {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#name = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    return [];
  }

  #finish(): Sent[] {
    const sent = this.#data.length > 0 ? [{ name: this.#name, data: this.#data.join("\n"), id: this.#id }] : [];
    this.#name = "message";
    this.#data = [];
    this.#id = undefined;
    return sent;
  }
}
