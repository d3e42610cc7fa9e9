/**
 * What each face says of a limit: at the door, at a message's intake, in the middle of its turn, and where the object that counts doesn't
 * answer. In its own form, with when to come back, and in the words that are for end users.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { composeServices } from "../../src/composition/services.js";
import { faces } from "../../src/faces.js";
import { openOnDemand } from "../../src/http/app.js";
import { connect, platforms } from "../support/chat-platforms.js";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { mcpUrl } from "../support/mcp-client.js";
import { newPanel, seat, takes } from "../support/roundtables.js";
import { newTeam, routesTo } from "../support/teams.js";

afterEach(() => vi.restoreAllMocks());

const forUsers = "That is all for today.";
const later = "This is not available at the moment. Please try again in a few seconds.";

/** What a call of a face came to: its status, its fields that say when to come back, and all that was written. */
interface Said {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Request = { readonly path: string; readonly body: unknown; readonly headers?: Record<string, string> };

/** One message, as a client of each face sends it. */
const requests: Readonly<Record<string, (tenant: TestTenant) => Promise<Request>>> = {
  json: async (tenant) => ({ path: `/v1/sessions/${await tenant.session()}/messages`, body: { content: "Hello" } }),
  events: async (tenant) => ({
    ...{ path: `/v1/sessions/${await tenant.session()}/messages`, body: { content: "Hello" } },
    headers: { accept: "text/event-stream" },
  }),
  "ui-chat": async (tenant) => ({
    path: "/v1/ui-chat",
    body: {
      ...{ id: await tenant.session(), agent: "assistant", trigger: "submit-message" },
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] }],
    },
  }),
  completions: async () => ({
    path: "/v1/chat/completions",
    body: { model: "assistant", messages: [{ role: "user", content: "Hello" }] },
  }),
  "streamed completions": async () => ({
    path: "/v1/chat/completions",
    body: { model: "assistant", messages: [{ role: "user", content: "Hello" }], stream: true },
  }),
  responses: async () => ({ path: "/v1/responses", body: { model: "assistant", input: "Hello" } }),
  "streamed responses": async () => ({
    path: "/v1/responses",
    body: { model: "assistant", input: "Hello", stream: true },
  }),
  mcp: async (tenant) => ({
    path: mcpUrl,
    body: {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "send_message", arguments: { sessionId: await tenant.session(), content: "Hello" } },
    },
    headers: { accept: "application/json, text/event-stream" },
  }),
  runs: async () => ({ path: "/v1/runs", body: { team: newTeam({ orders: {} }).definition, input: "Do it." } }),
  roundtables: async () => ({
    path: "/v1/roundtables",
    body: { topic: "Do we ship?", ...newPanel(["a", "b"]).fields },
  }),
};

/** Not those of acts that are no messages: their work is no turn of a session. */
const ofSessions = (face: string): boolean => face !== "runs" && face !== "roundtables";
const isMcp = (face: string): boolean => face === "mcp";

const fetchWorker = openOnDemand(composeServices, faces);
const guarded: Env = { ...env, DOOR: { limit: async () => ({ success: false }) } };

async function sent(tenant: TestTenant, { path, body, headers }: Request, to: Env = env): Promise<Said> {
  const url = path.startsWith("http") ? path : `https://conclave.test${path}`;
  const context = createExecutionContext();
  const all = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", ...headers };
  const request = new Request(url, { method: "POST", headers: all, body: JSON.stringify(body) });
  const answer = await fetchWorker(request, to, context);
  const text = await answer.text();
  await waitOnExecutionContext(context);
  return { status: answer.status, headers: answer.headers, text };
}

async function tenantWith(limit: object, fields: Fields = {}): Promise<TestTenant> {
  const tenant = await newTenant();
  for (const { name } of (await tenant.call("GET", "/v1/limits")).body.items)
    await tenant.call("DELETE", `/v1/limits/${name}`);
  const body = { per: "tenant", window: "day", userMessage: forUsers, ...limit };
  expect((await tenant.call("PUT", "/v1/limits/all", body)).status).toBe(201);
  const model = await tenant.agent("assistant", fields);
  await model.reply({ text: "Hello.", repeat: true });
  return tenant;
}

const request = (face: string, tenant: TestTenant): Promise<Request> => {
  const of = requests[face];
  if (of === undefined) throw new Error(`no face ${face}`);
  return of(tenant);
};

