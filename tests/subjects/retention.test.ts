/** What tenants keep for a time only goes when that is over, kind by kind: by jobs of the queue, with the clock that the schedule gives. */
import { env } from "cloudflare:workers";
import { decodeTime } from "ulid";
import { afterEach, expect, it, vi } from "vitest";
import { applyRetention, scheduleRetention } from "../../src/application/system/apply-retention.js";
import { runMaintenance } from "../../src/application/system/run-maintenance.js";
import { openAsk } from "../../src/asks/ask.js";
import { composeServices } from "../../src/composition/services.js";
import { refuse } from "../../src/conversation/problem.js";
import { newAskId } from "../../src/platform/ids.js";
import { consumeJobs } from "../../src/queue/job-consumer.js";
import { AuditArchive } from "../../src/stores/archive/audit-archive.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { mostOfNight, RetentionStore } from "../../src/stores/retention-store.js";
import { deploymentActor } from "../../src/tenancy/actor.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { recordedDb } from "../support/recorded-db.js";
import { newTeam, routesTo, startRun } from "../support/teams.js";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const daysLater = (days: number): number => Date.now() + days * dayMs;
const services = composeServices(env);

afterEach(() => vi.restoreAllMocks());

const countOf = async (tenant: TestTenant, table: string, where = "TRUE"): Promise<number> =>
  Number(
    await env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE tenant_id = ? AND ${where}`)
      .bind(tenant.tenantId)
      .first("n"),
  );

async function pass(tenant: TestTenant, days: number): Promise<void> {
  while (await applyRetention(tenant.tenantId, daysLater(days), services));
}

it("sessions and memories go, and nothing that a hold names", async () => {
  const tenant = await newTenant({ retention: { sessions: 30, memories: 60 } });
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  const [ana, ben] = [await tenant.session({ subject: "ana" }), await tenant.session({ subject: "ben" })];
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "V" })).body;
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, { title: "M", model: "offline" }))
    .body;
  for (const session of [ana, ben]) await tenant.say(session, "Hello.");
  const listed = async () =>
    (await tenant.call("GET", "/v1/sessions?status=idle")).body.items.map(
      (one: { sessionId: string }) => one.sessionId,
    );
  await expect.poll(listed).toHaveLength(2);
  await tenant.call("PUT", "/v1/holds/case", { subjects: ["ana"], reason: "A dispute." });

  await pass(tenant, 29);
  expect(await listed()).toHaveLength(2);
  await pass(tenant, 31);
  expect(await listed()).toEqual([ana]);
  expect((await tenant.call("GET", `/v1/sessions/${ben}`)).status).toBe(404);
  expect((await tenant.call("GET", `/v1/memories/${memoryId}`)).status).toBe(200);
  // Ids never go back: where another test was in the future, this memory's is of then.
  const made = Math.max(Date.now(), decodeTime(memoryId.slice(-26).toUpperCase()));
  await applyRetention(tenant.tenantId, made + 61 * dayMs, services);
  expect((await tenant.call("GET", `/v1/memories/${memoryId}`)).status).toBe(404);

  // The setting counts for what is there already, from the next run on.
  await tenant.call("DELETE", "/v1/holds/case");
  await tenant.call("PATCH", "/v1/tenant", { settings: { retention: { sessions: 400 } } });
  await pass(tenant, 100);
  expect(await listed()).toEqual([ana]);
  await pass(tenant, 401);
  expect(await listed()).toEqual([]);
});

it("replays go with the sessions of their time, and datasets that somebody made stay", async () => {
  const tenant = await newTenant({ retention: { sessions: 30 } });
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  const session = await tenant.session();
  await tenant.say(session, "Hello.");
  await tenant.call("PUT", "/v1/datasets/kept", {});
  const candidates = [{ name: "now", agent: "assistant" }];
  const replay = { candidates, maxTokens: 1_000_000 };
  const { evalId, dataset } = (await tenant.call("POST", `/v1/sessions/${session}/replay`, replay)).body;
  await eventually(async () => expect((await tenant.call("GET", `/v1/evals/${evalId}`)).body.status).toBe("completed"));
  const names = async () =>
    (await env.DB.prepare("SELECT name FROM datasets WHERE tenant_id = ? ORDER BY name").bind(tenant.tenantId).all())
      .results;
  await eventually(async () => expect(await names()).toEqual([{ name: "kept" }, { name: dataset }]));
  const made = Math.max(Date.now(), decodeTime(dataset.slice(-26).toUpperCase()));
  await applyRetention(tenant.tenantId, made + 29 * dayMs, services);
  expect(await names()).toHaveLength(2);
  await applyRetention(tenant.tenantId, made + 31 * dayMs, services);
  expect(await names()).toEqual([{ name: "kept" }]);
  expect((await tenant.call("GET", `/v1/evals/${evalId}`)).status).toBe(404);
});

it("a page of which nothing can go isn't followed by the same one", async () => {
  const tenant = await newTenant({ retention: { memories: 60 } });
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "V" })).body;
  await env.DB.prepare(
    `INSERT INTO memories (tenant_id, memory_id, vault_id, body, created_at)
     SELECT ?1, 'mem_0' || value, ?2, '{}', 0 FROM json_each(?3)`,
  )
    .bind(tenant.tenantId, vaultId, JSON.stringify(Array.from({ length: 100 }, (_, at) => at)))
    .run();
  vi.spyOn(services.memory, "memory").mockResolvedValue(refuse("not_found", "It goes already."));
  expect(await applyRetention(tenant.tenantId, Date.now(), services)).toBe(false);
  expect(await countOf(tenant, "memories")).toBe(100);
});

it("runs and roundtables go with their objects, and closed asks from the inbox", async () => {
  const tenant = await newTenant({ retention: { runs: 10, roundtables: 20, asks: 5 } });
  const team = newTeam({ clerk: {} });
  await team.supervisor.reply(routesTo("clerk"));
  await team.workers.clerk?.reply({ text: "Noted." });
  const { runId } = await startRun(tenant, team.definition, "Note it.", {});
  const seats = ["a", "b"].map((id) => ({ id, name: id, model: "offline" }));
  const { body: table } = await tenant.call("POST", "/v1/roundtables", { topic: "Tea?", seats, rounds: 1 });
  const roundtable = `/v1/roundtables/${table.sessionId}`;
  await eventually(async () => {
    expect(await countOf(tenant, "runs", "status = 'completed'")).toBe(1);
    expect(await countOf(tenant, "roundtables", "status <> 'in_progress'")).toBe(1);
  });
  const request = { kind: "review", question: "?", audience: "staff", source: {} } as const;
  const answer = { status: "answered", answer: { decision: "accept" }, closedAt: new Date().toISOString() } as const;
  const own = "owner_id = 'ses_gone'";
  let made = Date.now();
  for (const [id, more] of [{}, answer].entries()) {
    const ask = { ...openAsk(newAskId("ses_gone"), request, {}, Date.now()), ...more };
    made = Math.max(made, decodeTime(ask.askId.slice(4, 30).toUpperCase()));
    const messages = [{ id: id + 1, topic: "ask", payload: JSON.stringify(ask) }];
    await deliverToD1(env.DB, { tenantId: tenant.tenantId, ownerId: "ses_gone", messages });
  }
  await pass(tenant, 4);
  expect(await countOf(tenant, "asks", own)).toBe(2);
  // Ids never go back: where another test was in the future, these are of then.
  while (await applyRetention(tenant.tenantId, made + 6 * dayMs, services));
  expect(await countOf(tenant, "asks", own)).toBe(1);
  expect(await countOf(tenant, "asks", `${own} AND status = 'open'`)).toBe(1);
  expect((await tenant.call("GET", `/v1/runs/${runId}`)).status).toBe(200);
  await pass(tenant, 10_000);
  expect((await tenant.call("GET", `/v1/runs/${runId}`)).status).toBe(404);
  expect((await tenant.call("GET", roundtable)).status).toBe(404);
});

it("everything stays where nothing is said, and the audit for half a year unless less is chosen on purpose", async () => {
  const tenant = await newTenant();
  const change = (retention: object) => tenant.call("PATCH", "/v1/tenant", { settings: { retention } });
  expect(await change({ audit: 90 })).toMatchObject({ status: 422 });
  expect(await change({ audit: 90, shortAudit: true })).toMatchObject({ status: 200 });
  expect(await change({ audit: 183 })).toMatchObject({
    status: 200,
    body: { settings: { retention: { audit: 183 } } },
  });
  const rows = async () => (await tenant.call("GET", "/v1/audit?format=json")).body.items.length;
  const before = await rows();
  await pass(tenant, 182);
  expect(await rows()).toBeGreaterThanOrEqual(before);
  await pass(tenant, 184);
  // But for the rows of having read it.
  expect(await rows()).toBeLessThan(before);
});

it("archived rows of the audit go too, from D1 and from R2, with the words and people that only they knew", async () => {
  const tenant = await newTenant({ retention: { audit: 200 } });
  const { tenantId } = tenant;
  const { ARCHIVE: bucket } = env;
  if (bucket === undefined) throw new Error("the local environment has a bucket");
  const archive = new AuditArchive(env.DB, bucket);
  const begun = Date.now() - 400 * dayMs;
  const row = (owner: string, nth: number, at: number) => {
    const body = { decision: "block", reasons: [`pelican of ${owner}`], steps: [], subject: { messageId: "m" } };
    return env.DB.prepare(`INSERT INTO audit (tenant_id, owner_id, revision, at, turn_id, hook, decision, body)
      VALUES (?, ?, ?, ?, 't', 'request', 'block', ?)`).bind(tenantId, owner, nth, at, JSON.stringify(body));
  };
  const old = Array.from({ length: 70 }, (_, nth) => row("ses_old", nth, begun + nth * 1_000));
  await env.DB.batch(old);
  while (await archive.pack(tenantId, begun + dayMs));
  while (await archive.move(tenantId, begun + dayMs));
  const fresh = Array.from({ length: 70 }, (_, nth) => row("ses_new", nth, begun + 300 * dayMs + nth * 1_000));
  await env.DB.batch(fresh);
  while (await archive.pack(tenantId, begun + 301 * dayMs));
  const keys = async () => (await bucket.list({ prefix: `audit/${tenantId}/` })).objects.length;
  expect([await keys(), await countOf(tenant, "audit_segments"), await countOf(tenant, "audit_words")]).toEqual([
    1, 2, 2,
  ]);

  const at = begun + 250 * dayMs;
  // Cut off behind the database, the bucket is cleaned the next time.
  vi.spyOn(bucket, "delete").mockRejectedValueOnce(new Error("R2 is away"));
  for (let time = 0; time < 2; time++) await applyRetention(tenantId, at, services);
  expect([await keys(), await countOf(tenant, "audit_segments"), await countOf(tenant, "audit_words")]).toEqual([
    0, 1, 1,
  ]);
  expect(await countOf(tenant, "audit_words", "owner_id = 'ses_new'")).toBe(1);
  expect(await countOf(tenant, "audit", "owner_id = 'ses_new'")).toBe(70);

  await tenant.call("PUT", "/v1/holds/case", { subjects: ["ana"], reason: "A dispute." });
  await applyRetention(tenantId, begun + 600 * dayMs, services);
  expect(await countOf(tenant, "audit_segments")).toBe(1);
  await tenant.call("DELETE", "/v1/holds/case");
  await applyRetention(tenantId, begun + 600 * dayMs, services);
  expect([await countOf(tenant, "audit_segments"), await countOf(tenant, "audit_people")]).toEqual([0, 0]);
});

it("usage goes by its time; settled deliveries after 30 days, or as their tenant says; kept results and answers after a day at most", async () => {
  const tenant = await newTenant({ retention: { usage: 90, deliveries: 60 } });
  const other = await newTenant();
  for (const { tenantId } of [tenant, other]) {
    const run = (query: string, ...values: unknown[]) =>
      env.DB.prepare(query)
        .bind(tenantId, ...values)
        .run();
    await run("INSERT INTO tool_results VALUES (?, 'far/look', 'h', '{}', 'a heron', ?)", Date.now() + dayMs);
    await run(
      `INSERT INTO usage (tenant_id, work_id, model, kind, agent, at, model_calls, input_tokens, output_tokens)
        VALUES (?, 'trn_1', 'm', 'turn', 'a', ?, 1, 1, 1)`,
      Date.now(),
    );
    for (const status of ["delivered", "parked", "pending"])
      await run(
        `INSERT INTO channel_deliveries (tenant_id, delivery_id, channel_id, conversation, status, attempts, created_at, updated_at, revision)
          VALUES (?, ?, 'c', 'd', ?, 1, 1, ?, 1)`,
        `${status}-${tenantId}`,
        status,
        Date.now(),
      );
  }
  const counts = async (table: string) => [await countOf(tenant, table), await countOf(other, table)];
  const answers = async () =>
    Number(
      await env.DB.prepare("SELECT COUNT(*) AS n FROM idempotency WHERE scope = ?").bind(tenant.tenantId).first("n"),
    );
  await tenant.call("POST", "/v1/vaults", { title: "V" }, { "idempotency-key": "once" });
  expect(await answers()).toBe(1);
  const housekeep = async (days: number) => {
    await runMaintenance(deploymentActor, { at: daysLater(days) }, services);
    await pass(tenant, days);
  };
  await housekeep(0);
  expect([await counts("tool_results"), await answers()]).toEqual([[1, 1], 1]);
  await housekeep(1.1);
  expect([await counts("tool_results"), await answers()]).toEqual([[0, 0], 0]);
  expect(await counts("channel_deliveries")).toEqual([3, 3]);
  await housekeep(31);
  expect(await counts("channel_deliveries")).toEqual([3, 1]);
  await housekeep(61);
  expect(await counts("channel_deliveries")).toEqual([1, 1]);
  expect(await counts("usage")).toEqual([1, 1]);
  await housekeep(91);
  expect(await counts("usage")).toEqual([0, 1]);
});

it("of what is overdue a share of the database goes a night, and of what is due since yesterday everything, page by page", async () => {
  expect([mostOfNight(0), mostOfNight(2_500_000_000), mostOfNight(10_000_000_000)]).toEqual([
    100_000, 100_000, 400_000,
  ]);
  const tenant = await newTenant({ retention: { usage: 30 } });
  const [overdue, due] = [20_000, 3_000];
  // A night of its own, so that nobody else's share is meant.
  const at = daysLater(7_000);
  const add = (count: number, days: number) =>
    env.DB.prepare(
      `WITH RECURSIVE numbered (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < ?3)
       INSERT INTO usage (tenant_id, work_id, model, kind, agent, at, model_calls, input_tokens, output_tokens)
        SELECT ?1, 'trn_' || ?2 || '_' || n, 'm', 'turn', 'a', ?2, 1, 1, 1 FROM numbered`,
    )
      .bind(tenant.tenantId, at - days * dayMs, count)
      .run();
  await add(overdue, 90);
  await add(due, 30.5);
  await add(10, 29);
  const most = 5_500;
  await env.DB.prepare("REPLACE INTO retention_nights (night, most, gone) VALUES (?, ?, 0)")
    .bind(new Date(at).toISOString().slice(0, 10), most)
    .run();
  const { db, rowsRead } = recordedDb(env.DB);
  const recorded = { ...services, retention: async () => new RetentionStore(db) };
  let pages = 1;
  while (await applyRetention(tenant.tenantId, at, recorded)) pages++;
  // By indexes of age: what stays isn't read, and of what goes each row a few times.
  expect(rowsRead() / (most + due)).toBeLessThan(8);
  expect(await countOf(tenant, "usage")).toBe(overdue - most + 10);
  // Three pages of what is overdue, two of what is due, and one that finds nothing.
  expect(pages).toBe(6);
  const record = await new RetentionStore(env.DB).night(at);
  expect(record).toEqual({ most, gone: most });

  // Another night goes on.
  while (await applyRetention(tenant.tenantId, at + 2 * dayMs, services));
  expect(await countOf(tenant, "usage")).toBe(0);
  expect(await new RetentionStore(env.DB).night(at + 2 * dayMs)).toMatchObject({ most: 100_000 });
});

it("the schedule has the queue look after each tenant that keeps something for a time only, at some time of its own; full pages follow one another", async () => {
  const tenant = await newTenant({ retention: { usage: 1 } });
  const nobody = await newTenant();
  const rows = Array.from({ length: 2_001 }, (_, at) => `trn_${at}`);
  await env.DB.prepare(
    `INSERT INTO usage (tenant_id, work_id, model, kind, agent, at, model_calls, input_tokens, output_tokens)
      SELECT ?, value, 'm', 'turn', 'a', ?, 1, 1, 1 FROM json_each(?)`,
  )
    .bind(tenant.tenantId, Date.now() - 2 * dayMs, JSON.stringify(rows))
    .run();
  const sent: { tenantId: string; at: number; inMs: number }[] = [];
  const sendRetentionJobs = async (jobs: readonly (typeof sent)[number][]) => void sent.push(...jobs);
  const at = Date.now();
  await scheduleRetention(at, { ...services, sendRetentionJobs });
  const own = sent.filter(({ tenantId }) => tenantId === tenant.tenantId);
  expect(own).toMatchObject([{ at }]);
  expect(sent.some(({ tenantId }) => tenantId === nobody.tenantId)).toBe(false);
  expect(Math.max(...sent.map(({ inMs }) => inMs))).toBeLessThanOrEqual(20 * 60_000);

  sent.length = 0;
  const consume = async (job: object) => {
    const ack = vi.fn();
    const message = { id: "m", body: { kind: "retention", ...job }, attempts: 1, ack, retry: vi.fn() };
    await consumeJobs([message], { ...services, sendRetentionJobs });
    expect(ack).toHaveBeenCalledOnce();
  };
  await consume({ tenantId: tenant.tenantId, at });
  expect(await countOf(tenant, "usage")).toBe(1);
  expect(sent).toMatchObject([{ tenantId: tenant.tenantId, at }]);
  await consume({ tenantId: tenant.tenantId, at: at - hourMs });
  expect(await countOf(tenant, "usage"), "an old job is left to the next run").toBe(1);
  await consume(sent[0] ?? {});
  expect(await countOf(tenant, "usage")).toBe(0);
  await consume({ tenantId: "ten_d77_gone", at });
});
