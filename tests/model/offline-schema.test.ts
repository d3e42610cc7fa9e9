import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/model/port.js";
import { offlineModel } from "../../src/model/providers/offline.js";
import { ask } from "./harness.js";

const text = (more: JsonSchema = {}): JsonSchema => ({ type: "string", ...more });
const object = (properties: Record<string, JsonSchema | true>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "array", items, ...more });

const schemas: Record<string, JsonSchema> = {
  "anything at all": {},
  "a text": text(),
  "a long text": text({ minLength: 500 }),
  "a short text": text({ maxLength: 3 }),
  "a text of exact length": text({ minLength: 7, maxLength: 7 }),
  "an empty text": text({ maxLength: 0 }),
  "an enumeration": { enum: ["red", "green", "blue"] },
  "an enumeration of all sorts": { enum: [1, null, true, "x", { a: 1 }] },
  "a constant": { const: { fixed: [1, 2] } },
  null: { type: "null" },
  "a text or null": { type: ["null", "string"] },
  "an integer": { type: "integer", minimum: 3, maximum: 5 },
  "an integer within open bounds": { type: "integer", exclusiveMinimum: 3, exclusiveMaximum: 5 },
  "a negative number": { type: "number", maximum: -2.5 },
  "a boolean": { type: "boolean" },
  "an object": object({ name: text(), age: { type: "integer", minimum: 18 }, active: { type: "boolean" } }),
  "optional properties": { type: "object", properties: { a: text(), b: text() }, additionalProperties: false },
  "a property that isn't described": { type: "object", required: ["mystery"] },
  "a dangerous property": {
    type: "object",
    required: ["__proto__", "constructor"],
    properties: { constructor: text() },
  },
  "nested objects": object({ outer: object({ inner: object({ value: { type: "number", minimum: 2 } }) }) }),
  "a list": list(text(), { minItems: 3 }),
  "a short list": list(text(), { minItems: 1, maxItems: 1 }),
  "a list of different choices": list({ enum: ["a", "b", "c"] }, { minItems: 3, uniqueItems: true }),
  tags: object({ tags: list(text(), { maxItems: 2 }) }),
  "a union": {
    anyOf: [{ type: "null" }, object({ kind: { const: "a" }, x: text() }), object({ kind: { const: "b" } })],
  },
  "constants with descriptions": {
    oneOf: [
      { const: "billing", description: "Invoices and refunds" },
      { const: "support", description: "Things that are broken" },
    ],
  },
  "both of two": {
    allOf: [
      object({ a: text() }, { additionalProperties: true }),
      object({ b: { type: "integer" } }, { additionalProperties: true }),
    ],
  },
  "a reference": {
    $defs: { name: text({ minLength: 2 }) },
    ...object({ first: { $ref: "#/$defs/name" }, last: { $ref: "#/$defs/name" } }),
  },
  "a recursive tree": {
    $defs: { node: object({ label: text(), children: list({ $ref: "#/$defs/node" }) }) },
    $ref: "#/$defs/node",
  },
  "a recursive chain": {
    $defs: { link: object({ value: text(), next: { anyOf: [{ $ref: "#/$defs/link" }, { type: "null" }] } }) },
    $ref: "#/$defs/link",
  },
  "no type but properties": { properties: { a: { minimum: 4 } }, required: ["a"] },
  annotations: text({
    title: "T",
    description: "D",
    examples: ["x"],
    default: 5,
    "x-unheard-of": { a: [1] },
    deprecated: true,
  }),
  "a routing decision": object({
    worker: { type: "string", enum: ["billing", "support"], description: "billing: invoices; support: bugs" },
    reasoning: text({ maxLength: 400 }),
    confidence: { type: "number", minimum: 0, maximum: 1 },
  }),
  "a position": object({
    stance: { enum: ["for", "against", "undecided"] },
    position: text({ minLength: 1 }),
    reasoning: text(),
    confidence: { type: "number", minimum: 0, maximum: 1 },
    citations: list(text()),
    contextRequests: list(object({ query: text(), priority: { enum: ["required", "optional"] } })),
  }),
};
const conversations: Record<string, string> = {
  "an order":
    'My order ORD-1234 for "Blue Lamp" (2 pieces, 49.5 euros) is broken. Refund me, please! Write to ann@example.org, 2026-03-04.',
  nothing: "",
  "another script": "東京の天気は？ 🌍",
  "data alone": '<reference name="Notes">\nThe lamp is blue. It has 3 arms & costs 7 euros.\n</reference>',
  much: "All work and no play. ".repeat(2_000),
  "odd characters": '\ud800 "" \\ \u0000 </reference> <memory>\n',
};

const fill = async (schema: JsonSchema, question: string) =>
  (await offlineModel().attempt("", ask(question, { output: { name: "it", schema } }), {})).text;

describe.each(Object.entries(conversations))("the offline model fills schemas from %s", (_name, question) => {
  it.each(Object.entries(schemas))("%s", async (_schemaName, schema) => {
    const written = await fill(schema, question);
    const { valid, errors } = new Validator({ ...schema }, "2020-12").validate(JSON.parse(written));
    expect({ written, errors, valid }).toEqual({ written, errors: [], valid: true });
    expect(await fill(schema, question)).toBe(written);
  });
});

