/** A response as `/v1/responses` shows it: whole, at any time of its turn. */
import { z } from "zod";
import { openAsks } from "../application/openai/answer-in-chat.js";
import { responseId } from "../application/openai/response-ref.js";
import type { Turn } from "../chat/session.js";
import type { TurnRef } from "../chat/turn-request.js";
import { type Answer, answerOf, failureOf } from "./outcome.js";
import { type Echo, echoSchema } from "./response-echo.js";

const outputText = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()),
  /** Empty. Answers that were kept under a key by the version before have none. */
  logprobs: z.array(z.unknown()).optional(),
});
const refusal = z.object({ type: z.literal("refusal"), refusal: z.string() });
export const partSchema = z.discriminatedUnion("type", [outputText, refusal]);
export type Part = z.infer<typeof partSchema>;

const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);
export const outputMessageSchema = z.object({
  type: z.literal("message"),
  id: z.string(),
  role: z.literal("assistant"),
  status: itemStatus,
  content: z.array(partSchema),
});
export const outputCallSchema = z.object({
  type: z.literal("function_call"),
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: itemStatus,
});
export const outputItemSchema = z.discriminatedUnion("type", [outputMessageSchema, outputCallSchema]);
export type OutputItem = z.infer<typeof outputItemSchema>;

export const usageSchema = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

export const responseSchema = z.object({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(["in_progress", "completed", "incomplete", "failed", "cancelled"]),
  incomplete_details: z.object({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  model: z.string(),
  instructions: z.string().nullable(),
  output: z.array(outputItemSchema),
  usage: usageSchema.nullable(),
  ...echoSchema.shape,
  // Nothing of these can be asked for.
  reasoning: z.object({ effort: z.null(), summary: z.null() }),
  max_tool_calls: z.null(),
  presence_penalty: z.literal(0),
  frequency_penalty: z.literal(0),
  top_logprobs: z.literal(0),
  background: z.literal(false),
  service_tier: z.literal("default"),
});
export type ResponseObject = z.infer<typeof responseSchema>;

/** What stands in a response whatever comes of its turn. */
export interface ResponseHead {
  readonly ref: TurnRef;
  readonly model: string;
  readonly createdAt: string;
  readonly echo: Echo;
  /** Shown to who sent them, with the answer to their own call. */
  readonly instructions: string | null;
}

/** As it is before there is anything of the answer. */
export function begunResponse({ ref, model, createdAt, echo, instructions }: ResponseHead): ResponseObject {
  return {
    id: responseId(ref),
    object: "response",
    created_at: seconds(createdAt),
    completed_at: null,
    status: "in_progress",
    incomplete_details: null,
    error: null,
    model,
    instructions,
    output: [],
    usage: null,
    ...echo,
    reasoning: { effort: null, summary: null },
    max_tool_calls: null,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    background: false,
    service_tier: "default",
  };
}

/**
 * As its turn is now.
 * @param parts what the answer's message was shown to say, where it was streamed
 */
export function responseOf(head: ResponseHead, turn: Turn, parts?: readonly Part[]): ResponseObject {
  const begun = begunResponse(head);
  const ended = { ...begun, usage: usageOf(turn) };
  switch (turn.status) {
    case "queued":
    case "running":
      return begun;
    case "failed": {
      const { code, message } = failureOf(turn.error);
      return { ...ended, status: "failed", error: { code, message } };
    }
    case "cancelled":
      return { ...ended, status: "cancelled" };
    case "completed":
    case "blocked":
    case "waiting": {
      const answer = answerOf({ place: { ...head.ref, isStateless: true }, turn });
      const reason = reasonOf(answer);
      const [ask] = openAsks(turn.asks);
      const at = turn.endedAt ?? ask?.openedAt;
      return {
        ...ended,
        status: reason === undefined ? "completed" : "incomplete",
        incomplete_details: reason === undefined ? null : { reason },
        completed_at: reason === undefined && at !== undefined ? seconds(at) : null,
        output: outputOf(head.ref, answer, parts),
        metadata: { ...begun.metadata, ...(ask === undefined ? {} : { [askMark]: ask.askId }) },
      };
    }
  }
}

export function usageOf({ usage }: Pick<Turn, "usage">): z.infer<typeof usageSchema> {
  const { inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** Names the open question in a response's metadata. */
const askMark = "conclave_ask_id";

/** Why there is no more of it. */
function reasonOf(answer: Answer): "max_output_tokens" | "content_filter" | undefined {
  if (answer.kind === "refused") return "content_filter";
  if (answer.kind === "asks" || answer.cut === undefined) return undefined;
  return answer.cut === "length" ? "max_output_tokens" : answer.cut;
}

/** What an answer puts out: what it says, and the calls that it hands over. */
function outputOf(ref: TurnRef, answer: Answer, shown?: readonly Part[]): OutputItem[] {
  const isIncomplete = reasonOf(answer) !== undefined;
  const calls = answer.kind === "text" ? answer.calls : [];
  const parts = shown ?? [partOf(answer)];
  const isSilent = calls.length > 0 && parts.every((part) => part.type === "output_text" && part.text === "");
  return [
    ...(isSilent
      ? []
      : [
          {
            type: "message" as const,
            id: messageItemId(ref),
            role: "assistant" as const,
            status: isIncomplete ? ("incomplete" as const) : ("completed" as const),
            content: [...parts],
          },
        ]),
    ...calls.map((call, index) => ({
      type: "function_call" as const,
      id: callItemId(ref, index),
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: "completed" as const,
    })),
  ];
}

function partOf(answer: Answer): Part {
  return answer.kind === "refused"
    ? { type: "refusal", refusal: answer.refusal }
    : { type: "output_text", text: answer.text, annotations: [], logprobs: [] };
}

/** Items are named after their response, so that a reference to one finds it. */
export function messageItemId(ref: TurnRef): string {
  return responseId(ref).replace(/^resp/, "msg");
}

function callItemId(ref: TurnRef, index: number): string {
  return `${responseId(ref).replace(/^resp/, "fc")}_${index}`;
}

/** The id of the response that an item is of; nothing where it is none of ours. */
export function responseOfItem(itemId: string): string | undefined {
  const [, id] = /^(?:msg|fc)_(ses_[0-9a-z]{26}_[0-9a-z]{26})(?:_\d{1,3})?$/.exec(itemId) ?? [];
  return id === undefined ? undefined : `resp_${id}`;
}

function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
