import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { crash, crashAndWake, ringAlarm, rowsOf } from "../../support/objects.js";
import type { UpstreamModel } from "../../support/upstream-client.js";

afterEach(() => {
  vi.useRealTimers();
});

/** An agent with one HTTP tool, which has a queue of its own at the upstream. */
async function withTool(tenant: TestTenant, fields: object): Promise<{ model: UpstreamModel; hook: UpstreamModel }> {
  const hook = await tenant.agent("hook-holder");
  await tenant.put("tools", "book", {
    server: "travel",
    description: "Books a seat.",
    parameters: { type: "object", properties: { seat: { type: "string" } }, required: ["seat"] },
    http: { method: "POST", url: hook.hookURL },
    ...fields,
  });
  const model = await tenant.agent("assistant", { tools: [{ server: "travel", tool: "book" }] });
  return { model, hook };
}

const bookSeat = { toolCalls: [{ name: "book", arguments: { seat: "12A" } }] };

describe("a turn whose object dies", () => {
  it("while the model call is in flight: the call is repeated once, the turn ends once, nobody asks again", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "never heard", hold: "first" }, { text: "Here I am." });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Are you there?", { waitMs: 0 });
    await model.until({ requests: 1, open: 1 });

    await crashAndWake(tenant, session);

    const turn = await tenant.turn(session, turnId);
    expect(turn).toMatchObject({ status: "completed", reply: { modelReply: { turns: [{ message: "Here I am." }] } } });
    expect(await model.requests()).toHaveLength(2);
    const transcript = await tenant.call("GET", `/v1/sessions/${session}/messages`);
    expect(transcript.body.items).toHaveLength(2);
    const ends = await rowsOf(tenant.object(session), "SELECT 1 FROM events WHERE type = 'turn.completed'");
    expect(ends).toHaveLength(1);
  });

  it("goes on as soon as anybody looks, without waiting for its lease to end", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "never heard", hold: "first" }, { text: "Here I am." });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Are you there?", { waitMs: 0 });
    await model.until({ requests: 1, open: 1 });

    await crash();

    expect(await tenant.turn(session, turnId)).toMatchObject({ status: "completed" });
    expect(await model.requests()).toHaveLength(2);
  });

  it("again and again, in each of its rounds: what has returned is not asked for again", async () => {
    const tenant = await newTenant();
    const { model, hook } = await withTool(tenant, { idempotent: true });
    const session = await tenant.session();
    await model.reply({ ...bookSeat, hold: "a" }, bookSeat, { text: "lost", hold: "b" }, { text: "Booked." });
    await hook.reply({ body: "lost", hold: "c" }, { body: "seat 12A is yours" });

    const { turnId } = await tenant.say(session, "A seat, please.", { waitMs: 0 });
    await model.until({ requests: 1, open: 1 });
    await crashAndWake(tenant, session);
    await hook.until({ requests: 1, open: 1 });
    await crashAndWake(tenant, session);
    await model.until({ requests: 3, open: 1 });
    await crashAndWake(tenant, session);

    const turn = await tenant.turn(session, turnId);
    expect(turn.status).toBe("completed");
    expect(turn.reply?.modelReply.turns).toMatchObject([
      { toolCalls: [{ server: "travel", tool: "book", args: { seat: "12A" }, output: "seat 12A is yours" }] },
      { message: "Booked." },
    ]);
    // Each of the two rounds was in flight once when the object died.
    expect(await model.requests()).toHaveLength(4);
    const calls = await hook.requests();
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map((call) => call.headers["idempotency-key"])).size).toBe(1);
    expect(calls[0]?.headers["idempotency-key"]).toMatch(/^call_[0-9a-f]{40}$/);
    for (const { headers } of calls) expect(headers["webhook-id"]).toBe(headers["idempotency-key"]);
  });

  it("while a tool that may act only once is called: the call isn't repeated, and the model is told so", async () => {
    const tenant = await newTenant();
    const { model, hook } = await withTool(tenant, {});
    const session = await tenant.session();
    await model.reply(bookSeat, { text: "I will check first." });
    await hook.reply({ body: "lost", hold: "c" }, { body: "a second booking!" });

    const { turnId } = await tenant.say(session, "A seat, please.", { waitMs: 0 });
    await hook.until({ requests: 1, open: 1 });
    await crashAndWake(tenant, session);

    expect((await tenant.turn(session, turnId)).status).toBe("completed");
    expect(await hook.requests()).toHaveLength(1);
    const [, second] = await model.requests();
    expect(JSON.stringify(second?.body)).toContain('The outcome of \\"book\\" is unknown');
    expect(await model.requests()).toHaveLength(2);
  });

  it("before it has begun: the message was accepted, so it is answered", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "one", hold: "first" }, { text: "one" }, { text: "two" });
    const session = await tenant.session();
    const first = await tenant.say(session, "first", { waitMs: 0 });
    const second = await tenant.say(session, "second", { waitMs: 0 });
    expect(second.status).toBe("queued");
    await model.until({ open: 1 });

    await crashAndWake(tenant, session);

    expect((await tenant.turn(session, second.turnId)).reply?.modelReply.turns).toMatchObject([{ message: "two" }]);
    expect((await tenant.turn(session, first.turnId)).status).toBe("completed");
  });

  it("with every other object at once: each turn goes on by itself", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const sessions = await Promise.all([tenant.session(), tenant.session(), tenant.session()]);
    await model.reply({ text: "lost", hold: "x", repeat: 3 }, { text: "done", repeat: true });
    const turns = await Promise.all(sessions.map((session) => tenant.say(session, "go", { waitMs: 0 })));
    await model.until({ requests: 3, open: 3 });

    await crash();
    for (const [index, session] of sessions.entries()) {
      await ringAlarm(tenant.object(session), index === 0 ? 31_000 : 0);
    }

    for (const [index, session] of sessions.entries()) {
      expect((await tenant.turn(session, turns[index]?.turnId ?? "")).status).toBe("completed");
    }
    expect(await model.requests()).toHaveLength(6);
  });

  it("while its caller waits: whoever sends the message again with its key gets the same turn", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "lost", hold: "x" }, { text: "Found." });
    const session = await tenant.session();
    const send = () =>
      tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "hi" }, { "idempotency-key": "k1" });
    const lost = send();
    await model.until({ open: 1 });

    await crashAndWake(tenant, session);

    expect((await lost).status).toBe(500);
    expect(await send()).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(await model.requests()).toHaveLength(2);
    expect((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body.items).toHaveLength(2);
  });

  it("again and again over the same step: the turn fails in the end, visibly, and the session goes on", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "lost", hold: "x", repeat: true });
    const { turnId } = await tenant.say(session, "hello", { waitMs: 0 });
    // Five deaths count where nothing else is at work in the process; beside what other tests left up to twelve, and some don't at all.
    const status = async () => (await tenant.turn(session, turnId, 0)).status;
    let tries = 0;
    for (; tries < 40 && (await status()) !== "failed"; tries++) {
      await model.until({ requests: tries + 1, open: 1 });
      await crashAndWake(tenant, session);
    }
    expect(await tenant.turn(session, turnId)).toMatchObject({ status: "failed", error: { role: "error" } });
    const [row] = await rowsOf(tenant.object(session), "SELECT outcome FROM turns");
    const { failure } = z.object({ failure: z.string() }).parse(JSON.parse(String(row?.outcome)));
    const [, deaths] =
      /^its process died (\d+) times while it was tried, lastly in the step "agent\/model\/0" \(model\)$/.exec(
        failure,
      ) ?? [];
    expect(Number(deaths)).toBeGreaterThanOrEqual(5);
    expect(Number(deaths)).toBeLessThanOrEqual(Math.min(12, tries));
    await model.clear();
    await model.reply({ text: "Better." });
    expect((await tenant.say(session, "and now?")).status).toBe("completed");
  });
});

