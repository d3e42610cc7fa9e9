/**
 * The database is off the way: one call lies between a message and the model, the one that authenticates, and what a turn leaves
 * behind goes in one batch after its answer. What was changed counts from the very next message on.
 */
import { afterEach, expect, it, vi } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { D1Calls } from "../support/d1-calls.js";
import { eventually } from "../support/eventually.js";
import { mcpClient } from "../support/mcp-client.js";
import { newMemory } from "../support/memory.js";
import { rowsOf } from "../support/objects.js";
import { everybodySpeaks, goOn, newPanel, readTable, tableObject } from "../support/roundtables.js";
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
  await everythingDelivered(tenant, session);
  return turn;
}

function everythingDelivered(tenant: TestTenant, session: string): Promise<void> {
  return eventually(async () => {
    const [left] = await rowsOf(tenant.object(session), "SELECT COUNT(*) AS n FROM outbox");
    expect(left).toEqual({ n: 0 });
  });
}

it("a warm session asks the database once before the model, and once after the answer", async () => {
  const tenant = await supervisedTenant();
  const session = await tenant.session();
  await everythingDelivered(tenant, session);
  const calls = new D1Calls(tenant);
  await say(tenant, session, "Hello.");
  const cold = calls.taken();
  expect(count(cold)).toEqual({ keys: 1, tenants: 1, resource_heads: 3, resource_versions: 2, batch: 1 });
  await say(tenant, session, "Hello again.");
  expect(calls.taken()).toEqual(["keys", "batch"]);
});

it("a message over MCP asks for no more, also where its host hears the steps of a long call", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Hello." }, { text: "It took a while.", hold: "h" });
  const session = await tenant.session();
  await say(tenant, session, "Hello.");
  const client = await mcpClient(tenant.key, { pin: "2026-07-28" });
  const calls = new D1Calls(tenant);
  const steps: string[] = [];
  const onprogress = ({ message = "" }): void => void steps.push(message);
  const sent = { name: "send_message", arguments: { sessionId: session, content: "Hello again." } };
  const ended = client.callTool(sent, { onprogress });
  await expect.poll(() => steps).toContain("The assistant is at work.");
  await model.release("h");
  await ended;
  await everythingDelivered(tenant, session);
  const { awaited, batches } = split(calls.taken());
  expect(awaited).toEqual({ keys: 1 });
  // What takes longer than five seconds is listed as running meanwhile; nobody waits for that.
  expect(batches).toBeLessThanOrEqual(1 + 1);
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

it("a run of a team that is known asks for nothing but its key before its models, and leaves two batches; a change is read once", async () => {
  const tenant = await newTenant();
  const team = newTeam({ a: {} });
  await tenant.put("teams", "helpers", team.definition);
  await team.supervisor.reply({ ...routesTo("a"), repeat: true });
  await modelOf(team, "a").reply({ text: "Done.", repeat: true });
  await startRun(tenant, "helpers", "Do it.");
  const calls = new D1Calls(tenant);
  expect(await startRun(tenant, "helpers", "Do it again.")).toMatchObject({ status: "completed" });
  const { awaited, batches } = split(calls.taken());
  expect(awaited).toEqual({ keys: 1 });
  // One shows that it has begun; nobody waits for it.
  expect(batches).toBeLessThanOrEqual(1 + 2);

  await tenant.put("references", "city", { text: "Turin" });
  calls.taken();
  await startRun(tenant, "helpers", "And again.");
  expect(split(calls.taken()).awaited).toEqual({ keys: 1, tenants: 1, resource_heads: 3 });
  await startRun(tenant, "helpers", "And again.");
  expect(split(calls.taken()).awaited).toEqual({ keys: 1 });
});

it("a roundtable of a panel that is known asks for nothing but its key before its models; a change is read once", async () => {
  const tenant = await newTenant();
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal data" }]);
  const panel = newPanel(["x", "y"], { supervisors: ["privacy"] });
  await everybodySpeaks(panel, 5);
  await tenant.put("panels", "review", panel.fields);
  const begin = async () => readTable(await tenant.call("POST", "/v1/roundtables", { topic: "?", panel: "review" }));
  const table = await begin();
  const delivered = () =>
    eventually(async () => {
      const [left] = await rowsOf(tableObject(tenant, table), "SELECT COUNT(*) AS n FROM outbox");
      expect(left).toEqual({ n: 0 });
    });
  await delivered();
  const calls = new D1Calls(tenant);
  await goOn(tenant, table);
  await delivered();
  expect(split(calls.taken())).toEqual({ awaited: { keys: 1 }, batches: 2 });
  await begin();
  expect(split(calls.taken()).awaited).toEqual({ keys: 1 });

  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "block", reason: "personal data" }]);
  calls.taken();
  await goOn(tenant, table);
  const changed = { keys: 1, tenants: 1, resource_heads: 1, resource_versions: 1 };
  expect(split(calls.taken()).awaited).toEqual(changed);
});

it("a write to a memory asks for its key and the memory; what the tenant has stored is read once after a change", async () => {
  const memory = await newMemory();
  await memory.say(["Hello."]);
  const calls = new D1Calls(memory.tenant);
  await memory.say(["Hello again."]);
  expect(calls.taken().slice(0, 3)).toEqual(["keys", "memories", "memory_threads"]);
  await memory.tenant.put("references", "city", { text: "Turin" });
  calls.taken();
  await memory.say(["Hello again."]);
  expect(calls.taken().slice(0, 4)).toEqual(["keys", "memories", "tenants", "memory_threads"]);
});

/** Calls by kind, and batches apart: of what was done those are copies, which nobody waits for. */
function split(kinds: readonly string[]): { awaited: Record<string, number>; batches: number } {
  const { batch: batches = 0, ...awaited } = count(kinds);
  return { awaited, batches };
}

function count(kinds: readonly string[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const kind of kinds) counted[kind] = (counted[kind] ?? 0) + 1;
  return counted;
}
