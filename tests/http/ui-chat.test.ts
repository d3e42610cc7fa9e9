/** The chat of the AI SDK, byte by byte: what its own reader makes of it is tested with the SDK itself in tests/clients. */
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { UiChunk } from "../../src/http/ui-chat/chunks.js";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { newPanel, requests, seat, takes } from "../support/roundtables.js";
import { bodyOf, chunksOf, say, userOf } from "../support/ui-chat.js";
import { expectProblem } from "./support.js";

const human = [{ server: "conclave", tool: "ask_human" }];
const asks = (question: string, fields = {}) => ({
  toolCalls: [{ name: "ask_human", arguments: { question, ...fields } }],
});

/** Another session of Ada's. */
const own = (tenant: TestTenant) => tenant.session({ agent: "assistant", subject: "ada" });

async function resume(user: TestTenant, id: string): Promise<UiChunk[]> {
  return chunksOf(await user.call("GET", `/v1/ui-chat/${id}/stream`));
}

function textIn(chunks: readonly UiChunk[]): string {
  const texts = new Map<string, string>();
  for (const chunk of chunks) {
    if (chunk.type === "text-delta") texts.set(chunk.id, (texts.get(chunk.id) ?? "") + chunk.delta);
    if (chunk.type === "data-retracted") texts.delete(chunk.data.id);
  }
  return [...texts.values()].join("|");
}

const typesIn = (chunks: readonly UiChunk[]) =>
  chunks.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
const of = <T extends UiChunk["type"]>(chunks: readonly UiChunk[], type: T) =>
  chunks.filter((chunk): chunk is Extract<UiChunk, { type: T }> => chunk.type === type);

