/** What goes from an object to others (D1, queues): stored with the change that it is about, delivered afterwards, at least once. */
import { isCopy, type OutboxPayload, type OutboxTopic } from "../../src/catalogues/outbox.js";
import { afterTry, doublingWaits, type ParkedDelivery } from "../../src/conversation/delivery.js";
import { messagesOf, type NewMessage, type OutboxMessage, rowOf, severalTopic } from "./outbox-rows.js";
import { OutboxStore, type WaitingRow } from "./outbox-store.js";

export interface OutboxPorts {
  readonly sql: SqlStorage;
  readonly now: () => number;
  /** Does a write: all of it, or nothing. */
  readonly write: (change: () => void) => void;
  /** Delivers all or throws. Receivers are idempotent. */
  readonly deliver: (messages: readonly OutboxMessage[]) => Promise<void>;
  /** Sees to it that `drain` is called then, even if this object dies first. */
  readonly wakeAt: (at: number | undefined) => void;
  /** The same for then or earlier, whatever is set already. */
  readonly wakeBy: (at: number) => void;
  readonly failed: (error: unknown, attempts: number) => void;
  /** It was tried to the end, and keeps nothing back any more. */
  readonly parked: (topic: string, attempts: number) => void;
}

const batchSize = 25;
/** A message is parked at its so manieth failed try, after about five hours; then it is tried so often, in milliseconds. */
export const maxTries = 16;
const parkedRetryMs = 86_400_000;
export const outboxWaits = doublingWaits(1_000, 3_600_000, maxTries);
/** Of a failure's text, in characters. */
const maxError = 300;
/** How long a delivery may take before the alarm tries again. */
const leaseMs = 15_000;

export class Outbox {
  /** True while `run` will still look for rows; cleared synchronously after its last look. */
  private isDraining = false;
  private drained: Promise<void> = Promise.resolve();
  /** Messages of the write that is under way, while they are gathered. */
  private together: NewMessage[] | undefined;
  /** The number of the last message there ever was; read when it is asked for. */
  private last: number | undefined;
  /** All rows there are, as long as they are few, due and were never tried; read anew otherwise. */
  private known: WaitingRow[] | undefined;
  /** Something was put since the last delivery that somebody waits for. */
  private urgent = false;
  /** The newest that a drain is to deliver. */
  private upTo = 0;
  /** By when this instance has seen to it that somebody drains. */
  private wakesAt: number | undefined;

  private readonly store: OutboxStore;

  constructor(private readonly ports: OutboxPorts) {
    this.store = new OutboxStore(ports.sql);
  }

  /** In the write that it tells others of; `drain` delivers it. */
  put<Topic extends OutboxTopic>(topic: Topic, entity: string, payload: OutboxPayload<Topic>): void {
    const message = { entity, topic, payload: JSON.stringify(payload) };
    this.urgent ||= !isCopy(topic);
    if (this.together !== undefined) this.together.push(message);
    else this.insert([message]);
  }

  /** From here on messages wait for `flush`: they become one row. Within one write. */
  gather(): void {
    this.together = [];
  }

  /** Stores what waits, in the write that is under way. */
  flush(): void {
    const waiting = this.together ?? [];
    this.together = undefined;
    if (waiting.length > 0) this.insert(waiting);
  }

  /** The write that was under way was rolled back. */
  onRollback(): void {
    this.together = undefined;
    this.last = undefined;
    this.known = undefined;
    // The deadline that it set went with it.
    this.wakesAt = undefined;
  }

  private insert(messages: readonly NewMessage[]): void {
    const now = this.ports.now();
    const [first, ...others] = messages;
    if (first === undefined) return;
    const row = rowOf([first, ...others]);
    // Each message has a number, whichever row it stands in: receivers tell them apart by it.
    const id = this.lastId() + messages.length;
    this.store.insert({ id, ...row }, now);
    this.last = id;
    this.known?.push({ id, ...row, due_at: now });
    this.wakeBy(now);
  }

  /** The number of the last message there ever was. */
  lastNumber(): number {
    return this.lastId();
  }

  /** In a write that puts something: its number and all after it are higher than this one. */
  goOnBehind(number: number): void {
    this.last = Math.max(this.lastId(), number);
  }

  private lastId(): number {
    this.last ??= this.store.last();
    return this.last;
  }

  /** Whether it holds more than copies for lists and records. */
  isUrgent(): boolean {
    return this.urgent;
  }

  /**
   * Delivers what is due of what there is now; one drain at a time. What is put meanwhile has its own time, unless somebody calls this
   * again. Never throws.
   */
  drain(): Promise<void> {
    this.urgent = false;
    this.upTo = this.newest();
    if (!this.isDraining) this.drained = this.run();
    return this.drained;
  }

  /** What was tried to the end, the oldest first. */
  parked(): ParkedDelivery[] {
    return this.store.parked();
  }

