import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type RemovalPorts, removeSession, removeTenant } from "../../src/application/removal.js";
import { composeServices } from "../../src/composition/services.js";
import { deleteMemoriesBeside } from "../support/broken-database.js";
import { type Answer, newTenant, send, type TestTenant } from "../support/conclave.js";
import { newMemory, numbered } from "../support/memory.js";
import { asksHuman, newTeam, runObject, startRun } from "../support/teams.js";
import { expectProblem } from "./support.js";

/** The answers that are kept for somebody and hold something: what they say, by their path. */
async function kept(scope: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT about FROM idempotency WHERE scope = ? AND sealed_answer <> '' ORDER BY about",
  )
    .bind(scope)
    .all<{ about: string }>();
  return results.map(({ about }) => about.trim());
}

function keyed(tenant: TestTenant, method: string, path: string, body?: unknown, key = `${method} ${path}`) {
  return tenant.call(method, path, body, { "idempotency-key": key.replaceAll(" ", "-") });
}

function expectForgotten(answer: Answer): void {
  expectProblem(answer, "conflict");
  expect(answer.body.detail).toContain("has been deleted since");
  expect(answer.headers.get("retry-after")).toBeNull();
}

describe("the kept answers to writes with an Idempotency-Key", () => {
  it("go with the session that they are about: its making, its context, its turns, its asks", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await model.reply(asksHuman("Which?"), { text: "That." });
    const create = () => keyed(tenant, "POST", "/v1/sessions", { agent: "assistant" });
    const { sessionId } = (await create()).body;
    const other = (await keyed(tenant, "POST", "/v1/sessions", { agent: "assistant" }, "other")).body.sessionId;
    const path = `/v1/sessions/${sessionId}`;
    const change = () => keyed(tenant, "POST", `${path}/context`, { remove: { tools: [{ server: "a", tool: "b" }] } });
    await change();
    const turn = await tenant.say(sessionId, "help");
    const answerAsk = () =>
      keyed(tenant, "POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { response: "the secret one" });
    await answerAsk();
    await tenant.turn(sessionId, turn.turnId);
    await keyed(tenant, "POST", `${path}/turns/${turn.turnId}/cancel`);
    expect(await kept(tenant.tenantId)).toHaveLength(5);

    const remove = () => keyed(tenant, "DELETE", path);
    expect((await remove()).status).toBe(204);
    expect(await kept(tenant.tenantId)).toEqual([path, `/v1/sessions /v1/sessions/${other}`].sort());
    // What was done isn't done again, and what it said isn't told.
    expectForgotten(await create());
    expectForgotten(await change());
    expectForgotten(await answerAsk());
    expect((await remove()).status).toBe(204);
    expect((await tenant.call("GET", `/v1/sessions/${other}`)).status).toBe(200);
  });

  it("of a request that was under way at the deletion isn't kept either", async () => {
    const tenant = await newTenant();
    const { answers } = composeServices(env);
    const request = { scope: tenant.tenantId, key: "k", hash: "h", path: "/v1/sessions/ses_1/context" };
    expect(await answers.claim(request)).toEqual({ kind: "new" });
    expect(await answers.claim(request)).toEqual({ kind: "begun" });
    await answers.forget(tenant.tenantId, "ses_1");
    expect(await answers.claim(request)).toEqual({ kind: "begun" });
    await answers.keep(request, { status: 200, body: "the secret one", headers: {} });
    expect(await answers.claim(request)).toEqual({ kind: "forgotten" });
  });

  it("go with an entry of a memory, if they may have shown it, and with the memory and its vault", async () => {
    const memory = await newMemory();
    const { tenant, path, vaultId, memoryId } = memory;
    await memory.say(numbered(6));
    await memory.settled("context");
    const write = (key?: string) => keyed(tenant, "PUT", `${path}/context`, { document: "## Facts\n- Six." }, key);
    const restore = () => keyed(tenant, "POST", `${path}/contexts/1/restore`);
    expect([(await write()).status, (await restore()).status]).toEqual([200, 200]);
    const another = keyed(tenant, "POST", `/v1/vaults/${vaultId}/memories`, { title: "Another" });
    const { memoryId: anotherId } = (await another).body;
    expect(await kept(tenant.tenantId)).toHaveLength(3);

    const [entry] = await memory.entries();
    await tenant.call("DELETE", `${path}/entries/${entry?.entryId}`);
    expectForgotten(await write());
    expectForgotten(await restore());
    const made = `/v1/vaults/${vaultId}/memories /v1/memories/${anotherId}`;
    expect(await kept(tenant.tenantId)).toEqual([made]);

    await write("again");
    expect(await kept(tenant.tenantId)).toEqual([`/v1/memories/${memoryId}/context`, made].sort());
    await tenant.call("DELETE", `/v1/vaults/${vaultId}`);
    expect(await kept(tenant.tenantId)).toEqual([]);
  });

  it("go with the tenant: its own, and the admin's, which held its key", async () => {
    const admin = (method: string, path: string, body?: unknown) =>
      send(method, path, { key: env.ADMIN_SECRET, body, headers: { "idempotency-key": crypto.randomUUID() } });
    const made = await admin("POST", "/v1/admin/tenants", { name: "short-lived", database: 0 });
    expect(made.headers.get("location")).toMatch(/^\/v1\/admin\/tenants\/ten_/);
    const { tenantId } = await made.json<{ tenantId: string }>();
    await admin("POST", `/v1/admin/tenants/${tenantId}/keys`, { role: "client" });
    const about = async () => (await kept("admin")).filter((path) => path.includes(tenantId));
    expect(await about()).toHaveLength(2);
    expect((await admin("DELETE", `/v1/admin/tenants/${tenantId}`)).status).toBe(204);
    // The deletion's own, which says nothing.
    expect(await about()).toEqual([`/v1/admin/tenants/${tenantId}`]);
    expect(await kept(tenantId)).toEqual([]);
  });
});