describe("a page's chat", () => {
  it("begins a session with the token's only agent, under the chat's id, and streams the reply", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const ada = await userOf(tenant, "ada");
    await model.reply({ chunks: ["Hello, ", "Ada."], text: "Hello, Ada." }, { text: "As I said." });
    const first = await say(ada, "chat-1", "Hi!");
    expect(typesIn(first)).toEqual([
      ...["start", "start-step", "text-start", "text-delta", "text-end"],
      ...["finish-step", "finish"],
    ]);
    expect(textIn(first)).toBe("Hello, Ada.");
    expect(first.at(-1)).toMatchObject({ finishReason: "stop", messageMetadata: { status: "completed" } });
    await say(ada, "chat-1", "Again?");
    // What the page says of earlier messages is nothing to the model: the session knows them.
    expect(JSON.stringify((await model.requests()).at(-1))).not.toContain("What the page says");
    expect(JSON.stringify((await model.requests()).at(-1))).toContain("Hello, Ada.");

    const [start] = of(first, "start");
    const session = await ada.call("GET", `/v1/sessions/${start?.messageMetadata.sessionId}`);
    expect(session.body).toMatchObject({ externalId: "chat-1", subject: "ada", agent: "assistant" });
  });

  it("takes the agent that the body names, and says what is missing where nobody names one", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Yes." });
    const ada = await userOf(tenant, "ada", { agents: ["assistant", "other"] });
    const missing = await ada.call("POST", "/v1/ui-chat", bodyOf("c", "Hi!"));
    expectProblem(missing, "invalid");
    expect(missing.body.errors).toMatchObject([{ path: "agent" }]);
    expectProblem(await ada.call("POST", "/v1/ui-chat", bodyOf("c", "Hi!", { agent: "stranger" })), "forbidden");
    expect(textIn(await say(ada, "c", "Hi!", { agent: "assistant" }))).toBe("Yes.");
  });

  it("refuses what it can't take, by name", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const ada = await userOf(tenant, "ada");
    const file = { role: "user", parts: [{ type: "file", mediaType: "image/png", url: "data:," }] };
    for (const [fields, path] of [
      [{ messages: [file] }, "messages"],
      [{ messages: [{ role: "user", parts: [] }] }, "messages"],
      [{ messages: [{ role: "assistant", parts: [{ type: "text", text: "x" }] }] }, "messages"],
      [{ messages: [{ role: "user", parts: [{ type: "text", text: "x".repeat(100_001) }] }] }, "messages"],
      [{ id: "two words" }, "id"],
      [{ model: "gpt" }, "model"],
    ] as const) {
      const answer = await ada.call("POST", "/v1/ui-chat", bodyOf("c", "Hi!", fields));
      expectProblem(answer, "invalid");
      expect(answer.body.errors[0].path).toBe(path);
    }
  });

  it("is its subject's alone: to another it isn't there, and a revoked one has to sign in", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: human });
    const [ada, bob] = [await userOf(tenant, "ada"), await userOf(tenant, "bob")];
    await model.reply(asks("Which?"));
    await say(ada, "mine", "Hi!");
    expectProblem(await bob.call("POST", "/v1/ui-chat", bodyOf("mine", "Hi!")), "not_found");
    const elsewhere = await userOf(await newTenant(), "ada");
    // As of a chat that there isn't, to the header: whoever may not see it isn't told that it is there.
    const none = await bob.call("GET", "/v1/ui-chat/nobodys/stream");
    for (const stranger of [bob, elsewhere, await userOf(tenant, "ada", { sessionId: await own(tenant) })]) {
      const answer = await stranger.call("GET", "/v1/ui-chat/mine/stream");
      expect([answer.status, answer.body, [...answer.headers.keys()]]).toEqual([
        ...[204, none.body, [...none.headers.keys()]],
      ]);
    }
    await tenant.call("POST", "/v1/subjects/ada/revoke");
    expectProblem(await ada.call("POST", "/v1/ui-chat", bodyOf("mine", "Hi!")), "unauthorized");
    expectProblem(await ada.call("GET", "/v1/ui-chat/mine/stream"), "unauthorized");
  });

  it("may be called by pages of the tenant's origins", async () => {
    const page = "https://ui.example";
    const tenant = await newTenant({ corsOrigins: [page] });
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Yes." });
    const ada = await userOf(tenant, "ada");
    const preflight = await send("OPTIONS", "/v1/ui-chat", {
      headers: { origin: page, "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBe(page);
    const answer = await ada.call("POST", "/v1/ui-chat", bodyOf("c", "Hi!"), { origin: page });
    expect(answer.headers.get("access-control-allow-origin")).toBe(page);
    expect(answer.headers.get("vary")).toContain("Origin");
  });
});

describe("a message of a page", () => {
  it("of a picture is refused in words for whoever sent it", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const parts = [{ type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" }];
    const body = { id: "chat", agent: "assistant", messages: [{ id: "m", role: "user", parts }] };
    expect((await tenant.call("POST", "/v1/ui-chat", body)).body.userMessage).toMatch(
      /^Files and images can't be sent/,
    );
  });

  it("is one message, however often it is sent; regenerating sends it once more", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const ada = await userOf(tenant, "ada");
    await model.reply({ text: "One." }, { text: "Two." });
    const body = bodyOf("c", "Hi!");
    const [first, again] = [
      chunksOf(await ada.call("POST", "/v1/ui-chat", body)),
      chunksOf(await ada.call("POST", "/v1/ui-chat", body)),
    ];
    expect([textIn(first), textIn(again)]).toEqual(["One.", "One."]);
    expect(again[0]).toEqual(first[0]);
    const anew = chunksOf(await ada.call("POST", "/v1/ui-chat", { ...body, trigger: "regenerate-message" }));
    expect(textIn(anew)).toBe("Two.");
    expect(await model.requests()).toHaveLength(2);
  });
});

describe("what happens in a turn", () => {
  it("shows a tool while it runs, and what it was told and gave with the reply", async () => {
    const tenant = await newTenant();
    const shop = await tenant.agent("shop");
    await shop.reply({ body: "three are left" });
    await tenant.put("tools", "stock", {
      server: "shop",
      description: "Looks",
      parameters: { type: "object", properties: { item: { type: "string" } } },
      http: { url: shop.hookURL },
    });
    const model = await tenant.agent("assistant", { tools: ["shop/stock"] });
    await model.reply(
      { text: "I look.", toolCalls: [{ name: "stock", arguments: { item: "lamp" } }] },
      { text: "Three lamps." },
    );
    const chunks = await say(await userOf(tenant, "ada"), "c", "How many?");
    expect(typesIn(chunks)).toEqual([
      ...["start", "start-step", "text-start", "text-delta", "text-end", "tool-input-start"],
      ...["text-start", "text-delta", "tool-input-available", "tool-output-available", "text-end"],
      ...["finish-step", "finish"],
    ]);
    expect(textIn(chunks)).toBe("I look.|Three lamps.");
    expect(of(chunks, "tool-input-available")).toMatchObject([{ toolName: "shop/stock", input: { item: "lamp" } }]);
    expect(of(chunks, "tool-output-available")).toMatchObject([{ output: expect.stringContaining("three are left") }]);
  });

  it("takes the next message for the answer to what a panel asks its user", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await tenant.put("panels", "board", panel.fields);
    await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
    const ada = await userOf(tenant, "ada");
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."), takes("A2."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."));
    await panel.analyst.reply({ text: JSON.stringify({ conclusion: "The panel would ship." }) });
    const asked = await say(ada, "c", "Do we ship?");
    expect(of(asked, "data-ask")).toMatchObject([{ data: { kind: "context", question: "What is the budget?" } }]);
    expect(textIn(await say(ada, "c", "5 million"))).toContain("The panel would ship.");
  });

  it("asks; the next message is the answer, and what follows it is a message of its own", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: human });
    const ada = await userOf(tenant, "ada");
    await model.reply({ text: "Let me see.", ...asks("Which order?", { suggestions: ["A-1", "A-2"] }) });
    const asked = await say(ada, "c", "Where is it?");
    expect(textIn(asked)).toBe("Let me see.");
    expect(of(asked, "data-ask")).toMatchObject([
      { data: { kind: "human", question: "Which order?", suggestions: ["A-1", "A-2"], status: "open" } },
    ]);
    expect(asked.at(-1)).toMatchObject({ type: "finish", finishReason: "other" });
    // A page that is loaded now sees the question too.
    const loaded = await resume(ada, "c");
    expect([loaded[0], textIn(loaded), of(loaded, "data-ask")]).toEqual([
      ...[asked[0], "Let me see."],
      of(asked, "data-ask"),
    ]);

    await model.reply({ text: "It is on its way." });
    const answered = await say(ada, "c", "A-1");
    expect(textIn(answered)).toBe("It is on its way.");
    const [[before], [after]] = [of(asked, "start"), of(answered, "start")];
    expect(after?.messageMetadata.turnId).toBe(before?.messageMetadata.turnId);
    expect(after?.messageId).not.toBe(before?.messageId);
    const { body } = await ada.call("GET", `/v1/asks/${of(asked, "data-ask")[0]?.id}`);
    expect(body).toMatchObject({ status: "answered", answer: { response: "A-1" } });
  });

  it("says that staff has to look, and that an earlier message is waiting", async () => {
    const tenant = await newTenant();
    const match = { type: "phrases", phrases: ["refund"] };
    await tenant.rules("desk", [{ match, action: "review", reason: "money" }]);
    await tenant.agent("assistant", { supervisors: ["desk"] });
    const ada = await userOf(tenant, "ada");
    const held = await say(ada, "c", "I want a refund.");
    expect(of(held, "data-waiting")).toMatchObject([{ data: { for: "staff" } }]);
    expect(JSON.stringify(held)).not.toMatch(/ask_/);
    expect(of(await say(ada, "c", "Well?"), "data-waiting")).toMatchObject([{ data: { for: "earlier_message" } }]);
  });

  it("follows what staff looks at to the answer, and a message behind it with the one before", async () => {
    const tenant = await newTenant();
    const match = { type: "phrases", phrases: ["refund"] };
    await tenant.rules("desk", [{ match, action: "review", reason: "money" }]);
    const model = await tenant.agent("assistant", { supervisors: ["desk"] });
    await model.reply({ text: "You get it back." }, { text: "You are welcome." });
    const ada = await userOf(tenant, "ada");
    const followed = ada.call("POST", "/v1/ui-chat", bodyOf("c", "I want a refund.", { follow: true }));
    const ask = await eventually(async () => {
      const { items } = (await tenant.call("GET", "/v1/asks?status=open")).body;
      expect(items).toHaveLength(1);
      return items[0];
    });
    const behind = ada.call("POST", "/v1/ui-chat", bodyOf("c", "Thanks!", { follow: true }));
    const lastTurn = async () => (await tenant.call("GET", `/v1/sessions/${ask.from.sessionId}`)).body.lastTurn;
    await expect.poll(lastTurn).toMatchObject({ status: "queued" });
    const loaded = ada.call("GET", "/v1/ui-chat/c/stream?follow=true");
    await tenant.call("POST", `/v1/asks/${ask.askId}/answer`, { decision: "accept" });
    const own = chunksOf(await followed);
    expect(of(own, "data-waiting")).toMatchObject([
      { data: { for: "staff", message: expect.stringMatching(/^A person/) } },
    ]);
    expect([textIn(own), own.at(-1)]).toMatchObject(["You get it back.", { finishReason: "stop" }]);
    const next = chunksOf(await behind);
    expect(of(next, "data-waiting")).toMatchObject([
      {
        data: { for: "earlier_message", message: "Your message was taken. A person looks at the one before it first." },
      },
    ]);
    expect([textIn(next), next.at(-1)]).toMatchObject(["You get it back.|You are welcome.", { finishReason: "stop" }]);
    expect(chunksOf(await loaded).at(-1)).toMatchObject({ finishReason: "stop" });
  });

  it("with `follow` still ends where its user is asked", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: human });
    const ada = await userOf(tenant, "ada");
    await model.reply(asks("Which order?"), { text: "It is on its way." });
    expect((await say(ada, "c", "Where is it?", { follow: true })).at(-1)).toMatchObject({ finishReason: "other" });
    expect(textIn(await say(ada, "c", "A-1", { follow: true }))).toBe("It is on its way.");
  });

  it("tells a block and a failure apart, and takes back what was shown before them", async () => {
    const tenant = await newTenant();
    const match = { type: "phrases", phrases: ["crown jewels"] };
    await tenant.rules("guard", [{ match, action: "block", reason: "No treasure." }]);
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    const ada = await userOf(tenant, "ada");
    const refused = await say(ada, "c", "The crown jewels!");
    expect(of(refused, "data-blocked")).toMatchObject([{ data: { message: expect.stringContaining("No treasure.") } }]);
    expect(refused.at(-1)).toMatchObject({ finishReason: "content-filter" });

    const long = "Once upon a time there was a tower. ".repeat(20);
    const text = `${long}In it lay the crown  jewels, well hidden.`;
    await model.reply({ chunks: text.split(/(?<=\. )/), text });
    const answer = await ada.call("POST", "/v1/ui-chat", bodyOf("c", "Tell me."));
    expect(String(answer.body)).toContain("tower");
    expect(String(answer.body)).not.toMatch(/crown|jewels/);
    const chunks = chunksOf(answer);
    expect(textIn(chunks)).toBe("");
    expect(typesIn(chunks).slice(-3)).toEqual(["data-blocked", "finish-step", "finish"]);

    await model.reply({ status: 400, body: { error: { message: "secret upstream words" } }, repeat: true });
    const failed = await say(ada, "c", "And now?");
    expect(of(failed, "error")).toMatchObject([{ errorText: expect.stringContaining("The answer failed") }]);
    expect(JSON.stringify(failed)).not.toContain("secret upstream words");
  });

  it("lets no byte of a forbidden phrase out, wherever the model's pieces are cut", async () => {
    const tenant = await newTenant();
    const match = { type: "phrases", phrases: ["crown jewels"] };
    await tenant.rules("guard", [{ match, action: "redact", replacement: "***", reason: "no" }]);
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    const ada = await userOf(tenant, "ada");
    const text = "See: the crown jewels are here.";
    for (const chunks of [[text], text.split(""), ["See: the cro", "wn je", "wels are here."]]) {
      await model.reply({ chunks, text });
      const answer = await ada.call("POST", "/v1/ui-chat", bodyOf("c", "Tell me."));
      expect(textIn(chunksOf(answer))).toBe("See: the *** are here.");
      expect(String(answer.body)).not.toMatch(/crown|jewels/);
    }
  });

  it("voids what a redone call had shown, and goes on with what it says then", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply(
      { chunks: ["One two ", "three four ", "five six "], text: "", cut: true },
      { chunks: ["A new ", "answer."], text: "A new answer." },
    );
    const chunks = await say(await userOf(tenant, "ada"), "c", "Tell me.");
    expect(of(chunks, "data-retracted")).toHaveLength(1);
    expect(textIn(chunks)).toBe("A new answer.");
  });
});

