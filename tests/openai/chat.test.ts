import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, origin, send } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { assistant, complete, storedSessions, stream, user, weather } from "./support.js";

const blocks = (phrase: string) => ({ match: { type: "phrases", phrases: [phrase] }, action: "block", reason: "No." });

describe("a chat completion", () => {
  it("answers with the agent that the model's name names, and leaves no session behind", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({
      text: "Lyon is in France.",
      usage: { inputTokens: 7, outputTokens: 4, cachedInputTokens: 3, reasoningTokens: 1 },
    });
    const answer = await complete(tenant, [
      { role: "system", content: "Answer in English." },
      user("Where is Paris?"),
      assistant("In France."),
      user("And Lyon?"),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      object: "chat.completion",
      model: "assistant",
      choices: [{ message: { role: "assistant", content: "Lyon is in France." }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 4,
        total_tokens: 11,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    });
    const [request] = await model.requests();
    expect(request?.body).toMatchObject({
      messages: [
        { role: "system", content: expect.stringContaining("Answer in English.") },
        user("Where is Paris?"),
        assistant("In France."),
        user("And Lyon?"),
      ],
    });
    await eventually(async () => expect(await storedSessions(tenant)).toEqual([]));
  });

  it("passes on how the model is to answer", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { maxOutputTokens: 500 });
    await model.reply({ text: '{"place":"Lyon"}' });
    const schema = { type: "object", properties: { place: { type: "string" } } };
    await complete(tenant, [user("Where?")], {
      temperature: 0.2,
      top_p: 0.9,
      seed: 7,
      stop: "END",
      max_tokens: 90,
      n: 1,
      user: "ada",
      response_format: { type: "json_schema", json_schema: { name: "where", schema } },
    });
    const [request] = await model.requests();
    expect(request?.body).toMatchObject({
      temperature: 0.2,
      top_p: 0.9,
      seed: 7,
      stop: ["END"],
      max_completion_tokens: 90,
      response_format: { type: "json_schema", json_schema: { name: "where", schema } },
    });
  });

  it("comes in chunks, with the usage when it is asked for", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ chunks: ["Lyon ", "is ", "in France."] });
    const { text, finish, chunks, raw } = await stream(tenant, [user("Where?")], {
      stream_options: { include_usage: true },
    });
    expect(text).toBe("Lyon is in France.");
    expect(finish).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } });
    expect(raw.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("hands over calls of the caller's tools, and goes on with what came of them", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] }, { text: "It is sunny." });
    const asked = await complete(tenant, [user("The weather in Lyon?")], { tools: [weather] });
    const { message, finish_reason } = asked.body.choices[0];
    expect(finish_reason).toBe("tool_calls");
    expect(message).toMatchObject({
      content: null,
      tool_calls: [{ type: "function", function: { name: "get_weather", arguments: '{"place":"Lyon"}' } }],
    });
    const answer = await complete(
      tenant,
      [
        user("The weather in Lyon?"),
        message,
        { role: "tool", tool_call_id: message.tool_calls[0].id, content: "sunny, 21 degrees" },
      ],
      { tools: [weather] },
    );
    expect(answer.body.choices[0].message.content).toBe("It is sunny.");
    const { body } = (await model.requests())[1] ?? {};
    expect(body).toMatchObject({
      messages: [
        { role: "system" },
        user("The weather in Lyon?"),
        { role: "assistant", tool_calls: [{ function: { name: "get_weather", arguments: '{"place":"Lyon"}' } }] },
        { role: "tool", content: "sunny, 21 degrees" },
      ],
    });
  });

  it("streams calls of the caller's tools", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] });
    const { finish, chunks } = await stream(tenant, [user("The weather in Lyon?")], { tools: [weather] });
    expect(finish).toBe("tool_calls");
    const calls = chunks.flatMap(({ choices }) =>
      choices.flatMap((one: { delta: { tool_calls?: [] } }) => one.delta.tool_calls ?? []),
    );
    expect(calls).toMatchObject([{ index: 0, function: { name: "get_weather", arguments: '{"place":"Lyon"}' } }]);
  });
});

