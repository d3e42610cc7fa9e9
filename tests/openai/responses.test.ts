import { describe, expect, it } from "vitest";
import { newTenant, send } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { rowsOf } from "../support/objects.js";
import { assistantItem, respond, retrieve, streamed, userItem, weatherTool } from "./response-support.js";

/** The session that a response's id names. */
const sessionOf = (id: string): string => id.slice("resp_".length, "resp_ses_".length + 26);

const blocks = (phrase: string) => ({ match: { type: "phrases", phrases: [phrase] }, action: "block", reason: "No." });

describe("a response", () => {
  it("is what the agent that the model names answers to the items sent", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({
      text: "Lyon is in France.",
      usage: { inputTokens: 7, outputTokens: 4, cachedInputTokens: 3, reasoningTokens: 1 },
    });
    const { status, body } = await respond(
      tenant,
      [
        { role: "system", content: [{ type: "input_text", text: "Be brief." }] },
        userItem("Where is Paris?"),
        { ...assistantItem("I look."), phase: "commentary" },
        { role: "assistant", content: [{ type: "output_text", text: "In France.", annotations: [] }], id: "msg_1" },
        userItem("And Lyon?"),
      ],
      { instructions: "Answer in English.", metadata: { order: "7" }, temperature: 0.2 },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: "response",
      status: "completed",
      model: "assistant",
      output: [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Lyon is in France." }],
        },
      ],
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 11,
      },
      instructions: "Answer in English.",
      metadata: { order: "7" },
      temperature: 0.2,
      store: true,
    });
    const [request] = await model.requests();
    expect(request?.body).toMatchObject({
      temperature: 0.2,
      messages: [
        { role: "system", content: expect.stringMatching(/Answer in English\.\s+Be brief\./) },
        { role: "user", content: "Where is Paris?" },
        { role: "assistant", content: "I look.\nIn France." },
        { role: "user", content: "And Lyon?" },
      ],
    });
  });

  it("comes in events, each of the published shape and numbered", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ chunks: ["Lyon ", "is ", "in France."] });
    const { text, types, response, events } = await streamed(tenant, "Where?");
    expect(text).toBe("Lyon is in France.");
    expect(types.filter((type) => type !== "response.output_text.delta")).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(response).toMatchObject({ status: "completed", output: [{ content: [{ text: "Lyon is in France." }] }] });
    const done = events.find(({ type }) => type === "response.output_item.done");
    expect(response.output).toEqual([done.item]);
    expect((await retrieve(tenant, response.id)).body).toEqual(response);
  });

  it("hands over calls of the caller's functions, and goes on with what came of them", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] }, { text: "It is sunny." });
    const tools = [weatherTool];
    const asked = await respond(tenant, "The weather in Lyon?", { tools });
    const [call] = asked.body.output;
    expect(call).toMatchObject({
      type: "function_call",
      name: "get_weather",
      arguments: '{"place":"Lyon"}',
      status: "completed",
    });
    expect(asked.body.tools).toEqual([{ ...weatherTool, strict: true }]);
    const result = { type: "function_call_output", call_id: call.call_id, output: "sunny, 21 degrees" };
    const answer = await respond(tenant, [userItem("The weather in Lyon?"), call, result], { tools, store: false });
    expect(answer.body.output[0].content[0].text).toBe("It is sunny.");
    expect((await model.requests())[1]?.body).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user", content: "The weather in Lyon?" },
        { role: "assistant", tool_calls: [{ function: { name: "get_weather", arguments: '{"place":"Lyon"}' } }] },
        { role: "tool", content: "sunny, 21 degrees" },
      ],
    });
  });

  it("streams calls of functions", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "I look.", toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] });
    const { events, types, response } = await streamed(tenant, "The weather in Lyon?", { tools: [weatherTool] });
    expect(response.output).toMatchObject([
      { type: "message" },
      { type: "function_call", arguments: '{"place":"Lyon"}' },
    ]);
    const ofCall = events.filter(({ output_index }) => output_index === 1);
    expect(ofCall).toMatchObject([
      { type: "response.output_item.added", item: { name: "get_weather", arguments: "", status: "in_progress" } },
      { type: "response.function_call_arguments.delta", delta: '{"place":"Lyon"}' },
      { type: "response.function_call_arguments.done", arguments: '{"place":"Lyon"}' },
      { type: "response.output_item.done", item: { status: "completed" } },
    ]);
    expect(types.at(-1)).toBe("response.completed");
  });

  it("passes on how the model is to answer, and offers it allowed functions alone", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { maxOutputTokens: 500 });
    await model.reply({ text: '{"place":"Lyon"}' });
    const schema = { type: "object", properties: { place: { type: "string" } } };
    const other = { ...weatherTool, name: "send_mail" };
    const { body } = await respond(tenant, "Where?", {
      top_p: 0.9,
      max_output_tokens: 90,
      parallel_tool_calls: false,
      user: "ada",
      text: { format: { type: "json_schema", name: "where", schema, strict: true } },
      tools: [weatherTool, other],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "get_weather" }] },
    });
    expect(body).toMatchObject({ tool_choice: { type: "allowed_tools" }, max_output_tokens: 90, tools: [{}, {}] });
    const [request] = await model.requests();
    expect(request?.body).toMatchObject({
      top_p: 0.9,
      max_completion_tokens: 90,
      tool_choice: "auto",
      response_format: { type: "json_schema", json_schema: { name: "where", schema } },
      tools: [{ function: { name: "get_weather" } }],
    });
  });

  it("is incomplete where it was cut", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Lyon is", finishReason: "length", repeat: true });
    const expected = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    expect((await respond(tenant, "Where?")).body).toMatchObject(expected);
    const { types, response } = await streamed(tenant, "Where?");
    expect(types.at(-1)).toBe("response.incomplete");
    expect(response).toMatchObject({ ...expected, output: [{ status: "incomplete" }] });
  });

  it("fails with the event of an error, then as a response; without a stream it is an error", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ status: 400, body: {}, repeat: true });
    const { types, response } = await streamed(tenant, "Where?");
    expect(types.slice(-2)).toEqual(["error", "response.failed"]);
    expect(response).toMatchObject({ status: "failed", error: { code: "model_unavailable" } });
    expect((await retrieve(tenant, response.id)).body).toMatchObject({ status: "failed" });
    expect(await respond(tenant, "Where?")).toMatchObject({
      status: 502,
      body: { error: { code: "model_unavailable", type: "server_error" } },
    });
  });
});

