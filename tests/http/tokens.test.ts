import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { newSessionSchema } from "../../src/chat/session.js";
import { sha256Hex } from "../../src/platform/digest.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { newTenant, openStream, origin, send, TestTenant } from "../support/conclave.js";
import { ringAlarm } from "../support/objects.js";
import { asksHuman, newTeam } from "../support/teams.js";
import { expectProblem } from "./support.js";

const agent = { kind: "model", model: "offline", instructions: "Secret instructions." };

async function tenantWithAgent(settings = {}): Promise<TestTenant> {
  const tenant = await newTenant(settings);
  await tenant.put("agents", "assistant", { ...agent, description: "Helps." });
  return tenant;
}

/** An end user, as the application's backend lets them in. */
async function userOf(tenant: TestTenant, subject: string, fields = {}): Promise<TestTenant> {
  const answer = await tenant.call("POST", "/v1/tokens", { subject, ...fields });
  expect(answer.status).toBe(201);
  expect(answer.body.token).toMatch(/^cnt_/);
  return new TestTenant(tenant.tenantId, answer.body.token);
}

describe("a token of an end user", () => {
  it("begins sessions of its subject, and reaches those alone, however they were begun", async () => {
    const tenant = await tenantWithAgent();
    const [ada, bob] = [await userOf(tenant, "ada"), await userOf(tenant, "bob")];
    const begun = await ada.call("POST", "/v1/sessions", { agent: "assistant" });
    expect(begun).toMatchObject({ status: 201, body: { subject: "ada" } });
    const given = await tenant.session({ subject: "ada" });
    const mine = [begun.body.sessionId, given];
    const turn = await ada.say(mine[0], "hello");

    for (const sessionId of mine) {
      const path = `/v1/sessions/${sessionId}`;
      expect((await ada.call("GET", path)).status).toBe(200);
      for (const [method, below, body] of [
        ["GET", "", undefined],
        ["GET", "/messages", undefined],
        ["POST", "/messages", { content: "hello" }],
        ["GET", `/turns/${turn.turnId}`, undefined],
        ["POST", `/turns/${turn.turnId}/cancel`, undefined],
        ["GET", "/events?lingerMs=0", undefined],
      ] as const) {
        expectProblem(await bob.call(method, path + below, body), "not_found");
      }
    }
    await expect
      .poll(async () =>
        (await ada.call("GET", "/v1/sessions")).body.items.map((item: { sessionId: string }) => item.sessionId).sort(),
      )
      .toEqual([...mine].sort());
    expect((await bob.call("GET", "/v1/sessions")).body.items).toEqual([]);
    expectProblem(await ada.call("POST", "/v1/sessions", { agent: "assistant", subject: "bob" }), "forbidden");
    for (const fields of [
      { metadata: { plan: "gold" } },
      { context: { rules: ["x"] } },
      { memory: { memoryId: "mem_1" } },
    ]) {
      expectProblem(await ada.call("POST", "/v1/sessions", { agent: "assistant", ...fields }), "forbidden");
    }
  });

  it("sees, answers and cancels the asks of its subject alone", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
    const [ada, bob] = [await userOf(tenant, "ada"), await userOf(tenant, "bob")];
    const { body: session } = await ada.call("POST", "/v1/sessions", { agent: "assistant" });
    const turn = await ada.say(session.sessionId, "hello");
    const askId = turn.asks[0]?.askId ?? "";
    const path = `/v1/asks/${askId}`;
    await expect.poll(async () => (await ada.call("GET", "/v1/asks")).body.items).toMatchObject([{ askId }]);
    expect((await bob.call("GET", "/v1/asks")).body.items).toEqual([]);
    expectProblem(await bob.call("GET", path), "not_found");
    expectProblem(await bob.call("POST", `${path}/answer`, { response: "Mine." }), "not_found");
    expectProblem(await bob.call("POST", `${path}/cancel`), "not_found");
    await model.reply({ text: "Fine." });
    expect((await ada.call("POST", `${path}/answer`, { response: "The first." })).body.status).toBe("answered");
  });

  it("lists what the sessions that it reaches ask, and no run: also once a session is given its subject", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
    const sessionId = await tenant.session();
    const askId = (await tenant.say(sessionId, "hello")).asks[0]?.askId;
    const [ada, limited] = [await userOf(tenant, "ada"), await userOf(tenant, "ada", { agents: ["other"] })];
    expect((await ada.call("GET", "/v1/asks")).body.items).toEqual([]);

    const path = `/v1/sessions/${sessionId}`;
    expectProblem(await ada.call("PATCH", path, { subject: "ada" }), "forbidden");
    expect((await tenant.call("PATCH", path, { subject: "ada" })).status).toBe(200);
    const team = newTeam({ a: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Of a run?"));
    const run = { team: team.definition, input: "hello", subject: "ada" };
    const { body } = await tenant.call("POST", "/v1/runs", run);
    await expect
      .poll(async () => (await tenant.call("GET", `/v1/asks?runId=${body.runId}`)).body.items)
      .toHaveLength(1);
    await expect.poll(async () => (await ada.call("GET", "/v1/asks")).body.items).toMatchObject([{ askId }]);
    expect((await limited.call("GET", "/v1/asks")).body.items).toEqual([]);
  });

  it("gets by an externalId nothing of another subject, not even an id", async () => {
    const tenant = await tenantWithAgent();
    const taken = await tenant.session({ subject: "ada", externalId: "room-1" });
    const [ada, bob] = [await userOf(tenant, "ada"), await userOf(tenant, "bob")];
    const body = { agent: "assistant" };
    const path = "/v1/sessions/by-external-id/room-1";
    expect((await ada.call("PUT", path, body)).body).toMatchObject({ sessionId: taken });
    expectProblem(await bob.call("PUT", path, body), "not_found");
    const second = await bob.call("POST", "/v1/sessions", { ...body, externalId: "room-1" });
    expectProblem(second, "conflict");
    expect(JSON.stringify(second.body)).not.toContain(taken);
    expect((await bob.call("GET", "/v1/sessions?externalId=room-1")).body.items).toEqual([]);
  });

  it("that took an application's own id leads nobody else's messages to its subject", async () => {
    const tenant = await tenantWithAgent();
    const ada = await userOf(tenant, "ada");
    const body = { agent: "assistant" };
    const path = "/v1/sessions/by-external-id/ticket-17";
    const taken = await ada.call("POST", "/v1/sessions", { ...body, externalId: "ticket-17" });
    expect(taken.status).toBe(201);
    expectProblem(await tenant.call("PUT", path, { ...body, subject: "bob" }), "conflict");
    const begun = await tenant.call("POST", "/v1/sessions", { ...body, externalId: "ticket-17", subject: "bob" });
    expectProblem(begun, "conflict");
    expect(begun.body.detail).not.toContain(taken.body.sessionId);
    for (const own of [body, { ...body, subject: "ada" }]) {
      expect(await tenant.call("PUT", path, own)).toMatchObject({ status: 200, body: { subject: "ada" } });
    }
  });

  it("gets a session that an earlier version began, and died, again with its Idempotency-Key", async () => {
    const tenant = await tenantWithAgent();
    const ada = await userOf(tenant, "ada");
    const begin = () => ada.call("POST", "/v1/sessions", { agent: "assistant" }, { "idempotency-key": "begin-1" });
    const { sessionId } = (await begin()).body;
    const asked = { ...newSessionSchema.parse({ agent: "assistant" }), subject: "ada" };
    const { meta } = await env.DB.prepare("UPDATE creation_keys SET request_hash = ? WHERE id = ?")
      .bind(await sha256Hex(JSON.stringify(asked)), sessionId)
      .run();
    expect(meta.changes).toBe(1);
    await env.DB.prepare("DELETE FROM idempotency WHERE scope = ?").bind(tenant.tenantId).run();
    expect(await begin()).toMatchObject({ status: 201, body: { sessionId } });
  });

  it("may be for one session, or for some agents", async () => {
    const tenant = await tenantWithAgent();
    await tenant.put("agents", "other", agent);
    const [one, two] = [
      await tenant.session({ subject: "ada" }),
      await tenant.session({ subject: "ada", agent: "other" }),
    ];
    const ofOne = await userOf(tenant, "ada", { sessionId: one });
    expect((await ofOne.call("GET", `/v1/sessions/${one}`)).status).toBe(200);
    expectProblem(await ofOne.call("GET", `/v1/sessions/${two}`), "not_found");
    expectProblem(await ofOne.call("POST", "/v1/sessions", { agent: "assistant" }), "forbidden");
    const ofOther = await userOf(tenant, "ada", { agents: ["other"] });
    expect((await ofOther.call("GET", `/v1/sessions/${two}`)).status).toBe(200);
    expectProblem(await ofOther.call("GET", `/v1/sessions/${one}`), "not_found");
    expectProblem(await ofOther.call("POST", "/v1/sessions", { agent: "assistant" }), "forbidden");
    expect((await ofOther.call("GET", "/v1/agents")).body.items).toMatchObject([{ name: "other" }]);
    expectProblem(await tenant.call("POST", "/v1/tokens", { subject: "bob", sessionId: one }), "invalid");
  });

  it("counts until it expires, its subject is revoked, or the key that minted it is deleted", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const tenant = await tenantWithAgent();
    const minted = await tenant.call("POST", "/v1/keys", { role: "client" });
    const backend = new TestTenant(tenant.tenantId, minted.body.key);
    const works = async (user: TestTenant) => (await user.call("GET", "/v1/sessions")).status === 200;
    const short = await userOf(backend, "ada", { expiresInSeconds: 60 });
    expect(await works(short)).toBe(true);
    vi.setSystemTime(Date.now() + 61_000);
    expectProblem(await short.call("GET", "/v1/sessions"), "unauthorized");

    const [ada, bob] = [await userOf(backend, "ada"), await userOf(backend, "bob")];
    expect((await backend.call("POST", "/v1/subjects/ada/revoke")).status).toBe(204);
    expect([await works(ada), await works(bob)]).toEqual([false, true]);
    vi.setSystemTime(Date.now() + 1_000);
    expect(await works(await userOf(backend, "ada"))).toBe(true);

    expect((await tenant.call("DELETE", `/v1/keys/${minted.body.keyId}`)).status).toBe(204);
    expect([await works(bob), await works(backend)]).toEqual([false, false]);
    vi.useRealTimers();
  });

  it("that was changed is none", async () => {
    const tenant = await tenantWithAgent();
    const [ada, bob] = [await userOf(tenant, "ada"), await userOf(tenant, "bob")];
    const [claims, signature] = [ada.key.split(".")[0], bob.key.split(".")[1]];
    for (const token of [`${claims}.${signature}`, `${claims}.`, "cnt_", `${ada.key}x`]) {
      expectProblem(await new TestTenant("", token).call("GET", "/v1/sessions"), "unauthorized");
    }
  });
});

