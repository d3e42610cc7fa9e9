/** What a host hears of a call that takes long, where it gave a progress token. */

import { env, exports } from "cloudflare:workers";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { caughtUp } from "../../src/conversation/event.js";
import { RootGateway } from "../../src/gateways/root-gateway.js";
import { SessionGateway } from "../../src/gateways/session-gateway.js";
import { Paced } from "../../src/mcp/paced.js";
import { stepOf } from "../../src/mcp/steps.js";
import { slowDocs } from "../durable-objects/supervision/support.js";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { eras, mcpClient, mcpUrl } from "../support/mcp-client.js";
import { passTime } from "../support/objects.js";
import { newPanel, seat, startTable, takes } from "../support/roundtables.js";
import { modelOf, newTeam, routesTo } from "../support/teams.js";
import type { UpstreamModel } from "../support/upstream-client.js";

/** An agent with a remote tool that says how far it is, in words that no supervisor has seen. */
async function withSlowTool(): Promise<{ tenant: TestTenant; model: UpstreamModel }> {
  const tenant = await newTenant();
  await slowDocs(tenant);
  await tenant.rules("careful", [
    { match: { type: "phrases", phrases: ["blue falcon"] }, action: "block", reason: "It is about Project Heron." },
  ]);
  const model = await tenant.agent("assistant", {
    tools: [{ server: "docs", tool: "slow" }],
    supervisors: ["careful"],
  });
  const slow = { toolCalls: [{ name: "slow", arguments: {} }] };
  await model.reply({ ...slow, hold: "begin" }, { text: "It is the Blue Falcon.", hold: "end" });
  return { tenant, model };
}

/** A call under way, with what its host has heard so far. */
function call(client: Client, name: string, args: Fields) {
  const heard: { progress: number; message?: string | undefined }[] = [];
  const ended = client.callTool({ name, arguments: args }, { onprogress: (one) => void heard.push(one) });
  const messages = () => heard.map(({ message }) => message);
  return { ended, heard, messages };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe.each(eras.map((era) => [typeof era === "string" ? era : era.pin, era] as const))("MCP, %s", (_name, era) => {
  it("tells which step a turn is at, in rising numbers: no text, no reason, and no word of a tool's own", async () => {
    const { tenant, model } = await withSlowTool();
    const client = await mcpClient(tenant.key, era);
    const sessionId = await tenant.session();
    const { ended, heard, messages } = call(client, "send_message", { sessionId, content: "Which?" });
    await expect.poll(messages).toContain("The assistant is at work.");
    await model.release("begin");
    await expect.poll(messages).toContain("The tool docs/slow has returned.");
    await model.release("end");
    expect((await ended).structuredContent).toMatchObject({ status: "blocked" });
    const used = ["The tool docs/slow is at work.", "The tool docs/slow: 1 of 4.", "The tool docs/slow has returned."];
    // Every five seconds the newest is said again.
    expect([...new Set(messages())].slice(0, 4)).toEqual(["The assistant is at work.", ...used]);
    expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_one, at) => at + 1));
    expect(JSON.stringify(heard)).not.toMatch(/falcon|heron|rosebud/i);
  });
});

it("names to an end user's token the tool that its turn names, and no worker of a team", async () => {
  const { tenant, model } = await withSlowTool();
  const team = newTeam({ billing: {} });
  await tenant.put("teams", "help", team.definition);
  await tenant.put("agents", "desk", { kind: "team", team: "help" });
  await team.supervisor.reply(routesTo("billing"));
  await modelOf(team, "billing").reply({ text: "Invoice 7 is paid.", hold: "billing" });
  const token = (await tenant.call("POST", "/v1/tokens", { subject: "ada" })).body.token;
  const client = await mcpClient(token, "legacy");

  const ofAgent = await tenant.session({ subject: "ada" });
  const answer = call(client, "send_message", { sessionId: ofAgent, content: "Which?" });
  await expect.poll(answer.messages).toContain("The assistant is at work.");
  await model.release("begin");
  await expect.poll(answer.messages).toContain("The tool docs/slow has returned.");
  await model.release("end");
  await answer.ended;

  const ofTeam = await tenant.session({ subject: "ada", agent: "desk" });
  const { ended, messages } = call(client, "send_message", { sessionId: ofTeam, content: "Is it paid?" });
  // Told once the worker has begun: its step, if it were told, is among them.
  await modelOf(team, "billing").until({ requests: 1 });
  await expect.poll(messages).toContain("The assistant is at work.");
  await modelOf(team, "billing").release("billing");
  await ended;
  expect(JSON.stringify(messages())).not.toContain("billing");
});