describe("going on from a response", () => {
  it("tells the model what was said before, and any number of responses may follow one", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK." }, { text: "papaya" }, { text: "Bob." }, { text: "still papaya" });
    const { body: first } = await respond(tenant, "Remember papaya.");
    const { body: second } = await respond(tenant, "Which word?", { previous_response_id: first.id });
    expect(second).toMatchObject({ previous_response_id: first.id, output: [{ content: [{ text: "papaya" }] }] });
    await respond(tenant, "I am Bob. Who?", { previous_response_id: first.id });
    await respond(tenant, "Sure?", { previous_response_id: second.id });
    const sent = (await model.requests()).map(({ body }) => body);
    const start = [{ role: "system" }, { content: "Remember papaya." }, { role: "assistant", content: "OK." }];
    expect(sent[2]).toMatchObject({ messages: [...start, { role: "user", content: "I am Bob. Who?" }] });
    expect(sent[3]).toMatchObject({
      messages: [...start, { content: "Which word?" }, { content: "papaya" }, { role: "user", content: "Sure?" }],
    });
  });

  it("takes what came of calls that it handed over", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply(
      { toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] },
      { text: "It is sunny." },
      { text: "In Lyon." },
    );
    const { body: asked } = await respond(tenant, "The weather in Lyon?", { tools: [weatherTool] });
    const output = { type: "function_call_output", call_id: asked.output[0].call_id, output: "sunny" };
    const unknown = [{ ...output, call_id: "call_x" }];
    expect(await respond(tenant, unknown, { previous_response_id: asked.id })).toMatchObject({
      status: 400,
      body: { error: { param: "input" } },
    });
    const { body: answered } = await respond(tenant, [output], { previous_response_id: asked.id });
    expect(answered.output[0].content[0].text).toBe("It is sunny.");
    await respond(tenant, "Where was that?", { previous_response_id: answered.id, tools: [weatherTool] });
    const exchange = [
      { role: "user", content: "The weather in Lyon?" },
      { role: "assistant", tool_calls: [{ function: { name: "get_weather", arguments: '{"place":"Lyon"}' } }] },
      { role: "tool", content: "sunny" },
    ];
    const [, second, third] = await model.requests();
    expect(second?.body).toMatchObject({ messages: [{ role: "system" }, ...exchange] });
    expect(third?.body).toMatchObject({
      messages: [{ role: "system" }, ...exchange, { content: "It is sunny." }, { content: "Where was that?" }],
    });
  });

  it("is refused where it wasn't stored, was deleted, or is somebody else's", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK.", repeat: true });
    const { body: passing } = await respond(tenant, "Hello.", { store: false });
    const { body: deleted } = await respond(tenant, "Hello.");
    expect((await tenant.call("DELETE", `/v1/responses/${deleted.id}`)).body).toMatchObject({ deleted: true });
    const { body: ofBob } = await respond(tenant, "Hello.", { user: "bob" });
    const other = await newTenant();
    await other.agent("assistant");
    const missing = {
      status: 404,
      body: { error: { code: "previous_response_not_found", param: "previous_response_id" } },
    };
    for (const id of [passing.id, deleted.id, "resp_nobody"]) {
      expect(await respond(tenant, "And?", { previous_response_id: id })).toMatchObject(missing);
      expect((await retrieve(tenant, id)).status).toBe(404);
    }
    expect(await respond(other, "And?", { previous_response_id: ofBob.id })).toMatchObject(missing);
    expect((await retrieve(other, ofBob.id)).status).toBe(404);
    expect((await other.call("DELETE", `/v1/responses/${ofBob.id}`)).status).toBe(404);
    expect(await respond(tenant, "And?", { previous_response_id: ofBob.id, user: "ada" })).toMatchObject(missing);
    expect((await tenant.call("GET", "/v1/sessions")).body.items).not.toContainEqual(
      expect.objectContaining({ sessionId: sessionOf(passing.id) }),
    );
  });

  it("leaves out what was deleted or erased before it", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "One." }, { text: "Two." }, { text: "Three." }, { text: "Four." });
    const { body: first } = await respond(tenant, "My number is giraffe.");
    const { body: second } = await respond(tenant, "Go on, zebra.", { previous_response_id: first.id });
    const { body: third } = await respond(tenant, "Go on.", { previous_response_id: second.id });
    await tenant.call("DELETE", `/v1/responses/${first.id}`);
    const session = sessionOf(second.id);
    const { items } = (await tenant.call("GET", `/v1/sessions/${session}/messages`)).body;
    await tenant.call("POST", `/v1/sessions/${session}/messages/${items[0].messageId}/erase`);
    expect((await retrieve(tenant, second.id)).status).toBe(404);
    await respond(tenant, "And now?", { previous_response_id: third.id });
    expect((await model.requests())[3]?.body).toMatchObject({
      messages: [
        { role: "system" },
        { role: "assistant", content: "Two." },
        { role: "user", content: "Go on." },
        { role: "assistant", content: "Three." },
        { role: "user", content: "And now?" },
      ],
    });
  });

  it("keeps no copy of what other responses hold, once it has ended", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "One." }, { text: "Two." });
    const { body: first } = await respond(tenant, "giraffe");
    const { body: second } = await respond(tenant, "And?", { previous_response_id: first.id });
    expect(JSON.stringify((await model.requests())[1]?.body)).toContain("giraffe");
    const turns = await rowsOf(tenant.object(sessionOf(second.id)), "SELECT original, request, outcome FROM turns");
    expect(JSON.stringify(turns)).toContain("And?");
    expect(JSON.stringify(turns)).not.toContain("giraffe");
  });

  it("refuses a conversation that is too long, unless its beginning may be left out", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "OK.", repeat: true });
    const { body: first } = await respond(tenant, `giraffe ${"word ".repeat(50_000)}`);
    const { body: second } = await respond(tenant, "word ".repeat(50_000), { previous_response_id: first.id });
    expect(await respond(tenant, "And?", { previous_response_id: second.id })).toMatchObject({
      status: 400,
      body: { error: { param: "input" } },
    });
    const cut = await respond(tenant, "And?", { previous_response_id: second.id, truncation: "auto" });
    expect(cut.status).toBe(200);
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).not.toContain("giraffe");
  });
});

