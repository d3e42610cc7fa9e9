/** aimock knows nothing of us: an independent peer that speaks OpenAI's protocol as it understands it. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createModelPort } from "../../src/model/directory.js";
import type { ToolSpec } from "../../src/model/port.js";
import { ask, failureOf, Recorder, SECRET, testPorts } from "./harness.js";

const mock = new LLMock({ port: 0, chunkSize: 5 });
beforeAll(async () => {
  await mock.start();
});
afterAll(() => mock.stop());
beforeEach(() => mock.reset());

const tools: readonly ToolSpec[] = [
  {
    name: "get_weather",
    description: "The weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
];

function setUp() {
  const waits: number[] = [];
  const providers = { acme: { baseURL: `${mock.url}/v1`, apiKey: SECRET } };
  const port = createModelPort({ providers, retry: { attemptsPerModel: 2 } }, testPorts(waits));
  return { waits, port, request: ask("Say hello", { models: ["acme/gpt-5"], tools }) };
}

describe("against aimock", () => {
  it("reads text", async () => {
    mock.on({ model: "gpt-5" }, { content: "Hello from the mock", usage: { prompt_tokens: 4, completion_tokens: 5 } });
    const { port, request } = setUp();
    expect(await port.call(request)).toMatchObject({
      text: "Hello from the mock",
      usage: { inputTokens: 4, outputTokens: 5 },
      finishReason: "stop",
    });
    expect(mock.getLastRequest()?.body).toMatchObject({
      model: "gpt-5",
      messages: [{ role: "user", content: "Say hello" }],
    });
  });

  it("reads a stream", async () => {
    mock.on({ model: "gpt-5" }, { content: "Hello from the mock", usage: { prompt_tokens: 4, completion_tokens: 5 } });
    const { port, request } = setUp();
    const recorder = new Recorder();
    const result = await port.call(request, { listener: recorder });
    expect(result).toMatchObject({ text: "Hello from the mock", usage: { inputTokens: 4, outputTokens: 5 } });
    expect(recorder.heard.length).toBeGreaterThan(2);
    expect(recorder.text).toBe("Hello from the mock");
  });

  it.each([{ listener: new Recorder() }, {}])("reads tool calls, streamed and not", async (options) => {
    mock.on({ model: "gpt-5" }, { toolCalls: [{ name: "get_weather", arguments: '{"city":"Paris"}', id: "call_w" }] });
    const { port, request } = setUp();
    expect(await port.call(request, options)).toMatchObject({
      toolCalls: [{ id: "call_w", name: "get_weather", arguments: '{"city":"Paris"}' }],
      finishReason: "tool_calls",
    });
  });

  it("waits as its 429 says", async () => {
    mock.on({ model: "gpt-5", sequenceIndex: 0 }, { error: { message: "slow down" }, status: 429, retryAfter: 3 });
    mock.on({ model: "gpt-5" }, { content: "Now then" });
    const { port, request, waits } = setUp();
    expect((await port.call(request)).text).toBe("Now then");
    expect(waits).toEqual([3_000]);
  });

  it("takes its malformed body for a bad response", async () => {
    mock.on({ model: "gpt-5" }, { content: "never seen" }, { chaos: { malformedRate: 1 } });
    const { port, request } = setUp();
    expect((await failureOf(port.call(request))).kind).toBe("bad_response");
  });

  it("finds out when its stream is cut", async () => {
    mock.on({ model: "gpt-5" }, { content: "Hello from the mock" }, { truncateAfterChunks: 2, latency: 10 });
    const { port, request } = setUp();
    expect((await failureOf(port.call(request, { listener: new Recorder() }))).kind).toBe("cut_stream");
  });
});
