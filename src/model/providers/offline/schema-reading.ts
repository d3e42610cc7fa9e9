/** Reads a JSON Schema that may be anything: what has the wrong type counts as not there. References and unions are resolved. */

import { isRecord } from "../../../text/json.js";
import { overlap, stems } from "./words.js";

/** A schema whose references, `allOf` and unions have been resolved. */
export type Schema = Readonly<Record<string, unknown>>;

/** The value as a schema, if it is an object. */
function asSchema(value: unknown): Schema | undefined {
  return isRecord(value) ? value : undefined;
}

/** A keyword's value, if it is a text. */
export function textOf(schema: Schema, keyword: string): string | undefined {
  const value = schema[keyword];
  return typeof value === "string" ? value : undefined;
}

/** A keyword's value, if it is a finite number. */
export function numberOf(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A keyword's value, if it is a list; else an empty one. */
export function listOf(schema: Schema, keyword: string): readonly unknown[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** A keyword's value, if it is an object; else an empty one. */
export function recordOf(schema: Schema, keyword: string): Readonly<Record<string, unknown>> {
  const value = schema[keyword];
  return isRecord(value) ? value : {};
}

/** The type to be filled; `null` only where nothing else is allowed. */
export function typeOf(schema: Schema): string {
  const given = typeof schema.type === "string" ? [schema.type] : listOf(schema, "type");
  const named = given.find((type) => type !== "null") ?? given[0];
  if (typeof named === "string") return named;
  if ("properties" in schema || "required" in schema) return "object";
  if ("items" in schema || "minItems" in schema) return "array";
  if ("minimum" in schema || "maximum" in schema) return "number";
  return "string";
}

/** Follows `$ref`, merges `allOf`, and takes that branch of `anyOf` or `oneOf` whose words fit `request` best. */
export function resolveSchema(
  given: unknown,
  root: unknown,
  request: ReadonlySet<string>,
  depth: number,
  hops = 0,
): Schema {
  // A schema that only refers to itself would never end.
  if (!isRecord(given) || hops > 20) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = given;
  let schema: Schema = own;
  const add = (part: unknown) => {
    schema = mergeSchemas(schema, resolveSchema(part, root, request, depth, hops + 1));
  };
  if (typeof $ref === "string") add(follow($ref, root));
  if (Array.isArray(allOf)) for (const part of allOf) add(part);
  for (const union of [anyOf, oneOf]) {
    if (Array.isArray(union) && union.length > 0) add(bestBranch(union, request, depth));
  }
  return schema;
}

/** `$ref`s inside the document; others are unknown. */
function follow(ref: string, root: unknown): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) return {};
  let at: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** Deep down the simplest branch is taken, so that recursive schemas come to an end. */
const simpleFromDepth = 4;

function bestBranch(branches: readonly unknown[], request: ReadonlySet<string>, depth: number): unknown {
  const ranked = branches.map((branch, place) => {
    const schema = asSchema(branch) ?? {};
    const isNull = schema.type === "null" || schema.const === null;
    const isNested = "$ref" in schema || "properties" in schema || "items" in schema;
    const fit = overlap(request, stems(branchWords(schema)));
    const rank = depth >= simpleFromDepth ? (isNested ? -1 : 0) : isNull ? -1 : fit;
    return { branch, place, rank };
  });
  ranked.sort((one, other) => other.rank - one.rank || one.place - other.place);
  return ranked[0]?.branch;
}

/** What a branch says of itself, down to the constants by which unions are told apart. */
function branchWords(schema: Schema): string {
  const constants = Object.values(recordOf(schema, "properties")).map((property) => asSchema(property)?.const);
  return [schema.title, schema.description, schema.const, ...listOf(schema, "enum"), ...constants]
    .filter((part) => typeof part === "string")
    .join(" ");
}

/** Both schemas hold: properties and what is required are united; of other keywords the second's count. */
function mergeSchemas(one: Schema, other: Schema): Schema {
  return {
    ...one,
    ...other,
    ...("properties" in one
      ? { properties: { ...recordOf(one, "properties"), ...recordOf(other, "properties") } }
      : {}),
    ...("required" in one
      ? { required: [...new Set([...listOf(one, "required"), ...listOf(other, "required")])] }
      : {}),
  };
}
