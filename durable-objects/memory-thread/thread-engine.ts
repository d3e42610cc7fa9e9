/** A memory thread at work: the slices that the queue asks for, erasure and what is written again. What comes in is `ThreadIntake`'s. */

import type { MemoryPlatform } from "../../src/application/memory/memory-platform.js";
import type { Numbers } from "../../src/gateways/root-gateway.js";
import type { SliceReport, ThreadMarksView, ThreadNumbers } from "../../src/gateways/thread-gateway.js";
import type { FlushRange } from "../../src/memory/control.js";
import { type Level, standaloneThread, type Thread, type ThreadMessage } from "../../src/memory/memory.js";
import { windowMessages } from "../../src/memory/prompts.js";
import { describeError } from "../../src/platform/logging.js";
import type { DoneBy } from "../../src/tenancy/audit.js";
import { Kit } from "../kit/kit.js";
import type { Lease, StepOutcome, WorkItem } from "../kit/work-loop.js";
import { deliverFromThread } from "./deliveries.js";
import { MemoryThreadStore } from "./store.js";
import { ThreadIntake } from "./thread-intake.js";
import { marksView, threadView } from "./views.js";
import { failureText, nextWork, openSlice, sliceWork } from "./work.js";
import type { WorkPorts } from "./work-ports.js";

/** How long a delivery waits for its slice, in milliseconds. */
const deliveryWaitMs = 3_000;
/** A slice goes on with further work for so long, in milliseconds. */
const sliceMs = 2_000;
/** How long a thread is left alone whose slices died again and again, in milliseconds. */
const setAsideMs = 6 * 3_600_000;

/**
 * A job that the queue accepted and that died with its consumer before it came here would be done with the next message alone:
 * after so long without a delivery, in milliseconds, another one is sent.
 */
const unstartedAfterMs = 60_000;
const unstartedDeadline = "unstarted";

