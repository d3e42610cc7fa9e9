/** Drives a run once: gathers its setup and enters the durable function. */

import { validateArguments } from "../../src/platform/argument-check.js";
import { withDeadline } from "../../src/platform/clock.js";
import { logDecision } from "../../src/platform/decision-log.js";
import { sha256Hex } from "../../src/platform/digest.js";
import { loadRunSetup } from "../../src/platform/run-setup.js";
import type { SessionPlatform } from "../../src/platform/session-platform.js";
import { noUsage, type RunEnd, runRouting } from "../../src/routing/routed-run.js";
import { askPolicy } from "../../src/tenancy/ask-policy.js";
import type { Kit } from "../kit/kit.js";
import type { Hold } from "../kit/piece.js";
import type { RoutingRunStore } from "./store.js";

/** @throws {Parked} while the run waits for an ask. */
export async function driveRun(
  store: RoutingRunStore,
  kit: Kit,
  platform: SessionPlatform,
  { signal, holds }: Hold,
): Promise<RunEnd> {
  const { tenantId, runId, definition, salt, createdAt } = store.run();
  const { events, outbox } = kit;
  const journal = kit.journal(runId, holds);
  const loaded = await loadRunSetup({ tenantId, definition, health: kit.health }, journal, platform);
  if (!loaded.ok) {
    const error = { code: "failed" as const, detail: loaded.detail };
    return { status: "failed", outcome: { error, clarifications: [], degraded: [], usage: noUsage } };
  }
  const deadline = <T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withDeadline(timeoutMs, work, signal);
  const { input, metadata } = definition;
  return runRouting({ runId, input, metadata, acceptedAt: createdAt }, loaded.team, {
    journal,
    model: await platform.model(tenantId),
    signal,
    now: platform.now,
    withDeadline: deadline,
    validateArguments,
    supervisors: loaded.supervisors,
    supervise: {
      now: platform.now,
      hash: (text) => sha256Hex(salt + text),
      withDeadline: deadline,
      strict: loaded.strict,
      review: askPolicy(loaded.reviews, { type: "run", id: runId }),
      surroundings: {
        ownerId: runId,
        workId: runId,
        transcript: () => {
          const said = store.run().input;
          return said === undefined ? [] : [{ role: "user", content: said }];
        },
      },
      decided: (state) => {
        const { hook, decision, reasons, degraded } = state;
        store.addPass(state);
        events.append("supervision.decided", runId, { runId, hook, decision, reasons, degraded });
        const at = platform.now();
        outbox.put("audit", `audit/${runId}`, { turnId: runId, hook, decision, body: state, at });
        logDecision({ tenantId, runId }, state);
      },
    },
    approval: askPolicy(loaded.approvals, { type: "run", id: runId }),
    approvals: {
      isApproved: ({ server, tool }) => store.isApproved(server, tool),
      approveForSession: ({ server, tool }) => store.approve(server, tool),
    },
    asks: () => kit.asks.ofWork(runId),
    state: platform.teamState(tenantId),
    callWorker: (call, cancel) => platform.callWorker(tenantId, call, cancel),
    observer: {
      modelCalled: (usage) => store.countModelCall(usage),
      toolCalled: (call) => events.append("tool.called", runId, { runId, ...call }),
      toolReturned: (call) => events.append("tool.returned", runId, { runId, ...call }),
      keepsTexts: true,
      traced: (entry) => events.append(entry.type, runId, { runId, entry: store.addTrace(entry) }),
    },
    inputDecided: (effective) => store.setInput(effective),
  });
}
