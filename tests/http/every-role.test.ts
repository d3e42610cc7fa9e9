import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { acts } from "../../src/application/acts.js";
import type { Permission } from "../../src/tenancy/acts.js";
import { resourceKinds } from "../../src/tenancy/resources.js";
import { newTenant, send, TestTenant } from "../support/conclave.js";

const operationSchema = z.object({ "x-act": z.string(), requestBody: z.unknown().optional() }).loose();
const documentSchema = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(["get", "put", "post", "patch", "delete"]), operationSchema)),
});

const model = { kind: "model", model: "offline", instructions: "" };
const channel = {
  kind: "generic",
  agent: "assistant",
  credentials: { secret: "a secret of the channel", replyUrl: "https://chat.example/replies" },
};
const blockAll = { match: { type: "length", max: 1 }, action: "block", reason: "x" };

/** Bodies that the routes take. A route of a new body has to be told here: without it the refusal is about the body. */
const bodies: Record<string, unknown> = {
  "DELETE /v1/subjects/{subject}": { reason: "They asked for it." },
  "POST /v1/datasets/{name}/items/from-sessions": { labels: "none" },
  "PUT /v1/datasets/{name}/items/{itemId}/label": { expected: { action: "allow" } },
  "POST /v1/evals": { dataset: "texts", candidates: [{ name: "now", supervisors: ["guard"] }] },
  "POST /v1/sessions/{sessionId}/replay": { candidates: [{ name: "now", supervisors: ["guard"] }] },
  "POST /v1/replays": { candidates: [{ name: "now", supervisors: ["guard"] }] },
  "POST /v1/evals/{evalId}/resume": { maxTokens: 1 },
  "POST /v1/experiments/{name}/promote": { variant: "b" },
  "PUT /v1/secrets/{name}": { value: "a secret of some length" },
  "POST /v1/sessions/{sessionId}/staff-messages": { content: "Hello." },
  "PUT /v1/sessions/{sessionId}/feedback": { about: { turnId: "trn_1" }, score: 1 },
  "POST /v1/decisions/replay": { supervisor: "guard", of: "guard" },
  "POST /v1/try": { supervisors: ["guard"], on: { text: "Hello." } },
  "PUT /v1/decisions/{decisionId}/label": { label: "right" },
  "PUT /v1/sessions/{sessionId}/messages/{messageId}/label": { label: "right" },
  "POST /v1/admin/tenants": { name: "x" },
  "POST /v1/admin/tenants/{tenantId}/keys": { role: "client" },
  "POST /v1/keys": { role: "client" },
  "POST /v1/admin/tenants/{tenantId}/import": { format: 1, items: [] },
  "POST /v1/admin/tenants/{tenantId}/move": { to: 7 },
  "POST /v1/admin/erasures": { since: "2026-11-24T08:00:00Z", items: [] },
  "POST /v1/people": { name: "Ada", email: "ada@example.com", role: "reviewer" },
  "PATCH /v1/people/{personId}": { role: "operator" },
  "POST /v1/admin/tenants/{tenantId}/people": { name: "Ada", email: "ada@example.com" },
  ...Object.fromEntries(
    [
      "sessions/{sessionId}",
      "runs/{runId}",
      "roundtables/{roundtableId}",
      "memories/{memoryId}/threads/{threadId}",
    ].map((of) => [`POST /v1/${of}/restore`, { bookmark: "x" }]),
  ),
  "POST /v1/limits/{name}/raise": { by: 1, until: "2036-01-01T00:00:00Z", reason: "x" },
  "POST /v1/tokens": { subject: "eve" },
  "PUT /v1/webhooks/{name}": { url: "https://crm.example/hook", events: ["turn.completed"] },
  "PUT /v1/agents/{name}": model,
  "PUT /v1/supervisors/{name}": { kind: "rules", hooks: ["request"], config: { rules: [blockAll] } },
  "PUT /v1/rules/{name}": { text: "x" },
  "PUT /v1/references/{name}": { text: "x" },
  "PUT /v1/tools/{name}": { server: "s", description: "d", http: { url: "https://example.com/" } },
  "PUT /v1/prompts/{name}": { text: "x" },
  "PUT /v1/teams/{name}": {
    supervisor: { strategy: "skill-based" },
    workers: [{ id: "a", description: "x", model: "offline" }],
  },
  "PUT /v1/channels/{name}": channel,
  "PUT /v1/panels/{name}": { mode: "collaborative" },
  "POST /v1/roundtables": { topic: "x", panel: "none" },
  "POST /v1/roundtables/{roundtableId}/context": { contextResults: [{ requestId: "x", content: "x" }] },
  "POST /v1/roundtables/{roundtableId}/control": { action: "pause" },
  "POST /v1/roundtables/{roundtableId}/fork": { round: 1 },
  "POST /v1/sessions": { agent: "assistant" },
  "PUT /v1/sessions/by-external-id/{externalId}": { agent: "assistant" },
  "PATCH /v1/sessions/{sessionId}": { metadata: {} },
  "POST /v1/sessions/{sessionId}/messages": { content: "hello" },
  "POST /v1/sessions/{sessionId}/messages/{messageId}/edits": {
    operations: [{ type: "remove_turn", turnId: "x" }],
    baseHash: "0".repeat(64),
  },
  "POST /v1/chat/completions": { model: "none", messages: [{ role: "user", content: "x" }] },
  "POST /v1/responses": { model: "none", input: "x" },
  "POST /v1/responses/compact": { model: "none", input: "x" },
  "POST /v1/ui-chat": { id: "c", messages: [{ role: "user", parts: [{ type: "text", text: "x" }] }] },
  "POST /v1/asks/{askId}/answer": { response: "x" },
  "POST /v1/asks/answers": { askIds: ["ask_1"], decision: "accept" },
  "POST /v1/asks/{askId}/defer": { until: null },
  "POST /v1/runs": { team: "none", input: "x" },
  "POST /v1/vaults": { title: "x" },
  "POST /v1/vaults/{vaultId}/memories": { title: "x" },
  "PUT /v1/vaults/{vaultId}/memories/by-external-id/{externalId}": { title: "x" },
  "POST /v1/memories/{memoryId}/threads/{threadId}/messages": { role: "user", content: "x" },
  "POST /v1/memories/{memoryId}/entries": { rawEntry: "x" },
  "PATCH /v1/memories/{memoryId}/entries/{entryId}": { tags: {} },
  "POST /v1/memories/{memoryId}/entries/{entryId}/corrections": { rawEntry: "x" },
  "PUT /v1/memories/{memoryId}/context": { document: "x" },
  "POST /v1/memories/{memoryId}/search": { query: "x" },
  "POST /v1/memories/search": { subject: "bob", query: "x" },
  "PATCH /v1/memories/{memoryId}": { title: "x" },
};