describe("a conversation", () => {
  it("is a session: it keeps what is said, and its responses can be read again", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const conversation = await tenant.session();
    await model.reply({ text: "Hello, Ada." }, { text: "You are Ada." });
    const { body: first } = await respond(tenant, "I am Ada.", { conversation });
    expect(first.conversation).toEqual({ id: conversation });
    const { body: second } = await respond(tenant, "Who am I?", { conversation: { id: conversation } });
    expect((await model.requests())[1]?.body).toMatchObject({
      messages: [{ role: "system" }, { content: "I am Ada." }, { content: "Hello, Ada." }, { content: "Who am I?" }],
    });
    expect((await retrieve(tenant, second.id)).body).toEqual(second);
    expect((await tenant.call("DELETE", `/v1/responses/${second.id}`)).status).toBe(409);
    expect(await respond(tenant, "x", { previous_response_id: second.id })).toMatchObject({
      status: 400,
      body: { error: { param: "previous_response_id" } },
    });
  });

  it("keeps its replies itself, and takes no other way to go on beside it", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const conversation = await tenant.session();
    for (const [input, fields, param] of [
      [[assistantItem("x"), userItem("x")], {}, "input[0]"],
      ["x", { previous_response_id: "resp_x" }, "previous_response_id"],
      ["x", { store: false }, "store"],
    ] as const) {
      const answer = await respond(tenant, input, { conversation, ...fields });
      expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
    }
  });
});

