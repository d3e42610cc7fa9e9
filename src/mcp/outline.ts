/** What a list of tools says of results. A model reads it before its first word, so it has a size: the whole schemas are five times as much. */
import { isRecord } from "../text/json.js";

type Schema = Readonly<Record<string, unknown>>;

/** So many characters a result's schema may have in a list. */
const room = 800;
/** What says how a value is written rather than what it is, or names a schema that stands elsewhere. */
const leftOut = new Set([
  ...["$schema", "$defs", "$ref", "additionalProperties", "propertyNames", "pattern", "format", "default"],
  ...["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"],
]);
const keptWhereItEnds = new Set(["type", "description", "enum", "const"]);

/** A schema that lets through all that this one does, as deep as there is room: below that it says "an object". */
export function outlined(schema: Schema): Schema {
  const { $schema, ...whole } = schema;
  return [whole, cut(schema, 3), cut(schema, 2)].find((one) => JSON.stringify(one).length <= room) ?? cut(schema, 1);
}

/** @param depth so many levels of objects are shown. */
function cut(schema: Schema, depth: number): Schema {
  const kept = Object.entries(schema).filter(([key]) => (depth > 0 ? !leftOut.has(key) : keptWhereItEnds.has(key)));
  return Object.fromEntries(kept.map(([key, value]) => [key, cutAt(key, value, depth)]));
}

function cutAt(key: string, value: unknown, depth: number): unknown {
  if (key === "properties" && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isRecord(one) ? cut(one, depth - 1) : one]),
    );
  }
  if (key === "items" && isRecord(value)) return cut(value, depth);
  const isChoice = ["anyOf", "oneOf", "allOf"].includes(key);
  return isChoice && Array.isArray(value) ? value.map((one) => (isRecord(one) ? cut(one, depth) : one)) : value;
}
