import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Fields, newTenant, parseEvents, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crash, crashAndWake, passTime, ringAlarm } from "../../support/objects.js";
import type { UpstreamModel } from "../../support/upstream-client.js";

afterEach(() => {
  vi.useRealTimers();
});

const day = 24 * 3_600_000;

function asking(args: Fields = {}) {
  return { toolCalls: [{ name: "ask_human", arguments: { question: "Which city?", ...args } }] };
}

/** A session whose turn waits for a person. */
async function waiting(args: Fields = {}, definition: Fields = {}): Promise<Waiting> {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply(asking(args), { text: "On it." });
  const session = await tenant.session(definition);
  const turn = await tenant.say(session, "Book a hotel.");
  return { tenant, model, session, turnId: turn.turnId, askId: turn.asks[0]?.askId ?? "", turn };
}

interface Waiting {
  tenant: TestTenant;
  model: UpstreamModel;
  session: string;
  turnId: string;
  askId: string;
  turn: Awaited<ReturnType<TestTenant["say"]>>;
}

/** What the model read as the result of its question. */
async function toolResult(model: UpstreamModel): Promise<unknown> {
  const last = (await model.requests()).at(-1);
  return JSON.parse(JSON.stringify(last?.body)).messages.at(-1);
}

describe("a turn that asks a person", () => {
  it("waits, says what it waits for, and goes on from that step with the answer", async () => {
    const { tenant, model, session, turnId, askId, turn } = await waiting({ suggestions: ["Rome", "Oslo"] });
    expect(turn).toMatchObject({
      status: "waiting",
      asks: [{ kind: "human", question: "Which city?", status: "open", suggestions: ["Rome", "Oslo"] }],
    });
    expect((await tenant.call("GET", `/v1/sessions/${session}`)).body.status).toBe("waiting");
    await eventually(async () => {
      const inbox = await tenant.call("GET", "/v1/asks?status=open&kind=human");
      expect(inbox.body.items).toMatchObject([{ askId, question: "Which city?" }]);
    });

    const answer = await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "Rome" });

    expect(answer).toMatchObject({ status: 200, body: { status: "answered", answer: { response: "Rome" } } });
    expect(await tenant.turn(session, turnId)).toMatchObject({ status: "completed", asks: [{ status: "answered" }] });
    expect(await toolResult(model)).toMatchObject({ role: "tool", content: "The person answered: Rome" });
    expect(await model.requests()).toHaveLength(2);
    await eventually(async () => {
      expect((await tenant.call("GET", "/v1/asks?status=open")).body.items).toEqual([]);
    });
  });

  it.each([
    ["an eviction", (w: Waiting) => evictDurableObject(w.tenant.object(w.session))],
    ["a crash", () => crash()],
    ["a month", async () => passTime(31 * day)],
    [
      "a month, an eviction and an alarm too many",
      async (w: Waiting) => {
        await evictDurableObject(w.tenant.object(w.session));
        await ringAlarm(w.tenant.object(w.session), 31 * day);
        await runDurableObjectAlarm(w.tenant.object(w.session));
      },
    ],
  ])("goes on after %s, and asks the model nothing twice", async (_what, happens) => {
    const wait = await waiting();
    await happens(wait);
    expect((await wait.tenant.turn(wait.session, wait.turnId, 0)).status).toBe("waiting");

    await wait.tenant.call("POST", `/v1/asks/${wait.askId}/answer`, { response: "Oslo" });

    expect((await wait.tenant.turn(wait.session, wait.turnId)).status).toBe("completed");
    expect(await wait.model.requests()).toHaveLength(2);
    expect(await toolResult(wait.model)).toMatchObject({ content: "The person answered: Oslo" });
  });

  it("goes on when its object dies right after the answer: the alarm finds the work", async () => {
    const { tenant, model, session, turnId, askId } = await waiting();
    await model.clear();
    await model.reply({ text: "lost", hold: "x" }, { text: "On it." });
    await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "Oslo" });
    await model.until({ open: 1 });

    await crashAndWake(tenant, session);

    expect((await tenant.turn(session, turnId)).status).toBe("completed");
    expect(await model.requests()).toHaveLength(2);
  });

  it("resumes once, whoever else answers: one 200, the same again 200, another 409", async () => {
    const { tenant, model, session, turnId, askId } = await waiting();
    const answers = await Promise.all(
      ["Rome", "Oslo"].map((response) => tenant.call("POST", `/v1/asks/${askId}/answer`, { response })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const first = answers.find(({ status }) => status === 200)?.body.answer.response;
    const other = answers.find(({ status }) => status === 409);
    expect(other?.body).toMatchObject({ code: "already_closed" });

    await tenant.turn(session, turnId);
    const again = await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: first });
    const late = await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "Paris" });

    expect([again.status, late.status]).toEqual([200, 409]);
    expect(await toolResult(model)).toMatchObject({ content: `The person answered: ${first}` });
    expect(await model.requests()).toHaveLength(2);
  });

  it.each([
    ["takes the default", { timeoutMs: 3_600_000, defaultResponse: "Bern" }, "Nobody answered in time. Assume: Bern"],
    ["goes on without an answer", { timeoutMs: 3_600_000 }, "Nobody answered in time. Go on without"],
  ])("%s when the deadline passes, by the alarm alone", async (_what, args, expected) => {
    const { tenant, model, session, turnId, askId } = await waiting(args);
    await evictDurableObject(tenant.object(session));
    await ringAlarm(tenant.object(session), 3_600_001);

    expect((await tenant.turn(session, turnId)).status).toBe("completed");
    expect(await toolResult(model)).toMatchObject({ content: expect.stringContaining(expected) });
    const late = await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "Rome" });
    expect(late).toMatchObject({ status: 409, body: { code: "already_closed" } });
    expect((await tenant.call("GET", `/v1/asks/${askId}`)).body).toMatchObject({ status: "expired" });
  });

  it("doesn't take an answer that comes after the deadline and before the alarm", async () => {
    const { tenant, model, session, turnId, askId } = await waiting({ timeoutMs: 60_000, defaultResponse: "Bern" });
    passTime(60_001);
    const late = await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "Rome" });
    expect(late.status).toBe(409);
    expect((await tenant.turn(session, turnId)).status).toBe("completed");
    expect(await toolResult(model)).toMatchObject({ content: "Nobody answered in time. Assume: Bern" });
  });

  it("goes on without an answer when the ask is cancelled, and ends when the turn is", async () => {
    const one = await waiting();
    expect((await one.tenant.call("POST", `/v1/asks/${one.askId}/cancel`)).body.status).toBe("cancelled");
    expect((await one.tenant.turn(one.session, one.turnId)).status).toBe("completed");
    expect(await toolResult(one.model)).toMatchObject({ content: expect.stringContaining("was cancelled") });

    const two = await waiting();
    const cancelled = await two.tenant.call("POST", `/v1/sessions/${two.session}/turns/${two.turnId}/cancel`);
    expect(cancelled.body).toMatchObject({ status: "cancelled", asks: [{ askId: two.askId, status: "cancelled" }] });
    expect((await two.tenant.call("POST", `/v1/asks/${two.askId}/answer`, { response: "x" })).status).toBe(409);
    expect(await two.model.requests()).toHaveLength(1);
    expect((await two.tenant.say(two.session, "Something else.")).status).toBe("completed");
  });

  it("refuses a further message with a 409 that names the ask, where the session says so", async () => {
    const { tenant, session, askId } = await waiting({}, { whileWaiting: "refuse" });
    const refused = await tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "Hurry!" });
    expect(refused).toMatchObject({ status: 409, body: { code: "waiting_on_ask", askId } });
    expect(refused.body.detail).toContain(`/v1/asks/${askId}/answer`);
  });

  it("lets messages that were queued before go on after it, in order", async () => {
    const { tenant, model, session, turnId, askId } = await waiting();
    await model.clear();
    await model.reply(asking(), { text: "first done" }, { text: "second done" });
    await tenant.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
    await model.clear();
    await model.reply({ ...asking(), hold: "h" }, { text: "first done" }, { text: "second done" });
    const first = await tenant.say(session, "first", { waitMs: 0 });
    const second = await tenant.say(session, "second", { waitMs: 0 });
    await model.release("h");
    const waits = await tenant.turn(session, first.turnId);
    expect(waits.status).toBe("waiting");
    expect((await tenant.turn(session, second.turnId, 0)).status).toBe("queued");
    expect(waits.asks[0]?.askId).not.toBe(askId);

    await tenant.call("POST", `/v1/asks/${waits.asks[0]?.askId}/answer`, { response: "Rome" });

    const done = await tenant.turn(session, second.turnId);
    expect(done.reply?.modelReply.turns).toMatchObject([{ message: "second done" }]);
  });

  it("asks several things in one round and goes on when all are answered", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    const two = ["Which city?", "Which week?"].map((question) => ({ name: "ask_human", arguments: { question } }));
    await model.reply({ toolCalls: two }, { text: "On it." });
    const session = await tenant.session();
    const turn = await tenant.say(session, "Book a hotel.");
    expect(turn.asks.map(({ question }) => question)).toEqual(["Which city?", "Which week?"]);
    const [city, week] = turn.asks;

    await tenant.call("POST", `/v1/asks/${week?.askId}/answer`, { response: "the first" });
    await eventually(async () => {
      expect(await tenant.turn(session, turn.turnId)).toMatchObject({
        status: "waiting",
        asks: [{ askId: city?.askId }],
      });
    });
    await tenant.call("POST", `/v1/asks/${city?.askId}/answer`, { response: "Rome" });

    const done = await tenant.turn(session, turn.turnId);
    expect(done.reply?.modelReply.turns[0]?.toolCalls).toMatchObject([
      { output: "The person answered: Rome" },
      { output: "The person answered: the first" },
    ]);
    expect(await model.requests()).toHaveLength(2);
  });

  it("ends its stream of events when it begins to wait, and tells of the rest to who follows the session", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await model.reply(asking(), { text: "On it." });
    const session = await tenant.session();

    const before = await tenant.stream(session, "Book a hotel.");
    expect(before.map(({ event }) => event)).toContain("ask.opened");
    expect(before.at(-1)?.event).toBe("turn.waiting");
    const asked = before.find(({ event }) => event === "ask.opened")?.data;
    await tenant.call("POST", `/v1/asks/${asked.askId}/answer`, { response: "Rome" });

    const rest = await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0&after=${before.at(-1)?.id}`);
    const events = parseEvents(rest.body).map(({ event }) => event);
    expect(events).toEqual(expect.arrayContaining(["ask.closed", "turn.completed"]));
    expect(events).not.toContain("ask.opened");
  });
});
