/** A supervisor as the pass sees it, and its settings as a tenant stores them. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import { type ReviewPolicy, reviewPolicySchema } from "../asks/policy.js";
import type { ToolCallResult } from "../conversation/message.js";
import type { CancelSignal } from "../model/port.js";
import { type Condition, conditionSchema } from "./condition.js";
import type { ContextChange, Environment } from "./environment.js";
import type { SupervisorCall } from "./state.js";
import type { Subject } from "./subject.js";
import { type Action, type Hook, hooks, type Verdict } from "./verdict.js";

export const failurePolicies = ["allow", "block", "review"] as const;
/** What a supervisor's failure (time-out, exception, no decision, malformed output) counts as. */
export type FailurePolicy = (typeof failurePolicies)[number];

export const permissions = ["read_only", "modify_context", "modify_messages", "full_control"] as const;
export type Permission = (typeof permissions)[number];
/** One, or several together. */
export type Permissions = Permission | readonly Permission[];

/** What every kind of supervisor has in common; the kinds add their `config`. */
export const supervisorSettingsSchema = z.strictObject({
  /** For those who see that there is such a supervisor, and not what it looks for. */
  description: z.string().max(1_000).optional(),
  hooks: z.array(z.enum(hooks)).min(1).max(hooks.length),
  /** Those that may modify are asked in this order, then by name. */
  order: z.int().min(-1000).max(1000).default(0),
  onFailure: z.enum(failurePolicies).optional(),
  /** For one judgement, in milliseconds. */
  timeoutMs: z.int().min(1).max(600_000).optional(),
  /** `shadow` judges without effect. */
  mode: z.enum(["enforce", "shadow"]).default("enforce"),
  permissions: z.union([z.enum(permissions), z.array(z.enum(permissions)).min(1)]).optional(),
  /** Who reviews what it holds, for how long that is waited for, and what counts then; what it leaves out, the tenant says. */
  review: reviewPolicySchema.optional(),
  /** What everybody but operators reads in place of its reasons. */
  clientMessage: z.string().min(1).max(1_000).optional(),
  /** When it is asked; left out: always. */
  when: conditionSchema.optional(),
});

/** What a supervisor is given for one judgement; void once the pass is over. */
export interface JudgeContext {
  readonly journal: Journal;
  readonly signal: CancelSignal;
  /** The digest by which texts are compared: what edits name as their base. */
  readonly hash: (subject: Subject) => Promise<string>;
  readonly environment: Environment;
  /** Words of its own, as they may be read by everybody. */
  readonly sanitizeReason: (words: string) => Promise<string>;
  /** Records a change of the context. */
  readonly contextChanged: (change: ContextChange) => void;
  /** Records a tool that it called or was refused; one of its own with what it was called with, and what came of it. */
  readonly called: (call: SupervisorCall, own?: ToolCallResult) => void;
  /** Records what a refused call would have decided: it counts, if nothing is decided after it. */
  readonly refused: (requested: Action) => void;
}

/**
 * It answered, and not as it has to. A failure like any other, but one that the text may have brought about: it says nothing of how
 * it will do with other texts, so it doesn't count towards not asking it any more.
 */
export class NoDecisionError extends Error {
  override readonly name: string = "NoDecisionError";
}

/** Its model wasn't asked: a limit of what may be used is reached. Who uses up a limit switches no supervisor off by it: it blocks. */
export class LimitReachedError extends NoDecisionError {
  override readonly name = "LimitReachedError";
}

/** It wanted more than it decided: a stricter or an editing call of its was refused, and it didn't make up for it. */
export class RefusedCallError extends NoDecisionError {
  override readonly name = "RefusedCallError";
  constructor(
    message: string,
    /** What holds of its decision, unless its request or its failure policy is stricter. */
    readonly decided: Verdict | undefined,
    /** What it requested, where that is known: it counts, whatever the failure policy says. */
    readonly requested?: Action | undefined,
  ) {
    super(message);
  }
}

/** What counts of a request that can't be done: a stop is a stop; where another text was wanted, no person but a reviewer can give it. */
export function countedRequest(requested: Action): Action {
  return requested === "modify" ? "review" : requested;
}

/** A supervisor that keeps failing isn't asked for a while: its failure policy decides at once. */
export interface Health {
  /** Why it isn't asked now; `undefined` when it may be. */
  refusal(): string | undefined;
  succeeded(): void;
  failed(): void;
}

/** What a supervisor that follows a text while it is written says of the next piece. */
export interface StreamStep {
  /** Text that may be seen, as changed; once the verdict is review or block nothing more comes. */
  readonly release: string;
  readonly action: Verdict["action"];
}

/** The end needs no call: what is still held then comes out of the pass over the whole. */
export interface SupervisorStream {
  push(delta: string): StreamStep;
}

export interface Supervisor {
  readonly name: string;
  readonly kind: string;
  /** Of its stored definition; what we set up ourselves has none. */
  readonly version?: number;
  /** The model that it asks, where it asks one. */
  readonly model?: string;
  readonly hooks: ReadonlySet<Hook>;
  readonly order: number;
  readonly onFailure: FailurePolicy;
  readonly timeoutMs: number;
  readonly mode: "enforce" | "shadow";
  /** Asked one after the other, each on what the ones before it made; the others judge the final text all at once. */
  readonly mayModify: boolean;
  /** Where it has nothing to modify with, though its permissions would allow it. */
  readonly onlyJudgesAt?: ReadonlySet<Hook>;
  /** Decides from the text alone, at once and always alike: it is asked again, for free, whenever the text has changed. */
  readonly pure: boolean;
  /** Is shown the whole conversation beside every text that it judges. */
  readonly readsConversation?: true;
  readonly health?: Health | undefined;
  /** Reasons that its tenant wrote: they are read as they are. */
  readonly reasons?: ReadonlySet<string>;
  readonly review?: ReviewPolicy | undefined;
  /** When it is asked; always, if there is none. */
  readonly condition?: Condition | undefined;
  /** What everybody but operators reads in place of its reasons. */
  readonly clientMessage?: string | undefined;
  judge(subject: Subject, context: JudgeContext): Promise<Verdict>;
  /**
   * How it follows a streamed reply. A supervisor without it has to see the whole, which holds the whole.
   *
   * @param mayModify false for a second look, which only tells whether it would: it may close the stream then instead of changing it
   */
  openStream?(mayModify?: boolean): SupervisorStream;
  /** Passes a text on as it is, and closes where this supervisor is in doubt about it. */
  openDoubtStream?(): SupervisorStream;
}

/** The order in which supervisors are asked: by their setting, then by name. */
export function inOrder(a: Supervisor, b: Supervisor): number {
  return a.order - b.order || (a.name < b.name ? -1 : 1);
}

/** Whether it may change the texts of a hook: then it is asked in order, before those that only judge. */
export function modifiesAt({ mayModify, onlyJudgesAt }: Supervisor, hook: Hook): boolean {
  return mayModify && onlyJudgesAt?.has(hook) !== true;
}

const held =
  (...anyOf: readonly Permission[]) =>
  (permissions: Permissions): boolean =>
    [permissions].flat().some((one) => anyOf.includes(one));

export const mayModifyContext = held("modify_context", "full_control");
export const mayModifyMessages = held("modify_messages", "full_control");
/** What a tenant has stored touches all its sessions. */
export const mayModifyStored = held("full_control");
