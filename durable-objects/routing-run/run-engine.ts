/** A run at work: the kit's parts put together, and what happens when it begins, an answer comes or an alarm rings. */
import { z } from "zod";
import type { EndedStatus } from "../../src/agent/work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { askForAll } from "../../src/asks/ask.js";
import type { EventData } from "../../src/catalogues/events.js";
import { hasEnded, type NewRun, type Run, type RunOutcome } from "../../src/routing/run.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import { driveRun } from "./drive.js";
import { runView, summaryView } from "./run-view.js";
import { RoutingRunStore } from "./store.js";

const tracedEventSchema = z.object({ entry: z.number() });

export class RunEngine implements RootEngine {
  readonly store: RoutingRunStore;
  readonly kit: Kit;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly platform: RootPlatform,
  ) {
    this.store = new RoutingRunStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, runId } = this.store.run();
        return { tenantId, id: runId };
      },
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
    this.kit.cancel(this.store.run().runId);
    this.end("cancelled", { clarifications: [], degraded: [] });
  }

  async stop(): Promise<void> {
    this.cancel();
    await this.kit.stopped();
  }

  /** Resolves when the run has ended or waits for an ask, at the latest after `waitMs`. */
  async settled(waitMs: number): Promise<void> {
    await this.kit.waiters.until(() => !this.active(), waitMs);
  }

  /** Whether the run goes on without anybody doing anything. */
  active(): boolean {
    return this.store.status() === "running";
  }

  view(): Run {
    const { runId } = this.store.run();
    return runView(this.store, this.kit.asks.ofWork(runId), this.kit.usage(runId));
  }

  private async step(): Promise<boolean> {
    if (!this.active()) return false;
    const { runId } = this.store.run();
    await this.kit.drive({
      id: runId,
      isRunning: () => this.active(),
      drive: async (hold) => {
        const end = await driveRun(this.store, this.kit, this.platform, hold);
        if (hold.isHeld()) this.end(end.status, end.outcome);
      },
      wait: () => this.wait(),
      countCrash: () => this.store.countCrash(),
      fail: () => this.fail(),
    });
    return true;
  }

  private wait(): void {
    const { runId } = this.store.run();
    this.store.setStatus("waiting");
    this.kit.events.append("run.waiting", runId, { runId });
    this.tellIndex();
  }

  private fail(): void {
    const error = {
      code: "internal" as const,
      detail: "An internal error, which has been logged. Start the run again.",
    };
    this.end("failed", { error, clarifications: [], degraded: [] });
  }

  private end(status: EndedStatus, outcome: RunOutcome): void {
    const { runId, createdAt } = this.store.run();
    this.kit.end(runId, { kind: "run", outcome: status, since: createdAt }, (usage, endedAt) => {
      this.store.end(status, { ...outcome, usage }, endedAt);
      this.kit.events.append("run.completed", runId, { runId });
      this.tellIndex();
      if (status !== "completed")
        this.kit.outbox.put("work_ended", "work_ended", { work: runId, at: this.platform.now() });
    });
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

  /** What the log stores are ids; what is shown of them is what holds now. */
  private present(type: string, data: unknown): unknown {
    if (type === "run.completed") {
      const run = this.view();
      return { ...run, asks: run.asks.map(askForAll) } satisfies EventData<"run.completed">;
    }
    const { data: traced } = tracedEventSchema.safeParse(data);
    return traced === undefined ? data : (this.store.traceEntry(traced.entry) ?? data);
  }
}
