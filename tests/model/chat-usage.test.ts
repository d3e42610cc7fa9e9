import { expect, it } from "vitest";
import { usageShape } from "../../src/model/providers/chat-shapes.js";

it.each([
  [
    "OpenAI",
    {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 16, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 7 },
    },
    { inputTokens: 20, cachedInputTokens: 16, outputTokens: 9, reasoningTokens: 7 },
  ],
  ["one that says nothing more", { prompt_tokens: 20, completion_tokens: 9 }, { inputTokens: 20, outputTokens: 9 }],
  [
    "one that says null",
    { prompt_tokens: 20, completion_tokens: 9, total_tokens: null, prompt_tokens_details: null },
    { inputTokens: 20, outputTokens: 9 },
  ],
  [
    "OpenRouter, for a cache that is written",
    { prompt_tokens: 20, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 10 } },
    { inputTokens: 20, cachedInputTokens: 5, cacheWriteTokens: 10, outputTokens: 9 },
  ],
  [
    "DeepSeek",
    { prompt_tokens: 20, completion_tokens: 9, prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 8 },
    { inputTokens: 20, cachedInputTokens: 12, outputTokens: 9 },
  ],
  [
    "xAI, which leaves what was thought out of what was written",
    {
      prompt_tokens: 20,
      completion_tokens: 9,
      total_tokens: 129,
      completion_tokens_details: { reasoning_tokens: 100 },
    },
    { inputTokens: 20, outputTokens: 109, reasoningTokens: 100 },
  ],
])("the usage of %s", (_, said, counted) => {
  expect(usageShape.parse(said)).toEqual(counted);
});

it("a part is never more than the whole, and garbage is no part", () => {
  const counted = (prompt: unknown, completion?: unknown) =>
    usageShape.parse({
      prompt_tokens: 20,
      completion_tokens: 9,
      prompt_tokens_details: prompt,
      completion_tokens_details: completion,
    });
  expect(counted({ cached_tokens: 50, cache_write_tokens: 50 }, { reasoning_tokens: 50 })).toEqual({
    inputTokens: 20,
    cachedInputTokens: 20,
    outputTokens: 9,
    reasoningTokens: 9,
  });
  const none = { inputTokens: 20, outputTokens: 9 };
  for (const bad of [{ cached_tokens: -3 }, { cached_tokens: "many" }, { cached_tokens: 0.5 }, "no", [], 7]) {
    expect(counted(bad)).toEqual(none);
  }
  expect(usageShape.parse({ prompt_tokens: "20", completion_tokens: 9 })).toBeUndefined();
});
