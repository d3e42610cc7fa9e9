/**
 * A job on a person's data at work: kind by kind, slice by slice, each noted in its journal before the next. A slice that was done and not
 * noted is done again, which finds nothing left. One that fails is tried again as all work is, and the job given up with it in the end; the
 * same request begins it again where it was, and an erasure begins again by itself each hour: it is owed by law.
 */
import { failureReasonOf } from "../../src/application/job-failure.js";
import type { SubjectJobPlatform } from "../../src/application/subjects/job-platform.js";
import { describeError } from "../../src/platform/logging.js";
import type { FailureReason } from "../../src/tenancy/job-failure.js";
import {
  exportKeptMs,
  type JobDefinition,
  type SubjectJob,
  shownJob,
  withPseudonym,
} from "../../src/tenancy/subjects.js";
import { Kit } from "../kit/kit.js";
import type { EndingWork } from "../kit/work-loop.js";
import { SubjectJobStore } from "./store.js";

/** When an erasure that a hold stops looks again, or one that fails begins again; in milliseconds. */
const recheckMs = 3_600_000;
/** No token is older: those of the subject needn't be refused any more, in milliseconds. */
const tokensGoneMs = 3_900_000;
/** Passes over all kinds: the second finds what was written while the first one went on. */
const mostPasses = 3;
/** Slices of one invocation: each invocation may make so many calls. */
const slicesAtOnce = 50;

/** How the kit knows a slice: what counts is how often the one at its turn was tried. */
const sliceWork = "slice";

const continueDeadline = "continue";
const givenUpDeadline = "given_up";
const expiryDeadline = "expiry";
const tokensDeadline = "tokens";

export class SubjectJobEngine {
  readonly kit: Kit;
  private readonly store: SubjectJobStore;
  private slices = 0;
  /** So many slices were done that the next ones are another invocation's. */
  private isResting = false;
  /** Everybody can see that it goes on. */
  private isCopied = false;
  /** What the last slice of this instance threw. */
  private thrown: FailureReason | undefined;

  constructor(
    ctx: DurableObjectState,
    private readonly ports: {
      readonly now: () => number;
      readonly platform: () => Promise<SubjectJobPlatform>;
    },
  ) {
    const { sql } = ctx.storage;
    this.store = new SubjectJobStore(sql);
    this.kit = new Kit(ctx, {
      now: ports.now,
      owner: () => {
        const { tenantId, jobId } = this.store.job().definition;
        return { tenantId, id: jobId };
      },
      deliver: async () => {},
      next: () => (this.isRunning() && !this.isResting ? this.nextSlice() : undefined),
      active: () => this.isRunning(),
      present: (_type, data) => data,
      askClosed: () => {},
      deadlinePassed: (name) => this.deadlinePassed(name, ctx),
    });
  }

  /** To be called in the write that makes the job. */
  create(definition: JobDefinition, kinds: readonly string[]): void {
    this.store.create(definition, kinds);
    this.kit.loop.kick();
  }

  /** One that fails or waits goes on where it was. */
  beginAgain(): void {
    const { store, kit } = this;
    const { status } = store.job();
    if (status !== "failed" && status !== "on_hold") return;
    kit.write(() => {
      store.setStatus("running");
      for (const name of [expiryDeadline, givenUpDeadline, continueDeadline]) kit.deadlines.move(name, undefined);
      kit.loop.kick();
    });
    this.isCopied = false;
  }

  describe(): SubjectJob {
    const state = this.store.job();
    const { definition } = state;
    const isExport = definition.kind === "export";
    const files = isExport && state.status === "completed" ? this.store.files() : [];
    return shownJob(definition, {
      ...state,
      receipt: this.store.receipt(isExport),
      files,
      retryAt: this.retryAt(state.status),
    });
  }

  /** Resolves when it has ended or waits, at the latest after `waitMs`. */
  async settled(waitMs: number): Promise<void> {
    await this.kit.waiters.until(() => !this.isRunning(), waitMs);
  }

  part(kind: string, after: number): { readonly n: number; readonly body: string } | undefined {
    return this.store.job().status === "completed" ? this.store.part(kind, after) : undefined;
  }

  private retryAt(status: SubjectJob["status"]): number | undefined {
    return status === "failed" || status === "on_hold" ? this.kit.deadlines.at(continueDeadline) : undefined;
  }

  private isRunning(): boolean {
    return this.store.job().status === "running";
  }

  private nextSlice(): EndingWork {
    return { id: sliceWork, drive: () => this.slice(), park: () => {}, fail: () => this.giveUp() };
  }

  private async slice(): Promise<() => void> {
    this.thrown = undefined;
    try {
      await this.work();
    } catch (error) {
      this.thrown = failureReasonOf(error);
      this.store.fail(this.thrown);
      throw error;
    }
    return () =>
      this.kit.write(() => {
        this.store.fail(undefined);
        this.kit.loop.forgetTries(sliceWork);
        if (!this.isRunning() || ++this.slices % slicesAtOnce > 0) return;
        this.isResting = true;
        this.kit.deadlines.move(continueDeadline, this.ports.now());
      });
  }

