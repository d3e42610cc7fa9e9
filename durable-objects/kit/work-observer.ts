/** What work of any object records: in the event log, in the tenant's audit, and in the log that is measured. */
import type { CallObserver } from "../../src/agent/ports.js";
import { defined } from "../../src/conversation/defined.js";
import { log } from "../../src/platform/logging.js";
import type { DebateEntry } from "../../src/roundtable/ports.js";
import type { SupervisionState } from "../../src/supervision/state.js";
import type { Kit } from "./kit.js";
import { putAudit } from "./pass-audit.js";

export interface WorkObserver extends Required<CallObserver> {
  /** Something happened in a debate. In the write of the step that it is of. */
  debated(entry: DebateEntry): void;
  /** A pass is over. In the write that stores it. */
  decided(state: SupervisionState): void;
}

/** One work of an object. */
export interface WorkRef {
  /** What the object calls it: events and log lines have its id as `<type>Id`. */
  readonly type: string;
  readonly id: string;
  /** What events are about where one root has many works of a kind: a roundtable, whose works are its rounds. */
  readonly root?: string;
}

/** @param auditsLater whether the object itself sends the rows of the audit, of what it has stored of passes */
export function workObserver(
  { type, id, root }: WorkRef,
  tenantId: string,
  kit: Pick<Kit, "events" | "outbox">,
  now: () => number,
  { auditsLater = false } = {},
): WorkObserver {
  const { events, outbox } = kit;
  const work = root !== undefined ? { roundtableId: root } : type === "turn" ? { turnId: id } : { runId: id };
  return {
    toolCalled: (call) => events.append("tool.called", id, { ...work, ...call }),
    toolRejected: (call) => events.append("tool.rejected", id, { ...work, ...call }),
    toolProgress: (call) => events.announce("tool.progress", id, { ...work, ...call }),
    toolReturned: (call) => {
      events.append("tool.returned", id, { ...work, ...call });
      log(call.isError ? "warn" : "info", "tool.returned", {
        tenantId,
        ...work,
        subject: `${call.server}/${call.tool}`,
        outcome: call.isError ? "failed" : "ok",
        latencyMs: call.elapsedMs,
      });
    },
    debated: (entry) => {
      const within = entry.debateId === undefined ? work : { ...work, roundtableId: entry.debateId };
      if (entry.type === "position.taken") {
        const { seat: agentId, round, stance, confidence } = entry.position;
        const held = { round, agentId, ...defined({ stance }), confidence };
        events.append("position.taken", id, { ...within, ...held });
      } else {
        const { seat: agentId, reason, attempts } = entry.failure;
        events.append("seat.failed", id, { ...within, round: entry.round, agentId, reason, attempts });
      }
    },
    decided: (state) => {
      const { hook, decision, reasons, degraded } = state;
      events.append("supervision.decided", id, { ...work, hook, decision, reasons, degraded });
      if (!auditsLater) putAudit(outbox, id, state, now());
      logPass(state, { tenantId, ...work });
    },
  };
}

/** A plain allow is no news: its record is the pass. */
function logPass({ hook, decision, reasons, degraded, steps }: SupervisionState, about: { tenantId: string }): void {
  for (const { supervisor, action, latencyMs, failed } of steps) {
    if (failed === undefined) continue;
    log("warn", "supervisor.failed", { ...about, hook, subject: supervisor, outcome: action, latencyMs });
  }
  if (decision === "allow") return;
  log("info", "supervision.decided", {
    ...about,
    subject: hook,
    outcome: decision,
    supervisors: steps.map(({ supervisor = "", action }) => `${supervisor}:${action}`).join(","),
    reasons: reasons.length,
    degraded: degraded.join(","),
  });
}