describe("a stream that was left", () => {
  it("cancels nothing, is replayed from its start while the turn runs, and is gone when it has ended", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const ada = await userOf(tenant, "ada");
    expect((await ada.call("GET", "/v1/ui-chat/c/stream")).status).toBe(204);
    const long = "Once upon a time there was a tower by the sea. ".repeat(10);
    const text = `${long}The end.`;
    await model.reply({ chunks: [long, "The end."], text, hold: { name: "h", afterChunks: 1 } });
    const headers = { authorization: `Bearer ${ada.key}` };
    const left = await send("POST", "/v1/ui-chat", { body: bodyOf("c", "Tell me."), headers });
    const reader = left.body?.getReader();
    const seen = new TextDecoder().decode((await reader?.read())?.value);
    expect(seen).toContain('"start"');
    await reader?.cancel();

    const answer = await send("GET", "/v1/ui-chat/c/stream", { headers });
    await model.release("h");
    const body = await answer.text();
    expect(textIn(chunksOf({ status: answer.status, headers: answer.headers, body }))).toBe(text);
    expect(/"messageId":"([^"]+)"/.exec(body)?.[1]).toBe(/"messageId":"([^"]+)"/.exec(seen)?.[1]);
    expect((await ada.call("GET", "/v1/ui-chat/c/stream")).status).toBe(204);
  });

  it("finds its turn when the session's object was stopped meanwhile", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: human });
    const ada = await userOf(tenant, "ada");
    await model.reply({ text: "Let me see.", ...asks("Which?") });
    const asked = await say(ada, "c", "Where is it?");
    await evictDurableObject(tenant.object(of(asked, "start")[0]?.messageMetadata.sessionId ?? ""));
    expect(textIn(await resume(ada, "c"))).toBe("Let me see.");
    await model.reply({ text: "Here." });
    expect(textIn(await say(ada, "c", "The first."))).toBe("Here.");
  });
});