export class ThreadEngine {
  readonly store: MemoryThreadStore;
  readonly kit: Kit;
  readonly intake: ThreadIntake;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly platform: MemoryPlatform,
  ) {
    this.store = new MemoryThreadStore(ctx.storage.sql);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => {
        const { tenantId, threadId } = this.store.thread();
        return { tenantId, id: threadId };
      },
      deliver: (messages) => deliverFromThread(messages, this.store.thread(), this.platform),
      next: () => this.next(),
      crashed: (error) => this.sliceFailed(error),
      present: (_type, data) => data,
      askClosed: () => {},
      deadlinePassed: (name) => this.deadlinePassed(name),
      load: platform.load,
    });
    this.intake = new ThreadIntake(this.store, this.kit, platform.now, (range) => this.sendJob(range));
  }

  /** The thread as it stands, or as it stood after a message. */
  view(atSeq?: number): Thread {
    return threadView(this.store, atSeq);
  }

  /**
   * A delivery of the queue: has one bounded slice done. It waits for it only so long, so that a slow model of one thread doesn't
   * hold up the queue for others; then the slice goes on here.
   * @throws {unknown} what the slice threw: the queue delivers again.
   */
  async deliver(): Promise<SliceReport> {
    // From here on the lease watches over it.
    this.kit.deadlines.move(unstartedDeadline, undefined);
    this.kit.loop.kick();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waitedEnough = new Promise<SliceReport>((resolve) => {
      timer = setTimeout(() => resolve({ more: true }), deliveryWaitMs);
    });
    const done = this.kit.loop.driven().then((outcome) => ({ more: outcome === "yielded" }));
    return Promise.race([done, waitedEnough]).finally(() => clearTimeout(timer));
  }

  marksView(): ThreadMarksView {
    return marksView(this.store);
  }

  /**
   * Waits until a level has reached a message, at most so long; says whether it has. A context that no flush was asked for isn't waited for:
   * nothing would bring it there.
   */
  async reached(level: Level, seq: number | undefined, timeoutMs: number): Promise<boolean> {
    const upTo = seq ?? this.store.thread().marks.lastSeq;
    const isRebuilt = (): boolean => level !== "context" || !this.store.thread().isRebuildDue;
    const isReached = (): boolean => isRebuilt() && this.marksView()[level] >= upTo;
    const isComing = (): boolean => level !== "context" || this.store.thread().marks.requestedSeq >= upTo;
    // False, too, where the object was emptied meanwhile: there is nothing to look at then.
    return (await this.kit.waiters.until(() => isReached() || !isComing(), timeoutMs)) && isReached();
  }

  /**
   * Erases a message: its text goes at once, what is being worked on is thrown away, and the outbox brings the erasure to D1. When this
   * returns, nothing that was begun before can still write it.
   * @param deleted who wanted it, for the audit; absent where the system did
   */
  async erase(entryId: string, deleted?: DoneBy): Promise<boolean> {
    const message = this.store.byEntry(entryId);
    // An entry without a conversation isn't stored here; but a flush may have it in its journal.
    if (message === undefined && this.store.thread().threadId !== standaloneThread) return false;
    this.kit.loop.cancel();
    this.kit.write(() => {
      this.kit.freeSpace.overwriteSoon();
      if (message === undefined) return this.store.forgetWork();
      this.store.erase(message.seq);
      this.kit.outbox.put("erase", entryId, { entryId, deleted });
      // A flush may have waited for this one.
      this.sendJob({ fromSeq: message.seq, toSeq: message.seq });
    });
    // However it ended: it lost its lease.
    await this.kit.loop.driven().catch(() => undefined);
    this.kit.deliverSoon();
    return message !== undefined;
  }

  /** The summaries that were written with an erased message in view have to be written again. */
  rewriteAround(entryId: string): string[] {
    const later = this.store.after(entryId, windowMessages);
    if (later === undefined) return [];
    this.rewrite(later);
    return later.map((message) => message.entryId);
  }

  /** Summaries of messages are written again, at once. */
  rewrite(messages: readonly ThreadMessage[]): void {
    if (messages.length === 0) return;
    this.doSoon(() => this.store.markStale(messages, this.platform.now()));
  }

  /** Summaries of entries are written again, at once; those of entries without a conversation, whose texts aren't here, too. */
  backfill(entryIds: readonly string[]): void {
    if (this.store.thread().threadId !== standaloneThread) {
      this.rewrite(entryIds.flatMap((entryId) => this.store.byEntry(entryId) ?? []));
    } else if (entryIds.length > 0) {
      this.doSoon(() => this.store.summaries.add(entryIds));
    }
  }

  /** What the context forgot, of whatever thread, is taken in again. */
  rebuild(): void {
    this.doSoon(() => this.store.setRebuildDue(true));
  }

  /** Its last numbers, and what was erased in it. */
  numbers(): ThreadNumbers {
    const { lastSeq, behind = 0 } = this.store.thread().marks;
    return { outbox: this.kit.outbox.lastNumber(), events: Math.max(lastSeq, behind), erased: this.store.erased() };
  }

  /** Ends what runs: nothing that was begun in this state is written into a memory that follows another one. */
  async leave(): Promise<void> {
    this.kit.loop.cancel();
    await this.kit.loop.driven().catch(() => undefined);
  }

  /** It wasn't put back after all. */
  goOn(): void {
    this.doSoon(() => undefined);
  }

  /** It was put back: it numbers on behind all that it said before, and does what there is to do as of then. Again changes nothing. */
  restored({ outbox, events }: Numbers): void {
    const { marks, control } = this.store.thread();
    if ((marks.behind ?? 0) >= events) return;
    this.doSoon(() => {
      this.kit.outbox.goOnBehind(outbox);
      this.store.setMarks({ ...marks, behind: events }, control);
    });
    this.kit.deadlines.rearm();
  }

  /** Ends what runs, so that nothing is written afterwards, and empties the object. */
  async remove(): Promise<void> {
    await this.kit.stop();
    await this.kit.empty();
  }

  private doSoon(note: () => void): void {
    this.kit.write(() => {
      note();
      const { lastSeq } = this.store.thread().marks;
      this.sendJob({ fromSeq: lastSeq, toSeq: lastSeq });
    });
    this.kit.deliverSoon();
  }

  private next(): WorkItem {
    const { store, kit } = this;
    const { indexedSeq, coveredSeq } = store.thread();
    return {
      slice: (lease) => this.runSlice(lease),
      tries: {
        id: sliceWork,
        progress: `${indexedSeq}/${coveredSeq}/${kit.attempts.stepsDone()}`,
        setAside: (why) => this.setAside(why),
      },
    };
  }

  /** Does what there is to do, for a bounded time. */
  private async runSlice(lease: Lease): Promise<StepOutcome> {
    const { store, kit, platform } = this;
    const ports: WorkPorts = { storage: this.ctx.storage, store, kit, platform, lease };
    const until = platform.now() + sliceMs;
    const isStandalone = store.thread().threadId === standaloneThread;
    let work = nextWork(store, platform.now());
    // Entries without a conversation may wait for their vectors alone.
    while (work !== undefined || isStandalone) {
      const slice = await openSlice(ports);
      if (slice === undefined) {
        // The memory was deleted without this thread: it goes too.
        await kit.outbox.drain();
        await kit.empty();
        return "gone";
      }
      // They have no capture that would fetch them.
      const filled = isStandalone && (await platform.vectors.fill(slice.memory)) > 0;
      if (work !== undefined && !filled) await work(slice, ports);
      work = nextWork(store, platform.now());
      if (work === undefined || lease.signal.aborted || platform.now() >= until) break;
    }
    const { failure, indexedSeq, marks } = store.thread();
    if (failure !== undefined) store.setFailure(undefined);
    if (work === undefined) {
      // What its models took: nobody else comes by to send it off, and limits keep it reserved until then.
      kit.deliverSoon();
      return "idle";
    }
    this.sendJob({ fromSeq: indexedSeq, toSeq: marks.lastSeq });
    return "yielded";
  }

  /** Its slices died again and again. What it has kept stays; its steps are done anew when it is tried again. */
  private setAside(why: string): void {
    const until = this.platform.now() + setAsideMs;
    this.kit.log("error", "memory.set_aside", { error: why });
    this.store.setFailure(`The work on this thread is set aside until ${new Date(until).toISOString()}: ${why}.`);
    this.store.forgetSteps();
    this.kit.attempts.setAside(sliceWork, until);
    this.kit.waiters.check();
  }

  /** The delivery that began the slice may not wait any more: the lease stays, and the alarm tries again. */
  private sliceFailed(error: unknown): void {
    this.kit.log("warn", "memory.slice_failed", describeError(error));
    this.store.setFailure(failureText(error));
    this.kit.waiters.check();
  }

  private sendJob(range: FlushRange): void {
    this.kit.outbox.put("flush", "flush", range);
    this.kit.deadlines.move(unstartedDeadline, this.platform.now() + unstartedAfterMs);
  }

  private deadlinePassed(name: string): void {
    if (name === "idle") return void this.intake.end();
    // Besides "rewrite": "redo" and "watch" are left of earlier versions.
    if (nextWork(this.store, this.platform.now()) === undefined) return;
    const { lastSeq } = this.store.thread().marks;
    this.sendJob({ fromSeq: lastSeq, toSeq: lastSeq });
    this.kit.deliverSoon();
  }
}
