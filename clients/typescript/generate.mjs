/**
 * Makes the methods and types of the client from the server's own description.
 *
 *     node generate.mjs http://127.0.0.1:4747/openapi.json     (with IDETIC_KEY, where the server wants one)
 *     node generate.mjs openapi.json
 *
 * writes src/schemas.ts, with the types of arguments and answers, and src/routes.ts, with a method for each route. Both are
 * checked in; a test compares them with what the server says.
 */

import { realpathSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

/**
 * @typedef {{[name: string]: any}} Schema
 * @typedef {{isInput?: boolean, prefix?: string}} Form whether it is given by the caller, and so never changed; what
 *   stands before the name of a definition
 * @typedef {{name: string, wire: string, schema: Schema | boolean, isRequired: boolean, convert?: string}} Argument
 */

const WIDTH = 120;
const HEADER = "Written by generate.mjs from the server's OpenAPI document; do not edit.";
const SCALARS = new Map([
  ["string", "string"],
  ["integer", "number"],
  ["number", "number"],
  ["boolean", "boolean"],
  ["null", "null"],
]);

/** One word for one thing: what an argument is called here, where the document has only the older word for it. */
const WORDS = new Map([
  ["k", { name: "limit" }],
  ["top_k", { name: "limit" }],
  ["meta", { name: "metadata", schema: { type: "object" }, convert: "keyValues" }],
]);

/** Further names of routes, where the document has no route of that name. */
const ALIASES = new Map([["list", "log"]]);

/** Definitions whose names every program has for something else. */
const RENAMED = new Map([
  ["Error", "ErrorAnswer"],
  ["Event", "MemoryEvent"],
]);

/** What methods call something else, and words that JavaScript keeps for itself. */
const NOT_PARAMETERS = new Set(
  (
    "args body options await break case catch class const continue default delete do else enum export extends false " +
    "finally for function if import in instanceof new null return super switch this throw true try typeof var void " +
    "while with yield let static implements interface package private protected public"
  ).split(" "),
);

/** Members of the client that no route may replace. */
const TAKEN = new Set(["constructor", "follow", "inSpace", "stream", "transport"]);

/** One route of the document, and which of the ways to call it fits. */
export class Route {
  /**
   * @param {string} path
   * @param {string} method
   * @param {Schema} entry
   */
  constructor(path, method, entry) {
    this.path = path;
    this.method = method;
    this.entry = entry;
    this.operation = /** @type {string} */ (entry.operationId);
    this.name = camel(this.operation);
    const named = (/** @type {string} */ place) =>
      /** @type {Schema[]} */ (entry.parameters ?? []).filter((parameter) => parameter.in === place);
    this.inPath = named("path").map((parameter) => /** @type {string} */ (parameter.name));
    const queries = named("query");
    this.isPaged = queries.some((parameter) => parameter.name === "cursor");
    this.queries = queries.filter((parameter) => !this.isPaged || !["cursor", "page_size"].includes(parameter.name));
    this.isWrite = named("header").some((parameter) => parameter.name === "Idempotency-Key");
    // Without a name, only what reads may be sent again.
    this.isRepeatable = this.isWrite || method === "get" || /needs the right to read/i.test(entry.description ?? "");
    const body = entry.requestBody?.content?.["application/json"]?.schema;
    this.body = /** @type {Schema | undefined} */ (body);
    const content = this.success.content ?? {};
    const isString = Object.values(content).some((/** @type {Schema} */ { schema }) => schema?.type === "string");
    this.isText = isString && !("application/json" in content);
    this.isStream = "text/event-stream" in content && !("application/json" in content);
    this.answer = content[this.isStream ? "text/event-stream" : "application/json"]?.schema;
    this.isMany = !this.isStream && isPage(this.answer);
  }

  /** What is answered when all went well. */
  get success() {
    const found = Object.entries(this.entry.responses).find(([status]) => status.startsWith("2"));
    if (found === undefined) throw new Error(`${this.operation}: the document names no answer`);
    return /** @type {Schema} */ (found[1]);
  }

  /** Which arguments there are: `named` ones, `more` than those that are named, or `anything`. */
  get takes() {
    if (this.body === undefined || this.body.additionalProperties === false) return "named";
    return this.body.properties ? "more" : "anything";
  }

  /** The schema of one answer. @returns {Schema | boolean | undefined} */
  get item() {
    return this.isMany ? this.answer.properties.items.items : this.answer;
  }

  /** Whether the document leaves open what one answer is. */
  get isUntyped() {
    if (this.isText || this.answer === undefined) return false;
    const item = this.item;
    return item === undefined || typeof item === "boolean" || isBare(item);
  }

  /** The arguments in the order of the document. @returns {Argument[]} */
  get arguments() {
    const required = new Set(this.body?.required ?? []);
    const properties = Object.entries(this.body?.properties ?? {});
    const inBody = properties.map(([wire, schema]) => ({ wire, schema, isRequired: required.has(wire) }));
    const inQuery = this.queries.map((parameter) => {
      const schema = { description: parameter.description, ...parameter.schema };
      return { wire: parameter.name, schema, isRequired: parameter.required === true };
    });
    return [...inBody, ...inQuery].flatMap((argument) => this.#named(argument));
  }

  /** @param {{wire: string, schema: Schema | boolean, isRequired: boolean}} argument @returns {Argument[]} */
  #named(argument) {
    const word = WORDS.get(argument.wire);
    if (word === undefined) return [{ ...argument, name: argument.wire }];
    if (word.name in (this.body?.properties ?? {})) return [];
    const { name, schema, convert } = /** @type {{name: string, schema?: Schema, convert?: string}} */ (word);
    const described = schema && { description: "Anything else, under names of your own", ...schema };
    return [{ ...argument, name, schema: described ?? argument.schema, ...(convert && { convert }) }];
  }

  /** Those that stand first, each for itself: what must be given, or where nothing must, the question. */
  get leading() {
    const required = this.arguments.filter((argument) => argument.isRequired);
    return required.length > 0 ? required : this.arguments.filter((argument) => argument.wire === "query");
  }

  /** Those that are given by name. */
  get named() {
    const leading = new Set(this.leading.map((argument) => argument.wire));
    return this.arguments.filter((argument) => !leading.has(argument.wire));
  }

  get hasArguments() {
    return this.named.length > 0 || this.takes === "more";
  }
}

/** Whether a schema is that of many answers: those, and where the next begin. @param {Schema | undefined} schema */
function isPage(schema) {
  const names = Object.keys(schema?.properties ?? {});
  return names.includes("items") && names.every((name) => name === "items" || name === "next");
}

/** Whether a schema says no more than that it is an object. @param {Schema} schema */
function isBare(schema) {
  const says = ["properties", "$ref", "anyOf", "oneOf", "allOf", "items", "enum", "const"];
  const isOpen = typeof schema.additionalProperties !== "object";
  return isOpen && !says.some((word) => word in schema) && (schema.type ?? "object") === "object";
}

/** The routes in the order of the document. @param {Schema} document */
export function routesOf(document) {
  // A route that answers with a file is left out: `curl` downloads it better.
  const isFile = (/** @type {Schema} */ entry) => "application/gzip" in (entry.responses["200"]?.content ?? {});
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, entry]) => !isFile(entry))
      .map(([method, entry]) => new Route(path, method, entry)),
  );
}

