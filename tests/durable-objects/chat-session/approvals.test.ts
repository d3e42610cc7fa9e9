import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crashAndWake } from "../../support/objects.js";
import type { UpstreamModel } from "../../support/upstream-client.js";

afterEach(() => {
  vi.useRealTimers();
});

/** What the model read as the result of its call. */
async function toolResult(model: UpstreamModel): Promise<unknown> {
  const last = (await model.requests()).at(-1);
  return JSON.parse(JSON.stringify(last?.body)).messages.at(-1);
}

describe("a tool that a person has to approve", () => {
  async function approving(approval: "always" | "session") {
    const tenant = await newTenant();
    const hook = await tenant.agent("hook-holder");
    await tenant.put("tools", "pay", {
      server: "bank",
      description: "Pays.",
      parameters: { type: "object", properties: { amount: { type: "number" } } },
      http: { url: hook.hookURL },
      approval,
    });
    await hook.reply({ body: "paid", repeat: true });
    const model = await tenant.agent("assistant", { tools: [{ server: "bank", tool: "pay" }] });
    const pay = { toolCalls: [{ name: "pay", arguments: { amount: 5 } }] };
    return { tenant, hook, model, pay, session: await tenant.session() };
  }

  it("isn't called before, and is called with the very arguments that were approved", async () => {
    const { tenant, hook, model, pay, session } = await approving("always");
    await model.reply(pay, { text: "Paid." });
    const turn = await tenant.say(session, "Pay 5.");
    expect(turn).toMatchObject({ status: "waiting", asks: [{ kind: "approval", audience: "staff" }] });
    expect(turn.asks[0]?.proposal).toMatchObject({ server: "bank", tool: "pay", args: { amount: 5 } });
    expect(await hook.requests()).toEqual([]);
    const askId = turn.asks[0]?.askId;

    const client = await tenant.withRole("client");
    expect((await client.call("POST", `/v1/asks/${askId}/answer`, { decision: "once" })).status).toBe(403);
    expect((await client.call("POST", `/v1/asks/${askId}/cancel`)).status).toBe(403);
    expect((await client.call("GET", `/v1/asks/${askId}`)).body).not.toHaveProperty("proposal");
    // What would be right is told by the kind of this ask.
    const decision = { path: "decision", message: expect.stringContaining("once, session, deny") };
    const misread = await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "accept" });
    expect(misread).toMatchObject({ status: 422, body: { errors: [decision] } });
    const response = { path: "response", message: "there is no such field" };
    const unfit = await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "perhaps" });
    expect(unfit).toMatchObject({ status: 422, body: { errors: [decision, response] } });
    expect((await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "once" })).status).toBe(200);

    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
    expect((await hook.requests()).map(({ body }) => body)).toEqual([{ amount: 5 }]);
  });

  it("isn't called when that is denied, nor when nobody says so", async () => {
    const { tenant, hook, model, pay, session } = await approving("always");
    await model.reply(pay, { text: "Then not." });
    const turn = await tenant.say(session, "Pay 5.");
    await evictDurableObject(tenant.object(session));
    await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { decision: "deny" });
    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
    expect(await toolResult(model)).toMatchObject({ content: expect.stringContaining("not approved (denied)") });
    expect(await hook.requests()).toEqual([]);
  });

  it("asks once for the whole session, and another session asks for itself", async () => {
    const { tenant, hook, model, pay, session } = await approving("session");
    await model.reply(pay, { text: "Paid." }, pay, { text: "Paid again." }, pay);
    const turn = await tenant.say(session, "Pay 5.");
    await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { decision: "session" });
    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
    expect((await tenant.say(session, "Again.")).status).toBe("completed");
    expect(await hook.requests()).toHaveLength(2);
    expect((await tenant.say(await tenant.session(), "Pay 5.")).status).toBe("waiting");
  });

  it("stays denied on a replay, though the same tool was approved for the session afterwards", async () => {
    const { tenant, hook, model, pay, session } = await approving("session");
    await model.reply(pay, pay, { text: "lost", hold: "x" }, { text: "Paid once." });
    const turn = await tenant.say(session, "Pay 5.");
    await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { decision: "deny" });
    const second = await eventually(async () => {
      const [open] = (await tenant.turn(session, turn.turnId)).asks.filter(({ status }) => status === "open");
      if (open === undefined) throw new Error("no second ask yet");
      return open;
    });
    await tenant.call("POST", `/v1/asks/${second.askId}/answer`, { decision: "session" });
    await model.until({ requests: 3, open: 1 });
    await crashAndWake(tenant, session);

    const done = await tenant.turn(session, turn.turnId);
    expect(done.status).toBe("completed");
    expect(await hook.requests()).toHaveLength(1);
    expect(done.reply?.modelReply.turns.map((one) => one.toolCalls?.[0])).toMatchObject([
      { error: expect.stringContaining("not approved") },
      { output: "paid" },
      undefined,
    ]);
  });
});
