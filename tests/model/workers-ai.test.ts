import { describe, expect, it } from "vitest";
import { createModelPort } from "../../src/model/directory.js";
import type { ModelRequest } from "../../src/model/port.js";
import type { AiBinding } from "../../src/model/providers/workers-ai.js";
import { ask, failureOf, Recorder, testPorts } from "./harness.js";

const MODEL = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";
const tools: ModelRequest["tools"] = ["lookup", "other"].map((name) => ({
  name,
  description: "A tool",
  parameters: { type: "object", properties: {} },
}));

/** A binding that gives one answer, or throws it if it is an error, and remembers what it was asked. */
function setUp(answer: unknown) {
  const seen: { model: string; inputs: Record<string, unknown>; signal: AbortSignal | undefined }[] = [];
  const binding: AiBinding = {
    run: async (model, inputs, options) => {
      seen.push({ model, inputs, signal: options?.signal });
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const port = createModelPort({ deployment: { AI: binding }, retry: { attemptsPerModel: 1 } }, testPorts());
  const call = (more: Partial<ModelRequest> = {}, listener?: Recorder) =>
    port.call(ask("Hello", { models: [`workers-ai/${MODEL}`], ...more }), listener === undefined ? {} : { listener });
  return { seen, call };
}

function eventStream(...events: unknown[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(
    events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""),
  );
  return new ReadableStream({
    start(controller) {
      // Three bytes at a time, so that events and characters are torn.
      for (let at = 0; at < bytes.length; at += 3) controller.enqueue(bytes.slice(at, at + 3));
      controller.close();
    },
  });
}

describe("Workers AI, in one piece", () => {
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };

  it("reads the platform's own shape", async () => {
    const { call } = setUp({ response: "Hello to you", usage });
    expect(await call()).toEqual({
      text: "Hello to you",
      toolCalls: [],
      usage: { inputTokens: 7, outputTokens: 2 },
      finishReason: "stop",
      model: `workers-ai/${MODEL}`,
    });
  });

  it("reads OpenAI's shape", async () => {
    const message = {
      content: "Hi",
      tool_calls: [{ id: "a", type: "function", function: { name: "lookup", arguments: "{}" } }],
    };
    const { call } = setUp({ choices: [{ message, finish_reason: "tool_calls" }], usage });
    expect(await call({ tools })).toMatchObject({
      text: "Hi",
      toolCalls: [{ id: "a", name: "lookup", arguments: "{}" }],
      finishReason: "tool_calls",
    });
  });

  it("reads calls without ids and with parsed arguments, and estimates what isn't counted", async () => {
    const calls = ["lookup", "lookup"].map((name, q) => ({ name, arguments: { q } }));
    const { call } = setUp({ response: null, tool_calls: calls });
    expect(await call({ tools })).toMatchObject({
      toolCalls: [
        { id: "call_0", name: "lookup", arguments: '{"q":0}' },
        { id: "call_1", name: "lookup", arguments: '{"q":1}' },
      ],
      finishReason: "tool_calls",
      metadata: { usageEstimated: true },
    });
  });

  it("writes an object out as JSON when JSON was asked for", async () => {
    const { call, seen } = setUp({ response: { city: "Paris" } });
    const schema = { type: "object", properties: { city: { type: "string" } } };
    expect((await call({ output: { name: "place", schema } })).text).toBe('{"city":"Paris"}');
    expect(seen[0]?.inputs.response_format).toEqual({ type: "json_schema", json_schema: schema });
  });

  it("offers a demanded tool alone, since the binding can't demand one by name", async () => {
    const { call, seen } = setUp({ response: "Hello." });
    await call({ tools, toolChoice: { tool: "other" }, maxOutputTokens: 10, temperature: 0 });
    expect(seen[0]).toMatchObject({
      model: MODEL,
      inputs: {
        messages: [{ role: "user", content: "Hello" }],
        tools: [{ type: "function", function: { name: "other" } }],
        tool_choice: "required",
        max_tokens: 10,
        temperature: 0,
      },
    });
  });

  it.each([[{}], [{ choices: [] }], ["text"], [undefined], [null], [{ tool_calls: [{ arguments: "{}" }] }]])(
    "takes %j for no reply",
    async (answer) => {
      expect((await failureOf(setUp(answer).call())).kind).toBe("bad_response");
    },
  );
});

describe("Workers AI, streamed", () => {
  it("reads the platform's own events", async () => {
    const recorder = new Recorder();
    const { call, seen } = setUp(
      eventStream(
        { response: "Grüße " },
        { response: "🌍" },
        { response: "", usage: { prompt_tokens: 3, completion_tokens: 4 } },
        "[DONE]",
      ),
    );
    expect(await call({}, recorder)).toMatchObject({ text: "Grüße 🌍", usage: { inputTokens: 3, outputTokens: 4 } });
    expect(recorder.heard).toEqual(["Grüße ", "🌍"]);
    expect(seen[0]?.inputs.stream).toBe(true);
  });

  it("reads OpenAI's events, with calls in parts and the part that only closes one", async () => {
    const delta = (tool_calls: unknown[]) => ({ choices: [{ delta: { tool_calls } }] });
    const { call } = setUp(
      eventStream(
        delta([{ id: "a", index: 0, function: { name: "lookup" } }]),
        delta([{ index: 0, function: { arguments: '{"q":' } }]),
        delta([{ index: 0, function: { arguments: "1}" } }]),
        delta([{ id: null, index: 0, function: { name: null, arguments: "" } }]),
        { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
      ),
    );
    expect((await call({ tools }, new Recorder())).toolCalls).toEqual([
      { id: "a", name: "lookup", arguments: '{"q":1}' },
    ]);
  });

  it("reads its own calls within a stream", async () => {
    const { call } = setUp(
      eventStream({ response: "", tool_calls: [{ name: "lookup", arguments: { q: 1 } }] }, "[DONE]"),
    );
    expect((await call({ tools }, new Recorder())).toolCalls).toEqual([
      { id: "call_0", name: "lookup", arguments: '{"q":1}' },
    ]);
  });

  it("accepts an answer in one piece where a stream was asked for", async () => {
    const recorder = new Recorder();
    await setUp({ response: "In one piece" }).call({}, recorder);
    expect(recorder.heard).toEqual(["In one piece"]);
  });

  it("finds out when the stream was cut", async () => {
    const { call } = setUp(eventStream({ response: "Half of" }));
    expect((await failureOf(call({}, new Recorder()))).kind).toBe("cut_stream");
  });

  it("finds out when events are broken", async () => {
    const { call } = setUp(eventStream("{broken", "[DONE]"));
    expect((await failureOf(call({}, new Recorder()))).kind).toBe("bad_response");
  });
});

describe("Workers AI, failing", () => {
  it.each([
    ["3040: Capacity temporarily exceeded, please try again.", "rate_limited", 429],
    ["InferenceUpstreamError: 3036: you have used up your daily free allocation", "rate_limited", 429],
    ["5007: No such model", "bad_request", 400],
    ["5018: not allowed", "unauthorized", 403],
    ["3007: Request timeout", "timeout", 408],
    ["something unheard of with secret-detail", "unavailable", undefined],
  ])("%s", async (message, kind, status) => {
    const error = await failureOf(setUp(new Error(message)).call());
    expect([error.kind, error.details.status]).toEqual([kind, status]);
    expect(error.message).not.toContain("secret-detail");
  });

  it("ends a call that takes too long, though the binding doesn't listen", async () => {
    const { call, seen } = setUp(new Promise(() => {}));
    expect((await failureOf(call({ timeoutMs: 20 }))).kind).toBe("timeout");
    expect(seen[0]?.signal?.aborted).toBe(true);
  });
});
