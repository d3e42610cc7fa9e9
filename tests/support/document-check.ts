/** Holds every answer that a test gets against the OpenAPI document: its status, its media type and its body. */
import { dereference, type Schema as LooseSchema, validate } from "@cfworker/json-schema";
import { z } from "zod";
import { documentSchema, operationsOf } from "../../src/http/document/model.js";
import type { Schema } from "../../src/http/document/schema.js";
import { closed, closedDefinitions } from "./closed-answers.js";

const contentSchema = z.record(z.string(), z.looseObject({ schema: z.record(z.string(), z.unknown()) }));
const responseSchema = z.looseObject({ content: contentSchema.default({}) });
type DocumentedResponse = z.infer<typeof responseSchema>;

interface Documented {
  readonly method: string;
  readonly pattern: RegExp;
  readonly name: string;
  /** The media types of each status. */
  readonly types: Readonly<Record<string, readonly string[]>>;
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The media type without parameters; empty without a body. */
  readonly type: string;
  /** Of a body that is JSON. */
  readonly body: unknown;
}

/** Checks of values by the document's shapes, each closed. */
export class ShapeCheck {
  private readonly shapes: Readonly<Record<string, LooseSchema>>;
  private readonly lookup: ReturnType<typeof dereference>;

  /** @param checked the schemas that are checked by, under names of their own */
  constructor(components: Readonly<Record<string, Schema>>, checked: ReadonlyMap<string, Schema>) {
    const own = [...checked].map(([name, schema]) => [name, closed(schema)]);
    const definitions = { ...closedDefinitions(components), ...Object.fromEntries(own) };
    const root: { readonly $defs: Readonly<Record<string, LooseSchema>> } = JSON.parse(
      JSON.stringify({ $defs: definitions }),
    );
    this.shapes = root.$defs;
    this.lookup = dereference(root);
  }

  /** What is wrong with the value; nothing if it is as the schema of that name says. */
  faults(name: string, value: unknown): string[] {
    const { valid, errors } = validate(value, this.shapes[name] ?? false, "2020-12", this.lookup, false);
    if (valid) return [];
    // First those that say what is wrong themselves, not that something within is.
    const own = errors.filter(({ keyword }) => !derived.has(keyword));
    const faults = [...own, ...errors].map((one) => `${one.instanceLocation} ${one.keyword}: ${one.error}`);
    return faults.slice(0, 10);
  }
}

const derived = new Set(["$ref", "allOf", "anyOf", "oneOf", "properties", "items", "unevaluatedProperties", "false"]);

/** The checks of one document, made once and used for every answer. */
export class DocumentCheck {
  private readonly operations: readonly Documented[];
  private readonly shapes: ShapeCheck;

  constructor(text: string) {
    const document = documentSchema.parse(JSON.parse(text));
    const shared = z.record(z.string(), responseSchema).parse(document.components.responses ?? {});
    const resolve = (response: unknown): DocumentedResponse => {
      const ref = z.object({ $ref: z.string() }).safeParse(response).data?.$ref.split("/").at(-1) ?? "";
      return shared[ref] ?? responseSchema.parse(response);
    };
    const answers = new Map<string, Schema>();
    this.operations = operationsOf(document)
      .map(({ method, path, operation }) => {
        const responses = Object.entries(operation.responses).map(([status, one]) => [status, resolve(one)] as const);
        for (const [status, { content }] of responses) {
          for (const [type, { schema }] of Object.entries(content)) {
            answers.set(keyOf(operation.operationId, status, type), schema);
          }
        }
        return {
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
          name: operation.operationId,
          types: Object.fromEntries(responses.map(([status, { content }]) => [status, Object.keys(content)])),
          variables: path.split("{").length,
        };
      })
      // A path that says more is the one that is meant: `…/me` before `…/{name}`.
      .sort((a, b) => a.variables - b.variables);
    this.shapes = new ShapeCheck(document.components.schemas, answers);
  }

  /** @throws when the document says nothing of such an answer, or something else. */
  check({ method, path, status, type, body }: Received): void {
    const operation = this.operations.find((one) => one.method === method && one.pattern.test(path));
    const answer = `${method} ${path}: ${status}`;
    if (operation === undefined) {
      // Who may not come in isn't told either what there is.
      if (status === 404 || status === 405 || status === 401 || method === "OPTIONS") return;
      throw new Error(`${answer}, and the OpenAPI document has no such operation`);
    }
    const { name, types } = operation;
    const documented = status >= 500 && types[status] === undefined ? "default" : `${status}`;
    const named = types[documented];
    if (named === undefined) {
      throw new Error(`${answer}, which the OpenAPI document doesn't name for ${name}: ${JSON.stringify(body)}`);
    }
    if (type === "" && named.length === 0) return;
    if (!named.includes(type)) {
      throw new Error(`${answer} as "${type}"; of ${name} the OpenAPI document says ${named.join(", ") || "no body"}`);
    }
    if (!type.endsWith("json")) return;
    const faults = this.shapes.faults(keyOf(name, documented, type), body);
    if (faults.length === 0) return;
    throw new Error(
      `${answer} isn't what the OpenAPI document says of ${name}:\n${faults.join("\n")}\n${JSON.stringify(body)}`,
    );
  }
}

function keyOf(name: string, status: string, type: string): string {
  return `answer ${name} ${status} ${type}`;
}
