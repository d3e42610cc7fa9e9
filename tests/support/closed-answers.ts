/** Shapes as the document has them, but closed: an answer with a field that the document doesn't name is none of them. */
import { mapInner, nameOf, refTo, renameRefs, type Schema } from "../../src/http/document/schema.js";

/** Each shape twice: closed, and open, as part of a whole that has more fields. References lead to `#/$defs`. */
export function closedDefinitions(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => [
      [name, closed(schema)],
      [openName(name), open(schema)],
    ]),
  );
}

export function closed(schema: Schema): Schema {
  if (nameOf(schema) !== undefined) return toDefinition(schema);
  const parted = schema.allOf !== undefined || schema.properties !== undefined;
  const inner = parted ? mapParts(mapInner(schema, closed), schema, open) : mapInner(schema, closed);
  if (!parted || schema.additionalProperties !== undefined) return inner;
  return { ...inner, unevaluatedProperties: false };
}

function open(schema: Schema): Schema {
  const name = nameOf(schema);
  if (name !== undefined) return toDefinition(refTo(openName(name)));
  return mapParts(mapInner(schema, closed), schema, open);
}

/** What makes up the same object as the schema itself, and no value within it. */
function mapParts(mapped: Schema, schema: Schema, change: (part: Schema) => Schema): Schema {
  const parts = mapInner(
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => /^(all|any|one)Of$/.test(keyword))),
    change,
  );
  return { ...mapped, ...parts };
}

function openName(name: string): string {
  return `${name}.open`;
}

function toDefinition(schema: Schema): Schema {
  return { $ref: `#/$defs/${nameOf(renameRefs(schema, (name) => name))}` };
}
