/** What goes from an object to others (D1, queues): stored with the change that it is about, delivered afterwards, at least once. */
import type { OutboxPayload, OutboxTopic } from "../../src/catalogues/outbox.js";
import type { ParkedDelivery } from "../../src/conversation/parked-delivery.js";

export interface OutboxMessage {
  /** Grows within the object: receivers keep the highest they saw of an entity, so that a late one changes nothing. */
  readonly id: number;
  /** Messages of one entity are delivered in order. */
  readonly entity: string;
  /** One of the catalogue; or one that a version before this had. */
  readonly topic: string;
  /** JSON text. */
  readonly payload: string;
}

export interface OutboxPorts {
  readonly sql: SqlStorage;
  readonly now: () => number;
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
  private draining: Promise<void> | undefined;
  /** By when this instance has seen to it that somebody drains. */
  private wakesAt: number | undefined;

  constructor(private readonly ports: OutboxPorts) {}

  /** In the write that it tells others of; `drain` delivers it. */
  put<Topic extends OutboxTopic>(topic: Topic, entity: string, payload: OutboxPayload<Topic>): void {
    const now = this.ports.now();
    this.ports.sql.exec(
      "INSERT INTO outbox (entity, topic, payload, due_at) VALUES (?, ?, ?, ?)",
      entity,
      topic,
      JSON.stringify(payload),
      now,
    );
    this.wakeBy(now);
  }

  /** Delivers what is due; one drain at a time. Never throws. */
  drain(): Promise<void> {
    this.draining ??= this.run().finally(() => {
      this.draining = undefined;
    });
    return this.draining;
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
    return this.ports.sql.exec(made, this.ports.now()).toArray().length;
  }

  size(): number {
    return this.ports.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM outbox").one().n;
  }

  private async run(): Promise<void> {
    for (let batch = this.take(); batch.length > 0; batch = this.take()) {
      if (batch.length === 1 || !(await this.send(batch))) await this.sendEachAlone(batch);
    }
    if (this.isEmpty()) {
      this.wakeAt(undefined);
      return;
    }
    // The head of each entity: what waits behind it must not wake anybody.
    const next = this.ports.sql
      .exec<{ at: number | null }>(
        `SELECT MIN(due_at) AS at FROM outbox
         WHERE parked_at IS NOT NULL OR id IN (SELECT MIN(id) FROM outbox WHERE parked_at IS NULL GROUP BY entity)`,
      )
      .one().at;
    this.wakeAt(next ?? undefined);
  }

  /** One of them can't be delivered: found, so that it keeps back its own entity and no other. */
  private async sendEachAlone(batch: readonly OutboxMessage[]): Promise<void> {
    const stuck = new Set<string>();
    for (const message of batch) {
      if (stuck.has(message.entity)) continue;
      const sent = await this.send([message], (error) => this.postpone(message, error));
      if (!sent) stuck.add(message.entity);
    }
  }

  private async send(
    messages: readonly OutboxMessage[],
    failed: (error: unknown) => void = () => {},
  ): Promise<boolean> {
    try {
      await this.ports.deliver(messages);
    } catch (error) {
      failed(error);
      return false;
    }
    const ids = JSON.stringify(messages.map((message) => message.id));
    this.ports.sql.exec("DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))", ids);
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
    return this.ports.sql.exec("SELECT 1 FROM outbox LIMIT 1").toArray().length === 0;
  }

  /** The oldest that are due; an entity with a postponed message waits behind it. */
  private take(): OutboxMessage[] {
    const now = this.ports.now();
    // Ordinarily all there is fits into a batch, and nothing was postponed.
    const all = this.ports.sql
      .exec<{ id: number; entity: string; topic: string; payload: string; due_at: number }>(
        "SELECT id, entity, topic, payload, due_at FROM outbox ORDER BY id LIMIT ?",
        batchSize + 1,
      )
      .toArray();
    if (all.length <= batchSize && all.every(({ due_at }) => due_at <= now))
      return all.map(({ due_at: _, ...message }) => message);
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
