/** A call as data: what is sent, how the answer is read, and how patiently. */

/** One request. */
export interface Call {
  /** POST where nothing is said. */
  readonly method?: string;
  readonly path: string;
  readonly query?: { readonly [name: string]: unknown };
  readonly arguments?: object;
  /** Whether it has a name (`Idempotency-Key`), under which it is carried out once however often it is sent. */
  readonly isWrite?: boolean;
  /** Whether sending it again does no harm. */
  readonly isRepeatable?: boolean;
  /** JSON where nothing is said. */
  readonly reads?: "text";
}

/** How one call is made. */
export interface CallOptions {
  /** The space, as USER/COLLECTION; else that of the client. */
  space?: string | undefined;
  /** Ends the call, and the pauses between attempts. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for an answer of one attempt; else those of the client. */
  timeout?: number | undefined;
  /** How often it is sent again where that is safe; else as the client says. */
  retries?: number | undefined;
}

/** How a change is made. */
export interface WriteOptions extends CallOptions {
  /** A name for this call; the same name again is answered as before and changes nothing. Random where none is given. */
  idempotencyKey?: string | undefined;
}

/** How a list is asked for. */
export interface ListOptions extends CallOptions {
  /** How many items come at once, 1 to 1000. */
  pageSize?: number | undefined;
}

/** Metadata in the form `key=value` with JSON for the value. */
export function keyValues(metadata: { readonly [name: string]: unknown } | undefined): string[] | undefined {
  return metadata && Object.entries(metadata).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
}
