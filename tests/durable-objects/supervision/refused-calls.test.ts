/** What a supervisor wished for and didn't get is never lost in silence; what it rewrote is looked at as what a model wrote. */
import { describe, expect, it } from "vitest";
import { defined } from "../../../src/conversation/defined.js";
import { newTenant } from "../../support/conclave.js";
import { answer, httpTool, openAsk, passes, supervisingAgent, toolCalls } from "./support.js";

describe("a supervising agent whose block was refused beside a modification", () => {
  it.each(["block", "allow", "review"])("blocks, as it wanted, whatever its onFailure (%s) says", async (onFailure) => {
    const tenant = await newTenant({ strict: false });
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    const judge = await supervisingAgent(tenant, "judge", { onFailure });
    await judge.reply(toolCalls(["modify_message", { content: "Hi.", reason: "shorter" }], ["block_message", {}]));
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "The secret word is swordfish.");
    expect(turn).toMatchObject({ status: "blocked", supervision: { status: "ok" } });
    expect(await model.requests()).toEqual([]);
    const [step] = (await passes(tenant, session))[0].steps;
    expect(step.failed).toContain("block_message");
    expect(step.calls).toMatchObject([
      { tool: "modify_message" },
      { tool: "block_message", refused: expect.anything() },
    ]);
  });
});

it("holds a reply for a person that a supervisor wanted changed and couldn't change", async () => {
  const tenant = await newTenant({ strict: false });
  const model = await tenant.agent("assistant", { supervisors: ["judge"] });
  const judge = await supervisingAgent(tenant, "judge", { hooks: ["response"], onFailure: "allow" });
  const edit = { operations: [{ type: "remove_turn", turnId: "t" }], baseHash: "of long ago", reason: "a name" };
  await judge.reply(toolCalls(["edit_response", edit]), toolCalls(["allow_message", {}]));
  await model.reply({ text: "Ada lives in Turin." });
  const session = await tenant.session();
  const turn = await tenant.say(session, "Who?");
  expect(turn).toMatchObject({ status: "waiting" });
  expect(turn.reply).toBeUndefined();
  await answer(tenant, openAsk(turn), { decision: "reject" });
  expect((await tenant.turn(session, turn.turnId)).status).toBe("blocked");
});

describe("edits of one reply", () => {
  it("are one batch, made on the reply as it was shown", async () => {
    const tenant = await newTenant();
    const judge = await supervisingAgent(tenant, "unused");
    const shown = await supervisingAgent(tenant, "first");
    await tenant.put("supervisors", "judge", {
      kind: "agent",
      hooks: ["response"],
      onFailure: "block",
      // The first model is down: what it was asked says which hash the second one has to name.
      config: { model: [`openai/${shown.model}`, `openai/${judge.model}`], instructions: "Judge." },
    });
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    await model.reply({ text: "Ada lives in Turin." });
    await shown.reply({ status: 401, body: {}, hold: "h" });
    const session = await tenant.session();
    const sent = tenant.say(session, "Who?");
    const asked = JSON.stringify((await shown.until({ requests: 1 })).requests[0]?.body);
    const baseHash = /baseHash=\\+"([^"\\]+)/.exec(asked)?.[1];
    const turnId = /turnId\\+":\s*\\+"([^"\\]+)/.exec(asked)?.[1];
    const redact = (text: string) =>
      ["edit_response", { operations: [{ type: "redact_span", turnId, text }], baseHash, reason: "a name" }] as const;
    await judge.reply(toolCalls(redact("Ada"), redact("Turin")));
    await shown.release("h");
    const turn = await sent;
    expect(turn).toMatchObject({ status: "completed", supervision: { status: "ok", response: { action: "modify" } } });
    expect(turn.reply?.modelReply.turns[0]?.message).toBe("[redacted] lives in [redacted].");
  });
});

describe("arguments that were rewritten", () => {
  const parameters = { type: "object", properties: { amount: { type: "number", maximum: 10 } }, required: ["amount"] };

  async function paying(
    supervisor: (tenant: Awaited<ReturnType<typeof newTenant>>) => Promise<unknown>,
    approval?: string,
  ) {
    const tenant = await newTenant();
    await supervisor(tenant);
    const tool = await httpTool(tenant, "pay", { parameters, ...defined({ approval }) });
    await tool.reply({ body: "paid" });
    const model = await tenant.agent("assistant", { tools: [{ server: "shop", tool: "pay" }], supervisors: ["judge"] });
    await model.reply(toolCalls(["pay", { amount: 5 }]), { text: "I tried." });
    const session = await tenant.session();
    return { tenant, tool, model, session, turn: await tenant.say(session, "Pay 5.") };
  }

  it("by a supervisor are checked again before anybody approves or runs the call", async () => {
    const rewriting = async (tenant: Awaited<ReturnType<typeof newTenant>>) => {
      const judge = await supervisingAgent(tenant, "judge", { hooks: ["tool_call"] });
      await judge.reply(toolCalls(["modify_message", { content: '{"amount":5000}', reason: "more" }]));
    };
    const { tool, model, turn } = await paying(rewriting, "always");
    expect(turn).toMatchObject({ status: "completed", asks: [] });
    expect(await tool.requests()).toEqual([]);
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).toContain("they don't fit the tool: #/amount");
  });

  it("by a reviewer too", async () => {
    const holding = (tenant: Awaited<ReturnType<typeof newTenant>>) =>
      tenant.rules("judge", [{ match: { type: "pattern", pattern: "5" }, action: "review", reason: "money" }], {
        hooks: ["tool_call"],
      });
    const { tenant, tool, session, turn } = await paying(holding);
    await answer(tenant, openAsk(turn), { decision: "edit", content: '{"amount":"a lot"}' });
    const done = await tenant.turn(session, turn.turnId);
    expect(done.reply?.modelReply.turns[0]?.toolCalls?.[0]).toMatchObject({
      error: expect.stringContaining("they don't fit the tool"),
    });
    expect(await tool.requests()).toEqual([]);
  });
});
