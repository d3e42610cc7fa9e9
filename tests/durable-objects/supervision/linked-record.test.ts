/** The record says who, what, why and about which text: whole for staff, and for others what is theirs. */
import { describe, expect, it } from "vitest";
import { newTenant, parseEvents, send, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { answer, httpTool, openAsk, passes, supervisingAgent, toolCalls } from "./support.js";

interface Pass {
  readonly hook: string;
}

async function passOf(tenant: TestTenant, session: string, hook: string) {
  return (await passes(tenant, session)).find((pass: Pass) => pass.hook === hook);
}

describe("the pass over a tool call", () => {
  it("keeps the text that it was about, for operators alone, and gives it up with an erasure", async () => {
    const tenant = await newTenant();
    const tool = await httpTool(tenant, "look");
    await tool.reply({ body: "The owner is Ada Lovelace." });
    const name = { type: "phrases", phrases: ["Ada Lovelace"] };
    await tenant.rules("names", [{ match: name, action: "redact", reason: "a name" }], { hooks: ["tool_result"] });
    const model = await tenant.agent("assistant", {
      tools: [{ server: "shop", tool: "look" }],
      supervisors: ["names"],
    });
    await model.reply(toolCalls(["look", { text: "4711" }]), { text: "I can't say." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Whose is it?");
    const call = turn.reply?.modelReply.turns[0]?.toolCalls?.[0];
    expect(turn.supervision.tools).toMatchObject([
      { hook: "tool_result", toolCallId: call?.toolCallId, action: "modify" },
    ]);
    expect(await passOf(tenant, session, "tool_result")).toMatchObject({
      subject: { toolCallId: call?.toolCallId, tool: "shop/look" },
      texts: { before: "The owner is Ada Lovelace.", after: expect.not.stringContaining("Lovelace") },
    });
    const client = await tenant.withRole("client");
    expect(JSON.stringify(await passes(client, session))).not.toContain("Lovelace");
    await tenant.call("POST", `/v1/sessions/${session}/messages/${turn.reply?.messageId}/erase`);
    expect(JSON.stringify(await passes(tenant, session))).not.toContain("Lovelace");
    await eventually(async () => {
      const rows = await (await send("GET", "/v1/audit", { key: tenant.key })).text();
      expect(rows).toContain("tool_result");
      expect(rows).not.toContain("Lovelace");
    });
  });
});

describe("a supervising agent", () => {
  it("that ran out of time has what it did on record", async () => {
    const tenant = await newTenant({ strict: false });
    const judge = await supervisingAgent(tenant, "judge", { timeoutMs: 2_000, onFailure: "allow" });
    await judge.reply(toolCalls(["list_rules", {}], ["get_rule", {}]), { text: "", hold: "for ever" });
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    expect(await tenant.say(session, "Hi.")).toMatchObject({ supervision: { degraded: ["judge"] } });
    expect((await passOf(tenant, session, "request")).steps).toMatchObject([
      {
        failed: expect.any(String),
        calls: [{ tool: "list_rules" }, { tool: "get_rule", refused: expect.any(String) }],
      },
    ]);
  });

  it("that stores a rule for all is its author, in the pass, in the rule's versions and in the audit", async () => {
    const tenant = await newTenant();
    const judge = await supervisingAgent(tenant, "judge", { permissions: "full_control" });
    const rule = { name: "calm", text: "Be calm.", reason: "They are upset." };
    await judge.reply(toolCalls(["store_rule", rule]), toolCalls(["allow_message", {}]));
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    await tenant.say(session, "I am furious.");
    expect((await passOf(tenant, session, "request")).steps).toMatchObject([
      { calls: [{ tool: "store_rule", about: "calm" }, { tool: "allow_message" }] },
    ]);
    const actor = { kind: "supervisor", id: "judge" };
    expect((await tenant.call("GET", "/v1/rules/calm/versions")).body.items).toMatchObject([{ author: actor }]);
    await eventually(async () => {
      const rows = (await (await send("GET", "/v1/audit", { key: tenant.key })).text()).split("\n").filter(Boolean);
      expect(rows.map((row): unknown => JSON.parse(row))).toContainEqual(
        expect.objectContaining({
          type: "resource.stored",
          actor,
          subject: { kind: "rules", name: "calm", version: 1 },
        }),
      );
    });
  });
});

describe("reasons", () => {
  it("are whole in the review that staff decides, and the supervisor's message for everybody else", async () => {
    const tenant = await newTenant();
    const word = { type: "phrases", phrases: ["refund"] };
    const fields = { hooks: ["request"], clientMessage: "One moment, please." };
    await tenant.rules("money", [{ match: word, action: "review", reason: "Over the limit of project X." }], fields);
    const model = await tenant.agent("assistant", { supervisors: ["money"] });
    await model.reply({ text: "Yes." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "A refund!");
    expect(turn.asks[0]).toMatchObject({
      reason: "One moment, please.",
      proposal: { reasons: ["Over the limit of project X."] },
    });
    const client = await tenant.withRole("client");
    expect(JSON.stringify(await client.turn(session, turn.turnId, 0))).not.toContain("project X");
    await answer(tenant, openAsk(turn), { decision: "reject" });
    expect((await client.turn(session, turn.turnId)).error?.content).not.toContain("project X");
  });

  it("of a failed turn are two: a text for the end user, and why, for operators", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ status: 401, body: { error: { message: "key sk-1 is revoked" } }, repeat: true });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Hi.");
    expect(turn).toMatchObject({ status: "failed", failure: expect.stringContaining("401") });
    const client = await tenant.withRole("client");
    const shown = await client.turn(session, turn.turnId);
    expect(shown).not.toHaveProperty("failure");
    expect(shown.error?.content).toContain("nobody could give one");
    const events = await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, { key: client.key });
    const heard = parseEvents(await events.text());
    expect(heard.at(-1)).toMatchObject({ event: "turn.completed", data: { status: "failed" } });
    for (const { data } of heard) expect(data).not.toHaveProperty("failure");
  });
});

describe("what is in force in a session", () => {
  it("says what the newest message mentions, beside what the agent names and what is always there", async () => {
    const tenant = await newTenant();
    await tenant.put("rules", "house", { text: "Be kind.", include: "always" });
    await tenant.put("rules", "legal", { text: "Mention the terms." });
    await tenant.put("references", "prices", { text: "A kettle costs 30." });
    await tenant.put("references", "secret", { text: "Not for you." });
    const mentionable = { rules: ["legal"], references: ["prices"] };
    const model = await tenant.agent("assistant", { mentionable });
    await model.reply({ text: "Yes.", repeat: true });
    const session = await tenant.session();
    const because = async (): Promise<Record<string, string>> => {
      const { effective } = (await tenant.call("GET", `/v1/sessions/${session}/context`)).body;
      return Object.fromEntries(effective.map((item: { name: string; because: string }) => [item.name, item.because]));
    };
    expect(await because()).toEqual({ house: "always" });
    await tenant.say(session, "By @rule:legal, @ref:prices and @ref:secret?");
    expect(await because()).toEqual({ house: "always", legal: "mention", prices: "mention" });
    await tenant.say(session, "Thanks.");
    expect(await because()).toEqual({ house: "always" });
  });
});
