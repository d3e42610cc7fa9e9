/**
 * The database is off the way: one call lies between a message and the model, the one that authenticates, and what a turn leaves
 * behind goes in one batch after its answer. What was changed counts from the very next message on.
 */
import { afterEach, expect, it, vi } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { D1Calls } from "../support/d1-calls.js";
import { eventually } from "../support/eventually.js";
import { newMemory } from "../support/memory.js";
import { rowsOf } from "../support/objects.js";
import { modelOf, newTeam, routesTo, startRun } from "../support/teams.js";

afterEach(() => vi.restoreAllMocks());

async function supervisedTenant(): Promise<TestTenant> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  await model.reply({ text: "Noted.", repeat: true });
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal data" }]);
  return tenant;
}

/** Sends a message and waits until everything that its turn left behind was delivered. */
async function say(tenant: TestTenant, session: string, content: string) {
  const turn = await tenant.say(session, content);
  await eventually(async () => {
    const [left] = await rowsOf(tenant.object(session), "SELECT COUNT(*) AS n FROM outbox");
    expect(left).toEqual({ n: 0 });
  });
  return turn;
}

it("a warm session asks the database once before the model, and once after the answer", async () => {
  const tenant = await supervisedTenant();
  const session = await tenant.session();
  const calls = new D1Calls(tenant);
  calls.taken();
  await say(tenant, session, "Hello.");
  const cold = calls.taken();
  expect(count(cold)).toEqual({ keys: 1, tenants: 1, resource_heads: 3, resource_versions: 2, batch: 1 });
  await say(tenant, session, "Hello again.");
  expect(calls.taken()).toEqual(["keys", "batch"]);
});

it("another session of the same tenant begins warm", async () => {
  const tenant = await supervisedTenant();
  await say(tenant, await tenant.session(), "Hello.");
  const other = await tenant.session();
  const calls = new D1Calls(tenant);
  await say(tenant, other, "Hello from elsewhere.");
  // Making the session put its own row.
  expect(calls.taken().filter((kind) => kind !== "batch")).toEqual(["keys"]);
});

it("a change of a supervisor, an agent or the settings counts from the very next message on, and is then known", async () => {
  const tenant = await supervisedTenant();
  const session = await tenant.session();
  expect(await say(tenant, session, "I am ada@example.org.")).toMatchObject({ status: "completed" });
  const calls = new D1Calls(tenant);

  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "block", reason: "personal data" }]);
  calls.taken();
  expect(await say(tenant, session, "I am ada@example.org.")).toMatchObject({ status: "blocked" });
  expect(count(calls.taken())).toEqual({ keys: 1, tenants: 1, resource_heads: 3, resource_versions: 1, batch: 1 });
  await say(tenant, session, "Hello.");
  expect(calls.taken()).toEqual(["keys", "batch"]);

  await tenant.rules("words", [
    { match: { type: "phrases", phrases: ["kestrel"] }, action: "block", reason: "secret" },
  ]);
  expect((await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["words"] } })).status).toBe(200);
  expect(await say(tenant, session, "Tell me of kestrel.")).toMatchObject({ status: "blocked" });
});

it("a key that was deleted is refused at once", async () => {
  const tenant = await supervisedTenant();
  const session = await tenant.session();
  const client = await tenant.withRole("client");
  await say(client, session, "Hello.");
  const [found] = (await tenant.call("GET", "/v1/keys")).body.items.filter(
    ({ role }: { role: string }) => role === "client",
  );
  expect((await tenant.call("DELETE", `/v1/keys/${found.keyId}`)).status).toBe(204);
  expect((await client.call("POST", `/v1/sessions/${session}/messages`, { content: "Hello?" })).status).toBe(401);
});

it("a message that waited behind another finds out itself what holds when its turn begins", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await tenant.rules("words", [
    { match: { type: "phrases", phrases: ["kestrel"] }, action: "block", reason: "secret" },
  ]);
  const session = await tenant.session();
  await model.reply({ text: "First.", hold: "first" }, { text: "Second." });
  const first = tenant.say(session, "One.");
  await model.until({ open: 1 });
  const second = await tenant.say(session, "Of kestrel.", { waitMs: 0 });
  await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["words"] } });
  await model.release("first");
  await first;
  expect(await tenant.turn(session, second.turnId)).toMatchObject({ status: "blocked" });
});

it("a run of a team that is known asks the database for nothing but its key and its team's state", async () => {
  const tenant = await newTenant();
  const team = newTeam({ a: {} });
  await tenant.put("teams", "helpers", team.definition);
  await team.supervisor.reply({ ...routesTo("a"), repeat: true });
  await modelOf(team, "a").reply({ text: "Done.", repeat: true });
  await startRun(tenant, "helpers", "Do it.");
  const calls = new D1Calls(tenant);
  expect(await startRun(tenant, "helpers", "Do it again.")).toMatchObject({ status: "completed" });
  const asked = calls.taken();
  expect(asked[0]).toBe("keys");
  expect(asked).not.toContain("tenants");
  expect(asked).not.toContain("resource_heads");
  expect(asked).not.toContain("resource_versions");
});

it("a write to a memory asks for its key and the memory, and not for what the tenant has stored", async () => {
  const memory = await newMemory();
  await memory.say(["Hello."]);
  const calls = new D1Calls(memory.tenant);
  await memory.say(["Hello again."]);
  const asked = calls.taken();
  expect(asked.slice(0, 2)).toEqual(["keys", "memories"]);
  expect(asked).not.toContain("tenants");
  expect(asked).not.toContain("resource_heads");
});

function count(kinds: readonly string[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const kind of kinds) counted[kind] = (counted[kind] ?? 0) + 1;
  return counted;
}
