/** Sessions and questions of another tenant and of another subject, named over OpenAI's API, the AI SDK's, streams and sockets. */
import { describe, expect, it } from "vitest";
import { assistant, user } from "../openai/support.js";
import { newTenant, send, type TestTenant } from "../support/conclave.js";

/** A stateless call and a session of bob's, each waiting for an answer. */
async function bobs() {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
  const asks = { toolCalls: [{ name: "ask_human", arguments: { question: "Which account?" } }] };
  await model.reply(asks, asks, { text: "Nothing is known of that.", repeat: true });
  const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "bob" })).body;
  const question = (await completeAs(token, [user("Close it.")])).choices[0].message.content;
  const sessionId = await tenant.session({ subject: "bob", externalId: "chat-17" });
  const turn = await tenant.say(sessionId, "Close it.");
  return { tenant, question, sessionId, askId: turn.asks[0]?.askId ?? "" };
}

async function completeAs(key: string, messages: readonly object[], headers: Record<string, string> = {}) {
  const body = { model: "assistant", messages };
  return (await send("POST", "/v1/chat/completions", { key, body, headers })).json<ReturnType<typeof JSON.parse>>();
}

async function strangersOf(tenant: TestTenant): Promise<readonly (readonly [string, string])[]> {
  const other = await newTenant();
  const model = await other.agent("assistant");
  await model.reply({ text: "Nothing is known of that.", repeat: true });
  const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "ada" })).body;
  return [
    ["another tenant's admin", other.key],
    ["another subject", token],
  ];
}

describe("what isn't the caller's own", () => {
  it("is no session of a completion, and no question that its message answers", async () => {
    const { tenant, question, sessionId, askId } = await bobs();
    for (const [who, key] of await strangersOf(tenant)) {
      const inSession = await completeAs(key, [user("Mine.")], { "x-conclave-session": sessionId });
      expect(inSession, who).toMatchObject({ error: { code: "not_found" } });
      for (const text of [question, `Which account?\n[${askId}]`]) {
        const answer = await completeAs(key, [user("Close it."), assistant(text), user("Mine.")]);
        // A token may say nothing in the agent's name: of its own questions alone such a message is the answer.
        if (key.startsWith("cnt_")) expect(answer, who).toMatchObject({ error: { code: "insufficient_permissions" } });
        else expect(answer.choices[0].message.content, who).toBe("Nothing is known of that.");
      }
    }
    await expect
      .poll(async () => (await tenant.call("GET", "/v1/asks?status=open&subject=bob")).body.items)
      .toHaveLength(2);
  });

  it("is no chat of a page, whatever its id", async () => {
    const { tenant, sessionId } = await bobs();
    const parts = [{ type: "text", text: "Mine." }];
    const body = { id: "chat-17", messages: [{ id: "m1", role: "user", parts }] };
    const [[, stranger = ""] = [], [, ada = ""] = []] = await strangersOf(tenant);
    expect((await send("POST", "/v1/ui-chat", { key: ada, body })).status).toBe(404);
    expect((await send("GET", "/v1/ui-chat/chat-17/stream", { key: ada })).status).toBe(204);
    for (const key of [ada, stranger])
      expect((await send("GET", "/v1/ui-chat/chat-17/messages", { key })).status).toBe(404);
    // Another tenant's chat of that id is another chat.
    expect((await send("GET", "/v1/ui-chat/chat-17/stream", { key: stranger })).status).toBe(204);
    expect((await tenant.call("GET", `/v1/sessions/${sessionId}/messages`)).body.items).toHaveLength(1);
  });

  it("is no session whose events are followed, by a stream or a socket", async () => {
    const { tenant, sessionId } = await bobs();
    for (const [who, key] of await strangersOf(tenant))
      for (const headers of [{ accept: "text/event-stream" }, { upgrade: "websocket" }]) {
        const answer = await send("GET", `/v1/sessions/${sessionId}/events?lingerMs=0`, { key, headers });
        expect(answer.status, who).toBe(404);
        expect(answer.webSocket ?? null, who).toBeNull();
      }
  });
});
