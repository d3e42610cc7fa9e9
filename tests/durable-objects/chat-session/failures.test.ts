import { afterEach, describe, expect, it, vi } from "vitest";
import { takeTable } from "../../support/broken-database.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { ringAlarm, rowsOf } from "../../support/objects.js";
import type { SeenRequest } from "../../support/upstream-client.js";

afterEach(() => {
  vi.useRealTimers();
});

/** What the model read as results of its calls, in its last request. */
function results(requests: readonly SeenRequest[]): string[] {
  const { messages } = JSON.parse(JSON.stringify(requests.at(-1)?.body));
  return messages.flatMap(({ role, content }: { role: string; content: string }) => (role === "tool" ? [content] : []));
}

async function withTool(tenant: TestTenant, tool: object, more: readonly object[] = []) {
  const hook = await tenant.agent("hook-holder");
  const http = { url: `${hook.hookURL}/{city}`, method: "POST", headers: { "x-api-key": "sk-tool" } };
  await tenant.put("tools", "weather", {
    server: "web",
    description: "Weather.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    http,
    ...tool,
  });
  const model = await tenant.agent("assistant", { tools: [{ server: "web", tool: "weather" }, ...more] });
  return { hook, model, session: await tenant.session() };
}

describe("a turn whose model fails", () => {
  it.each([
    ["refuses", { status: 401, body: { error: { message: "bad key sk-live-123" } } }],
    ["answers with a page", { status: 403, body: "<html>Forbidden sk-live-123</html>" }],
  ])(
    "because it %s says so, to operators alone with what the provider said, and the session goes on",
    async (_what, reply) => {
      const tenant = await newTenant();
      const model = await tenant.agent("assistant");
      const session = await tenant.session();
      await model.reply(reply, { text: "Back again." });

      const turn = await tenant.say(session, "one");

      expect(turn).toMatchObject({
        status: "failed",
        error: { role: "error", content: expect.stringMatching(/^The answer failed: .*\(model_failed\)/) },
      });
      expect(turn.failure).toContain("the provider answered");
      const shown = await (await tenant.withRole("client")).turn(session, turn.turnId);
      expect(shown).toMatchObject({ status: "failed", error: turn.error });
      expect(JSON.stringify(shown)).not.toMatch(/sk-live|<html>|the provider answered/);
      expect((await tenant.say(session, "two")).status).toBe("completed");
      // What was said stays said; the failure is no part of the conversation.
      const { messages } = JSON.parse(JSON.stringify((await model.requests()).at(-1)?.body));
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(["Be helpful.", "one", "two"]);
    },
  );

  it("falls over to the next of its list", async () => {
    const tenant = await newTenant();
    const first = await tenant.agent("assistant");
    await tenant.put("agents", "assistant", {
      kind: "model",
      model: [`openai/${first.model}`, "offline"],
      instructions: "",
    });
    await first.reply({ status: 401, body: {} });
    const turn = await tenant.say(await tenant.session(), "hello");
    expect(turn).toMatchObject({ status: "completed", reply: { modelReply: { metadata: { offline: true } } } });
  });

  it("because its agent was deleted says that it isn't set up, and keeps for operators what is missing", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const session = await tenant.session();
    await tenant.call("DELETE", "/v1/agents/assistant");
    const turn = await tenant.say(session, "hello");
    const failure = expect.stringContaining("agents/assistant");
    expect(turn).toMatchObject({ status: "failed", error: { code: "misconfigured" }, failure });
    const client = await tenant.withRole("client");
    const seen = await client.turn(session, turn.turnId);
    expect(seen).not.toHaveProperty("failure");
    expect(JSON.stringify(seen)).not.toContain("agents/assistant");
    const events = await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0`);
    expect(JSON.stringify(events.body)).not.toContain("agents/assistant");
  });

  it("before its message was cleared leaves an error behind the message that it is about, without its text", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await tenant.call("DELETE", "/v1/agents/assistant");
    await tenant.say(session, "hello");
    const { items } = (await tenant.call("GET", `/v1/sessions/${session}/messages`)).body;
    expect(items).toMatchObject([
      { role: "user", content: "[withheld] The turn failed before its message was cleared." },
      { role: "error" },
    ]);
    await tenant.put("agents", "assistant", { kind: "model", model: `openai/${model.model}`, instructions: "" });
    await model.reply({ text: "Hi." });
    await tenant.say(session, "again");
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).not.toContain("withheld");
  });

  it("after it called a tool shows the call that it made", async () => {
    const tenant = await newTenant();
    const { hook, model, session } = await withTool(tenant, {});
    await hook.reply({ body: "booked" });
    const refuses = { status: 400, body: { error: { message: "no" } } };
    await model.reply({ toolCalls: [{ name: "weather", arguments: { city: "Lyon" } }] }, refuses);
    const turn = await tenant.say(session, "Book.");
    expect(turn).toMatchObject({
      status: "failed",
      calls: [{ server: "web", tool: "weather", outcome: "done", toolCallId: expect.any(String) }],
    });
    expect(await hook.requests()).toHaveLength(1);
  });
});

describe("a turn while the database is away", () => {
  const crashes = async (tenant: TestTenant, session: string) =>
    (await rowsOf(tenant.object(session), "SELECT count FROM crashes")).map((row) => row.count);

  async function crashedTwice() {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    const back = await takeTable("resource_heads");
    const { turnId } = await tenant.say(session, "hello", { waitMs: 0 });
    await eventually(async () => expect(await crashes(tenant, session)).toEqual([2]));
    return { tenant, model, session, turnId, back };
  }

  it("is tried again when the lease runs out, and completes once it is back", async () => {
    const { tenant, model, session, turnId, back } = await crashedTwice();
    await back();
    await model.reply({ text: "Here I am." });
    await ringAlarm(tenant.object(session));
    expect((await tenant.turn(session, turnId)).status).toBe("completed");
  });

  it("fails visibly in the end, and the session goes on", async () => {
    const { tenant, model, session, turnId, back } = await crashedTwice();
    await ringAlarm(tenant.object(session));
    await eventually(async () => expect(await crashes(tenant, session)).toEqual([3]));
    await ringAlarm(tenant.object(session));
    const turn = await tenant.turn(session, turnId);
    await back();
    expect(turn).toMatchObject({ status: "failed", error: { content: expect.stringContaining("internal error") } });
    await model.reply({ text: "Better." });
    expect((await tenant.say(session, "and now?")).status).toBe("completed");
  });
});

describe("a tool of kind HTTP", () => {
  it("is called with its arguments in the address and the body, its headers, and a key of this call", async () => {
    const tenant = await newTenant();
    const { hook, model, session } = await withTool(tenant, {});
    await hook.reply({ body: "sunny" });
    await model.reply(
      { toolCalls: [{ name: "weather", arguments: { city: "São Paulo/x?y", day: 1 } }] },
      { text: "Sunny." },
    );
    const turn = await tenant.say(session, "Weather?");
    const [call] = await hook.requests();
    expect(call?.path).toMatch(/\/S%C3%A3o%20Paulo%2Fx%3Fy$/);
    expect(call?.body).toEqual({ day: 1 });
    expect(call?.headers).toMatchObject({ "x-api-key": "sk-tool", "idempotency-key": expect.stringMatching(/^call_/) });
    expect(results(await model.requests())).toEqual(["sunny"]);
    expect(JSON.stringify(turn)).not.toContain("sk-tool");
  });

  it("that fails tells the model why, and the turn goes on", async () => {
    const tenant = await newTenant();
    const slow = await tenant.agent("slow-hook-holder");
    await slow.reply({ body: "late", hold: "h" });
    await tenant.put("tools", "slow", {
      server: "web",
      description: "Never answers.",
      http: { url: slow.hookURL },
      timeoutMs: 100,
    });
    const { hook, model, session } = await withTool(tenant, {}, [{ server: "web", tool: "slow" }]);
    await hook.reply({ status: 500, body: "boom" }, { drop: true });
    const city = (name: unknown) => ({ name: "weather", arguments: { city: name } });
    await model.reply(
      { toolCalls: [city("a")] },
      { toolCalls: [{ name: "slow", arguments: {} }] },
      { toolCalls: [city("c")] },
      { toolCalls: [city(5)] },
      { toolCalls: [city("..")] },
      { text: "No idea." },
    );
    const turn = await tenant.say(session, "Weather?");
    expect(turn.status).toBe("completed");
    expect(results(await model.requests())).toEqual([
      "HTTP 500: boom",
      expect.stringContaining("within 100 ms"),
      expect.stringContaining("could not be reached"),
      expect.stringContaining('arguments of "weather" are wrong: #/city'),
      expect.stringContaining("dots alone"),
    ]);
    expect(await hook.requests()).toHaveLength(2);
    const events = (await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0`)).body;
    expect(events.match(/event: tool\.called/g)).toHaveLength(4);
    expect(events.match(/event: tool\.returned/g)).toHaveLength(4);
  });

  it("under way is dropped when its turn is cancelled, and its result is nowhere", async () => {
    const tenant = await newTenant();
    const { hook, model, session } = await withTool(tenant, {});
    await hook.reply({ body: "too late", hold: "h" });
    await model.reply({ toolCalls: [{ name: "weather", arguments: { city: "a" } }] });
    const { turnId } = await tenant.say(session, "Weather?", { waitMs: 0 });
    await hook.until({ open: 1 });
    await tenant.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
    await hook.until({ aborted: 1 });
    await hook.release("h");
    expect((await tenant.turn(session, turnId)).status).toBe("cancelled");
    expect((await tenant.call("GET", `/v1/sessions/${session}/events?lingerMs=0`)).body).not.toContain("tool.returned");
    expect(await model.requests()).toHaveLength(1);
  });
});