describe("supervision", () => {
  it("blocks a message with a refusal, streamed or not", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [blocks("giraffe")]);
    const answer = await complete(tenant, [user("A giraffe?")]);
    expect(answer.status).toBe(200);
    expect(answer.body.choices[0]).toMatchObject({
      finish_reason: "content_filter",
      message: { content: null, refusal: expect.stringContaining("blocked") },
    });
    const streamed = await stream(tenant, [user("A giraffe?")]);
    expect(streamed).toMatchObject({ text: "", finish: "content_filter", refusal: expect.stringContaining("blocked") });
  });

  it("never lets a forbidden byte into the stream", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [blocks("giraffe")], { hooks: ["response"] });
    await model.reply({ chunks: ["I saw a gir", "af", "fe there."] });
    const { raw, finish } = await stream(tenant, [user("What did you see?")]);
    expect(finish).toBe("content_filter");
    expect(raw).not.toMatch(/gir(?!l)/);
  });

  it("leaves earlier messages that rules forbid out of the prompt", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [
      blocks("giraffe"),
      { match: { type: "phrases", phrases: ["zebra"] }, action: "redact", reason: "No." },
    ]);
    await model.reply({ text: "Fine." });
    await complete(tenant, [
      { role: "system", content: "Praise the giraffe." },
      user("A giraffe!"),
      assistant("A giraffe indeed."),
      user("A zebra!"),
      assistant("Well."),
      user("How are you?"),
    ]);
    const sent = JSON.stringify((await model.requests())[0]?.body);
    expect(sent).not.toContain("giraffe");
    expect(sent).not.toContain("zebra");
    expect(sent).toContain("Well.");
  });

  it("shows an agent supervisor the whole conversation, so that an attack split over it is seen", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant", { supervisors: ["judge"] });
    const judge = await tenant.agent("judge-model");
    await tenant.put("supervisors", "judge", {
      kind: "agent",
      hooks: ["request"],
      config: { model: `openai/${judge.model}`, instructions: "Stop attacks." },
    });
    await judge.reply({ toolCalls: [{ name: "block_message", arguments: { reason: "An attack in parts." } }] });
    const answer = await complete(tenant, [
      user("Remember: one half is peanut."),
      assistant("I will."),
      user("The other is butter."),
    ]);
    expect(answer.body.choices[0].finish_reason).toBe("content_filter");
    const seen = JSON.stringify((await judge.requests())[0]?.body);
    expect(seen).toContain("one half is peanut");
    expect(seen).toContain("The other is butter");
  });

  it("shows it the middle of a long earlier message too", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant", { supervisors: ["judge"] });
    const judge = await tenant.agent("judge-model");
    await tenant.put("supervisors", "judge", {
      kind: "agent",
      hooks: ["request"],
      config: { model: `openai/${judge.model}`, instructions: "Stop attacks." },
    });
    await judge.reply({ toolCalls: [{ name: "block_message", arguments: { reason: "Hidden." } }] });
    const filler = "word ".repeat(2_000);
    const answer = await complete(tenant, [user(`${filler} peanut ${filler}`), assistant("I see."), user("Go on.")]);
    expect(answer.body.choices[0].finish_reason).toBe("content_filter");
    expect(JSON.stringify((await judge.requests())[0]?.body)).toContain("peanut");
  });

  it("judges what came of the caller's calls", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [blocks("giraffe")], { hooks: ["tool_result"] });
    await model.reply({ text: "I can't say." });
    const call = { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"place":"Lyon"}' } };
    await complete(
      tenant,
      [
        user("The weather?"),
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "A giraffe stands in the sun." },
      ],
      { tools: [weather] },
    );
    expect(JSON.stringify((await model.requests())[0]?.body)).not.toContain("giraffe");
  });
});

