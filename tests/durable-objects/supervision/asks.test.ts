import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defined } from "../../../src/conversation/defined.js";
import { auditAbout } from "../../support/audit.js";
import { newTenant, send, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { answer, httpTool, openAsk, seenBy, toolCalls } from "./support.js";

const month = 31 * 86_400_000;
const shop = [{ server: "shop", tool: "pay" }];

afterEach(() => {
  vi.useRealTimers();
});

async function reviewing(
  settings = {},
): Promise<{ tenant: TestTenant; session: string; model: Awaited<ReturnType<TestTenant["agent"]>> }> {
  const tenant = await newTenant(settings);
  const model = await tenant.agent("assistant", { supervisors: ["held"] });
  await tenant.rules("held", [{ match: { type: "phrases", phrases: ["refund"] }, action: "review", reason: "money" }], {
    hooks: ["response"],
  });
  await model.reply({ text: "You get a refund." });
  return { tenant, session: await tenant.session(), model };
}

describe("a review", () => {
  it("fault 17: holds the reply until a person has decided; through an eviction and a month; and resumes once", async () => {
    const { tenant, session, model } = await reviewing();
    const turn = await tenant.say(session, "Money back?");
    expect(turn.status).toBe("waiting");
    expect(turn.reply).toBeUndefined();
    await evictDurableObject(tenant.object(session));
    vi.setSystemTime(Date.now() + month);
    await runDurableObjectAlarm(tenant.object(session));
    expect((await tenant.turn(session, turn.turnId, 0)).status).toBe("waiting");

    const askId = openAsk(turn);
    const both = await Promise.all([
      answer(tenant, askId, { decision: "accept" }),
      answer(tenant, askId, { decision: "edit", content: "Let me see." }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const done = await tenant.turn(session, turn.turnId);
    expect(done.status).toBe("completed");
    expect(await model.requests()).toHaveLength(1);
    // The same again is harmless, and starts nothing.
    const won = both[0]?.status === 200 ? { decision: "accept" } : { decision: "edit", content: "Let me see." };
    expect((await answer(tenant, askId, won)).status).toBe(200);
    expect((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body.items).toHaveLength(2);
  });

  it.each([
    [{ decision: "accept" }, "completed", "You get a refund."],
    [{ decision: "edit", content: "We will see." }, "completed", "We will see."],
    [{ decision: "reject" }, "blocked", undefined],
  ])("%j", async (decision, status, text) => {
    const { tenant, session } = await reviewing();
    const turn = await tenant.say(session, "Money back?");
    await answer(tenant, openAsk(turn), decision);
    const done = await tenant.turn(session, turn.turnId);
    expect(done.status).toBe(status);
    expect(done.reply?.modelReply.turns[0]?.message).toBe(text);
  });

  it("a reviewer's words pass the rules that nobody may pass", async () => {
    const { tenant, session } = await reviewing({ supervisors: ["secrets"] });
    await tenant.rules("secrets", [
      { match: { type: "phrases", phrases: ["hunter2"] }, action: "block", reason: "a password" },
    ]);
    const turn = await tenant.say(session, "Money back?");
    await answer(tenant, openAsk(turn), { decision: "edit", content: "It is hunter2." });
    const done = await tenant.turn(session, turn.turnId);
    expect(done.status).toBe("blocked");
    // Who reviewed it knows what it said; nobody else gets to see it.
    const client = await tenant.withRole("client");
    const events = await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, { key: client.key });
    for (const seen of [JSON.stringify(await client.turn(session, turn.turnId)), await events.text()])
      expect(seen).not.toContain("hunter2");
  });

  it("may be answered only by staff, who alone sees what is proposed, unless the tenant asks the end user", async () => {
    const { tenant, session } = await reviewing();
    const turn = await tenant.say(session, "Money back?");
    const askId = openAsk(turn);
    const client = await tenant.withRole("client");
    expect((await answer(client, askId, { decision: "accept" })).status).toBe(403);
    expect((await client.call("GET", `/v1/asks/${askId}`)).body.proposal).toBeUndefined();
    expect((await client.call("POST", `/v1/asks/${askId}/cancel`)).status).toBe(403);
    expect((await answer(await tenant.withRole("operator"), askId, { decision: "accept" })).status).toBe(200);

    const asking = await reviewing({ reviews: { audience: "user" } });
    const asked = openAsk(await asking.tenant.say(asking.session, "Money back?"));
    const own = await asking.tenant.withRole("client");
    expect((await own.call("GET", `/v1/asks/${asked}`)).body.proposal).toMatchObject({ original: "You get a refund." });
    expect((await answer(own, asked, { decision: "accept" })).status).toBe(200);
  });

  it.each([
    ["accept", "completed"],
    ["reject", "blocked"],
    [undefined, "blocked"],
  ] as const)("that nobody answers takes the tenant's default %s", async (decision, status) => {
    const { tenant, session } = await reviewing({
      reviews: { timeoutMs: 60_000, ...defined({ default: decision }) },
    });
    const turn = await tenant.say(session, "Money back?");
    await evictDurableObject(tenant.object(session));
    vi.setSystemTime(Date.now() + 61_000);
    await runDurableObjectAlarm(tenant.object(session));
    const done = await tenant.turn(session, turn.turnId);
    expect(done.status).toBe(status);
    expect(done.asks[0]?.status).toBe("expired");
    expect((await answer(tenant, turn.asks[0]?.askId ?? "", { decision: "edit", content: "Late." })).status).toBe(409);
  });

  it("tells the user the reviewer's message as the rules let it pass, and keeps the note for staff", async () => {
    const { tenant, session } = await reviewing({ supervisors: ["mail"] });
    await tenant.rules("mail", [{ match: { type: "personalData" }, action: "redact", reason: "personal data" }]);
    const client = await tenant.withRole("client");
    const turn = await client.say(session, "Money back?");
    const why = { note: "third time this week", message: "Ask ada@example.com about that." };
    await answer(tenant, openAsk(turn), { decision: "reject", ...why });
    const done = await client.turn(session, turn.turnId);
    const told = "A reviewer rejected it: Ask [email] about that.";
    expect(done.supervision.response).toEqual({ action: "block", reasons: ["money", told] });
    expect(done.error?.content).toContain(told);
    const events = await send("GET", `/v1/sessions/${session}/events?lingerMs=0`, { key: client.key });
    const path = `/v1/sessions/${session}/supervision`;
    const shown = JSON.stringify([done, await events.text(), (await client.call("GET", path)).body]);
    expect(shown).not.toContain("third time");
    const passes: { hook: string; steps: object[] }[] = (await tenant.call("GET", path)).body.items;
    const step = passes.find(({ hook }) => hook === "response")?.steps.at(-1);
    expect(step).toMatchObject({ action: "block", reasons: [told, why.note] });
    expect((await tenant.call("GET", `/v1/asks/${openAsk(turn)}`)).body.answer).toMatchObject(why);
    await eventually(async () =>
      expect(await auditAbout(tenant, "ask.answered")).toMatchObject([{ reasons: [why.note, why.message] }]),
    );
  });

  it("stands in the inbox, and no other tenant's key finds it", async () => {
    const { tenant, session } = await reviewing();
    const askId = openAsk(await tenant.say(session, "Money back?"));
    await eventually(async () => {
      const inbox = await tenant.call("GET", "/v1/asks?status=open&kind=review");
      expect(inbox.body.items).toMatchObject([{ askId, kind: "review", audience: "staff" }]);
    });
    const other = await newTenant();
    expect((await answer(other, askId, { decision: "accept" })).status).toBe(404);
  });
});

describe("the approval of a tool call", () => {
  it("tells the model why it was denied", async () => {
    const { tenant, session, tool, model } = await paying("always");
    await model.reply(toolCalls(["pay", { text: "5" }]), { text: "Not then." });
    const turn = await tenant.say(session, "Pay.");
    const message = "The budget is spent.";
    await answer(tenant, openAsk(turn), { decision: "deny", message, note: "third time" });
    await tenant.turn(session, turn.turnId);
    expect(await tool.requests()).toHaveLength(0);
    expect(await seenBy(model)).toContain("was not approved (denied): The budget is spent.");
    expect(await seenBy(model)).not.toContain("third time");
  });

  async function paying(approval: string, settings = {}) {
    const tenant = await newTenant(settings);
    const tool = await httpTool(tenant, "pay", { approval });
    await tool.reply({ body: "paid", repeat: true });
    const model = await tenant.agent("assistant", { tools: shop });
    return { tenant, tool, model, session: await tenant.session() };
  }

  it("fault 16: belongs to one call that the server knows, with the arguments it was shown", async () => {
    const { tenant, tool, model, session } = await paying("always");
    await model.reply(toolCalls(["pay", { text: "5 to Ada" }]), { text: "Done." });
    const turn = await tenant.say(session, "Pay.");
    const askId = openAsk(turn);
    const ask = (await tenant.call("GET", `/v1/asks/${askId}`)).body;
    expect(ask).toMatchObject({
      kind: "approval",
      proposal: {
        server: "shop",
        tool: "pay",
        args: { text: "5 to Ada" },
        toolCallId: expect.any(String),
        argsHash: expect.any(String),
      },
    });
    // What doesn't fit the tool isn't called, and decides nothing.
    expect((await answer(tenant, askId, { decision: "once", args: { text: 500 } })).status).toBe(422);
    expect(await tool.requests()).toHaveLength(0);
    await evictDurableObject(tenant.object(session));
    const both = await Promise.all([
      answer(tenant, askId, { decision: "once" }),
      answer(tenant, askId, { decision: "deny" }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    await tenant.turn(session, turn.turnId);
    const called = (await tool.requests()).map(({ body }) => body);
    expect(called).toEqual(both[0]?.status === 200 ? [{ text: "5 to Ada" }] : []);
  });

  it("denied isn't made, and the model is told", async () => {
    const { tenant, tool, model, session } = await paying("always");
    await model.reply(toolCalls(["pay", { text: "5" }]), { text: "Then not." });
    const turn = await tenant.say(session, "Pay.");
    await answer(tenant, openAsk(turn), { decision: "deny" });
    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
    expect(await tool.requests()).toHaveLength(0);
    expect(await seenBy(model)).toContain("was not approved (denied)");
  });

  it("for the session holds for later calls of that tool", async () => {
    const { tenant, tool, model, session } = await paying("session");
    await model.reply(toolCalls(["pay", { text: "1" }]), { text: "One." }, toolCalls(["pay", { text: "2" }]), {
      text: "Two.",
    });
    const turn = await tenant.say(session, "Pay.");
    await answer(tenant, openAsk(turn), { decision: "session" });
    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
    expect((await tenant.say(session, "Again.")).status).toBe("completed");
    expect((await tool.requests()).map(({ body }) => body)).toEqual([{ text: "1" }, { text: "2" }]);
  });

  it("once is once: the next call asks again", async () => {
    const { tenant, model, session } = await paying("session");
    await model.reply(toolCalls(["pay", { text: "1" }]), toolCalls(["pay", { text: "2" }]), { text: "Done." });
    const turn = await tenant.say(session, "Pay.");
    const first = openAsk(turn);
    await answer(tenant, first, { decision: "once" });
    const next = await tenant.turn(session, turn.turnId);
    expect(next.status).toBe("waiting");
    expect(openAsk(next)).not.toBe(first);
  });

  it.each([
    ["once", 1],
    ["deny", 0],
    [undefined, 0],
  ] as const)("that nobody gives takes the tenant's default %s", async (decision, calls) => {
    const { tenant, tool, model, session } = await paying("always", {
      approvals: { timeoutMs: 60_000, ...defined({ default: decision }) },
    });
    await model.reply(toolCalls(["pay", { text: "1" }]), { text: "Done." });
    const turn = await tenant.say(session, "Pay.");
    vi.setSystemTime(Date.now() + month);
    await runDurableObjectAlarm(tenant.object(session));
    expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
    expect(await tool.requests()).toHaveLength(calls);
  });
});