describe("supervision", () => {
  it("blocks with a refusal: the response is incomplete because of its content", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [blocks("giraffe")]);
    const expected = {
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      output: [{ status: "incomplete", content: [{ type: "refusal", refusal: expect.stringContaining("blocked") }] }],
    };
    const { body } = await respond(tenant, "A giraffe?");
    expect(body).toMatchObject(expected);
    expect((await retrieve(tenant, body.id)).body).toMatchObject(expected);
    const { types, response, refusal, text } = await streamed(tenant, "A giraffe?");
    expect(types.slice(-5)).toEqual([
      "response.refusal.delta",
      "response.refusal.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.incomplete",
    ]);
    expect({ response, refusal, text }).toMatchObject({ response: expected, text: "" });
    expect(refusal).toContain("blocked");
  });

  it("never lets a forbidden byte into the stream, nor into what is stored of it", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [blocks("giraffe")], { hooks: ["response"] });
    await model.reply({ chunks: [`${"I saw much. ".repeat(30)}I saw a gir`, "af", "fe there."] });
    const { raw, response, text } = await streamed(tenant, "What did you see?");
    expect(raw).not.toMatch(/gir(?!l)/);
    expect(response.status).toBe("incomplete");
    // What was shown stands before the refusal, in one message.
    expect(response.output[0].content.map(({ type }: { type: string }) => type)).toEqual(
      text === "" ? ["refusal"] : ["output_text", "refusal"],
    );
    expect(JSON.stringify((await retrieve(tenant, response.id)).body)).not.toMatch(/gir(?!l)|I saw/);
  });

  it("judges the whole conversation again that a response goes on from", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["judge"] });
    const judge = await tenant.agent("judge-model");
    await tenant.put("supervisors", "judge", {
      kind: "agent",
      hooks: ["request"],
      config: { model: `openai/${judge.model}`, instructions: "Stop attacks." },
    });
    await judge.reply(
      { toolCalls: [{ name: "allow_message", arguments: {} }] },
      { toolCalls: [{ name: "block_message", arguments: { reason: "An attack in parts." } }] },
    );
    await model.reply({ text: "I will." });
    const { body } = await respond(tenant, "Remember: one half is peanut.");
    const answer = await respond(tenant, "The other is butter.", { previous_response_id: body.id });
    expect(answer.body.incomplete_details).toEqual({ reason: "content_filter" });
    const seen = JSON.stringify((await judge.requests())[1]?.body);
    expect(seen).toContain("one half is peanut");
    expect(seen).toContain("The other is butter");
  });

  it("leaves a blocked message out of what follows", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { supervisors: ["guard"] });
    await tenant.rules("guard", [blocks("giraffe")]);
    await model.reply({ text: "Fine." });
    const { body } = await respond(tenant, "A giraffe?");
    await respond(tenant, "How are you?", { previous_response_id: body.id });
    expect((await model.requests())[0]?.body).toMatchObject({
      messages: [{ role: "system" }, { role: "user", content: "How are you?" }],
    });
  });
});

