import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.js";
import { log, measureWith } from "../../src/platform/logging.js";
import { dataPoint } from "../../src/platform/metrics.js";
import { Clock, kitIn, settle, withKitTables } from "../durable-objects/kit/support.js";
import { httpTool, supervisingAgent, toolCalls } from "../durable-objects/supervision/support.js";
import { refuseEntries, takeTable } from "../support/broken-database.js";
import { newTenant } from "../support/conclave.js";
import { newMemory, numbered } from "../support/memory.js";
import { recordMetrics } from "../support/metrics.js";
import { ringAlarm } from "../support/objects.js";
import { asksHuman, modelOf, newTeam, routesTo, startRun } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

let metrics: ReturnType<typeof recordMetrics>;
beforeEach(() => {
  metrics = recordMetrics();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const refused = { status: 401, body: {} };
const oneCall = { inputTokens: 10, outputTokens: 5 };

describe("a data point", () => {
  it("holds the names and numbers of a log line that are on the list, and nothing else of it", () => {
    const fields = {
      tenantId: "ten_1",
      subject: "guard",
      outcome: "block",
      latencyMs: 12,
      error: "Error: a text",
      path: "/v1/x",
    };
    expect(dataPoint("warn", "supervisor.failed", fields)).toEqual({
      indexes: ["ten_1"],
      blobs: ["supervisor.failed", "warn", "block", "guard", ""],
      doubles: [12, 0, 0, 0],
    });
  });

  it("fits what the dataset takes, however long a name is", () => {
    const { indexes, blobs } = dataPoint("warn", "tool.returned", {
      tenantId: "t".repeat(500),
      subject: "s".repeat(5_000),
    });
    expect([indexes[0].length, blobs[3]?.length]).toEqual([96, 200]);
  });

  it("that can't be written fails nothing; without a dataset nothing is written", () => {
    measureWith({
      writeDataPoint: () => {
        throw new Error("full");
      },
    });
    expect(() => log("info", "turn.ended")).not.toThrow();
    measureWith(undefined);
    expect(() => log("info", "turn.ended")).not.toThrow();
    measureWith(env.METRICS);
  });
});

describe("the metrics of a turn", () => {
  it("say how it ended, how long it took and what its models took", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await tenant.rules("no", [{ match: { type: "phrases", phrases: ["stop"] }, action: "block", reason: "No." }]);
    const session = await tenant.session({ supervisors: ["no"] });
    await model.reply({ text: "Hello." }, refused, asksHuman("Which?"));
    await tenant.say(session, "hello");
    await tenant.say(session, "stop");
    await tenant.say(session, "hello again");
    const waiting = await tenant.say(session, "help");
    await tenant.call("POST", `/v1/sessions/${session}/turns/${waiting.turnId}/cancel`);

    expect(metrics.of(tenant.tenantId, "turn.ended")).toMatchObject([
      { outcome: "completed", level: "info", ...oneCall, latencyMs: expect.any(Number) },
      { outcome: "blocked", level: "info", inputTokens: 0 },
      { outcome: "failed", level: "warn" },
      { outcome: "cancelled", level: "info", ...oneCall },
    ]);
    expect(metrics.of(tenant.tenantId, "supervision.decided")).toMatchObject([
      { subject: "request", outcome: "block" },
    ]);
    expect(metrics.of(tenant.tenantId, "ask.opened")).toMatchObject([{ subject: "human", outcome: "open" }]);
    expect(metrics.of(tenant.tenantId, "ask.closed")).toMatchObject([{ subject: "human", outcome: "cancelled" }]);
  });

  it("say that it crashed, each time", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const session = await tenant.session();
    const putBack = await takeTable("resource_heads");
    const turn = await tenant.say(session, "hello", { waitMs: 0 });
    await expect
      .poll(async () => {
        await ringAlarm(tenant.object(session));
        return (await tenant.turn(session, turn.turnId, 0)).status;
      })
      .toBe("failed");
    await putBack();
    const crashed = { level: "error", code: "Error" };
    expect(metrics.of(tenant.tenantId, "work.crashed")).toMatchObject([crashed, crashed, crashed, crashed]);
    expect(metrics.of(tenant.tenantId, "turn.ended")).toMatchObject([{ outcome: "failed" }]);
  });
});

