/** What agents and supervisors that work in a root need of it and of the platform: the same whatever the root is. */
import { validateArguments } from "../../src/platform/argument-check.js";
import { withDeadline } from "../../src/platform/clock.js";
import { sha256Hex } from "../../src/platform/digest.js";
import { log } from "../../src/platform/logging.js";
import type { SessionPlatform } from "../../src/platform/session-platform.js";
import type { TeamPorts } from "../../src/routing/ports.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import type { SupervisePorts } from "../../src/supervision/supervise.js";
import { askPolicy } from "../../src/tenancy/ask-policy.js";
import type { Settings } from "../../src/tenancy/tenant.js";
import type { Kit } from "./kit.js";

/** Who works, and for whom. */
export interface AgentWork {
  readonly tenantId: string;
  /** The root. */
  readonly ownerId: string;
  /** The piece of work. Its events and log lines name it as `turnId`, `runId` … */
  readonly piece: { readonly type: "turn" | "run"; readonly id: string };
  /** Of the hashes that the record of its supervision holds. */
  readonly salt: string;
  readonly signal: AbortSignal;
  /** As they were when the work began. */
  readonly settings: Pick<Settings, "strict" | "reviews" | "approvals">;
  /** What supervisors may know and change around the text. */
  readonly surroundings: SupervisePorts["surroundings"];
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
> & { readonly observer: Pick<TeamPorts["observer"], "toolCalled" | "toolReturned"> };

export function agentPorts(
  kit: Kit,
  platform: Pick<SessionPlatform, "now" | "teamState" | "callWorker">,
  work: AgentWork,
): Ports {
  const { tenantId, ownerId, piece, salt, signal, settings, surroundings } = work;
  const { now } = platform;
  const ids = { [`${piece.type}Id`]: piece.id };
  const deadline: Ports["withDeadline"] = (timeoutMs, doWork) => withDeadline(timeoutMs, doWork, signal);
  return {
    signal,
    now,
    withDeadline: deadline,
    validateArguments,
    approvals: kit.approvals,
    approval: askPolicy(settings.approvals, piece),
    supervise: {
      now,
      hash: (text) => sha256Hex(salt + text),
      withDeadline: deadline,
      strict: settings.strict,
      cancelled: () => signal.aborted,
      review: askPolicy(settings.reviews, piece),
      surroundings: { ...surroundings, ownerId, workId: piece.id },
      decided: (state, before, after) => {
        work.keepPass(state, before, after);
        const { hook, decision, reasons, degraded } = state;
        kit.events.append("supervision.decided", piece.id, { ...ids, hook, decision, reasons, degraded });
        kit.outbox.put("audit", `audit/${piece.id}`, { turnId: piece.id, hook, decision, body: state, at: now() });
        logDecision(state, { tenantId, ownerId, ...ids });
      },
    },
    asks: () => kit.asks.ofWork(piece.id),
    state: platform.teamState(tenantId),
    callWorker: (call, cancel) => platform.callWorker(tenantId, call, cancel),
    observer: {
      toolCalled: (call) => kit.events.append("tool.called", piece.id, { ...ids, ...call }),
      toolReturned: (call) => kit.events.append("tool.returned", piece.id, { ...ids, ...call }),
    },
  };
}

/** A plain allow is no news: its record is the pass. */
function logDecision(
  { hook, decision, steps, reasons, degraded }: SupervisionState,
  ids: Record<string, string>,
): void {
  const failed = steps.filter((step) => step.failed !== undefined).map(({ supervisor }) => supervisor);
  if (decision === "allow" && failed.length === 0) return;
  log(failed.length > 0 ? "warn" : "info", "supervision.decided", {
    ...ids,
    hook,
    decision,
    supervisors: steps.map(({ supervisor, action }) => `${supervisor}:${action}`).join(","),
    reasons: reasons.length,
    failed: failed.join(","),
    degraded: degraded.join(","),
  });
}