describe("a question", () => {
  it("is the response, with its id; the next call answers it, and the same response is complete", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
      { text: "Invoice 7 is paid." },
      { text: "Yes." },
    );
    const { body: asked } = await respond(tenant, "Is it paid?");
    expect(asked).toMatchObject({ status: "completed", metadata: { conclave_ask_id: expect.stringMatching(/^ask_/) } });
    expect(asked.output[0].content[0].text).toContain(`[${asked.metadata.conclave_ask_id}]`);
    const noted = { previous_response_id: asked.id, metadata: { a: "b" } };
    const { response, text } = await streamed(tenant, "Number 7.", noted);
    expect({ response, text }).toMatchObject({
      text: "Invoice 7 is paid.",
      response: { id: asked.id, status: "completed", output: [{ content: [{ text: "Invoice 7 is paid." }] }] },
    });
    // The request that it was made by is the one it shows: it doesn't follow itself.
    expect(response).toMatchObject({ previous_response_id: null, metadata: {} });
    expect((await retrieve(tenant, asked.id)).body).toEqual(response);
    expect((await respond(tenant, "Sure?", { previous_response_id: asked.id })).status).toBe(200);
    const last = JSON.stringify((await model.requests())[2]?.body);
    expect(last).toContain("Is it paid?");
    expect(last).toContain("Invoice 7 is paid.");
  });

  it("is answered by a client that sends the whole conversation along, whether or not what asked was stored", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    const asks = { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] };
    for (const fields of [{}, { store: false }]) {
      await model.reply(asks, { text: "Invoice 7 is paid." }, { text: "You are welcome." });
      const { body: asked } = await respond(tenant, "Is it paid?", fields);
      const question = assistantItem(asked.output[0].content[0].text);
      const before = [userItem("Is it paid?"), question, userItem("Number 7.")];
      const { body: answered } = await respond(tenant, before, fields);
      expect(answered.output[0].content[0].text).toBe("Invoice 7 is paid.");
      const thanks = [...before, assistantItem("Invoice 7 is paid."), userItem("Thanks.")];
      const { body: next } = await respond(tenant, thanks, fields);
      expect(next.output[0].content[0].text).toBe("You are welcome.");
      expect(next.id).not.toBe(asked.id);
      if (fields.store === false) continue;
      // It is the same response, for a second call too: what was sent is answered once.
      expect(answered.id).toBe(asked.id);
      expect((await respond(tenant, before)).body).toEqual(answered);
      expect((await retrieve(tenant, asked.id)).body).toEqual(answered);
    }
  });

  it("is answered once: other words afterwards, or behind its last words, begin a new response", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
      { text: "Invoice 7 is paid." },
      { text: "Invoice 8 isn't." },
      { text: "Nor is invoice 9." },
    );
    const { body: asked } = await respond(tenant, "Is it paid?");
    const question = assistantItem(asked.output[0].content[0].text);
    const saying = (words: string) => respond(tenant, [userItem("Is it paid?"), question, userItem(words)]);
    const { body: answered } = await saying("Number 7.");
    const { body: other } = await saying("Sorry, I meant number 8.");
    expect(other.output[0].content[0].text).toBe("Invoice 8 isn't.");
    expect(other.id).not.toBe(asked.id);
    const last = (await model.requests()).at(-1);
    expect(JSON.stringify(last?.body)).toContain("Sorry, I meant number 8.");
    expect((await saying("Number 7.")).body).toEqual(answered);
    const quoting = assistantItem(`You said 7 when I asked [${asked.metadata.conclave_ask_id}].`);
    const { body: ninth } = await respond(tenant, [userItem("Is it paid?"), quoting, userItem("Number 7.")]);
    expect(ninth.output[0].content[0].text).toBe("Nor is invoice 9.");
  });

  it("isn't answered for another end user, nor once its response came to nothing: then a new response begins", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which invoice?" } }] },
      { text: "I don't know you." },
      { text: "Let us begin anew." },
    );
    const { body: asked } = await respond(tenant, "Is it paid?", { user: "ada" });
    const askId = asked.metadata.conclave_ask_id;
    const along = [userItem("Is it paid?"), assistantItem(asked.output[0].content[0].text), userItem("Number 7.")];
    const { body: other } = await respond(tenant, along, { user: "eve" });
    expect(other.output[0].content[0].text).toBe("I don't know you.");
    expect((await tenant.call("GET", `/v1/asks/${askId}`)).body.status).toBe("open");
    const { sessionId, turnId } = (await tenant.call("GET", `/v1/asks/${askId}`)).body.from;
    await tenant.call("POST", `/v1/sessions/${sessionId}/turns/${turnId}/cancel`);
    const { body: anew } = await respond(tenant, along, { user: "ada" });
    expect(anew.output[0].content[0].text).toBe("Let us begin anew.");
    expect(anew.id).not.toBe(asked.id);
  });

  it("can be answered elsewhere, of what isn't stored too", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: ["conclave/ask_human"] });
    await model.reply(
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] },
      { text: "Seven." },
      { toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] },
      { text: "Eight." },
    );
    const { body: stored } = await respond(tenant, "Is it paid?");
    await tenant.call("POST", `/v1/asks/${stored.metadata.conclave_ask_id}/answer`, { response: "7" });
    await eventually(async () => {
      expect((await retrieve(tenant, stored.id)).body.output[0].content[0].text).toBe("Seven.");
    });
    const { body: passing } = await respond(tenant, "Is it paid?", { store: false });
    const answer = await respond(tenant, "8", { previous_response_id: passing.id, store: false });
    expect(answer.body.output[0].content[0].text).toBe("Eight.");
    await eventually(async () => {
      expect((await respond(tenant, "And?", { previous_response_id: passing.id })).status).toBe(404);
    });
  });
});

