/** A memory thread at work: the invoker's commands, durable when they return, and the slices that the queue asks for. */

import type { MemoryPlatform } from "../../src/application/memory/memory-platform.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { AppendCommand, SliceReport, ThreadMarksView } from "../../src/gateways/thread-gateway.js";
import {
  type ControlDecision,
  decideEnd,
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
import { Kit } from "../kit/kit.js";
import type { Checkpoint } from "./checkpoint.js";
import { deliverFromThread } from "./deliveries.js";
import { MemoryThreadStore } from "./store.js";
import { invocationView, marksView, threadView } from "./views.js";
import { doSlice, failureText, hasWork } from "./work.js";

/** How long a delivery waits for its slice, and when the alarm looks after one that an instance may have died over. */
const deliveryWaitMs = 3_000;
const watchMs = 60_000;
/** A delivery goes on with further pieces of work for so long. */
const sliceMs = 2_000;

export class ThreadEngine {
  readonly store: MemoryThreadStore;
  readonly kit: Kit;
  /** One slice at a time. */
  private working: Promise<unknown> = Promise.resolve();
  private abort = new AbortController();

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
      step: async () => "idle",
      present: (_type, data) => data,
      askClosed: () => {},
      deadlinePassed: (name) => this.deadlinePassed(name),
    });
  }

  start(): Invocation {
    return this.ctx.storage.transactionSync(() => {
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
    const invocation = this.ctx.storage.transactionSync(() => {
      for (const message of command.messages) this.take(message);
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
   */
  noteEntry(seq: number, characters: number): void {
    this.ctx.storage.transactionSync(() => {
      let { lastSeq } = this.store.thread().marks;
      if (seq <= lastSeq) return;
      // Those that nobody told of count too: whoever wrote them may have died just then.
      for (; lastSeq < seq; lastSeq++) {
        this.apply(decideMessage(this.store.thread().marks, lastSeq + 1 === seq ? characters : 0));
      }
      this.store.setIndexed(seq);
      this.kit.deadlines.move("idle", this.platform.now() + idleAfterMs);
      this.sendJob({ fromSeq: seq, toSeq: seq });
    });
    this.kit.deliverSoon();
  }

  /** Ends the session. What isn't covered yet will be; where everything is, nothing is done. */
  end(): Invocation {
    const invocation = this.ctx.storage.transactionSync(() => {
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

  /** Takes in all that another thread had been told up to a checkpoint, at once. */
  restore({ messages, batches }: Checkpoint): void {
    this.ctx.storage.transactionSync(() => {
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
   * Does one bounded slice of what is to be done, after the one that is being done. A delivery waits for it only so long, so that
   * a slow model of one thread doesn't hold up the queue for others; then the slice goes on here, and an alarm watches it.
   */
  async slice(): Promise<SliceReport> {
    const next = this.working.then(() => this.oneSlice());
    this.working = next.catch(() => undefined);
    this.ctx.waitUntil(this.working);
    this.kit.deadlines.move("watch", this.platform.now() + watchMs);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const enough = new Promise<SliceReport>((resolve) => {
      timer = setTimeout(() => resolve({ more: true }), deliveryWaitMs);
    });
    return Promise.race([next, enough]).finally(() => clearTimeout(timer));
  }

  marksView(): ThreadMarksView {
    return marksView(this.store);
  }

  /** Waits until a level has reached a message, at most so long; says what was reached. */
  reached(level: Level, seq: number | undefined, timeoutMs: number): Promise<boolean> {
    const wanted = seq ?? this.store.thread().marks.lastSeq;
    return this.kit.waiters.until(() => this.marksView()[level] >= wanted, timeoutMs);
  }

  /**
   * Erases a message: its text goes at once, what is being worked on is thrown away, and D1 is told through the outbox. When this
   * returns, nothing that was begun before can still write it.
   */
  async erase(entryId: string): Promise<boolean> {
    const message = this.store.byEntry(entryId);
    // An entry without a conversation isn't stored here; but a flush may have it in its journal.
    if (message === undefined && this.store.thread().threadId !== standaloneThread) return false;
    this.abort.abort();
    this.ctx.storage.transactionSync(() => {
      if (message === undefined) return this.store.forgetWork();
      this.store.erase(message.seq);
      this.kit.outbox.put("erase", entryId, { entryId });
    });
    await this.working;
    this.kit.deliverSoon();
    return message !== undefined;
  }

  /** The summaries that were written with an erased message in view, and the context that took it in, have to be written again. */
  rewriteAround(entryId: string, sinceVersion: number | undefined): string[] {
    const later = this.store.after(entryId, windowMessages);
    if (later === undefined) return [];
    this.redo(later, sinceVersion === undefined ? undefined : this.store.firstSeqOfVersion(sinceVersion));
    return later.map((message) => message.entryId);
  }

  /** Summaries of messages, and the context from a message on, are written again, at once. */
  redo(messages: readonly ThreadMessage[], contextFrom?: number): void {
    if (messages.length === 0 && contextFrom === undefined) return;
    this.ctx.storage.transactionSync(() => {
      this.store.due(messages, contextFrom, this.platform.now());
      const { lastSeq } = this.store.thread().marks;
      this.sendJob({ fromSeq: lastSeq, toSeq: lastSeq });
    });
    this.kit.deliverSoon();
  }

  /** Ends what runs, so that nothing is written afterwards, and empties the object. */
  async remove(): Promise<void> {
    this.abort.abort();
    await this.working;
    await this.kit.stopped();
    await this.empty();
  }

  private async empty(): Promise<void> {
    await this.ctx.storage.deleteAll();
    this.kit.waiters.rejectAll();
  }

  private take(message: NewMessage): void {
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

  private apply(decision: ControlDecision): void {
    this.store.setMarks(decision.marks, decision.control);
    if (decision.flush !== undefined) this.store.requestFlush(decision.flush);
  }

  private async oneSlice(): Promise<SliceReport> {
    this.abort = new AbortController();
    const { signal } = this.abort;
    const { store, kit, platform } = this;
    try {
      const until = platform.now() + sliceMs;
      const ports = { storage: this.ctx.storage, store, kit, platform, signal, holds: () => !signal.aborted };
      let outcome = await doSlice(ports);
      while (outcome === "worked" && !signal.aborted && platform.now() < until && this.hasWork())
        outcome = await doSlice(ports);
      if (outcome === "gone") {
        // The memory was deleted and nobody told this thread: it goes too.
        await this.kit.outbox.drain();
        await this.empty();
        return { more: false };
      }
      if (store.thread().failure !== undefined) store.setFailure(undefined);
      kit.deadlines.move("watch", undefined);
      const more = outcome !== "idle" && this.hasWork();
      if (more) {
        const { indexedSeq, marks } = store.thread();
        this.sendJob({ fromSeq: indexedSeq, toSeq: marks.lastSeq });
        kit.deliverSoon();
      }
      return { more };
    } catch (error) {
      kit.log("warn", "memory.slice_failed", describeError(error));
      store.setFailure(failureText(error));
      // The delivery that began it may not wait any more.
      kit.deadlines.move("watch", platform.now() + watchMs);
      throw error;
    } finally {
      kit.waiters.check();
    }
  }

  private hasWork(): boolean {
    return hasWork(this.store, this.platform.now());
  }

  private sendJob(range: FlushRange): void {
    this.kit.outbox.put("flush", "flush", range);
  }

  private deadlinePassed(name: string): void {
    if (name === "idle") this.end();
    else if (name === "redo" || (name === "watch" && this.hasWork())) {
      const { marks } = this.store.thread();
      this.sendJob({ fromSeq: marks.lastSeq, toSeq: marks.lastSeq });
      this.kit.deliverSoon();
    }
  }
}
