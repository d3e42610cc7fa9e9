/**
 * No string of a caller reaches a model, a transcript or a memory unjudged, whatever field of OpenAI's forms it stands in: all fields of the
 * schemas are tried, so a new one is tried too. What a backend's key says of instructions, tools and formats is its own word.
 */
import { describe, expect, it } from "vitest";
import { chatRequestSchema } from "../../src/openai/chat-request.js";
import { compactRequestSchema, createEventSchema, responseRequestSchema } from "../../src/openai/response-body.js";
import { type Fields, newTenant, TestTenant } from "../support/conclave.js";
import { type WithText, withTextIn } from "../support/string-fields.js";
import type { UpstreamModel } from "../support/upstream-client.js";

const { messages, ...chatFields } = chatRequestSchema.shape;
const { input, ...responseFields } = responseRequestSchema.shape;

const hello = { role: "user", content: "Hello." };
const calling = (fields: Fields = {}) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }],
  ...fields,
});
const cameOf = (content: string) => ({ role: "tool", tool_call_id: "call_1", content });

/** One call: where the text stands in it, and what is sent. */
interface Attempt {
  readonly field: string;
  readonly path: string;
  readonly body: Fields;
}

type Attempts = (text: (at: string) => string) => Attempt[];

/** The text in one field after the other; a text of each that says which it is. */
function each(fields: (text: string) => readonly WithText[], text: (at: string) => string): WithText[] {
  return fields(text("0")).map(({ path }, index) => {
    const found = fields(text(`${index}`))[index];
    if (found === undefined) throw new Error(path);
    return found;
  });
}

/** Where a message can stand: before the last one, as the last, before and as what came of a call. */
function around(message: unknown): unknown[][] {
  const own = message as { role?: string; tool_calls?: unknown };
  return [
    [message, hello],
    ...(own.role === "user" ? [[message]] : []),
    ...(own.tool_calls === undefined
      ? []
      : [
          [hello, withId(own), cameOf("It is so.")],
          [hello, withId(own), cameOf("So."), calling(), cameOf("So."), hello],
        ]),
    ...(own.role === "tool"
      ? [
          [hello, calling(), { ...own, tool_call_id: "call_1" }],
          [hello, calling(), { ...own, tool_call_id: "call_1" }, calling(), hello],
        ]
      : []),
  ];
}

function withId(message: { readonly tool_calls?: unknown }): unknown {
  const calls = message.tool_calls as { id: string }[];
  return { ...message, tool_calls: calls.map((call) => ({ ...call, id: "call_1" })) };
}

const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];