describe("what is refused", () => {
  const image = [{ role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AA==" }] }];
  it.each([
    [{ input: [] }, "input"],
    [{ input: undefined }, "input"],
    [{ input: image }, "input[0].content"],
    [{ input: [{ role: "robot", content: "x" }] }, "input[0].role"],
    [{ input: [{ type: "web_search_call", id: "x" }] }, "input[0].type"],
    [{ input: [{ type: "reasoning", summary: [] }] }, "input[0].type"],
    [{ input: [userItem("x"), { type: "function_call_output", call_id: "c", output: "y" }] }, "input[1].call_id"],
    [{ input: [userItem("x"), { id: "msg_unknown" }] }, "input[1].id"],
    [{ input: [{ type: "compaction", encrypted_content: "x.y" }, userItem("x")] }, "input[0].encrypted_content"],
    [{ background: true }, "background"],
    [{ tools: [{ type: "web_search" }] }, "tools[0].type"],
    [{ tool_choice: { type: "function", name: "none" } }, "tool_choice"],
    [{ max_output_tokens: 3 }, "max_output_tokens"],
    [{ max_tool_calls: 3 }, "max_tool_calls"],
    [{ top_logprobs: 2 }, "top_logprobs"],
    [{ include: ["message.output_text.logprobs"] }, "include[0]"],
    [{ service_tier: "flex" }, "service_tier"],
    [{ presence_penalty: 1 }, "presence_penalty"],
    [{ prompt: { id: "x" } }, "prompt"],
    [{ model: undefined }, "model"],
  ])("%j is a 400 that names the parameter", async (fields, param) => {
    const tenant = await newTenant();
    const answer = await tenant.call("POST", "/v1/responses", { model: "assistant", input: "x", ...fields });
    expect(answer).toMatchObject({ status: 400, body: { error: { param, type: "invalid_request_error" } } });
  });

  it("is worded as OpenAI's errors are", async () => {
    const tenant = await newTenant();
    expect(await respond(tenant, "x", { model: "nobody" })).toMatchObject({
      status: 404,
      body: { error: { code: "model_not_found", param: "model" } },
    });
    const noKey = await send("POST", "/v1/responses", { key: "cnk_nobody", body: {} });
    expect([noKey.status, await noKey.json()]).toMatchObject([401, { error: { code: "invalid_api_key" } }]);
    expect(await tenant.call("GET", "/v1/responses/resp_x?limit=1")).toMatchObject({
      status: 400,
      body: { error: { code: "unknown_parameter", param: "limit" } },
    });
    expect(await tenant.call("GET", "/v1/responses")).toMatchObject({
      status: 426,
      body: { error: { code: "upgrade_required" } },
    });
  });
});

describe("an end user", () => {
  it("reads, follows and deletes what is their subject's, and says nothing as the application", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello.", repeat: true });
    const token = async (subject: string) => (await tenant.call("POST", "/v1/tokens", { subject })).body.token;
    const [ada, bob] = [await token("ada"), await token("bob")];
    const as = async (key: string, method: string, path: string, body?: unknown) => {
      const answer = await send(method, path, { key, body });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    const ask = (key: string, fields: object) =>
      as(key, "POST", "/v1/responses", { model: "assistant", input: "Hi.", ...fields });
    const { body: ofAda } = await ask(ada, {});
    const { body: ofKey } = await respond(tenant, "Hi.");
    expect((await ask(ada, { previous_response_id: ofAda.id })).status).toBe(200);
    expect((await as(ada, "GET", `/v1/responses/${ofAda.id}`)).status).toBe(200);
    for (const [key, id] of [
      [bob, ofAda.id],
      [ada, ofKey.id],
    ]) {
      expect((await as(key, "GET", `/v1/responses/${id}`)).status).toBe(404);
      expect((await as(key, "DELETE", `/v1/responses/${id}`)).status).toBe(404);
      expect((await ask(key, { previous_response_id: id })).body.error.code).toBe("previous_response_not_found");
      expect((await ask(key, { input: [{ id: ofAda.output[0].id }, userItem("x")] })).status).toBe(
        key === bob ? 400 : 200,
      );
    }
    expect((await ask(ada, { user: "bob" })).status).toBe(403);
    expect((await ask(ada, { instructions: "Obey." })).body.error.code).toBe("insufficient_permissions");
    expect((await ask(ada, { input: [{ role: "developer", content: "Obey." }, userItem("x")] })).status).toBe(403);
    expect((await as(ada, "DELETE", `/v1/responses/${ofAda.id}`)).status).toBe(200);
    expect((await as(ada, "GET", `/v1/responses/${ofAda.id}`)).status).toBe(404);
    const client = await tenant.withRole("client");
    expect((await client.call("DELETE", `/v1/responses/${ofKey.id}`)).status).toBe(200);
  });
});

it("reads items by reference to responses that are stored", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ toolCalls: [{ name: "get_weather", arguments: { place: "Lyon" } }] }, { text: "It is sunny." });
  const { body } = await respond(tenant, "The weather?", { tools: [weatherTool] });
  const [call] = body.output;
  const items = [
    userItem("The weather?"),
    { type: "item_reference", id: call.id },
    { type: "function_call_output", call_id: call.call_id, output: "sunny" },
  ];
  const answer = await respond(tenant, items, { tools: [weatherTool] });
  expect(answer.body.output[0].content[0].text).toBe("It is sunny.");
});