describe.for(Object.keys(requests))("%s", (face) => {
  it("at the door: too many requests, with when to come back", async () => {
    const tenant = await tenantWith({ measure: "turns", max: 10 });
    const { status, headers, text } = await sent(tenant, await request(face, tenant), guarded);
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("10");
    expect(text).toMatch(/too_many_requests|rate_limit_exceeded/);
  });

  it("at intake: a refusal that says when to come back, in the limit's words and without its amount", async () => {
    const tenant = await tenantWith({ measure: "turns", max: 0 });
    const { status, headers, text } = await sent(tenant, await request(face, tenant));
    expect(text).toContain(forUsers);
    if (isMcp(face)) {
      expect(text).toContain('"isError":true');
      expect(text).toContain("limit_reached");
      return;
    }
    expect(status).toBe(429);
    const seconds = headers.get("retry-after");
    expect(headers.get("ratelimit-policy")).toBe('"all";q=0;w=86400');
    expect(headers.get("ratelimit")).toBe(`"all";r=0;t=${seconds}`);
  });

  it("where the object that counts doesn't answer: not available, for some seconds", async () => {
    const tenant = await tenantWith({ measure: "tokens", max: 1_000_000 });
    const to = await request(face, tenant);
    const budgets = Object.getPrototypeOf(env.TENANT_BUDGET);
    const { getByName } = budgets;
    vi.spyOn(budgets, "getByName").mockImplementation(function (this: unknown, ...of: unknown[]) {
      if (of[0] !== tenant.tenantId) return getByName.apply(this, of);
      throw new Error("nobody is there");
    });
    const { status, headers, text } = await sent(tenant, to);
    expect(text).toContain(later);
    expect(text).toMatch(isMcp(face) ? /limits_unavailable/ : /limits_unavailable|"unavailable"/);
    if (isMcp(face)) return;
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("5");
  });
});

describe.for(Object.keys(requests).filter(ofSessions))("%s", (face) => {
  it("in the middle of a turn: it ends as failed, in the limit's words", async () => {
    // What is sent first is more than was reserved for it, and more than there is.
    const tenant = await tenantWith({ measure: "tokens", max: 6_000 }, { instructions: "Be helpful. ".repeat(2_000) });
    const { status, headers, text } = await sent(tenant, await request(face, tenant));
    expect(text).toContain(forUsers);
    expect(text).not.toContain("6000");
    const isRefused = face === "completions" || face === "responses";
    expect(status).toBe(isRefused ? 429 : 200);
    if (isRefused) expect(headers.get("retry-after")).not.toBeNull();
  });
});

it("runs and rounds that meet a limit in the middle say so, and keep what was done", async () => {
  const tenant = await tenantWith({ measure: "tokens", max: 6_000 });
  const team = newTeam({ orders: {} });
  await team.supervisor.reply({ ...routesTo("orders"), usage: { inputTokens: 4_000, outputTokens: 500 } });
  const run = JSON.parse(
    (await sent(tenant, { path: "/v1/runs", body: { team: team.definition, input: "Do." } })).text,
  );
  expect(run).toMatchObject({ status: "failed", error: { code: "limit_reached" }, usage: { inputTokens: 4_000 } });
  expect(run.error.userMessage).toContain(forUsers);
  const other = await tenantWith({ measure: "tokens", max: 6_000 });
  const panel = newPanel(["a", "b"]);
  for (const id of ["a", "b"]) await seat(panel, id).reply(takes(`${id} would.`));
  const body = { topic: "Do we ship?", ...panel.fields };
  const table = JSON.parse((await sent(other, { path: "/v1/roundtables", body })).text);
  expect(table.responses).toHaveLength(1);
  expect(JSON.stringify(table.failures)).toContain("limit");
  const { body: going } = await other.call("POST", `/v1/roundtables/${table.sessionId}/continue`, {});
  expect(going.error ?? going).toMatchObject({ code: "limit_reached" });
});

describe.for(Object.values(platforms))("$kind", (platform) => {
  it.each([
    ["at intake", { measure: "turns", max: 0 }, {}, forUsers],
    ["in the middle", { measure: "tokens", max: 6_000 }, { instructions: "Be helpful. ".repeat(2_000) }, forUsers],
  ])("%s the conversation reads it in the limit's words", async (_when, limit, fields, words) => {
    const tenant = await tenantWith(limit, fields);
    const channel = await connect(tenant, platform);
    await channel.say(1, "Hello");
    await expect.poll(() => channel.texts()).toEqual([expect.stringContaining(words)]);
  });

  it("reads that it isn't available where the object that counts doesn't answer", async () => {
    const tenant = await tenantWith({ measure: "tokens", max: 1_000_000 });
    const channel = await connect(tenant, platform);
    const budgets = Object.getPrototypeOf(env.TENANT_BUDGET);
    const { getByName } = budgets;
    vi.spyOn(budgets, "getByName").mockImplementation(function (this: unknown, ...of: unknown[]) {
      if (of[0] !== tenant.tenantId) return getByName.apply(this, of);
      throw new Error("nobody is there");
    });
    await channel.say(1, "Hello");
    await expect.poll(() => channel.texts()).toEqual([later]);
  });
});
