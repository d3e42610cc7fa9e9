/** Questions in the channel: asked where the person is, answered by a button or a reply, and once over all faces. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { connect, type Platform, platforms, slackInteraction, type TestChannel } from "../support/chat-platforms.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { signIn } from "../support/console.js";
import { eventually } from "../support/eventually.js";
import { passTime } from "../support/objects.js";

afterEach(() => vi.useRealTimers());

const { slack, telegram, discord, whatsapp, generic } = platforms;
const askHuman = { tools: [{ server: "conclave", tool: "ask_human" }] };

async function asking(platform: Platform, question: object): Promise<{ tenant: TestTenant; channel: TestChannel }> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", askHuman);
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: question }] }, { text: "Noted: thanks." });
  return { tenant, channel: await connect(tenant, platform) };
}

/** A reply that a person of staff looks at first, in the channel's reviewers' conversation. */
async function reviewing(platform: Platform): Promise<{ tenant: TestTenant; channel: TestChannel }> {
  const tenant = await newTenant({ supervisors: ["held"] });
  const model = await tenant.agent("assistant");
  const match = { type: "phrases", phrases: ["refund"] };
  await tenant.rules("held", [{ match, action: "review", reason: "It is about money." }], { hooks: ["response"] });
  await model.reply({ text: "You get a refund of 40 euros." });
  const channel = await connect(tenant, platform, { reviewers: { conversation: platform.reviewers } });
  await channel.say(1, "Money back?");
  return { tenant, channel };
}

async function asksOf(tenant: TestTenant) {
  return (await tenant.call("GET", "/v1/asks")).body.items;
}

/** The only ask, once the inbox shows it with this status: its copy comes in its own time. */
function askOf(tenant: TestTenant, status: "open" | "answered") {
  return eventually(async () => {
    const asks = await asksOf(tenant);
    expect(asks).toMatchObject([{ status }]);
    return asks[0];
  });
}

async function sessionsOf(tenant: TestTenant) {
  return (await tenant.call("GET", "/v1/sessions")).body.items;
}

/** What was posted where: the texts of a conversation's calls. */
async function textsTo(channel: TestChannel, chat: string): Promise<string[]> {
  const calls = (await channel.calls()).filter((call) => channel.platform.chatOf(call) === chat);
  return calls.flatMap((call) => channel.platform.textOf(call) ?? []);
}

describe.for([slack, telegram, discord, whatsapp])("on $kind", (platform) => {
  it("a question with suggestions has buttons; the one that is pressed answers it, as whoever pressed it", async () => {
    const { tenant, channel } = await asking(platform, { question: "Which size?", suggestions: ["small", "large"] });
    await channel.say(1, "I want a shirt.");
    await expect.poll(async () => Object.keys(await channel.buttons())).toEqual(["small", "large"]);
    const { large = "" } = await channel.buttons();
    expect((await channel.deliver(await platform.press(large, { id: 1 }))).ok).toBe(true);
    await expect.poll(async () => (await channel.texts()).at(-1)).toBe("Noted: thanks.");
    await expect
      .poll(async () => (await asksOf(tenant))[0])
      .toMatchObject({
        status: "answered",
        answer: { response: "large" },
        closedBy: { kind: "channel", id: expect.stringMatching(new RegExp(`^${platform.kind}:`)), role: "client" },
      });
    // Where a message can be changed, the question shows what became of it.
    const outcome = expect.stringMatching(/^Which size\?\n\nAnswered by .*: large$/);
    if (platform.kind !== "whatsapp") await expect.poll(() => channel.texts()).toContainEqual(outcome);
  });

  it("a review is shown with its text where staff is asked, and accepted there by staff", async () => {
    const { tenant, channel } = await reviewing(platform);
    await expect
      .poll(() => textsTo(channel, platform.reviewers))
      .toContainEqual(expect.stringContaining("refund of 40"));
    expect((await textsTo(channel, platform.conversation)).join()).not.toContain("refund");
    // What staff is asked names its page in the console.
    const { askId } = await askOf(tenant, "open");
    expect((await textsTo(channel, platform.reviewers)).join()).toContain(`://conclave.test/console/inbox/${askId}`);
    const { Accept = "" } = await channel.buttons();
    await channel.deliver(await platform.press(Accept, { id: 7, isStaff: true }));
    await expect
      .poll(() => textsTo(channel, platform.conversation))
      .toContainEqual(expect.stringContaining("You get a refund of 40 euros."));
    await expect
      .poll(async () => (await asksOf(tenant))[0])
      .toMatchObject({
        status: "answered",
        closedBy: { kind: "channel", id: expect.stringMatching(new RegExp(`^${platform.kind}:`)), role: "operator" },
      });
    await expect
      .poll(() => textsTo(channel, platform.reviewers))
      .toContainEqual(expect.stringMatching(/Answered by .*: accept/));
  });
});

