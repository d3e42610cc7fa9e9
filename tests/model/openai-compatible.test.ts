import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/model/port.js";
import { startUpstream } from "../support/scripted-upstream.js";
import { upstreamFor } from "../support/upstream-client.js";
import { harnessFor, Recorder, requestFor, SECRET } from "./harness.js";

let server: Awaited<ReturnType<typeof startUpstream>>;
beforeAll(async () => {
  server = await startUpstream();
});
afterAll(() => server.stop());

const tools: ModelRequest["tools"] = [
  { name: "lookup", description: "Looks things up", parameters: { type: "object", properties: {} } },
];

describe.each([{ streamed: false }, { streamed: true }])(
  "an OpenAI-compatible server, streamed: $streamed",
  ({ streamed }) => {
    const setUp = () => {
      const upstream = upstreamFor(server.url);
      const recorder = new Recorder();
      const { port, waits } = harnessFor(upstream);
      const call = (more: Partial<ModelRequest> = {}) =>
        port.call(requestFor(upstream, more), streamed ? { listener: recorder } : {});
      return { upstream, recorder, waits, call };
    };

    it("answers with text, usage and the model's name", async () => {
      const { upstream, recorder, call } = setUp();
      await upstream.reply({ text: "Hello to you", usage: { inputTokens: 12, outputTokens: 3 } });
      expect(await call()).toEqual({
        text: "Hello to you",
        toolCalls: [],
        usage: { inputTokens: 12, outputTokens: 3 },
        finishReason: "stop",
        model: `acme/${upstream.model}`,
      });
      expect(recorder.heard).toEqual(streamed ? ["Hello ", "to ", "you"] : []);
    });

    it("counts what came from the cache and what was thought", async () => {
      const { upstream, call } = setUp();
      const usage = { inputTokens: 12, outputTokens: 9, cachedInputTokens: 8, reasoningTokens: 6 };
      await upstream.reply({ text: "Hello to you", usage });
      expect((await call()).usage).toEqual(usage);
    });

    it("sends what the request holds", async () => {
      const { upstream, call } = setUp();
      await upstream.reply({ text: "{}" });
      await call({
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Look it up" },
          { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "lookup", arguments: "{}" }] },
          { role: "tool", toolCallId: "c1", content: "42" },
        ],
        tools,
        toolChoice: { tool: "lookup" },
        output: { name: "result", schema: { type: "object" } },
        temperature: 0.5,
        maxOutputTokens: 99,
      });
      const [seen] = await upstream.requests();
      expect(seen?.path).toBe("/v1/chat/completions");
      expect(seen?.headers.authorization).toBe(`Bearer ${SECRET}`);
      expect(seen?.body).toMatchObject({
        model: upstream.model,
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Look it up" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c1", function: { name: "lookup", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "c1", content: "42" },
        ],
        tools: [{ type: "function", function: { name: "lookup", parameters: { type: "object" } } }],
        tool_choice: { type: "function", function: { name: "lookup" } },
        response_format: { type: "json_schema", json_schema: { name: "result", schema: { type: "object" } } },
        temperature: 0.5,
        max_tokens: 99,
        ...(streamed ? { stream: true, stream_options: { include_usage: true } } : {}),
      });
    });

    it("returns tool calls in order, with text beside them", async () => {
      const { upstream, call } = setUp();
      await upstream.reply({
        text: "One moment",
        toolCalls: [
          { name: "lookup", arguments: { q: "first" }, id: "a" },
          { name: "lookup", arguments: { q: "second" }, id: "b" },
        ],
      });
      expect(await call({ tools })).toMatchObject({
        text: "One moment",
        finishReason: "tool_calls",
        toolCalls: [
          { id: "a", name: "lookup", arguments: '{"q":"first"}' },
          { id: "b", name: "lookup", arguments: '{"q":"second"}' },
        ],
      });
    });

    it("makes up the ids that are missing, and tells equal ones apart", async () => {
      const { upstream, call } = setUp();
      const given = [null, "same", "same"].map((id) => ({ name: "lookup", arguments: {}, id }));
      await upstream.reply({ toolCalls: given });
      const { toolCalls } = await call({ tools });
      expect(toolCalls.map((made) => made.id)).toEqual(["call_0", "same", "call_2"]);
    });

    it("passes broken tool arguments on as they were written, without a retry", async () => {
      const { upstream, call, waits } = setUp();
      await upstream.reply({ toolCalls: [{ name: "lookup", arguments: '{"q": "unfinis' }] });
      const { toolCalls } = await call({ tools });
      expect(toolCalls[0]?.arguments).toBe('{"q": "unfinis');
      expect(waits).toEqual([]);
    });

    it("wraps broken arguments in the history, which many servers would refuse", async () => {
      const { upstream, call } = setUp();
      await upstream.reply({ text: "ok" });
      await call({
        messages: [
          { role: "user", content: "Look" },
          { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "lookup", arguments: '{"q": "un' }] },
          { role: "tool", toolCallId: "c1", content: "The arguments are not JSON." },
        ],
      });
      const [seen] = await upstream.requests();
      expect(JSON.stringify(seen?.body)).toContain(
        JSON.stringify(JSON.stringify({ unparsable: '{"q": "un' })).slice(1, -1),
      );
    });

    it("estimates a missing usage at four characters a token, and says so", async () => {
      const { upstream, call } = setUp();
      await upstream.reply({ text: "12345678", usage: null });
      expect(await call()).toMatchObject({
        // "Hello there" has eleven characters.
        usage: { inputTokens: 3, outputTokens: 2 },
        metadata: { usageEstimated: true },
      });
    });

    it.each([
      ["length", "length"],
      ["content_filter", "content_filter"],
      ["function_call", "stop"],
    ])("translates the finish reason %s", async (given, expected) => {
      const { upstream, call } = setUp();
      await upstream.reply({ text: "so far", finishReason: given });
      expect((await call()).finishReason).toBe(expected);
    });

    it("keeps text in any script whole, however its bytes are split", async () => {
      const { upstream, call } = setUp();
      await upstream.reply({ text: "Grüße 🌍 från 東京" });
      expect((await call()).text).toBe("Grüße 🌍 från 東京");
    });
  },
);

