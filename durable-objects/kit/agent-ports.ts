/** What agents and supervisors that work in a root need of it and of the platform: the same whatever the root is. */
import { validateArguments } from "../../src/application/argument-check.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { withDeadline } from "../../src/platform/clock.js";
import type { TeamPorts } from "../../src/routing/ports.js";
import type { SupervisePorts } from "../../src/supervision/supervise.js";
import { askPolicy } from "../../src/tenancy/ask-policy.js";
import type { Settings } from "../../src/tenancy/tenant.js";
import type { Kit } from "./kit.js";
import { type WorkObserver, type WorkRef, workObserver } from "./work-observer.js";

/** Who works, and for whom. */
export interface AgentWork {
  readonly tenantId: string;
  /** The root. */
  readonly ownerId: string;
  readonly ref: WorkRef;
  /** The salted digest by which the record of its supervision tells texts apart. */
  readonly hash: SupervisePorts["hash"];
  readonly signal: AbortSignal;
  /** As they were when the work began. */
  readonly settings: Pick<Settings, "strict" | "reviews" | "approvals">;
  /** What supervisors may know and change around the text. */
  readonly environment: SupervisePorts["surroundings"];
  /** Stores a pass, in the same write as its result. */
  readonly keepPass: (...pass: Parameters<SupervisePorts["decided"]>) => void;
}

type Ports = Pick<
  TeamPorts,
  | "signal"
  | "now"
  | "withDeadline"
  | "validateArguments"
  | "approvals"
  | "approval"
  | "supervise"
  | "asks"
  | "state"
  | "callWorker"
> & { readonly observer: WorkObserver };

export function agentPorts(
  kit: Kit,
  platform: Pick<RootPlatform, "now" | "teamState" | "callWorker">,
  work: AgentWork,
): Ports {
  const { tenantId, ownerId, ref, hash, signal, settings, environment } = work;
  const { now } = platform;
  const observer = workObserver(ref, tenantId, kit, now);
  const deadline: Ports["withDeadline"] = (timeoutMs, doWork) => withDeadline(timeoutMs, doWork, signal);
  return {
    signal,
    now,
    withDeadline: deadline,
    validateArguments,
    approvals: kit.approvals,
    approval: askPolicy(settings.approvals, ref),
    supervise: {
      now,
      hash,
      withDeadline: deadline,
      strict: settings.strict,
      cancelled: () => signal.aborted,
      review: askPolicy(settings.reviews, ref),
      surroundings: { ...environment, ownerId, workId: ref.id },
      decided: (state, before, after) => {
        work.keepPass(state, before, after);
        observer.decided(state);
      },
    },
    asks: () => kit.asks.ofWork(ref.id),
    state: platform.teamState(tenantId),
    callWorker: (call, cancel) => platform.callWorker(tenantId, call, cancel),
    observer,
  };
}