describe.each([slack, telegram, whatsapp, generic])("on $kind", (platform) => {
  it("who waits for staff reads so, and so does who writes meanwhile", async () => {
    const { tenant, channel } = await reviewing(platform);
    const waiting = "A person will look at this before it goes on.";
    await expect.poll(() => channel.texts()).toContain(waiting);
    await channel.say(2, "Hello?");
    await expect
      .poll(() => channel.texts())
      .toContain("Your message was taken. A person looks at the one before it first.");
    const ask = await askOf(tenant, "open");
    await tenant.call("POST", `/v1/asks/${ask.askId}/answer`, { decision: "accept" });
    await expect.poll(() => channel.texts()).toContain("You get a refund of 40 euros.");
  });
});

describe("a review", () => {
  it("that a person has decided in the inbox is told in the channel with their name, to staff alone", async () => {
    const { tenant, channel } = await reviewing(slack);
    const ask = await askOf(tenant, "open");
    const { personId, visit } = await signIn(tenant, { name: "Ada Lovelace" });
    await visit(`/console/inbox/${ask.askId}`, { do: "accept", content: "You get a refund of 40 euros." });
    await expect.poll(() => textsTo(channel, "C900")).toContainEqual(expect.stringMatching(/Answered by Ada Lovelace/));
    await expect.poll(() => textsTo(channel, "D100")).toContain("You get a refund of 40 euros.");
    expect(JSON.stringify(await channel.calls())).not.toContain(personId);
  });

  it("that is accepted in Slack while somebody writes at it in the console is told them kindly; what they wrote is still there, and it goes on once", async () => {
    const { tenant, channel } = await reviewing(slack);
    await expect.poll(() => channel.buttons()).toHaveProperty("Accept");
    const { askId } = await askOf(tenant, "open");
    const ada = await signIn(tenant, { role: "reviewer" });
    const path = `/console/inbox/${askId}`;
    expect(await (await ada.visit(path)).text()).toContain("refund of 40");
    const { Accept = "" } = await channel.buttons();
    await channel.deliver(await slack.press(Accept, { id: 7, isStaff: true }));
    await expect.poll(() => textsTo(channel, "D100")).toContain("You get a refund of 40 euros.");

    const written = { content: "You get a voucher of 40 euros.", note: "No money this month." };
    const decisions = [{ do: "accept" }, { do: "reject", message: "Ask at the till." }, { do: "accept" }];
    for (const decision of decisions) {
      const late = await ada.visit(path, { ...written, ...decision });
      expect(late.status).toBe(409);
      const page = await late.text();
      const told = ["Somebody has decided this already.", "was accepted by channel slack:U7", "it wasn&#39;t sent"];
      for (const words of [...told, ...Object.values(written)]) expect(page).toContain(words);
    }
    // The same decision as theirs changes nothing, and isn't refused.
    expect((await ada.visit(path, { do: "accept", content: "You get a refund of 40 euros." })).status).toBe(303);
    const ask = await askOf(tenant, "answered");
    expect(ask).toMatchObject({ answer: { decision: "accept" }, closedBy: { kind: "channel", id: "slack:U7" } });
    expect((await textsTo(channel, "D100")).filter((text) => text.includes("40 euros"))).toHaveLength(1);
    const { body } = await tenant.call("GET", `/v1/sessions/${ask.from.sessionId}/messages`);
    expect(body.items.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
    await expect
      .poll(async () => (await tenant.call("GET", "/v1/audit?format=json&type=ask.answered")).body.items)
      .toHaveLength(1);
  });

  it("that is accepted in the channel, in the inbox and by an operator's key at once is won by one; the others are told", async () => {
    const { tenant, channel } = await reviewing(slack);
    await expect.poll(() => channel.buttons()).toHaveProperty("Accept");
    const { Accept = "", Reject = "" } = await channel.buttons();
    const ask = await askOf(tenant, "open");
    const operator = await tenant.withRole("operator");
    const inbox = tenant.call("POST", `/v1/asks/${ask.askId}/answer`, { decision: "edit", content: "Let me see." });
    const [, , byKey, byInbox] = await Promise.all([
      channel.deliver(await slack.press(Accept, { id: 7, isStaff: true })),
      channel.deliver(await slack.press(Reject, { id: 8, isStaff: true })),
      operator.call("POST", `/v1/asks/${ask.askId}/answer`, { decision: "accept" }),
      inbox,
    ]);
    const { closedBy } = await askOf(tenant, "answered");
    const refused = async () =>
      [byKey.status, byInbox.status].filter((status) => status === 409).length +
      (await channel.texts()).filter((text) => text === "That was decided already.").length;
    // The same decision as the one that won is no refusal.
    const same = closedBy.kind === "channel" && closedBy.id === "slack:U7" ? 1 : closedBy.role === "operator" ? 1 : 0;
    await expect.poll(refused).toBeGreaterThanOrEqual(3 - same);
    await expect.poll(refused).toBeLessThanOrEqual(3);
    await expect
      .poll(() => textsTo(channel, "C900"))
      .toContainEqual(expect.stringContaining(`Answered by ${closedBy.id}`));
  });

  it("is edited in a form where the platform has one, and by the next message where it has none", async () => {
    const inSlack = await reviewing(slack);
    await expect.poll(() => inSlack.channel.buttons()).toHaveProperty("Edit");
    const { Edit = "" } = await inSlack.channel.buttons();
    expect((await inSlack.channel.deliver(await slack.press(Edit, { id: 7, isStaff: true }))).status).toBe(200);
    const opened = (await inSlack.channel.calls()).find(({ path }) => path === "/views.open");
    expect(JSON.stringify(opened?.body)).toContain("You get a refund of 40 euros.");
    const metadata = JSON.stringify({ value: Edit, chat: "C900" });
    await inSlack.channel.deliver(await slackForm(metadata, "You get a voucher."));
    await expect.poll(() => textsTo(inSlack.channel, "D100")).toContainEqual("You get a voucher.");

    const inTelegram = await reviewing(telegram);
    await expect.poll(() => inTelegram.channel.buttons()).toHaveProperty("Edit");
    const values = await inTelegram.channel.buttons();
    await inTelegram.channel.deliver(await telegram.press(values.Edit ?? "", { id: 7, isStaff: true }));
    await expect
      .poll(() => textsTo(inTelegram.channel, "-900"))
      .toContainEqual(expect.stringMatching(/^Send the text/));
    await inTelegram.channel.say(5, "You get a voucher.", { user: 7, isStaff: true });
    await expect.poll(() => textsTo(inTelegram.channel, "100")).toContainEqual("You get a voucher.");
  });

  it("that opens a form on Discord is answered with the form itself", async () => {
    const { channel } = await reviewing(discord);
    await expect.poll(() => channel.buttons()).toHaveProperty("Edit");
    const { Edit = "" } = await channel.buttons();
    const answer = await channel.deliver(await discord.press(Edit, { id: 7, isStaff: true }));
    expect(await answer.json()).toMatchObject({
      type: 9,
      data: { custom_id: Edit, components: [{ components: [{ value: "You get a refund of 40 euros." }] }] },
    });
  });

  it("can't be decided from where end users write, nor with a button of another conversation", async () => {
    const { tenant, channel } = await reviewing(slack);
    await expect.poll(() => channel.buttons()).toHaveProperty("Accept");
    const { Accept = "" } = await channel.buttons();
    await channel.deliver(await slack.press(Accept, { id: 1 }));
    await expect.poll(() => channel.texts()).toContain("That question isn't here any more.");
    await askOf(tenant, "open");
  });
});

describe("an approval", () => {
  it("that two of staff decide at once where staff is asked is won by one: the tool is called for it, or not at all", async () => {
    const tenant = await newTenant();
    const shop = await tenant.agent("shop");
    await shop.reply({ body: "Paid back." });
    await tenant.put("tools", "refund", {
      server: "shop",
      description: "Pays an order back.",
      parameters: { type: "object" },
      http: { method: "POST", url: shop.hookURL },
      approval: "always",
    });
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "refund" }] });
    await model.reply({ toolCalls: [{ name: "refund", arguments: { order: 17 } }] }, { text: "That is all." });
    const channel = await connect(tenant, slack, { reviewers: { conversation: "C900" } });
    await channel.say(1, "Money back for order 17, please.");
    await expect.poll(() => channel.buttons()).toHaveProperty("Deny");
    expect((await textsTo(channel, "D100")).join()).not.toMatch(/\b17\b/);
    const { "Allow once": allow = "", Deny: deny = "" } = await channel.buttons();
    await Promise.all([
      channel.deliver(await slack.press(allow, { id: 7, isStaff: true })),
      channel.deliver(await slack.press(deny, { id: 8, isStaff: true })),
    ]);
    await expect.poll(() => textsTo(channel, "D100")).toContain("That is all.");
    const { closedBy, answer } = await askOf(tenant, "answered");
    expect([`slack:U7 once`, `slack:U8 deny`]).toContain(`${closedBy.id} ${answer.decision}`);
    expect(closedBy).toMatchObject({ kind: "channel", role: "operator" });
    expect(await shop.requests()).toHaveLength(answer.decision === "once" ? 1 : 0);
    await expect.poll(() => channel.texts()).toContain("That was decided already.");
    await expect
      .poll(() => textsTo(channel, "C900"))
      .toContainEqual(expect.stringContaining(`Answered by ${closedBy.id}`));
  });
});

