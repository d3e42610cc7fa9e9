/** The JSON Schema of a file that configures a tenant, made of what the document says of the body that its route takes. */
import type { ApiDocument } from "./model.js";
import { operationsOf } from "./model.js";
import { isSchema, mapInner, nameOf, namesIn, type Schema } from "./schema.js";

/** What files there are of: `agents`, `limits`, …, and `settings`. */
export function kindsOfFiles(document: ApiDocument): string[] {
  const kinds = Object.keys(document.paths).flatMap((path) => /^\/v1\/([a-z-]+)\/\{name\}$/.exec(path)?.[1] ?? []);
  return [...kinds, "settings"].filter((kind) => fileSchema(document, kind) !== undefined);
}

/** @param kind `agents`, `limits`, …, or `settings`; undefined for what no file is of */
export function fileSchema(document: ApiDocument, kind: string): Schema | undefined {
  const [method, path] = kind === "settings" ? ["patch", "/v1/tenant"] : ["put", `/v1/${kind}/{name}`];
  const found = operationsOf(document).find((one) => one.method === method && one.path === path);
  const content: unknown = found?.operation.requestBody?.content["application/json"];
  if (kind === "secrets" || !isSchema(content) || !isSchema(content.schema)) return undefined;
  const { schemas } = document.components;
  const body = kind === "settings" ? settingsOf(content.schema, schemas) : content.schema;
  if (body === undefined) return undefined;
  const named = reached(body, schemas);
  const definitions = Object.fromEntries(named.map((name) => [name, asFile(schemas[name] ?? {})]));
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...asFile(body), $defs: definitions };
}

function settingsOf(change: Schema, schemas: Readonly<Record<string, Schema>>): Schema | undefined {
  const { properties } = schemas[nameOf(change) ?? ""] ?? change;
  return isSchema(properties) && isSchema(properties.settings) ? properties.settings : undefined;
}

function reached(from: Schema, schemas: Readonly<Record<string, Schema>>): string[] {
  const found = new Set<string>();
  const left = [...namesIn(from)];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    left.push(...namesIn(schemas[name] ?? {}));
  }
  return [...found].sort();
}

/** Within a schema of its own the shapes stand under `$defs`; a discriminator is OpenAPI's alone. */
function asFile(schema: Schema): Schema {
  const { discriminator: _, ...rest } = mapInner(schema, asFile);
  const name = nameOf(schema);
  return name === undefined ? rest : { ...rest, $ref: `#/$defs/${name}` };
}
