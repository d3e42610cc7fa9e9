/** One generated request: an operation of the document, who calls it, and what is sent, right or wrong. */
import type { Parameter, Place } from "../../src/http/document/model.js";
import { isSchema, type Schema } from "../../src/http/document/schema.js";
import { type Chance, kindOf, type Pool, type Values } from "./values.js";
import { type Caller, callers } from "./world.js";

/** How a request is made: as the document says, with one thing wrong, or by somebody who means harm. */
export type Manner = "valid" | "mutated" | "hostile";

export interface Generated {
  readonly manner: Manner;
  readonly caller: Caller;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

export interface Sources {
  readonly places: readonly Place[];
  readonly chance: Chance;
  readonly values: Values;
  readonly pool: Pool;
}

const endsCallers = /^delete \/v1\/(admin\/tenants|keys)|\/revoke$/;

export function generate({ places, chance, values, pool }: Sources): Generated {
  const manner: Manner = chance.of(["valid", "valid", "mutated", "mutated", "hostile"] as const, "valid");
  const [first] = places;
  if (first === undefined) throw new Error("the document has no operations");
  let place = chance.of(places, first);
  // Whoever takes the callers' credentials away ends what can be tried.
  if (endsCallers.test(`${place.method} ${place.path}`) && chance.is(0.9)) place = chance.of(places, first);
  const { method, path, operation } = place;
  const caller = callerFor(operation.security, chance);
  const parameters = operation.parameters ?? [];
  const strangeAt = manner === "valid" ? -1 : chance.below(parameters.length + 3);

  let address = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const [index, parameter] of parameters.entries()) {
    const text = parameterText(parameter, path, { values, pool, chance }, index === strangeAt);
    if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, encodeSegment(text));
    else if (index !== strangeAt && parameter.required !== true && !chance.is(0.3)) continue;
    else if (parameter.in === "query") query.set(parameter.name, text);
    else headers[parameter.name] = headerText(text);
  }
  // What the document's default would have it wait is not what is measured here.
  for (const name of ["waitMs", "lingerMs"]) {
    if (parameters.some((one) => one.in === "query" && one.name === name) && !query.has(name)) query.set(name, "0");
  }
  if (manner === "hostile" && chance.is(0.2)) query.set(values.strangeText().slice(0, 30).toWellFormed(), "1");
  if (manner === "hostile" && chance.is(0.1))
    headers.accept = chance.of(["text/event-stream", "text/html", "*/*;q=0"], "");

  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body =
    schema === undefined ? undefined : bodyText(schema, manner, strangeAt >= parameters.length, { values, chance });
  if (body !== undefined || (manner === "hostile" && method !== "get")) {
    const types = [
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=utf-16",
    ];
    if (manner !== "hostile" || chance.is(0.8)) headers["content-type"] = "application/json";
    else if (chance.is(0.7)) headers["content-type"] = chance.of(types, "application/json");
  }
  const sent = query.size === 0 ? address : `${address}?${query}`;
  return {
    manner,
    caller,
    method: method.toUpperCase(),
    path: sent,
    headers,
    body: method === "get" ? undefined : body,
  };
}

function callerFor(security: readonly Readonly<Record<string, unknown>>[], chance: Chance): Caller {
  if (chance.is(0.35)) return chance.of(callers, "nobody");
  if (security.some((one) => "adminSecret" in one)) return "deployment";
  return chance.of(["admin", "admin", "operator", "client"] as const, "admin");
}

/** Longer addresses never reach the Worker: the server before it refuses them. */
const maxParameter = 500;

function parameterText(
  { name, schema }: Parameter,
  path: string,
  { values, pool, chance }: Pick<Sources, "values" | "pool" | "chance">,
  isStrange: boolean,
): string {
  if (isStrange) return values.strangeText().slice(0, maxParameter).toWellFormed() || "-";
  const known = pool.pick(name === "cursor" ? "nextCursor" : name === "name" ? kindOf(path) : name, chance);
  if (known !== undefined && chance.is(0.9)) return known;
  if (name === "Idempotency-Key") return `key-${chance.below(50)}`;
  const value = values.fitting(schema, name);
  return (typeof value === "string" ? value : JSON.stringify(value)) || "-";
}

/** Dots alone would be taken for a way up by whoever parses the address. */
function encodeSegment(text: string): string {
  return /^\.+$/.test(text) ? "%2e%2e" : encodeURIComponent(text);
}

/** What `fetch` lets into a header. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").trim() || "?";
}

function bodyText(
  schema: Schema,
  manner: Manner,
  isStrange: boolean,
  { values, chance }: Pick<Sources, "values" | "chance">,
): string {
  const brief = (value: unknown): unknown => withoutDefaultWait(schema, withoutWaits(value));
  const fitting = brief(values.fitting(schema));
  if (manner === "valid" || !isStrange) return JSON.stringify(fitting);
  if (manner === "mutated") return JSON.stringify(brief(values.mutated(fitting))) ?? "null";
  const hostile = [
    () => "[".repeat(50_000),
    () => `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
    () => JSON.stringify({ ...(isSchema(fitting) ? fitting : {}), padding: "x".repeat(1_500_000) }),
    () => "",
    () => "{",
    () => "\u0000",
    () => '{"__proto__":{"admin":true},"content":1e999}',
    () => JSON.stringify(values.strange()) ?? "null",
    () => JSON.stringify(brief(values.mutated(values.mutated(fitting)))) ?? "null",
    () => JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index)),
  ];
  return chance.of(hostile, () => "")();
}

/** A body that says nothing of a wait would have the document's default of it. */
function withoutDefaultWait({ properties }: Schema, body: unknown): unknown {
  return isSchema(properties) && "timeoutMs" in properties && isSchema(body) ? { timeoutMs: 500, ...body } : body;
}

/** Nobody is made to wait: that is what such a field is for. */
function withoutWaits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWaits);
  if (!isSchema(value)) return value;
  const shortened = Object.entries(value).map(([name, inner]) => [
    name,
    /^(waitMs|lingerMs|timeoutMs)$/.test(name) && typeof inner === "number" && inner > 1_000
      ? 1_000
      : withoutWaits(inner),
  ]);
  return Object.fromEntries(shortened);
}
