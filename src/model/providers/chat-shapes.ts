/**
 * The chat-completion shapes at the border, as loose as the servers that claim compatibility are: what is missing may also be
 * null, arguments may come parsed, and a usage that can't be read counts as none.
 */
import { z } from "zod";
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
/** Token counts; none where they can't be read. */
export const usageShape = z
  .object({ prompt_tokens: tokens, completion_tokens: tokens })
  .transform((usage): TokenUsage => ({ inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens }))
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
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