it("reads no item by reference for one end user that is another's", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Your card ends in 7.", repeat: true });
  const { body } = await respond(tenant, "My card?", { user: "ada" });
  const items = [userItem("My card?"), { type: "item_reference", id: body.output[0].id }, userItem("Again?")];
  expect((await respond(tenant, items, { user: "ada" })).status).toBe(200);
  for (const field of ["user", "safety_identifier"]) {
    expect((await respond(tenant, items, { [field]: "bob" })).body.error.param).toBe("input[1].id");
  }
});

describe("a caller that goes", () => {
  it.each([
    [false, "aborted"],
    [true, "completed"],
  ])("with store %s: the model call is %s", async (store, expected) => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ chunks: ["One ", "two"], hold: { name: "later", afterChunks: 1 } });
    const body = { model: "assistant", input: "Count.", stream: true, store };
    const response = await send("POST", "/v1/responses", { key: tenant.key, body });
    await model.until({ requests: 1 });
    await response.body?.cancel();
    if (expected === "aborted") {
      await model.until({ aborted: 1 });
      return;
    }
    await model.release("later");
    const id = response.headers.get("location")?.split("/").at(-1) ?? "";
    await eventually(async () => {
      expect((await retrieve(tenant, id)).body).toMatchObject({ status: expected, output: [{}] });
    });
  });
});

it("gives the same response to the same Idempotency-Key, until it is deleted", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  await model.reply({ text: "One." }, { text: "Two." });
  const key = { "idempotency-key": "k1" };
  const first = await respond(tenant, "Count.", {}, key);
  expect((await respond(tenant, "Count.", {}, key)).body).toEqual(first.body);
  expect((await respond(tenant, "Other.", {}, key)).body.error.code).toBe("idempotency_conflict");
  const remove = () => tenant.call("DELETE", `/v1/responses/${first.body.id}`, undefined, { "idempotency-key": "k2" });
  const removed = await remove();
  expect(removed.status).toBe(200);
  expect(await remove()).toMatchObject({ status: 200, body: removed.body });
  const again = await respond(tenant, "Count.", {}, key);
  expect(again.status).toBe(409);
  expect(JSON.stringify(again.body)).not.toContain("One.");
});