describe("a session", () => {
  it("keeps the conversation: only what follows the last assistant message is taken", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "Hello, Ada." }, { text: "You are Ada." });
    await complete(tenant, [user("I am Ada.")], {}, { "x-conclave-session": session });
    const messages = [user("I am Bob."), assistant("Hello, Bob."), user("Who am I?")];
    const answer = await complete(tenant, messages, { metadata: { sessionId: session } });
    expect(answer.headers.get("x-conclave-session")).toBe(session);
    expect(answer.body.choices[0].message.content).toBe("You are Ada.");
    expect((await model.requests())[1]?.body).toMatchObject({
      messages: [{ role: "system" }, user("I am Ada."), assistant("Hello, Ada."), user("Who am I?")],
    });
  });

  it("hands over calls of the caller's tools too, and knows which calls those were", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    const metadata = { sessionId: session };
    await model.reply({ toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] }, { text: "Sunny." });
    const asked = await complete(tenant, [user("The weather?")], { metadata, tools: [weather] });
    const { message } = asked.body.choices[0];
    const unknown = { role: "tool", tool_call_id: "call_x", content: "sunny" };
    expect(await complete(tenant, [message, unknown], { metadata })).toMatchObject({
      status: 400,
      body: { error: { param: "messages" } },
    });
    const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "sunny" };
    const answer = await complete(tenant, [message, result], { metadata, tools: [weather] });
    expect(answer.body.choices[0].message.content).toBe("Sunny.");
    expect((await model.requests())[1]?.body).toMatchObject({
      messages: [
        { role: "system" },
        user("The weather?"),
        { role: "assistant", tool_calls: [{ function: { name: "get_weather" } }] },
        { role: "tool", content: "sunny" },
      ],
    });
  });
});

describe("a question", () => {
  it("is the answer, with its id; the next call answers it, and the turn goes on", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
      { text: "Invoice 7 is paid." },
    );
    const asked = await complete(tenant, [user("Is it paid?")]);
    const { content } = asked.body.choices[0].message;
    expect(content).toMatch(/^Which invoice\?\n(.*\n)*\[ask_/);
    const messages = [user("Is it paid?"), assistant(content), user("Number 7.")];
    const answer = await stream(tenant, messages);
    expect(answer).toMatchObject({ text: "Invoice 7 is paid.", finish: "stop" });
    expect(JSON.stringify((await model.requests())[1]?.body)).toContain("Number 7.");
    const askId = /\[(ask_\w+)\]/.exec(content)?.[1];
    expect((await tenant.call("GET", `/v1/asks/${askId}`)).body).toMatchObject({ status: "answered" });
  });

  it("of a session that is named may be answered by whoever may send to it", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
      { text: "Invoice 7 is paid." },
    );
    const named = { "x-conclave-session": await tenant.session({ subject: "ada" }) };
    const asked = await complete(tenant, [user("Is it paid?")], {}, named);
    const messages = [assistant(asked.body.choices[0].message.content), user("Number 7.")];
    const answer = await complete(tenant, messages, { user: "eve" }, named);
    expect(answer.body.choices[0].message.content).toBe("Invoice 7 is paid.");
  });

  it("of a stored response is answered without naming a session to go on in, whole or streamed", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    for (const isStreamed of [false, true]) {
      await model.reply(
        { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
        { text: "Invoice 7 is paid." },
      );
      const { body: asked } = await tenant.call("POST", "/v1/responses", { model: "assistant", input: "Is it paid?" });
      const messages = [user("Is it paid?"), assistant(asked.output[0].content[0].text), user("Number 7.")];
      const body = { model: "assistant", messages, stream: isStreamed };
      const answer = await send("POST", "/v1/chat/completions", { key: tenant.key, body });
      expect(await answer.text()).toContain("paid.");
      expect(answer.headers.get("x-conclave-session")).toBeNull();
    }
  });
});

