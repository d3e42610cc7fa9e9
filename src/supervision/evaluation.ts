/** One supervisor over one subject: whether it is asked, what its verdict makes of the subject, and what counts where it fails. */
import { isControlFlow, type Journal } from "../agent/journal.js";
import type { ToolCallResult } from "../conversation/message.js";
import { DeadlineError, type WithDeadline } from "../model/deadline.js";
import type { CancelSignal } from "../model/port.js";
import { sampledId } from "./condition.js";
import type { ContextChange, Environment } from "./environment.js";
import { notInDoubt } from "./in-doubt.js";
import { sanitizeReason } from "./reasons.js";
import type { SupervisorCall } from "./state.js";
import { applyChange, type Subject, saysTheSame } from "./subject.js";
import {
  countedRequest,
  type JudgeContext,
  LimitReachedError,
  modifiesAt,
  NoDecisionError,
  RefusedCallError,
  type Supervisor,
} from "./supervisor.js";
import { type Action, isStricter, strictest, type Verdict } from "./verdict.js";

export interface PassPorts {
  readonly now: () => number;
  /** A digest: equal for subjects that say the same, and it reveals nothing of what they say. */
  readonly hash: (subject: Subject) => Promise<string>;
  readonly withDeadline: WithDeadline;
  /** The tenant demands that every failure blocks. */
  readonly strict: boolean;
  /** Whether the work was cancelled: then a failure is nobody's fault. */
  readonly cancelled?: (() => boolean) | undefined;
  readonly journal: Journal;
  /** What supervisors may know and change around the text. */
  readonly environment?: Environment | undefined;
  /** Takes what enforcing supervisors looked up by tools of their own, on replays too. */
  readonly lookedUp?: ((calls: readonly ToolCallResult[]) => void) | undefined;
}

/** What all supervisors of a pass share. */
export interface Pass {
  /** Those of its hook. */
  readonly active: readonly Supervisor[];
  /** The rules that reasons have to pass. */
  readonly rules: readonly Supervisor[];
  readonly ports: PassPorts;
}

/** A supervisor that was asked, or skipped, and what came of it. */
export interface Evaluation {
  readonly name: string;
  readonly mode: Supervisor["mode"];
  readonly version?: number | undefined;
  /** The model that it asked. */
  readonly model?: string | undefined;
  readonly before: Subject;
  readonly after: Subject;
  readonly verdict: Verdict;
  /** Its reasons as it gave them, if the verdict's are others. */
  readonly wholeReasons?: readonly string[];
  readonly calls: readonly SupervisorCall[];
  /** Those of its own tools, as they were made. */
  readonly lookedUp?: readonly ToolCallResult[];
  /** Made while it judged; they hold even if it failed afterwards. */
  readonly contextChanges: readonly ContextChange[];
  readonly failed?: string;
  /** Why it wasn't asked. */
  readonly skipped?: string;
  /** The rules supervisor that wasn't sure of the text, where this one is it or was asked because of it. */
  readonly inDoubt?: string | undefined;
  readonly latencyMs: number;
}

/** What comes of asking, without what is known beforehand. */
type Decided = Pick<Evaluation, "after" | "verdict" | "wholeReasons" | "failed" | "inDoubt">;

/** Asks a supervisor, or says why it isn't asked. Never fails but for control flow: its failure policy decides then. */
export async function evaluate(supervisor: Supervisor, subject: Subject, pass: Pass): Promise<Evaluation> {
  const started = pass.ports.now();
  const { name, mode, version, model, condition } = supervisor;
  const evaluator = new Evaluator(supervisor, subject, pass);
  const about = { name, mode, version, before: subject, ...evaluator.record };
  const skipped = await evaluator.skipReason();
  if (skipped !== undefined) {
    return { ...about, after: subject, verdict: { action: "allow", reasons: [] }, skipped, latencyMs: 0 };
  }
  const decided = await evaluator.decide();
  return {
    ...about,
    model: decided.verdict.model ?? model,
    inDoubt: condition?.inDoubt,
    ...decided,
    latencyMs: pass.ports.now() - started,
  };
}

/** Why a supervisor isn't asked; nothing where it is. */
export function whySkipped(supervisor: Supervisor, subject: Subject, pass: Pass): Promise<string | undefined> {
  return new Evaluator(supervisor, subject, pass).skipReason();
}

const never: CancelSignal = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };

class Evaluator {
  readonly record = {
    contextChanges: [] as ContextChange[],
    calls: [] as SupervisorCall[],
    lookedUp: [] as ToolCallResult[],
  };
  /** What refused calls requested. */
  private readonly requested: Action[] = [];
  private readonly context: JudgeContext;

  constructor(
    private readonly supervisor: Supervisor,
    private readonly subject: Subject,
    private readonly pass: Pass,
  ) {
    const { journal, hash, environment = {} } = pass.ports;
    const { context, ...known } = environment;
    this.context = {
      journal: journal.scope(supervisor.name),
      signal: never,
      hash,
      // A shadow judges without effect: it has nothing to change the context with.
      environment: supervisor.mode === "shadow" || context === undefined ? known : environment,
      sanitizeReason: async (words) => (await this.sanitized([words])).join(""),
      contextChanged: (change) => this.record.contextChanges.push(change),
      called: (call, own) => {
        this.record.calls.push(call);
        if (own !== undefined) this.record.lookedUp.push(own);
      },
      refused: (requested) => this.requested.push(requested),
    };
  }

  /** Why the supervisor isn't asked: its setting `when`. */
  async skipReason(): Promise<string | undefined> {
    const { supervisor, subject, pass } = this;
    return (
      supervisor.condition?.unmet(subject, sampledId(subject, pass.ports.environment)) ??
      (await notInDoubt(supervisor, pass.active, (doubter) => doubter.judge(subject, this.context)))
    );
  }

