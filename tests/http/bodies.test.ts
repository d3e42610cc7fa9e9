import { beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../src/conversation/defined.js";
import { type Answer, newTenant, send, type TestTenant } from "../support/conclave.js";
import { expectProblem, pathsOf } from "./support.js";

let tenant: TestTenant;
let session: string;
beforeAll(async () => {
  tenant = await newTenant();
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
  session = await tenant.session();
});

async function raw(
  method: string,
  path: string,
  body: BodyInit | null,
  type?: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const response = await send(method, path, { key: tenant.key, headers: {} }).then(async (probe) => {
    await probe.body?.cancel();
    const { exports } = await import("cloudflare:workers");
    return exports.default.fetch(`https://conclave.test${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tenant.key}`,
        ...defined({ "content-type": type }),
        ...more,
      },
      body,
    });
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) };
}

/** Everything that a write could have changed. */
async function state(): Promise<unknown> {
  const kinds = ["agents", "supervisors", "rules", "references", "tools"].map((kind) => `/v1/${kind}`);
  const paths = [...kinds, `/v1/sessions/${session}`, `/v1/sessions/${session}/messages`, "/v1/asks"];
  return Promise.all(paths.map(async (path) => (await tenant.call("GET", path)).body));
}

const json = "application/json";
const writes: [method: string, path: () => string][] = [
  ["POST", () => "/v1/sessions"],
  ["POST", () => `/v1/sessions/${session}/messages`],
  ["PUT", () => "/v1/agents/other"],
  ["PUT", () => "/v1/supervisors/other"],
  ["PUT", () => "/v1/rules/other"],
  ["PUT", () => "/v1/references/other"],
  ["PUT", () => "/v1/tools/other"],
  ["POST", () => "/v1/asks/ask_x/answer"],
];

describe.each(writes)("%s %s", (method, pathOf) => {
  const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
  it.each([
    ["broken JSON", '{"content": "x"', json, "bad_request"],
    ["an empty body", "", json, "bad_request"],
    ["bytes that are no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), json, "bad_request"],
    ["a body without a Content-Type", new TextEncoder().encode("{}"), undefined, "unsupported_media_type"],
    ["a body of another type", '{"content": "x"}', "text/plain", "unsupported_media_type"],
    ["a form", "content=x", "application/x-www-form-urlencoded", "unsupported_media_type"],
    ["5 MB", JSON.stringify({ content: "x".repeat(5_000_000) }), json, "too_large"],
    ["deep nesting", deep, json, "invalid"],
    ["a list", "[]", json, "invalid"],
    ["null", "null", json, "invalid"],
    ["a text", '"x"', json, "invalid"],
  ] as const)("refuses %s, and changes nothing", async (_what, body, type, code) => {
    const before = await state();
    expectProblem(await raw(method, pathOf(), body, type), code);
    expect(await state()).toEqual(before);
  });

  it("refuses no body at all, and changes nothing", async () => {
    const before = await state();
    const answer = await raw(method, pathOf(), null);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expectProblem(answer, answer.body.code);
    expect(await state()).toEqual(before);
  });
});

describe("JSON that is nested deeply, where any JSON may stand", () => {
  const tool = (depth: number) => {
    // A default may be any JSON; schemas within schemas have a lower limit of their own.
    const parameters = `{"default":${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}}`;
    return `{"server":"s","description":"d","parameters":${parameters},"http":{"url":"https://example.com/"}}`;
  };

  it.each([63, 1_000, 100_000])("%i levels deep is refused, and nothing is stored", async (depth) => {
    const answer = await raw("PUT", "/v1/tools/deep", tool(depth), json);
    expectProblem(answer, "invalid");
    expect(answer.body.detail).toBe("JSON may be nested at most 64 deep.");
    expect((await tenant.call("GET", "/v1/tools/deep")).status).toBe(404);
  });

  it("as deep as is allowed is stored", async () => {
    const answer = await raw("PUT", "/v1/tools/not-so-deep", tool(60), json);
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ name: "not-so-deep" })]);
  });
});

