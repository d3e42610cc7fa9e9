/** A conversation that a person takes over, writes in and hands back: no agent speaks beside them, and nothing that was written is lost. */
import { evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type Fields, newTenant, send, TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crashAndWake, ringAlarm } from "../../support/objects.js";

afterEach(() => {
  vi.useRealTimers();
});

const promptSchema = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

async function talking(fields: Fields = {}, agent: Fields = {}) {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", agent);
  const session = await tenant.session(fields);
  const path = `/v1/sessions/${session}`;
  const hold = (headers: Record<string, string> = {}) => tenant.call("POST", `${path}/hold`, undefined, headers);
  const release = (query = "") => tenant.call("DELETE", `${path}/hold${query}`);
  const write = (content: string, headers: Record<string, string> = {}) =>
    tenant.call("POST", `${path}/staff-messages`, { content }, headers);
  const texts = async () => {
    const { body } = await tenant.call("GET", `${path}/messages`);
    return body.items.map(
      (message: { role: string; content?: string; modelReply?: { turns: { message: string }[] } }) => [
        message.role,
        message.content ?? message.modelReply?.turns.map((turn) => turn.message).join("\n"),
      ],
    );
  };
  const lastPrompt = async () => promptSchema.parse((await model.requests()).at(-1)?.body).messages;
  const asks = async () => (await tenant.call("GET", `/v1/asks?sessionId=${session}&status=open`)).body.items;
  return { tenant, model, session, path, hold, release, write, texts, lastPrompt, asks };
}

const replyOf = (turn: unknown) => ({ modelReply: { turns: [{ message: turn }] } });