  async decide(): Promise<Decided> {
    const { health, name } = this.supervisor;
    const refusal = health?.refusal();
    try {
      if (refusal !== undefined) throw new Error(refusal);
      const verdict = await this.judge();
      const accepted = await this.accept(verdict);
      health?.succeeded();
      const given = [...verdict.reasons, ...(verdict.explanation ?? [])];
      return {
        ...(verdict.inDoubt === true ? { inDoubt: name } : {}),
        ...accepted,
        ...fullReasons(given, accepted.verdict.reasons),
      };
    } catch (error) {
      if (isControlFlow(error)) throw error;
      // Neither a text nor a cancelled turn can bring it about that a supervisor isn't asked any more.
      const isItsOwn =
        refusal === undefined && !(error instanceof NoDecisionError) && this.pass.ports.cancelled?.() !== true;
      if (isItsOwn) health?.failed();
      return this.afterFailure(error);
    }
  }

  private judge(): Promise<Verdict> {
    const { supervisor, subject, context } = this;
    if (supervisor.pure) return supervisor.judge(subject, context);
    return this.pass.ports.withDeadline(supervisor.timeoutMs, (signal) =>
      supervisor.judge(subject, { ...context, signal }),
    );
  }

  /** What a verdict makes of the subject, with reasons for everybody. */
  private async accept(verdict: Verdict): Promise<{ readonly after: Subject; readonly verdict: Verdict }> {
    const changed = this.changedBy(verdict);
    const isSame = saysTheSame(changed, this.subject);
    const action = verdict.action === "modify" && isSame ? "allow" : verdict.action;
    const reasons = this.clientReasons(action, await this.sanitized(verdict.reasons, isSame ? undefined : changed));
    return { after: isSame ? this.subject : changed, verdict: { ...verdict, action, reasons } };
  }

  /** The subject as a verdict makes it. @throws {RefusedCallError} where that can't be done: what was wanted counts then. */
  private changedBy({ change, ...verdict }: Verdict): Subject {
    if (change === undefined) return this.subject;
    const refused = (detail: string): RefusedCallError =>
      new RefusedCallError(detail, { ...verdict, action: countedRequest(verdict.action) }, verdict.action);
    if (!modifiesAt(this.supervisor, this.subject.hook)) {
      throw refused(`it changed the text, which its setting "permissions" doesn't allow`);
    }
    try {
      return applyChange(this.subject, change);
    } catch (error) {
      throw error instanceof RangeError ? refused(error.message) : error;
    }
  }

  /** The failure policy decides, unless what it requested or had decided is stricter: a failure never makes it milder. */
  private async afterFailure(error: unknown): Promise<Decided> {
    const { name, kind, onFailure } = this.supervisor;
    const { strict } = this.pass.ports;
    const refused = error instanceof RefusedCallError ? error : undefined;
    const decided = refused?.decided;
    const requested = strictest(
      ...(refused?.requested === undefined ? this.requested : [refused.requested]).map(countedRequest),
    );
    const isLimited = error instanceof LimitReachedError;
    const ofFailure = strict || isLimited ? "block" : onFailure;
    const policy = strictest(ofFailure, requested);
    const setting = isStricter(requested, ofFailure)
      ? `What it wanted counts: ${requested}.`
      : isLimited
        ? "What nobody could judge isn't let through."
        : `${strict ? "The tenant's setting strict" : `Its setting onFailure "${policy}"`} decided.`;
    const who = `Supervisor "${name}" (${kind}) failed`;
    const failed = `${who}: ${await this.detailOf(error)}. ${setting}`;
    // What a provider or an endpoint said of its failure is for operators.
    const reasons = policy === "allow" ? [] : this.clientReasons(policy, [`${who}. ${setting}`]);
    const accepted = decided === undefined ? undefined : await this.accept(decided);
    return {
      after: accepted?.after ?? this.subject,
      verdict: {
        ...accepted?.verdict,
        action: strictest(policy, accepted?.verdict.action ?? "allow"),
        reasons: [...new Set([...(accepted?.verdict.reasons ?? []), ...reasons])],
      },
      ...(policy === "allow" && decided === undefined
        ? {}
        : fullReasons([...(decided?.reasons ?? []), failed], reasons)),
      failed,
    };
  }

  private async detailOf(error: unknown): Promise<string> {
    if (!(error instanceof Error)) return "unknown error";
    if (error instanceof DeadlineError) return `${error.message} (setting timeoutMs)`;
    if (!(error instanceof NoDecisionError)) return error.message;
    // What it answered, and not as it has to, may stand in the message.
    const about = { before: this.subject };
    return (await sanitizeReason([error.message], about, this.pass.rules, this.context)).join("");
  }

  /** What everybody reads: the supervisor's own message for them, if it has one. */
  private clientReasons(action: Action, reasons: readonly string[]): readonly string[] {
    const { clientMessage } = this.supervisor;
    return clientMessage === undefined || action === "allow" ? reasons : [clientMessage];
  }

  /** Reasons as everybody may read them: a tenant's own words, those of rules among them, need no look. */
  private async sanitized(words: readonly string[], after?: Subject): Promise<readonly string[]> {
    const { pure, reasons } = this.supervisor;
    const areTheTenants = words.every((one) => pure || reasons?.has(one) === true);
    return areTheTenants
      ? words
      : sanitizeReason(words, { before: this.subject, after }, this.pass.rules, this.context);
  }
}

/** The reasons as they were given, where others are shown. */
function fullReasons(given: readonly string[], shown: readonly string[]): Pick<Evaluation, "wholeReasons"> {
  const isSame = given.length === shown.length && given.every((reason, at) => reason === shown[at]);
  return isSame ? {} : { wholeReasons: given };
}