/** What a deletion goes through, apart from what a test has happen on the way. */
function removal(instead: Partial<RemovalPorts>): RemovalPorts {
  return { ...composeServices(env), ...instead };
}

/** As when the instance dies just there. */
const interrupted = async (): Promise<never> => {
  throw new Error("interrupted");
};

describe("a deleted session", () => {
  it("is gone from the lists too when its deletion was interrupted and is repeated", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const { sessionId } = (await keyed(tenant, "POST", "/v1/sessions", { agent: "assistant" })).body;
    const listed = async () => (await tenant.call("GET", "/v1/sessions")).body.items;
    await expect.poll(listed).toHaveLength(1);

    const { answers } = composeServices(env);
    const dying = removal({ answers: { forget: interrupted, forgetAll: () => answers.forgetAll(tenant.tenantId) } });
    await expect(removeSession(tenant.tenantId, sessionId, dying)).rejects.toThrow("interrupted");
    expect((await tenant.call("DELETE", `/v1/sessions/${sessionId}`)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect(await kept(tenant.tenantId)).toEqual([]);
    expect((await tenant.call("DELETE", `/v1/sessions/${sessionId}`)).status).toBe(404);
  });

  it("that isn't there takes nothing along", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    await keyed(tenant, "POST", "/v1/sessions", { agent: "assistant" });
    expect((await tenant.call("DELETE", "/v1/sessions/ses")).status).toBe(404);
    expect(await kept(tenant.tenantId)).toHaveLength(1);
  });
});

describe("a deleted tenant", () => {
  it("makes nothing new while it is being deleted: its keys go first", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const { index } = composeServices(env);
    const meanwhile: number[] = [];
    const sessions: RemovalPorts["index"]["sessions"] = async (...page) => {
      const found = await index.sessions(...page);
      meanwhile.push((await tenant.call("POST", "/v1/sessions", { agent: "assistant" })).status);
      return found;
    };
    const forget: RemovalPorts["index"]["forget"] = (...session) => index.forget(...session);
    const knows: RemovalPorts["index"]["knows"] = (...session) => index.knows(...session);
    await removeTenant(tenant.tenantId, removal({ index: { sessions, forget, knows } }));
    expect(meanwhile).toEqual([401]);
  });

  it("is gone with what was kept for it when its deletion was interrupted and is repeated", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    await keyed(tenant, "POST", "/v1/sessions", { agent: "assistant" });
    const dying = removal({ answers: { forget: interrupted, forgetAll: interrupted } });
    await expect(removeTenant(tenant.tenantId, dying)).rejects.toThrow("interrupted");
    const deleted = await send("DELETE", `/v1/admin/tenants/${tenant.tenantId}`, { key: env.ADMIN_SECRET });
    expect(deleted.status).toBe(204);
    expect(await kept(tenant.tenantId)).toEqual([]);
  });

  it("leaves nothing in its objects: sessions and runs, those that wait included", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    await tenant.say(session, "hello");
    const team = newTeam({ a: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which?"));
    const run = await startRun(tenant, team.definition, "Help.");
    await expect
      .poll(async () => (await tenant.call("GET", "/v1/runs")).body.items)
      .toMatchObject([{ runId: run.runId, status: "waiting" }]);
    await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);

    const deleted = await send("DELETE", `/v1/admin/tenants/${tenant.tenantId}`, { key: env.ADMIN_SECRET });
    expect(deleted.status).toBe(204);
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'run', 'events')";
    for (const object of [tenant.object(session), runObject(tenant, run.runId)]) {
      const left = await runInDurableObject(object, async (_, { storage }) => ({
        tables: storage.sql.exec(tables).toArray(),
        alarm: await storage.getAlarm(),
      }));
      expect(left).toEqual({ tables: [], alarm: null });
    }
  });
});

describe("a thread or an entry that is deleted while its memory is", () => {
  it.each(["thread", "entry"])("is none: the %s is a 404, and no fault", async (what) => {
    const memory = await newMemory("offline");
    await memory.say(["My parrot is called Kiwi.", "My cat is called Tom."], "one");
    await memory.settled("indexed", "one");
    const [entry] = await memory.entries();
    const path = what === "thread" ? "/threads/one" : `/entries/${entry?.entryId}`;
    const mend = await deleteMemoriesBeside(memory.tenant.tenantId);
    const answer = await memory.tenant.call("DELETE", memory.path + path);
    await mend();
    expectProblem(answer, "not_found");
    expectProblem(await memory.tenant.call("GET", memory.path), "not_found");
  });
});
