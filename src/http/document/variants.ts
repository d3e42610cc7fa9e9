/**
 * What is written and what is read are not the same shape: a field with a default may be left out of a request and is always
 * there in an answer, and a request may have no field that isn't known, while answers may get more of them with time. A
 * shape that is used for both stands in the document twice: as `Agent`, which is read, and as `AgentInput`, which is written.
 */
import { otherNames } from "../../routing/router-name.js";
import { type ApiDocument, mapContent, mapOperations, operationsOf, schemasOf } from "./model.js";
import { isSchema, mapInner, nameOf, namesIn, renameRefs, type Schema } from "./schema.js";

type Schemas = Readonly<Record<string, Schema>>;

export function separateVariants(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  const operations = operationsOf(document).map(({ operation }) => operation);
  const bodies = operations.flatMap((operation) => schemasOf(operation.requestBody?.content));
  const answers = operations.flatMap((operation) =>
    Object.values(operation.responses).flatMap((response) => schemasOf(response.content)),
  );
  const [written, read] = [reachable(bodies, schemas), reachable(answers, schemas)];
  const twofold = differing(schemas, written, read);
  const nameWritten = (name: string): string => (twofold.has(name) ? `${name}Input` : name);
  const asWritten = (schema: Schema): Schema => renameRefs(forRequest(schema), nameWritten);
  const asRead = (schema: Schema): Schema => forAnswer(schema, schemas);

  const variants = Object.entries(schemas).flatMap(([name, schema]) => {
    const both = twofold.has(name);
    return [
      ...(written.has(name) ? [[nameWritten(name), asWritten(name === "Team" ? withOtherNames(schema) : schema)]] : []),
      ...(both || !written.has(name) ? [[name, asRead(schema)]] : []),
    ];
  });
  const changed = mapOperations(document, ({ operation }) => ({
    ...operation,
    ...(operation.requestBody === undefined
      ? {}
      : { requestBody: { ...operation.requestBody, content: mapContent(operation.requestBody.content, asWritten) } }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        response.content === undefined ? response : { ...response, content: mapContent(response.content, asRead) },
      ]),
    ),
  }));
  const whole: Schemas = Object.fromEntries(variants);
  const parts = new Set(Object.values(whole).flatMap(partsOf));
  const plain = Object.entries(whole).map(([name, schema]) => [name, parts.has(name) ? withoutChoice(schema) : schema]);
  return { ...changed, components: { ...changed.components, schemas: Object.fromEntries(plain) } };
}

/** The shapes that this one is put together of. */
function partsOf({ allOf }: Schema): string[] {
  const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  return parts.flatMap((part) => (isSchema(part) ? (nameOf(part) ?? []) : []));
}

/** Within an `allOf` generators take a `discriminator` for inheritance, and leave its field out. */
function withoutChoice({ discriminator: _discriminator, ...schema }: Schema): Schema {
  return schema;
}

function reachable(from: readonly Schema[], schemas: Schemas): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    for (const name of namesIn(schema)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name] ?? {});
    }
  };
  for (const schema of from) visit(schema);
  return found;
}

/** The shapes that are written and read, and differ: by themselves, or by one that they refer to. */
function differing(schemas: Schemas, written: ReadonlySet<string>, read: ReadonlySet<string>): ReadonlySet<string> {
  const both = Object.keys(schemas).filter((name) => written.has(name) && read.has(name));
  const differ = (name: string): boolean => {
    const schema = schemas[name] ?? {};
    return JSON.stringify(forRequest(schema)) !== JSON.stringify(forAnswer(schema, schemas));
  };
  const own = new Set(both.filter(differ));
  return new Set(
    both.filter((name) => own.has(name) || [...reachable([schemas[name] ?? {}], schemas)].some((one) => own.has(one))),
  );
}

/** Defaults are told in words: generators of clients take a field with a `default` for one that has to be there. */
function forRequest(schema: Schema): Schema {
  const { default: value, ...rest } = mapInner(aliased(schema), forRequest);
  if (value === undefined) return rest;
  const words = [rest.description, `Left out, it is \`${JSON.stringify(value)}\`.`];
  return { ...rest, description: words.filter((text) => text !== undefined).join(" ") };
}

/** A team may be written with another name of a field; it is read under the first. */
function withOtherNames(schema: Schema): Schema {
  const { properties, required } = schema;
  if (!isSchema(properties) || !Array.isArray(required)) return schema;
  const others = Object.entries(otherNames).map(([other, name]) => {
    const field = isSchema(properties[name]) ? properties[name] : {};
    return [
      other,
      { ...field, description: `Another name of \`${name}\`: one of the two is sent. Answers say \`${name}\`.` },
    ];
  });
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries(others) },
    required: required.filter((name) => !Object.values(otherNames).some((one) => one === name)),
  };
}

/** A body that is read later (`bodyReadLater`) is just the shape that it names. */
function aliased(schema: Schema): Schema {
  const [only, ...more]: readonly unknown[] = Array.isArray(schema.allOf) ? schema.allOf : [];
  return isSchema(only) && more.length === 0 && schema.properties === undefined ? only : schema;
}

/** What has a default is always there. Fields may be added, so an answer is open. */
function forAnswer(schema: Schema, schemas: Schemas): Schema {
  const { default: _default, ...open } = mapInner(schema, (inner) => forAnswer(inner, schemas));
  const { additionalProperties, ...rest } = open;
  const shape = additionalProperties === false ? rest : open;
  if (!isSchema(schema.properties)) return shape;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const present = Object.entries(schema.properties).flatMap(([name, property]) =>
    required.includes(name) || (isSchema(property) && hasDefault(property, schemas)) ? [name] : [],
  );
  return present.length === 0 ? shape : { ...shape, required: present };
}

function hasDefault(property: Schema, schemas: Schemas): boolean {
  const name = nameOf(property);
  return "default" in (name === undefined ? property : (schemas[name] ?? {}));
}
