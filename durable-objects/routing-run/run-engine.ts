/** A run at work: the kit's parts put together, and what happens when it begins, an answer comes or an alarm rings. */
import { z } from "zod";
import type { EndedStatus } from "../../src/agent/work.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { askForAll } from "../../src/asks/ask.js";
import type { AskWork } from "../../src/asks/origin.js";
import type { EventData } from "../../src/catalogues/events.js";
import type { ReplyStream } from "../../src/chat/reply-stream.js";
import type { ActorRecord } from "../../src/conversation/actor-record.js";
import type { RunIdentity } from "../../src/gateways/run-gateway.js";
import { hasEnded, type NewRun, type Run, type RunOutcome } from "../../src/routing/run.js";
import type { Lease, StepOutcome } from "../kit/driver.js";
import type { StreamOptions } from "../kit/event-stream.js";
import { Kit } from "../kit/kit.js";
import type { RootEngine } from "../kit/root.js";
import { driveRun } from "./drive.js";
import { runView, summaryView } from "./run-view.js";
import { RoutingRunStore } from "./store.js";

const tracedEventSchema = z.object({ entry: z.number() });

export class RunEngine implements RootEngine {
  readonly store: RoutingRunStore;
  readonly kit: Kit;
  /** What is shown of the response while it is written, in this instance. */
  private stream: ReplyStream | undefined;
  /** The tenant's revision, as the request brought it that begins the run. */
  private revision: number | undefined;

  constructor(
    ctx: DurableObjectState,
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
      step: (lease) => this.step(lease),
      present: (type, data) => this.present(type, data),
      describeWork: () => this.describeWork(),
      askClosed: () => this.askClosed(),
      active: () => this.active(),
      load: platform.load,
    });
  }

  begin(identity: RunIdentity, definition: NewRun): void {
    this.revision = identity.revision;
    this.kit.write(() => {
      this.store.create(identity, definition, crypto.randomUUID(), this.platform.now());
      this.kit.events.append("run.started", identity.runId, { runId: identity.runId });
      this.updateIndex();
      this.kit.kick();
    });
    this.kit.deliverSoon();
  }

  cancel(by?: ActorRecord): void {
    if (hasEnded(this.store.status())) return;
    this.kit.cancel();
    this.end("cancelled", { clarifications: [], degraded: [], ...(by && { cancelledBy: by }) });
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
    return runView(this.store, this.kit.asks.ofWork(runId), this.kit.works.usage(runId));
  }

  /** Who comes late gets what was shown of the response before. */
  forLatecomers(): Pick<StreamOptions, "catchUp"> {
    const delta = this.active() ? this.stream?.soFar() : undefined;
    const { runId } = this.store.run();
    return delta === undefined ? {} : { catchUp: this.kit.events.live("run.delta", runId, { runId, ...delta }) };
  }

  private async step(lease: Lease): Promise<StepOutcome> {
    if (!this.active()) return "idle";
    const { runId } = this.store.run();
    const attempt = await this.kit.attempts.begin(runId);
    if (attempt === "later") return "idle";
    if (attempt === "given_up") {
      this.kit.log("error", "work.given_up", { work: runId, error: this.kit.attempts.whyGivenUp(runId) });
      this.fail(`The run was given up: ${this.kit.attempts.whyGivenUp(runId)}.`);
      return "again";
    }
    // Cancelled meanwhile: whoever did that has ended it.
    if (!lease.isHeld()) return "again";
    try {
      const { status, outcome } = await driveRun(this.store, this.kit, await this.platformNow(), lease, (stream) => {
        this.stream = stream;
      });
      // Cancelled between its last step and its end: whoever did that has ended it.
      if (lease.isHeld()) this.end(status, outcome);
    } catch (error) {
      const then = this.kit.afterThrow(runId, error, lease);
      if (then === "failed") this.fail();
      if (then === "waiting") {
        this.store.setStatus("waiting");
        this.kit.events.append("run.waiting", runId, { runId });
        this.updateIndex();
      }
    }
    return "again";
  }

  /** The platform with what is known of the tenant. */
  private async platformNow(): Promise<RootPlatform> {
    const { revision } = this;
    this.revision = undefined;
    return this.platform.at(revision ?? (await this.platform.revision(this.store.run().tenantId)));
  }

  private fail(detail = "An internal error, which has been logged. Start the run again."): void {
    const error = { code: "internal" as const, detail };
    this.end("failed", { error, clarifications: [], degraded: [] });
  }

  private end(status: EndedStatus, outcome: RunOutcome): void {
    const { runId, createdAt, definition, keyId } = this.store.run();
    const agent = typeof definition.team === "string" ? definition.team : "inline";
    const ended = {
      kind: "run",
      outcome: status,
      since: createdAt,
      agent,
      subject: definition.subject,
      keyId,
      by: outcome.cancelledBy,
    };
    this.kit.end(runId, ended, (usage, endedAt) => {
      this.store.end(status, { ...outcome, usage }, endedAt);
      this.kit.events.append("run.completed", runId, { runId });
      this.updateIndex();
      if (status !== "completed")
        this.kit.outbox.put("work_ended", "work_ended", { work: runId, at: this.platform.now() });
    });
  }

  private askClosed(): void {
    if (this.store.status() !== "waiting") return;
    this.store.setStatus("running");
    this.updateIndex();
    this.kit.kick();
  }

  /** What its asks say of where they come from. */
  private describeWork(): AskWork {
    const { runId, definition, input } = this.store.run();
    const { subject, externalId, metadata } = definition;
    const team = typeof definition.team === "string" ? definition.team : "inline";
    return { runId, team, agent: "supervisor", subject, externalId, metadata, message: input };
  }

  private updateIndex(): void {
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
