/** What the journal keeps of one model call: its reply, or why it failed. */
import { z } from "zod";
import type { ModelErrorKind } from "../model/port.js";

export const modelStepSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    text: z.string(),
    toolCalls: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        arguments: z.string(),
        /** The tool that this name stood for when it was offered: names change when another of the same name comes in. */
        ref: z.object({ server: z.string(), tool: z.string() }).optional(),
      }),
    ),
    usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
    /** The one that answered; calls of the version before don't say. */
    model: z.string().optional(),
    finishReason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    elapsedMs: z.number(),
  }),
  z.object({
    ok: z.literal(false),
    error: z.string(),
    elapsedMs: z.number(),
    /** The time budget ran out during the model call. */
    overTime: z.boolean().optional(),
    isPermanent: z.boolean().optional(),
    toolsRefused: z.boolean().optional(),
  }),
]);
export type ModelStep = z.infer<typeof modelStepSchema>;

/** Failures that stay until somebody changes a setting. */
export const permanentKinds: ReadonlySet<ModelErrorKind> = new Set(["unauthorized", "unknown_model"]);