/** The definitions of the document. @param {Schema} document @returns {Schema} */
export function definitionsOf(document) {
  return document.components?.schemas ?? {};
}

/** The generated files by their names. @param {Schema} document @returns {{[name: string]: string}} */
export function render(document) {
  const routes = routesOf(document);
  const names = new Set(routes.map((route) => route.name));
  for (const name of names) if (TAKEN.has(name)) throw new Error(`the client has a member ${name} of its own`);
  return {
    "schemas.ts": renderSchemas(routes, definitionsOf(document)),
    "routes.ts": renderRoutes(routes, names),
  };
}

/** @param {Route[]} routes @param {Schema} definitions */
function renderSchemas(routes, definitions) {
  const used = new Map();
  const add = (/** @type {string} */ name, /** @type {string} */ text) => {
    if (used.has(name)) throw new Error(`two schemas are called ${name}`);
    used.set(name, text);
  };
  const answered = new Set();
  for (const route of routes) collect(route.entry.responses, definitions, answered);
  for (const [name, schema] of Object.entries(definitions)) {
    const said = comment("", about(schema));
    add(definitionName(name), declaration(definitionName(name), schema, said, !answered.has(name)));
  }
  for (const route of routes) {
    if (route.hasArguments) add(argumentsName(route), renderArguments(route));
    const item = route.item;
    if (hasName(route) && typeof item === "object") {
      const said = route.isMany ? `One answer of \`${route.name}\`.` : `The answer of \`${route.name}\`.`;
      add(answerName(route), declaration(answerName(route), item, comment("", said)));
    }
  }
  const text = [...used.values()].join("\n");
  const imports = ["JsonInput", "JsonObject"].filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const head = imports.length > 0 ? `import type { ${imports.join(", ")} } from "./json.js";\n\n` : "";
  return `/**\n * What routes take and what they answer.\n *\n * ${HEADER}\n */\n\n${head}${text}`;
}

