/** The SQL of an outbox. Who waits behind whom, and until when, the outbox decides. */
import type { ParkedDelivery } from "../../src/conversation/delivery.js";
import { exec, sql } from "../../src/platform/sql.js";
import type { NewMessage, OutboxMessage } from "./outbox-rows.js";

/** A row as it waits. */
export interface WaitingRow extends Record<string, SqlStorageValue> {
  id: number;
  entity: string;
  topic: string;
  payload: string;
  due_at: number;
}

const waiting = sql`SELECT id, entity, topic, payload, due_at FROM outbox`;
/** How many parked messages are listed. */
const maxListed = 100;

export class OutboxStore {
  constructor(private readonly sql: SqlStorage) {}

  insert({ id, entity, topic, payload }: NewMessage & { readonly id: number }, dueAt: number): void {
    exec(this.sql)`
      INSERT INTO outbox (id, entity, topic, payload, due_at) VALUES (${id}, ${entity}, ${topic}, ${payload}, ${dueAt})`;
  }

  /** @returns whether one of them was parked */
  delete(ids: readonly number[]): boolean {
    const [first] = ids;
    const which =
      ids.length === 1 && first !== undefined
        ? sql`id = ${first}`
        : sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
    const gone = exec<{ parked_at: number | null }>(this.sql)`DELETE FROM outbox WHERE ${which} RETURNING parked_at`;
    return gone.toArray().some(({ parked_at }) => parked_at !== null);
  }

  /** The number of the last message there ever was. */
  last(): number {
    return exec<{ id: number }>(this.sql)`
      SELECT COALESCE(MAX(seq), 0) AS id FROM sqlite_sequence WHERE name = 'outbox'`.one().id;
  }

  /** The number of the last message there is; 0 where there is none. */
  newest(): number {
    return exec<{ id: number | null }>(this.sql)`SELECT MAX(id) AS id FROM outbox`.one().id ?? 0;
  }

  isEmpty(): boolean {
    return exec(this.sql)`SELECT 1 FROM outbox LIMIT 1`.toArray().length === 0;
  }

  size(): number {
    return exec<{ n: number }>(this.sql)`SELECT COUNT(*) AS n FROM outbox`.one().n;
  }

  oldest(limit: number): WaitingRow[] {
    return exec<WaitingRow>(this.sql)`${waiting} ORDER BY id LIMIT ${limit}`.toArray();
  }

  ofTopic(topic: string): WaitingRow[] {
    return exec<WaitingRow>(this.sql)`${waiting} WHERE topic = ${topic}`.toArray();
  }

  /** The oldest that are due; an entity with a postponed message waits behind it, unless that is parked. */
  due(now: number, limit: number): OutboxMessage[] {
    return exec<{ id: number; entity: string; topic: string; payload: string }>(this.sql)`
      SELECT id, entity, topic, payload FROM outbox AS candidate
      WHERE due_at <= ${now} AND NOT EXISTS ( SELECT 1 FROM outbox AS earlier WHERE earlier.entity = candidate.entity
        AND earlier.id < candidate.id AND earlier.due_at > ${now} AND earlier.parked_at IS NULL)
      ORDER BY id LIMIT ${limit}`.toArray();
  }

  /** When the next is due that is due after a time. The head of each entity: what waits behind it must not wake anybody. */
  nextDue(after: number): number | undefined {
    const { at } = exec<{ at: number | null }>(this.sql)`SELECT MIN(due_at) AS at FROM outbox
      WHERE due_at > ${after}
        AND (parked_at IS NOT NULL OR id IN (SELECT MIN(id) FROM outbox WHERE parked_at IS NULL GROUP BY entity))`.one();
    return at ?? undefined;
  }

  /** Counts a failed try; returns how many there were. */
  countTry(id: number): number {
    return exec<{ attempts: number }>(this.sql)`
      UPDATE outbox SET attempts = attempts + 1 WHERE id = ${id} RETURNING attempts`.one().attempts;
  }

  postpone(id: number, dueAt: number): void {
    exec(this.sql)`UPDATE outbox SET due_at = ${dueAt} WHERE id = ${id}`;
  }

  park(id: number, at: number, error: string, dueAt: number): void {
    exec(this.sql)`UPDATE outbox SET parked_at = ${at}, error = ${error}, due_at = ${dueAt} WHERE id = ${id}`;
  }

  /** The oldest first. */
  parked(): ParkedDelivery[] {
    return exec<{ id: number; topic: string; attempts: number; error: string | null; parked_at: number }>(this.sql)`
      SELECT id, topic, attempts, error, parked_at FROM outbox WHERE parked_at IS NOT NULL ORDER BY id LIMIT ${maxListed}`
      .toArray()
      .map(({ id, topic, attempts, error, parked_at }) => ({
        deliveryId: id,
        topic,
        attempts,
        error: error ?? "",
        parkedAt: new Date(parked_at).toISOString(),
      }));
  }

  countParked(): number {
    return exec<{ n: number }>(this.sql)`SELECT COUNT(*) AS n FROM outbox WHERE parked_at IS NOT NULL`.one().n;
  }

  /** Makes all that is parked due; returns how many there are. */
  retryParked(now: number): number {
    return exec(this.sql)`UPDATE outbox SET due_at = ${now} WHERE parked_at IS NOT NULL RETURNING id`.toArray().length;
  }
}
