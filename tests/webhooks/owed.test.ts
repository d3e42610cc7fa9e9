/** What webhooks are owed is found from what is stored alone: whatever became of the queue's jobs and of whoever was sending. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Services } from "../../src/application/services.js";
import { runMaintenance } from "../../src/application/system/run-maintenance.js";
import type { LaterJob } from "../../src/catalogues/webhooks.js";
import { composeServices } from "../../src/composition/services.js";
import type { LoggedEventView } from "../../src/gateways/root-gateway.js";
import { consumeJobs } from "../../src/queue/job-consumer.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { WebhookDeliveries } from "../../src/stores/webhook-deliveries.js";
import { deploymentActor } from "../../src/tenancy/actor.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { runEachMinute } from "../support/housekeeping.js";
import { randomFrom } from "../support/random.js";
import { down, received, receiver, subscribe, taken } from "../support/webhook-receivers.js";

const deliveries = async (tenant: TestTenant) => (await tenant.call("GET", "/v1/webhooks/crm/deliveries")).body.items;

async function tenantWithAgent(): Promise<TestTenant> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "It is nine.", repeat: true });
  return tenant;
}

async function setStream(tenant: TestTenant, set: string, ...values: unknown[]): Promise<void> {
  await env.DB.prepare(`UPDATE webhook_streams SET ${set} WHERE tenant_id = ?`)
    .bind(...values, tenant.tenantId)
    .run();
}

describe("a webhook", () => {
  it("hears within a minute of what happened while whoever was sending died, though no job is left", async () => {
    const tenant = await tenantWithAgent();
    const hook = await receiver(taken);
    const sessionId = await tenant.session();
    await subscribe(tenant, hook);
    // Somebody holds the stream, and dies: jobs that come meanwhile leave it to them.
    const hour = Date.now() + 3_600_000;
    await env.DB.prepare(
      "INSERT OR REPLACE INTO webhook_streams (tenant_id, name, root_id, leased_until, due_at) VALUES (?1, 'crm', ?2, ?3, ?3)",
    )
      .bind(tenant.tenantId, sessionId, hour)
      .run();
    const { turnId } = await tenant.say(sessionId, "What time is it?");
    const owed = env.DB.prepare("SELECT again FROM webhook_streams WHERE tenant_id = ? AND due_at <= ?");
    await expect.poll(() => owed.bind(tenant.tenantId, Date.now()).first()).toEqual({ again: 1 });
    await setStream(tenant, "leased_until = 0");
    await runEachMinute();
    await expect.poll(async () => (await received(hook)).map(({ data }) => data.turnId)).toEqual([turnId]);
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "delivered" }]);
  });

  it("is tried again though the job of its retry was lost, and though something happened as it was let go", async () => {
    const tenant = await tenantWithAgent();
    const hook = await receiver(down, taken);
    await subscribe(tenant, hook);
    await tenant.say(await tenant.session(), "first");
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "pending", attempts: 1 }]);
    // No lease is left behind that the retry would meet, and the stream is due when its delivery is.
    const [{ nextAttemptAt }] = await deliveries(tenant);
    const stream = env.DB.prepare("SELECT leased_until, due_at FROM webhook_streams WHERE tenant_id = ?");
    await expect
      .poll(() => stream.bind(tenant.tenantId).first())
      .toEqual({ leased_until: 0, due_at: Date.parse(nextAttemptAt) });
    await env.DB.prepare("UPDATE webhook_deliveries SET next_at = 0 WHERE tenant_id = ?").bind(tenant.tenantId).run();
    await setStream(tenant, "due_at = 0");
    await runEachMinute();
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "delivered", attempts: 2 }]);
    await expect.poll(() => stream.bind(tenant.tenantId).first()).toEqual({ leased_until: 0, due_at: null });
  });

  it("of which a version before left something that waits is found by the housekeeping", async () => {
    const tenant = await tenantWithAgent();
    await subscribe(tenant, await receiver(down, taken));
    await tenant.say(await tenant.session(), "first");
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "pending", attempts: 1 }]);
    await env.DB.prepare("UPDATE webhook_deliveries SET next_at = 0 WHERE tenant_id = ?").bind(tenant.tenantId).run();
    await setStream(tenant, "due_at = NULL");
    await runMaintenance(deploymentActor, { at: Date.now() }, composeServices(env));
    await expect.poll(() => deliveries(tenant)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });
});

class Killed extends Error {}

/** Sessions with their logs, a receiver, and queues whose jobs are lost with the process, over real stores and a clock of its own. */
class Load {
  clock = Date.now();
  readonly begun = this.clock;
  private readonly logs = new Map<string, LoggedEventView[]>();
  private queue: { readonly at: number; readonly job: object; readonly attempts: number }[] = [];
  /** What came in, as session and event number. */
  readonly heard: { readonly root: string; readonly event: number }[] = [];
  deaths = 0;
  isUp = (_at: number) => true;
  /** How likely it is that the process dies at one of the places where it may. */
  deathRate = 0;
  private isDead = false;

  private constructor(
    private readonly tenantId: string,
    private readonly services: Services,
    private readonly random: () => number,
  ) {}

