/**
 * The model port: how every model in the system is called. Platform-free; the providers live in `providers/`.
 */

import { z } from "zod";
import { defined } from "../conversation/defined.js";

/** The part of an `AbortSignal` that we rely on, so that the domain names no platform type. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A JSON Schema (draft 2020-12 subset that the common providers accept). */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface ModelToolCall {
  /** The provider's id of the call; unique within one reply only. */
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it; it may be broken. */
  readonly arguments: string;
}

export type ModelMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] }
  | { readonly role: "tool"; readonly toolCallId: string; readonly content: string };

export interface ToolSpec {
  /** `[A-Za-z0-9_-]{1,64}`, as the providers demand. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** As the caller of the tool's owner said it: arguments that follow the schema by force. */
  readonly strict?: boolean | undefined;
}

/** `required`: some tool must be called; `{tool}`: this one. */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** As OpenAI calls them. */
export const reasoningEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const verbosities = ["low", "medium", "high"] as const;

/** How the next token is chosen, and where a text ends; providers that don't know one of these leave it out. */
export interface Sampling {
  readonly topP?: number | undefined;
  /** The text ends before any of these. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly reasoningEffort?: (typeof reasoningEfforts)[number] | undefined;
  readonly verbosity?: (typeof verbosities)[number] | undefined;
  /** By token, from -100 to 100. */
  readonly logitBias?: Record<string, number> | undefined;
}

/** `json_object`: any object, whatever the schema says. */
export interface OutputFormat {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly type?: "json_object" | undefined;
  readonly description?: string | undefined;
  /** As the caller said it; without it the provider decides. */
  readonly strict?: boolean | undefined;
}

export interface ModelRequest {
  /** `offline`, `openai/<model>`, `workers-ai/<model>` or `<provider name>/<model>`; tried in order (fail-over). */
  readonly models: readonly string[];
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ToolSpec[];
  readonly toolChoice?: ToolChoice;
  /** Structured output: the reply's text has to be JSON that follows the schema. */
  readonly output?: OutputFormat;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly sampling?: Sampling;
  /** For one attempt at one model, from request to the last byte. */
  readonly timeoutMs: number;
  /** The model has said its piece before: nothing more is an answer too. Otherwise an empty reply is a failure. */
  readonly mayBeEmpty?: boolean;
}

const tokenPart = z.number().optional();

/** What a call, or several, have taken. A part that is 0 is left out. */
export const tokenUsageSchema = z.object({
  /** Everything that was sent, cached or not. */
  inputTokens: z.number(),
  /** Everything that was written, what it was thought over with included. */
  outputTokens: z.number(),
  /** Of the input: read from the provider's cache. */
  cachedInputTokens: tokenPart,
  /** Of the input: written to the provider's cache, where that has a price of its own. */
  cacheWriteTokens: tokenPart,
  /** Of the output: thought, and not shown. */
  reasoningTokens: tokenPart,
});
export type TokenUsage = Readonly<z.infer<typeof tokenUsageSchema>>;
export const tokenCounts = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof TokenUsage)[];

export const noTokens: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** The tokens of both together; nothing else of them. */
export function addTokens(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...defined({
      cachedInputTokens: sum(one.cachedInputTokens, other.cachedInputTokens),
      cacheWriteTokens: sum(one.cacheWriteTokens, other.cacheWriteTokens),
      reasoningTokens: sum(one.reasoningTokens, other.reasoningTokens),
    }),
  };
}

function sum(one = 0, other = 0): number | undefined {
  return one + other || undefined;
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

export interface ModelResult {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly usage: TokenUsage;
  readonly finishReason: FinishReason;
  /** The one of `ModelRequest.models` that answered. */
  readonly model: string;
  /** What the provider has to say of itself, e.g. `{offline: true}`. */
  readonly metadata?: { readonly [name: string]: string | number | boolean };
}

/** Hears of a reply while it is written. A call that is redone begins again: `retract` voids all deltas so far. */
export interface ModelListener {
  delta(text: string): void;
  retract(): void;
  /** Whether what follows would be thrown away: the reply is read no further then, and its connection is closed. */
  isEnough?(): boolean;
  /** Whether anybody follows the reply now, as if so where it isn't said: it comes in larger pieces otherwise. */
  isFollowed?(): boolean;
}

export interface ModelCallOptions {
  readonly signal?: CancelSignal;
  /** When given, the reply is streamed. */
  readonly listener?: ModelListener;
  /** The longest wait that a provider may ask for within the call, in milliseconds; a longer one is a failure that says it. */
  readonly maxRetryAfterMs?: number;
}

export interface ModelPort {
  /**
   * Calls a model and returns its whole reply. Retries and fails over as the provider's policy says.
   * @throws {ModelError} when no model of the list gave a usable reply.
   */
  call(request: ModelRequest, options?: ModelCallOptions): Promise<ModelResult>;
}

/** The most that a reply may hold, text and tool calls together, in bytes of JSON: it has to fit into one row of a journal. */
export const maxReplyBytes = 1_000_000;
/** The most tool calls that one reply may ask for. */
export const maxReplyCalls = 128;
/** The most that is read for one reply, in bytes: a stream says everything many times over. */
export const maxStreamBytes = 32_000_000;

/**
 * Why a call failed. `bad_response`: an answer that isn't what the protocol says (an HTML page, broken JSON, no choice);
 * `cut_stream`: a stream that ended before its end mark.
 */
export type ModelErrorKind =
  | "unknown_model"
  | "unauthorized"
  | "bad_request"
  | "rate_limited"
  | "unavailable"
  | "timeout"
  | "cancelled"
  | "bad_response"
  | "cut_stream";

export class ModelError extends Error {
  override readonly name = "ModelError";
  constructor(
    readonly kind: ModelErrorKind,
    /** Safe to show to a tenant: never holds a credential or a provider's raw body. */
    message: string,
    readonly details: {
      readonly model?: string;
      readonly status?: number;
      readonly retryAfterMs?: number;
      /** What was sent is longer than the model takes. */
      readonly isTooLong?: boolean;
      /** The same model would only do it again: it isn't asked once more, the next of the list is. */
      readonly isFinal?: boolean;
      /** The request was refused because of its tools; of several models, by one at least. */
      readonly toolsRefused?: boolean;
    } = {},
    /** What it came from. It may hold what the message must not, and is never shown. */
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
