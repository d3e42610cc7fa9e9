/**
 * A tenant's jurisdiction holds for every object it has, by whatever path one is reached: the same name outside of it is another
 * object. It is set before the first of them is asked for, and never after.
 */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { expectProblem } from "../http/support.js";
import { connect, platforms } from "../support/chat-platforms.js";
import { newTenant, send } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";
import { everybodySpeaks, goOn, newPanel, startTable } from "../support/roundtables.js";
import { asksHuman, modelOf, newTeam, routesTo, startRun } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

afterEach(() => vi.restoreAllMocks());

/** The names of all objects that are asked for. */
function namesOfObjects(): string[] {
  const names: string[] = [];
  const namespaces = Object.getPrototypeOf(env.CHAT_SESSION);
  const { getByName } = namespaces;
  vi.spyOn(namespaces, "getByName").mockImplementation(function (this: unknown, ...rest: unknown[]) {
    names.push(String(rest[0]));
    return getByName.apply(this, rest);
  });
  return names;
}

it("every path to an object goes into the jurisdiction: requests, outboxes, queues, chats, webhooks, deletions", async () => {
  const tenant = await newTenant({ jurisdiction: "eu" });
  const { tenantId } = tenant;
  expect((await tenant.call("GET", "/v1/tenant")).body.settings.jurisdiction).toBe("eu");
  const names = namesOfObjects();
  const hook = upstreamFor(env.TEST_UPSTREAM);
  await hook.reply({ status: 204, body: "", repeat: true });
  await tenant.call("PUT", "/v1/webhooks/crm", { url: hook.hookURL, events: ["turn.completed"] });

  // A session with a memory, a question and a stream.
  const memory = await newMemory("offline", tenant);
  const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply(asksHuman("Which?"), { text: "That one.", repeat: true });
  const session = await tenant.session({ memory: { memoryId: memory.memoryId, threadId: "talk" } });
  const waiting = await tenant.say(session, "Help.");
  expect(
    (await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { response: "The red one" })).status,
  ).toBe(200);
  expect(await tenant.turn(session, waiting.turnId)).toMatchObject({ status: "completed" });
  await tenant.stream(session, "And now?");
  await memory.settled("indexed", "talk");
  await expect.poll(async () => (await hook.requests()).length).toBeGreaterThan(0);

  // A run, a roundtable and a chat.
  const team = newTeam({ a: {} });
  await tenant.put("teams", "helpers", team.definition);
  await team.supervisor.reply({ ...routesTo("a"), repeat: true });
  await modelOf(team, "a").reply({ text: "Done.", repeat: true });
  expect(await startRun(tenant, "helpers", "Do it.")).toMatchObject({ status: "completed" });
  const panel = newPanel(["x", "y"]);
  await everybodySpeaks(panel, 2);
  await goOn(tenant, await startTable(tenant, panel));
  const chat = await connect(tenant, platforms.generic);
  await chat.say(1, "Hello");
  await expect.poll(() => chat.texts()).toEqual(["That one."]);

  // Gone with everything.
  expect((await tenant.call("DELETE", `/v1/sessions/${session}`)).status).toBe(204);
  expect((await tenant.call("DELETE", `${memory.path}/threads/talk`)).status).toBe(204);
  expect((await tenant.call("DELETE", "/v1/channels/generic")).status).toBe(204);
  const removed = await send("DELETE", `/v1/admin/tenants/${tenantId}`, { key: env.ADMIN_SECRET });
  expect(removed.status).toBe(204);

  const own = names.filter((name) => name.includes(tenantId));
  // The tenant's own is its budget.
  const budget = `jurisdiction:eu/${tenantId}`;
  expect(own).toContain(budget);
  expect(own.filter((name) => name !== budget && !name.startsWith(`${budget}/`))).toEqual([]);
  const kinds = new Set(
    // Its limits are counted in shards, too.
    own
      .filter((name) => name !== budget && !name.startsWith(`${budget}/shard-`))
      .map((name) => /^jurisdiction:eu\/[^/]+\/([a-z]+)_/.exec(name)?.[1]),
  );
  expect([...kinds].sort()).toEqual(["chn", "mem", "rt", "run", "ses"]);
});

it("is set by an admin as long as the tenant has no objects; then a change is a 409 that says why, and changes nothing", async () => {
  const tenant = await newTenant();
  const set = (jurisdiction: string | null, more: object = {}) =>
    tenant.call("PATCH", "/v1/tenant", { settings: { jurisdiction, ...more } });
  expectProblem(await (await tenant.withRole("operator")).call("PATCH", "/v1/tenant", { settings: {} }), "forbidden");
  expectProblem(await set("mars"), "invalid");
  expect((await set("us")).body.settings.jurisdiction).toBe("us");
  expect((await set(null)).body.settings.jurisdiction).toBeUndefined();
  expect((await set("eu")).status).toBe(200);
  // Another setting, or the deployment's own route, doesn't take it away.
  expect((await tenant.call("PATCH", "/v1/tenant", { settings: { strict: false } })).body.settings.jurisdiction).toBe(
    "eu",
  );
  await tenant.agent("assistant");
  await tenant.session();

  const refused = await set("us", { strict: true });
  expectProblem(refused, "conflict");
  expect(refused.body.detail).toContain("its jurisdiction stays");
  expectProblem(await set(null), "conflict");
  const now = (await tenant.call("GET", "/v1/tenant")).body.settings;
  expect(now).toMatchObject({ jurisdiction: "eu", strict: false });
  expect((await set("eu", { strict: true })).body.settings).toMatchObject({ jurisdiction: "eu", strict: true });
  const admin = { key: env.ADMIN_SECRET, body: { settings: { jurisdiction: "us" } } };
  expect((await send("PATCH", `/v1/admin/tenants/${tenant.tenantId}`, admin)).status).toBe(409);
});

it("a tenant whose objects an earlier version made keeps having none", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  await tenant.session();
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items.length).toBe(1);
  await env.DB.prepare("UPDATE tenants SET placed = 0 WHERE tenant_id = ?").bind(tenant.tenantId).run();
  expectProblem(await tenant.call("PATCH", "/v1/tenant", { settings: { jurisdiction: "eu" } }), "conflict");
});

it("a change of the jurisdiction and a first object at once: either is first, and the objects are where the tenant says", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const names = namesOfObjects();
  const [changed] = await Promise.all([
    tenant.call("PATCH", "/v1/tenant", { settings: { jurisdiction: "eu" } }),
    tenant.session(),
    tenant.session(),
  ]);
  const { jurisdiction } = (await tenant.call("GET", "/v1/tenant")).body.settings;
  expect(jurisdiction).toBe(changed.status === 200 ? "eu" : undefined);
  const prefix = jurisdiction === undefined ? "" : "jurisdiction:eu/";
  const own = names.filter((name) => name.includes(tenant.tenantId));
  expect(own.length).toBeGreaterThan(1);
  expect(own.filter((name) => !name.startsWith(`${prefix}${tenant.tenantId}/`))).toEqual([]);
});