/**
 * Adds the names of the definitions that a part of the document needs.
 * @param {unknown} part @param {Schema} definitions @param {Set<string>} names
 */
function collect(part, definitions, names) {
  for (const [, name] of (JSON.stringify(part) ?? "").matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (name === undefined || names.has(name)) continue;
    names.add(name);
    collect(definitions[name], definitions, names);
  }
}

/** Whether an answer gets a name of its own. @param {Route} route */
function hasName(route) {
  const item = route.item;
  return !route.isText && !route.isUntyped && typeof item === "object" && item.$ref === undefined;
}

/** @param {string} name @param {Schema} schema @param {string} said @param {boolean} isInput */
function declaration(name, schema, said, isInput = false) {
  const type = typeOf(schema, "", { isInput });
  return `${said}export type ${name} = ${type};\n`;
}

/** @param {Route} route */
function renderArguments(route) {
  const lines = route.named.map((argument) => {
    const mark = argument.isRequired ? "" : "?";
    const orNothing = argument.isRequired ? "" : " | undefined";
    const type = `${argumentType(argument)}${orNothing}`;
    return `${comment("  ", about(argument.schema))}  ${key(argument.name)}${mark}: ${type};\n`;
  });
  if (route.takes === "more") lines.push("  [name: string]: unknown;\n");
  const said = comment("", `What \`${route.name}\` takes by name.`);
  return `${said}export interface ${argumentsName(route)} {\n${lines.join("")}}\n`;
}

/** An argument is never null: what is left out is not sent. @param {Argument} argument @param {string} prefix */
function argumentType({ schema }, prefix = "") {
  const given = typeof schema === "object" ? withoutNull(schema) : schema;
  return typeOf(given, "  ", { isInput: true, prefix });
}

/** @param {Schema} schema @returns {Schema} */
function withoutNull(schema) {
  const isSomething = (/** @type {unknown} */ part) =>
    !["null", null].includes(/** @type {any} */ (part)?.type ?? part);
  const rest = { ...schema };
  for (const word of ["type", "anyOf", "oneOf", "enum"]) {
    if (Array.isArray(rest[word])) rest[word] = rest[word].filter(isSomething);
  }
  return rest;
}

/**
 * The TypeScript type of a schema.
 * @param {Schema | boolean | undefined} schema
 * @param {string} indent of the line that it stands in
 * @param {Form} form
 * @returns {string}
 */