describe("streams that aren't quite as they should be", () => {
  const chunk = (delta: unknown, finish: string | null = null) =>
    JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const stream = async (...events: string[]) => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ events });
    return harnessFor(upstream).port.call(requestFor(upstream, { tools }), { listener: new Recorder() });
  };

  it("is complete with a finish reason, although the end mark is missing", async () => {
    expect((await stream(chunk({ content: "All" }), chunk({}, "stop"))).text).toBe("All");
  });

  it("is complete with the end mark, although the finish reason is missing", async () => {
    expect((await stream(chunk({ content: "All" }), "[DONE]")).finishReason).toBe("stop");
  });

  it("assembles calls by index, interleaved", async () => {
    const call = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] });
    const { toolCalls } = await stream(
      call(0, { id: "a", function: { name: "lookup", arguments: "" } }),
      call(1, { id: "b", function: { name: "lookup", arguments: '{"n"' } }),
      call(0, { function: { arguments: '{"m":' } }),
      call(1, { function: { arguments: ":2}" } }),
      call(0, { function: { arguments: "1}" } }),
      chunk({}, "tool_calls"),
    );
    expect(toolCalls).toEqual([
      { id: "a", name: "lookup", arguments: '{"m":1}' },
      { id: "b", name: "lookup", arguments: '{"n":2}' },
    ]);
  });

  it("tells calls apart by id where all have the same index or none", async () => {
    const { toolCalls } = await stream(
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "lookup", arguments: "{}" } }] }),
      chunk({ tool_calls: [{ index: 0, id: "b", function: { name: "lookup", arguments: "[" } }] }),
      chunk({ tool_calls: [{ function: { arguments: "]" } }] }),
      chunk({}, "stop"),
    );
    expect(toolCalls.map((call) => [call.id, call.arguments])).toEqual([
      ["a", "{}"],
      ["b", "[]"],
    ]);
  });

  it("takes nothing written for no arguments, and parsed arguments as JSON", async () => {
    const { toolCalls } = await stream(
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "lookup", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 1, id: "b", function: { name: "lookup", arguments: { q: 1 } } }] }),
      "[DONE]",
    );
    expect(toolCalls.map((call) => call.arguments)).toEqual(["{}", '{"q":1}']);
  });

  it("takes a refusal for filtered content", async () => {
    expect(await stream(chunk({ refusal: "I can't." }), chunk({}, "stop"))).toMatchObject({
      text: "I can't.",
      finishReason: "content_filter",
    });
  });

  it("accepts an answer in one piece where a stream was asked for", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ body: { choices: [{ message: { content: "In one piece" }, finish_reason: "stop" }] } });
    const recorder = new Recorder();
    await harnessFor(upstream).port.call(requestFor(upstream), { listener: recorder });
    expect(recorder.heard).toEqual(["In one piece"]);
  });

  it("sends no Authorization where there is no key", async () => {
    const upstream = upstreamFor(server.url);
    await upstream.reply({ text: "ok" });
    const { port } = harnessFor(upstream, { providers: { acme: { baseURL: upstream.baseURL, apiKey: "" } } });
    await port.call(requestFor(upstream));
    expect((await upstream.requests())[0]?.headers.authorization).toBeUndefined();
  });
});
