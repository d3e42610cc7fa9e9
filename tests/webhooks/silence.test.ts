/** Who writes where a bot listens is answered, or operators see why not; what is meant for others is left alone. */
import { describe, expect, it } from "vitest";
import { connect, platforms, slackCommand, whatsappRequest } from "../support/chat-platforms.js";
import { newTenant } from "../support/conclave.js";

const { slack, telegram, discord, whatsapp } = platforms;

const lastFailure = async (tenant: Awaited<ReturnType<typeof newTenant>>, name: string) =>
  (await tenant.call("GET", `/v1/channels/${name}`)).body.health.lastFailure;

describe("on WhatsApp", () => {
  const text = (id: string, body: string, from: object) => ({ id, type: "text", text: { body }, ...from });

  it.for([
    { what: "the message", from: { from_user_id: "US.1349120865" }, contact: { profile: { name: "Ada" } } },
    { what: "its contact alone", from: {}, contact: { user_id: "US.1349120865", profile: { name: "Ada" } } },
  ])("somebody with a username, whose id is in $what, is answered under it", async ({ from, contact }) => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello Ada." });
    const channel = await connect(tenant, whatsapp);
    await channel.deliver(await whatsappRequest([text("wamid.1", "Hello", from)], {}, [contact]));
    await expect.poll(() => channel.texts()).toEqual(["Hello Ada."]);
    const posted = (await channel.calls()).at(-1);
    expect(posted?.body).toMatchObject({ recipient: "US.1349120865" });
    expect(posted?.body).not.toHaveProperty("to");
    const sessions = async () => (await tenant.call("GET", "/v1/sessions")).body.items;
    await expect.poll(sessions).toMatchObject([{ subject: "whatsapp:US.1349120865" }]);
  });

  it("what can't be read of a delivery is seen in the channel's health; the messages beside it are answered", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello." });
    const channel = await connect(tenant, whatsapp);
    const unreadable = { from: "4912", type: "text", text: { body: 7 } };
    const reaction = { from: "4911", id: "wamid.2", type: "reaction", reaction: { emoji: "+1" } };
    const messages = [unreadable, reaction, text("wamid.3", "Hello?", { from: "4911" })];
    expect((await channel.deliver(await whatsappRequest(messages, {}, [{ wa_id: 7 }]))).status).toBe(200);
    await expect.poll(() => channel.texts()).toEqual(["Hello."]);
    expect((await lastFailure(tenant, "whatsapp")).detail).toMatch(/couldn't be read: a message: id/);
    expect(await model.requests()).toHaveLength(1);
  });
});

it.for([slack, telegram, discord, whatsapp])(
  "on $kind what has another shape than we know is seen in health",
  async (platform) => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const channel = await connect(tenant, platform);
    expect((await channel.deliver(await platform.raw({ something: "else" }))).status).toBe(200);
    expect((await lastFailure(tenant, platform.kind)).detail).toContain("couldn't be read");
  },
);

describe("in a group of Telegram", () => {
  let updates = 0;
  const write = (text: string, more: object = {}) => {
    const message_id = ++updates;
    const named = [...text.matchAll(/\/\w+(@\w+)?|@\w+/g)].map(({ 0: { length }, index: offset }) => ({
      type: text[offset] === "@" ? "mention" : "bot_command",
      offset,
      length,
    }));
    const from = { id: 7, first_name: "Ada" };
    const chat = { id: -5, type: "supergroup" };
    const said = "photo" in more ? { caption: text, caption_entities: named } : { text, entities: named };
    return telegram.raw({ update_id: message_id, message: { message_id, from, chat, ...said, ...more } });
  };
  const repliesTo = (id: number) => ({ reply_to_message: { message_id: 1, from: { id, is_bot: true } } });

  it.for(["mentions", "all"])("what is meant for others isn't answered where it listens to %s", async (listenTo) => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Yes.", repeat: true });
    const channel = await connect(tenant, telegram, { listenTo });
    const answered = ["@shop_bot are you there?", "/ask@Shop_Bot open today?", "/hours", "Is it far, @shop_bot?"];
    for (const text of answered) await channel.deliver(await write(text));
    await channel.deliver(await write("And tomorrow?", repliesTo(123)));
    await channel.deliver(await write("@shop_bot what is this?", { photo: [{ file_id: "1" }] }));
    await expect.poll(() => channel.texts()).toHaveLength(6);
    for (const text of ["@bob lunch?", "/play@music_bot jazz"]) await channel.deliver(await write(text));
    await channel.deliver(await write("Louder", repliesTo(99)));
    if (listenTo === "mentions") await channel.deliver(await write("Nice weather"));
    await channel.deliver(await write("@shop_bot the last"));
    await expect.poll(() => channel.texts()).toHaveLength(7);
    const prompts = JSON.stringify(await model.requests());
    expect(prompts).not.toMatch(/bob|music_bot|Louder|weather|shop_bot (are|what)|ask@/i);
    for (const text of ["are you there?", "/ask open today?", "And tomorrow?", "what is this?", "the last"])
      expect(prompts).toContain(text);
  });

  it("a message that names somebody comes again when Telegram doesn't say who the bot is", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Yes." });
    const channel = await connect(tenant, telegram);
    await channel.api.reply({ status: 502, body: "" });
    const event = await write("@shop_bot hello");
    expect((await channel.deliver(event)).status).toBe(503);
    expect((await lastFailure(tenant, "telegram")).detail).toContain("getMe: 502");
    expect((await channel.deliver(event)).status).toBe(200);
    await expect.poll(() => channel.texts()).toEqual(["Yes."]);
  });
});

describe("a slash command in Slack", () => {
  it.for([
    { where: "a channel", channel_id: "C5" },
    { where: "a direct chat", channel_id: "D5" },
    { where: "a channel that the bot isn't in", channel_id: "CFOREIGN" },
  ])("is a message from $where, and is answered there", async ({ channel_id }) => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "At nine." });
    const channel = await connect(tenant, slack);
    const response_url = `${channel.api.url}/platform/slack/${channel.api.model}/commands/T1/2`;
    const fields = { channel_id, user_id: "U7", user_name: "ada", trigger_id: "13.7", response_url };
    const event = await slackCommand({ ...fields, command: "/ask", text: "When do you open?" });
    const forged = { ...event.headers, "x-slack-signature": `v0=${"0".repeat(64)}` };
    expect((await channel.deliver({ ...event, headers: forged })).status).toBe(401);
    expect(await (await channel.deliver(event)).json()).toEqual({ response_type: "in_channel" });
    await channel.deliver(event);
    await expect.poll(async () => (await channel.texts()).at(-1)).toBe("At nine.");
    const last = (await channel.calls()).at(-1);
    if (channel_id === "CFOREIGN") expect(last?.path).toContain("/commands/T1/2");
    else expect(last?.body).toMatchObject({ channel: channel_id });
    await channel.deliver(await slackCommand({ ...fields, command: "/new", text: "", trigger_id: "13.8" }));
    await expect.poll(async () => (await channel.texts()).at(-1)).toBe("This is a new conversation.");
    expect(await model.requests()).toHaveLength(1);
  });
});