function typeOf(schema, indent, form = {}) {
  if (schema === undefined || typeof schema === "boolean") return "unknown";
  const of = (/** @type {Schema} */ part) => typeOf(part, indent, form);
  if (schema.$ref !== undefined) return `${form.prefix ?? ""}${definitionName(schema.$ref.split("/").at(-1))}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((/** @type {unknown} */ value) => JSON.stringify(value)));
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts !== undefined) {
    const types = union(parts.map(of));
    return schema.properties ? `${grouped(types)} & ${objectType(schema, indent, form)}` : types;
  }
  if (schema.allOf !== undefined) {
    const types = schema.allOf.map(of).map(grouped);
    return (schema.properties ? [...types, objectType(schema, indent, form)] : types).join(" & ");
  }
  const kinds = [schema.type ?? (schema.properties || schema.additionalProperties ? "object" : [])].flat();
  return union(kinds.map((kind) => typeOfKind(kind, schema, indent, form)));
}

/** @param {string} kind @param {Schema} schema @param {string} indent @param {Form} form */
function typeOfKind(kind, schema, indent, form) {
  if (kind === "object") return objectType(schema, indent, form);
  const readonly = form.isInput ? "readonly " : "";
  if (kind !== "array") return /** @type {string} */ (SCALARS.get(kind));
  if (schema.prefixItems !== undefined) {
    const types = schema.prefixItems.map((/** @type {Schema} */ part) => typeOf(part, indent, form));
    return `${readonly}[${types.join(", ")}]`;
  }
  return `${readonly}${grouped(typeOf(schema.items, indent, form))}[]`;
}

/** @param {Schema} schema @param {string} indent @param {Form} form */
function objectType(schema, indent, form) {
  const more = schema.additionalProperties;
  const hasMore = more === true || typeof more === "object";
  if (!schema.properties) {
    if (typeof more === "object") return `{ [name: string]: ${typeOf(more, indent, form)} }`;
    return form.isInput ? "JsonInput" : "JsonObject";
  }
  const required = new Set(schema.required ?? []);
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const type = typeOf(property, inner, form);
    const rest = required.has(name) ? `: ${type}` : `?: ${type}${form.isInput ? " | undefined" : ""}`;
    return `${comment(inner, about(property))}${inner}${key(name)}${rest};\n`;
  });
  const open = hasMore ? " & { [name: string]: unknown }" : "";
  return `{\n${lines.join("")}${indent}}${open}`;
}

/** A type as a part of another. @param {string} type */
function grouped(type) {
  return /^[\w.]+$/.test(type) ? type : `(${type})`;
}

/** @param {string[]} types */
function union(types) {
  return [...new Set(types)].join(" | ") || "unknown";
}

/** @param {Route[]} routes @param {Set<string>} names */
function renderRoutes(routes, names) {
  const methods = routes.flatMap((route) => {
    const also = [...ALIASES].filter(([alias, name]) => name === route.name && !names.has(alias));
    return [renderMethod(route), ...also.map(([alias]) => renderAlias(route, alias))];
  });
  const text = methods.join("\n");
  const uses = (/** @type {string} */ name) => new RegExp(`\\b${name}\\b`).test(text);
  const values = ["keyValues", "Listing", "Transport"].filter(uses);
  const options = ["CallOptions", "ListOptions", "WriteOptions"].filter(uses);
  const json = ["JsonInput", "JsonObject"].filter(uses);
  const schemas = [...new Set(text.match(/(?<=schemas\.)\w+/g))];
  const imports = [
    options.length > 0 && `import type { ${options.join(", ")} } from "./calls.js";`,
    values.includes("keyValues") && 'import { keyValues } from "./calls.js";',
    json.length > 0 && `import type { ${json.join(", ")} } from "./json.js";`,
    values.includes("Listing") && 'import type { Listing } from "./listing.js";',
    schemas.length > 0 && 'import type * as schemas from "./schemas.js";',
    'import type { Transport } from "./transport.js";',
  ].filter(Boolean);
  return (
    `/**\n * Every route of the server as a method.\n *\n * ${HEADER}\n */\n\n${imports.join("\n")}\n\n` +
    `/** Every route of the server. */\nexport abstract class Routes {\n` +
    `  /** What carries out the calls. */\n  abstract readonly transport: Transport;\n\n${text}}\n`
  );
}

/** @param {Route} route */
function renderMethod(route) {
  const said = [`${route.entry.summary}.`, ...route.leading.map(({ name, schema }) => parameterNote(name, schema))];
  const { text } = signature(route, route.name);
  const way = route.isStream ? "streamed" : route.isPaged ? "list" : route.isMany ? "items" : "send";
  const line = `    return this.transport.${way}({ ${call(route).join(", ")} }, options);\n`;
  const lines = `    return this.transport.${way}(\n      {\n${call(route)
    .map((field) => `        ${field},\n`)
    .join("")}      },\n      options,\n    );\n`;
  return `${comment("  ", ...said)}${text} {\n${line.length <= WIDTH + 1 ? line : lines}  }\n`;
}

/** @param {Route} route @param {string} alias */
function renderAlias(route, alias) {
  const { text, names } = signature(route, alias);
  const said = comment("  ", `The same as \`${route.name}\`.`);
  return `${said}${text} {\n    return this.${route.name}(${names.join(", ")});\n  }\n`;
}

