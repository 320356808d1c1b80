/** Compares an answer with its JSON Schema, as far as the server's document uses it. */

/** @typedef {{[name: string]: any}} Schema */

/**
 * Where a value is not what its schema says.
 * @param {Schema | boolean | undefined} schema
 * @param {unknown} value
 * @param {Schema} definitions what `$ref` refers to
 * @param {string} path of the value
 * @returns {string[]}
 */
export function differences(schema, value, definitions, path = "answer") {
  if (schema === undefined || schema === true) return [];
  if (schema === false) return [`${path}: is not allowed`];
  const of = (/** @type {Schema} */ part) => differences(part, value, definitions, path);
  if (schema["$ref"] !== undefined) return of(definitions[schema["$ref"].split("/").at(-1)]);
  const wrong = (schema["allOf"] ?? []).flatMap(of);
  const parts = schema["anyOf"] ?? schema["oneOf"];
  if (parts !== undefined && parts.every((/** @type {Schema} */ part) => of(part).length > 0)) {
    wrong.push(`${path}: fits none of ${parts.length} schemas: ${parts.flatMap(of).join("; ")}`);
  }
  if ("const" in schema && schema["const"] !== value) wrong.push(`${path}: is not ${schema["const"]}`);
  if (schema["enum"] && !schema["enum"].includes(value)) wrong.push(`${path}: ${value} is none of ${schema["enum"]}`);
  if (schema["type"] !== undefined && ![schema["type"]].flat().some((kind) => isOfKind(kind, value))) {
    return [...wrong, `${path}: ${JSON.stringify(value)} is not of type ${schema["type"]}`];
  }
  return [...wrong, ...inside(schema, value, definitions, path)];
}

/** @param {Schema} schema @param {unknown} value @param {Schema} definitions @param {string} path @returns {string[]} */
function inside(schema, value, definitions, path) {
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => {
      const part = schema["prefixItems"]?.[at] ?? schema["items"];
      return differences(part, item, definitions, `${path}[${at}]`);
    });
  }
  if (typeof value !== "object" || value === null) return [];
  const object = /** @type {{[name: string]: unknown}} */ (value);
  const required = /** @type {string[]} */ (schema["required"] ?? []);
  const missing = required.filter((name) => !(name in object)).map((name) => `${path}: ${name} is missing`);
  const wrong = Object.entries(object).flatMap(([name, item]) => {
    const part = schema["properties"]?.[name] ?? schema["additionalProperties"];
    return differences(part, item, definitions, `${path}.${name}`);
  });
  return [...missing, ...wrong];
}

/** @param {string} kind @param {unknown} value */
function isOfKind(kind, value) {
  if (kind === "null") return value === null;
  if (kind === "array") return Array.isArray(value);
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === kind;
}
