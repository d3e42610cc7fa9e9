/**
 * What a caller may send with a message beyond the message itself, as the chat API of OpenAI and its like have it: the conversation
 * before it, where the caller keeps that; instructions; tools that are the caller's to call; how the model is to answer.
 * Nothing of it was supervised before.
 */
import { z } from "zod";
import type { AgentTool } from "../agent/tools.js";
import { reasoningEfforts, verbosities } from "../model/port.js";

/** The server under which tools of the caller stand in records, prompts and replies. */
export const callerServer = "caller";

const text = z.string().max(1_000_000);
const callSchema = z.object({
  ref: z.object({ server: z.string(), tool: z.string() }),
  /** JSON. */
  args: text,
  result: text,
});

/** A message of the conversation before, as the caller tells it. */
export const callerMessageSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: text,
  /** Of a reply with tool calls: its rounds, in order. */
  rounds: z.array(z.object({ message: text, calls: z.array(callSchema) })).optional(),
});
export type CallerMessage = z.infer<typeof callerMessageSchema>;

/** What came of a call that the reply before handed to the caller. */
export const callerResultSchema = z.object({
  toolCallId: z.string().max(200),
  tool: z.string().max(100),
  /** JSON, as the model wrote it. */
  args: text,
  output: text,
});
export type CallerResult = z.infer<typeof callerResultSchema>;

export const callerToolSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "a tool's name is 1 to 64 letters, digits, hyphens or underscores"),
  description: z.string().max(10_000).default(""),
  parameters: z.record(z.string(), z.unknown()).default({ type: "object", properties: {} }),
  strict: z.boolean().optional(),
});
export type CallerTool = z.infer<typeof callerToolSchema>;

/** By token: numbers alone, so that no text comes in by it. */
export const logitBiasSchema = z.record(
  z.string().regex(/^\d{1,7}$/, "a token is its number"),
  z.number().min(-100).max(100),
);

/** A turn of any session of the tenant. */
export const turnRefSchema = z.object({ sessionId: z.string(), turnId: z.string() });
export type TurnRef = z.infer<typeof turnRefSchema>;

export const turnRequestSchema = z.object({
  instructions: text.optional(),
  /** The conversation before it that the records of other sessions hold. It is kept until the turn has ended: those keep it then. */
  carried: z.array(callerMessageSchema).max(2_000).optional(),
  /** The turns that `carried` was made of, the oldest first. */
  follows: z.array(turnRefSchema).max(200).optional(),
  history: z.array(callerMessageSchema).max(2_000).default([]),
  results: z.array(callerResultSchema).max(100).default([]),
  tools: z.array(callerToolSchema).max(128).default([]),
  toolChoice: z.union([z.enum(["auto", "none", "required"]), z.object({ tool: z.string() })]).optional(),
  /** Whether several of the caller's tools may be called in one reply. */
  parallelCalls: z.boolean().default(true),
  output: z
    .object({
      name: z.string().max(100),
      schema: z.record(z.string(), z.unknown()),
      type: z.literal("json_object").optional(),
      description: z.string().max(10_000).optional(),
      strict: z.boolean().optional(),
    })
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().min(1).max(200_000).optional(),
  sampling: z
    .object({
      topP: z.number().min(0).max(1).optional(),
      stop: z.array(z.string().min(1).max(1_000)).max(4).optional(),
      seed: z.int().optional(),
      reasoningEffort: z.enum(reasoningEfforts).optional(),
      verbosity: z.enum(verbosities).optional(),
      logitBias: logitBiasSchema.optional(),
    })
    .optional(),
  /** The session was made for this turn alone, and stays for it, or goes after it. */
  ownSession: z.enum(["stays", "goes"]).optional(),
  /** What the caller is shown again of its request. No model reads it. */
  note: z.record(z.string(), z.unknown()).optional(),
});
export type TurnRequest = z.infer<typeof turnRequestSchema>;

/** The whole conversation before the message. */
export function conversationOf({ carried = [], history }: Pick<TurnRequest, "carried" | "history">): CallerMessage[] {
  return [...carried, ...history];
}

/** A tool of the caller as an agent holds it: supervised like any other, and never run here. */
export function callerTool({ name, description, parameters, strict }: CallerTool): AgentTool {
  return {
    ref: { server: callerServer, tool: name },
    name,
    description,
    parameters,
    strict,
    timeoutMs: 1,
    execution: "caller",
    run: () => Promise.reject(new Error(`the tool "${name}" is the caller's to call`)),
  };
}

/** What a message says that brings nothing but what came of calls: as it is supervised, and read in later turns. */
export function resultsText(results: readonly CallerResult[]): string {
  return results.map(({ tool, output }) => `The tool "${tool}" returned: ${output}`).join("\n\n");
}