  static async make(seed: number): Promise<Load> {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
    const known = composeServices(env);
    const session = await known.sessions.describe(tenant.tenantId, await tenant.session());
    const body = { url: "https://crm.example/hook", events: ["turn.completed"] };
    expect((await tenant.call("PUT", "/v1/webhooks/crm", body)).status).toBe(201);
    const now = () => load.clock;
    const webhookDeliveries = new WebhookDeliveries(env.DB, now);
    const sendWebhookJobs = async (jobs: readonly LaterJob[]) => load.enqueue(jobs);
    const services = { ...known, now, webhookDeliveries, sendWebhookJobs };
    const load: Load = new Load(tenant.tenantId, services, randomFrom(seed));
    vi.spyOn(services.sessions, "describe").mockResolvedValue(session);
    vi.spyOn(services.sessions, "events").mockImplementation(async (_tenant, root, { after = 0, limit }) => {
      load.mayDie();
      return (load.logs.get(root) ?? []).filter(({ seq }) => seq > after).slice(0, limit);
    });
    const { settle } = webhookDeliveries;
    vi.spyOn(webhookDeliveries, "settle").mockImplementation(async (...of) => {
      load.mayDie();
      await settle.apply(webhookDeliveries, of);
    });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_input, init) =>
      load.receive(z.string().parse(init?.body)),
    );
    return load;
  }

  /** Something happens in a session, and its object delivers that to D1. */
  async happen(root: string): Promise<void> {
    const log = this.logs.get(root) ?? [];
    this.logs.set(root, log);
    const at = new Date(this.clock).toISOString();
    log.push({ seq: log.length + 1, type: "turn.completed", at, data: { turnId: `trn_${log.length + 1}` } });
    const waking = { now: () => this.clock, send: this.services.sendWebhookJobs };
    await deliverToD1(env.DB, { tenantId: this.tenantId, ownerId: root, messages: [] }, { waking });
  }

  /** Lets time pass up to a moment, in milliseconds since the load began: the queue delivers, five at once, and the schedule rings. */
  async until(ms: number): Promise<void> {
    for (; this.clock < this.begun + ms; this.clock += 1_000) {
      for (let due = this.takeDue(); due.length > 0; due = this.takeDue()) {
        await consumeJobs(due, this.services);
        // All that was in memory is gone.
        if (this.isDead) {
          this.queue = [];
          this.deaths += 1;
        }
        this.isDead = false;
      }
      const isMinute = (this.clock - this.begun) % 60_000 === 0;
      if (isMinute) await runMaintenance(deploymentActor, { at: this.clock, owedAlone: true }, this.services);
    }
  }

  private enqueue(jobs: readonly LaterJob[]): void {
    for (const { inMs, ...job } of jobs) this.queue.push({ at: this.clock + inMs, job, attempts: 1 });
  }

  private takeDue() {
    const due = this.queue.filter(({ at }) => at <= this.clock).slice(0, 5);
    this.queue = this.queue.filter((one) => !due.includes(one));
    return due.map(({ job, attempts }) => ({
      id: crypto.randomUUID(),
      body: job,
      attempts,
      ack: () => {},
      retry: ({ delaySeconds = 0 } = {}) => {
        this.queue.push({ at: this.clock + delaySeconds * 1_000, job, attempts: attempts + 1 });
      },
    }));
  }

  /** From when the process has died on, nothing of it is done any more. */
  private mayDie(): void {
    this.isDead ||= this.random() < this.deathRate;
    if (this.isDead) throw new Killed("the process died");
  }

  private receive(body: string): Response {
    if (!this.isUp(this.clock - this.begun)) return new Response("down", { status: 503 });
    const { data } = hookSchema.parse(JSON.parse(body));
    this.heard.push({ root: data.sessionId, event: data.eventId });
    return new Response(null, { status: 204 });
  }
}

const hookSchema = z.object({ data: z.object({ sessionId: z.string(), eventId: z.int() }) });
const sessions = Array.from({ length: 25 }, (_, at) => `ses_load_${at}`);

describe("a receiver that was away while 500 events happened in 25 sessions", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    ["for twelve seconds", 12_000, 0],
    ["for a minute", 60_000, 0],
    ["for a minute, with the process killed again and again until half a minute later", 60_000, 30_000],
  ])("%s has all of them within two minutes after, in the order of each session", async (_what, awayMs, killedMs) => {
    const load = await Load.make(7);
    load.isUp = (at) => at >= awayMs;
    load.deathRate = killedMs > 0 ? 0.02 : 0;
    for (let round = 0; round < 20; round++) {
      await Promise.all(sessions.map((session) => load.happen(session)));
      await load.until((round + 1) * 500);
    }
    await load.until(awayMs + killedMs);
    load.deathRate = 0;
    await load.until(awayMs + killedMs + 120_000);
    for (const session of sessions) {
      const heard = load.heard.filter(({ root }) => root === session).map(({ event }) => event);
      // What was taken as the process died comes again, under the same id.
      if (killedMs === 0) expect(heard, session).toHaveLength(20);
      expect([...new Set(heard)], session).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    }
    expect(load.deaths > 0).toBe(killedMs > 0);
  });
});
