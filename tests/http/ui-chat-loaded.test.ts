/** A page that is opened again: its chat is what its streams brought. That the SDK reads it so is tested in tests/clients. */
import { evictDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { readChunks } from "../../src/http/ui-chat/chunk-reader.js";
import type { UiChunk } from "../../src/http/ui-chat/chunks.js";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { bodyOf, say, userOf } from "../support/ui-chat.js";
import { expectProblem } from "./support.js";

async function load(user: TestTenant, id: string, query = "") {
  const { status, body } = await user.call("GET", `/v1/ui-chat/${id}/messages${query}`);
  expect(status).toBe(200);
  return body;
}

/** As JSON tells it. */
const shown = (chunks: readonly UiChunk[]) => JSON.parse(JSON.stringify(readChunks(chunks)));
const said = (text: string) => expect.objectContaining({ role: "user", parts: [{ type: "text", text }] });
const asks = (question: string) => ({ toolCalls: [{ name: "ask_human", arguments: { question } }] });

it("is loaded as it was streamed: texts, tools, a question with its answer, a block, a failure", async () => {
  const tenant = await newTenant();
  const shop = await tenant.agent("shop");
  await shop.reply({ body: "three are left" });
  await tenant.put("tools", "stock", {
    ...{ server: "shop", description: "Looks", parameters: { type: "object", properties: {} } },
    http: { url: shop.hookURL },
  });
  const match = { type: "phrases", phrases: ["crown jewels"] };
  await tenant.rules("guard", [{ match, action: "block", reason: "No treasure." }]);
  const tools = ["shop/stock", { server: "conclave", tool: "ask_human" }];
  const model = await tenant.agent("assistant", { supervisors: ["guard"], tools });
  const ada = await userOf(tenant, "ada");

  await model.reply({ text: "I look.", toolCalls: [{ name: "stock", arguments: {} }] }, { text: "Three lamps." });
  const looked = shown(await say(ada, "c", "How many?"));
  await model.reply({ text: "Let me see.", ...asks("Which order?") });
  const asked = shown(await say(ada, "c", "Where is it?"));
  const open = await load(ada, "c");
  expect(open).toEqual({
    items: [said("How many?"), looked, said("Where is it?"), asked],
    resume: false,
    earlier: null,
  });

  await model.reply({ text: "It is on its way." });
  const answered = shown(await say(ada, "c", "A-1"));
  const blocked = shown(await say(ada, "c", "The crown jewels!"));
  await model.reply({ status: 400, body: { error: { message: "secret upstream words" } }, repeat: true });
  const failed = shown(await say(ada, "c", "And now?"));
  await evictDurableObject(tenant.object(looked.metadata.sessionId));
  const { items, resume } = await load(ada, "c");
  // Its question is closed by now.
  const [step, text, ask] = asked.parts;
  const closed = { ...asked, parts: [step, text, { ...ask, data: { ...ask.data, status: "answered" } }] };
  const withheld = expect.objectContaining({ role: "user" });
  expect(items).toEqual([
    ...[said("How many?"), looked, said("Where is it?"), closed, said("A-1"), answered],
    ...[withheld, blocked, said("And now?"), failed],
  ]);
  expect(resume).toBe(false);
  expect([blocked.metadata.status, failed.metadata]).toMatchObject([
    "blocked",
    { status: "failed", error: expect.stringContaining("The answer failed") },
  ]);
  expect(JSON.stringify(items)).not.toMatch(/secret upstream words|crown/);
  // Of what its user said it shows what the transcript does.
  const transcript = await ada.call("GET", `/v1/sessions/${looked.metadata.sessionId}/messages`);
  expect(transcript.body.items).toMatchObject([
    ...[{ content: "How many?" }, {}, { content: "Where is it?" }, { content: "A-1" }, {}],
    ...[{ content: items[6].parts[0].text }, {}, { content: "And now?" }, {}],
  ]);
  // In pages, none of which begins in the middle of a turn.
  const newest = await load(ada, "c", "?limit=5");
  expect(newest.items).toEqual(items.slice(2));
  expect(await load(ada, "c", `?limit=5&before=${newest.earlier}`)).toEqual({
    ...{ items: items.slice(0, 2), resume: false, earlier: null },
  });
});

it("shows an approval that its user is asked for, and once it was given what the tool was told and gave", async () => {
  const tenant = await newTenant({ approvals: { audience: "user" } });
  const bank = await tenant.agent("bank");
  await bank.reply({ body: "paid" });
  await tenant.put("tools", "pay", {
    ...{ server: "bank", description: "Pays.", parameters: { type: "object", properties: {} } },
    ...{ http: { url: bank.hookURL }, approval: "always" },
  });
  const model = await tenant.agent("assistant", { tools: ["bank/pay"] });
  const ada = await userOf(tenant, "ada");
  await model.reply({ text: "I pay.", toolCalls: [{ name: "pay", arguments: {} }] }, { text: "Paid." });
  const asked = shown(await say(ada, "c", "Pay."));
  expect((await load(ada, "c")).items).toEqual([said("Pay."), asked]);
  const ask = asked.parts.at(-1);
  expect(ask).toMatchObject({ type: "data-ask", data: { kind: "approval", status: "open" } });
  await ada.call("POST", `/v1/asks/${ask.id}/answer`, { decision: "once" });
  await expect.poll(async () => (await load(ada, "c")).resume).toBe(false);
  const { items } = await load(ada, "c");
  expect(items.map(({ id }: { id: string }) => id).slice(1)).toEqual([asked.id, `${asked.id}.1`]);
  expect(items[2].parts).toMatchObject([
    { type: "step-start" },
    { type: "dynamic-tool", toolName: "bank/pay", state: "output-available", output: expect.stringContaining("paid") },
    { type: "text", text: "Paid." },
  ]);
});

it("shows nothing of what is held but that it is, and what waits behind it", async () => {
  const tenant = await newTenant();
  const match = { type: "phrases", phrases: ["refund"] };
  await tenant.rules("desk", [{ match, action: "review", reason: "money" }]);
  await tenant.agent("assistant", { supervisors: ["desk"] });
  const ada = await userOf(tenant, "ada");
  const held = shown(await say(ada, "c", "I want a refund."));
  const behind = shown(await say(ada, "c", "Well?"));
  const unread = expect.objectContaining({ role: "user", parts: [] });
  const loaded = await load(ada, "c");
  expect(loaded).toEqual({ items: [unread, held, unread, behind], resume: false, earlier: null });
  expect(JSON.stringify(loaded)).not.toMatch(/refund|Well|ask_/);
});

it("leaves what is being written to the stream", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  const ada = await userOf(tenant, "ada");
  const text = "Once upon a time there was a tower by the sea. ".repeat(10);
  await model.reply({ chunks: [text, "The end."], text: `${text}The end.`, hold: { name: "h", afterChunks: 1 } });
  const body = bodyOf("c", "Tell me.");
  const left = await send("POST", "/v1/ui-chat", { body, headers: { authorization: `Bearer ${ada.key}` } });
  await left.body?.getReader().read();
  await expect.poll(() => load(ada, "c")).toEqual({ items: [said("Tell me.")], resume: true, earlier: null });
  await model.release("h");
  await expect.poll(async () => (await load(ada, "c")).resume).toBe(false);
});

it("is its subject's alone, and there to no other", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  const [ada, bob] = [await userOf(tenant, "ada"), await userOf(tenant, "bob")];
  await model.reply({ text: "Hello." });
  await say(ada, "mine", "Hi!");
  const none = await bob.call("GET", "/v1/ui-chat/nobodys/messages");
  const elsewhere = await newTenant();
  const other = await userOf(tenant, "ada", {
    sessionId: await tenant.session({ agent: "assistant", subject: "ada" }),
  });
  for (const stranger of [bob, other, elsewhere, await userOf(elsewhere, "ada")]) {
    const answer = await stranger.call("GET", "/v1/ui-chat/mine/messages");
    expectProblem(answer, "not_found");
    expect(answer.body.detail).toBe(none.body.detail);
  }
  expect((await load(tenant, "mine")).items).toHaveLength(2);
  await tenant.call("POST", "/v1/subjects/ada/revoke");
  expectProblem(await ada.call("GET", "/v1/ui-chat/mine/messages"), "unauthorized");
});
