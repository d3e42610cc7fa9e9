/**
 * Records what a version of Conclave stores: a tenant's sessions, a run and a memory thread, each in the middle of something, as
 * every table of their objects and of D1. `tools/record-state.mjs` runs this in a version's own tree; `recorded-state.test.ts`
 * goes on from it in ours.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { ChatSession } from "../../durable-objects/chat-session/object.js";
import type { MemoryThread } from "../../durable-objects/memory-thread/object.js";
import type { RoutingRun } from "../../durable-objects/routing-run/object.js";
import { newTenant, type TestTenant } from "./conclave.js";
import { eventually } from "./eventually.js";
import { addEntryReply, newMemory, numbered, putContextReply } from "./memory.js";
import { asksHuman, modelOf, newTeam, runObject, startRun } from "./teams.js";

type Stub = DurableObjectStub<ChatSession> | DurableObjectStub<RoutingRun> | DurableObjectStub<MemoryThread>;

interface Tables {
  readonly schema: readonly string[];
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, SqlStorageValue>>[]>>;
}

const schemaQuery = `SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL
  AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'entry_index_*' ORDER BY rowid`;

/** Tables whose rows are their own: not the full-text index, which triggers fill. */
function isPlain({ type, sql }: { type: string; sql: string }): boolean {
  return type === "table" && !sql.startsWith("CREATE VIRTUAL");
}

async function ofDatabase(): Promise<Tables> {
  const { results } = await env.DB.prepare(schemaQuery).all<{ name: string; type: string; sql: string }>();
  const rows: Record<string, Record<string, SqlStorageValue>[]> = {};
  for (const { name } of results.filter(isPlain)) {
    rows[name] = (await env.DB.prepare(`SELECT * FROM "${name}"`).all<Record<string, SqlStorageValue>>()).results;
  }
  return { schema: results.map(({ sql }) => sql), rows };
}

function ofObject(stub: Stub): Promise<Tables> {
  return runInDurableObject(stub, (_instance, { storage: { sql } }) => {
    const parts = sql.exec<{ name: string; type: string; sql: string }>(schemaQuery).toArray();
    const tables = parts.filter(isPlain).map(({ name }) => name);
    return {
      schema: parts.map((part) => part.sql),
      rows: Object.fromEntries(tables.map((name) => [name, sql.exec(`SELECT * FROM "${name}"`).toArray()])),
    };
  });
}

/** Paying needs an approval, which was given for the session; then it asks which city. */
async function waitingSession(tenant: TestTenant) {
  const model = await tenant.agent("assistant", {
    tools: [
      { server: "conclave", tool: "ask_human" },
      { server: "bank", tool: "pay" },
    ],
  });
  await tenant.put("tools", "pay", {
    server: "bank",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    http: { url: model.hookURL },
    approval: "session",
  });
  const sessionId = await tenant.session();
  await model.reply({ toolCalls: [{ name: "pay", arguments: { amount: 5 } }] });
  const paying = await tenant.say(sessionId, "Pay 5.");
  await model.reply({ body: "paid" }, { text: "Paid." });
  await tenant.call("POST", `/v1/asks/${paying.asks[0]?.askId}/answer`, { decision: "session" });
  expect(await tenant.turn(sessionId, paying.turnId)).toMatchObject({ status: "completed" });
  await model.reply(asksHuman("Which city?"));
  const { turnId, asks } = await tenant.say(sessionId, "Book a hotel.");
  expect(asks).toHaveLength(1);
  return { sessionId, turnId, askId: asks[0]?.askId, model: model.model };
}

/** Its turn was under way when its object died. */
async function interruptedSession(tenant: TestTenant) {
  const model = await tenant.agent("interrupted");
  await model.reply({ text: "Never said.", hold: "for ever" });
  const sessionId = await tenant.session({ agent: "interrupted" });
  const { turnId } = await tenant.say(sessionId, "Hello.", { waitMs: 0 });
  await model.until({ requests: 1 });
  return { sessionId, turnId, model: model.model };
}

async function waitingRun(tenant: TestTenant) {
  const team = newTeam({ a: {} }, { tools: ["ask_human"] });
  await team.supervisor.reply(asksHuman("Which one?"));
  const { runId, asks } = await startRun(tenant, team.definition, "Help.");
  expect(asks).toHaveLength(1);
  return { runId, askId: asks[0]?.askId, supervisor: team.supervisor.model, worker: modelOf(team, "a").model };
}

