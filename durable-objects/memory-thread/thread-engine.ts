/** A memory thread at work: the invoker's commands, durable when they return, and the slices that the queue asks for. */

import type { MemoryPlatform } from "../../src/application/memory/memory-platform.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { AppendCommand, SliceReport, ThreadMarksView } from "../../src/gateways/thread-gateway.js";
import {
  type ControlDecision,
  decideEnd,
  decideFlush,
  decideMessage,
  decideStart,
  type FlushRange,
  idleAfterMs,
} from "../../src/memory/control.js";
import {
  type Invocation,
  type Level,
  type NewMessage,
  standaloneThread,
  type Thread,
  type ThreadMessage,
} from "../../src/memory/memory.js";
import { windowMessages } from "../../src/memory/prompts.js";
import { newId } from "../../src/platform/ids.js";
import { describeError } from "../../src/platform/logging.js";
import type { Lease, StepOutcome } from "../kit/driver.js";
import { Kit } from "../kit/kit.js";
import type { Checkpoint } from "./checkpoint.js";
import { deliverFromThread } from "./deliveries.js";
import { MemoryThreadStore } from "./store.js";
import { invocationView, marksView, threadView } from "./views.js";
import { failureText, nextWork, runSlice, sliceWork } from "./work.js";

/** How long a delivery waits for its slice, in milliseconds. */
const deliveryWaitMs = 3_000;
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
      step: (lease) => this.step(lease),
      crashed: (error) => this.sliceFailed(error),
      present: (_type, data) => data,
      askClosed: () => {},
      deadlinePassed: (name) => this.deadlinePassed(name),
      load: platform.load,
    });
  }

  start(): Invocation {
    return this.kit.write(() => {
      this.apply(decideStart(this.store.thread().marks));
      this.kit.deadlines.move("idle", this.platform.now() + idleAfterMs);
      return invocationView(this.store);
    });
  }

  /** Takes messages, all or none; they are stored when this returns, and no model is waited for. */
  append(command: AppendCommand): Result<Invocation> {
    const known = this.store.batch(command.idempotencyKey);
    if (known !== undefined) {
      return known.requestHash === "" || known.requestHash === command.requestHash
        ? ok(invocationView(this.store, known))
        : refuse("idempotency_conflict", "This Idempotency-Key came with other messages before. Use a new key.");
    }
    const fromSeq = this.store.thread().marks.lastSeq + 1;
    const range = { fromSeq, toSeq: fromSeq + command.messages.length - 1 };
    const invocation = this.kit.write(() => {
      for (const message of command.messages) this.take({ ...message, vouchedBy: command.vouchedBy });
      if (command.flushNow) this.flushNow();
      this.store.addBatch(command.idempotencyKey, command.requestHash, range);
      this.kit.deadlines.move("idle", this.platform.now() + idleAfterMs);
      this.sendJob(range);
      return invocationView(this.store, range);
    });
    this.kit.deliverSoon();
    return ok(invocation);
  }

  /**
   * Takes note of an entry without a conversation, which is stored already: flushes of such entries are decided as those of
   * messages are. Told again, or late, it changes nothing.
   * @param flushNow it corrects another one: the context learns of it at once
   */
  noteEntry(seq: number, characters: number, flushNow: boolean): void {
    this.kit.write(() => {
      let { lastSeq } = this.store.thread().marks;
      if (seq <= lastSeq) return;
      // Those that were never noted count too: whoever wrote them may have died just then.
      for (; lastSeq < seq; lastSeq++) {
        this.apply(decideMessage(this.store.thread().marks, lastSeq + 1 === seq ? characters : 0));
      }
      this.store.setIndexed(seq);
      if (flushNow) this.flushNow();
      this.kit.deadlines.move("idle", this.platform.now() + idleAfterMs);
      this.sendJob({ fromSeq: seq, toSeq: seq });
    });
    this.kit.deliverSoon();
  }

  /** Ends the session. What isn't covered yet will be; where everything is, nothing is done. */
  end(): Invocation {
    const invocation = this.kit.write(() => {
      const decision = decideEnd(this.store.thread().marks);
      this.apply(decision);
      this.kit.deadlines.move("idle", undefined);
      if (decision.flush !== undefined) this.sendJob(decision.flush);
      const done = invocationView(this.store);
      return decision.flush === undefined ? done : { ...done, flush: decision.flush };
    });
    this.kit.deliverSoon();
    return invocation;
  }

  /** Takes in all messages that another thread had up to a checkpoint, at once. */
  restore({ messages, batches }: Checkpoint): void {
    this.kit.write(() => {
      for (const message of messages) {
        while (this.store.thread().marks.epoch < message.epoch) {
          if (this.store.thread().marks.open) this.apply(decideEnd(this.store.thread().marks));
          this.apply(decideStart(this.store.thread().marks));
        }
        this.take(message);
        if (message.content === "") this.store.erase(message.seq);
      }
      for (const { idempotencyKey, requestHash, ...range } of batches) {
        this.store.addBatch(idempotencyKey, requestHash, range);
      }
      this.sendJob({ fromSeq: 1, toSeq: messages.length });
    });
    this.kit.deliverSoon();
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
    this.kit.kick();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waitedEnough = new Promise<SliceReport>((resolve) => {
      timer = setTimeout(() => resolve({ more: true }), deliveryWaitMs);
    });
    const done = this.kit.driven().then((outcome) => ({ more: outcome === "yielded" }));
    return Promise.race([done, waitedEnough]).finally(() => clearTimeout(timer));
  }

  marksView(): ThreadMarksView {
    return marksView(this.store);
  }

  /** Waits until a level has reached a message, at most so long; says what was reached. */
  reached(level: Level, seq: number | undefined, timeoutMs: number): Promise<boolean> {
    const upTo = seq ?? this.store.thread().marks.lastSeq;
    const isWhole = (): boolean => level !== "context" || !this.store.thread().isRebuildDue;
    return this.kit.waiters.until(() => isWhole() && this.marksView()[level] >= upTo, timeoutMs);
  }

  /**
   * Erases a message: its text goes at once, what is being worked on is thrown away, and the outbox brings the erasure to D1. When this
   * returns, nothing that was begun before can still write it.
   */
  async erase(entryId: string): Promise<boolean> {
    const message = this.store.byEntry(entryId);
    // An entry without a conversation isn't stored here; but a flush may have it in its journal.
    if (message === undefined && this.store.thread().threadId !== standaloneThread) return false;
    this.kit.cancel();
    this.kit.write(() => {
      if (message === undefined) return this.store.forgetWork();
      this.store.erase(message.seq);
      this.kit.outbox.put("erase", entryId, { entryId });
      // A flush may have waited for this one.
      this.sendJob({ fromSeq: message.seq, toSeq: message.seq });
    });
    // However it ended: it lost its lease.
    await this.kit.driven().catch(() => undefined);
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

  /** What the context forgot, of whatever thread, is taken in again. */
  rebuild(): void {
    this.doSoon(() => this.store.setRebuildDue(true));
  }

  /** Ends what runs, so that nothing is written afterwards, and empties the object. */
  async remove(): Promise<void> {
    this.kit.cancel();
    await this.kit.stopped();
    await this.empty();
  }

  private doSoon(note: () => void): void {
    this.kit.write(() => {
      note();
      const { lastSeq } = this.store.thread().marks;
      this.sendJob({ fromSeq: lastSeq, toSeq: lastSeq });
    });
    this.kit.deliverSoon();
  }

  private async empty(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.kit.emptied();
    this.kit.waiters.rejectAll();
  }

  private take(message: NewMessage & Pick<ThreadMessage, "vouchedBy">): void {
    const decision = decideMessage(this.store.thread().marks, message.content.length);
    const { occurredAt = new Date(this.platform.now()).toISOString() } = message;
    this.store.addMessage({
      ...message,
      occurredAt,
      seq: decision.marks.lastSeq,
      entryId: newId("ent"),
      control: decision.control,
      epoch: decision.marks.epoch,
    });
    this.apply(decision);
  }

  private flushNow(): void {
    const { marks, control } = this.store.thread();
    this.apply(decideFlush(marks, control));
  }

  private apply(decision: ControlDecision): void {
    this.store.setMarks(decision.marks, decision.control);
    if (decision.flush !== undefined) this.store.requestFlush(decision.flush);
  }

  private async step(lease: Lease): Promise<StepOutcome> {
    const { store, kit, platform } = this;
    const at = store.thread();
    const attempt = await kit.attempts.begin(
      sliceWork,
      `${at.indexedSeq}/${at.coveredSeq}/${kit.attempts.stepsDone()}`,
    );
    if (attempt === "given_up") this.setAside();
    if (attempt !== "go") return "idle";
    const outcome = await runSlice({ storage: this.ctx.storage, store, kit, platform, lease });
    if (outcome === "gone") {
      // The memory was deleted without this thread: it goes too.
      await kit.outbox.drain();
      await this.empty();
      return outcome;
    }
    kit.attempts.forget(sliceWork);
    const { failure, indexedSeq, marks } = store.thread();
    if (failure !== undefined) store.setFailure(undefined);
    if (outcome === "yielded") this.sendJob({ fromSeq: indexedSeq, toSeq: marks.lastSeq });
    return outcome;
  }

  /** Its slices died again and again. What it has kept stays; its steps are done anew when it is tried again. */
  private setAside(): void {
    const until = this.platform.now() + setAsideMs;
    const why = this.kit.attempts.whyGivenUp(sliceWork);
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
    if (name === "idle") return void this.end();
    // Besides "rewrite": "redo" and "watch" are left of earlier versions.
    if (nextWork(this.store, this.platform.now()) === undefined) return;
    const { lastSeq } = this.store.thread().marks;
    this.sendJob({ fromSeq: lastSeq, toSeq: lastSeq });
    this.kit.deliverSoon();
  }
}
