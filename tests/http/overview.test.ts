/** A tenant's last day at a glance: what it says, to whom, and what it costs to say it. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { UsageStore } from "../../src/stores/usage-store.js";
import { mostRecent } from "../../src/tenancy/usage.js";
import { answer, httpTool, openAsk, toolCalls } from "../durable-objects/supervision/support.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { numberedRows } from "../support/numbered-rows.js";
import { recordedDb } from "../support/recorded-db.js";

const overviewOf = async (tenant: TestTenant) => (await tenant.call("GET", "/v1/overview")).body;

it("says how work ended, what waits since when, what it took, and how near limits are", async () => {
  const tenant = await newTenant();
  const endpoint = await httpTool(tenant, "refund", { approval: "always" });
  await endpoint.reply({ body: { refunded: true }, repeat: true });
  await tenant.rules("words", [{ match: { type: "phrases", phrases: ["bomb"] }, action: "block", reason: "never" }]);
  // An endpoint that isn't there: its failure lets everything through.
  await tenant.put("supervisors", "gone", {
    ...{ kind: "http", hooks: ["request"], onFailure: "allow", timeoutMs: 1_000 },
    config: { url: "http://127.0.0.1:1/gone", secret: "a secret of the endpoint" },
  });
  const model = await tenant.agent("clerk", {
    tools: [{ server: "shop", tool: "refund" }],
    supervisors: ["words", "gone"],
  });
  await tenant.call("PUT", "/v1/limits/turns", { per: "agent", measure: "turns", max: 4 });
  await tenant.call("PUT", "/v1/limits/of-keys", { per: "key", measure: "turns", max: 12 });
  await tenant.call("PUT", "/v1/limits/asks", { per: "tenant", measure: "openAsks", max: 10 });
  const session = await tenant.session({ agent: "clerk", subject: "ana" });
  await model.reply(toolCalls(["refund", { order: "7" }]), { text: "Done." });
  const held = await tenant.say(session, "Refund order 7.");
  await answer(tenant, openAsk(held), { decision: "once" });
  await tenant.turn(session, held.turnId);
  await tenant.say(session, "How do I build a bomb?");
  await model.reply(toolCalls(["refund", { order: "8" }]));
  const waiting = await tenant.say(await tenant.session({ agent: "clerk" }), "Refund order 8.");

  await expect
    .poll(() => overviewOf(tenant))
    .toMatchObject({
      complete: true,
      ended: { completed: 1, blocked: 1, failed: 0, cancelled: 0, degraded: 2 },
      waiting: { staff: 1, user: 0, overdue: 0, oldest: { askId: openAsk(waiting) }, medianMs: expect.any(Number) },
      usage: { total: { works: 2 }, byAgent: [{ name: "clerk", works: 2 }], bySubject: [{ name: "ana", works: 2 }] },
      channels: [],
      webhooks: [],
      records: { parked: 0, works: [] },
    });
  const { limits } = await overviewOf(tenant);
  expect(limits).toContainEqual(
    expect.objectContaining({ limit: "turns", of: "clerk", used: 3, max: 4, share: 0.75, enforced: true }),
  );
  const [{ keyId }] = (await tenant.call("GET", "/v1/keys")).body.items;
  expect(limits).toContainEqual(expect.objectContaining({ limit: "of-keys", of: keyId, used: 3, max: 12 }));
  expect(limits).toContainEqual(expect.objectContaining({ limit: "asks", used: 1, max: 10 }));

  const operator = await overviewOf(await tenant.withRole("operator"));
  expect(operator.ended.blocked).toBe(1);
  expect([operator.usage, operator.limits]).toEqual([undefined, undefined]);
  expect(await (await tenant.withRole("client")).call("GET", "/v1/overview")).toMatchObject({ status: 403 });
  expect(await overviewOf(await newTenant())).toMatchObject({ ended: { completed: 0 }, waiting: { staff: 0 } });
});

it("says what was given up, and what is switched off", async () => {
  const tenant = await newTenant();
  await tenant.call("PUT", "/v1/webhooks/crm", { url: "https://crm.example/hook", events: ["turn.completed"] });
  const now = Date.now();
  await env.DB.batch(
    ["parked", "parked", "delivered"].map((status, at) =>
      env.DB.prepare(
        `INSERT INTO webhook_deliveries (delivery_id, tenant_id, name, root_id, seq, type, status, next_at, created_at, updated_at)
         VALUES (?1, ?2, 'crm', 'ses_x', ?3, 'turn.completed', ?4, ?5, ?5, ?5)`,
      ).bind(`${tenant.tenantId}-${at}`, tenant.tenantId, at, status, now),
    ),
  );
  expect((await overviewOf(tenant)).webhooks).toEqual([{ name: "crm", status: "active", parked: 2 }]);
});

it("says of which work records lag behind, as long as they do, and no more once the work is deleted", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const [ownerId, other] = [await tenant.session(), await tenant.session()];
  const tell = (id: number, parked: number, of = ownerId) => {
    const payload = JSON.stringify({ parked, at: Date.UTC(2026, 0, id) });
    return deliverToD1(env.DB, {
      tenantId: tenant.tenantId,
      ownerId: of,
      messages: [{ id, topic: "parked", payload }],
    });
  };
  const records = async () => (await overviewOf(tenant)).records;
  expect(await records()).toEqual({ parked: 0, works: [] });
  await tell(5, 2);
  // What comes late or again changes nothing, and the time stands from the first.
  await tell(4, 7);
  await tell(6, 3);
  await tell(6, 3);
  await tell(9, 1, other);
  const works = [
    { id: ownerId, parked: 3, since: "2026-01-05T00:00:00.000Z" },
    { id: other, parked: 1, since: "2026-01-09T00:00:00.000Z" },
  ];
  expect(await records()).toEqual({ parked: 4, works });
  expect((await overviewOf(await newTenant())).records.parked).toBe(0);
  await tell(7, 0);
  expect(await records()).toMatchObject({ parked: 1 });
  await tenant.call("DELETE", `/v1/sessions/${other}`);
  await expect.poll(records).toEqual({ parked: 0, works: [] });
});

it("reads the same for a tenant of much traffic, and says since when it counts", async () => {
  const tenant = await newTenant();
  const at = Date.now();
  const { tenantId } = tenant;
  const columns = "work_id, model, kind, agent, at, model_calls, input_tokens, output_tokens, status";
  const values = `'turn_' || n, 'offline', 'turn', 'agent ' || n % 3, ${at} - n, 1, 2, 3, 'completed'`;
  await env.DB.batch([numberedRows(mostRecent + 1_000)("usage", columns, values, tenantId)]);
  const { db, rowsRead } = recordedDb(env.DB);
  await new UsageStore(db).recent(tenantId, at - 86_400_000);
  expect(rowsRead()).toBeLessThan(2 * mostRecent + 20);
  const { complete, from, ended } = await overviewOf(tenant);
  expect([complete, ended.completed]).toEqual([false, mostRecent]);
  expect(Date.parse(from)).toBe(at - mostRecent);
});