it("a question without suggestions is answered by the next message", async () => {
  const { tenant, channel } = await asking(telegram, { question: "Which city?" });
  await channel.say(1, "Weather?");
  await expect.poll(() => channel.texts()).toEqual(["Which city?"]);
  await channel.say(2, "Bern");
  await expect.poll(async () => (await channel.texts()).at(-1)).toBe("Noted: thanks.");
  expect(await askOf(tenant, "answered")).toMatchObject({
    answer: { response: "Bern" },
    closedBy: { id: "telegram:1" },
  });
});

it("staff answers a question by replying to it; what else is said there begins nothing", async () => {
  const tenant = await newTenant({ questions: { audience: "staff" } });
  const model = await tenant.agent("assistant", askHuman);
  await model.reply(
    { toolCalls: [{ name: "ask_human", arguments: { question: "How much?" } }] },
    { text: "It is 40." },
  );
  const channel = await connect(tenant, telegram, { reviewers: { conversation: "-900" } });
  await channel.say(1, "What does it cost?");
  await expect.poll(() => textsTo(channel, "-900")).toHaveLength(1);
  await channel.say(2, "Who knows?", { user: 7, isStaff: true });
  const query = "SELECT message_id FROM posts WHERE post_key LIKE 'ask:%' AND message_id IS NOT NULL";
  const repliesTo = await eventually(() =>
    runInDurableObject(channel.conversation("-900"), (_object, { storage }) =>
      z.string().parse(storage.sql.exec(query).toArray()[0]?.message_id),
    ),
  );
  await channel.say(3, "40 euros", { user: 8, isStaff: true, repliesTo });
  await expect
    .poll(() => textsTo(channel, "100"))
    .toEqual(["A person will look at this before it goes on.", "It is 40."]);
  expect(await askOf(tenant, "answered")).toMatchObject({
    answer: { response: "40 euros" },
    closedBy: { id: "telegram:8" },
  });
  await expect.poll(() => sessionsOf(tenant)).toHaveLength(1);
});