describe("fields", () => {
  const agent = { kind: "model", model: "offline", instructions: "" };
  const worker = { id: "a", description: "all" };
  const rules = (rule: object) => ({ kind: "rules", hooks: ["request"], config: { rules: [rule] } });
  it.each([
    ["POST", "/v1/sessions", { agent: "assistant", colour: "red" }, ["colour"]],
    ["POST", "/v1/sessions", { agent: 5 }, ["agent"]],
    ["POST", "/v1/sessions", {}, ["agent"]],
    ["POST", "/v1/sessions", { agent: "assistant", context: { rules: "all" } }, ["context.rules"]],
    ["POST", "/v1/sessions", { agent: "nobody" }, ["agent"]],
    ["POST", "/v1/sessions", { agent: "assistant", supervisors: ["nobody"] }, ["supervisors.0"]],
    ["POST", "/v1/sessions", { agent: "assistant", context: { references: ["none"] } }, ["context.references.0"]],
    ["POST", "/v1/sessions", { agent: "assistant", metadata: { a: { b: 1 } } }, ["metadata.a"]],
    ["PUT", "/v1/agents/other", { ...agent, model: "what is this" }, ["model"]],
    ["PUT", "/v1/agents/other", { ...agent, temperature: "hot" }, ["temperature"]],
    ["PUT", "/v1/agents/other", { ...agent, tools: [{ server: "a" }] }, ["tools.0.tool"]],
    ["PUT", "/v1/agents/other", { ...agent, extra: 1, more: 2 }, ["extra", "more"]],
    [
      "PUT",
      "/v1/supervisors/other",
      rules({ match: { type: "pattern", pattern: "(" }, action: "block", reason: "x" }),
      ["config.rules.0.match.pattern"],
    ],
    [
      "PUT",
      "/v1/supervisors/other",
      rules({ match: { type: "secrets" }, action: "explode", reason: "x" }),
      ["config.rules.0.action"],
    ],
    ["PUT", "/v1/rules/other", { text: "x", priority: 1_000 }, ["priority"]],
    ["PUT", "/v1/tools/other", { server: "s", description: "d", http: { url: "ftp://x" } }, ["http.url"]],
    ["PUT", "/v1/tools/other", { server: "s", description: "d", http: { url: "https://10.0.0.1/x" } }, ["http.url"]],
    ["POST", "/v1/runs", { team: { supervisor: {}, workers: [worker] }, input: "x" }, ["team.supervisor.strategy"]],
    ["POST", "/v1/runs", { team: "not a name", input: "x" }, ["team"]],
    ["POST", "/v1/runs", { team: 5, input: "x" }, ["team"]],
    ["PUT", "/v1/agents/not%20a%20name", agent, ["name"]],
    ["GET", "/v1/agents?limit=0", undefined, ["limit"]],
    ["GET", "/v1/agents?limit=many", undefined, ["limit"]],
    ["GET", "/v1/asks?status=unknown", undefined, ["status"]],
  ])("%s %s with %j is refused, with the place", async (method, path, body, paths) => {
    const answer = await tenant.call(method, path, body);
    expectProblem(answer, "invalid");
    expect(pathsOf(answer)).toEqual(paths);
    expect((await tenant.call("GET", path.split("?")[0] ?? path)).status).toBe(
      path.startsWith("/v1/agents/not") ? 422 : method === "PUT" ? 404 : 200,
    );
  });

  it.each([
    [{ content: "" }, ["content"]],
    [{ content: "  \n" }, ["content"]],
    [{ content: 5 }, ["content"]],
    [{ content: "x".repeat(100_001) }, ["content"]],
    [{ content: "x", waitMs: -1 }, ["waitMs"]],
    [{ content: "x", waitMs: "soon" }, ["waitMs"]],
    [{ content: "x", role: "system" }, ["role"]],
  ])("a message %j is refused, and no turn is made", async (body, paths) => {
    const answer = await tenant.call("POST", `/v1/sessions/${session}/messages`, body);
    expectProblem(answer, "invalid");
    expect(pathsOf(answer)).toEqual(paths);
    expect((await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0`)).body).not.toContain("turn.started");
  });

  it.each(["x y", "ü", "x".repeat(201)])("the Idempotency-Key %j is refused", async (key) => {
    const answer = await tenant.call("POST", "/v1/sessions", { agent: "assistant" }, { "idempotency-key": key });
    expectProblem(answer, "invalid");
  });
});

describe("a body whose length is announced", () => {
  const send = (body: Uint8Array) =>
    raw("PUT", "/v1/rules/announced", body, json, { "content-length": String(body.byteLength) });
  const encode = (text: string) => new TextEncoder().encode(text);

  it("is read as any other, without a byte order mark", async () => {
    const rule = JSON.stringify({ text: "Be kind, 你好." });
    expect((await send(encode(rule))).status).toBeLessThan(300);
    expect((await send(encode(`\ufeff${rule}`))).status).toBeLessThan(300);
    expect((await tenant.call("GET", "/v1/rules/announced")).body.text).toBe("Be kind, 你好.");
  });

  it("is refused like any other", async () => {
    expectProblem(await send(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), "bad_request");
    expectProblem(await send(encode('{"text": ')), "bad_request");
    expectProblem(await send(encode(JSON.stringify({ text: "x".repeat(2_000_000) }))), "too_large");
  });
});

describe("what doesn't exist", () => {
  const id = "01k00000000000000000000000";
  it.each([
    ["GET", "/nothing"],
    ["GET", "/v1/nothing"],
    ["GET", "/v1/agents/nobody"],
    ["DELETE", "/v1/agents/nobody"],
    ["GET", `/v1/sessions/ses_${id}`],
    ["DELETE", `/v1/sessions/ses_${id}`],
    ["GET", `/v1/sessions/ses_${id}/messages`],
    ["GET", `/v1/sessions/ses_${id}/events`],
    ["GET", `/v1/sessions/ses_${id}/turns/trn_${id}`],
    ["GET", `/v1/asks/ask_${id}_ses_${id}`],
    ["GET", "/v1/asks/nonsense"],
    ["POST", `/v1/asks/ask_${id}_ses_${id}/cancel`],
    ["GET", "/v1/sessions/..%2F..%2Fother"],
  ])("%s %s is a 404", async (method, path) => {
    expectProblem(await tenant.call(method, path), "not_found");
  });

  it("POST a message to an unknown session is a 404", async () => {
    expectProblem(await tenant.call("POST", `/v1/sessions/ses_${id}/messages`, { content: "x" }), "not_found");
    expectProblem(await tenant.call("GET", `/v1/sessions/${session}/messages/msg_${id}/versions`), "not_found");
  });
});