describe("a conversation that is held", () => {
  it("keeps what its customer writes, says truthfully that a person has it, and begins no turn of the agent", async () => {
    const { tenant, model, session, hold, texts } = await talking();
    expect((await hold()).body).toMatchObject({ hold: { state: "taken", by: { kind: "key" } } });
    const turn = await tenant.say(session, "Where is my parcel?");
    expect(turn).toMatchObject({
      status: "waiting",
      message: { content: "Where is my parcel?" },
      waitsFor: { held: "taken", audience: "staff", askIds: [] },
      userMessage: "Your message was taken. A person answers here.",
    });
    expect(await tenant.say(session, "Hello?")).toMatchObject({ status: "waiting", waitsFor: { held: "taken" } });
    expect(await texts()).toEqual([
      ["user", "Where is my parcel?"],
      ["user", "Hello?"],
    ]);
    expect(await model.requests()).toHaveLength(0);
  });

  it("still has request supervisors look at every message: what they block ends at once", async () => {
    const { tenant, session, hold } = await talking();
    await tenant.rules("words", [
      { match: { type: "phrases", phrases: ["forbidden"] }, action: "block", reason: "Not that." },
    ]);
    await tenant.call("PATCH", `/v1/sessions/${session}`, { addSupervisors: ["words"] });
    await hold();
    await tenant.say(session, "Hello.");
    expect(await tenant.say(session, "A forbidden thing.")).toMatchObject({ status: "blocked" });
  });

  it("gives what staff writes as the reply to all that waits, to whoever follows it, under the person's name", async () => {
    const { tenant, session, path, hold, write, texts } = await talking();
    await hold();
    const first = await tenant.say(session, "Where is my parcel?");
    const followed = await send("POST", `${path}/messages`, {
      key: tenant.key,
      body: { content: "It is late.", follow: true },
      headers: { accept: "text/event-stream" },
    });
    await eventually(async () => expect((await texts()).length).toBe(2));
    const written = await write("I have found it. It comes tomorrow.");
    expect(written.status).toBe(201);
    expect(written.body).toMatchObject({
      status: "completed",
      message: { content: "It is late." },
      reply: { ...replyOf("I have found it. It comes tomorrow."), author: { kind: "key" } },
    });
    expect(await followed.text()).toContain("I have found it. It comes tomorrow.");
    expect(await tenant.turn(session, first.turnId)).toMatchObject({
      status: "completed",
      answeredIn: written.body.turnId,
      reply: replyOf("I have found it. It comes tomorrow."),
    });
    const client = await tenant.withRole("client");
    const { reply } = await client.turn(session, first.turnId);
    expect(reply?.author).toEqual({ kind: "person", id: "staff" });
    expect((await texts()).at(-1)).toEqual(["assistant", "I have found it. It comes tomorrow."]);
  });

  it("takes what staff writes unasked as a message of its own, once under its key, and refuses it where nobody holds", async () => {
    const { hold, write, texts, release, tenant, path } = await talking();
    expect(await write("Hello.")).toMatchObject({ status: 409, body: { code: "conflict" } });
    await hold();
    const key = { "idempotency-key": "one" };
    const written = await write("Are you still there?", key);
    expect((await write("Are you still there?", key)).body.turnId).toBe(written.body.turnId);
    expect(await write("Something else.", key)).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
    expect(await texts()).toEqual([["assistant", "Are you still there?"]]);
    const versions = await tenant.call("GET", `${path}/messages/${written.body.reply.messageId}/versions`);
    expect(versions.body.items).toMatchObject([{ author: { kind: "key" }, message: { author: { kind: "key" } } }]);
    await tenant.call("POST", `${path}/messages/${written.body.reply.messageId}/erase`);
    expect(await texts()).toEqual([["assistant", "[erased]"]]);
    await release();
  });

  it("has the rules look at what staff writes as they look at an edit", async () => {
    const { tenant, session, hold, write, texts } = await talking();
    await tenant.rules("words", [
      { match: { type: "personalData", kinds: ["email"] }, action: "redact", reason: "Private." },
      { match: { type: "phrases", phrases: ["forbidden"] }, action: "block", reason: "Not that." },
    ]);
    await tenant.call("PATCH", `/v1/sessions/${session}`, { addSupervisors: ["words"] });
    await hold();
    expect(await write("A forbidden thing.")).toMatchObject({ status: 422 });
    await write("Write to ana@example.com.");
    expect(await texts()).toEqual([["assistant", "Write to [email]."]]);
  });

  it("goes on after it was handed back with one turn for all that nobody answered, and its model reads who wrote what", async () => {
    const { tenant, model, session, hold, write, release, lastPrompt, texts } = await talking();
    await model.reply({ text: "How can I help?" }, { text: "It comes on Monday." });
    await tenant.say(session, "Hi.");
    await hold();
    await tenant.say(session, "I want a person.");
    await write("Here I am. Your parcel is in Lyon.");
    const earlier = await tenant.say(session, "When does it come?");
    const last = await tenant.say(session, "Well?");
    expect((await release()).body.hold).toBeUndefined();
    expect(await tenant.turn(session, last.turnId)).toMatchObject({
      status: "completed",
      reply: replyOf("It comes on Monday."),
    });
    expect(await tenant.turn(session, earlier.turnId)).toMatchObject({ status: "completed", answeredIn: last.turnId });
    expect(await model.requests()).toHaveLength(2);
    const prompt = (await lastPrompt()).map(({ role, content }) => [role, content]);
    expect(prompt.slice(1)).toEqual([
      ["user", "Hi."],
      ["assistant", "How can I help?"],
      ["user", "I want a person."],
      ["user", expect.stringMatching(/<message from="staff"[\s\S]*Your parcel is in Lyon\.[\s\S]*<\/message/)],
      ["user", "When does it come?"],
      ["user", expect.stringMatching(/<notice[\s\S]*handed it back/)],
      ["user", "Well?"],
    ]);
    expect((await texts()).map(([role]: string[]) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "user",
      "system",
      "assistant",
    ]);
  });

  it("leaves unanswered what came meanwhile, where the person says so", async () => {
    const { tenant, model, session, hold, release } = await talking();
    await hold();
    const turn = await tenant.say(session, "Hello?");
    await release("?answer=false");
    expect(await tenant.turn(session, turn.turnId)).toMatchObject({ status: "cancelled" });
    expect(await model.requests()).toHaveLength(0);
    await model.reply({ text: "Here." });
    expect(await tenant.say(session, "And now?")).toMatchObject({ status: "completed" });
  });

  it("shows nothing of a turn that is under way when it is taken over; handed back, that turn goes on without doing anything again", async () => {
    const { tenant, model, session, path, hold, release } = await talking();
    await model.reply({ text: "The answer of the bot.", hold: { name: "h", afterChunks: 2 } });
    const streamed = await send("POST", `${path}/messages`, {
      key: tenant.key,
      body: { content: "Tell me.", follow: true },
      headers: { accept: "text/event-stream" },
    });
    await model.until({ open: 1 });
    await hold();
    await model.release("h");
    const { body } = await eventually(async () => {
      const read = await tenant.call("GET", path);
      expect(read.body.status).toBe("waiting");
      return read;
    });
    const waiting = await tenant.turn(session, body.lastTurn.turnId, 0);
    expect(waiting).toMatchObject({ status: "waiting", waitsFor: { held: "taken" } });
    expect(waiting.reply).toBeUndefined();
    await release();
    expect(await tenant.turn(session, body.lastTurn.turnId)).toMatchObject({
      status: "completed",
      reply: replyOf("The answer of the bot."),
    });
    expect(await model.requests()).toHaveLength(1);
    expect(await streamed.text()).toContain("turn.waiting");
  });

  it("ends a turn that was under way with what staff writes in its place", async () => {
    const { tenant, model, session, hold, write, texts } = await talking();
    await model.reply({ text: "The answer of the bot.", hold: "h" });
    const { turnId } = await tenant.say(session, "Tell me.", { waitMs: 0 });
    await model.until({ open: 1 });
    await hold();
    expect((await write("I tell you.")).body).toMatchObject({ turnId, reply: replyOf("I tell you.") });
    await model.release("h");
    expect(await texts()).toEqual([
      ["user", "Tell me."],
      ["assistant", "I tell you."],
    ]);
  });

  it("keeps an answer to the question of a turn that waits, and goes on with it once it is handed back", async () => {
    const { tenant, model, session, hold, release } = await talking(
      { whileWaiting: "answer" },
      { tools: [{ server: "conclave", tool: "ask_human" }] },
    );
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }] },
      { text: "Rome it is." },
    );
    const turn = await tenant.say(session, "Book a hotel.");
    await hold();
    // It is for the person now, and answers no question of the agent's.
    expect(await tenant.say(session, "Are you a robot?")).toMatchObject({
      status: "waiting",
      waitsFor: { held: "taken" },
    });
    await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { response: "Rome" });
    expect(await tenant.turn(session, turn.turnId, 0)).toMatchObject({
      status: expect.stringMatching(/running|waiting/),
    });
    expect(await model.requests()).toHaveLength(1);
    await model.reply({ text: "I am." });
    await release();
    expect(await tenant.turn(session, turn.turnId)).toMatchObject({
      status: "completed",
      reply: { modelReply: { turns: [{}, { message: "Rome it is." }] } },
    });
  });

  it("is held through an eviction, in the midst of a message too", async () => {
    const { tenant, model, session, hold, write } = await talking();
    await hold();
    const turn = await tenant.say(session, "Hello?");
    await evictDurableObject(tenant.object(session));
    expect(await tenant.turn(session, turn.turnId, 0)).toMatchObject({
      status: "waiting",
      waitsFor: { held: "taken" },
    });
    await tenant.say(session, "Anybody?", { waitMs: 0 });
    await crashAndWake(tenant, session);
    await eventually(async () => expect((await write("Yes.")).body.message.content).toBe("Anybody?"));
    expect(await model.requests()).toHaveLength(0);
  });

  it("asks for somebody when its person has said nothing for half an hour; taking it over again answers that", async () => {
    const { tenant, session, hold, asks, write } = await talking();
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    await hold();
    await write("One moment.");
    vi.setSystemTime(Date.now() + 31 * 60_000);
    await ringAlarm(tenant.object(session));
    await ringAlarm(tenant.object(session));
    const [ask, ...more] = await eventually(async () => {
      const open = await asks();
      expect(open).not.toHaveLength(0);
      return open;
    });
    expect(more).toEqual([]);
    expect(ask).toMatchObject({ kind: "handover", audience: "staff", from: { sessionId: session } });
    await hold();
    expect((await tenant.call("GET", `/v1/asks/${ask.askId}`)).body).toMatchObject({
      status: "answered",
      answer: { decision: "take" },
    });
  });
});