it("the channel of our own brings questions as data, and an answer names its ask", async () => {
  const { tenant, channel } = await asking(generic, { question: "Which size?", suggestions: ["small", "large"] });
  await channel.say(1, "I want a shirt.");
  await expect.poll(async () => (await channel.calls()).length).toBe(1);
  expect((await channel.calls())[0]?.body).toMatchObject({
    conversation: "room-1",
    text: "Which size?",
    ask: {
      askId: expect.stringMatching(/^ask_/),
      question: "Which size?",
      suggestions: ["small", "large"],
      status: "open",
    },
  });
  await channel.say(2, "large");
  await expect.poll(() => channel.texts()).toEqual(["Which size?", "Noted: thanks."]);
  expect(await askOf(tenant, "answered")).toMatchObject({
    closedBy: { kind: "channel", id: "generic:u1", subject: "u1" },
  });
});

it("the channel of our own tells whoever answers a question that was asked elsewhere, and makes no message of it", async () => {
  const { tenant, channel } = await asking(generic, { question: "Which size?" });
  await channel.say(1, "I want a shirt.");
  await expect.poll(() => channel.texts()).toEqual(["Which size?"]);
  const { askId } = await askOf(tenant, "open");
  const elsewhere = { conversation: "room-2", messageId: "m2", user: { id: "u2" }, text: "large", askId };
  await channel.deliver(await generic.raw(elsewhere));
  await expect.poll(() => channel.texts()).toEqual(["Which size?", "That question isn't here any more."]);
  await askOf(tenant, "open");
  await expect.poll(() => sessionsOf(tenant)).toHaveLength(1);
});