/** How a method is declared, and the names of what it takes. @param {Route} route @param {string} name */
function signature(route, name) {
  const takes = route.inPath.map((parameter) => ({ name: parameterName(parameter), type: "string", isRequired: true }));
  for (const argument of route.leading) {
    takes.push({
      name: parameterName(argument.name),
      type: argumentType(argument, "schemas."),
      isRequired: argument.isRequired,
    });
  }
  if (route.takes === "anything") takes.push({ name: "body", type: "JsonInput", isRequired: true });
  const parts = takes.map((taken) => `${taken.name}${taken.isRequired ? "" : "?"}: ${taken.type}`);
  const names = takes.map((taken) => taken.name);
  if (route.hasArguments) {
    const mustBeGiven = route.named.some((argument) => argument.isRequired);
    parts.push(`args: schemas.${argumentsName(route)}${mustBeGiven ? "" : " = {}"}`);
    names.push("args");
  }
  const options = route.isPaged ? "ListOptions" : route.isWrite ? "WriteOptions" : "CallOptions";
  parts.push(`options: ${options} = {}`);
  names.push("options");
  const line = `  ${name}(${parts.join(", ")}): ${returns(route)}`;
  if (line.length + 2 <= WIDTH) return { text: line, names };
  return { text: `  ${name}(\n${parts.map((part) => `    ${part},\n`).join("")}  ): ${returns(route)}`, names };
}

/** @param {Route} route */
function returns(route) {
  const item = route.item;
  if (route.isText) return "Promise<string>";
  if (item === undefined) return "Promise<void>";
  const refers = typeof item === "object" && item.$ref !== undefined;
  const type = refers ? `schemas.${typeOf(item, "")}` : hasName(route) ? `schemas.${answerName(route)}` : "JsonObject";
  if (route.isStream) return `AsyncGenerator<${type}, void, undefined>`;
  if (route.isPaged) return `Listing<${type}>`;
  return `Promise<${type}${route.isMany ? "[]" : ""}>`;
}

/** The fields of the call. @param {Route} route */
function call(route) {
  const path = route.inPath.reduce(
    (path, name) => path.replace(`{${name}}`, `\${encodeURIComponent(${parameterName(name)})}`),
    route.path,
  );
  return [
    ...(route.method === "post" ? [] : [`method: "${route.method.toUpperCase()}"`]),
    route.inPath.length > 0 ? `path: \`${path}\`` : `path: "${path}"`,
    ...sent(route),
    ...(route.isWrite ? ["isWrite: true"] : []),
    ...(route.isRepeatable && !route.isWrite ? ["isRepeatable: true"] : []),
    ...(route.isText ? ['reads: "text"'] : []),
  ];
}