/** Six of its seven messages are in the context; the seventh is an entry. */
async function thread(tenant: TestTenant) {
  const memory = await newMemory("scripted", tenant);
  await memory.model.reply({ ...addEntryReply("Something."), repeat: 6 }, putContextReply("## Facts\n- All is well."));
  await memory.say(numbered(6));
  await memory.settled("context");
  await memory.model.reply(addEntryReply("The seventh."));
  await memory.say(numbered(1, 7));
  await memory.settled("indexed");
  return { vaultId: memory.vaultId, memoryId: memory.memoryId, model: memory.model.model, stub: memory.object() };
}

/** What came under keys: made things, done writes, and a message and a response whose idempotent tool is being called. */
async function underKeys(tenant: TestTenant) {
  const hook = await tenant.agent("shop");
  await tenant.put("tools", "charge", {
    server: "shop",
    description: "Charges.",
    parameters: { type: "object", properties: {} },
    idempotent: true,
    http: { method: "POST", url: hook.hookURL },
  });
  const tools = [{ server: "shop", tool: "charge" }];
  const model = await tenant.agent("charging", { tools });
  const call = (method: string, path: string, body: unknown) =>
    tenant.call(method, path, body, { "idempotency-key": "kept" });
  const { sessionId } = (await call("POST", "/v1/sessions", { agent: "charging" })).body;
  await model.reply({ toolCalls: [{ name: "charge", arguments: {} }] });
  await hook.reply({ body: "lost", hold: "for ever" });
  const message = { content: "Charge me.", waitMs: 0 };
  const { turnId } = (
    await tenant.call("POST", `/v1/sessions/${sessionId}/messages`, message, { "idempotency-key": "said" })
  ).body;
  await hook.until({ requests: 1, open: 1 });
  const callId = (await hook.requests())[0]?.headers["idempotency-key"] ?? "";

  const responding = await tenant.agent("responding");
  await responding.reply({ text: "Once." });
  const input = { model: "responding", input: "Hello?" };
  const response = await tenant.call("POST", "/v1/responses", input, { "idempotency-key": "response" });
  const responseSession = /ses_[0-9a-z]+/.exec(
    JSON.stringify(
      (await env.DB.prepare("SELECT id FROM creation_keys WHERE idempotency_key = 'response'").first()) ?? "",
    ),
  )?.[0];

  const memory = await newMemory("offline", tenant);
  const entry = await tenant.call(
    "POST",
    `${memory.path}/entries`,
    { rawEntry: "It is green." },
    { "idempotency-key": "entry" },
  );
  const rule = await tenant.call("PUT", "/v1/rules/r", { text: "Be kind." }, { "idempotency-key": "rule" });
  return {
    sessionId,
    turnId,
    callId,
    model: model.model,
    hook: hook.model,
    responding: responding.model,
    responseId: response.body.id,
    responseSession,
    memoryId: memory.memoryId,
    entryId: entry.body.entryId,
    ruleVersion: rule.body.version,
  };
}

it("records its state", { timeout: 60_000 }, async () => {
  const tenant = await newTenant();
  const [waiting, interrupted, run] = [
    await waitingSession(tenant),
    await interruptedSession(tenant),
    await waitingRun(tenant),
  ];
  const { stub, ...memory } = await thread(tenant);
  const keyed = await underKeys(tenant);
  await eventually(async () => {
    expect((await tenant.call("GET", "/v1/asks?status=open")).body.items).toHaveLength(2);
  });
  const { tenantId, key } = tenant;
  const recording = {
    upstreamUrl: env.TEST_UPSTREAM,
    tenantId,
    key,
    waiting,
    interrupted,
    run,
    memory,
    keyed,
    objects: {
      waiting: await ofObject(tenant.object(waiting.sessionId)),
      interrupted: await ofObject(tenant.object(interrupted.sessionId)),
      run: await ofObject(runObject(tenant, run.runId)),
      thread: await ofObject(stub),
      keyed: await ofObject(tenant.object(keyed.sessionId)),
      response: await ofObject(tenant.object(keyed.responseSession ?? "")),
    },
    database: await ofDatabase(),
  };
  console.log(`RECORDING ${JSON.stringify(recording)} END`);
});
