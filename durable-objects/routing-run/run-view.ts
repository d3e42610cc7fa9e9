/** A run as callers see it: whole, as its row in the index, and as its trace. */
import { defined } from "../../src/conversation/defined.js";
import { renderTrace } from "../../src/routing/render-trace.js";
import type { WorkerResult } from "../../src/routing/routing-input.js";
import { hasEnded, type Run, type RunDefinition, type RunSummary } from "../../src/routing/run.js";
import { type RoutingDecision, type RunTrace, targetsOf } from "../../src/routing/trace.js";
import { supervisionSummary } from "../../src/supervision/summary.js";
import { eventsOf } from "../kit/events.js";
import type { Kit } from "../kit/kit.js";
import type { RoutingRunStore, RunRecord } from "./store.js";

/** A run as a caller sees it: effective texts only. */
export function runView(store: RoutingRunStore, kit: Kit): Run {
  const record = store.run();
  const { runId } = record;
  const asks = kit.asks.ofWork(runId);
  const { outcome, status } = record;
  // Its decisions and results while it works; those of teams within it are in the trace.
  const entries = store.trace().filter(({ path }) => path.length === 0);
  const decisions = entries.flatMap((entry) => (entry.type === "routing.decided" ? [entry.decision] : []));
  return {
    ...summaryView(record),
    ...defined({ input: record.input }),
    decisions,
    results: inDecidedOrder(
      entries.flatMap((entry) => (entry.type === "worker.returned" ? [entry.result] : [])),
      decisions,
    ),
    clarifications: outcome?.clarifications ?? [],
    ...defined({ response: outcome?.response, error: outcome?.error }),
    supervision: supervisionSummary(
      outcome && { request: outcome.request, response: outcome.responseVerdict, degraded: outcome.degraded },
      store.passes.all(),
    ),
    asks: hasEnded(status) ? [...asks] : asks.filter((ask) => ask.status === "open"),
    usage: outcome?.usage ?? kit.works.usage(runId),
    ...(hasEnded(status) ? {} : kit.attempts.retryField(runId)),
  };
}

/** They returned as they were done. */
function inDecidedOrder(results: readonly WorkerResult[], decisions: readonly RoutingDecision[]): WorkerResult[] {
  const place = ({ iteration, worker, handedOnBy }: WorkerResult): number => {
    const decision = decisions.find((decided) => decided.iteration === iteration);
    return decision === undefined ? 0 : targetsOf(decision).indexOf(handedOnBy?.[0] ?? worker);
  };
  return results.toSorted((a, b) => a.iteration - b.iteration || place(a) - place(b));
}

/** The team's name. */
export function teamOf({ team }: RunDefinition): string {
  return typeof team === "string" ? team : "inline";
}

export function summaryView({ runId, status, definition, createdAt, endedAt }: RunRecord): RunSummary {
  return {
    runId,
    status,
    team: teamOf(definition),
    metadata: definition.metadata,
    ...defined({ subject: definition.subject, externalId: definition.externalId }),
    createdAt: new Date(createdAt).toISOString(),
    ...(endedAt === undefined ? {} : { endedAt: new Date(endedAt).toISOString() }),
  };
}

/** Everything that happened, in order, and the same as a story. */
export function traceView(run: Run, store: RoutingRunStore, kit: Kit): RunTrace {
  // The end is the run itself, which stands beside the trace.
  const entries = eventsOf(kit.events, run.runId).filter(({ type }) => type !== "run.completed");
  const { outcome } = store.run();
  const story = renderTrace({
    ...run,
    title: `Run ${run.runId}`,
    who: `Team ${run.team}`,
    failure: run.error?.detail,
    cancelledBy: outcome?.cancelledBy,
    events: entries,
    asks: kit.asks.ofWork(run.runId),
    passes: store.passes.all(),
  });
  return { runId: run.runId, status: run.status, entries, story };
}