describe("a customer who asks for a person", () => {
  it("is told so, gets no bot any more, and is taken over by whoever answers the ask", async () => {
    const { tenant, session, path, asks } = await talking({ subject: "ana" });
    const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "ana" })).body;
    const ana = new TestTenant(tenant.tenantId, token);
    const asked = await ana.call("POST", `${path}/person`, {});
    expect(asked.body.hold).toEqual({ state: "asked", since: expect.any(String) });
    expect(await ana.say(session, "Please.")).toMatchObject({
      status: "waiting",
      userMessage: "Your message was taken. A person was asked to answer it.",
    });
    const [ask] = await eventually(async () => {
      const open = await asks();
      expect(open).toHaveLength(1);
      return open;
    });
    expect(ask).toMatchObject({ kind: "handover", question: "ana asks for a person." });
    expect(await ana.call("POST", `/v1/asks/${ask.askId}/answer`, { decision: "take" })).toMatchObject({ status: 404 });
    await tenant.call("POST", `/v1/asks/${ask.askId}/answer`, { decision: "take" });
    expect((await tenant.call("GET", path)).body.hold).toMatchObject({ state: "taken", by: { kind: "key" } });
    expect(await ana.call("DELETE", `${path}/person`)).toMatchObject({ status: 409 });
  });

  it("gets the agent back by taking that back, or where staff says so", async () => {
    const { tenant, model, session, path, asks } = await talking();
    await model.reply({ text: "Here I am again." }, { text: "And again." });
    await tenant.call("POST", `${path}/person`, { speaker: "Ana" });
    const turn = await tenant.say(session, "Please.");
    await tenant.call("DELETE", `${path}/person`);
    expect(await tenant.turn(session, turn.turnId)).toMatchObject({ reply: replyOf("Here I am again.") });
    await tenant.call("POST", `${path}/person`, { speaker: "Ana" });
    const other = await tenant.say(session, "Please!");
    const open = await eventually(async () => {
      const [ask] = await asks();
      expect(ask).toBeDefined();
      return ask;
    });
    await tenant.call("POST", `/v1/asks/${open.askId}/answer`, { decision: "return", note: "nothing for us" });
    expect(await tenant.turn(session, other.turnId)).toMatchObject({ reply: replyOf("And again.") });
  });
});