it("names the workers of a team and the seats of a panel", async () => {
  const tenant = await newTenant();
  const team = newTeam({ billing: {} });
  await tenant.put("teams", "help", team.definition);
  await team.supervisor.reply(routesTo("billing"));
  await modelOf(team, "billing").reply({ text: "Invoice 7 is paid.", hold: "billing" });
  const panel = newPanel(["a", "b"], { rounds: 1 });
  await tenant.put("panels", "board", panel.fields);
  await seat(panel, "a").reply(takes("Ship it."));
  await seat(panel, "b").reply({ ...takes("Wait."), hold: "b" });
  const client = await mcpClient(tenant.key, "legacy");

  const run = call(client, "run_team", { team: "help", input: "Is it paid?" });
  const debate = call(client, "start_roundtable", { topic: "Do we ship?", panel: "board" });
  await expect.poll(run.messages).toContain("The worker billing is at work.");
  await expect.poll(debate.messages).toContain("a has spoken in round 1.");
  await modelOf(team, "billing").release("billing");
  await seat(panel, "b").release("b");
  expect((await run.ended).structuredContent).toMatchObject({ status: "completed" });
  expect((await debate.ended).structuredContent).toMatchObject({ status: "completed" });
  expect(JSON.stringify([run.heard, debate.heard])).not.toMatch(/It fits|ship it|invoice/i);
});

it("says that the work goes on when a question was answered elsewhere, and no more that it waits", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  const question = { toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] };
  await model.reply(question, { text: "The red one.", hold: "h" });
  const sessionId = await tenant.session();
  const { turnId, asks } = await tenant.say(sessionId, "Buy it.");
  await tenant.call("POST", `/v1/asks/${asks[0]?.askId}/answer`, { response: "Red." });
  await model.until({ requests: 2 });
  const client = await mcpClient(tenant.key, "legacy");
  const { ended, messages } = call(client, "get_turn", { sessionId, turnId });
  await expect.poll(messages).toContain("The work goes on.");
  await model.release("h");
  await ended;
  expect(messages()).not.toContain("A question waits for an answer.");
});

it("reads of a debate the round that is waited for alone, no longer than the call waits, and notes it nowhere", async () => {
  const tenant = await newTenant();
  const opened: { leftMs: number; text: string }[] = [];
  const { streamEvents } = RootGateway.prototype;
  vi.spyOn(RootGateway.prototype, "streamEvents").mockImplementation(async function (this: unknown, ...args) {
    if (args[0] !== tenant.tenantId) return streamEvents.apply(this, args);
    const one = { leftMs: args[2].reader.until - Date.now(), text: "" };
    opened.push(one);
    const transform = (bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
      one.text += new TextDecoder().decode(bytes);
      controller.enqueue(bytes);
    };
    const stream = await streamEvents.apply(this, args);
    return stream?.pipeThrough(new TransformStream({ transform })) ?? null;
  });
  const panel = newPanel(["a", "b"], { rounds: 2 });
  await seat(panel, "a").reply(takes("Ship it."), takes("Ship it soon."));
  await seat(panel, "b").reply(takes("Wait."), { ...takes("Wait a bit."), hold: "b" });
  const { sessionId } = await startTable(tenant, panel);
  const client = await mcpClient(tenant.key, "legacy");
  const { ended, messages } = call(client, "continue_roundtable", { sessionId, waitMs: 50_000 });
  await expect.poll(messages).toContain("a has spoken in round 2.");
  const connections = env.DB.prepare("SELECT COUNT(*) AS n FROM connections WHERE tenant_id = ?");
  expect(await connections.bind(tenant.tenantId).first("n")).toBe(0);
  const [stream] = opened;
  expect(stream?.text).toContain("Ship it soon.");
  expect(stream?.text).not.toContain("Ship it.");
  expect(stream?.leftMs).toBeLessThanOrEqual(50_000);
  await seat(panel, "b").release("b");
  await ended;
});