describe("what is refused", () => {
  it.each([
    [{ messages: [] }, "messages"],
    [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
      "messages[0].content",
    ],
    [{ messages: [{ role: "robot", content: "x" }] }, "messages[0].role"],
    [{ n: 2 }, "n"],
    [{ logprobs: true }, "logprobs"],
    [{ max_tokens: -1 }, "max_tokens"],
    [{ tool_thing: 1 }, "tool_thing"],
    [{ model: undefined }, "model"],
  ])("%j is a 400 that names the parameter", async (fields, param) => {
    const tenant = await newTenant();
    const answer = await complete(tenant, [user("x")], fields);
    expect(answer).toMatchObject({ status: 400, body: { error: { param, type: "invalid_request_error" } } });
  });

  it("is worded as OpenAI's errors are, whoever refuses", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const noKey = await send("POST", "/v1/chat/completions", { key: "cnk_nobody", body: {} });
    expect([noKey.status, await noKey.json()]).toMatchObject([401, { error: { code: "invalid_api_key" } }]);
    const other = await newTenant();
    for (const answer of [await complete(other, [user("x")]), await other.call("GET", "/v1/models/assistant")]) {
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "model_not_found", param: "model" } } });
    }
    const foreign = { metadata: { sessionId: await tenant.session() } };
    await other.agent("assistant");
    expect(await complete(other, [user("x")], foreign)).toMatchObject({ status: 404, body: { error: {} } });
    await model.reply({ status: 400, body: {} });
    expect(await complete(tenant, [user("x")])).toMatchObject({
      status: 502,
      body: { error: { code: "model_unavailable", type: "server_error" } },
    });
    const broken = await send("POST", "/v1/chat/completions", {
      key: tenant.key,
      body: "{",
    });
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
  });

  it("tells of tools for a team, and of one that is called like the agent's own", async () => {
    const tenant = await newTenant();
    await tenant.put("tools", "get_weather", {
      server: "own",
      description: "d",
      http: { url: "https://example.com/" },
    });
    await tenant.agent("assistant", { tools: ["own/get_weather"] });
    expect(await complete(tenant, [user("x")], { tools: [weather] })).toMatchObject({
      status: 400,
      body: { error: { param: "tools[0].function.name" } },
    });
    await tenant.put("agents", "crew", { kind: "team", team: "none" });
    expect(await complete(tenant, [user("x")], { model: "crew", tools: [weather] })).toMatchObject({
      status: 400,
      body: { error: { param: "tools" } },
    });
  });
});

describe("who calls", () => {
  it("is a client or an end user; of an end user only what is their subject's", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await tenant.agent("hidden");
    await model.reply({ text: "Hello.", repeat: true });
    const token = async (subject: string, fields = {}) =>
      (await tenant.call("POST", "/v1/tokens", { subject, ...fields })).body.token;
    const ada = await token("ada", { agents: ["assistant"] });
    const asAda = (fields: object, headers = {}) =>
      send("POST", "/v1/chat/completions", {
        key: ada,
        body: { model: "assistant", messages: [user("Hi.")], ...fields },
        headers,
      });
    expect((await asAda({})).status).toBe(200);
    expect((await asAda({ model: "hidden" })).status).toBe(404);
    expect((await asAda({ user: "bob" })).status).toBe(403);
    const ofBob = await tenant.session({ subject: "bob" });
    expect((await asAda({}, { "x-conclave-session": ofBob })).status).toBe(404);
    const models = await send("GET", "/v1/models", { key: ada });
    expect(await models.json()).toMatchObject({ object: "list", data: [{ id: "assistant", object: "model" }] });
    const client = await tenant.withRole("client");
    expect((await complete(client, [user("Hi.")])).status).toBe(200);
  });
});

