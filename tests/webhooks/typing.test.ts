/** That somebody types is shown for as long as an answer is worked on, where the platform lets the sign lapse. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connect, platforms, type TestChannel } from "../support/chat-platforms.js";
import { newTenant } from "../support/conclave.js";
import { crash, passTime, ringAlarm } from "../support/objects.js";

afterEach(() => vi.useRealTimers());

async function signs(channel: TestChannel): Promise<number> {
  const calls = await channel.calls();
  return calls.filter(({ path, body }) => path.endsWith("/sendChatAction") || JSON.stringify(body).includes("typing"))
    .length;
}

/** Time passes, and the conversation's alarm rings. */
async function ring(channel: TestChannel, afterMs: number): Promise<void> {
  passTime(afterMs);
  await runDurableObjectAlarm(channel.conversation());
}

/** How many signs are kept up. */
function kept(channel: TestChannel) {
  return runInDurableObject(
    channel.conversation(),
    (_object, { storage }) => storage.sql.exec("SELECT COUNT(*) AS n FROM posts WHERE status = 'shown'").one().n,
  );
}

describe.for([
  { platform: platforms.telegram, lapsesMs: 5_000 },
  { platform: platforms.whatsapp, lapsesMs: 25_000 },
])("$platform.kind", ({ platform, lapsesMs }) => {
  it("is shown again before it lapses, after a crash too, and never behind the reply", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Lost.", hold: "first" }, { text: "We open at nine.", hold: "second" });
    const channel = await connect(tenant, platform);
    await channel.say(1, "When do you open?");
    await model.until({ requests: 1 });
    await expect.poll(() => kept(channel)).toBe(1);
    const before = await signs(channel);
    await ring(channel, lapsesMs - 1_000);
    await expect.poll(() => signs(channel)).toBeGreaterThan(before);
    await crash();
    await ring(channel, lapsesMs - 1_000);
    await expect.poll(() => signs(channel)).toBeGreaterThan(before + 1);
    const [{ sessionId }] = (await tenant.call("GET", "/v1/sessions")).body.items;
    await ringAlarm(tenant.object(sessionId));
    await model.until({ requests: 2 });
    await model.release("second");
    await expect.poll(() => channel.texts()).toEqual(["We open at nine."]);
    expect(await kept(channel)).toBe(0);
    const shown = await signs(channel);
    await ring(channel, lapsesMs);
    expect(await signs(channel)).toBe(shown);
    const last = (await channel.calls()).at(-1);
    expect(last && platform.textOf(last)).toBe("We open at nine.");
    await model.release("first");
  });

  it("a turn that hangs is shown for some minutes, and no longer", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "At last.", hold: "reply" });
    const channel = await connect(tenant, platform);
    await channel.say(1, "When do you open?");
    await model.until({ requests: 1 });
    await expect.poll(() => kept(channel)).toBe(1);
    await ring(channel, 290_000);
    await expect.poll(() => signs(channel)).toBeGreaterThan(1);
    await ring(channel, 30_000);
    await expect.poll(() => kept(channel)).toBe(0);
    const shown = await signs(channel);
    await ring(channel, 60_000);
    expect(await signs(channel)).toBe(shown);
    await model.release("reply");
    await expect.poll(() => channel.texts()).toEqual(["At last."]);
  });
});

it("nobody types while a person is asked, and somebody does once they have answered", async () => {
  const tenant = await newTenant();
  const phrases = { type: "phrases", phrases: ["refund"] };
  await tenant.rules("careful", [{ match: phrases, action: "review", reason: "Money." }], { hooks: ["request"] });
  const model = await tenant.agent("assistant", { supervisors: ["careful"] });
  await model.reply({ text: "It was refunded.", hold: "reply" });
  const channel = await connect(tenant, platforms.telegram);
  await channel.say(1, "I want a refund");
  await expect.poll(async () => (await tenant.call("GET", "/v1/asks")).body.items).toHaveLength(1);
  await expect.poll(() => channel.texts()).toHaveLength(1);
  await expect.poll(() => kept(channel)).toBe(0);
  const shown = await signs(channel);
  await ring(channel, 10_000);
  expect(await signs(channel)).toBe(shown);
  const [{ askId }] = (await tenant.call("GET", "/v1/asks")).body.items;
  await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "accept" });
  await expect.poll(() => kept(channel)).toBe(1);
  await expect.poll(() => signs(channel)).toBeGreaterThan(shown);
  await model.release("reply");
  await expect.poll(async () => (await channel.texts()).at(-1)).toBe("It was refunded.");
});
