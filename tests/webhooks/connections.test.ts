/** Connections as a resource: sealed, listed with their health, given another address, deleted; and how platforms make sure of them. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { composeServices } from "../../src/composition/services.js";
import { newAddressId } from "../../src/platform/ids.js";
import { expectProblem } from "../http/support.js";
import { connect, genericMessage, platforms } from "../support/chat-platforms.js";
import { newTenant, TestTenant } from "../support/conclave.js";
import { runEachMinute } from "../support/housekeeping.js";

const { slack, telegram, discord, whatsapp, generic } = platforms;

it("credentials are written, sealed and never read back; the address is unguessable", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const channel = await connect(tenant, telegram);
  const { body } = await tenant.call("GET", "/v1/channels/telegram");
  expect(body.credentials).toMatchObject({ botToken: "[hidden]", secretToken: "[hidden]" });
  expect(body.address).toMatch(/^\/webhooks\/telegram\/[0-9a-f]{48}$/);
  const { results } = await env.DB.prepare("SELECT body FROM channels WHERE channel_id = ?")
    .bind(channel.channelId)
    .all();
  expect(JSON.stringify(results)).not.toMatch(/123:abc|the-secret-of-the-webhook/);
  // What GET shows in place of a secret isn't one, where none is stored.
  expectProblem(await tenant.call("PUT", "/v1/channels/other", { ...body, name: "other" }), "invalid");
});

it("is the operator's: a client is refused, another tenant's channel isn't there", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  await connect(tenant, generic);
  const client = await tenant.withRole("client");
  expectProblem(await client.call("GET", "/v1/channels"), "forbidden");
  const other = await newTenant();
  for (const [method, path] of [
    ["GET", "/v1/channels/generic"],
    ["DELETE", "/v1/channels/generic"],
    ["POST", "/v1/channels/generic/rotate"],
    ["GET", "/v1/channels/generic/deliveries"],
  ] as const) {
    expectProblem(await other.call(method, path), "not_found");
  }
  expect((await tenant.call("GET", "/v1/channels?limit=1")).body.items).toMatchObject([{ name: "generic" }]);
  const unknown = {
    kind: "generic",
    agent: "nobody",
    credentials: { secret: "x".repeat(20), replyUrl: "https://10.0.0.1/" },
  };
  expectProblem(await tenant.call("PUT", "/v1/channels/other", unknown), "invalid");
  expectProblem(await tenant.call("GET", "/v1/channels?kind=slack"), "invalid");
});

it("its address and its credentials change; sessions go on", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "One." }, { text: "Two." });
  const channel = await connect(tenant, generic);
  await channel.say(1, "First");
  await expect.poll(() => channel.texts()).toEqual(["One."]);
  const { address } = (await tenant.call("POST", "/v1/channels/generic/rotate")).body;
  expect((await channel.say(2, "Nobody hears this")).status).toBe(404);
  const { credentials, agent } = (await tenant.call("GET", "/v1/channels/generic")).body;
  const secret = "whsec_bmV3IHNlY3JldCBvZiBpdA==";
  await tenant.put("channels", "generic", { kind: "generic", agent, credentials: { ...credentials, secret } });
  const moved = Object.assign(Object.create(channel), { address });
  expect((await moved.say(3, "Second")).status).toBe(401);
  expect((await moved.deliver(await genericMessage({ messageId: "m4", text: "Second" }, { secret }))).status).toBe(202);
  await expect.poll(() => channel.texts()).toEqual(["One.", "Two."]);
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
});

it("is gone with its conversations once it is deleted", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "One." });
  const channel = await connect(tenant, generic);
  await channel.say(1, "First");
  await expect.poll(() => channel.texts()).toEqual(["One."]);
  expect((await tenant.call("DELETE", "/v1/channels/generic")).status).toBe(204);
  expect((await channel.say(2, "Second")).status).toBe(404);
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
  const left = "SELECT COUNT(*) AS n FROM channel_conversations WHERE channel_id = ?";
  expect(await env.DB.prepare(left).bind(channel.channelId).first("n")).toBe(0);
});

it("a deletion that was interrupted is ended by the schedule, unless the connection is stored anew", async () => {
  const services = composeServices(env);
  const going = async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "One." });
    const channel = await connect(tenant, generic);
    await channel.say(1, "First");
    await expect.poll(() => channel.texts()).toEqual(["One."]);
    const stored = await services.channels.find(tenant.tenantId, "generic");
    if (stored === undefined) throw new Error("no channel");
    const at = Date.now() - 120_000;
    await services.channels.beginRemoval(stored, newAddressId(), { by: { kind: "system", id: "test" }, at });
    expect((await channel.say(2, "Second")).status).toBe(404);
    return { tenant, channel };
  };
  const [gone, kept] = [await going(), await going()];
  const { agent, credentials } = (await kept.tenant.call("GET", "/v1/channels/generic")).body;
  await kept.tenant.put("channels", "generic", { kind: "generic", agent, credentials });
  await runEachMinute();
  expect((await gone.tenant.call("GET", "/v1/channels/generic")).status).toBe(404);
  const left = "SELECT COUNT(*) AS n FROM channel_conversations WHERE channel_id = ?";
  expect(await env.DB.prepare(left).bind(gone.channel.channelId).first("n")).toBe(0);
  expect((await kept.tenant.call("GET", "/v1/channels/generic")).body).toMatchObject({
    channelId: kept.channel.channelId,
  });
});

it("a conversation goes on in another tenant, through the connection of its name there", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "One." }, { text: "Two." });
  const channel = await connect(tenant, generic);
  await channel.say(1, "First");
  await expect.poll(() => channel.texts()).toEqual(["One."]);
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);

  const other = await newTenant();
  const admin = new TestTenant("", env.ADMIN_SECRET);
  const copied = async (): Promise<string[]> => {
    const { body } = await admin.call("GET", `/v1/admin/tenants/${tenant.tenantId}/export`);
    expect(body.nextCursor).toBeNull();
    return (await admin.call("POST", `/v1/admin/tenants/${other.tenantId}/import`, body)).body.warnings;
  };
  expect(await copied()).toEqual([
    expect.stringMatching(/^session .*generic/),
    expect.stringMatching(/^conversation /),
    expect.stringMatching(/^channels\/generic: /),
  ]);
  expect((await other.call("GET", "/v1/sessions")).body.items).toEqual([]);
  const there = await connect(other, generic);
  expect(await copied()).toEqual([]);
  await there.say(2, "Second");
  await expect.poll(() => there.texts()).toEqual(["Two."]);
  const { items } = (await other.call("GET", "/v1/sessions")).body;
  expect(items).toHaveLength(1);
  const texts = (await other.call("GET", `/v1/sessions/${items[0].sessionId}/messages`)).body.items;
  expect(texts).toHaveLength(4);
  expect(await channel.texts()).toEqual(["One."]);
});

it("the platforms' handshakes are answered", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const [inSlack, inDiscord, inWhatsApp] = await Promise.all([
    connect(tenant, slack),
    connect(tenant, discord),
    connect(tenant, whatsapp),
  ]);
  const challenge = await inSlack.deliver(await slack.raw({ type: "url_verification", challenge: "3eZbrw1aB" }));
  expect([challenge.status, await challenge.text()]).toEqual([200, "3eZbrw1aB"]);
  expect(await (await inDiscord.deliver(await discord.raw({ type: 1 }))).json()).toEqual({ type: 1 });
  const query = (token: string) => `?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`;
  const asked = { method: "GET", headers: {}, body: "" };
  const subscribed = await inWhatsApp.deliver({ ...asked, query: query("verify-me") });
  expect([subscribed.status, await subscribed.text()]).toEqual([200, "1158201444"]);
  expect((await inWhatsApp.deliver({ ...asked, query: query("guess") })).status).toBe(401);
});

it("in a channel of many only what is meant for the bot is answered, in its thread; from then on what is said there", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Yes?" }, { text: "Tomorrow." });
  const channel = await connect(tenant, slack);
  const write = async (ts: string, text: string, more: object = {}) => {
    const event = { type: "message", channel: "C1", channel_type: "channel", user: "U1", ts, text, ...more };
    const answer = await channel.deliver(
      await slack.raw({ type: "event_callback", event, authorizations: [{ user_id: "UBOT" }] }),
    );
    expect(answer.status).toBe(200);
  };
  await write("1.1", "Lunch, anybody?");
  await write("1.2", "<@UBOT> are you there?");
  // The same message, as the event for mentions.
  await write("1.2", "<@UBOT> are you there?", { type: "app_mention" });
  await expect.poll(() => channel.texts()).toEqual(["Yes?"]);
  await write("1.3", "When does it come?", { thread_ts: "1.2" });
  await write("1.4", "A bot's own words", { thread_ts: "1.2", bot_id: "B1" });
  await expect.poll(() => channel.texts()).toEqual(["Yes?", "Tomorrow."]);
  const posted = (await channel.calls()).filter(({ path }) => path === "/chat.postMessage");
  expect(posted.map(({ body }) => body)).toMatchObject([{ thread_ts: "1.2" }, { thread_ts: "1.2" }]);
  const prompts = JSON.stringify(await model.requests());
  expect(prompts).not.toMatch(/Lunch|own words/);
  await expect.poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
});

it("each customer has a memory of their own where the connection names a vault", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Hello Ada." });
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "Customers" })).body;
  const channel = await connect(tenant, generic, { memory: { vaultId } });
  await channel.say(1, "I am Ada.");
  await expect.poll(() => channel.texts()).toEqual(["Hello Ada."]);
  const memories = (await tenant.call("GET", `/v1/vaults/${vaultId}/memories`)).body.items;
  expect(memories).toMatchObject([{ subject: "u1", externalId: "u1" }]);
  const { memoryId } = memories[0];
  await expect
    .poll(async () => (await tenant.call("GET", "/v1/sessions")).body.items)
    .toMatchObject([{ memory: { memoryId } }]);
});

it("what people write there goes to no session that an end user's page began under the conversation's name", async () => {
  const tenant = await newTenant();
  await tenant.agent("assistant");
  const channel = await connect(tenant, generic);
  const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "eve" })).body;
  const eve = new TestTenant(tenant.tenantId, token);
  const externalId = `${channel.channelId}:group-7`;
  const session = (await eve.call("POST", "/v1/sessions", { agent: "assistant", externalId })).body.sessionId;

  const said = { conversation: "group-7", messageId: "m1", text: "Our password is rosebud.", direct: false };
  expect((await channel.deliver(await genericMessage(said))).status).toBe(202);
  await expect.poll(async () => (await channel.texts()).length).toBe(1);

  expect((await eve.call("GET", `/v1/sessions/${session}/messages`)).body.items).toEqual([]);
  const { health } = (await tenant.call("GET", "/v1/channels/generic")).body;
  expect(health.lastFailure.detail).toContain("An end user began a session");
});
