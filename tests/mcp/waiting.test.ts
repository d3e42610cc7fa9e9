/** How long a call waits for what it began or reads. */
import { exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { refuse } from "../../src/conversation/problem.js";
import { AskGateway } from "../../src/gateways/ask-gateway.js";
import { SessionGateway } from "../../src/gateways/session-gateway.js";
import { openAsk } from "../durable-objects/supervision/support.js";
import { type Fields, newTenant } from "../support/conclave.js";
import { callTool, mcpClient, mcpUrl } from "../support/mcp-client.js";
import { newPanel, requests, seat, takes } from "../support/roundtables.js";

afterEach(() => {
  vi.restoreAllMocks();
});

it("takes the next message of a chat that it began for the answer to what a panel asks its user", async () => {
  const tenant = await newTenant();
  const panel = newPanel(["a", "b"], { rounds: 2 });
  await tenant.put("panels", "board", panel.fields);
  await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
  await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."), takes("A2."));
  await seat(panel, "b").reply(takes("B1."), takes("B2."));
  await panel.analyst.reply({ text: JSON.stringify({ conclusion: "The panel would ship." }) });
  const client = await mcpClient(tenant.key, "legacy");
  const { sessionId } = (await callTool(client, "create_session", { agent: "assistant" })).result;
  const asked = await callTool(client, "send_message", { sessionId, content: "Do we ship?", waitMs: 10_000 });
  expect(asked.result).toMatchObject({ status: "needs_input" });
  const answered = await callTool(client, "send_message", { sessionId, content: "5 million", waitMs: 10_000 });
  expect(answered.result).toMatchObject({ status: "completed", turnId: asked.result.turnId });
});

it("returns a turn that is queued behind one that waits for somebody after one look: nothing goes on by itself", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }] });
  const sessionId = await tenant.session({ whileWaiting: "queue" });
  expect(await tenant.say(sessionId, "Book a hotel.")).toMatchObject({ status: "waiting" });
  const client = await mcpClient(tenant.key, "legacy");
  const looked = vi.spyOn(SessionGateway.prototype, "turn");
  // Calls of other tests may be under way.
  const looks = () => looked.mock.calls.filter(([tenantId]) => tenantId === tenant.tenantId).length;

  const sent = await callTool(client, "send_message", { sessionId, content: "And a car.", waitMs: 10_000 });
  expect(sent.result).toMatchObject({ status: "queued" });
  expect(looks()).toBe(1);
  const { turnId } = sent.result;
  const read = await callTool(client, "get_turn", { sessionId, turnId, waitMs: 10_000 });
  expect(read.result).toMatchObject({ status: "queued", turnId });
  expect(looks()).toBe(2);
});

it("asks the user of a host of before once, though the ask couldn't be read for a moment", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  const question = { toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }] };
  await model.reply(question, { text: "Booked in Turin." });
  const asked: string[] = [];
  const client = await mcpClient(tenant.key, "legacy", (which) => {
    asked.push(which);
    return { response: "Turin" };
  });
  const read = vi.spyOn(AskGateway.prototype, "get").mockResolvedValueOnce(refuse("unavailable", "Not now."));
  const args = { sessionId: await tenant.session(), content: "Book a hotel.", waitMs: 20_000 };
  const sent = await callTool(client, "send_message", args);
  expect(sent.result).toMatchObject({ status: "completed", reply: "Booked in Turin." });
  expect(asked).toEqual(["Which city?"]);
  expect(read).toHaveBeenCalledTimes(2);
});

it("asks the user of a host of before again where the same call is sent again, and knows of each time that they declined", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  const question = { toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }] };
  await model.reply(question, { text: "Booked in Turin." });
  const answers = [undefined, "cancel", { response: "Turin" }] as const;
  let asked = 0;
  const client = await mcpClient(tenant.key, "legacy", () => answers[asked++]);
  const message = { sessionId: await tenant.session(), content: "Book a hotel." };
  const send = () => callTool(client, "send_message", { ...message, waitMs: 120_000, idempotencyKey: "hotel" });
  const [first, second] = [await send(), await send()];
  const declined = [first, second].map(({ result }) => result.asks[0].declinedAt);
  expect([first.result.status, second.result.status, new Set(declined).size]).toEqual([
    "needs_input",
    "needs_input",
    2,
  ]);
  expect((await send()).result).toMatchObject({ status: "completed", reply: "Booked in Turin." });
  expect(asked).toBe(3);
});

it("takes it from those alone whom an ask is for that they declined it, and while it is open", async () => {
  const tenant = await newTenant({ questions: { audience: "staff" } });
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }], repeat: true });
  const decline = async (key: string, askId: string) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: `question ${askId}`, result: { action: "decline" } });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json" };
    expect((await exports.default.fetch(mcpUrl, { method: "POST", headers, body })).status).toBe(202);
    return (await tenant.call("GET", `/v1/asks/${askId}`)).body.declinedAt;
  };
  const ofStaff = openAsk(await tenant.say(await tenant.session(), "Book a hotel."));
  expect(await decline(tenant.key, ofStaff)).toBeUndefined();
  await tenant.call("PATCH", "/v1/tenant", { settings: { questions: { audience: "user" } } });
  const [ofUser, closed] = [
    openAsk(await tenant.say(await tenant.session(), "Book a hotel.")),
    openAsk(await tenant.say(await tenant.session(), "Book a hotel.")),
  ];
  expect(await decline((await newTenant()).key, ofUser)).toBeUndefined();
  expect(await decline(tenant.key, ofUser)).toEqual(expect.any(String));
  await tenant.call("POST", `/v1/asks/${closed}/cancel`);
  expect(await decline(tenant.key, closed)).toBeUndefined();
});

it("goes on with what was asked for the call that it was asked for alone", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  const asks = { toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }] };
  await model.reply(asks, { text: "Booked in Turin." }, asks);
  const host = { arguments: "", answers: 0 };
  const client = await mcpClient(
    tenant.key,
    { pin: "2026-07-28" },
    () => {
      host.answers += 1;
      return { response: "Turin" };
    },
    (body) => (body.includes("requestState") ? body.replace("Book a hotel.", host.arguments) : body),
  );
  const send = async (args: Fields) => callTool(client, "send_message", { content: "Book a hotel.", ...args });
  host.arguments = "Book a hotel.";
  const own = await send({ sessionId: await tenant.session(), waitMs: 10_000 });
  expect(own.result).toMatchObject({ status: "completed", reply: "Booked in Turin." });

  host.arguments = "Book a flight.";
  const other = await send({ sessionId: await tenant.session(), waitMs: 10_000 });
  expect(other).toMatchObject({ isError: true, text: expect.stringContaining("belongs to another call") });
  expect(host.answers).toBe(2);
});
