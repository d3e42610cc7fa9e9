/**
 * The chunks of a UI message stream (protocol v1 of the AI SDK, as `ai` 6 reads it), as far as a chat sends them. A reader of the SDK
 * makes one message with parts of them; see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol.
 */
import { z } from "zod";
import { acceptedAnswers } from "../../asks/answer.js";
import { askKinds, askSchema } from "../../asks/ask.js";
import { turnStatuses } from "../../chat/session.js";
import { lazily } from "../../text/lazily.js";

const partId = z.string().describe("Which part of the message.");
const toolCall = z.object({ toolCallId: z.string() });
/** Tools run here, not in the page; and the page needn't know them beforehand. */
const ranHere = { dynamic: z.literal(true), providerExecuted: z.literal(true) };

const conclaveId = z.object({ conclave: z.object({ id: z.string() }) });

export const uiAskSchema = z.object({
  askId: z.string(),
  kind: z.enum(askKinds),
  question: z.string(),
  context: z.string().optional(),
  suggestions: z.array(z.string()).optional(),
  accepts: z.enum(acceptedAnswers).optional(),
  status: askSchema.shape.status,
  deadline: z.iso.datetime().optional(),
});

const dataAsk = z
  .object({ type: z.literal("data-ask"), id: z.string(), data: uiAskSchema })
  .describe("A question to the user. Another one with the same id takes its place: the ask was closed.");
const dataWaiting = z
  .object({
    type: z.literal("data-waiting"),
    data: z.object({ for: z.enum(["staff", "earlier_message"]), message: z.string() }),
  })
  .describe(
    "Something comes first: staff has to look at it, or a message before this one is dealt with. `message` says so to the user.",
  );
const dataBlocked = z.object({ type: z.literal("data-blocked"), data: z.object({ message: z.string() }) });

export const uiChunkSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("start"),
    messageId: z.string(),
    messageMetadata: z.object({ sessionId: z.string(), turnId: z.string() }),
  }),
  z.object({ type: z.literal("start-step") }),
  z.object({
    type: z.literal("text-start"),
    id: partId,
    providerMetadata: conclaveId,
  }),
  z.object({ type: z.literal("text-delta"), id: partId, delta: z.string() }),
  z.object({ type: z.literal("text-end"), id: partId }),
  z
    .object({ type: z.literal("data-retracted"), data: z.object({ id: z.string() }) })
    .describe("The text part with this id (it stands in its `providerMetadata.conclave.id`) is void."),
  toolCall.extend({ type: z.literal("tool-input-start"), toolName: z.string(), ...ranHere }),
  toolCall.extend({ type: z.literal("tool-input-available"), toolName: z.string(), input: z.unknown(), ...ranHere }),
  toolCall.extend({ type: z.literal("tool-output-available"), output: z.unknown(), ...ranHere }),
  toolCall.extend({ type: z.literal("tool-output-error"), errorText: z.string(), ...ranHere }),
  dataAsk,
  dataWaiting,
  dataBlocked,
  z.object({ type: z.literal("error"), errorText: z.string() }),
  z.object({ type: z.literal("abort"), reason: z.string() }),
  z.object({ type: z.literal("finish-step") }),
  z.object({
    type: z.literal("finish"),
    finishReason: z.enum(["stop", "content-filter", "error", "other"]),
    messageMetadata: z.object({ status: z.enum(turnStatuses), supervision: z.enum(["ok", "degraded"]) }).optional(),
  }),
]);
export type UiChunk = z.infer<typeof uiChunkSchema>;

/** A message as the SDK's reader makes it of the chunks of one that has ended, without what was void. */
export const uiMessageSchema = lazily(() =>
  z.object({
    id: z.string(),
    role: z.enum(["user", "assistant", "system"]),
    metadata: z.object({
      sessionId: z.string(),
      turnId: z.string(),
      status: z.enum(turnStatuses).optional(),
      supervision: z.enum(["ok", "degraded"]).optional(),
      error: z.string().optional().describe("Of a failure: what the stream says as `error`."),
    }),
    parts: z.array(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("step-start") }),
        z.object({
          type: z.literal("text"),
          text: z.string(),
          state: z.literal("done").optional(),
          providerMetadata: conclaveId.optional(),
        }),
        z.object({
          type: z.literal("dynamic-tool"),
          toolCallId: z.string(),
          toolName: z.string(),
          state: z.enum(["input-streaming", "output-available", "output-error"]),
          input: z.unknown(),
          output: z.unknown(),
          errorText: z.string().optional(),
          providerExecuted: z.literal(true),
        }),
        dataAsk,
        dataWaiting,
        dataBlocked,
      ]),
    ),
  }),
);
export type UiChatMessage = z.infer<ReturnType<typeof uiMessageSchema>>;