it("a question whose time is over is changed to say so", async () => {
  const { tenant, channel } = await asking(slack, { question: "Which city?", timeoutMs: 60_000 });
  await channel.say(1, "Weather?");
  await expect.poll(() => channel.texts()).toContain("Which city?");
  const { from } = await askOf(tenant, "open");
  passTime(61_000);
  await runDurableObjectAlarm(tenant.object(from.sessionId));
  await expect.poll(() => channel.texts()).toContainEqual(expect.stringContaining("Nobody answered in time"));
  const changed = (await channel.calls()).filter(({ path }) => path === "/chat.update");
  expect(JSON.stringify(changed)).toContain("Nobody answered in time");
});

it("commands begin anew, and hand the conversation over to a person and back", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Hello." }, { text: "Hello again." }, { text: "I am back." });
  const channel = await connect(tenant, slack, { reviewers: { conversation: "C900" } });
  await channel.say(1, "Hi.");
  await expect.poll(() => channel.texts()).toContain("Hello.");
  await channel.say(2, "/new");
  await channel.say(3, "Hi again.");
  await expect.poll(() => channel.texts()).toContain("Hello again.");
  await expect.poll(() => sessionsOf(tenant)).toHaveLength(2);

  await channel.say(4, "/person");
  await expect.poll(() => textsTo(channel, "C900")).toContainEqual(expect.stringContaining("U1 asks for a person"));
  await channel.say(5, "Anybody?");
  const { "Give back to the bot": back = "" } = await channel.buttons();
  await channel.deliver(await slack.press(back, { id: 7, isStaff: true }));
  await expect.poll(() => channel.texts()).toContain("The bot answers here again.");
  // What nobody answered meanwhile, it answers.
  await expect.poll(() => channel.texts()).toContain("I am back.");
  expect(JSON.stringify((await model.requests()).at(-1))).toContain("Anybody?");
});

it("what a person writes in a conversation that they took over is posted there, whoever's message it answers, and no bot beside it", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  const channel = await connect(tenant, slack);
  await channel.say(1, "/person");
  await expect.poll(() => channel.texts()).toContain("A person was asked to go on here.");
  const [{ askId, from }] = await eventually(async () => {
    const { items } = (await tenant.call("GET", "/v1/asks?kind=handover")).body;
    expect(items).toHaveLength(1);
    return items;
  });
  await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "take" });
  await expect.poll(() => channel.texts()).toContain("A person answers here now.");
  const write = (content: string) => tenant.call("POST", `/v1/sessions/${from.sessionId}/staff-messages`, { content });
  await write("I am Ada.");
  await expect.poll(() => channel.texts()).toContain("I am Ada.");
  await channel.say(2, "Where is it?");
  await channel.say(3, "My parcel.");
  await expect
    .poll(async () => (await tenant.call("GET", `/v1/sessions/${from.sessionId}/messages`)).body.items.length)
    .toBe(3);
  await write("In Lyon.");
  await expect.poll(() => channel.texts()).toContain("In Lyon.");
  const texts = await channel.texts();
  expect(texts.filter((text: string) => text === "In Lyon.")).toHaveLength(1);
  expect(texts.filter((text: string) => text === "Your message was taken. A person answers here.")).toHaveLength(1);
  await channel.say(4, "/bot");
  await expect.poll(() => channel.texts()).toContain("A person has taken over here, and hands the conversation back.");
  expect(await model.requests()).toHaveLength(0);
});

function slackForm(metadata: string, text: string) {
  const values = { text: { text: { type: "plain_text_input", value: text } } };
  const view = { id: "V1", private_metadata: metadata, state: { values } };
  return slackInteraction({ type: "view_submission", user: { id: "U7", name: "reviewer" }, view });
}
