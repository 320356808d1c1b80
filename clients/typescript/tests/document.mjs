/** A made-up document with every form that a route or a schema may take. */

/** A route of a document. @param {{[name: string]: any}} entry */
export function route(entry) {
  return { responses: {}, summary: "Does it", ...entry };
}

/** What it answers. @param {{[name: string]: any} | undefined} schema */
export function answer(schema, type = "application/json") {
  return { 200: { description: "done", ...(schema && { content: { [type]: { schema } } }) } };
}

const ITEM = { $ref: "#/components/schemas/shop_Item" };
export const DOCUMENT = {
  paths: {
    "/v1/forget": {
      post: route({
        operationId: "forget",
        parameters: [{ in: "header", name: "Idempotency-Key" }],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                additionalProperties: false,
                required: ["id"],
                properties: { id: { type: "string", description: "Which */ one" }, why: { type: ["string", "null"] } },
              },
            },
          },
        },
        responses: answer({
          type: "object",
          required: ["state", "left"],
          properties: {
            state: { enum: ["gone", "kept"] },
            left: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
            items: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
            parts: { type: "object", additionalProperties: { type: "number" } },
            pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
            "odd-name": { const: 1 },
          },
        }),
      }),
    },
    "/v1/items/{item_id}": {
      get: route({
        operationId: "item-get",
        parameters: [
          { in: "path", name: "item_id", required: true, schema: { type: "string" } },
          { in: "query", name: "in", required: true, schema: { enum: ["shop", "cart"] } },
          { in: "query", name: "version", schema: { type: "integer" } },
        ],
        responses: answer(ITEM),
      }),
      delete: route({
        operationId: "item_delete",
        parameters: [{ in: "path", name: "item_id", required: true, schema: { type: "string" } }],
        responses: { 204: { description: "done" } },
      }),
    },
    "/v1/changes": {
      get: route({ operationId: "changes", responses: answer(ITEM, "text/event-stream") }),
    },
    "/v1/list": {
      post: route({
        operationId: "list",
        description: "Needs the right to read.",
        parameters: [{ in: "query", name: "cursor" }],
        requestBody: { content: { "application/json": { schema: { additionalProperties: false, properties: {} } } } },
        responses: answer({ type: "object", properties: { items: { type: "array", items: ITEM } } }),
      }),
    },
    "/v1/log": {
      post: route({ operationId: "log", responses: answer({ type: "object" }) }),
    },
  },
  components: {
    schemas: {
      shop_Item: {
        allOf: [
          { type: "object", required: ["id"], properties: { id: { type: "string" } } },
          {
            type: "object",
            additionalProperties: true,
            properties: { tags: { type: "array", items: { type: "string" } } },
          },
        ],
      },
    },
  },
};