describe("the metrics of a run", () => {
  it("say how it ended, and which worker's model and which supervisor failed", async () => {
    const tenant = await newTenant();
    const guard = await supervisingAgent(tenant, "guard", { hooks: ["request"], onFailure: "allow" });
    await guard.reply(refused);
    const team = newTeam({ a: {} }, { maxIterations: 1 }, { limits: { maxWorkerRetries: 0 }, supervisors: ["guard"] });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply(refused);
    await startRun(tenant, team.definition, "Help.");

    expect(metrics.of(tenant.tenantId, "run.ended")).toMatchObject([{ outcome: "failed", level: "warn", ...oneCall }]);
    expect(metrics.of(tenant.tenantId, "supervisor.failed")).toMatchObject([{ subject: "guard", outcome: "allow" }]);
    const failed = metrics.of(tenant.tenantId, "model.called").filter(({ outcome }) => outcome === "failed");
    expect(failed.map(({ subject }) => subject)).toEqual([
      `openai/${guard.model}`,
      `openai/${modelOf(team, "a").model}`,
    ]);
  });
});

describe("the metrics of a failure", () => {
  it("of a supervisor say what its failure made of the text: let through, or stopped", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    for (const [name, onFailure] of [
      ["lax", "allow"],
      ["firm", "block"],
    ] as const) {
      await (await supervisingAgent(tenant, name, { onFailure, order: name === "lax" ? 1 : 2 })).reply(refused);
    }
    await tenant.say(await tenant.session({ supervisors: ["lax", "firm"] }), "hello");
    expect(metrics.of(tenant.tenantId, "supervisor.failed")).toMatchObject([
      { subject: "lax", outcome: "allow", level: "warn" },
      { subject: "firm", outcome: "block", level: "warn" },
    ]);
  });

  it("of a tool name the tool", async () => {
    const tenant = await newTenant();
    const endpoint = await httpTool(tenant, "pay");
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay" }] });
    await endpoint.reply({ body: { paid: true } }, { status: 500, body: "broken" });
    await model.reply(toolCalls(["pay", {}]), toolCalls(["pay", {}]), { text: "Done." });
    await tenant.say(await tenant.session(), "pay");
    expect(metrics.of(tenant.tenantId, "tool.returned")).toMatchObject([
      { subject: "shop/pay", outcome: "ok", level: "info" },
      { subject: "shop/pay", outcome: "failed", level: "warn" },
    ]);
  });

  it("of a model tell a call that was tried again, one that fell over to another model, and one that came to nothing", async () => {
    const tenant = await newTenant();
    const [first, second] = [upstreamFor(env.TEST_UPSTREAM), upstreamFor(env.TEST_UPSTREAM)];
    const model = [`openai/${first.model}`, `openai/${second.model}`];
    await tenant.put("agents", "assistant", { kind: "model", model, instructions: "" });
    const soon = { status: 503, headers: { "retry-after-ms": "1" }, body: {} };
    await first.reply(soon, refused, refused);
    await second.reply({ text: "Hello." }, refused);
    const session = await tenant.session();
    await tenant.say(session, "hello");
    await tenant.say(session, "hello");

    expect(metrics.of(tenant.tenantId, "model.called")).toMatchObject([
      { subject: model[0], outcome: "retried", code: "unavailable", attempts: 1, level: "warn" },
      { subject: model[0], outcome: "failed_over", code: "unauthorized", attempts: 2, level: "warn" },
      { subject: model[1], outcome: "answered", code: "", attempts: 1, level: "info", ...oneCall },
      { subject: model[0], outcome: "failed_over", code: "unauthorized", attempts: 1 },
      { subject: model[1], outcome: "failed", code: "unauthorized", attempts: 1, level: "warn" },
    ]);
  });

  it("of an ask that nobody answered in time say so", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await model.reply(asksHuman("Which?", { timeoutMs: 60_000 }), { text: "Then not." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "help");
    await ringAlarm(tenant.object(session), 61_000);
    await tenant.turn(session, turn.turnId);
    expect(metrics.of(tenant.tenantId, "ask.closed")).toMatchObject([{ subject: "human", outcome: "expired" }]);
  });

  it("of an object's own work: a delivery, a deadline, a driver", async () => {
    await withKitTables(async (state) => {
      const clock = new Clock();
      const broken = async (): Promise<never> => {
        throw new TypeError("broken");
      };
      const kit = kitIn(state, clock, {
        deliver: broken,
        slice: broken,
        deadlinePassed: () => {
          throw new RangeError("broken");
        },
      });
      kit.outbox.put("work_ended", "entity", { work: "entity" });
      await kit.outbox.drain();
      kit.deadlines.move("idle", clock.at);
      kit.onAlarm();
      kit.loop.kick();
      await settle();
    });
    expect(metrics.of("ten_test", "outbox.failed")).toMatchObject([{ code: "TypeError", attempts: 1, level: "warn" }]);
    expect(metrics.of("ten_test", "alarm.failed")).toMatchObject([
      { code: "RangeError", subject: "idle", level: "error" },
    ]);
    expect(metrics.of("ten_test", "driver.crashed")).toMatchObject([{ code: "TypeError", level: "error" }]);
  });

  it("of a memory: a model that is down, a slice that failed, a job that was tried to the end", async () => {
    const memory = await newMemory("scripted");
    const { tenantId } = memory.tenant;
    await memory.model.reply({ ...refused, repeat: true });
    await memory.say(["Hello."]);
    await memory.settled();
    expect(metrics.of(tenantId, "memory.degraded")).toMatchObject([{ outcome: "model_failed", level: "warn" }]);

    const letThrough = await refuseEntries(tenantId);
    await memory.say(numbered(1));
    const job = { tenantId, memoryId: memory.memoryId, threadId: "main", fromSeq: 2, toSeq: 2 };
    await deliver("conclave-flushes", job, 3);
    await deliver("conclave-flushes", job, 7);
    await letThrough();
    expect(metrics.of(tenantId, "memory.slice_failed")).toContainEqual(expect.objectContaining({ level: "warn" }));
    expect(metrics.of(tenantId, "queue.slice_failed")).toContainEqual(expect.objectContaining({ attempts: 3 }));
    expect(metrics.of(tenantId, "queue.dead_letter")).toMatchObject([{ level: "error" }]);
  });

  it("of a request that ended in an internal error", async () => {
    const tenant = await newTenant();
    await takeTable("sessions");
    expect((await tenant.call("GET", "/v1/sessions")).status).toBe(500);
    expect(metrics.of(tenant.tenantId, "request.failed")).toMatchObject([{ level: "error", code: "Error" }]);
  });
});

it("no text of a conversation, no reason and no credential is measured", async () => {
  const tenant = await newTenant();
  await tenant.rules("no", [
    { match: { type: "phrases", phrases: ["stop"] }, action: "block", reason: "Zebra reason." },
  ]);
  const model = await tenant.agent("assistant", { instructions: "Zebra instructions.", supervisors: ["no"] });
  await model.reply({ text: "Zebra reply." }, { status: 401, body: { error: { message: "Zebra sk-live-123" } } });
  const session = await tenant.session({ metadata: { animal: "Zebra" } });
  for (const said of ["Zebra message.", "Zebra, stop.", "Zebra again."]) await tenant.say(session, said);
  expect(metrics.all().length).toBeGreaterThan(4);
  expect(JSON.stringify(metrics.all())).not.toMatch(/zebra|sk-live|test-openai-key|cnk_/i);
});

async function deliver(queue: string, body: unknown, attempts: number): Promise<void> {
  const batch = createMessageBatch(queue, [{ id: crypto.randomUUID(), timestamp: new Date(), attempts, body }]);
  await worker.queue(batch, env);
}