/** Kinds that end users see; of teams they know nothing. */
const notForUsers = ["/v1/teams", "/v1/teams/{name}", "/v1/panels", "/v1/panels/{name}"];

interface Operation {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  /** Nothing, where anybody may. */
  readonly needs: Permission | undefined;
  readonly hasBody: boolean;
}

async function operations(): Promise<Operation[]> {
  const { paths } = documentSchema.parse(await (await send("GET", "/openapi.json")).json());
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([lower, operation]) => {
      const name = operation["x-act"];
      const needs = acts.find(({ act }) => act === name);
      const method = lower.toUpperCase();
      // A route that names no act of the list is nobody's.
      if (name !== "anybody" && needs === undefined) throw new Error(`${method} ${path}: there is no act ${name}`);
      return { route: `${method} ${path}`, method, path, needs, hasBody: operation.requestBody !== undefined };
    }),
  );
}

const ranks = ["client", "operator", "admin"] as const;
type Caller = (typeof ranks)[number] | "user" | "nobody";

/** What the list of acts says: 401, 403, or that the act is begun. */
function expected({ needs, path }: Operation, caller: Caller): 401 | 403 | "begun" {
  if (needs === undefined) return "begun";
  const { role, ofSubject } = needs;
  if (caller === "nobody" || role === "deployment" || role === "system" || role === "person") return 401;
  if (caller === "user") return ofSubject && !notForUsers.includes(path) ? "begun" : 403;
  return ranks.indexOf(caller) >= ranks.indexOf(role) ? "begun" : 403;
}

