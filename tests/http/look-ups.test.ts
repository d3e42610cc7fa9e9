/** Things are found by the caller's own ids, subjects and notes, and are made once. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { composeServices } from "../../src/composition/services.js";
import { api } from "../../src/http/api.js";
import { createApp } from "../../src/http/app.js";
import { newTenant, origin, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { newMemory } from "../support/memory.js";
import { modelOf, newTeam, routesTo } from "../support/teams.js";

async function withAssistant() {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  return { tenant, model };
}

/** Waits until a list shows just these. */
async function listed(tenant: TestTenant, path: string, idName: string, ids: readonly string[]) {
  return eventually(async () => {
    const { status, body } = await tenant.call("GET", path);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.items.map((item: Record<string, unknown>) => item[idName])).toEqual(ids);
    return body.items;
  });
}

const putRoom = (tenant: TestTenant, externalId = "room-1", fields: object = {}) =>
  tenant.call("PUT", `/v1/sessions/by-external-id/${externalId}`, { agent: "assistant", ...fields });

/** The app whose process dies just before it makes something: what it was asked for never comes. */
async function diesBefore(service: "sessions" | "memory", request: Request): Promise<void> {
  let reached = (): void => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const never = () => {
    reached();
    return new Promise<never>(() => {});
  };
  const services = composeServices(env);
  const app = createApp(
    () =>
      service === "sessions"
        ? { ...services, sessions: Object.assign(Object.create(services.sessions), { create: never }) }
        : {
            ...services,
            memory: Object.assign(Object.create(services.memory), {
              ports: {
                ...services.memory.ports,
                memories: Object.assign(Object.create(services.memory.ports.memories), {
                  createVault: never,
                  createMemory: never,
                }),
              },
            }),
          },
    { callers: "tenant" },
    api,
  );
  void app.fetch(request, env, createExecutionContext());
  await isReached;
}

describe("a session under one's own id", () => {
  it("is made by the first PUT, and found by every other", async () => {
    const { tenant } = await withAssistant();
    const made = await putRoom(tenant, "room-1", { subject: "ada" });
    expect(made).toMatchObject({ status: 201, body: { externalId: "room-1", subject: "ada" } });
    const again = await putRoom(tenant, "room-1", { subject: "bob" });
    expect(again).toMatchObject({ status: 200, body: { sessionId: made.body.sessionId, subject: "ada" } });
  });

  it("is one, however many ask for it at the same time", async () => {
    const { tenant } = await withAssistant();
    const answers = await Promise.all(Array.from({ length: 8 }, () => putRoom(tenant)));
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  });

  it("is made by the next who asks when the first died between the claim and the making", async () => {
    const { tenant } = await withAssistant();
    const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ agent: "assistant" });
    const url = `${origin}/v1/sessions/by-external-id/room-1`;
    await diesBefore("sessions", new Request(url, { method: "PUT", headers, body }));
    const made = await putRoom(tenant);
    expect(made.status).toBe(201);
    expect((await putRoom(tenant)).body.sessionId).toBe(made.body.sessionId);
  });

  it("belongs to the request that took it over: the one that died before isn't given another's session", async () => {
    const { tenant } = await withAssistant();
    const first = { agent: "assistant", externalId: "room-1", metadata: { by: "first" } };
    const headers = { "idempotency-key": "first" };
    const all = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", ...headers };
    await diesBefore(
      "sessions",
      new Request(`${origin}/v1/sessions`, { method: "POST", headers: all, body: JSON.stringify(first) }),
    );
    const second = { ...first, metadata: { by: "second" } };
    const made = await tenant.call("POST", "/v1/sessions", second, { "idempotency-key": "second" });
    expect(made).toMatchObject({ status: 201, body: { metadata: { by: "second" } } });
    expect((await tenant.call("POST", "/v1/sessions", first, headers)).status).toBe(409);
    await env.DB.prepare("DELETE FROM idempotency WHERE idempotency_key LIKE '%second'").run();
    const again = await tenant.call("POST", "/v1/sessions", second, { "idempotency-key": "second" });
    expect(again).toMatchObject({ status: 201, body: { sessionId: made.body.sessionId } });
  });

  it("is not made a second time by POST: the 409 names it", async () => {
    const { tenant } = await withAssistant();
    const made = await tenant.session({ externalId: "room-1" });
    const second = await tenant.call("POST", "/v1/sessions", { agent: "assistant", externalId: "room-1" });
    expect(second).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(second.body.detail).toContain(made);
  });

  it("belongs to its tenant, and is free again once it is deleted", async () => {
    const { tenant } = await withAssistant();
    const other = await withAssistant();
    const { body } = await putRoom(tenant);
    expect((await putRoom(other.tenant)).status).toBe(201);
    expect((await tenant.call("DELETE", `/v1/sessions/${body.sessionId}`)).status).toBe(204);
    const anew = await putRoom(tenant);
    expect(anew.status).toBe(201);
    expect(anew.body.sessionId).not.toBe(body.sessionId);
  });

  it("refuses another id in the body than in the path", async () => {
    const { tenant } = await withAssistant();
    expect((await putRoom(tenant, "room-1", { externalId: "room-2" })).status).toBe(422);
  });
});

