/** What an agent is run with, and what comes of it. */
import type { ReplyTurn, ToolCallRequest } from "../conversation/message.js";
import type { ModelMessage, ModelRequest, ModelResult, ToolChoice } from "../model/port.js";
import type { AgentLimits, Spent } from "./budget.js";
import type { RequestedTool } from "./tool-call.js";
import type { AgentTool, ToolEffect } from "./tools.js";

export interface AgentSpec {
  readonly models: readonly string[];
  /**
   * The whole prompt: instructions, data, history, the message. Asked for anew before each round, like the tools, so that what a
   * supervisor includes or excludes holds from the very next call on.
   */
  readonly prompt: () => readonly ModelMessage[];
  readonly tools: () => readonly AgentTool[];
  /**
   * Finds a tool that isn't offered any more, so that a call of it is found again on a replay. The guard decides
   * whether it may be called now.
   */
  readonly removedTool?: (requested: RequestedTool) => AgentTool | undefined;
  /** Names of the tools that alone are offered, and demanded, in the last round. None: the last round has to answer in text. */
  readonly endingTools?: readonly string[];
  /** `required` makes every round call a tool. */
  readonly toolChoice?: "auto" | "required";
  /** In the place of `toolChoice` in the first round. */
  readonly firstToolChoice?: ToolChoice | undefined;
  readonly output?: ModelRequest["output"] | undefined;
  readonly temperature?: number;
  readonly sampling?: ModelRequest["sampling"] | undefined;
  readonly limits: AgentLimits;
  /**
   * Asked when a model call failed for good, with why: `true` has it made once more, with the exchange as it is, so that no tool is
   * called again. Without it the agent fails.
   */
  readonly retry?: (error: string) => Promise<boolean>;
  /** Ids of turns and tool calls begin with it. */
  readonly replyId: string;
}

/** Why an agent gave no answer. */
export type FailureCode =
  | "model_failed"
  | "budget_exceeded"
  | "rate_limited"
  | "context_length_exceeded"
  | "limit_reached"
  | "unpriced_model";

export type AgentOutcome = AgentReport &
  (
    | {
        readonly kind: "answered";
        readonly text: string;
        /** Tools that the last round asked for, in which none of them could be called any more. */
        readonly uncalled?: readonly string[];
        /** Calls that are the caller's to make: the agent goes on once it is given what came of them. */
        readonly pending?: readonly ToolCallRequest[];
      }
    | {
        readonly kind: "ended";
        readonly by: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
      }
    | ({
        readonly kind: "failed";
        readonly code: FailureCode;
        readonly detail: string;
        /** When its provider may be asked again. */
        readonly retryAfterMs?: number;
        /** What an end user may be told. */
        readonly userMessage?: string;
      } & ModelRefusal)
  );

/** What a model's failure says of the next attempt. */
export interface ModelRefusal {
  /** The same call would be refused again: a key, a name or the request itself is wrong. */
  readonly isPermanent?: boolean;
  /** It was refused because of its tools. */
  readonly toolsRefused?: boolean;
}

export interface AgentReport extends Spent {
  readonly turns: readonly ReplyTurn[];
  readonly metadata?: ModelResult["metadata"];
  /** The one that answered last. */
  readonly model?: string;
  /** The rounds whose results the model has read, as messages: what a later call of the same agent can go on from. */
  readonly exchange: readonly ModelMessage[];
  /** What its calls may have changed, in their order, whatever became of the agent. */
  readonly effects: readonly ToolEffect[];
}
