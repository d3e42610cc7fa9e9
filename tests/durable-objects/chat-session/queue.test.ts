import { afterEach, describe, expect, it, vi } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crash, crashAndWake, rowsOf } from "../../support/objects.js";

afterEach(() => {
  vi.useRealTimers();
});

/** A reply that names its place in the script, so that it shows which turn got it. */
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `reply ${index}` }));

describe("messages of one session", () => {
  it("sent 50 at once are answered in order, or refused with a 429 and a Retry-After; none is lost", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "reply first", hold: "h" }, ...numbered(49));
    const path = `/v1/sessions/${session}/messages`;
    let answered = 0;
    const sent = Array.from({ length: 50 }, async (_, index) => {
      const answer = await tenant.call("POST", path, { content: `message ${index}`, waitMs: 60_000 });
      answered++;
      return answer;
    });
    await model.until({ open: 1 });
    // All have come: whoever finds the queue full is told so at once.
    await eventually(() => expect(answered).toBe(17));
    expect(await rowsOf(tenant.object(session), "SELECT 1 FROM turns")).toHaveLength(33);
    await model.release("h");
    const answers = await Promise.all(sent);

    const done = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([done.length, refused.length]).toEqual([33, 17]);
    expect(new Set(done.map(({ body }) => body.status))).toEqual(new Set(["completed"]));
    for (const { headers, body } of refused) {
      expect(body.code).toBe("queue_full");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    // One at a time, in the order in which they were accepted, each seeing just what came before it.
    const { requests, mostOpen } = await model.state();
    expect(mostOpen).toBe(1);
    const transcript = (await tenant.call("GET", `${path}?limit=200`)).body.items;
    expect(transcript).toHaveLength(66);
    const asked = transcript.filter((message: { role: string }) => message.role === "user");
    const accepted = await rowsOf(tenant.object(session), "SELECT original FROM turns ORDER BY seq");
    expect(asked.map(({ content }: { content: string }) => content)).toEqual(accepted.map(({ original }) => original));
    expect(requests.map(({ body }) => lastMessage(body))).toEqual(
      asked.map((message: { content: string }) => message.content),
    );
    for (const [index, { body }] of done.entries()) expect(body.message.content, `${index}`).toMatch(/^message \d+$/);
    expect(new Set(done.map(({ body }) => body.reply.modelReply.turns[0].message)).size).toBe(33);
  });

  it("two at the same moment never see each other half-way", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "alpha answered" }, { text: "beta answered" });
    const turns = await Promise.all([tenant.say(session, "alpha"), tenant.say(session, "beta")]);
    const [first, second] = await model.requests();
    expect(JSON.stringify(first?.body)).not.toContain(lastMessage(second?.body));
    expect(JSON.stringify(second?.body)).toContain(lastMessage(first?.body));
    for (const turn of turns) {
      const said = turn.message?.role === "user" ? turn.message.content : "";
      const index = lastMessage(first?.body) === said ? 0 : 1;
      expect(turn.reply?.modelReply.turns).toMatchObject([
        { message: index === 0 ? "alpha answered" : "beta answered" },
      ]);
    }
  });

  it("a session at a time: two sessions at the same moment never see each other, and don't wait for each other", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await tenant.rules("guard", [
      { match: { type: "phrases", phrases: ["attack"] }, action: "block", reason: "an attack" },
    ]);
    await model.reply({ text: "fine", repeat: true });
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => tenant.session({ supervisors: ["guard"], metadata: { test: true } })),
    );
    const turns = await Promise.all(
      sessions.map((session, index) => tenant.say(session, index % 2 === 0 ? `attack ${index}` : `hello ${index}`)),
    );
    expect(turns.map(({ status }) => status)).toEqual(
      sessions.map((_, index) => (index % 2 === 0 ? "blocked" : "completed")),
    );
    for (const { body } of await model.requests()) expect(lastMessage(body)).toMatch(/^hello [1357]$/);
    for (const [index, session] of sessions.entries()) {
      const passes = (await tenant.call("GET", `/v1/sessions/${session}/supervision`)).body.items;
      expect(passes[0].decision).toBe(index % 2 === 0 ? "block" : "allow");
      const transcript = JSON.stringify((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body);
      expect(transcript).not.toContain("attack ");
    }
  });

  it("that take longer than their caller waits are a 202, and can be looked up", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "At last.", hold: "h" });
    const path = `/v1/sessions/${session}/messages`;
    const early = await tenant.call("POST", path, { content: "hello", waitMs: 0 });
    expect(early).toMatchObject({ status: 202, body: { status: expect.stringMatching(/queued|running/) } });
    await model.until({ open: 1 });
    expect(await tenant.turn(session, early.body.turnId, 0)).toMatchObject({
      status: "running",
      message: { content: "hello" },
      supervision: { status: "ok", request: { action: "allow" } },
    });
    await model.release("h");
    expect(await tenant.turn(session, early.body.turnId)).toMatchObject({ status: "completed" });
  });
});

