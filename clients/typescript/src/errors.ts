/** What went wrong, as the server says it: a code, a message, and a hint what to do. */

import type { ErrorAnswer } from "./schemas.js";

/** What kind of failure it is. A newer server may know more of them; `unknown` came from something else than Idetic. */
export type ErrorCode =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "too_many"
  | "check_failed"
  | "unavailable"
  | "unknown"
  | (string & {});

/** Everything that the server said about a failure. */
export type ErrorDetails = Partial<ErrorAnswer["error"]> & { readonly [name: string]: unknown };

/** A call that was not carried out. */
export class IdeticError extends Error {
  override readonly name = "IdeticError";
  /** The HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  readonly code: ErrorCode;
  /** What to do, where the server knows. */
  readonly hint: string | undefined;
  /** Empty where the failure was not told by the server. */
  readonly details: ErrorDetails;

  constructor(
    message: string,
    said: { status?: number; code: ErrorCode; hint?: string; details?: ErrorDetails; cause?: unknown },
  ) {
    super(message, said.cause === undefined ? undefined : { cause: said.cause });
    this.status = said.status;
    this.code = said.code;
    this.hint = said.hint;
    this.details = said.details ?? {};
  }
}

/** The error that an answer describes, whoever wrote the answer. */
export function errorOf(status: number, body: string): IdeticError {
  const details = errorObject(body);
  const { message, hint } = details;
  const code = details["code"] ?? details["kind"];
  if (typeof message !== "string" || typeof code !== "string") {
    return new IdeticError(body.trim().slice(0, 200) || `the server answered ${status}`, { status, code: "unknown" });
  }
  return new IdeticError(message, { status, code, details, ...(typeof hint === "string" && { hint }) });
}

function errorObject(body: string): ErrorDetails {
  try {
    const said: { error?: ErrorDetails | null } | null = JSON.parse(body);
    return said?.error ?? {};
  } catch {
    return {};
  }
}

/** No answer came. */
export function unreachable(message: string, cause?: unknown): IdeticError {
  return new IdeticError(message, { code: "unavailable", hint: "is `idetic serve` running there?", cause });
}
