/** What happened in memories, as triggers of D1 note it. */
import { z } from "zod";
import { all, type Database, run } from "../../platform/sql.js";

interface NotedEvent {
  readonly seq: number;
  readonly type: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly data: Record<string, unknown>;
}

/** Those behind a number, or from a time on, in milliseconds since the epoch. */
interface EventRange {
  readonly after?: number | undefined;
  readonly since?: number | undefined;
  readonly limit: number;
}

/** How long an event is kept for receivers that fail, in milliseconds: longer than the last try. */
const keptMs = 30 * 86_400_000;

const row = z.object({ seq: z.int(), type: z.string(), at: z.number(), data: z.string() }).transform(
  ({ seq, type, at, data }): NotedEvent => ({
    seq,
    type,
    at: new Date(at).toISOString(),
    data: dataSchema.parse(JSON.parse(data)),
  }),
);
const dataSchema = z.record(z.string(), z.unknown());

export class MemoryEvents {
  constructor(private readonly db: Database) {}

  events(tenantId: string, memoryId: string, { after = 0, since = 0, limit }: EventRange): Promise<NotedEvent[]> {
    return all(this.db, row)`SELECT seq, type, at, data FROM memory_events
      WHERE tenant_id = ${tenantId} AND memory_id = ${memoryId} AND seq > ${after} AND at >= ${since}
      ORDER BY seq LIMIT ${limit}`;
  }

  /** Housekeeping: what nobody is told any more. */
  async forgetOld(now: number): Promise<void> {
    await run(this.db)`DELETE FROM memory_events
      WHERE seq IN (SELECT seq FROM memory_events WHERE at < ${now - keptMs} LIMIT 5000)`;
  }
}