describe("an Idempotency-Key on a message", () => {
  it("gives the same turn to whoever sends the same again, at the same moment, later, and after a crash", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "Once." }, { text: "Another." });
    const send = (content: string, key: string) =>
      tenant.call("POST", `/v1/sessions/${session}/messages`, { content }, { "idempotency-key": key });

    const answers = await Promise.all([send("hello", "a"), send("hello", "a"), send("hello", "a")]);
    await crash();
    answers.push(await send("hello", "a"));

    expect(new Set(answers.map(({ body }) => body.turnId)).size).toBe(1);
    for (const { status, body } of answers) expect([status, body.status]).toEqual([200, "completed"]);
    expect(await model.requests()).toHaveLength(1);

    expect(await send("something else", "a")).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
    expect((await send("hello", "b")).body.turnId).not.toBe(answers[0]?.body.turnId);
    expect(await model.requests()).toHaveLength(2);
  });

  it("gives the same turn while the session is waiting or full, when a new message would be refused", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    const session = await tenant.session({ whileWaiting: "refuse" });
    await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
    const send = (key: string) =>
      tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "hello" }, { "idempotency-key": key });
    const first = await send("a");
    expect(first.body.status).toBe("waiting");
    expect(await send("a")).toMatchObject({ status: 200, body: { turnId: first.body.turnId, status: "waiting" } });
    expect((await send("b")).status).toBe(409);
  });
});

describe("cancelling a turn", () => {
  it("ends a queued one before it begins, and the others go on", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "first", hold: "h" }, { text: "third" });
    const [first, second, third] = [
      await tenant.say(session, "one", { waitMs: 0 }),
      await tenant.say(session, "two", { waitMs: 0 }),
      await tenant.say(session, "three", { waitMs: 0 }),
    ];
    await model.until({ open: 1 });
    const cancelled = await tenant.call("POST", `/v1/sessions/${session}/turns/${second.turnId}/cancel`);
    expect(cancelled.body.status).toBe("cancelled");
    await model.release("h");

    expect((await tenant.turn(session, third.turnId)).reply?.modelReply.turns).toMatchObject([{ message: "third" }]);
    expect((await tenant.turn(session, first.turnId)).status).toBe("completed");
    expect((await tenant.turn(session, second.turnId)).status).toBe("cancelled");
    expect(JSON.stringify(await model.requests())).not.toContain('"two"');
  });

  it("ends a running one at once: its model call is dropped, nothing of it is written later", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "too late", hold: "h" }, { text: "next" });
    const said = tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "one" });
    await model.until({ open: 1 });
    const [{ turn_id: turnId } = {}] = await rowsOf(tenant.object(session), "SELECT turn_id FROM turns");

    const cancelled = await tenant.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect((await said).body.status).toBe("cancelled");
    await model.until({ aborted: 1 });
    await model.release("h");

    expect((await tenant.say(session, "two")).status).toBe("completed");
    expect(JSON.stringify((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body)).not.toContain("late");
    await crashAndWake(tenant, session);
    expect((await tenant.turn(session, String(turnId), 0)).status).toBe("cancelled");
    expect(await model.requests()).toHaveLength(2);
  });

  it("changes nothing about one that has ended, and is a 404 for one that doesn't exist", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "done" });
    const { turnId } = await tenant.say(session, "one");
    const again = await tenant.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
    expect(again).toMatchObject({ status: 200, body: { status: "completed" } });
    const unknown = `/v1/sessions/${session}/turns/trn_01k00000000000000000000000`;
    expect((await tenant.call("POST", `${unknown}/cancel`)).status).toBe(404);
    expect((await tenant.call("GET", unknown)).status).toBe(404);
  });
});

function lastMessage(body: unknown): string {
  const { messages } = JSON.parse(JSON.stringify(body));
  return messages.at(-1).content;
}
