/** What comes into a thread: sessions that begin and end, messages, entries; each durable when its call returns, and no model is waited for. */
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { AppendCommand } from "../../src/gateways/thread-gateway.js";
import {
  type ControlDecision,
  decideEnd,
  decideFlush,
  decideMessage,
  decideStart,
  type FlushRange,
  idleAfterMs,
  nextSeq,
} from "../../src/memory/control.js";
import type { Invocation, NewMessage, ThreadMessage } from "../../src/memory/memory.js";
import { newId } from "../../src/platform/ids.js";
import type { Kit } from "../kit/kit.js";
import type { Checkpoint } from "./checkpoint.js";
import type { MemoryThreadStore } from "./store.js";
import { invocationView } from "./views.js";

export class ThreadIntake {
  /**
   * @param now milliseconds since the epoch
   * @param sendJob has the queue see to a range, in the write that is under way
   */
  constructor(
    private readonly store: MemoryThreadStore,
    private readonly kit: Kit,
    private readonly now: () => number,
    private readonly sendJob: (range: FlushRange) => void,
  ) {}

  start(): Invocation {
    return this.kit.write(() => {
      this.apply(decideStart(this.store.thread().marks));
      this.kit.deadlines.move("idle", this.now() + idleAfterMs);
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
    const fromSeq = nextSeq(this.store.thread().marks);
    const range = { fromSeq, toSeq: fromSeq + command.messages.length - 1 };
    const invocation = this.kit.write(() => {
      for (const message of command.messages) this.take({ ...message, vouchedBy: command.vouchedBy });
      if (command.flushNow) this.flushNow();
      this.store.addBatch(command.idempotencyKey, command.requestHash, range);
      this.kit.deadlines.move("idle", this.now() + idleAfterMs);
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
   * @param unsummarised its id, where it has no summary but an extract
   */
  noteEntry(seq: number, characters: number, flushNow: boolean, unsummarised?: string): void {
    this.kit.write(() => {
      let { lastSeq } = this.store.thread().marks;
      if (unsummarised !== undefined) this.store.summaries.add([unsummarised]);
      if (seq <= lastSeq) return unsummarised === undefined ? undefined : this.sendJob({ fromSeq: seq, toSeq: seq });
      // Those that were never noted count too: their writer may have died just then.
      for (; lastSeq < seq; lastSeq++) {
        this.apply(decideMessage(this.store.thread().marks, lastSeq + 1 === seq ? characters : 0));
      }
      this.store.setIndexed(seq);
      if (flushNow) this.flushNow();
      this.kit.deadlines.move("idle", this.now() + idleAfterMs);
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

  private take(message: NewMessage & Pick<ThreadMessage, "vouchedBy">): void {
    const decision = decideMessage(this.store.thread().marks, message.content.length);
    const { occurredAt = new Date(this.now()).toISOString() } = message;
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
}
