import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openApiDocument } from "../../scripts/openapi-document.js";
import { problemCodes } from "../../src/conversation/problem.js";
import { documentSchema, operationsOf } from "../../src/http/document/model.js";
import { isSchema, mapInner, nameOf, namesIn, type Schema } from "../../src/http/document/schema.js";
import { operationId } from "../../src/http/operation-id.js";
import { readSiteMap } from "../../src/http/site/site-map.js";
import { DocumentCheck, ShapeCheck } from "../support/document-check.js";
import { readPages, root } from "./pages.js";

const text = openApiDocument();
const document = documentSchema.parse(JSON.parse(text));
const { schemas } = document.components;
const operations = operationsOf(document).map((place) => ({ ...place, route: `${place.method} ${place.path}` }));
/** All but those that anybody may call. */
const guarded = operations.filter(({ operation }) => operation.security.length > 0);

interface Body {
  readonly place: string;
  readonly kind: "request" | "answer";
  readonly schema: Schema;
  readonly example: unknown;
}

/** Every body that the document describes. Of a stream of events it is one event. */
const bodies: readonly Body[] = operations.flatMap(({ route, operation }) => [
  ...Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema, example }]) => ({
    place: `${route}, request ${type}`,
    kind: "request" as const,
    schema,
    example,
  })),
  ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content)
      .filter(([type]) => type !== "application/problem+json")
      .map(([type, { schema, example }]) => ({
        place: `${route}, ${status} ${type}`,
        kind: "answer" as const,
        schema,
        example,
      })),
  ),
]);

/** Every schema of the document, with those within it. */
function allSchemas(): Schema[] {
  const found: Schema[] = [];
  const look = (schema: Schema): Schema => {
    found.push(schema);
    mapInner(schema, look);
    return schema;
  };
  for (const schema of [...Object.values(schemas), ...bodies.map((body) => body.schema)]) look(schema);
  return found;
}

/** Every shape of an object in a value of the document, as text, with where it stands. */
function objectsIn(value: unknown, place: string): { place: string; text: string; fields: number }[] {
  if (value === null || typeof value !== "object") return [];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    key === "example" ? [] : objectsIn(one, `${place}/${key}`),
  );
  if (!("properties" in value) || typeof value.properties !== "object" || value.properties === null) return inner;
  return [...inner, { place, text: JSON.stringify(value), fields: Object.keys(value.properties).length }];
}