  private giveUp(): void {
    const { store, kit } = this;
    const now = this.ports.now();
    kit.write(() => {
      // What threw has been noted; what died could not.
      if (this.thrown === undefined) store.fail("died");
      store.setStatus("failed");
      kit.loop.forgetTries(sliceWork);
      kit.deadlines.move(givenUpDeadline, now);
      if (store.job().definition.kind === "export") kit.deadlines.move(expiryDeadline, now + exportKeptMs);
      else kit.deadlines.move(continueDeadline, now + recheckMs);
    });
    this.isCopied = false;
  }

  private async work(): Promise<void> {
    const { store, ports } = this;
    const platform = await ports.platform();
    const { definition } = store.job();
    const isErasure = definition.kind === "erasure";
    const holds = isErasure ? await platform.holds(definition) : [];
    if (holds.length > 0) {
      this.kit.write(() => {
        store.setStatus("on_hold", holds);
        this.kit.deadlines.move(continueDeadline, ports.now() + recheckMs);
      });
      this.isCopied = false;
      await platform.copy(definition, this.describe());
      return;
    }
    if (!this.isCopied) await platform.copy(definition, this.describe());
    this.isCopied = true;
    const current = store.nextKind();
    if (current === undefined) return this.finish(definition, platform);
    const { kind, found, next } = current;
    if (found === undefined) store.counted(kind, await platform.count(definition, kind));
    if (isErasure) {
      const { erased, left, why, next: then } = await platform.erase(definition, kind, next);
      this.kit.write(() => store.advance(kind, { done: erased, left, why, next: then }));
      return;
    }
    const { lines, next: then } = await platform.export(definition, kind, next);
    this.kit.write(() => {
      store.addLines(kind, lines);
      store.advance(kind, { done: lines.length, next: then });
    });
  }

  private async finish(definition: JobDefinition, platform: SubjectJobPlatform): Promise<void> {
    const { store, kit } = this;
    const now = this.ports.now();
    if (definition.kind === "export") {
      kit.write(() => {
        store.end(definition, now);
        kit.deadlines.move(expiryDeadline, now + exportKeptMs);
      });
      await platform.copy(definition, this.describe());
      return;
    }
    const more = await platform.remaining(definition);
    if (more.length > 0 && store.job().passes + 1 < mostPasses) {
      kit.write(() => store.again(more));
      return;
    }
    const by = withPseudonym(definition.by, definition.subject, definition.pseudonym);
    const ended = { ...definition, by };
    const shown = { ...this.describe(), status: "completed" as const, endedAt: new Date(now).toISOString() };
    await platform.erased(ended, { ...shown, requestedBy: by });
    kit.write(() => {
      // The name stays until it refuses no token any more.
      store.end(ended, now);
      kit.deadlines.move(tokensDeadline, now + tokensGoneMs);
    });
  }

  private deadlinePassed(name: string, ctx: DurableObjectState): void {
    if (name === continueDeadline) {
      this.isResting = false;
      const { status } = this.store.job();
      if (status === "on_hold" || status === "failed") {
        this.store.setStatus("running");
        this.isCopied = false;
      }
      this.kit.loop.kick();
      return;
    }
    const failed = (error: unknown): void => {
      this.kit.deadlines.move(name, this.ports.now() + recheckMs);
      this.kit.log("warn", "subject_job.failed", describeError(error));
    };
    if (name === givenUpDeadline) ctx.waitUntil(this.showGivenUp().catch(failed));
    if (name === expiryDeadline) ctx.waitUntil(this.expire().catch(failed));
    if (name === tokensDeadline) ctx.waitUntil(this.forgetName().catch(failed));
  }

  /** In lists and to webhooks too. What it failed of may be what they lie in: then later. */
  private async showGivenUp(): Promise<void> {
    const { copy, tellFailing } = await this.ports.platform();
    const { status, definition, failure } = this.store.job();
    if (status !== "failed" || failure === undefined) return;
    const shown = this.describe();
    await copy(definition, shown);
    await tellFailing(definition, failure, shown.retryAt);
  }

  private async expire(): Promise<void> {
    const { expired } = await this.ports.platform();
    await expired(this.store.job().definition);
    await this.kit.stop();
    await this.kit.empty();
  }

  private async forgetName(): Promise<void> {
    const { store, kit } = this;
    const { definition, endedAt = 0 } = store.job();
    await (await this.ports.platform()).unrevoke(definition);
    kit.write(() => {
      store.end({ ...definition, subject: "" }, endedAt);
      kit.freeSpace.overwriteSoon();
    });
  }
}