/** A socket to the events of a session, with the texts that it got and whether it is closed. */
async function openSocket(session: string, headers: Record<string, string>) {
  const response = await exports.default.fetch(`${origin}/v1/sessions/${session}/events`, {
    headers: { upgrade: "websocket", ...headers },
  });
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no socket: ${response.status} ${await response.text()}`);
  const seen = { texts: "", closed: false };
  socket.addEventListener("message", ({ data }) => {
    seen.texts += String(data);
  });
  socket.addEventListener("close", () => {
    seen.closed = true;
  });
  socket.accept();
  return { seen, protocol: response.headers.get("sec-websocket-protocol") };
}

const connectionsOf = (keyId: string): Promise<number | null> =>
  env.DB.prepare("SELECT COUNT(*) AS n FROM connections WHERE key_id = ?").bind(keyId).first<number>("n");

describe("what is revoked", () => {
  it("loses its sockets and its streams, and hears no further word", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    const minted = await tenant.call("POST", "/v1/keys", { role: "client" });
    const reader = new TestTenant(tenant.tenantId, minted.body.key);
    const other = await openSocket(session, { authorization: `Bearer ${tenant.key}` });
    const { seen } = await openSocket(session, { authorization: `Bearer ${reader.key}` });
    await model.reply({ text: "Nothing for strangers.", hold: "reply" });
    const stream = await openStream(reader, session);
    await stream.until((events) => events.some(({ event }) => event === "turn.started"));
    await expect.poll(() => seen.texts).toContain("turn.started");

    expect((await tenant.call("DELETE", `/v1/keys/${minted.body.keyId}`)).status).toBe(204);
    await expect.poll(() => seen.closed).toBe(true);
    // It ends, though the turn has not.
    const read = await stream.until(() => false);
    await model.release("reply");
    await expect.poll(() => other.seen.texts).toContain("turn.completed");
    for (const texts of [read, seen.texts]) expect(texts).not.toMatch(/strangers|turn\.completed/);
  });

  it.each([
    ["later", async (keyId: string) => expect.poll(() => connectionsOf(keyId)).toBe(1)],
    // Its reader isn't noted yet.
    ["at once", async () => undefined],
  ])("%s loses the stream of its own message", async (_when, untilThen) => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    const { key, keyId } = (await tenant.call("POST", "/v1/keys", { role: "client" })).body;
    await model.reply({ text: "Nothing for strangers.", hold: "reply" });
    const stream = await openStream(new TestTenant(tenant.tenantId, key), session);
    await stream.until((events) => events.some(({ event }) => event === "turn.started"));
    await untilThen(keyId);
    expect((await tenant.call("DELETE", `/v1/keys/${keyId}`)).status).toBe(204);
    // It ends, though the turn has not.
    const read = await stream.until(() => false);
    await model.release("reply");
    expect(read).not.toMatch(/strangers|turn\.completed/);
  });

  it("is a socket too whose token expires, though nothing happens that it would be told", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const tenant = await tenantWithAgent();
    const session = await tenant.session({ subject: "ada" });
    const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "ada", expiresInSeconds: 60 })).body;
    const { seen } = await openSocket(session, { "sec-websocket-protocol": `conclave, ${token}` });
    const other = await openSocket(session, { authorization: `Bearer ${tenant.key}` });
    expect(await ringAlarm(tenant.object(session), 30_000)).toBe(true);
    expect(seen.closed).toBe(false);
    expect(await ringAlarm(tenant.object(session), 31_000)).toBe(true);
    await expect.poll(() => [seen.closed, other.seen.closed]).toEqual([true, false]);
    vi.useRealTimers();
  });

  it("is every socket of a session that is deleted", async () => {
    const tenant = await tenantWithAgent();
    const session = await tenant.session();
    const { seen } = await openSocket(session, { authorization: `Bearer ${tenant.key}` });
    expect((await tenant.call("DELETE", `/v1/sessions/${session}`)).status).toBe(204);
    await expect.poll(() => seen.closed).toBe(true);
  });

  it("as a subject loses them too; other subjects keep theirs", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const sockets: Awaited<ReturnType<typeof openSocket>>[] = [];
    for (const subject of ["ada", "bob"]) {
      const user = await userOf(tenant, subject);
      const { body } = await user.call("POST", "/v1/sessions", { agent: "assistant" });
      sockets.push(await openSocket(body.sessionId, { "sec-websocket-protocol": `conclave, ${user.key}` }));
    }
    expect(sockets.map(({ protocol }) => protocol)).toEqual(["conclave", "conclave"]);
    await tenant.call("POST", "/v1/subjects/ada/revoke");
    await expect.poll(() => sockets.map(({ seen }) => seen.closed)).toEqual([true, false]);
  });
});

describe("a browser", () => {
  const page = "https://tokens-page.example";
  const preflight = (from: string) =>
    send("OPTIONS", "/v1/sessions", { headers: { origin: from, "access-control-request-method": "POST" } });

  it("may call from the origins that the caller's tenant lists, and reads no other tenant's answers", async () => {
    const listing = await tenantWithAgent({ corsOrigins: [page] });
    const silent = await tenantWithAgent();
    const allowed = await preflight(page);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(page);
    expect(allowed.headers.get("access-control-allow-headers")).toContain("authorization");
    // Without a key nobody is told whose pages may call: each origin is answered alike.
    const other = await preflight("https://evil.example");
    expect(other.headers.get("access-control-allow-origin")).toBe("https://evil.example");
    const originFor = async (tenant: TestTenant) =>
      (await tenant.call("GET", "/v1/sessions", undefined, { origin: page })).headers.get(
        "access-control-allow-origin",
      );
    expect([await originFor(listing), await originFor(silent)]).toEqual([page, null]);
    // That its token has expired is something a page has to be able to read.
    expect(await originFor(new TestTenant("", "cnt_x.y"))).toBe(page);
    await listing.call("PATCH", "/v1/tenant", { settings: { corsOrigins: [] } });
    expect(await originFor(listing)).toBeNull();
  });

  it("is told to guess no types, to keep nothing, and that answers differ by origin", async () => {
    const tenant = await tenantWithAgent();
    for (const [path, status] of [
      ["/v1/sessions", 200],
      ["/v1/nothing", 404],
      ["/v1/sessions/ses_x", 404],
    ] as const) {
      const answer = await tenant.call("GET", path);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("vary")).toContain("Origin");
    }
    expect((await send("GET", "/health")).headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("a tenant's admin", () => {
  it("changes its settings and keys, and not its last key of role admin", async () => {
    const tenant = await tenantWithAgent();
    const changed = await tenant.call("PATCH", "/v1/tenant", {
      settings: { strict: true, clientMay: ["deleteSession"] },
    });
    expect(changed.body).toMatchObject({ tenantId: tenant.tenantId, settings: { strict: true } });
    expectProblem(await tenant.call("PATCH", "/v1/tenant", { settings: { clientMay: ["putResource"] } }), "invalid");
    const client = await tenant.withRole("client");
    expect((await client.call("DELETE", `/v1/sessions/${await tenant.session()}`)).status).toBe(204);
    const { items } = (await tenant.call("GET", "/v1/keys")).body;
    const own = items.find(({ role }: { role: string }) => role === "admin");
    expectProblem(await tenant.call("DELETE", `/v1/keys/${own.keyId}`), "conflict");
    const second = await tenant.withRole("admin");
    expect((await second.call("DELETE", `/v1/keys/${own.keyId}`)).status).toBe(204);
    expectProblem(await tenant.call("GET", "/v1/tenant"), "unauthorized");
  });
});

describe("usage", () => {
  it("counts each turn and run once, by agent, model, day, subject and key, however often it is delivered", async () => {
    const tenant = await tenantWithAgent();
    await tenant.put("teams", "support", {
      supervisor: { strategy: "round-robin" },
      workers: [{ id: "a", description: "x", model: "offline" }],
    });
    const ada = await userOf(tenant, "ada");
    const { body: session } = await ada.call("POST", "/v1/sessions", { agent: "assistant" });
    const turn = await ada.say(session.sessionId, "hello");
    await tenant.call("POST", "/v1/runs", { team: "support", input: "hello" });
    const lines = async (groupBy: string) => (await tenant.call("GET", `/v1/usage?groupBy=${groupBy}`)).body.items;
    await expect.poll(async () => (await lines("day"))[0]).toMatchObject({ turns: 1, runs: 1 });

    expect(await lines("agent")).toMatchObject([
      { group: "assistant", turns: 1, runs: 0, ...turn.usage },
      { group: "support", turns: 0, runs: 1, modelCalls: 1 },
    ]);
    expect(await lines("model")).toMatchObject([{ group: "offline", turns: 1, runs: 1, modelCalls: 2 }]);
    expect(await lines("subject")).toMatchObject([
      { group: "", runs: 1 },
      { group: "ada", turns: 1 },
    ]);
    expect(await lines("key")).toMatchObject([{ group: expect.stringMatching(/^key_/), turns: 1, runs: 1 }]);
    const payload = { work: turn.turnId, kind: "turn", agent: "assistant", models: [], at: Date.now() };
    const message = {
      id: 99,
      topic: "usage",
      payload: JSON.stringify({ ...payload, models: [{ ...turn.usage, modelCalls: 1, model: "offline" }] }),
    };
    await deliverToD1(env.DB, { tenantId: tenant.tenantId, ownerId: session.sessionId, messages: [message] });
    expect(await lines("agent")).toMatchObject([{ group: "assistant", turns: 1, ...turn.usage }, {}]);
    const past = "from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z";
    expect((await tenant.call("GET", `/v1/usage?${past}`)).body.items).toEqual([]);
  });
});

describe("a client", () => {
  it("sees what agents and supervisors are called and are for, and nothing of what they are told", async () => {
    const tenant = await tenantWithAgent();
    await tenant.put("rules", "tone", { text: "Be terse about the merger." });
    const client = await tenant.withRole("client");
    const one = await client.call("GET", "/v1/agents/assistant");
    expect(one.body).toEqual({ name: "assistant", version: 1, updatedAt: expect.any(String), description: "Helps." });
    expect(JSON.stringify((await client.call("GET", "/v1/agents")).body)).not.toContain("Secret instructions");
    for (const path of ["/v1/rules", "/v1/rules/tone", "/v1/tools", "/v1/references", "/v1/prompts"]) {
      expectProblem(await client.call("GET", path), "forbidden");
    }
  });

  it("sends no team along, and gives a session no context of its own", async () => {
    const tenant = await tenantWithAgent();
    await tenant.put("rules", "tone", { text: "x" });
    const client = await tenant.withRole("client");
    const team = {
      supervisor: { strategy: "round-robin" },
      workers: [{ id: "a", description: "x", model: "offline" }],
    };
    expectProblem(await client.call("POST", "/v1/runs", { team, input: "x" }), "forbidden");
    expectProblem(
      await client.call("POST", "/v1/sessions", { agent: "assistant", context: { rules: ["tone"] } }),
      "forbidden",
    );
  });

  it("has Idempotency-Keys of its own", async () => {
    const tenant = await tenantWithAgent();
    const [a, b] = [await tenant.withRole("client"), await tenant.withRole("client")];
    const session = await tenant.session();
    const begin = (by: TestTenant) =>
      by.call("POST", "/v1/sessions", { agent: "assistant" }, { "idempotency-key": "k" });
    const [first, second, again] = [await begin(a), await begin(b), await begin(a)];
    expect(second.body.sessionId).not.toBe(first.body.sessionId);
    expect(again.body.sessionId).toBe(first.body.sessionId);
    const say = (by: TestTenant, content: string) => by.say(session, content, {}, { "idempotency-key": "k" });
    expect((await say(a, "hello")).turnId).not.toBe((await say(b, "good day")).turnId);
  });
});
