/**
 * The chat-completion shapes at the border, as loose as the servers that claim compatibility are: what is missing may also be
 * null, arguments may come parsed, and a usage that can't be read counts as none.
 */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { isRecord } from "../../text/json.js";
import type { FinishReason, TokenUsage } from "../port.js";

const argumentsShape = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === "string" ? value : value == null ? "" : JSON.stringify(value)));

/** A tool call, whole or in part; flat (`{name, arguments}`) as Workers AI's own models have it, or under `function`. */
export const toolCallShape = z
  .object({
    index: z.number().int().nonnegative().nullish().catch(undefined),
    id: z.string().nullish(),
    name: z.string().nullish(),
    arguments: argumentsShape,
    function: z.object({ name: z.string().nullish(), arguments: argumentsShape }).nullish(),
  })
  .transform(({ index, id, name, arguments: flat, function: nested }) => ({
    index: index ?? undefined,
    id: id ?? "",
    name: nested?.name ?? name ?? "",
    arguments: nested?.arguments ?? flat,
  }));
/** A tool call, or a part of one. */
export type ToolCallPart = z.infer<typeof toolCallShape>;

/** Text, or a list of parts of which the texts count. */
const contentShape = z
  .union([z.string(), z.array(z.object({ text: z.string().optional().catch(undefined) }))])
  .nullish()
  .transform((content) => (Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? "")));

const messageShape = z.object({
  content: contentShape,
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCallShape).nullish(),
});
/** A message, or what a stream adds to it. */
export type MessageParts = z.infer<typeof messageShape>;

const tokens = z.number().int().nonnegative();
/** What a server says further of its counts: 0 where that can't be read. */
const detail = tokens.catch(0);
const details = z.object({ cached_tokens: detail, cache_write_tokens: detail, reasoning_tokens: detail });
const noDetails: z.infer<typeof details> = { cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
/** Token counts; none where they can't be read. */
export const usageShape = z
  .object({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: detail,
    prompt_tokens_details: details.catch(noDetails),
    completion_tokens_details: details.catch(noDetails),
    /** As DeepSeek says it. */
    prompt_cache_hit_tokens: detail,
  })
  .transform((usage): TokenUsage => {
    const { prompt_tokens: inputTokens, completion_tokens, total_tokens } = usage;
    const { cached_tokens, cache_write_tokens } = usage.prompt_tokens_details;
    // What was thought counts in the total everywhere, but not everywhere in what was written (xAI, Gemini).
    const outputTokens = Math.max(completion_tokens, total_tokens - inputTokens);
    const cached = Math.min(cached_tokens || usage.prompt_cache_hit_tokens, inputTokens);
    return {
      inputTokens,
      outputTokens,
      ...defined({
        cachedInputTokens: cached || undefined,
        cacheWriteTokens: Math.min(cache_write_tokens, inputTokens - cached) || undefined,
        reasoningTokens: Math.min(usage.completion_tokens_details.reasoning_tokens, outputTokens) || undefined,
      }),
    };
  })
  .optional()
  .catch(undefined);

/** A reply in one piece. */
export const completionShape = z.object({
  choices: z.array(z.object({ message: messageShape, finish_reason: z.string().nullish() })).min(1),
  usage: usageShape,
});

/** One event of a streamed reply; the one that carries the usage has no choices. */
export const chunkShape = z.object({
  choices: z
    .array(z.object({ delta: messageShape.nullish(), finish_reason: z.string().nullish() }))
    .nullish()
    .transform((choices) => choices ?? []),
  usage: usageShape,
});

/**
 * The text of an event that adds nothing but text, as nearly all events of a stream do: those needn't be read by their shape.
 * @example
 * textDelta({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] }); // "Hi"
 */
export function textDelta(event: unknown): string | undefined {
  if (!isRecord(event) || (event.usage ?? undefined) !== undefined) return undefined;
  const { choices } = event;
  if (!Array.isArray(choices) || choices.length !== 1) return undefined;
  const [choice]: unknown[] = choices;
  if (!isRecord(choice) || (choice.finish_reason ?? undefined) !== undefined || !isRecord(choice.delta))
    return undefined;
  const { content, refusal, tool_calls } = choice.delta;
  const isPlain = (refusal ?? undefined) === undefined && (tool_calls ?? undefined) === undefined;
  return isPlain && typeof content === "string" ? content : undefined;
}

/** An error in the middle of a stream, or with status 200. */
export const errorFrameShape = z.object({
  error: z.union([
    z.string().min(1),
    z.object({ code: z.union([z.string(), z.number()]).nullish(), type: z.string().nullish() }),
  ]),
});

/** The port's word for a provider's finish reason. */
export function finishReason(reason: string | null | undefined, hasToolCalls: boolean): FinishReason {
  if (reason === "length" || reason === "max_tokens") return "length";
  if (reason === "content_filter") return "content_filter";
  // Some servers say "stop" where they mean "tool_calls", or the other way round.
  return hasToolCalls ? "tool_calls" : "stop";
}