describe("every operation of the document", () => {
  let all: Operation[] = [];
  const callers = new Map<Caller, TestTenant>();
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    all = await operations();
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", model);
    const { body } = await tenant.call("POST", "/v1/tokens", { subject: "bob" });
    callers.set("user", new TestTenant(tenant.tenantId, body.token));
    callers.set("nobody", new TestTenant("", ""));
    for (const role of ranks) callers.set(role, await tenant.withRole(role));
    // Somebody else's: bob must not know that it is there.
    const ask = await newTenantAsk(tenant);
    Object.assign(ids, ask, {
      name: "none",
      version: "1",
      from: "1",
      to: "2",
      threadId: "main",
      subject: "mallory",
      row: "0",
      size: "1",
    });
    Object.assign(ids, { roundtableId: "rt_nowhere", round: "1", agentId: "a" });
    ids.tenantId = tenant.tenantId;
    // A platform's own address: who signs nothing is refused there, whatever key they hold.
    const { address } = (await tenant.put("channels", "chat", channel)).body;
    Object.assign(ids, { kind: "generic", connectionId: address.split("/").at(-1) });
  });

  it("tells another subject's token nothing of a session, a turn or an ask, not even that there is one", async () => {
    const own = all.filter(
      ({ needs, path }) =>
        expected({ ...plain, needs, path }, "user") === "begun" && /\{(sessionId|askId|roundtableId)\}/.test(path),
    );
    expect(own.length).toBeGreaterThan(7);
    expect((await callAs("client", "GET", fill("/v1/sessions/{sessionId}"), undefined)).status).toBe(200);
    for (const { route, method, path, hasBody } of own) {
      const answer = await callAs("user", method, fill(path), hasBody ? (bodies[route] ?? {}) : undefined);
      expect([route, answer.status]).toEqual([route, 404]);
    }
  });

  it.each(["nobody", "user", "client", "operator", "admin"] as const)(
    "is for %s what the table says",
    async (caller) => {
      const wrong: string[] = [];
      for (const operation of all) {
        const { route, method, path, hasBody } = operation;
        const answer = await callAs(caller, method, fill(path), hasBody ? (bodies[route] ?? {}) : undefined);
        const seen = answer.status === 401 || answer.status === 403 ? answer.status : "begun";
        if (seen !== expected(operation, caller))
          wrong.push(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      expect(wrong).toEqual([]);
      expect(all.length).toBeGreaterThan(80);
    },
  );

  const plain = { route: "", method: "", hasBody: false };

  function fill(path: string): string {
    // A stream of events that nothing happens in ends at once.
    return path.endsWith("/events") && !path.startsWith("/v1/memories/") ? `${filled(path)}?lingerMs=0` : filled(path);
  }

  function filled(path: string): string {
    return path.replace(/\{(\w+)\}/g, (_match, name) => ids[name] ?? "none_x");
  }

  async function callAs(caller: Caller, method: string, path: string, body: unknown) {
    const by = callers.get(caller);
    if (by === undefined) throw new Error(`who is ${caller}?`);
    return by.call(method, path, body, caller === "nobody" ? { authorization: "" } : {});
  }
});

/** A session of ada's whose turn waits for an answer. */
async function newTenantAsk(tenant: TestTenant): Promise<Record<string, string>> {
  const upstream = await tenant.agent("asking", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await upstream.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
  const sessionId = await tenant.session({ agent: "asking", subject: "ada" });
  const turn = await tenant.say(sessionId, "hello");
  return {
    sessionId,
    turnId: turn.turnId,
    messageId: turn.message?.messageId ?? "",
    askId: turn.asks[0]?.askId ?? "",
  };
}

describe("the bodies of this test", () => {
  it("know every kind of resource", () => {
    expect(env.ADMIN_SECRET.length).toBeGreaterThanOrEqual(32);
    for (const kind of resourceKinds) expect(Object.keys(bodies)).toContain(`PUT /v1/${kind}/{name}`);
  });
});
