/** What clients send back of an answer in their own loops, with the fields that each adds: bodies as they were recorded from them. */
import { describe, expect, it } from "vitest";
import { newTenant } from "../support/conclave.js";
import { complete, user, weather } from "./support.js";

const call = (fields: object = {}, called: object = {}) => ({
  id: "call_1",
  type: "function",
  function: { name: "get_weather", arguments: '{"place":"Lyon"}', ...called },
  ...fields,
});

/** The assistant's message as each echoes it. */
const echoes: Readonly<Record<string, object>> = {
  "openai for Python, parse()": {
    content: null,
    refusal: null,
    role: "assistant",
    audio: null,
    function_call: null,
    annotations: [],
    parsed: null,
    tool_calls: [call({}, { parsed_arguments: { place: "Lyon" } })],
  },
  "openai for Python, .stream()": {
    content: null,
    role: "assistant",
    refusal: null,
    parsed: null,
    tool_calls: [call({ index: 0 }, { parsed_arguments: null })],
  },
  "openai for Node 5, runTools()": {
    role: "assistant",
    content: null,
    refusal: null,
    parsed: null,
    tool_calls: [call()],
  },
  LiteLLM: {
    role: "assistant",
    content: "",
    function_call: null,
    provider_specific_fields: { refusal: null },
    reasoning_content: "They ask about the weather.",
    thinking_blocks: [],
    tool_calls: [{ ...call({ index: 0, provider_specific_fields: {} }), type: undefined }],
  },
  "LangChain, with nulls": { role: "assistant", content: null, name: null, tool_calls: [call()], refusal: null },
  "a client that caches its prompt": {
    role: "assistant",
    content: [{ type: "text", text: "I look it up.", cache_control: { type: "ephemeral" } }],
    tool_calls: [call()],
  },
};

describe("a tool loop of", () => {
  it.each(Object.entries(echoes))(
    "%s is answered, and nothing that was added reaches the model",
    async (_name, echo) => {
      const tenant = await newTenant();
      const model = await tenant.agent("assistant");
      await model.reply({ text: "It is sunny." });
      const asked = { ...user("The weather in Lyon?"), name: null, cache_control: { type: "ephemeral" } };
      const result = { role: "tool", tool_call_id: "call_1", name: "get_weather", content: "sunny", artifact: null };
      const answer = await complete(tenant, [asked, { ...echo }, result], {
        tools: [weather],
        user: "",
        stop: null,
        response_format: null,
      });
      expect(answer).toMatchObject({ status: 200, body: { choices: [{ message: { content: "It is sunny." } }] } });
      const [request] = await model.requests();
      const body = request?.body;
      const heard = Object(body).messages.slice(-2);
      expect(heard).toMatchObject([
        { role: "assistant", tool_calls: [{}] },
        { role: "tool", content: "sunny" },
      ]);
      expect(JSON.stringify(body)).not.toMatch(/parsed|ephemeral|They ask about|artifact/);
    },
  );

  it("openai for Python, responses.parse(), is answered", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "It is sunny." });
    const input = [
      { role: "user", content: "The weather in Lyon?" },
      {
        ...{ type: "message", id: "msg_1", role: "assistant", status: "completed", phase: null },
        content: [{ type: "output_text", text: "I look it up.", annotations: [], logprobs: [], parsed: null }],
      },
      {
        ...{ type: "function_call", id: "fc_1", call_id: "call_1", name: "get_weather", status: "completed" },
        ...{ arguments: '{"place":"Lyon"}', parsed_arguments: { place: "Lyon" }, namespace: null },
      },
      { type: "function_call_output", call_id: "call_1", output: "sunny" },
    ];
    const answer = await tenant.call("POST", "/v1/responses", { model: "assistant", input, user: "" });
    expect(answer).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(JSON.stringify((await model.requests())[0]?.body)).not.toContain("parsed");
  });

  it("is refused where a field would change the answer", async () => {
    const tenant = await newTenant();
    await tenant.agent("assistant");
    const legacy = { role: "assistant", content: null, function_call: { name: "get_weather", arguments: "{}" } };
    expect(await complete(tenant, [user("The weather?"), legacy, user("And?")])).toMatchObject({ status: 400 });
    expect(await complete(tenant, [user("The weather?")], { reasoning_depth: 3 })).toMatchObject({ status: 400 });
  });
});
