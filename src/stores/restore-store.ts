/** Objects that were put back to an earlier state, and the ledger of erasures that is read for it. The ledger is written by triggers. */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { all, batch, type Database, first, run, type Sql, sql } from "../platform/sql.js";
import type { RecordedAct } from "../tenancy/audit.js";
import { type Erasure, erasureSchema } from "../tenancy/erasures.js";
import { lazily } from "../text/lazily.js";
import { insertApart } from "./audit-log.js";

const bodySchema = lazily(() =>
  z.object({
    kind: z.enum(["session", "run", "roundtable", "thread"]),
    /** Of a thread, whose root is its memory. */
    threadId: z.string().optional(),
    /** To when, as ISO 8601, or to which bookmark. */
    target: z.object({ at: z.string().optional(), bookmark: z.string().optional() }),
    by: actorRecordSchema,
    /** Behind these the object goes on. */
    numbers: z.object({ outbox: z.int(), events: z.int() }),
  }),
);

const row = lazily(() =>
  z
    .object({
      ...{ tenant_id: z.string(), restore_id: z.string(), root_id: z.string(), body: z.string() },
      ...{ undo: z.string().nullable(), finished_at: z.number().nullable(), begun_at: z.number() },
      ...{ tries: z.int(), failure: z.string().nullable() },
    })
    .transform((found) => ({
      ...bodySchema().parse(JSON.parse(found.body)),
      tenantId: found.tenant_id,
      restoreId: found.restore_id,
      rootId: found.root_id,
      /** Missing while nothing was put back. */
      undo: found.undo ?? undefined,
      isFinished: found.finished_at !== null,
      /** Milliseconds since the epoch. */
      begunAt: found.begun_at,
      finishedAt: found.finished_at ?? undefined,
      /** How often the schedule went on with it in vain, and why it failed last; of one that is finished: why it was given up. */
      tries: found.tries,
      failure: found.failure ?? undefined,
    })),
);
export type Restore = z.infer<ReturnType<typeof row>>;
type NewRestore = Pick<
  Restore,
  "kind" | "threadId" | "target" | "by" | "numbers" | "tenantId" | "restoreId" | "rootId"
>;
type RestoreRef = Pick<Restore, "tenantId" | "restoreId">;

const ledgerRow = lazily(() =>
  z
    .object({ kind: z.string(), root_id: z.string(), item_id: z.string(), at: z.number() })
    .transform(({ root_id, item_id, ...rest }) => erasureSchema.parse({ ...rest, rootId: root_id, itemId: item_id })),
);

const wholeLedgerRow = lazily(() =>
  z
    .object({
      seq: z.int(),
      tenant_id: z.string(),
      root_id: z.string(),
      item_id: z.string(),
      ...erasureSchema.pick({ kind: true, at: true }).shape,
    })
    .transform(({ tenant_id: tenantId, root_id: rootId, item_id: itemId, ...rest }) => ({
      tenantId,
      rootId,
      itemId,
      ...rest,
    })),
);
export type LedgerRow = z.infer<ReturnType<typeof wholeLedgerRow>>;

