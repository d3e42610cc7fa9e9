import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { crash, ringAlarm } from "../../support/objects.js";
import { asksHuman, modelOf, newTeam, routesTo } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";
import { supervisingAgent, toolCalls } from "../supervision/support.js";

/** A call of the scripted upstream takes this, unless its reply says otherwise. */
const oneCall = { modelCalls: 1, inputTokens: 10, outputTokens: 5 };

afterEach(() => {
  vi.useRealTimers();
});

async function waitingTurn() {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply(asksHuman("Which?"));
  const session = await tenant.session();
  return { tenant, model, session, turn: await tenant.say(session, "Help.") };
}

it("a turn says what it has spent while it waits, and after it was cancelled", async () => {
  const { tenant, session, turn } = await waitingTurn();
  expect(turn).toMatchObject({ status: "waiting", usage: oneCall });
  const cancelled = await tenant.call("POST", `/v1/sessions/${session}/turns/${turn.turnId}/cancel`);
  expect(cancelled.body).toMatchObject({ status: "cancelled", usage: oneCall });
  expect((await tenant.turn(session, turn.turnId)).usage).toEqual(oneCall);
});

it("a turn that an internal error ends says what it has spent and what was decided until then", async () => {
  const { tenant, session, turn } = await waitingTurn();
  const object = tenant.object(session);
  await runInDurableObject(object, (_, { storage }) => {
    // The set-up stands in the row of the first call, which was begun in the same write.
    const unreadable = `[["setup","load","unreadable"]]`;
    const { rowsWritten } = storage.sql.exec(`UPDATE journal SET also = ? WHERE also LIKE '[["setup",%'`, unreadable);
    expect(rowsWritten).toBe(1);
  });
  await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { response: "that" });
  await expect
    .poll(async () => {
      await ringAlarm(object);
      return tenant.turn(session, turn.turnId, 0);
    })
    .toMatchObject({ status: "failed", usage: oneCall, supervision: { request: { action: "allow" } } });
});

it("a call that was counted isn't counted again after a crash", async () => {
  const { tenant, model, session, turn } = await waitingTurn();
  await model.reply({ text: "Done.", usage: { inputTokens: 7, outputTokens: 3 } });
  await crash();
  await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { response: "that" });
  await ringAlarm(tenant.object(session));
  const done = await tenant.turn(session, turn.turnId);
  expect(done).toMatchObject({ status: "completed", usage: { modelCalls: 2, inputTokens: 17, outputTokens: 8 } });
});

it("a turn says what of it came from a cache and what was thought, while it waits, behind a crash, and at its end", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
  const parts = { cachedInputTokens: 6, reasoningTokens: 2 };
  await model.reply({ ...asksHuman("Which?"), usage: { inputTokens: 10, outputTokens: 5, ...parts } });
  const session = await tenant.session();
  const turn = await tenant.say(session, "Help.");
  expect(turn.usage).toEqual({ ...oneCall, ...parts });
  await model.reply({ text: "Done.", usage: { inputTokens: 20, outputTokens: 5, cachedInputTokens: 10 } });
  await crash();
  await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { response: "that" });
  await ringAlarm(tenant.object(session));
  const { usage } = await tenant.turn(session, turn.turnId);
  expect(usage).toEqual({
    modelCalls: 2,
    inputTokens: 30,
    outputTokens: 10,
    cachedInputTokens: 16,
    reasoningTokens: 2,
  });
});

it("everybody's calls count: the team's, those of a team within it, and those of supervising agents", async () => {
  const tenant = await newTenant();
  const outer = newTeam({ desk: {} });
  const inner = newTeam({ clerk: {} });
  const guard = await supervisingAgent(tenant, "guard", { hooks: ["request", "response"] });
  const shadow = await supervisingAgent(tenant, "shadow", { mode: "shadow" });
  for (const judge of [guard, shadow]) await judge.reply({ ...toolCalls(["allow_message", {}]), repeat: true });
  await outer.supervisor.reply(routesTo("desk"));
  await inner.supervisor.reply(routesTo("clerk"));
  await modelOf(inner, "clerk").reply({ text: "It is paid.", usage: { inputTokens: 100, outputTokens: 50 } });
  await tenant.put("teams", "inner", inner.definition);
  const [desk] = outer.definition.workers;
  const nested = { id: "desk", description: desk?.description, capabilities: desk?.capabilities, team: "inner" };
  await tenant.put("teams", "outer", { ...outer.definition, workers: [nested] });
  await tenant.put("agents", "assistant", { kind: "team", team: "outer", supervisors: ["guard", "shadow"] });

  const turn = await tenant.say(await tenant.session(), "Is my invoice paid?");
  expect(turn.status).toBe("completed");
  expect(await guard.requests()).toHaveLength(2);
  // Two judgements, two decisions, and the clerk; the shadow's is the tenant's alone, since no turn waits for it.
  expect(turn.usage).toEqual({ modelCalls: 5, inputTokens: 4 * 10 + 100, outputTokens: 4 * 5 + 50 });
  await shadow.until({ requests: 1 });
});

it("a call that fails counts as a call, and a message that rules block costs nothing", async () => {
  const tenant = await newTenant();
  await tenant.rules("no", [{ match: { type: "phrases", phrases: ["stop"] }, action: "block", reason: "No." }]);
  await tenant.put("agents", "assistant", {
    kind: "model",
    model: `openai/${upstreamFor(env.TEST_UPSTREAM).model}`,
    instructions: "Be helpful.",
    supervisors: ["no"],
  });
  const session = await tenant.session();
  const none = { inputTokens: 0, outputTokens: 0 };
  expect(await tenant.say(session, "stop")).toMatchObject({ status: "blocked", usage: { modelCalls: 0, ...none } });
  expect(await tenant.say(session, "go")).toMatchObject({ status: "failed", usage: { modelCalls: 1, ...none } });
});