it.each(["ends", "breaks"])(
  "says that the work goes on, and no step of before, when what it follows %s",
  async (how) => {
    const tenant = await newTenant();
    let arrived = "";
    let cut = (): void => {};
    const { streamEvents } = RootGateway.prototype;
    vi.spyOn(RootGateway.prototype, "streamEvents").mockImplementation(async function (this: unknown, ...args) {
      if (args[0] !== tenant.tenantId) return streamEvents.apply(this, args);
      const start = (controller: TransformStreamDefaultController<Uint8Array>): void => {
        cut = () => (how === "ends" ? controller.terminate() : controller.error(new Error("the connection was lost")));
      };
      const transform = (bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
        arrived += new TextDecoder().decode(bytes);
        controller.enqueue(bytes);
      };
      return (await streamEvents.apply(this, args))?.pipeThrough(new TransformStream({ start, transform })) ?? null;
    });
    const { turn } = SessionGateway.prototype;
    // Each look lasts five seconds, for those who read the clock.
    vi.spyOn(SessionGateway.prototype, "turn").mockImplementation(async function (this: SessionGateway, ...args) {
      if (args[0] !== tenant.tenantId) return turn.apply(this, args);
      await eventually(() => expect(arrived).toContain(caughtUp));
      cut();
      cut = () => {};
      passTime(5_000);
      return turn.call(this, args[0], args[1], args[2], 0);
    });
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Good night.", hold: "h" });
    const client = await mcpClient(tenant.key, "legacy");
    const { ended, messages } = call(client, "send_message", { sessionId: await tenant.session(), content: "Bye." });
    expect((await ended).structuredContent).toMatchObject({ status: "running" });
    expect(messages()).toContain("The assistant is at work.");
    expect(messages().at(-1)).toBe("It is being worked on.");
    await model.release("h");
  },
);

it.each([
  ["no token", {}],
  ["too long a token: each message would repeat it", { _meta: { progressToken: "t".repeat(201) } }],
])("says nothing to a host that gave %s", async (_name, meta) => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Good night.", hold: "h" });
  const client = await mcpClient(tenant.key, "legacy");
  const sessionId = await tenant.session();
  const asked = exports.default.fetch(mcpUrl, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tenant.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "send_message", arguments: { sessionId, content: "Bye.", waitMs: 60_000 }, ...meta },
    }),
  });
  await model.until({ open: 1 });
  const read = call(client, "get_turn", {
    sessionId,
    turnId: (await tenant.call("GET", `/v1/sessions/${sessionId}`)).body.lastTurn.turnId,
  });
  // Longer than any host waits for its first step: another one, at the same turn, has heard of it.
  await expect.poll(read.messages).toContain("The assistant is at work.");
  await model.release("h");
  await read.ended;
  const answer = await (await asked).text();
  expect(answer).toContain("Good night.");
  expect(answer).not.toContain("progress");
});

it("tells no step of an event whose data it can't read, and goes on with the next", () => {
  expect(stepOf("tool.called", '{"server":7}')).toBeUndefined();
  expect(stepOf("tool.called", '{"server":"docs","tool":"slow"}')).toBe("The tool docs/slow is at work.");
});

it("a flood of steps is ten a second, and the newest of the rest", () => {
  vi.useFakeTimers();
  const heard: string[] = [];
  const paced = new Paced({ most: 10, perMs: 1_000 }, Date.now, (message) => void heard.push(message));
  for (let n = 1; n <= 50; n++) paced.say(`${n}`);
  expect(heard).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
  vi.advanceTimersByTime(1_000);
  expect(heard.slice(10)).toEqual(["50"]);
  for (let n = 51; n <= 70; n++) paced.say(`${n}`);
  paced.stop();
  vi.advanceTimersByTime(5_000);
  expect(heard.slice(11)).toEqual(["51", "52", "53", "54", "55", "56", "57", "58", "59"]);
});
