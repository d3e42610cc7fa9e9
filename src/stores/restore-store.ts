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
    kind: z.enum(["session", "run", "roundtable"]),
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
      ...{ undo: z.string().nullable(), finished_at: z.number().nullable() },
    })
    .transform((found) => ({
      ...bodySchema().parse(JSON.parse(found.body)),
      tenantId: found.tenant_id,
      restoreId: found.restore_id,
      rootId: found.root_id,
      /** Missing while nothing was put back. */
      undo: found.undo ?? undefined,
      isFinished: found.finished_at !== null,
    })),
);
export type Restore = z.infer<ReturnType<typeof row>>;
type NewRestore = Omit<Restore, "undo" | "isFinished">;

const ledgerRow = lazily(() =>
  z
    .object({ kind: z.string(), root_id: z.string(), item_id: z.string(), at: z.number() })
    .transform(({ root_id, item_id, ...rest }) => erasureSchema.parse({ ...rest, rootId: root_id, itemId: item_id })),
);

export class RestoreStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Notes what is about to be put back: once, whoever repeats it. */
  async begin({ tenantId, restoreId, rootId, ...body }: NewRestore): Promise<void> {
    const since = body.target.at === undefined ? undefined : Date.parse(body.target.at);
    await run(this.db)`INSERT INTO restores (tenant_id, restore_id, root_id, since, body, begun_at)
      VALUES (${tenantId}, ${restoreId}, ${rootId}, ${since}, ${JSON.stringify(body)}, ${this.now()}) ON CONFLICT DO NOTHING`;
  }

  async find(tenantId: string, restoreId: string): Promise<Restore | undefined> {
    return first(this.db, row())`SELECT * FROM restores WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId}`;
  }

  /** It came to nothing: nothing was changed. */
  async forget({ tenantId, restoreId }: NewRestore): Promise<void> {
    await run(this.db)`DELETE FROM restores WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId}`;
  }

  /** The next instance of the object is as it was then: it is on record, with what undoes it. */
  async prepared({ tenantId, restoreId, rootId }: NewRestore, undo: string, act: RecordedAct): Promise<void> {
    await batch(this.db, [
      sql`UPDATE restores SET undo = ${undo} WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId}`,
      insertApart(tenantId, `${rootId}/restores`, act),
    ]);
  }

  /** Copies that the object may know nothing of any more; it sends those of what it has. */
  async forgetCopies({ tenantId, rootId }: NewRestore): Promise<void> {
    await run(
      this.db,
    )`DELETE FROM asks INDEXED BY asks_of_owner WHERE tenant_id = ${tenantId} AND owner_id = ${rootId}`;
  }

  async finish({ tenantId, restoreId }: NewRestore): Promise<void> {
    await run(this.db)`UPDATE restores SET finished_at = ${this.now()}
      WHERE tenant_id = ${tenantId} AND restore_id = ${restoreId} AND finished_at IS NULL`;
  }

  /** Those that were interrupted. @param before when they began, in milliseconds since the epoch */
  async unfinished(before: number, limit: number): Promise<Restore[]> {
    return all(this.db, row())`SELECT * FROM restores WHERE finished_at IS NULL AND begun_at < ${before}
      ORDER BY begun_at LIMIT ${limit}`;
  }

  /** What was erased in an object or a memory, and that itself. */
  async erasuresOf(tenantId: string, rootId: string): Promise<Erasure[]> {
    return all(this.db, ledgerRow())`SELECT kind, root_id, item_id, at FROM erasures
      WHERE tenant_id = ${tenantId} AND root_id = ${rootId} ORDER BY seq`;
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