export class RestoreStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Notes what is about to be put back: once, whoever repeats it. */
  async begin({ tenantId, restoreId, rootId, threadId, kind, target, by, numbers }: NewRestore): Promise<void> {
    const body = { kind, threadId, target, by, numbers };
    const since = body.target.at === undefined ? undefined : Date.parse(body.target.at);
    await run(this.db)`INSERT INTO restores (tenant_id, restore_id, root_id, since, body, begun_at)
      VALUES (${tenantId}, ${restoreId}, ${rootId}, ${since}, ${JSON.stringify(body)}, ${this.now()}) ON CONFLICT DO NOTHING`;
  }

  async find(tenantId: string, restoreId: string): Promise<Restore | undefined> {
    return first(this.db, row())`SELECT * FROM restores WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId}`;
  }

  /** It came to nothing: nothing was changed. */
  async forget({ tenantId, restoreId }: RestoreRef): Promise<void> {
    await run(this.db)`DELETE FROM restores WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId}`;
  }

  /** The next instance of the object is as it was then: it is on record, with what undoes it. */
  async prepared({ tenantId, restoreId, rootId, threadId }: NewRestore, undo: string, act: RecordedAct): Promise<void> {
    const owner = threadId === undefined ? rootId : `${rootId}/${threadId}`;
    await batch(this.db, [
      sql`UPDATE restores SET undo = ${undo} WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId}`,
      insertApart(tenantId, `${owner}/restores`, act),
    ]);
  }

  /** Copies that the object may know nothing of any more; it sends those of what it has. */
  async forgetCopies({ tenantId, rootId }: NewRestore): Promise<void> {
    await run(
      this.db,
    )`DELETE FROM asks INDEXED BY asks_of_owner WHERE tenant_id = ${tenantId} AND owner_id = ${rootId}`;
  }

  async finish({ tenantId, restoreId }: RestoreRef): Promise<void> {
    await run(this.db)`UPDATE restores SET finished_at = ${this.now()}, failure = NULL
      WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId} AND finished_at IS NULL`;
  }

  /** It failed once more; after so many tries it is given up. @returns whether it is */
  async failed({ tenantId, restoreId }: RestoreRef, failure: string, mostTries: number): Promise<boolean> {
    await run(this.db)`UPDATE restores SET tries = tries + 1, failure = ${failure},
        finished_at = CASE WHEN tries + 1 >= ${mostTries} THEN ${this.now()} END
      WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId} AND finished_at IS NULL`;
    return (await this.find(tenantId, restoreId))?.isFinished ?? true;
  }

  /** A tenant's, by their ids, which sort by time. */
  async list(tenantId: string, after: string, limit: number): Promise<Restore[]> {
    return all(this.db, row())`SELECT * FROM restores WHERE tenant_id = ${tenantId} AND restore_id > ${after}
      ORDER BY restore_id LIMIT ${limit}`;
  }

  /** Part of the ledger of this database: erasures of persons, or those of everything else, as they were written. */
  async ledger(of: "persons" | "others", since: number, after: number, limit: number): Promise<LedgerRow[]> {
    const kinds = of === "persons" ? sql`kind = 'subject'` : sql`kind <> 'subject'`;
    return all(this.db, wholeLedgerRow())`SELECT seq, tenant_id, kind, root_id, item_id, at FROM erasures
      WHERE seq > ${after} AND at >= ${since} AND ${kinds} ORDER BY seq LIMIT ${limit}`;
  }

  /** Those that were interrupted. @param before when they began, in milliseconds since the epoch */
  async unfinished(before: number, limit: number): Promise<Restore[]> {
    return all(this.db, row())`SELECT * FROM restores WHERE finished_at IS NULL AND begun_at < ${before}
      ORDER BY begun_at LIMIT ${limit}`;
  }

  /** What was erased in an object or a memory, and that itself. @param itemId of that alone; empty: of the whole alone */
  async erasuresOf(tenantId: string, rootId: string, itemId?: string): Promise<Erasure[]> {
    const item = itemId === undefined ? sql`` : sql`AND item_id = ${itemId}`;
    return all(this.db, ledgerRow())`SELECT kind, root_id, item_id, at FROM erasures
      WHERE tenant_id = ${tenantId} AND root_id = ${rootId} ${item} ORDER BY seq`;
  }

  /** Erasures that an object tells of whose rows of the audit may be under way. */
  async noteErasures(tenantId: string, erasures: readonly Erasure[]): Promise<void> {
    const rows = erasures.map(
      ({ kind, rootId, itemId, at }): Sql =>
        sql`INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
          VALUES (${tenantId}, ${kind}, ${rootId}, ${itemId}, ${at}) ON CONFLICT DO NOTHING`,
    );
    if (rows.length > 0) await batch(this.db, rows);
  }
}
