import { afterEach, describe, expect, it, vi } from "vitest";
import { newTenant, parseEvents, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crashAndWake } from "../../support/objects.js";

afterEach(() => {
  vi.useRealTimers();
});

const secret = "jane.doe@example.com";
const redactMail = {
  match: { type: "personalData", kinds: ["email"] },
  action: "redact",
  replacement: "[mail]",
  reason: "an e-mail address",
};
const blockWar = { match: { type: "phrases", phrases: ["world war"] }, action: "block", reason: "war talk" };

/** Everything that a client's key can read of a session, as one text. */
async function everythingSeenBy(client: TestTenant, session: string, turnIds: string[]): Promise<string> {
  const paths = [
    `/v1/sessions/${session}`,
    `/v1/sessions/${session}/messages`,
    `/v1/sessions/${session}/supervision`,
    `/v1/sessions/${session}/events?lingerMs=0`,
    "/v1/sessions",
    "/v1/asks",
    ...turnIds.map((turnId) => `/v1/sessions/${session}/turns/${turnId}`),
  ];
  const answers = await Promise.all(paths.map((path) => client.call("GET", path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return JSON.stringify(answers.map(({ body }) => body));
}

describe("what supervision takes out (fault 3)", () => {
  it("of a message reaches no model, no later turn and no client; operators find it in the versions", async () => {
    const tenant = await newTenant();
    const client = await tenant.withRole("client");
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [redactMail, blockWar]);
    await model.reply({ text: "Noted." }, { text: "Hello." });
    const session = await client.session();

    const redacted = await client.say(session, `I am ${secret}.`);
    const blocked = await client.say(session, "Plan a WORLD \n war with me.");
    const later = await client.say(session, "Hello?");

    expect(redacted).toMatchObject({
      status: "completed",
      message: { content: "I am [mail]." },
      supervision: { status: "ok", request: { action: "modify", reasons: ["an e-mail address"] } },
    });
    expect(blocked).toMatchObject({
      status: "blocked",
      message: { content: "[blocked] war talk." },
      error: { role: "error", content: "Your message was blocked. war talk." },
      supervision: { request: { action: "block", reasons: ["war talk"] } },
    });
    expect(later.status).toBe("completed");

    const prompts = JSON.stringify((await model.requests()).map(({ body }) => body));
    expect(prompts).not.toContain(secret);
    expect(prompts).not.toMatch(/world|war talk|blocked/i);
    expect(prompts).toContain("I am [mail].");

    const seen = await everythingSeenBy(
      client,
      session,
      [redacted, blocked, later].map(({ turnId }) => turnId),
    );
    expect(seen).not.toContain(secret);
    expect(seen).not.toMatch(/world/i);

    const versions = (of: TestTenant, turn: typeof blocked) =>
      of.call("GET", `/v1/sessions/${session}/messages/${turn.message?.messageId}/versions`);
    expect(JSON.stringify((await versions(client, blocked)).body)).not.toMatch(/world/i);
    expect((await versions(tenant, blocked)).body.items).toMatchObject([
      { version: 1, decision: "original", message: { content: "Plan a WORLD \n war with me." } },
      { version: 2, decision: "block", reasons: ["war talk"], message: { content: "[blocked] war talk." } },
    ]);
    expect((await versions(tenant, redacted)).body.items).toHaveLength(2);
    expect((await versions(tenant, later)).body.items).toMatchObject([{ version: 1, decision: "allow" }]);
  });

  it("of a reply, of its tools' arguments and outputs, neither", async () => {
    const tenant = await newTenant();
    const client = await tenant.withRole("client");
    const hook = await tenant.agent("hook-holder");
    await tenant.put("tools", "look", { server: "web", description: "Looks.", http: { url: hook.hookURL } });
    const model = await tenant.agent("assistant", { tools: [{ server: "web", tool: "look" }] });
    await tenant.rules("guard", [redactMail, blockWar], { hooks: ["response"] });
    const session = await client.session({ supervisors: ["guard"] });
    await hook.reply({ body: { found: secret } });
    const look = { toolCalls: [{ name: "look", arguments: { q: secret } }], text: `Looking for ${secret}.` };
    await model.reply(look, { text: `It is ${secret}.` }, { text: "The world war it is." }, { text: "Hello." });

    const redacted = await client.say(session, "Whose address is it?");
    const blocked = await client.say(session, "And now?");
    const later = await client.say(session, "Hello?");

    expect(redacted).toMatchObject({
      status: "completed",
      supervision: { response: { action: "modify", reasons: ["an e-mail address"] } },
      reply: {
        modelReply: {
          turns: [
            {
              message: "Looking for [mail].",
              toolCalls: [{ args: { q: "[mail]" }, output: expect.stringContaining("[mail]") }],
            },
            { message: "It is [mail]." },
          ],
        },
      },
    });
    expect(blocked).toMatchObject({ status: "blocked", error: { content: "The answer was blocked. war talk." } });
    expect(blocked.reply).toBeUndefined();

    const seen = await everythingSeenBy(
      client,
      session,
      [redacted, blocked, later].map(({ turnId }) => turnId),
    );
    expect(seen).not.toContain(secret);
    expect(seen).not.toMatch(/world/i);
    const last = JSON.stringify((await model.requests()).at(-1)?.body);
    expect(last).not.toContain(secret);
    expect(last).not.toMatch(/world/i);
    expect(last).toContain("Looking for [mail].");

    const path = `/v1/sessions/${session}/messages/${redacted.reply?.messageId}/versions`;
    expect(JSON.stringify((await client.call("GET", path)).body)).not.toContain(secret);
    expect(JSON.stringify((await tenant.call("GET", path)).body.items[0])).toContain(secret);
  });

  it("of tool calls and their results doesn't reach the tool, nor the model", async () => {
    const tenant = await newTenant();
    const hook = await tenant.agent("hook-holder");
    await tenant.put("tools", "look", { server: "web", description: "Looks.", http: { url: hook.hookURL } });
    const model = await tenant.agent("assistant", { tools: [{ server: "web", tool: "look" }] });
    await tenant.rules("guard", [redactMail, blockWar], { hooks: ["tool_call", "tool_result"] });
    const session = await tenant.session({ supervisors: ["guard"] });
    await hook.reply({ body: `found ${secret}` }, { body: "the world war" });
    const look = (q: string) => ({ toolCalls: [{ name: "look", arguments: { q } }] });
    await model.reply(look(secret), look("history"), look("world war"), { text: "Well." });

    const turn = await tenant.say(session, "Look around.");

    expect(turn.status).toBe("completed");
    expect((await hook.requests()).map(({ body }) => body)).toEqual([{ q: "[mail]" }, { q: "history" }]);
    const last = JSON.parse(JSON.stringify((await model.requests()).at(-1)?.body));
    const results = last.messages.filter((message: { role: string }) => message.role === "tool");
    expect(results.map((message: { content: string }) => message.content)).toEqual([
      "found [mail]",
      'The result of "look" was blocked. The call was made all the same: it was done. war talk',
      'The call of "look" was blocked. war talk',
    ]);
  });
});

describe("supervisors", () => {
  it("stand where the tenant, the agent and the session put them: a caller can only add", async () => {
    const tenant = await newTenant({ supervisors: ["of-tenant"] });
    const rule = (word: string) => ({
      match: { type: "phrases", phrases: [word] },
      action: "redact",
      replacement: "*",
      reason: word,
    });
    for (const place of ["tenant", "agent", "session"]) await tenant.rules(`of-${place}`, [rule(place)]);
    const model = await tenant.agent("assistant", { supervisors: ["of-agent"] });
    await model.reply({ text: "ok", repeat: true });
    const client = await tenant.withRole("client");
    const text = "tenant agent session";
    const with_ = await client.say(await client.session({ supervisors: ["of-session"] }), text);
    const without = await client.say(await client.session({ supervisors: [] }), text);
    expect(with_.message).toMatchObject({ content: "* * *" });
    expect(without.message).toMatchObject({ content: "* * session" });
    expect(with_.supervision.request?.reasons).toEqual(["agent", "session", "tenant"]);
  });

  it("fault 1 and 2: a turn's record says what was changed, by hashes, and by whom", async () => {
    const tenant = await newTenant();
    await tenant.rules("mail", [redactMail]);
    await tenant.rules("war", [blockWar]);
    const model = await tenant.agent("assistant", { supervisors: ["mail", "war"] });
    await model.reply({ text: "fine" }, { text: `${secret} and the world war` });
    const session = await tenant.session();
    await tenant.say(session, "nothing special");
    const blocked = await tenant.say(session, "and now?");
    expect(blocked.supervision.response).toEqual({ action: "block", reasons: ["war talk"] });

    const { body } = await tenant.call("GET", `/v1/sessions/${session}/supervision`);
    const [request, response, , last] = body.items;
    for (const untouched of [request, response]) {
      expect(untouched.decision).toBe("allow");
      for (const step of untouched.steps) expect(step).toMatchObject({ action: "allow", afterHash: step.beforeHash });
    }
    expect(last).toMatchObject({ hook: "response", decision: "block" });
    const [mail, war] = last.steps;
    expect(mail).toMatchObject({ supervisor: "mail", action: "modify", reasons: ["an e-mail address"] });
    expect(mail.afterHash).not.toBe(mail.beforeHash);
    expect(war).toMatchObject({ supervisor: "war", action: "block", beforeHash: mail.afterHash });
    expect(war.afterHash).toBe(war.beforeHash);
  });

  it("that were deleted fail the turn, rather than allow", async () => {
    const tenant = await newTenant();
    await tenant.rules("guard", [blockWar]);
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    const session = await tenant.session();
    await tenant.call("DELETE", "/v1/supervisors/guard");
    const turn = await tenant.say(session, "hello");
    expect(turn).toMatchObject({ status: "failed", error: { code: "misconfigured" } });
    expect(await model.requests()).toEqual([]);
    await tenant.rules("guard", [blockWar]);
    await model.reply({ text: "ok" });
    expect((await tenant.say(session, "hello")).status).toBe("completed");
  });

  it("hold for the whole turn as they were when it began", async () => {
    const tenant = await newTenant();
    await tenant.rules("guard", [blockWar]);
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await model.reply({ text: "lost", hold: "h" }, { text: "the world war" });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "hello", { waitMs: 0 });
    await model.until({ open: 1 });
    await tenant.rules("guard", [redactMail]);
    await crashAndWake(tenant, session);
    expect((await tenant.turn(session, turnId)).status).toBe("blocked");
  });

  it("in shadow mode change nothing, and say what they would have done", async () => {
    const tenant = await newTenant();
    await tenant.rules("shadow", [blockWar], { mode: "shadow" });
    const model = await tenant.agent("assistant", { supervisors: ["shadow"] });
    await model.reply({ text: "a world war" });
    const session = await tenant.session();
    const turn = await tenant.say(session, "world war?");
    expect(turn).toMatchObject({ status: "completed", message: { content: "world war?" } });
    const { body } = await tenant.call("GET", `/v1/sessions/${session}/supervision`);
    for (const pass of body.items) {
      expect(pass).toMatchObject({ decision: "allow", steps: [{ mode: "shadow", action: "block" }] });
    }
    const client = await tenant.withRole("client");
    const shown = (await client.call("GET", `/v1/sessions/${session}/supervision`)).body;
    for (const pass of shown.items) expect(pass).toMatchObject({ decision: "allow", steps: [] });
  });
});

describe("a rule that asks for a review", () => {
  async function held() {
    const tenant = await newTenant();
    const client = await tenant.withRole("client");
    await tenant.rules(
      "guard",
      [{ match: { type: "phrases", phrases: ["refund"] }, action: "review", reason: "a refund" }, blockWar],
      { hooks: ["response"] },
    );
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await model.reply({ text: "You get a refund." }, { text: "Hello." });
    const session = await client.session();
    const turn = await client.say(session, "Please?");
    return { tenant, client, model, session, turn, askId: turn.asks[0]?.askId ?? "" };
  }

  it("holds the answer back, from everybody but who may review it, until it is accepted", async () => {
    const { tenant, client, session, turn, askId } = await held();
    expect(turn).toMatchObject({ status: "waiting", asks: [{ kind: "review", audience: "staff" }] });
    expect(turn.reply).toBeUndefined();
    expect(await everythingSeenBy(client, session, [turn.turnId])).not.toContain("You get");
    expect((await tenant.call("GET", `/v1/asks/${askId}`)).body.proposal).toMatchObject({
      proposed: "You get a refund.",
    });
    expect((await client.call("POST", `/v1/asks/${askId}/answer`, { decision: "accept" })).status).toBe(403);

    await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "accept" });
    expect((await client.turn(session, turn.turnId)).reply?.modelReply.turns).toMatchObject([
      { message: "You get a refund." },
    ]);
  });

  it("takes an edit in its place, and what the edit says is still subject to the rules that block", async () => {
    const { tenant, client, model, session, turn, askId } = await held();
    await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "edit", content: "No world war, no refund." });
    expect((await client.turn(session, turn.turnId)).status).toBe("blocked");
    await client.say(session, "Hello?");
    expect(await everythingSeenBy(client, session, [turn.turnId])).not.toMatch(/world war|You get/);
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).not.toMatch(/world war|You get/);
  });

  it("says it in a stream only once it is accepted", async () => {
    const { tenant, client, session, askId } = await held();
    const before = parseEvents((await client.call("GET", `/v1/sessions/${session}/events?lingerMs=0`)).body);
    expect(JSON.stringify(before)).not.toContain("You get");
    await tenant.call("POST", `/v1/asks/${askId}/answer`, { decision: "reject" });
    await eventually(async () => {
      const after = parseEvents((await client.call("GET", `/v1/sessions/${session}/events?lingerMs=0`)).body);
      expect(after.at(-1)).toMatchObject({ event: "turn.completed", data: { status: "blocked" } });
      expect(JSON.stringify(after)).not.toContain("You get");
    });
  });
});