/** What is sent of the arguments, behind the path and in the body. @param {Route} route */
function sent(route) {
  if (route.takes === "anything") return ["arguments: body"];
  const leading = new Set(route.leading.map((argument) => argument.wire));
  const queries = new Set(route.queries.map((parameter) => parameter.name));
  const value = (/** @type {Argument} */ argument) => {
    const given = leading.has(argument.wire) ? parameterName(argument.name) : `args.${argument.name}`;
    return argument.convert ? `${argument.convert}(${given})` : given;
  };
  const field = (/** @type {Argument} */ argument) =>
    value(argument) === argument.wire ? argument.wire : `${key(argument.wire)}: ${value(argument)}`;
  const fields = [];
  const inQuery = route.arguments.filter((argument) => queries.has(argument.wire));
  if (inQuery.length > 0) fields.push(`query: { ${inQuery.map(field).join(", ")} }`);
  if (route.body === undefined) return fields;
  // What is undefined is not sent.
  const elsewhere = route.named.filter((argument) => queries.has(argument.wire) || argument.wire !== argument.name);
  const body = [
    ...(route.hasArguments ? ["...args"] : []),
    ...elsewhere.map((argument) => `${key(argument.name)}: undefined`),
    ...elsewhere.filter((argument) => !queries.has(argument.wire)).map(field),
    ...route.leading.filter((argument) => !queries.has(argument.wire)).map(field),
  ];
  const all = body.length === 1 && route.hasArguments ? "args" : body.length > 0 ? `{ ${body.join(", ")} }` : "{}";
  return [...fields, `arguments: ${all}`];
}

/** What a method calls an argument that stands first. @param {string} name */
function parameterName(name) {
  return NOT_PARAMETERS.has(camel(name)) ? `${camel(name)}_` : camel(name);
}

/** @param {string} name */
function definitionName(name) {
  return RENAMED.get(name) ?? pascal(name);
}

/** @param {Route} route */
function argumentsName(route) {
  return `${pascal(route.operation)}Arguments`;
}

/** @param {Route} route */
function answerName(route) {
  return `${pascal(route.operation)}${route.isMany ? "Item" : "Answer"}`;
}

/** `fact_store` is `factStore`. @param {string} name */
function camel(name) {
  return name.replaceAll(/[-_ ]+(\w)/g, (_, letter) => letter.toUpperCase());
}

/** @param {string} name */
function pascal(name) {
  return camel(name).replace(/^\w/, (letter) => letter.toUpperCase());
}

/** A name as a key of an object. @param {string} name */
function key(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** @param {Schema | boolean} schema */
function about(schema) {
  const said = typeof schema === "object" ? (schema.description ?? "") : "";
  return said.split(/\s+/).filter(Boolean).join(" ");
}

/** @param {string} name @param {Schema | boolean} schema */
function parameterNote(name, schema) {
  const said = about(schema);
  return said && `@param ${parameterName(name)} ${said}`;
}

/** A comment of these paragraphs, if they say anything. @param {string} indent @param {string[]} said */
function comment(indent, ...said) {
  const lines = said
    .filter(Boolean)
    .flatMap((text) => wrapped(text.replaceAll("*/", "* /"), WIDTH - indent.length - 3));
  if (lines.length === 0) return "";
  const whole = `${indent}/** ${lines.join(" ")} */\n`;
  if (lines.length === 1 && whole.length <= WIDTH + 1) return whole;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

/** @param {string} text @param {number} width @returns {string[]} */
function wrapped(text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

/** The document at an address or in a file. @param {string} place @returns {Promise<Schema>} */
async function read(place) {
  if (!/^https?:/.test(place)) return JSON.parse(await readFile(place, "utf8"));
  const key = process.env["IDETIC_KEY"];
  const response = await fetch(place, { headers: key ? { Authorization: `Bearer ${key}` } : {} });
  if (!response.ok) throw new Error(`${place}: ${response.status} ${await response.text()}`);
  return JSON.parse(await response.text());
}

/** Writes the files. @param {string} place */
async function main(place) {
  for (const [name, text] of Object.entries(render(await read(place)))) {
    await writeFile(new URL(`src/${name}`, import.meta.url), text);
  }
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1] ?? ".")).href) {
  const [place, ...rest] = process.argv.slice(2);
  if (place === undefined || rest.length > 0) {
    console.error("usage: node generate.mjs ADDRESS-OR-FILE of the server's /openapi.json");
    process.exit(2);
  }
  await main(place);
}
