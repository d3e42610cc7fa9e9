/** What agents and supervisors that work in a root need of it and of the platform: the same whatever the root is. */
import type { CallOrigin } from "../../src/agent/call-context.js";
import { validateArguments } from "../../src/application/argument-check.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import type { CancelSignal } from "../../src/model/port.js";
import { withCancelSignal } from "../../src/platform/clock.js";
import { newDebateId } from "../../src/platform/ids.js";
import type { TeamPorts } from "../../src/routing/ports.js";
import { CallsSoFar } from "../../src/supervision/environment.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import type { SupervisePorts } from "../../src/supervision/supervise.js";
import type { Settings } from "../../src/tenancy/tenant.js";
import type { Kit } from "./kit.js";
import { factsOf } from "./shadows.js";
import { type WorkObserver, type WorkRef, workObserver } from "./work-observer.js";

/** Who works, and for whom. */
export interface AgentWork {
  readonly tenantId: string;
  /** What its outgoing calls say of it. */
  readonly origin: CallOrigin;
  /** The root. */
  readonly ownerId: string;
  readonly ref: WorkRef;
  /** The salted digest by which the record of its supervision tells texts apart. */
  readonly hash: SupervisePorts["hash"];
  readonly signal: CancelSignal;
  /** As they were when the work began. */
  readonly settings: Pick<Settings, "strict" | "ordersInData" | "reviews" | "approvals" | "questions">;
  /** What supervisors may know and change around the text. */
  readonly environment: SupervisePorts["environment"];
  /** Stores a pass, in the same write as its result. */
  readonly keepPass: (...pass: Parameters<SupervisePorts["decided"]>) => void;
  /** Stores what became of a pass that was held for a review, in its place. */
  readonly reviewPass: NonNullable<SupervisePorts["reviewed"]>;
  /** Whether the object sends the rows of the audit itself, of what {@link keepPass} stored: with the end of the work, not with each pass. */
  readonly auditsLater?: boolean;
  /** The message that its response becomes, if it becomes one. */
  readonly replyId?: string | undefined;
  /** Takes what its agents and supervisors called, where that is kept. */
  readonly answered?: Ports["answered"];
  /** Where somebody waits for the answer who comes back by themselves: no longer than this. */
  readonly rateLimitWaitMs?: number | undefined;
}

/** How long a model call of a turn, a run or a round waits in all, where its provider has too much to do. */
const rateLimitWaitMs = 15 * 60_000;

type Ports = Pick<
  TeamPorts,
  | "signal"
  | "now"
  | "withDeadline"
  | "rateLimitWaitMs"
  | "validateArguments"
  | "approvals"
  | "approval"
  | "asking"
  | "supervise"
  | "asks"
  | "state"
  | "callWorker"
  | "debates"
  | "raise"
  | "answered"
> & { readonly observer: WorkObserver };

export function agentPorts(
  kit: Kit,
  platform: Pick<RootPlatform, "now" | "teamState" | "callWorker" | "limitsOfWork">,
  work: AgentWork,
): Ports {
  const { tenantId, ownerId, ref, hash, signal, settings, environment } = work;
  const { now } = platform;
  const observer = workObserver(ref, tenantId, kit, now, work);
  const ofReply = (state: SupervisionState): SupervisionState =>
    state.hook === "response" && work.replyId !== undefined
      ? { ...state, subject: { ...state.subject, messageId: work.replyId } }
      : state;
  const deadline: Ports["withDeadline"] = (timeoutMs, doWork) => withCancelSignal(timeoutMs, doWork, signal);
  return {
    signal,
    now,
    withDeadline: deadline,
    rateLimitWaitMs: work.rateLimitWaitMs ?? rateLimitWaitMs,
    validateArguments,
    answered: work.answered,
    approvals: kit.approvals,
    approval: settings.approvals,
    // What else is known of who works, the object adds to each ask.
    asking: { source: {}, policy: settings.questions },
    supervise: {
      now,
      hash,
      withDeadline: deadline,
      strict: settings.strict,
      ordersInData: settings.ordersInData,
      cancelled: () => signal.aborted,
      review: settings.reviews,
      source: {},
      environment: { ...environment, calls: new CallsSoFar(), ownerId, workId: ref.id, replyId: work.replyId },
      decided: (state, before, after) => {
        const record = ofReply(state);
        work.keepPass(record, before, after);
        observer.decided(record);
      },
      lookedUp: (calls) => {
        for (const call of calls) work.answered?.(call);
      },
      shadow: (pending) =>
        kit.shadows.begin(ref.id, work.origin, pending, () => platform.limitsOfWork(factsOf(tenantId, work.origin))),
      reviewed: (before, after) => work.reviewPass(ofReply(before), ofReply(after)),
    },
    asks: () => kit.asks.ofWork(ref.id),
    raise: (id, request) => kit.journal(ref.id, () => !signal.aborted).raise(id, request),
    debates: { newId: () => newDebateId(ownerId), record: (record) => kit.debates.put(ref.id, record) },
    state: platform.teamState(tenantId),
    callWorker: (call, cancel) => platform.callWorker(work, call, cancel),
    observer,
  };
}
