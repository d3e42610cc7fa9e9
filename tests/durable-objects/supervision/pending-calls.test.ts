/** A turn that waits shows what there is of its reply and which calls are pending, as the supervisors leave it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { crash } from "../../support/objects.js";
import { upstreamFor } from "../../support/upstream-client.js";
import { answer, httpTool, openAsk, passes, toolCalls } from "./support.js";

/** An agent that looks something up and wants to pay, which somebody has to approve. */
async function paying(tenant: TestTenant, supervisors: readonly string[] = []) {
  const look = await httpTool(tenant, "look");
  await look.reply({ body: "Ada owes 5." });
  const pay = await httpTool(tenant, "pay", { approval: "always" });
  await pay.reply({ body: "paid" });
  const tools = ["look", "pay"].map((tool) => ({ server: "shop", tool }));
  const model = await tenant.agent("assistant", { tools, supervisors });
  await model.reply(
    { ...toolCalls(["look", { text: "debts" }], ["pay", { text: "5 to Ada" }]), text: "Let me see." },
    { text: "Done." },
  );
  const session = await tenant.session();
  return { pay, model, session };
}

describe("a turn that waits for an approval", () => {
  it("shows its reply so far and the pending call, to those who can't see the proposal too, also after a crash", async () => {
    const tenant = await newTenant();
    const { session } = await paying(tenant);
    const turn = await tenant.say(session, "Pay my debts.");
    const sofar = {
      status: "waiting",
      reply: {
        modelReply: {
          turns: [{ message: "Let me see.", toolCalls: [{ tool: "look", output: "Ada owes 5." }] }],
          pendingToolCalls: [
            { toolCallId: turn.asks[0]?.from.toolCallId, server: "shop", tool: "pay", args: { text: "5 to Ada" } },
          ],
        },
      },
    };
    expect(turn).toMatchObject(sofar);
    await crash();
    const client = await tenant.withRole("client");
    expect(await client.turn(session, turn.turnId, 0)).toMatchObject(sofar);
    await answer(tenant, openAsk(turn), { decision: "once" });
    const done = await tenant.turn(session, turn.turnId);
    expect(done).toMatchObject({ status: "completed", reply: { messageId: turn.reply?.messageId } });
    expect(done.reply?.modelReply).not.toHaveProperty("pendingToolCalls");
    expect(done.reply?.modelReply.turns).toHaveLength(2);
  });

  it("shows it as the response supervisors leave it, and nothing of what they stop", async () => {
    const tenant = await newTenant();
    const name = { type: "phrases", phrases: ["Ada"] };
    await tenant.rules("names", [{ match: name, action: "redact", reason: "a name" }], { hooks: ["response"] });
    const { session } = await paying(tenant, ["names"]);
    const turn = await tenant.say(session, "Pay my debts.");
    expect(turn.reply?.modelReply.pendingToolCalls).toHaveLength(1);
    expect(JSON.stringify(turn.reply)).not.toContain("Ada");
    expect(turn.supervision).not.toHaveProperty("response");
    await answer(tenant, openAsk(turn), { decision: "once" });
    expect((await tenant.turn(session, turn.turnId)).supervision.response).toMatchObject({ action: "modify" });

    await tenant.rules("names", [{ match: name, action: "block", reason: "a name" }], { hooks: ["response"] });
    const stopped = await paying(tenant, ["names"]);
    const other = await tenant.say(stopped.session, "Pay my debts.");
    expect(other.status).toBe("waiting");
    expect(other).not.toHaveProperty("reply");
  });

  it("makes no call that a supervising agent has dropped, and asks nobody about it any more", async () => {
    const tenant = await newTenant();
    const [shown, judge] = [upstreamFor(env.TEST_UPSTREAM), upstreamFor(env.TEST_UPSTREAM)];
    await tenant.put("supervisors", "judge", {
      kind: "agent",
      hooks: ["response"],
      onFailure: "block",
      // The first model is down: what it was asked says what the second one has to name.
      config: { model: [shown, judge].map(({ model }) => `openai/${model}`), instructions: "Judge." },
    });
    const { pay, session } = await paying(tenant, ["judge"]);
    await shown.reply({ status: 401, body: {}, hold: "h", repeat: true });
    const sent = tenant.say(session, "Pay my debts.");
    const asked = JSON.stringify((await shown.until({ requests: 1 })).requests[0]?.body);
    const baseHash = /baseHash=\\+"([^"\\]+)/.exec(asked)?.[1];
    const toolCallId = /pendingToolCalls[^[]*\[[^"]*\\*"toolCallId\\+":\s*\\+"([^"\\]+)/.exec(asked)?.[1];
    const operations = [{ type: "drop_pending_call", toolCallId }];
    await judge.reply(
      toolCalls(["edit_response", { operations, baseHash, reason: "not without a reason" }]),
      toolCalls(["allow_message", {}]),
    );
    await shown.release("h");
    const turn = await sent;
    expect(turn).toMatchObject({
      status: "completed",
      asks: [{ status: "cancelled", closedBy: { kind: "supervisor", id: "judge" } }],
    });
    expect(await pay.requests()).toEqual([]);
    const calls = turn.reply?.modelReply.turns.flatMap(({ toolCalls: made = [] }) => made);
    expect(calls?.[1]).toMatchObject({ tool: "pay", error: expect.stringContaining("cancelled") });
    expect(
      (await passes(tenant, session)).map(({ hook, subject }: { hook: string; subject: object }) => ({
        hook,
        ...subject,
      })),
    ).toContainEqual(expect.objectContaining({ hook: "response", messageId: turn.reply?.messageId, partial: true }));
  });
});
