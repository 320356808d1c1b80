/** JSON as types. */

export type Json = string | number | boolean | null | Json[] | JsonObject;

/** An object whose fields the server's document does not describe. */
export type JsonObject = { [name: string]: Json };

/** Any object that can be sent. */
export type JsonInput = { readonly [name: string]: unknown };
