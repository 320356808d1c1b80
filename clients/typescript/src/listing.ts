/** A list that is answered page by page. */

/** Some answers, and where the next page begins. */
export interface Page<T> {
  items: T[];
  /** The cursor of the next page, where there is one. */
  next?: string;
}

/** Every answer of a list; pages are asked for as they are needed. */
export class Listing<T> implements AsyncIterable<T> {
  readonly #page: (cursor: string | undefined) => Promise<Page<T>>;

  constructor(page: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#page = page;
  }

  /** One page: the first, or that of a cursor. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#page(cursor);
  }

  /** All answers at once. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#page(cursor);
      yield* page.items;
      cursor = page.next;
    } while (cursor !== undefined);
  }
}
