/** Answers of `POST /v1/chat/completions`: whole, and in chunks. */
import { z } from "zod";
import type { ChatEvent } from "../application/openai/complete-chat.js";
import { bodyOf, refusalOf } from "./errors.js";
import { type Answer, answerOf, replaced } from "./outcome.js";

const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
});
const called = z.object({ name: z.string(), arguments: z.string() });
const finishReasons = ["stop", "length", "tool_calls", "content_filter"] as const;
const head = { id: z.string(), created: z.int(), model: z.string() };

export const completionSchema = z.object({
  ...head,
  object: z.literal("chat.completion"),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        tool_calls: z.array(z.object({ id: z.string(), type: z.literal("function"), function: called })).optional(),
      }),
      finish_reason: z.enum(finishReasons),
      logprobs: z.null(),
    }),
  ),
  usage,
});
export type Completion = z.infer<typeof completionSchema>;

export const chunkSchema = z.object({
  ...head,
  object: z.literal("chat.completion.chunk"),
  choices: z.array(
    z.object({
      index: z.int(),
      delta: z.object({
        role: z.literal("assistant").optional(),
        content: z.string().nullable().optional(),
        refusal: z.string().optional(),
        tool_calls: z
          .array(z.object({ index: z.int(), id: z.string(), type: z.literal("function"), function: called }))
          .optional(),
      }),
      finish_reason: z.enum(finishReasons).nullable(),
      logprobs: z.null(),
    }),
  ),
  usage: usage.nullable().optional(),
});
type Chunk = z.infer<typeof chunkSchema>;
type Delta = Chunk["choices"][number]["delta"];

export interface ChatHead {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
}

export function completionOf(about: ChatHead, answer: Answer): Completion {
  const refusal = answer.kind === "refused" ? answer.refusal : null;
  const calls = answer.kind === "text" ? answer.calls : [];
  const content = answer.kind === "refused" || (calls.length > 0 && answer.text === "") ? null : answer.text;
  return {
    ...about,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content,
          refusal,
          ...(calls.length === 0
            ? {}
            : { tool_calls: calls.map(({ id, ...call }) => ({ id, type: "function" as const, function: call })) }),
        },
        finish_reason: finishReason(answer),
        logprobs: null,
      },
    ],
    usage: usageOf(answer),
  };
}

/** The lines of a streamed answer. What goes wrong after it has begun is an `error` in it. */
export async function* chunkLines(
  about: ChatHead,
  events: AsyncIterable<ChatEvent>,
  withUsage: boolean,
): AsyncGenerator<string> {
  const chunk = (delta: Delta, reason: Chunk["choices"][number]["finish_reason"] = null): string =>
    line({
      ...about,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
      ...(withUsage ? { usage: null } : {}),
    });
  yield chunk({ role: "assistant", content: "" });
  try {
    for await (const event of events) {
      if (event.kind === "text") {
        yield chunk({ content: event.text });
        continue;
      }
      const answer = answerOf(event.outcome);
      if (event.isVoid && answer.kind === "text") throw replaced;
      if (answer.kind === "refused") yield chunk({ refusal: answer.refusal });
      if (answer.kind === "asks") yield chunk({ content: answer.text });
      const calls = answer.kind === "text" ? answer.calls : [];
      if (calls.length > 0) yield chunk({ tool_calls: calls.map(callPart) });
      yield chunk({}, finishReason(answer));
      if (withUsage) yield line({ ...about, object: "chat.completion.chunk", choices: [], usage: usageOf(answer) });
    }
    yield "data: [DONE]\n\n";
  } catch (error) {
    yield line(bodyOf(refusalOf(error)));
  }
}

function callPart({ id, ...call }: { id: string; name: string; arguments: string }, index: number) {
  return { index, id, type: "function" as const, function: call };
}

function finishReason(answer: Answer): (typeof finishReasons)[number] {
  switch (answer.kind) {
    case "refused":
      return "content_filter";
    case "asks":
      return "stop";
    case "text":
      return answer.calls.length > 0 ? "tool_calls" : (answer.cut ?? "stop");
  }
}

function usageOf({ usage }: Answer): Completion["usage"] {
  const { inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

function line(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