const chatAttempts: Attempts = (text) => [
  ...each(
    (one) => Object.entries(chatFields).flatMap(([key, schema]) => withTextIn(schema, one, key)),
    (at) => text(`f${at}`),
  ).map(({ path, value }) => {
    const key = path.split(/[.[{]/)[0] ?? "";
    const named = path.startsWith("tool_choice") || path === "parallel_tool_calls" ? { tools } : {};
    return {
      field: path,
      path: "/v1/chat/completions",
      body: { model: "assistant", messages: [hello], ...named, [key]: value },
    };
  }),
  ...each(
    (one) => withTextIn(messages, one, "messages"),
    (at) => text(`m${at}`),
  ).flatMap(({ path, value }) =>
    around((value as unknown[])[0]).flatMap((said) => {
      const isOfCalls = JSON.stringify(said).includes("tool_call");
      return [{}, ...(isOfCalls ? [{ tools }] : [])].map((more) => ({
        field: path,
        path: "/v1/chat/completions",
        body: { model: "assistant", messages: said, ...more },
      }));
    }),
  ),
];

const helloItem = { type: "message", role: "user", content: "Hello." };
const calledItem = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
const cameOfItem = { type: "function_call_output", call_id: "call_1", output: "It is so." };

function aroundItem(item: unknown): unknown[][] {
  const own = item as { type?: string };
  const known = { ...own, call_id: "call_1" };
  return [
    [item, helloItem],
    ...(own.type === "function_call"
      ? [
          [helloItem, known, cameOfItem],
          [helloItem, known, cameOfItem, { type: "message", role: "assistant", content: "So." }, helloItem],
        ]
      : []),
    ...(own.type === "function_call_output"
      ? [
          [helloItem, calledItem, known],
          [calledItem, known, { type: "message", role: "assistant", content: "So." }, helloItem],
        ]
      : []),
  ];
}

const responseAttempts: Attempts = (text) => {
  const items = withTextIn(input, text("i0"), "input").map((_found, index) => {
    const found = withTextIn(input, text(`i${index}`), "input")[index];
    if (found === undefined) throw new Error("input");
    return found;
  });
  return [
    ...each(
      (one) => Object.entries(responseFields).flatMap(([key, schema]) => withTextIn(schema, one, key)),
      (at) => text(`r${at}`),
    ).map(({ path, value }) => {
      const key = path.split(/[.[{]/)[0] ?? "";
      return { field: path, path: "/v1/responses", body: { model: "assistant", input: "Hello.", [key]: value } };
    }),
    ...items.flatMap(({ path, value }) =>
      (Array.isArray(value) ? aroundItem(value[0]) : [value]).flatMap((said, at) => {
        const isOfCalls = JSON.stringify(said).includes("function_call");
        const offered = { tools: [{ type: "function", name: "look" }] };
        const bodies = [{ input: said }, ...(isOfCalls ? [{ input: said, ...offered }] : [])];
        return [
          ...bodies.map((body) => ({ field: path, path: "/v1/responses", body: { model: "assistant", ...body } })),
          ...(at === 0
            ? [{ field: path, path: "/v1/responses/compact", body: { model: "assistant", input: said } }]
            : []),
        ];
      }),
    ),
    ...each(
      (one) => withTextIn(compactRequestSchema.shape.instructions, one, "instructions"),
      (at) => text(`c${at}`),
    ).map(({ path, value }) => ({
      field: `compact.${path}`,
      path: "/v1/responses/compact",
      body: { model: "assistant", input: "Hello.", [path]: value },
    })),
  ];
};

/** A backend's own word: it is passed on as it is. Its instructions are judged all the same, and left out where rules forbid them. */
const ownWord = /^(tools|tool_choice|response_format|text\.format)\b/;
/** A text by which it is known again, and the field that it stood in. */
const known = /open[\s_-]?sesame[\s_-]?(\w\d+)/gi;

const batch = 32;
/** Sends all attempts, each text of its own; gives the fields whose text was found again at the model. */
async function reaching(caller: TestTenant, model: UpstreamModel, attempts: Attempts): Promise<string[]> {
  const all = attempts((at) => `open sesame ${at}`);
  for (let at = 0; at < all.length; at += batch) {
    const answers = await Promise.all(
      all.slice(at, at + batch).map(({ path, body }) => caller.call("POST", path, body)),
    );
    for (const [index, { status, body }] of answers.entries()) {
      expect(status, `${JSON.stringify(all[at + index])} ${JSON.stringify(body)}`).toBeLessThan(500);
    }
  }
  const seen = JSON.stringify((await model.requests()).map(({ body }) => body));
  const found = new Set(Array.from(seen.matchAll(known), ([, id = ""]) => id));
  const fieldOf = (id: string): string => {
    const attempt = all.find(({ body }) => new RegExp(`open[ _-]sesame[ _-]${id}\\b`).test(JSON.stringify(body)));
    return attempt?.field ?? id;
  };
  return [...new Set([...found].map(fieldOf))].sort();
}

const forms: Readonly<Record<string, Attempts>> = { "chat completions": chatAttempts, responses: responseAttempts };
const context = ["subject", "metadata.k"];

async function callerAs(tenant: TestTenant, role: "operator" | "client" | "user"): Promise<TestTenant> {
  if (role !== "user") return tenant.withRole(role);
  const { body } = await tenant.call("POST", "/v1/tokens", { subject: "ada" });
  return new TestTenant(tenant.tenantId, body.token);
}

describe.each(Object.entries(forms))("%s", (_form, attempts) => {
  it("without a supervisor brings many fields to the model: what the others find missing would be found", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { context });
    await model.reply({ text: "Fine.", repeat: true });
    const reached = await reaching(tenant, model, attempts);
    expect(reached.length).toBeGreaterThan(10);
    expect(reached).toContain(attempts === chatAttempts ? "stop" : "safety_identifier");
    expect(reached.some((field) => field.endsWith("arguments"))).toBe(true);
  });

  it.each(["operator", "client"] as const)(
    "of a key of role %s brings nothing to it unjudged but its own word",
    async (role) => {
      const tenant = await newTenant({ supervisors: ["guard"] });
      await tenant.rules("guard", [
        { match: { type: "phrases", phrases: ["open sesame"] }, action: "block", reason: "No." },
      ]);
      const model = await tenant.agent("assistant", { context });
      await model.reply({ text: "Fine.", repeat: true });
      const reached = await reaching(await callerAs(tenant, role), model, attempts);
      expect(reached.filter((field) => !ownWord.test(field))).toEqual([]);
      expect(reached.filter((field) => ownWord.test(field)).length).toBeGreaterThan(0);
    },
  );

  it("of an end user's token brings nothing to it unjudged", async () => {
    const tenant = await newTenant({ supervisors: ["guard"] });
    await tenant.rules("guard", [
      { match: { type: "phrases", phrases: ["open sesame"] }, action: "block", reason: "No." },
    ]);
    const model = await tenant.agent("assistant", { context });
    await model.reply({ text: "Fine.", repeat: true });
    expect(await reaching(await callerAs(tenant, "user"), model, attempts)).toEqual([]);
  });

  it("of an end user's token brings nothing but its user's words to the model where nobody supervises", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { context });
    await model.reply({ text: "Fine.", repeat: true });
    const reached = await reaching(await callerAs(tenant, "user"), model, attempts);
    expect(reached.filter((field) => !/^(messages|input)\b.*(content|text)|^input$/.test(field))).toEqual([]);
    expect(reached.length).toBeGreaterThan(0);
    const prompts = (await model.requests()).map(({ body }) => body as { messages: Fields[] });
    const byOthers = prompts.flatMap(({ messages: all }) => all.filter(({ role }) => role !== "user"));
    expect(JSON.stringify(byOthers)).not.toMatch(/sesame/);
  });
});

it("what comes over a WebSocket has the fields of what comes over HTTP", () => {
  const overSocket = withTextIn(createEventSchema, "open sesame").map(({ path }) => path);
  const overHttp = withTextIn(responseRequestSchema, "open sesame").map(({ path }) => path);
  expect(overSocket.filter((path) => !overHttp.includes(path))).toEqual([]);
});
