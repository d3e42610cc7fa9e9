/** The catalogues of events and of outbox topics, in the documentation and in the OpenAPI document. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { apiDocumentOfAll } from "../../scripts/openapi-document.js";
import { agentEvents } from "../../src/agent/events.js";
import { askEvents } from "../../src/asks/events.js";
import { eventDefinitions } from "../../src/catalogues/events.js";
import { outboxTopics } from "../../src/catalogues/outbox.js";
import { chatEvents } from "../../src/chat/events.js";
import type { EventRoot } from "../../src/conversation/event.js";
import { roundtableEvents } from "../../src/roundtable/events.js";
import { routingEvents } from "../../src/routing/events.js";
import { supervisionEvents } from "../../src/supervision/events.js";
import { actTypes } from "../../src/tenancy/audit.js";
import { namedIn, readPages, tableUnder } from "./pages.js";

const pages = readPages();
const document = await apiDocumentOfAll();
const schemas: Record<string, unknown> = document.components?.schemas ?? {};

/** The rows of the table under a heading, its head left out. */
function componentOf(type: string): string {
  const words = type.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `Event.${words.join("")}`;
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});
const dataSchema = z.union([
  z.object({ $ref: z.string() }).transform(({ $ref }) => `\`${$ref.split("/").at(-1)}\``),
  z
    .union([
      objectSchema.transform((one) => [one]),
      z.object({ anyOf: z.array(objectSchema) }).transform((one) => one.anyOf),
    ])
    .transform(fieldList),
]);

/** The fields of an object of one of these shapes; a `?` stands behind those that can be absent. */
function fieldList(shapes: readonly z.infer<typeof objectSchema>[]): string {
  const fields = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties)))];
  return fields
    .map((field) => (shapes.every(({ required }) => required.includes(field)) ? field : `${field}?`))
    .join(", ");
}

/** What an event's data holds, as the OpenAPI document says: its fields, or the name of the shape. */
function fieldsOf(type: string): string {
  const component = z.object({ properties: z.object({ data: dataSchema }) });
  return component.parse(schemas[componentOf(type)]).properties.data;
}

function refsOf(root: EventRoot): object[] {
  return eventDefinitions()
    .filter(({ roots }) => roots.includes(root))
    .map(({ type }) => ({ $ref: `#/components/schemas/${componentOf(type)}` }));
}

describe("the audit", () => {
  it("has all its types in the table of docs/supervision.md, and no other", () => {
    const named = namedIn(tableUnder(pages, "docs/supervision.md", "### The audit"));
    expect(named.toSorted()).toEqual(["supervision", ...actTypes].toSorted());
  });
});

describe("the catalogue of events", () => {
  it("has each type once: no domain's table hides a type of another's", () => {
    const tables = [agentEvents, askEvents, chatEvents, routingEvents, roundtableEvents, supervisionEvents];
    const types = tables.flatMap((table) => Object.keys(table));
    expect(types.filter((type, at) => types.indexOf(type) !== at)).toEqual([]);
    expect(types.sort()).toEqual(
      eventDefinitions()
        .map(({ type }) => type)
        .sort(),
    );
  });

  it("is the table of docs/events.md, row by row", () => {
    expect(tableUnder(pages, "docs/events.md", "## All events")).toEqual(
      eventDefinitions().map(
        ({ type, roots, audience, description, live }) =>
          `| \`${type}\` | ${roots.join(", ")} | ${audience} | ${fieldsOf(type)} | ${description}${live ? " Not stored: it has no id." : ""} |`,
      ),
    );
  });

  it("holds every event that a page shows in a stream", () => {
    const shown = pages.flatMap(({ text }) => [...text.matchAll(/^event: (\S+)$/gm)].map(([, type]) => type));
    expect(shown.length).toBeGreaterThan(3);
    expect(eventDefinitions().map(({ type }) => type)).toEqual(expect.arrayContaining(shown));
  });

  it("is in the OpenAPI document: each event under its name, with its data", () => {
    for (const { type, description, live } of eventDefinitions()) {
      expect(schemas[componentOf(type)], type).toMatchObject({
        properties: { event: { enum: [type] }, data: expect.any(Object) },
        required: live ? ["event", "data"] : ["id", "event", "data"],
        description: expect.stringContaining(description),
      });
    }
  });

  it.each([
    ["session", "SessionEvent", "/v1/sessions/{sessionId}/events"],
    ["run", "RunEvent", "/v1/runs/{runId}/events"],
    ["roundtable", "RoundtableEvent", "/v1/roundtables/{roundtableId}/events"],
  ] as const)("says what the stream of a %s can bring", (root, name, path) => {
    expect(schemas[name]).toMatchObject({
      oneOf: refsOf(root),
      discriminator: { propertyName: "event" },
    });
    expect(document.paths?.[path]?.get?.responses).toMatchObject({
      200: { content: { "text/event-stream": { schema: { $ref: `#/components/schemas/${name}` } } } },
    });
  });
});

describe("the catalogue of outbox topics", () => {
  it("is the table of AGENTS.md, row by row", () => {
    expect(tableUnder(pages, "AGENTS.md", "## Outbox topics")).toEqual(
      Object.entries(outboxTopics).map(
        ([topic, { handler, description }]) => `| \`${topic}\` | ${handler} | ${description} |`,
      ),
    );
  });
});
