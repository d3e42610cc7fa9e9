/** The catalogues of events and of audited acts, in the documentation and in the OpenAPI document. */
import { describe, expect, it } from "vitest";
import { apiDocumentOfAll } from "../../scripts/openapi-document.js";
import { componentOf } from "../../scripts/tables.js";
import { agentEvents } from "../../src/agent/events.js";
import { historyEvents } from "../../src/agent/history-events.js";
import { askEvents } from "../../src/asks/events.js";
import { eventDefinitions } from "../../src/catalogues/events.js";
import { chatEvents } from "../../src/chat/events.js";
import type { EventRoot } from "../../src/conversation/event.js";
import { memoryEvents } from "../../src/memory/events.js";
import { roundtableEvents } from "../../src/roundtable/events.js";
import { routingEvents } from "../../src/routing/events.js";
import { supervisionEvents } from "../../src/supervision/events.js";
import { actTypes } from "../../src/tenancy/audit.js";
import { limitEvents } from "../../src/tenancy/limits/events.js";
import { namedIn, readPages, tableUnder } from "./pages.js";

const pages = readPages();
const document = apiDocumentOfAll();
const schemas: Record<string, unknown> = document.components?.schemas ?? {};

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
    const tables = [
      agentEvents,
      askEvents,
      chatEvents,
      routingEvents,
      roundtableEvents,
      supervisionEvents,
      memoryEvents,
      historyEvents,
      limitEvents,
    ];
    const types = tables.flatMap((table) => Object.keys(table));
    expect(types.filter((type, at) => types.indexOf(type) !== at)).toEqual([]);
    expect(types.sort()).toEqual(
      eventDefinitions()
        .map(({ type }) => type)
        .sort(),
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
