/** JSON Schemas as the OpenAPI document holds them, and how they are walked. */

export interface Schema {
  readonly [keyword: string]: unknown;
}

const one = new Set(["items", "additionalProperties", "not", "propertyNames", "if", "then", "else", "contains"]);
const many = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const maps = new Set(["properties", "patternProperties", "$defs"]);

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same schema with each schema directly within it changed. Values (defaults, examples, enums) are no schemas and stay. */
export function mapInner(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const changed = (value: unknown): unknown => (isSchema(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (one.has(keyword)) return [keyword, changed(value)];
      if (many.has(keyword) && Array.isArray(value)) return [keyword, value.map(changed)];
      if (maps.has(keyword) && isSchema(value)) {
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, changed(inner)]))];
      }
      return [keyword, value];
    }),
  );
}

const prefix = "#/components/schemas/";

export function refTo(name: string): { readonly $ref: string } {
  return { $ref: prefix + name };
}

/** The name of the shape that a schema refers to; `undefined` if it is no reference. */
export function nameOf(schema: Schema): string | undefined {
  return typeof schema.$ref === "string" ? schema.$ref.slice(prefix.length) : undefined;
}

/** The shapes that a schema refers to, at any depth, each once. */
export function namesIn(schema: Schema): Set<string> {
  const names = new Set<string>();
  const look = (inner: Schema): Schema => {
    const name = nameOf(inner);
    if (name !== undefined) names.add(name);
    mapInner(inner, look);
    return inner;
  };
  look(schema);
  return names;
}

/** The same schema, referring to other names. */
export function renameRefs(schema: Schema, rename: (name: string) => string): Schema {
  const { discriminator, ...rest } = mapInner(schema, (inner) => renameRefs(inner, rename));
  const name = nameOf(schema);
  return {
    ...rest,
    ...(name === undefined ? {} : refTo(rename(name))),
    ...(isSchema(discriminator) ? { discriminator: renameMapping(discriminator, rename) } : {}),
  };
}

function renameMapping(discriminator: Schema, rename: (name: string) => string): Schema {
  if (!isSchema(discriminator.mapping)) return discriminator;
  const mapping = Object.entries(discriminator.mapping).map(([value, ref]) => [
    value,
    refTo(rename(String(ref).slice(prefix.length))).$ref,
  ]);
  return { ...discriminator, mapping: Object.fromEntries(mapping) };
}
