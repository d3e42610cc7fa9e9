/** A run at work: the kit's parts put together, and what happens when it begins, an answer comes or an alarm rings. */

import { isControlFlow, Parked } from "../../src/agent/journal.js";
import type { Ask } from "../../src/asks/ask.js";
import { describeError, log } from "../../src/platform/logging.js";
import type { SessionPlatform } from "../../src/platform/session-platform.js";
import {
  hasEnded,
  type NewRun,
  type Run,
  type RunStatus,
  type StoredRunOutcome,
} from "../../src/routing/routed-run.js";
import { forgetSteps } from "../kit/journal.js";
import { Kit } from "../kit/kit.js";
import { driveRun } from "./drive.js";
import { runView, summaryView } from "./run-view.js";
import { RoutingRunStore } from "./store.js";

/** An unforeseen exception is tried again this often before the run fails. */
const maxCrashes = 3;

export class RunAtWork {
  readonly store: RoutingRunStore;
  readonly kit: Kit;
  private abort: AbortController | undefined;
  /** Who waits for the run to end or to wait itself. */
  private readonly waiters = new Set<() => void>();

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly platform: SessionPlatform,
  ) {
    this.store = new RoutingRunStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      ownerId: () => this.store.run().runId,
      deliver: (messages) => {
        const { tenantId, runId } = this.store.run();
        return platform.deliver({ tenantId, ownerId: runId, messages });
      },
      step: () => this.step(),
      present: (type, data) => this.present(type, data),
      askClosed: () => this.askClosed(),
    });
  }

  begin(identity: { tenantId: string; runId: string }, definition: NewRun): void {
    this.ctx.storage.transactionSync(() => {
      this.store.create(identity, definition, crypto.randomUUID(), this.platform.now());
      this.kit.events.append("run.started", identity.runId, { runId: identity.runId });
      this.tellIndex();
      this.kit.kick();
    });
    this.kit.deliverSoon();
  }

  cancel(): void {
    if (hasEnded(this.store.status())) return;
    this.abort?.abort();
    this.end("cancelled", { clarifications: [], degraded: [], usage: this.store.usage() });
  }

  /** Resolves when the run has ended or waits for an ask, at the latest after `waitMs`. */
  async settled(waitMs: number): Promise<void> {
    if (waitMs <= 0 || !this.active()) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.waiters.add(done);
    });
  }

  /** Whether the run goes on without anybody doing anything. */
  active(): boolean {
    return this.store.status() === "running";
  }

  view(): Run {
    return runView(this.store, this.kit.asks.ofWork(this.store.run().runId));
  }

  private async step(): Promise<boolean> {
    if (!this.active()) return false;
    const abort = new AbortController();
    this.abort = abort;
    const holds = (): boolean => !abort.signal.aborted && this.active();
    const { runId } = this.store.run();
    try {
      const end = await driveRun(this.store, this.kit, this.platform, abort.signal, holds);
      if (holds()) this.end(end.status, end.outcome);
    } catch (error) {
      if (isControlFlow(error)) this.parked(error, runId);
      else this.crashed(error, runId);
    } finally {
      this.abort = undefined;
    }
    if (!this.active()) this.wake();
    this.kit.deliverSoon();
    return true;
  }

  /** A cancelled run has been ended by whoever did that. And while siblings finished, the ask may have been answered. */
  private parked(error: unknown, runId: string): void {
    const waits = error instanceof Parked && this.kit.asks.openOfWork(runId).length > 0;
    if (!waits || !this.active()) return;
    this.ctx.storage.transactionSync(() => {
      this.store.setStatus("waiting");
      this.kit.events.append("run.waiting", runId, { runId });
      this.tellIndex();
    });
  }

  private crashed(error: unknown, runId: string): void {
    log("error", "run.crashed", { runId, error: describeError(error) });
    if (!this.active() || this.store.countCrash() < maxCrashes) return;
    const detail = "An internal error, which has been logged. Start the run again.";
    this.end("failed", {
      error: { code: "internal", detail },
      clarifications: [],
      degraded: [],
      usage: this.store.usage(),
    });
  }

  /** Ends the run: everything about it in one write. */
  private end(status: RunStatus, outcome: StoredRunOutcome): void {
    const { runId } = this.store.run();
    this.ctx.storage.transactionSync(() => {
      this.kit.asks.cancelOfWork(runId);
      this.store.end(status, outcome, this.platform.now());
      forgetSteps(this.ctx.storage.sql, runId);
      this.kit.events.append("run.completed", runId, { runId });
      this.tellIndex();
      if (status !== "completed")
        this.kit.outbox.put("work_ended", "work_ended", { work: runId, at: this.platform.now() });
    });
    this.wake();
    this.kit.deliverSoon();
  }

  private askClosed(): void {
    if (this.store.status() !== "waiting") return;
    this.store.setStatus("running");
    this.tellIndex();
    this.kit.kick();
  }

  private tellIndex(): void {
    this.kit.outbox.put("run", "run", summaryView(this.store.run()));
  }

  private wake(): void {
    for (const done of this.waiters) done();
  }

  /** What the log stores are ids; what is shown of them is what holds now. */
  private present(type: string, data: unknown): unknown {
    if (type === "run.completed") {
      const run = this.view();
      return { ...run, asks: run.asks.map(withoutProposal) };
    }
    const { entry, askId } = idsIn(data);
    if (entry !== undefined) return this.store.traceEntry(entry) ?? data;
    const ask = askId === undefined ? undefined : this.kit.asks.get(askId);
    return ask === undefined ? data : withoutProposal(ask);
  }
}

/** Proposals hold what isn't cleared yet: who may answer reads them from the ask itself. */
function withoutProposal({ proposal: _, ...ask }: Ask): Ask {
  return ask;
}

function idsIn(data: unknown): { entry?: number; askId?: string } {
  if (data === null || typeof data !== "object") return {};
  return {
    ...("entry" in data && typeof data.entry === "number" ? { entry: data.entry } : {}),
    ...("askId" in data && typeof data.askId === "string" ? { askId: data.askId } : {}),
  };
}
