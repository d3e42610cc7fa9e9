/**
 * What a tool's JSON Schema may cost: tenants and remote servers write schemas, models write what is checked against them, and no
 * pair of the two may hold up anybody else. A schema within these limits can be checked in time that is known beforehand.
 */
import { z } from "zod";

/** The most that a schema may have, as JSON, in characters. */
const maxSchemaCharacters = 64_000;
/** How deep a schema may be nested, references followed. */
const maxSchemaDepth = 32;
/** How many schemas a schema may consist of, each counted as often as it is referred to. */
const maxSchemaWeight = 2_000;
/** The most that one check may take: schemas times values. */
export const maxCheckSteps = 200_000;

const objectSchema = z.record(z.string(), z.unknown());
type SchemaObject = z.infer<typeof objectSchema>;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ofOne = [
  "items",
  "contains",
  "additionalItems",
  "unevaluatedItems",
  "additionalProperties",
  "propertyNames",
] as const;
const ofOneMore = ["unevaluatedProperties", "not", "if", "then", "else"] as const;
const ofMany = ["prefixItems", "items", "allOf", "anyOf", "oneOf"] as const;
const ofNamed = ["properties", "patternProperties", "dependentSchemas"] as const;
const namedTargets = ["$defs", "definitions"] as const;
/** References that are resolved while a check runs: their cost can't be known beforehand. */
const unsupported = ["$recursiveRef", "$dynamicRef"] as const;

class SchemaLimitError extends Error {}

/**
 * Why a schema can't be taken; `undefined` when it can.
 * @example schemaProblem({ type: "object", properties: { id: { $ref: "#/$defs/id" } }, $defs: { id: { type: "string" } } }) // undefined
 */
export function schemaProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  try {
    weightOf(schema);
    return undefined;
  } catch (error) {
    if (error instanceof SchemaLimitError) return error.message;
    throw error;
  }
}

/**
 * How many schemas a value is checked against at the most, for each value within it.
 * @throws when the schema is beyond the limits; {@link schemaProblem} gives the reason as a text.
 */
export function weightOf(schema: Readonly<Record<string, unknown>>): number {
  const length = JSON.stringify(schema).length;
  if (length > maxSchemaCharacters) {
    throw new SchemaLimitError(`it has ${length} characters, of at most ${maxSchemaCharacters}`);
  }
  const weigh = new Weighing(schema);
  const weight = weigh.all();
  if (weight > maxSchemaWeight) {
    throw new SchemaLimitError(
      `it comes to ${weight} schemas with every $ref written out, of at most ${maxSchemaWeight}: refer to fewer, or nest less`,
    );
  }
  return weight;
}

/** How many values a value consists of: itself, and what stands in it. */
export function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}

/** A local reference's target: `#`, or a pointer into the schema. `undefined` where it points to nothing. */
export function resolvePointer(schema: unknown, ref: string): unknown {
  if (ref === "#") return schema;
  if (!ref.startsWith("#/")) return undefined;
  return ref
    .slice(2)
    .split("/")
    .reduce<unknown>((place, part) => {
      const name = decodePart(part);
      if (Array.isArray(place)) return place[Number(name)];
      const object = objectSchema.safeParse(place).data;
      return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
    }, schema);
}

function decodePart(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** Each schema is weighed once, however often it is referred to: weighing takes linear time. */
class Weighing {
  private readonly known = new Map<unknown, number>();
  private readonly open = new Set<unknown>();

  constructor(private readonly root: SchemaObject) {}

  /** The schema's weight, its definitions looked at too: one that is never referred to must not be a trap either. */
  all(): number {
    const weight = this.weigh(this.root, 0);
    for (const keyword of namedTargets) for (const target of this.named(this.root, keyword)) this.weigh(target, 1);
    return weight;
  }

  private weigh(schema: unknown, depth: number): number {
    const object = objectSchema.safeParse(schema);
    if (!object.success || Array.isArray(schema)) return 1;
    if (depth > maxSchemaDepth) throw new SchemaLimitError(`it is nested more than ${maxSchemaDepth} deep`);
    if (this.open.has(schema)) throw new SchemaLimitError("it refers to itself, directly or by a way round");
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    this.open.add(schema);
    const weight = this.parts(object.data).reduce<number>(
      (sum, part) => Math.min(sum + this.weigh(part, depth + 1), Number.MAX_SAFE_INTEGER),
      1 + valuesToCompare(object.data),
    );
    this.open.delete(schema);
    this.known.set(schema, weight);
    return weight;
  }

  private parts(schema: SchemaObject): unknown[] {
    for (const keyword of unsupported) {
      if (keyword in schema)
        throw new SchemaLimitError(`${keyword} isn't supported; use $ref to a place in the schema`);
    }
    const one = [...ofOne, ...ofOneMore].flatMap((keyword) =>
      keyword in schema && !Array.isArray(schema[keyword]) ? [schema[keyword]] : [],
    );
    const many = ofMany.flatMap((keyword) => {
      const list = schema[keyword];
      return Array.isArray(list) ? list : [];
    });
    const { $ref } = schema;
    return [...one, ...many, ...ofNamed.flatMap((keyword) => this.named(schema, keyword)), ...this.target($ref)];
  }

  private named(schema: SchemaObject, keyword: (typeof ofNamed | typeof namedTargets)[number]): unknown[] {
    return Object.values(objectSchema.safeParse(schema[keyword]).data ?? {});
  }

  private target(ref: unknown): unknown[] {
    if (typeof ref !== "string") return [];
    const target = resolvePointer(this.root, ref);
    if (target === undefined) {
      throw new SchemaLimitError(
        `its $ref ${JSON.stringify(ref.slice(0, 200))} leads nowhere: only places in the schema itself count`,
      );
    }
    return [target];
  }
}

/** What is compared with a value, beside the schemas it is checked against. */
function valuesToCompare(schema: SchemaObject): number {
  const { enum: choices, const: only, required, dependentRequired } = schema;
  return [choices, only, required, dependentRequired].reduce<number>(
    (sum, part) => (part === undefined ? sum : sum + countValues(part)),
    0,
  );
}
