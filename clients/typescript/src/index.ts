/** Perfect recall for AI agents: the client of Idetic's server. */

export type { Call, CallOptions, ListOptions, WriteOptions } from "./calls.js";
export { type FollowArguments, Idetic, type IdeticOptions } from "./client.js";
export { type ErrorCode, type ErrorDetails, IdeticError } from "./errors.js";
export type { Json, JsonInput, JsonObject } from "./json.js";
export type { Listing, Page } from "./listing.js";
export type * from "./schemas.js";