describe("what the offline model puts into a schema", () => {
  const order = conversations["an order"] ?? "";
  const value = async (schema: JsonSchema, question = order): Promise<unknown> =>
    JSON.parse(await fill(schema, question));

  it("chooses the value that the text names, or else the one whose description fits", async () => {
    expect(await value({ enum: ["red", "green", "blue"] })).toBe("blue");
    expect(await value(schemas["constants with descriptions"] ?? {})).toBe("billing");
    expect(await value({ enum: ["x1", "x2"], description: "x1 is for greetings, x2 for refunds" })).toBe("x2");
  });

  it("finds the lines of the instructions that describe a value", async () => {
    const request = ask("The screen of my laptop is black", {
      messages: [
        { role: "system", content: "Choose a worker.\n- anna: invoices and refunds\n- bert: laptops and screens" },
        { role: "user", content: "The screen of my laptop is black" },
      ],
      output: { name: "worker", schema: { enum: ["anna", "bert"] } },
    });
    expect((await offlineModel().attempt("", request, {})).text).toBe('"bert"');
  });

  it("takes texts from where their names point", async () => {
    const schema = object({
      orderId: text(),
      product: text(),
      email: text({ format: "email" }),
      date: text({ format: "date" }),
      reference: text({ pattern: "^[A-Z]+-\\d+$" }),
    });
    expect(await value(schema)).toEqual({
      orderId: "ORD-1234",
      product: "Blue Lamp",
      email: "ann@example.org",
      date: "2026-03-04",
      reference: "ORD-1234",
    });
  });

  it("invents nothing: what has to look so and so is taken from the text or isn't there", async () => {
    const written = await fill(object({ email: text({ format: "email" }), date: text({ format: "date" }) }), "Send it");
    expect(written).not.toMatch(/@|\d{4}-/);
    expect(await value(list(text({ format: "email" }), { minItems: 2 }), "a@example.org or b@example.org")).toEqual([
      "a@example.org",
      "b@example.org",
    ]);
  });

  it("summarises, gives titles and tags, and reasons it can stand by", async () => {
    const schema = object({ summary: text(), title: text(), tags: list(text()), reasoning: text(), verdict: text() });
    const data =
      "<message>\nThe lamp is broken. The lamp was bought in May, and the shop in Graz is closed now.\n</message>";
    expect(await value(schema, data)).toEqual({
      summary: "The lamp is broken. The lamp was bought in May, and the shop in Graz is closed now.",
      title: "The lamp is broken.",
      tags: ["lamp", "broken", "bought"],
      reasoning: "The offline model goes by shared words only; here: lamp, broken, bought, shop, graz.",
      verdict: "The lamp is broken. The lamp was bought in May, and the shop in Graz is closed now.",
    });
  });

  it("says yes only to what the text says, and doesn't deny", async () => {
    const schema = object({
      is_broken: { type: "boolean" },
      urgent: { type: "boolean" },
      refunded: { type: "boolean" },
    });
    expect(await value(schema, "It is broken and urgent. It was not refunded.")).toEqual({
      is_broken: true,
      urgent: true,
      refunded: false,
    });
  });

  it("takes numbers that the text has, those beside the name first", async () => {
    expect(await value(object({ pieces: { type: "integer" }, euros: { type: "number" } }))).toEqual({
      pieces: 2,
      euros: 49.5,
    });
    expect(await value({ type: "integer", default: 3 }, "No numbers here")).toBe(3);
  });

  it("doesn't run wild on schemas that ask for too much, or are no schemas", async () => {
    const deep = (levels: number): JsonSchema => (levels === 0 ? text() : list(deep(levels - 1), { minItems: 50 }));
    const strange: JsonSchema[] = [
      deep(8),
      list(text(), { minItems: 1e9 }),
      text({ minLength: 1e12 }),
      text({ pattern: "(a+)+$" }),
      text({ pattern: "(((" }),
      text({ pattern: "^(?=.*x)y{3,}$" }),
      text({ pattern: "a{100000}{100000}" }),
      { $ref: "#" },
      { $ref: "https://example.com/schema" },
      { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" },
      { $defs: { a: object({ again: { $ref: "#/$defs/a" } }) }, $ref: "#/$defs/a" },
      { type: 5, enum: "none", properties: [], required: { a: 1 }, items: 3, minimum: "x" },
      { enum: [] },
      { anyOf: [] },
      { oneOf: [false, null, 7] },
      { type: "integer", minimum: 5, maximum: 4 },
      { type: "unheard-of" },
    ];
    const since = process.threadCpuUsage();
    const long = `${order} `.repeat(1_000);
    for (const schema of strange) expect(typeof (await fill(schema, long))).toBe("string");
    // Some seconds would be a way to stall an isolate.
    expect(process.threadCpuUsage(since).user).toBeLessThan(5_000_000);
  });
});
