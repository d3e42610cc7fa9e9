/** Deliveries of webhooks beside each other: who never answers, roundtables, and what is left of what was deleted. */
import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../src/index.js";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { newPanel, seat, startTable, takes } from "../support/roundtables.js";
import type { UpstreamModel } from "../support/upstream-client.js";
import { down, received, receiver, subscribe, taken } from "../support/webhook-receivers.js";

async function tenantWithAgent(): Promise<TestTenant> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "It is nine.", repeat: true });
  return tenant;
}

/** What is kept of webhooks about a session, run or roundtable, or about a whole tenant. */
async function kept({ tenantId }: TestTenant, rootId?: string): Promise<number> {
  const count = (table: string) =>
    `(SELECT COUNT(*) FROM ${table} WHERE tenant_id = ?1 AND (?2 IS NULL OR root_id = ?2))`;
  const row = await env.DB.prepare(`SELECT ${count("webhook_streams")} + ${count("webhook_deliveries")} AS n`)
    .bind(tenantId, rootId ?? null)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

/** The queue delivers one batch of jobs. */
function deliverBatch(jobs: readonly object[]): Promise<void> {
  const messages = jobs.map((body) => ({ id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body }));
  return worker.queue(createMessageBatch("conclave-webhooks", messages), env);
}

describe("a receiver that never answers", () => {
  it("keeps back neither another receiver of its tenant nor another tenant", async () => {
    const stuck: UpstreamModel[] = [];
    const tenants = await Promise.all([1, 2, 3, 4].map(tenantWithAgent));
    const [, , , good] = tenants;
    if (good === undefined) throw new Error("four tenants were made");
    for (const tenant of tenants.slice(0, 3)) {
      const hostile = await receiver({ ...down, hold: "for good" });
      stuck.push(hostile);
      await subscribe(tenant, hostile);
    }
    const beside = await receiver(taken);
    const [first] = tenants;
    if (first === undefined) throw new Error("four tenants were made");
    await subscribe(first, beside, {}, "beside");
    const own = await receiver(taken);
    await subscribe(good, own);

    const turns = await Promise.all(
      tenants.map(async (tenant) => {
        const rootId = await tenant.session();
        await tenant.say(rootId, "What time is it?");
        return { tenantId: tenant.tenantId, rootId };
      }),
    );
    const batch = deliverBatch(turns);
    await Promise.all(stuck.map((hostile) => hostile.until({ open: 1 })));
    await expect.poll(() => received(own)).toHaveLength(1);
    await expect.poll(() => received(beside)).toHaveLength(1);
    for (const hostile of stuck) await hostile.release("for good");
    await batch;
  });
});

describe("a roundtable", () => {
  it("is heard of like a session: its rounds in order, by its id and end user", async () => {
    const tenant = await newTenant();
    const hook = await receiver(taken);
    await subscribe(tenant, hook, { events: ["position.taken", "round.completed"], filter: { subject: "ada" } });
    const panel = newPanel(["a", "b"], { rounds: 1 });
    for (const id of ["a", "b"]) await seat(panel, id).reply(takes(`${id} is secret.`), takes(`${id} is secret.`));
    await startTable(tenant, panel, { subject: "bob" });
    const { sessionId } = await startTable(tenant, panel, { subject: "ada" });
    await expect
      .poll(async () => (await received(hook)).map(({ type, data }) => [type, data.roundtableId, data.subject]))
      .toEqual([
        ["position.taken", sessionId, "ada"],
        ["position.taken", sessionId, "ada"],
        ["round.completed", sessionId, "ada"],
      ]);
    expect(JSON.stringify(await received(hook))).not.toContain("is secret");
    await expect
      .poll(async () => (await tenant.call("GET", "/v1/webhooks/crm/deliveries?status=delivered")).body.items)
      .toMatchObject([{ roundtableId: sessionId }, { roundtableId: sessionId }, { roundtableId: sessionId }]);
  });
});

describe("what is kept of webhooks", () => {
  it("goes with the session, what waits as well, and a job that comes after that leaves nothing", async () => {
    const tenant = await tenantWithAgent();
    await subscribe(tenant, await receiver(down, taken));
    const [gone, other] = [await tenant.session(), await tenant.session()];
    await tenant.say(gone, "first");
    await expect.poll(() => kept(tenant, gone)).toBe(2);
    await tenant.say(other, "first");
    await expect.poll(() => kept(tenant, other)).toBe(2);
    await tenant.call("DELETE", `/v1/sessions/${gone}`);
    await deliverBatch([{ tenantId: tenant.tenantId, rootId: gone }]);
    expect(await kept(tenant, gone)).toBe(0);
    expect(await kept(tenant, other)).toBe(2);
  });

  it("of a session that is deleted while its receiver takes its time goes too", async () => {
    const tenant = await tenantWithAgent();
    const slow = await receiver({ status: 204, body: "", hold: "slow" });
    await subscribe(tenant, slow);
    const sessionId = await tenant.session();
    await tenant.say(sessionId, "first");
    await slow.until({ open: 1 });
    await tenant.call("DELETE", `/v1/sessions/${sessionId}`);
    await slow.release("slow");
    // The lease of its stream is let go: another session's event comes through.
    const next = await tenant.session();
    await slow.reply(taken);
    await tenant.say(next, "second");
    await eventually(async () => expect(await received(slow)).toHaveLength(2));
    expect(await kept(tenant, sessionId)).toBe(0);
  });

  it("goes with the tenant", async () => {
    const tenant = await tenantWithAgent();
    await subscribe(tenant, await receiver(down, taken), { events: ["turn.completed", "round.completed"] });
    await tenant.say(await tenant.session(), "first");
    const panel = newPanel(["a", "b"], { rounds: 1 });
    for (const id of ["a", "b"]) await seat(panel, id).reply(takes("Yes."));
    const { sessionId } = await startTable(tenant, panel);
    await expect.poll(() => kept(tenant, sessionId)).toBe(2);
    const removed = await send("DELETE", `/v1/admin/tenants/${tenant.tenantId}`, { key: env.ADMIN_SECRET });
    expect(removed.status).toBe(204);
    expect(await kept(tenant)).toBe(0);
  });
});
