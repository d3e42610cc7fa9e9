/** What the agent loop needs of the world around it, and how it reports what happens. */
import type { ReplyTurn, ToolCallRequest, ToolCallResult } from "../conversation/message.js";
import type { WithDeadline } from "../model/deadline.js";
import type { CancelSignal, ModelListener, ModelPort } from "../model/port.js";
import type { Journal } from "./journal.js";
import type { AgentTool, Asking, CallRecord, CallRefusal, ToolEffect, ToolGuard, ToolProgress } from "./tools.js";

export interface AgentPorts {
  readonly model: ModelPort;
  readonly journal: Journal;
  readonly guard: ToolGuard;
  readonly signal: CancelSignal;
  /** Milliseconds since the epoch; only for measuring. */
  readonly now: () => number;
  /** Checks arguments against a tool's JSON Schema; returns what is wrong, in words. */
  readonly validateArguments: (tool: AgentTool, args: unknown) => readonly string[];
  readonly withDeadline: WithDeadline;
  /** The longest that a model call waits in all where its provider has too much to do, in milliseconds; only of durable work. */
  readonly rateLimitWaitMs?: number;
  readonly observer?: AgentObserver;
  /** Takes each call that was made here and is over, on replays too: what is kept so that the work can be tried again without calling anybody. */
  readonly answered?: ((call: ToolCallResult) => void) | undefined;
  /** As whom it asks people. */
  readonly asking?: Asking | undefined;
  /** Which of a team's agents runs. */
  readonly worker?: string;
}

/** A call that isn't over. */
export type PendingCall = Pick<ToolCallRequest, "toolCallId" | "server" | "tool" | "audience">;

export interface ObservedCall {
  readonly toolCallId: string;
  readonly server: string;
  readonly tool: string;
  /** Of a team: the worker that calls, or `supervisor`. */
  readonly agent?: string;
}

/** Receives what happens, once: a replay reports nothing again. Called in the same write as the step that it is about. */
export interface AgentObserver {
  toolCalled?(call: ObservedCall): void;
  toolReturned?(call: ObservedCall & { isError: boolean; elapsedMs: number }): void;
  /** A call did nothing: it was refused before it was made, or by its tool. */
  toolRejected?(call: ObservedCall & { why: CallRefusal }): void;
  /** How far a call is that was begun and isn't over; of no step, and lost where nobody listens. */
  toolProgress?(call: ObservedCall & ToolProgress): void;
  /** A call that may change something is begun: `unknown` until {@link callEnded} says what came of it. */
  effectBegun?(effect: ToolEffect): void;
  /** The agent has to wait for an ask: what it has said and done so far, and which calls of this round are pending. On replays too. */
  waiting?(sofar: { readonly turns: readonly ReplyTurn[]; readonly pending: readonly PendingCall[] }): void;
  /** A call of a round is over, refused ones included; called on replays too. */
  callEnded?(round: number, record: CallRecord): void;
  /** The text of a round while it is written. */
  listen?(round: number): ModelListener;
  /** The text of a round is complete, and whether it is the agent's answer or comes with tool calls; called on replays too. */
  roundText?(round: number, text: string, isAnswer: boolean): void;
}

/** What is observed of the calls of an agent, wherever it works. */
export type CallObserver = Pick<AgentObserver, "toolCalled" | "toolReturned" | "toolRejected" | "toolProgress">;