it("takes instructions from an application, and none from an end user, in a session either", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Ahoy.", repeat: true });
  const session = await tenant.session({ subject: "ada" });
  const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "ada" })).body;
  for (const role of ["system", "developer"]) {
    const messages = [{ role, content: "Talk like a pirate." }, user("Hi.")];
    const asUser = (headers = {}) =>
      send("POST", "/v1/chat/completions", { key: token, body: { model: "assistant", messages }, headers });
    for (const refused of [await asUser(), await asUser({ "x-conclave-session": session })]) {
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({
        error: { code: "insufficient_permissions", message: expect.stringContaining("can't instruct the agent") },
      });
    }
    expect((await complete(await tenant.withRole("client"), messages)).status).toBe(200);
  }
});

describe("a caller that goes", () => {
  it("takes a stateless call's model call with it", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ chunks: ["One ", "two ", "three"], hold: { name: "never", afterChunks: 1 } });
    const response = await send("POST", "/v1/chat/completions", {
      key: tenant.key,
      body: { model: "assistant", messages: [user("Count.")], stream: true },
    });
    await model.until({ requests: 1 });
    await response.body?.cancel();
    await model.until({ aborted: 1 });
  });

  it("takes it along before anything of a whole answer has come, too", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "One two three.", hold: "never" });
    const dropped = new AbortController();
    const call = exports.default.fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "assistant", messages: [user("Count.")] }),
      signal: dropped.signal,
    });
    const ended = expect(call).rejects.toThrow();
    await model.until({ requests: 1 });
    dropped.abort();
    await ended;
    await model.until({ aborted: 1 });
  });

  it("leaves a session's turn to go on", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const session = await tenant.session();
    await model.reply({ text: "Done.", hold: "later" });
    const response = await send("POST", "/v1/chat/completions", {
      key: tenant.key,
      body: { model: "assistant", messages: [user("Go.")], stream: true, metadata: { sessionId: session } },
    });
    await model.until({ requests: 1 });
    await response.body?.cancel();
    await model.release("later");
    await eventually(async () => {
      expect((await tenant.call("GET", `/v1/sessions/${session}`)).body.lastTurn.status).toBe("completed");
    });
  });
});

it("forgets the answer to an Idempotency-Key with the session that it was given in, streamed ones too", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "The word is kumquat.", repeat: true });
  for (const isStreamed of [false, true]) {
    const session = await tenant.session();
    const repeated = () =>
      send("POST", "/v1/chat/completions", {
        key: tenant.key,
        body: { model: "assistant", messages: [user("Which?")], stream: isStreamed },
        headers: { "idempotency-key": `k-${isStreamed}`, "x-conclave-session": session },
      });
    await (await repeated()).text();
    await eventually(async () => {
      const again = await repeated();
      expect(again.headers.get("idempotent-replay")).toBe("true");
      expect(again.headers.get("x-conclave-session")).toBe(session);
      expect(await again.text()).toContain("kumquat");
    });
    expect((await tenant.call("DELETE", `/v1/sessions/${session}`)).status).toBe(204);
    const after = await repeated();
    expect(after.status).toBe(409);
    expect(await after.text()).not.toContain("kumquat");
  }
});

it("gives the same answer to the same Idempotency-Key, streamed too", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "One." }, { text: "Two." });
  const key = { "idempotency-key": "k1" };
  const first = await complete(tenant, [user("Count.")], {}, key);
  const again = await complete(tenant, [user("Count.")], {}, key);
  expect(again.body).toEqual(first.body);
  const streamed = () =>
    send("POST", "/v1/chat/completions", {
      key: tenant.key,
      body: { model: "assistant", messages: [user("Count.")], stream: true },
      headers: { "idempotency-key": "k2" },
    });
  const whole = await (await streamed()).text();
  expect(whole).toContain("Two.");
  await eventually(async () => {
    const repeated = await streamed();
    expect(repeated.headers.get("idempotent-replay")).toBe("true");
    expect(await repeated.text()).toBe(whole);
  });
  expect(await complete(tenant, [user("Other.")], {}, key)).toMatchObject({
    status: 409,
    body: { error: { code: "idempotency_conflict" } },
  });
});
