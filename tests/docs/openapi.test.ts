import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/http/app.js";
import { apiDocument } from "../../src/http/openapi.js";
import { operationId } from "../../src/http/operation-id.js";

const app = createApp(() => {
  throw new Error("no request is made here");
});
const document = apiDocument(app);
const schemas: Record<string, unknown> = document.components?.schemas ?? {};
const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, operation })),
);

/** Every shape of an object in a value of the document, as text, with where it stands. */
function objectsIn(value: unknown, place: string): { place: string; text: string; fields: number }[] {
  if (value === null || typeof value !== "object") return [];
  const inner = Object.entries(value).flatMap(([key, one]) => objectsIn(one, `${place}/${key}`));
  if (!("properties" in value) || typeof value.properties !== "object" || value.properties === null) return inner;
  return [...inner, { place, text: JSON.stringify(value), fields: Object.keys(value.properties).length }];
}

describe("the OpenAPI document", () => {
  it("is valid by the OpenAPI 3.1 schema", async () => {
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
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
        responses: { default: { content: { "application/problem+json": { schema: expect.any(Object) } } } },
      });
    }
  });

  it("names what callers read and write", () => {
    const named = ["Agent", "Ask", "ChatMessage", "Entry", "Problem", "Run", "Session", "Supervisor", "Team", "Turn"];
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(named));
    const answers: unknown = document.paths?.["/v1/asks/{askId}"]?.get?.responses;
    expect(answers).toMatchObject({
      200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Ask" } } } },
    });
    expect(schemas.Turn).toMatchObject({
      properties: { asks: { type: "array", items: { $ref: "#/components/schemas/Ask" } } },
    });
  });

  it("says a large shape once", () => {
    const large = objectsIn(document, "").filter(({ fields }) => fields >= 5);
    const repeated = large.filter(({ text }, at) => large.findIndex((one) => one.text === text) !== at);
    expect(repeated.map(({ place }) => place)).toEqual([]);
  });
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