function resolved(schema: Schema): Schema {
  const name = nameOf(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function headersOf(place: { readonly operation: (typeof operations)[number]["operation"] }): string[] {
  return (place.operation.parameters ?? []).flatMap((one) => (one.in === "header" ? [one.name] : []));
}

const requiredOf = (name: string): unknown => schemas[name]?.required;

describe("the OpenAPI document", () => {
  it("is valid by the OpenAPI 3.1 schema", async () => {
    expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true });
  }, 30_000);

  it("says where it holds and whom to ask", () => {
    expect(document).toMatchObject({ servers: [{ url: "/" }], info: { contact: { name: expect.any(String) } } });
  });

  it("names every operation, each by a name of its own, and says what it is and which key it takes", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    for (const { route, operation } of operations) {
      expect(operation, route).toMatchObject({
        operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        summary: expect.any(String),
        tags: [expect.any(String)],
        security: expect.any(Array),
        responses: { default: expect.any(Object) },
      });
      // OpenAI's own clients read errors in OpenAI's shape.
      const type = operation.tags?.includes("OpenAI") ? "application/json" : "application/problem+json";
      expect(operation.responses.default?.content, route).toHaveProperty([type]);
    }
  });

  it("describes every operation: in its route, or in src/http/document/descriptions.ts", () => {
    const missing = operations.filter(({ operation }) => (operation.description ?? "") === "");
    expect(missing.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it("describes every tag: in src/http/document/descriptions.ts", () => {
    const tags = z.array(z.object({ name: z.string(), description: z.string().min(1) })).parse(document.tags);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect(tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it("shows an example of every body: of its shape, or of the operation, in src/http/document/examples", () => {
    expect(bodies.filter(({ example }) => example === undefined).map(({ place }) => place)).toEqual([]);
    expect(bodies.length).toBeGreaterThan(100);
  });

  it("shows examples that are what it says, with no field beside", () => {
    const check = new ShapeCheck(schemas, new Map(bodies.map(({ place, schema }) => [place, schema])));
    const faults = bodies.flatMap(({ place, example }) =>
      check.faults(place, example).map((fault) => `${place}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it("names what callers read and write", () => {
    const named = ["Agent", "Ask", "ChatMessage", "Entry", "Problem", "Run", "Session", "Supervisor", "Team", "Turn"];
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(named));
    expect(document.paths["/v1/asks/{askId}"]?.get?.responses).toMatchObject({
      200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Ask" } } } },
    });
    expect(schemas.Turn).toMatchObject({
      properties: { asks: { type: "array", items: { $ref: "#/components/schemas/Ask" } } },
    });
  });

  it("takes a team's supervisor as its router, and answers with one name", () => {
    const router = { $ref: "#/components/schemas/RouterInput" };
    expect(schemas.TeamInput).toMatchObject({ required: ["workers"], properties: { supervisor: router, router } });
    expect(schemas.Team).toMatchObject({ properties: { supervisor: { $ref: "#/components/schemas/Router" } } });
    expect(JSON.stringify(schemas.Team)).not.toContain('"router"');
  });

  it("says a large shape once", () => {
    const large = objectsIn(document, "").filter(({ fields }) => fields >= 5);
    const repeated = large.filter(({ text }, at) => large.findIndex((one) => one.text === text) !== at);
    expect(repeated.map(({ place }) => place)).toEqual([]);
  });

  it("names no shape that nothing refers to: every event can be reached from the streams", () => {
    const used = new Set(allSchemas().flatMap((schema) => [...namesIn(schema)]));
    expect(Object.keys(schemas).filter((name) => name !== "Problem" && !used.has(name))).toEqual([]);
    expect([...used].filter((name) => name.startsWith("Event.")).length).toBeGreaterThan(20);
  });
});

describe("what is written and what is read", () => {
  it("can both be satisfied: nothing is put together of parts that exclude each other's fields", () => {
    const closedParts = allSchemas().filter(
      ({ allOf }) =>
        Array.isArray(allOf) &&
        allOf.length > 1 &&
        allOf.some((part) => isSchema(part) && resolved(part).additionalProperties === false),
    );
    expect(closedParts).toEqual([]);
    expect(schemas.StoredRule).toMatchObject({ allOf: [{}, { $ref: "#/components/schemas/ContextItem" }] });
  });

  it("differ in what may be left out: a request may leave out what has a default, an answer always has it", () => {
    expect(requiredOf("NewSession")).toEqual(["agent"]);
    expect(requiredOf("Session")).toEqual(expect.arrayContaining(["agent", "supervisors", "context", "metadata"]));
    expect(requiredOf("ModelAgentInput")).toEqual(["kind", "model", "instructions"]);
    expect(requiredOf("ModelAgent")).toEqual(expect.arrayContaining(["tools", "rules", "supervisors"]));
  });

  it("differ in their openness: a request with an unknown field is refused, an answer may get more of them", () => {
    expect(schemas.ModelAgentInput).toMatchObject({ additionalProperties: false });
    expect(schemas.ModelAgent).not.toHaveProperty("additionalProperties");
  });

  it("tells defaults in words, as generators of clients take a `default` for a field that has to be there", () => {
    expect(allSchemas().filter((schema) => "default" in schema)).toEqual([]);
    expect(schemas.NewChatMessage).toMatchObject({
      properties: { waitMs: { description: "Left out, it is `60000`." } },
    });
  });

  it("has no discriminator in what is put together with more: generators would take it for inheritance", () => {
    expect(schemas.AgentInput).toHaveProperty("discriminator");
    expect(schemas.Agent).toHaveProperty("oneOf");
    expect(schemas.Agent).not.toHaveProperty("discriminator");
  });

  it("types what an ask proposes by the ask's kind", () => {
    expect(schemas.Ask).toMatchObject({
      discriminator: { propertyName: "kind", mapping: { review: "#/components/schemas/ReviewAsk" } },
    });
    const proposed = (kind: string) => ({
      allOf: [{}, { properties: { proposal: { $ref: `#/components/schemas/${kind}Proposal` } } }],
    });
    expect(schemas.ReviewAsk).toMatchObject(proposed("Review"));
    expect(schemas.ApprovalAsk).toMatchObject(proposed("Approval"));
    expect(JSON.stringify(schemas.HumanAsk)).not.toContain("proposal");
  });
});

describe("headers and refusals of the document", () => {
  it("has Idempotency-Key on every write, and on nothing else", () => {
    const declared = operations.filter((place) => headersOf(place).includes("Idempotency-Key"));
    expect(declared.map(({ route }) => route)).toEqual(
      guarded.filter(({ method }) => method !== "get").map(({ route }) => route),
    );
  });

  it("has Last-Event-ID where events can be resumed", () => {
    const declared = operations.filter((place) => headersOf(place).includes("Last-Event-ID"));
    expect(declared.map(({ route }) => route)).toEqual(
      operations
        .filter(({ path }) => path.endsWith("/events") && !path.startsWith("/v1/memories/"))
        .map(({ route }) => route),
    );
  });

  it("has If-Match where a version guards a write, the ETag that goes in there, and the refusal", () => {
    const declared = operations.filter((place) => headersOf(place).includes("If-Match"));
    expect(declared.length).toBeGreaterThanOrEqual(8);
    for (const { path, operation } of declared) {
      expect(operation.responses, path).toHaveProperty("412");
      expect(document.paths[path]?.get?.responses["200"]?.headers, path).toHaveProperty("ETag");
    }
  });

  it("names the refusals of every operation that takes a key, by status", () => {
    for (const { route, method, path, operation } of guarded) {
      const expected = ["401", "429", ...(path.includes("{") ? ["404"] : []), ...(method === "get" ? [] : ["409"])];
      expect(Object.keys(operation.responses), route).toEqual(expect.arrayContaining(expected));
    }
  });

  it("has a shared answer for each status, with its codes; every code stands in one", () => {
    const shared = z
      .record(z.string(), z.object({ description: z.string(), content: z.record(z.string(), z.unknown()) }).loose())
      .parse(document.components.responses);
    const named = Object.values(shared).flatMap(({ description }) => [...description.matchAll(/`(\w+)`/g)]);
    // A 405 is of a method that is no operation; nothing answers with the other at present.
    const unused = ["method_not_allowed", "not_acceptable"];
    const codes = Object.keys(problemCodes).filter((code) => !unused.includes(code));
    expect(named.map(([, code]) => code).sort()).toEqual(codes.sort());
    expect(shared.Problem404).toMatchObject({
      content: {
        "application/problem+json": {
          schema: { allOf: [{}, { properties: { status: { const: 404 }, code: { enum: ["not_found"] } } }] },
        },
      },
    });
  });
});

describe("the check that every answer of the suite goes through", () => {
  const check = new DocumentCheck(text);
  const sent = { method: "GET", path: "/health", status: 200, type: "application/json" };
  const health = { status: "ok", version: "1", environment: "test", schema: { have: 1, want: 1 }, checks: {} };
  const problem = { type: "https://x/", title: "x", status: 404, code: "not_found", detail: "x", requestId: "x" };
  const refused = { method: "GET", path: "/v1/runs/run_1", status: 404, type: "application/problem+json" };

  it("takes what the document describes", () => {
    expect(() => check.check({ ...sent, body: health })).not.toThrow();
    expect(() => check.check({ ...refused, body: problem })).not.toThrow();
  });

  it.each([
    ["a field that it doesn't name", { ...sent, body: { ...health, extra: 1 } }],
    ["a field less", { ...sent, body: { status: "ok" } }],
    ["a field of another type", { ...sent, body: { ...health, version: 1 } }],
    ["a status that it doesn't name", { ...sent, status: 418, body: health }],
    ["a media type that it doesn't name", { ...sent, type: "text/plain", body: undefined }],
    ["an operation that it doesn't name", { ...sent, path: "/v1/nothing", body: health }],
    ["a code that doesn't go with the status", { ...refused, body: { ...problem, code: "forbidden" } }],
    ["a field that a problem doesn't have", { ...refused, body: { ...problem, stack: "x" } }],
  ])("refuses %s", (_what, answer) => {
    expect(() => check.check(answer)).toThrow(/OpenAPI document/);
  });
});

it("the first page of the documentation lists every page of docs/, and so the Worker serves it", () => {
  const listed = readSiteMap(readFileSync(`${root}docs/README.md`, "utf8")).flatMap(({ pages }) => pages);
  const files = readPages("docs").flatMap(({ path }) => (path.startsWith("docs/decisions/") ? [] : [path]));
  expect(listed.map(({ path }) => path).sort()).toEqual(
    ["CHANGELOG.md", "README.md", ...files.filter((path) => path !== "docs/README.md")].sort(),
  );
});

describe("the name of an operation", () => {
  it.each([
    ["get", "/v1/sessions", "listSessions"],
    ["post", "/v1/sessions", "createSession"],
    ["get", "/v1/sessions/{sessionId}", "getSession"],
    ["post", "/v1/sessions/{sessionId}/turns/{turnId}/cancel", "cancelSessionTurn"],
    ["patch", "/v1/memories/{memoryId}/entries/{entryId}", "updateMemoryEntry"],
    ["post", "/v1/memories/{memoryId}/dead-letters/{deadLetterId}/retry", "retryMemoryDeadLetter"],
    ["put", "/v1/agents/{name}", "putAgent"],
  ])("%s %s is %s", (method, path, id) => {
    expect(operationId(method, path)).toBe(id);
  });
});

it.each([
  "post /v1/memories/{memoryId}/threads/{threadId}/messages",
  "post /v1/memories/{memoryId}/entries",
  "patch /v1/memories/{memoryId}/entries/{entryId}",
  "post /v1/memories/{memoryId}/entries/{entryId}/corrections",
  "put /v1/memories/{memoryId}/context",
  "post /v1/memories/{memoryId}/contexts/{version}/restore",
])("%s says what it refuses for the tenant's supervisors", (wanted) => {
  const found = operations.find(({ route }) => route.toLowerCase() === wanted.toLowerCase());
  expect(found?.operation.description).toMatch(
    /supervisors don't let pass \(422\).*supervisor that was deleted \(409\)/,
  );
});
