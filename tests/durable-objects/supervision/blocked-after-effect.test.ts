/** An answer that is blocked, or fails, after a tool has done something: whoever asked reads on every face that it was done. */
import { expect, it } from "vitest";
import type { ShownPass } from "../../../src/supervision/state.js";
import { connect, platforms } from "../../support/chat-platforms.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { callTool, mcpClient } from "../../support/mcp-client.js";
import { modelOf, newTeam, routesTo, startRun } from "../../support/teams.js";
import type { UpstreamModel } from "../../support/upstream-client.js";
import { received, receiver, subscribe, taken } from "../../support/webhook-receivers.js";
import { httpTool, passes, toolCalls } from "./support.js";

const done = "It was done; its confirmation can't be shown: pay refund.";
const told = `The answer was blocked. It is internal. ${done}`;
const refund = toolCalls(["pay_refund", { text: "order 922" }]);

/** An agent that pays a refund, and rules that let nothing of it be said. */
async function desk(): Promise<{ tenant: TestTenant; model: UpstreamModel; shop: UpstreamModel }> {
  const tenant = await newTenant({ supervisors: ["discretion"] });
  const match = { type: "phrases", phrases: ["project bluebird"] };
  await tenant.rules("discretion", [{ match, action: "block", reason: "It is internal." }], { hooks: ["response"] });
  const shop = await httpTool(tenant, "pay_refund");
  await shop.reply({ body: "paid from the account of Project Bluebird", repeat: true });
  const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay_refund" }] });
  return { tenant, model, shop };
}

async function pays(model: UpstreamModel, times = 1): Promise<void> {
  for (let time = 0; time < times; time++) await model.reply(refund, { text: "Your refund is paid." });
}

it("says so in a session, over OpenAI's face, ui-chat, MCP, a channel and a webhook with texts", async () => {
  const { tenant, model, shop } = await desk();
  const crm = await receiver(taken);
  await subscribe(tenant, crm, { includeTexts: true });
  await pays(model, 7);
  const session = await tenant.session();
  expect(await tenant.say(session, "Refund 922.")).toMatchObject({ status: "blocked", error: { content: told } });
  const streamed = await tenant.stream(session, "Refund 922.");
  expect(streamed.at(-1)?.data).toMatchObject({ status: "blocked", error: { content: told } });

  const messages = [{ role: "user", content: "Refund 922." }];
  const chat = await tenant.call("POST", "/v1/chat/completions", { model: "assistant", messages });
  expect(chat.body.choices[0].message.refusal).toBe(told);
  const response = await tenant.call("POST", "/v1/responses", { model: "assistant", input: "Refund 922." });
  expect(JSON.stringify(response.body)).toContain(done);

  const page = { id: "m1", role: "user", parts: [{ type: "text", text: "Refund 922." }] };
  const chatted = await tenant.call("POST", "/v1/ui-chat", {
    id: "chat-1",
    agent: "assistant",
    messages: [page],
    trigger: "submit-message",
  });
  expect(chatted.body).toContain(done);

  const host = await mcpClient(tenant.key, "legacy");
  const sent = await callTool(host, "send_message", { sessionId: await tenant.session(), content: "Refund 922." });
  expect(sent.result).toMatchObject({ status: "blocked", error: told });

  const channel = await connect(tenant, platforms.generic);
  await channel.say(1, "Refund 922.");
  await expect.poll(() => channel.texts()).toEqual([told]);
  expect(await shop.requests()).toHaveLength(7);
  await expect.poll(async () => JSON.stringify(await received(crm)).split(done).length).toBeGreaterThan(3);
});

it("tells operators which text was at fault, and nobody else", async () => {
  const { tenant, model } = await desk();
  await pays(model);
  const session = await tenant.session();
  const { message } = await tenant.say(session, "Refund 922.");
  const all: ShownPass[] = await passes(tenant, session);
  const faults = all.find(({ decision }) => decision === "block")?.steps[0]?.faults;
  const text = "paid from the account of Project Bluebird";
  expect(faults).toEqual([{ of: "result", toolCallId: expect.any(String), tool: "shop/pay_refund", text }]);
  expect(JSON.stringify(await passes(await tenant.withRole("client"), session))).not.toMatch(/Bluebird|faults/);
  const audit = await tenant.call("GET", "/v1/audit");
  expect(audit.body).not.toContain("Bluebird");

  const path = `/v1/sessions/${session}/messages/${message?.messageId}/erase`;
  expect((await tenant.call("POST", path)).status).toBe(200);
  expect(JSON.stringify(await passes(tenant, session))).not.toContain("Bluebird");
});

it("says so where the model fails afterwards, instead of asking for the message again", async () => {
  const { tenant, model } = await desk();
  await model.reply(refund, { status: 400, body: { error: { message: "broken" } }, repeat: true });
  const turn = await tenant.say(await tenant.session(), "Refund 922.");
  expect(turn.status).toBe("failed");
  expect(turn.error?.content).toContain(done);
  expect(turn.error?.content).not.toContain("again");
});

it("says so in a run, whichever worker did it", async () => {
  const { tenant } = await desk();
  const team = newTeam({ clerk: { tools: ["shop/pay_refund"] } });
  await team.supervisor.reply(routesTo("clerk"));
  await modelOf(team, "clerk").reply(refund, { text: "Paid by Project Bluebird." });
  const run = await startRun(tenant, team.definition, "Refund 922.");
  expect(run).toMatchObject({ status: "blocked", error: { code: "blocked" } });
  expect(run.error?.detail).toBe(`The response was blocked. It is internal. ${done}`);
});

it("says so to the model where the result alone is blocked, so that it isn't done twice", async () => {
  const { tenant, model } = await desk();
  await tenant.put("supervisors", "discretion", {
    kind: "rules",
    hooks: ["tool_result"],
    config: {
      rules: [{ match: { type: "phrases", phrases: ["bluebird"] }, action: "block", reason: "It is internal." }],
    },
  });
  await pays(model);
  expect(await tenant.say(await tenant.session(), "Refund 922.")).toMatchObject({ status: "completed" });
  const last = JSON.stringify((await model.requests()).at(-1)?.body);
  expect(last).toMatch(/The result of .{1,2}pay_refund.{1,2} was blocked. The call was made all the same: it was done/);
});
