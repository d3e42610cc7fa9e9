/** What holds of every channel, played through on each: the fakes of the platforms refuse what those refuse. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { channelKinds } from "../../src/channels/connection.js";
import { connect, platforms, type TestChannel } from "../support/chat-platforms.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { crash, passTime, ringAlarm } from "../support/objects.js";

afterEach(() => vi.useRealTimers());

async function sessionsOf(tenant: TestTenant): Promise<{ sessionId: string; subject?: string; status: string }[]> {
  return (await tenant.call("GET", "/v1/sessions")).body.items;
}

/** Everything dies; then time passes, and the alarms of the conversation and of its sessions ring. */
async function crashAndWake(channel: TestChannel): Promise<void> {
  await crash();
  passTime(31_000);
  await runDurableObjectAlarm(channel.conversation());
  for (const { sessionId } of await eventually(async () => {
    const sessions = await sessionsOf(channel.tenant);
    expect(sessions).toHaveLength(1);
    return sessions;
  }))
    await ringAlarm(channel.tenant.object(sessionId), 0);
}

it("every platform has a stand-in in tests/support/chat-platforms.ts, on which all of this is played", () => {
  expect(
    Object.values(platforms)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual([...channelKinds].sort());
});

describe.for(Object.values(platforms))("$kind", (platform) => {
  it("a message is answered where it came from, once however often it is delivered", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "We open at nine." });
    const channel = await connect(tenant, platform);
    const event = await platform.message({ id: 1, text: "When do you open?" });
    const answers = await Promise.all([channel.deliver(event), channel.deliver(event), channel.deliver(event)]);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    await expect.poll(() => channel.texts()).toEqual(["We open at nine."]);
    expect((await channel.deliver(event)).ok).toBe(true);
    expect(await model.requests()).toHaveLength(1);
    const subject = platform.kind === "generic" ? "u1" : expect.stringContaining(platform.kind);
    await expect.poll(() => sessionsOf(tenant)).toMatchObject([{ subject }]);
  });

  it("what isn't signed as it should be, or too long ago, does nothing and is seen in the channel's health", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const channel = await connect(tenant, platform);
    const forged = await platform.message({ id: 1, text: "Hello" }, { forged: true });
    expect((await channel.deliver(forged)).status).toBe(401);
    const old = await platform.message({ id: 2, text: "Hello" }, { at: Date.now() - 301_000 });
    if (platform.signsTime) expect((await channel.deliver(old)).status).toBe(401);
    expect((await channel.deliver({ ...forged, headers: {} })).status).toBe(401);
    expect(await channel.calls()).toEqual([]);
    expect(await sessionsOf(tenant)).toEqual([]);
    const { body } = await tenant.call("GET", `/v1/channels/${platform.kind}`);
    expect(body.health).toMatchObject({ lastFailure: { detail: expect.stringContaining("signed") }, parked: 0 });
  });

  it("is acknowledged while the model takes its time; a crash between loses nothing and answers once", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Lost.", hold: "first" }, { text: "We open at nine." });
    const channel = await connect(tenant, platform);
    expect((await channel.say(1, "When do you open?")).ok).toBe(true);
    await model.until({ requests: 1 });
    expect(await channel.texts()).toEqual([]);
    await crashAndWake(channel);
    await expect.poll(() => channel.texts()).toEqual(["We open at nine."]);
    await model.release("first");
    expect(await sessionsOf(tenant)).toHaveLength(1);
  });

  it("a reply that died between the platform's answer and our note is sent again where the platform knows it, by hand elsewhere", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "We open at nine.", hold: "reply" });
    const channel = await connect(tenant, platform);
    const showsWork = ["slack", "telegram", "whatsapp"].includes(platform.kind);
    // That an answer is on its way isn't shown: the reply is a message of its own.
    if (showsWork) await channel.api.reply({ status: 429, body: {} });
    await channel.api.reply({ status: 200, body: { ok: true }, hold: "answer" });
    await channel.say(1, "When do you open?");
    await model.until({ requests: 1 });
    if (showsWork) await channel.api.until({ requests: 1 });
    await model.release("reply");
    await channel.api.until({ requests: showsWork ? 2 : 1 });
    await crashAndWake(channel);
    await channel.api.release("answer");
    const path = `/v1/channels/${platform.kind}/deliveries`;
    if (showsWork) {
      const uncertain = { status: "parked", failure: expect.stringContaining("uncertain") };
      await expect.poll(async () => (await tenant.call("GET", path)).body.items).toMatchObject([uncertain]);
      expect(await channel.texts()).toEqual(["We open at nine."]);
      const [{ deliveryId }] = (await tenant.call("GET", path)).body.items;
      expect((await tenant.call("POST", `${path}/${deliveryId}/retry`)).status).toBe(202);
    }
    await expect.poll(() => channel.texts()).toEqual(["We open at nine.", "We open at nine."]);
    const ids = (await channel.calls()).map(({ headers }) => headers["webhook-id"]);
    if (platform.kind === "generic") expect(new Set(ids).size).toBe(1);
  });

  it("a reply whose answer the platform didn't give in time isn't simply sent again", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "We open at nine.", hold: "reply" });
    const channel = await connect(tenant, platform);
    const showsWork = ["slack", "telegram", "whatsapp"].includes(platform.kind);
    if (showsWork) await channel.api.reply({ status: 429, body: {} });
    await channel.api.reply({ drop: true });
    await channel.say(1, "When do you open?");
    await model.until({ requests: 1 });
    if (showsWork) await channel.api.until({ requests: 1 });
    await model.release("reply");
    const path = `/v1/channels/${platform.kind}/deliveries`;
    const status = showsWork ? "parked" : "delivered";
    await eventually(async () => {
      passTime(2_000);
      await runDurableObjectAlarm(channel.conversation());
      expect((await tenant.call("GET", path)).body.items).toMatchObject([{ status }]);
    });
    expect(await channel.texts()).toHaveLength(showsWork ? 1 : 2);
  });

  it("the reply waits as long as the platform wanted of the placeholder", async () => {
    // The others are shown no placeholder.
    if (!["slack", "telegram", "whatsapp"].includes(platform.kind)) return;
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "We open at nine.", hold: "reply" });
    const channel = await connect(tenant, platform);
    await channel.api.reply({ status: 429, headers: { "retry-after": "30" }, body: {} });
    await channel.say(1, "When do you open?");
    await channel.api.until({ requests: 1 });
    await model.release("reply");
    const waiting = "SELECT COUNT(*) AS n FROM posts WHERE status = 'pending'";
    const due = () =>
      runInDurableObject(channel.conversation(), (_object, { storage }) => storage.sql.exec(waiting).one().n);
    await expect.poll(due).toBe(1);
    await runDurableObjectAlarm(channel.conversation());
    expect(await channel.calls()).toHaveLength(1);
    await eventually(async () => {
      passTime(31_000);
      await runDurableObjectAlarm(channel.conversation());
      expect(await channel.texts()).toEqual(["We open at nine."]);
    });
  });

  it("two messages at once are answered in order", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "First answer.", hold: "first" }, { text: "Second answer." });
    const channel = await connect(tenant, platform);
    await channel.say(1, "First?");
    await channel.say(2, "Second?");
    await model.until({ requests: 1 });
    await model.release("first");
    await expect.poll(() => channel.texts()).toEqual(["First answer.", "Second answer."]);
  });

  it("a picture alone is answered with a sentence, without a model; its caption is a message", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "It is a bicycle." });
    const channel = await connect(tenant, platform);
    expect((await channel.deliver(await platform.picture(1))).ok).toBe(true);
    await expect.poll(() => channel.texts()).toEqual([expect.stringContaining("text only")]);
    expect(await model.requests()).toEqual([]);
    await channel.deliver(await platform.picture(2, "What is this?"));
    await expect.poll(async () => (await channel.texts()).at(-1)).toBe("It is a bicycle.");
    expect(JSON.stringify(await model.requests())).toContain("What is this?");
  });

  it("of a reply that was blocked only what a client is told goes to the platform", async () => {
    const tenant = await newTenant({ supervisors: ["discretion"] });
    const phrases = { type: "phrases", phrases: ["project bluebird"] };
    const rules = [{ match: phrases, action: "block", reason: "It is internal." }];
    await tenant.rules("discretion", rules, { clientMessage: "That can't be said here." });
    const model = await tenant.agent("assistant");
    await model.reply({ text: "It is about Project Bluebird." });
    const channel = await connect(tenant, platform);
    await channel.say(1, "What is it about?");
    await expect.poll(() => channel.texts()).toEqual([expect.stringMatching(/^The answer was blocked\. /)]);
    expect(JSON.stringify(await channel.calls()).toLowerCase()).not.toContain("bluebird");
  });

  it("a limit of the platform is waited for; what it refuses is parked, shown, and sent again by hand", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello." });
    const channel = await connect(tenant, platform, { reviewers: { conversation: platform.reviewers } });
    const limited = { status: 429, headers: { "retry-after": "30" }, body: {} };
    const refused = {
      status: 400,
      body: { ok: false, error: "channel_not_found", description: "no", error_code: 400 },
    };
    // The first call may be that an answer is on its way, which isn't worth another try.
    await channel.api.reply(
      limited,
      limited,
      ...(platform.kind === "slack" ? [{ ...refused, status: 200 }] : [refused]),
    );
    // Discord is tried as a message of the channel besides, before and after the place of the placeholder is given up.
    if (platform.kind === "discord") await channel.api.reply(refused, refused);
    await channel.say(1, "Hello?");
    await expect.poll(async () => (await channel.calls()).length).toBeGreaterThanOrEqual(1);
    const deliveries = async () => (await tenant.call("GET", `/v1/channels/${platform.kind}/deliveries`)).body.items;
    await eventually(async () => {
      passTime(31_000);
      await runDurableObjectAlarm(channel.conversation());
      expect(await deliveries()).toMatchObject([{ status: "parked", failure: expect.any(String) }]);
    });
    expect((await tenant.call("GET", `/v1/channels/${platform.kind}`)).body.health).toMatchObject({ parked: 1 });
    const [{ deliveryId }] = await deliveries();
    await channel.api.clear();
    const path = `/v1/channels/${platform.kind}/deliveries/${deliveryId}/retry`;
    const retry = () => tenant.call("POST", path, undefined, { "idempotency-key": "k" });
    expect((await retry()).status).toBe(202);
    // As when the process died before it could say so.
    await env.DB.prepare("DELETE FROM idempotency WHERE scope = ?").bind(tenant.tenantId).run();
    expect((await retry()).status).toBe(202);
    await expect.poll(() => channel.texts()).toEqual(["Hello."]);
    await expect.poll(deliveries).toMatchObject([{ deliveryId, status: "delivered" }]);
  });
});
