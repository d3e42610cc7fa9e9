/** What a call has taken is counted under the name that it is priced by. */
import { expect, it } from "vitest";
import { countedModel } from "../../src/application/supervisor-builder.js";
import type { ModelPort } from "../../src/model/port.js";

const usage = { inputTokens: 3, outputTokens: 1 };
const answering = (model: string, metadata?: { readonly defaultModel: string }): ModelPort => ({
  call: async () => ({ text: "", toolCalls: [], usage, model, finishReason: "stop", ...(metadata && { metadata }) }),
});

it("is that of the model which `default` stands for, and of any other its own", async () => {
  const taken: unknown[] = [];
  const hear = (model: string, used: unknown): void => void taken.push([model, used]);
  const request = { models: ["default"], messages: [], tools: [], timeoutMs: 1_000 };
  await countedModel(answering("default", { defaultModel: "offline" }), hear).call(request);
  await countedModel(answering("openai/small"), hear).call(request);
  expect(taken).toEqual([
    ["offline", usage],
    ["openai/small", usage],
  ]);
});
