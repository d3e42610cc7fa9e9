/** What goes from an object to others (D1, queues): stored with the change that it is about, delivered afterwards, at least once. */
import { isCopy, type OutboxPayload, type OutboxTopic } from "../../src/catalogues/outbox.js";
import type { ParkedDelivery } from "../../src/conversation/parked-delivery.js";
import { messagesOf, type NewMessage, type OutboxMessage, rowOf, severalTopic } from "./outbox-rows.js";

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

/** A row as it waits. */
interface WaitingRow extends Record<string, SqlStorageValue> {
  id: number;
  entity: string;
  topic: string;
  payload: string;
  due_at: number;
}

const batchSize = 25;
/** The first retry's wait, doubled each time up to the cap, in milliseconds. */
const firstRetryMs = 1_000;
const maxRetryMs = 3_600_000;
/** A message is parked at its so manieth failed try, after about five hours; then it is tried so often, in milliseconds. */
export const maxTries = 16;
const parkedRetryMs = 86_400_000;
/** Of a failure's text, in characters; and of parked messages, how many are listed. */
const maxError = 300;
const maxListed = 100;
/** How long a delivery may take before the alarm tries again. */
const leaseMs = 15_000;

export function retryDelayMs(attempts: number): number {
  return Math.min(maxRetryMs, firstRetryMs * 2 ** Math.max(0, attempts - 1));
}

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

  constructor(private readonly ports: OutboxPorts) {}

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

  /** The write that was under way was undone. */
  undone(): void {
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
    this.ports.sql.exec(
      "INSERT INTO outbox (id, entity, topic, payload, due_at) VALUES (?, ?, ?, ?, ?)",
      id,
      row.entity,
      row.topic,
      row.payload,
      now,
    );
    this.last = id;
    this.known?.push({ id, ...row, due_at: now });
    this.wakeBy(now);
  }

  private lastId(): number {
    this.last ??= this.ports.sql
      .exec<{ id: number }>("SELECT COALESCE(MAX(seq), 0) AS id FROM sqlite_sequence WHERE name = 'outbox'")
      .one().id;
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
    return this.ports.sql
      .exec<{ id: number; topic: string; attempts: number; error: string | null; parked_at: number }>(
        "SELECT id, topic, attempts, error, parked_at FROM outbox WHERE parked_at IS NOT NULL ORDER BY id LIMIT ?",
        maxListed,
      )
      .toArray()
      .map(({ id, topic, attempts, error, parked_at }) => ({
        deliveryId: id,
        topic,
        attempts,
        error: error ?? "",
        parkedAt: new Date(parked_at).toISOString(),
      }));
  }

  /** Makes all that is parked due at once; gives how many there are. `drain` delivers it. */
  retryParked(): number {
    const made = "UPDATE outbox SET due_at = ? WHERE parked_at IS NOT NULL RETURNING id";
    this.known = undefined;
    return this.ports.sql.exec(made, this.ports.now()).toArray().length;
  }

  size(): number {
    return this.ports.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM outbox").one().n;
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

  /** When the next is due that is due after a time. The head of each entity: what waits behind it must not wake anybody. */
  private nextDue(after = 0): number {
    const { at } = this.ports.sql
      .exec<{ at: number | null }>(
        `SELECT MIN(due_at) AS at FROM outbox
         WHERE due_at > ? AND
           (parked_at IS NOT NULL OR id IN (SELECT MIN(id) FROM outbox WHERE parked_at IS NULL GROUP BY entity))`,
        after,
      )
      .one();
    return at ?? Number.POSITIVE_INFINITY;
  }

  private newest(): number {
    if (this.known !== undefined) return this.known.at(-1)?.id ?? 0;
    return this.ports.sql.exec<{ id: number | null }>("SELECT MAX(id) AS id FROM outbox").one().id ?? 0;
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
    const { sql, now, write } = this.ports;
    const ofSeveral = rows.filter(({ topic }) => topic === severalTopic);
    if (ofSeveral.length === 0) return;
    this.known = undefined;
    write(() => {
      for (const row of ofSeveral) {
        sql.exec("DELETE FROM outbox WHERE id = ?", row.id);
        for (const { id, entity, topic, payload } of messagesOf(row))
          sql.exec(
            "INSERT INTO outbox (id, entity, topic, payload, due_at) VALUES (?, ?, ?, ?, ?)",
            ...[id, entity, topic, payload, now()],
          );
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
    const [first] = ids;
    if (ids.length === 1 && first !== undefined) this.ports.sql.exec("DELETE FROM outbox WHERE id = ?", first);
    else this.ports.sql.exec("DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
    this.known = this.known?.filter(({ id }) => !ids.includes(id));
    return true;
  }

  /** Whoever ends work looks whether it is so; until then the lease of the work stands. */
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
    return this.ports.sql.exec("SELECT 1 FROM outbox LIMIT 1").toArray().length === 0;
  }

  /** The oldest that are due; an entity with a postponed message waits behind it. */
  private take(): OutboxMessage[] {
    const now = this.ports.now();
    // Ordinarily nothing was postponed: whatever an entity would wait behind is older than it then, and due as well.
    const all =
      this.known ??
      this.ports.sql
        .exec<WaitingRow>("SELECT id, entity, topic, payload, due_at FROM outbox ORDER BY id LIMIT ?", batchSize + 1)
        .toArray();
    const oldest = all.slice(0, batchSize);
    const areDue = oldest.every(({ due_at }) => due_at <= now);
    this.known = areDue && all.length <= batchSize ? all : undefined;
    if (areDue) return oldest.map(({ due_at: _, ...message }) => message);
    // An entity that waits is found by its rows.
    this.split(
      this.ports.sql
        .exec<WaitingRow>("SELECT id, entity, topic, payload, due_at FROM outbox WHERE topic = ?", severalTopic)
        .toArray(),
    );
    return this.ports.sql
      .exec<{ id: number; entity: string; topic: string; payload: string }>(
        `SELECT id, entity, topic, payload FROM outbox AS candidate
         WHERE due_at <= ?1 AND NOT EXISTS (
           SELECT 1 FROM outbox AS earlier
           WHERE earlier.entity = candidate.entity AND earlier.id < candidate.id AND earlier.due_at > ?1
             AND earlier.parked_at IS NULL)
         ORDER BY id LIMIT ?2`,
        now,
        batchSize,
      )
      .toArray();
  }

  private postpone({ id, topic }: OutboxMessage, error: unknown): void {
    const { sql, now } = this.ports;
    this.known = undefined;
    const { attempts } = sql
      .exec<{ attempts: number }>("UPDATE outbox SET attempts = attempts + 1 WHERE id = ? RETURNING attempts", id)
      .one();
    const text = String(error instanceof Error ? error.message : error).slice(0, maxError);
    if (attempts >= maxTries) {
      const park = "UPDATE outbox SET parked_at = ?, error = ?, due_at = ? WHERE id = ?";
      sql.exec(park, now(), text, now() + parkedRetryMs, id);
      this.ports.parked(topic, attempts);
    } else sql.exec("UPDATE outbox SET due_at = ? WHERE id = ?", now() + retryDelayMs(attempts), id);
    this.ports.failed(error, attempts);
  }
}