describe("a sleeping session", () => {
  it("has forgotten nothing when it is woken", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello Ada." }, { text: "Ada." });
    const session = await tenant.session();
    await tenant.say(session, "I am Ada.");
    await evictDurableObject(tenant.object(session));

    await tenant.say(session, "Who am I?");

    const [, second] = await model.requests();
    expect(second?.body).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user", content: "I am Ada." },
        { role: "assistant", content: "Hello Ada." },
        { role: "user", content: "Who am I?" },
      ],
    });
  });

  it("isn't made by asking for it, nor by its alarm", async () => {
    const tenant = await newTenant();
    const unknown = tenant.object("ses_01k00000000000000000000000");
    expect((await tenant.call("GET", "/v1/sessions/ses_01k00000000000000000000000")).status).toBe(404);
    expect(await rowsOf(unknown, "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")).toEqual(
      [],
    );
    expect(await ringAlarm(unknown)).toBe(false);
  });

  it("is gone with all it held when it is deleted, also in the middle of a turn", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "late", hold: "x" });
    const session = await tenant.session();
    const said = tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "hello" });
    await model.until({ open: 1 });

    expect((await tenant.call("DELETE", `/v1/sessions/${session}`)).status).toBe(204);

    // Whoever waited hears of it; what was under way writes nothing any more.
    expect([200, 404]).toContain((await said).status);
    await model.until({ aborted: 1 });
    await crash();
    expect(
      await rowsOf(tenant.object(session), "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'"),
    ).toEqual([]);
    expect((await tenant.call("GET", `/v1/sessions/${session}`)).status).toBe(404);
    expect((await tenant.call("GET", "/v1/sessions")).body.items).toEqual([]);
    expect(await ringAlarm(tenant.object(session))).toBe(false);
  });
});

describe("what a turn left for the lists, where its session dies before it is sent off", () => {
  it.each([
    [
      "the alarm",
      async (tenant: TestTenant, session: string) => expect(await ringAlarm(tenant.object(session))).toBe(true),
    ],
    ["whoever asks next", (tenant: TestTenant, session: string) => tenant.call("GET", `/v1/sessions/${session}`)],
  ])("is sent off by %s", async (_name, wake) => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "one" }, { text: "two" });
    const session = await tenant.session();
    const copiesOf = (turnId: string) =>
      env.DB.prepare("SELECT COUNT(*) AS n FROM usage WHERE tenant_id = ? AND work_id = ?")
        .bind(tenant.tenantId, turnId)
        .first("n");
    // Time stands still for the session, so that its second turn ends soon after what the first left was sent off, on any machine.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const first = await tenant.say(session, "first");
    await expect.poll(() => copiesOf(first.turnId)).toBe(1);
    // What it leaves waits until the session is at rest.
    const second = await tenant.say(session, "second");
    await crash();
    expect(await copiesOf(second.turnId)).toBe(0);

    await wake(tenant, session);

    await expect.poll(() => copiesOf(second.turnId)).toBe(1);
    expect(await copiesOf(first.turnId)).toBe(1);
  });
});
