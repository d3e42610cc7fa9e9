/** Every string that a schema takes, by reflection: values of the schema that hold a given text in one of its fields each. */
import type { z } from "zod";

/** A value that the schema takes, with the text in the one field that `path` names. */
export interface WithText {
  readonly path: string;
  readonly value: unknown;
}

/** Tried in this order: fields that take no space may take the others. */
const spellings = (text: string) => [text, text.replaceAll(" ", "_"), text.replaceAll(" ", "-")];

/** @throws where a schema is of a kind that the walk doesn't know: teach it */
export function withTextIn(schema: z.core.$ZodType, text: string, path = ""): WithText[] {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  const inner = (one: z.core.$ZodType) => withTextIn(one, text, path);
  switch (def.type) {
    case "string":
    case "unknown":
    case "any":
      return spellings(text)
        .filter((value) => takes(schema, value))
        .slice(0, 1)
        .map((value) => ({ path, value }));
    case "object": {
      const entries = Object.entries(def.shape);
      const least = Object.fromEntries(entries.flatMap(([key, one]) => (isOptional(one) ? [] : [[key, leastOf(one)]])));
      return entries.flatMap(([key, one]) =>
        withTextIn(one, text, path === "" ? key : `${path}.${key}`).map((found) => ({
          path: found.path,
          value: { ...least, [key]: found.value },
        })),
      );
    }
    case "array":
      return withTextIn(def.element, text, `${path}[]`).map((found) => ({ path: found.path, value: [found.value] }));
    case "record":
      return [
        ...withTextIn(def.keyType, text, `${path}{key}`).map((found) => ({
          path: found.path,
          value: { [String(found.value)]: leastOf(def.valueType) },
        })),
        ...withTextIn(def.valueType, text, `${path}{}`).map((found) => ({
          path: found.path,
          value: { k: found.value },
        })),
      ];
    case "union":
      return def.options.flatMap((option) => inner(option)).filter(({ value }) => takes(schema, value));
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
      // A refinement of it may take less than what is within.
      return inner(def.innerType).filter(({ value }) => takes(schema, value));
    case "pipe":
      return inner(def.out);
    case "literal":
    case "enum":
    case "number":
    case "boolean":
    case "null":
      return [];
    default:
      throw new Error(`${path}: the walk over string fields doesn't know schemas of type ${def.type}`);
  }
}

function takes(schema: z.core.$ZodType, value: unknown): boolean {
  return (schema as z.ZodType).safeParse(value).success;
}

function isOptional(schema: z.core.$ZodType): boolean {
  return takes(schema, undefined);
}

/** A least value that the schema takes. */
export function leastOf(schema: z.core.$ZodType): unknown {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "string":
      return "x1";
    case "literal":
      return def.values[0];
    case "enum":
      return Object.values(def.entries)[0];
    case "array":
      return [leastOf(def.element)];
    case "object":
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([key, one]) => (isOptional(one) ? [] : [[key, leastOf(one)]])),
      );
    case "union":
      return leastOf(def.options[0] as z.core.$ZodType);
    case "boolean":
      return false;
    case "number":
      return 1;
    case "record":
      return {};
    case "unknown":
      return "x1";
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
      return leastOf(def.innerType);
    default:
      throw new Error(`no least value is known of a schema of type ${def.type}`);
  }
}
