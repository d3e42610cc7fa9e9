/** Holds every answer that a test gets against the OpenAPI document: its status, its media type and its body. */
import { dereference, type Schema as LooseSchema, validate } from "@cfworker/json-schema";
import { z } from "zod";
import { documentSchema, operationsOf } from "../../src/http/document/model.js";
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

/** The checks of one document, made once and used for every answer. */
export class DocumentCheck {
  private readonly operations: readonly Documented[];
  private readonly shapes: Readonly<Record<string, LooseSchema>>;
  private readonly lookup: ReturnType<typeof dereference>;

  constructor(text: string) {
    const document = documentSchema.parse(JSON.parse(text));
    const shared = z.record(z.string(), responseSchema).parse(document.components.responses ?? {});
    const resolve = (response: unknown): DocumentedResponse => {
      const ref = z.object({ $ref: z.string() }).safeParse(response).data?.$ref.split("/").at(-1) ?? "";
      return shared[ref] ?? responseSchema.parse(response);
    };
    const answers: [string, object][] = [];
    this.operations = operationsOf(document)
      .map(({ method, path, operation }) => {
        const responses = Object.entries(operation.responses).map(([status, one]) => [status, resolve(one)] as const);
        for (const [status, { content }] of responses) {
          for (const [type, { schema }] of Object.entries(content)) {
            answers.push([keyOf(operation.operationId, status, type), closed(schema)]);
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
    const definitions = { ...closedDefinitions(document.components.schemas), ...Object.fromEntries(answers) };
    const root: { readonly $defs: Readonly<Record<string, LooseSchema>> } = JSON.parse(
      JSON.stringify({ $defs: definitions }),
    );
    this.shapes = root.$defs;
    this.lookup = dereference(root);
  }

  /** @throws when the document says nothing of such an answer, or something else. */
  check({ method, path, status, type, body }: Received): void {
    const operation = this.operations.find((one) => one.method === method && one.pattern.test(path));
    const answer = `${method} ${path}: ${status}`;
    if (operation === undefined) {
      // Who may not come in isn't told either what there is.
      if (status === 404 || status === 401 || method === "OPTIONS") return;
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
    const { valid, errors } = validate(
      body,
      this.shapes[keyOf(name, documented, type)] ?? false,
      "2020-12",
      this.lookup,
      false,
    );
    if (valid) return;
    const wrong = errors.slice(-6).map((one) => `${one.instanceLocation} ${one.keyword}: ${one.error}`);
    throw new Error(
      `${answer} isn't what the OpenAPI document says of ${name}:\n${wrong.join("\n")}\n${JSON.stringify(body)}`,
    );
  }
}

function keyOf(name: string, status: string, type: string): string {
  return `answer ${name} ${status} ${type}`;
}
