/** Tools as agents hold them, the calls of tools, and the guard that every call passes. */

import type { AskSource } from "../asks/origin.js";
import type { ApprovalPolicy, Audience, QuestionPolicy } from "../asks/policy.js";
import type { CancelSignal, JsonSchema } from "../model/port.js";
import type { Journal } from "./journal.js";

/** A tool by its origin. `server` groups tools: a stored tool's server, a remote MCP server, or `conclave` for built-ins. */
export interface ToolRef {
  readonly server: string;
  readonly tool: string;
}

/** The server name of the system's own tools. */
export const builtInServer = "conclave";

/** Why a call did nothing, as records say it: the words for the model stand in its result. */
export const callRefusals = [
  "unknown_tool",
  "arguments",
  /** In one round. */
  "too_many",
  /** It was made before, with the same arguments. */
  "repeated",
  /** A decision that came with other calls, whose results come first. */
  "with_others",
  "supervision",
  "excluded",
  "declined",
  "limit",
  "circle",
  "unknown_worker",
] as const;
export type CallRefusal = (typeof callRefusals)[number];

export interface ToolOutput {
  readonly content: string;
  readonly isError?: boolean | undefined;
  /** The agent's work is done with this call (a verdict, a routing decision). */
  readonly endsRun?: boolean | undefined;
  /** Of a call that failed: nothing was done by it, or nobody knows whether something was. */
  readonly effect?: "none" | "unknown" | undefined;
  /** The tool refused the call, and did nothing. */
  readonly refused?: CallRefusal | undefined;
}

/** What a call did that isn't to be done again: `unknown` when it was begun and its outcome never came. */
export interface ToolEffect extends ToolRef {
  readonly toolCallId: string;
  /** As the model gave them, and as supervision let them pass. */
  readonly requested: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
  readonly outcome: "done" | "unknown";
  /** What the model read of it: supervised. */
  readonly content: string;
}

/** How far a call is, in units of the tool's own. What a tool says about it in words is nobody's to read: no supervisor has seen it. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
}

/** As whom questions are asked, and what the one who stored the agent or team says of them. */
export interface Asking {
  readonly source: AskSource;
  /** Whom they are for, how long an answer is waited for, and what is assumed then: before what the model says of it. */
  readonly policy: QuestionPolicy;
}

export interface ToolContext {
  /** Stable over replays and redos: what an idempotent tool sends as its key. */
  readonly callId: string;
  /** Scope of this very call, for tools that are durable themselves. */
  readonly journal: Journal;
  readonly signal: CancelSignal;
  /** As whom the agent asks people. */
  readonly asking?: Asking | undefined;
  /** The agent of a team that calls: a worker's id, or `supervisor`. */
  readonly worker?: string | undefined;
  /** Takes how far the call is, for those who watch: nothing is stored of it. */
  readonly progress?: ((report: ToolProgress) => void) | undefined;
}

/** A tool an agent holds. */
export interface AgentTool {
  readonly ref: ToolRef;
  /** The name that the model sees: unique among an agent's tools, `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly strict?: boolean | undefined;
  readonly timeoutMs: number;
  /**
   * How a call that was begun and never ended is treated: `once` is never repeated, the model is told that the outcome is
   * unknown; `idempotent` is repeated with the same key; `durable` journals its own steps (asks, nested agents) and is just
   * entered again; `caller` isn't run here: the call is handed to the caller of the reply, who sends what came of it.
   */
  readonly execution: "once" | "idempotent" | "durable" | "caller";
  /** It changes nothing: calling it again does no harm. Durable tools count as such: they journal what they do. */
  readonly readOnly?: boolean;
  /** `always` and `session` put the call before a person first. */
  readonly approval?: "never" | "always" | "session";
  /** Who approves its calls; what it leaves out, the tenant says. */
  readonly approvalPolicy?: ApprovalPolicy | undefined;
  /** Its arguments go to a person and its result is that person's answer: supervised like a reply and like a message. */
  readonly asksPeople?: boolean;
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolOutput>;
}

/** One call an agent wants to make. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly tool: AgentTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A call that is over: it ran, or was refused. */
export interface CallRecord {
  readonly toolCallId: string;
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  /** Of a question to a person: whom it is for. */
  readonly audience?: Audience;
  /** As supervision let them pass; none of a call that it, or a person, refused. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What the model reads: the supervised output, or what went wrong and what would be right. */
  readonly content: string;
  readonly isError: boolean;
  readonly endsRun: boolean;
  /** It wasn't made here: the caller makes it. */
  readonly handedOver?: boolean;
  readonly elapsedMs: number;
  /** What it may have changed; nothing of a call that wasn't made, or of a tool that only reads. */
  readonly effect?: ToolEffect;
}

export type GuardDecision<T> =
  /** `told` is what whoever let it pass says to the model beside it: it is read behind the result. */
  | { readonly kind: "go"; readonly value: T; readonly told?: string }
  /** The call doesn't run, or its result is withheld; the model reads why. */
  | { readonly kind: "refuse"; readonly reason: string; readonly why?: CallRefusal };

/** The place where every call and every result is supervised. May park. */
export interface ToolGuard {
  beforeCall(call: ToolCall, journal: Journal): Promise<GuardDecision<Readonly<Record<string, unknown>>>>;
  afterCall(call: ToolCall, output: ToolOutput, journal: Journal): Promise<GuardDecision<ToolOutput>>;
}

/** Lets everything through: for agents whose tools are the system's own. */
export const openGuard: ToolGuard = {
  beforeCall: async (call) => ({ kind: "go", value: call.args }),
  afterCall: async (_call, output) => ({ kind: "go", value: output }),
};