  /** Makes all that is parked due at once; returns how many there are. `drain` delivers it. */
  retryParked(): number {
    this.known = undefined;
    return this.store.retryParked(this.ports.now());
  }

  size(): number {
    return this.store.size();
  }

  private async run(): Promise<void> {
    this.isDraining = true;
    try {
      for (let rows = this.take(); rows.length > 0; rows = this.take()) {
        const [first] = rows;
        if (first !== undefined && first.id > this.upTo) {
          const now = this.ports.now();
          this.wakeAt(Math.min(this.nextDue(now), now + leaseMs));
          return;
        }
        const messages = rows.flatMap(messagesOf);
        if (messages.length > 1 && (await this.send(rows, messages))) continue;
        if (messages.length > rows.length) this.split(rows);
        else await this.sendEachAlone(rows);
      }
      this.wakeAt(this.isEmpty() ? undefined : this.nextDue());
    } finally {
      this.isDraining = false;
    }
  }

  private nextDue(after = 0): number {
    return this.store.nextDue(after) ?? Number.POSITIVE_INFINITY;
  }

  private newest(): number {
    if (this.known !== undefined) return this.known.at(-1)?.id ?? 0;
    return this.store.newest();
  }

  /** One of them can't be delivered: found, so that it keeps back its own entity and no other. */
  private async sendEachAlone(batch: readonly OutboxMessage[]): Promise<void> {
    const stuck = new Set<string>();
    for (const message of batch) {
      if (stuck.has(message.entity)) continue;
      const sent = await this.send([message], [message], (error) => this.postpone(message, error));
      if (!sent) stuck.add(message.entity);
    }
  }

  /** Messages of one write become rows of their own: each can be delivered, postponed and parked without the others. */
  private split(rows: readonly OutboxMessage[]): void {
    const { now, write } = this.ports;
    const ofSeveral = rows.filter(({ topic }) => topic === severalTopic);
    if (ofSeveral.length === 0) return;
    this.known = undefined;
    write(() => {
      for (const row of ofSeveral) {
        this.store.delete([row.id]);
        for (const message of messagesOf(row)) this.store.insert(message, now());
      }
    });
  }

  private async send(
    rows: readonly OutboxMessage[],
    messages: readonly OutboxMessage[],
    failed: (error: unknown) => void = () => {},
  ): Promise<boolean> {
    try {
      await this.ports.deliver(messages);
    } catch (error) {
      failed(error);
      return false;
    }
    const ids = rows.map(({ id }) => id);
    const wereParked = this.store.delete(ids);
    this.known = this.known?.filter(({ id }) => !ids.includes(id));
    if (wereParked) this.tellParked();
    return true;
  }

  /** The tenant's overview counts what is given up, and no more once it has gone through. */
  private tellParked(): void {
    const payload = { parked: this.store.countParked(), at: this.ports.now() };
    this.put("parked", "parked", payload);
  }

  /** The end of work looks whether it is so; until then the lease of the work stands. */
  private wakeBy(now: number): void {
    const at = now + leaseMs;
    if (this.wakesAt !== undefined && now < this.wakesAt && this.wakesAt <= at) return;
    this.ports.wakeBy(at);
    this.wakesAt = at;
  }

  private wakeAt(at: number | undefined): void {
    this.wakesAt = undefined;
    this.ports.wakeAt(at);
  }

  isEmpty(): boolean {
    if (this.known !== undefined) return this.known.length === 0;
    return this.store.isEmpty();
  }

  /** The oldest that are due; an entity with a postponed message waits behind it. */
  private take(): OutboxMessage[] {
    const now = this.ports.now();
    // Ordinarily nothing was postponed: whatever an entity would wait behind is older than it then, and due as well.
    const all = this.known ?? this.store.oldest(batchSize + 1);
    const oldest = all.slice(0, batchSize);
    const areDue = oldest.every(({ due_at }) => due_at <= now);
    this.known = areDue && all.length <= batchSize ? all : undefined;
    if (areDue) return oldest.map(({ due_at: _, ...message }) => message);
    // An entity that waits is found by its rows.
    this.split(this.store.ofTopic(severalTopic));
    return this.store.due(now, batchSize);
  }

  private postpone({ id, topic }: OutboxMessage, error: unknown): void {
    const { now } = this.ports;
    this.known = undefined;
    const attempts = this.store.countTry(id);
    const failure = String(error instanceof Error ? error.message : error).slice(0, maxError);
    const next = afterTry({ kind: "failed", failure }, attempts, { waits: outboxWaits, knowsRepeats: true });
    if (next.status === "parked") {
      this.store.park(id, now(), failure, now() + parkedRetryMs);
      this.ports.parked(topic, attempts);
      // Of what says so itself nothing can be said.
      if (topic !== "parked") this.tellParked();
    } else if (next.status === "pending") this.store.postpone(id, now() + next.waitMs);
    this.ports.failed(error, attempts);
  }
}