describe("an Idempotency-Key on what is made", () => {
  it.each([
    ["sessions", "/v1/sessions", { agent: "assistant" }, "sessionId"],
    ["memory", "/v1/vaults", { title: "Vault" }, "vaultId"],
    ["memory", "memories", { title: "Memory" }, "memoryId"],
  ] as const)(
    "makes one thing when the first request died under way, and goes on at once: %s %s",
    async (service, place, fields, idName) => {
      const { tenant } = await withAssistant();
      const vault = await tenant.call("POST", "/v1/vaults", { title: "Vault" });
      const path = place === "memories" ? `/v1/vaults/${vault.body.vaultId}/memories` : place;
      const headers = { "idempotency-key": "once" };
      const all = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", ...headers };
      const body = JSON.stringify(fields);
      await diesBefore(service, new Request(origin + path, { method: "POST", headers: all, body }));

      const retried = await tenant.call("POST", path, fields, headers);
      expect(retried.status, JSON.stringify(retried.body)).toBe(201);
      const claimed = await env.DB.prepare("SELECT id FROM creation_keys WHERE tenant_id = ?")
        .bind(tenant.tenantId)
        .all();
      expect(claimed.results).toEqual([{ id: retried.body[idName] }]);
      expect((await tenant.call("POST", path, fields, headers)).body).toEqual(retried.body);
      expect((await tenant.call("POST", path, { ...fields, title: "Other" }, headers)).status).toBeGreaterThanOrEqual(
        409,
      );
    },
  );
});

describe("what is noted on a session", () => {
  it("can be changed: entries of the metadata, and the subject once", async () => {
    const { tenant } = await withAssistant();
    const path = `/v1/sessions/${await tenant.session({ metadata: { plan: "free", seats: 1 } })}`;
    const changed = await tenant.call("PATCH", path, { metadata: { plan: "pro", seats: null }, subject: "ada" });
    expect(changed).toMatchObject({ status: 200, body: { metadata: { plan: "pro" }, subject: "ada" } });
    expect(changed.body.metadata).not.toHaveProperty("seats");
    expect((await tenant.call("PATCH", path, { subject: "ada" })).status).toBe(200);
    expect((await tenant.call("PATCH", path, { subject: "bob" })).status).toBe(409);
    expect((await tenant.call("GET", path)).body).toMatchObject({ metadata: { plan: "pro" }, subject: "ada" });
    await listed(tenant, "/v1/sessions?subject=ada&metadata.plan=pro", "sessionId", [path.split("/").at(-1) ?? ""]);
  });
});

describe("the list of sessions", () => {
  it("is filtered by agent, subject, externalId, metadata, status and time, all at once if need be", async () => {
    const { tenant } = await withAssistant();
    await tenant.agent("other");
    const first = await tenant.session({ subject: "ada", metadata: { channel: "C1", vip: true, seats: 3 } });
    const second = await tenant.session({ subject: "bob", externalId: "room-2", agent: "other" });
    const only = (query: string, ids: string[]) => listed(tenant, `/v1/sessions?${query}`, "sessionId", ids);
    await only("", [second, first]);
    await only("agent=other", [second]);
    await only("subject=ada", [first]);
    await only("externalId=room-2", [second]);
    await only("metadata.channel=C1", [first]);
    await only("metadata.vip=true&metadata.seats=3", [first]);
    await only("metadata.vip=false", []);
    await only("subject=ada&agent=other", []);
    await only("status=idle", [second, first]);
    await only(`updatedAfter=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`, []);
    await only(`updatedAfter=${encodeURIComponent(new Date(Date.now() - 60_000).toISOString())}`, [second, first]);
  });

  it("follows a session: running, waiting, idle again, with its last turn and when that was", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] },
      { text: "Done.", hold: "h" },
    );
    const session = await tenant.session();
    const turn = await tenant.say(session, "Go.");
    const [waits] = await listed(tenant, "/v1/sessions?status=waiting", "sessionId", [session]);
    expect(waits.lastTurn).toEqual({ turnId: turn.turnId, status: "waiting" });
    await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { response: "this" });
    await listed(tenant, "/v1/sessions?status=running", "sessionId", [session]);
    await model.release("h");
    const [idle] = await listed(tenant, "/v1/sessions?status=idle", "sessionId", [session]);
    expect(idle.lastTurn).toEqual({ turnId: turn.turnId, status: "completed" });
    expect(Date.parse(idle.updatedAt)).toBeGreaterThan(Date.parse(idle.createdAt));
  });

  it("shows that a turn runs while it does", async () => {
    const { tenant, model } = await withAssistant();
    await model.reply({ text: "At last.", hold: "h" });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Think hard.", { waitMs: 0 });
    const [running] = await listed(tenant, "/v1/sessions?status=running", "sessionId", [session]);
    expect(running.lastTurn).toEqual({ turnId, status: "running" });
    await model.release("h");
  });
});

describe("memories", () => {
  it("are made once under one's own id, and found by it, by subject and by metadata", async () => {
    const tenant = await newTenant();
    const vault = await tenant.call("POST", "/v1/vaults", { title: "Vault" });
    const path = `/v1/vaults/${vault.body.vaultId}/memories`;
    const put = () => tenant.call("PUT", `${path}/by-external-id/ada-1`, { title: "Ada", subject: "ada" });
    const answers = await Promise.all([put(), put(), put()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.memoryId)).size).toBe(1);
    const { memoryId } = answers[0]?.body ?? {};
    const second = await tenant.call("POST", path, { title: "Again", externalId: "ada-1" });
    expect(second.status).toBe(409);
    expect(second.body.detail).toContain(memoryId);
    const other = await tenant.call("POST", path, { title: "Bob", metadata: { team: "blue" } });

    await listed(tenant, "/v1/memories", "memoryId", [memoryId, other.body.memoryId]);
    await listed(tenant, "/v1/memories?subject=ada", "memoryId", [memoryId]);
    await listed(tenant, "/v1/memories?externalId=ada-1", "memoryId", [memoryId]);
    await listed(tenant, "/v1/memories?metadata.team=blue", "memoryId", [other.body.memoryId]);
    expect((await tenant.call("DELETE", `/v1/memories/${memoryId}`)).status).toBe(204);
    expect((await put()).status).toBe(201);
  });

  it("list their threads, and delete one with its messages and entries, so that it can begin anew", async () => {
    const memory = await newMemory("offline");
    await memory.say(["My parrot is called Kiwi."], "one");
    await memory.say(["My cat is called Tom."], "two");
    await memory.settled("indexed", "one");
    await memory.settled("indexed", "two");
    const threads = async () =>
      (await memory.call("GET", "/threads")).items.map(({ threadId }: { threadId: string }) => threadId);
    expect(await threads()).toEqual(["one", "two"]);

    await memory.call("DELETE", "/threads/one");
    expect(await threads()).toEqual(["two"]);
    expect(JSON.stringify(await memory.entries())).not.toContain("Kiwi");
    expect(JSON.stringify(await memory.entries())).toContain("Tom");
    const gone = await memory.tenant.call("GET", `${memory.path}/threads/one`);
    expect(gone.status).toBe(404);
    expect((await memory.tenant.call("DELETE", `${memory.path}/threads/one`)).status).toBe(404);

    await memory.say(["My dog is called Rex."], "one");
    await memory.settled("indexed", "one");
    expect(JSON.stringify(await memory.entries())).toContain("Rex");
  });
});

describe("runs", () => {
  it("have a subject, an own id and metadata, by which they are listed; a second of the same own id is a 409 that names it", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} });
    await tenant.put("teams", "desk", team.definition);
    await team.supervisor.reply(routesTo("billing"));
    const fields = { team: "desk", input: "Where is it?", waitMs: 0 };
    const notes = { subject: "ada", externalId: "ticket-1", metadata: { tier: "gold" } };
    const run = await tenant.call("POST", "/v1/runs", { ...fields, ...notes });
    expect(run.body).toMatchObject(notes);
    const second = await tenant.call("POST", "/v1/runs", { ...fields, externalId: "ticket-1" });
    expect(second.status).toBe(409);
    expect(second.body.detail).toContain(run.body.runId);
    for (const query of ["team=desk", "subject=ada", "externalId=ticket-1", "metadata.tier=gold"])
      await listed(tenant, `/v1/runs?${query}`, "runId", [run.body.runId]);
    for (const query of ["team=other", "subject=bob", "externalId=ticket-2", "metadata.tier=tin"])
      await listed(tenant, `/v1/runs?${query}`, "runId", []);
  });

  it("stream their events to whoever starts them", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} });
    await tenant.put("teams", "desk", team.definition);
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "It is here." });
    const started = await tenant.call(
      "POST",
      "/v1/runs",
      { team: "desk", input: "Where is it?" },
      { accept: "text/event-stream" },
    );
    expect(started.headers.get("content-type")).toContain("text/event-stream");
    expect(started.body).toContain("event: run.started");
    expect(started.body).toContain("event: run.completed");
  });
});
