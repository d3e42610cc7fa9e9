/** The deployment's tables of prices in D1, and those that hold now as the isolate knows them. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../conversation/actor-record.js";
import type { TokenUsage } from "../model/port.js";
import { type NewPriceTable, type Price, type PriceTable, priceOfCalls, tableAt } from "../model/prices.js";
import { all, batch, type Database, first, sql } from "../platform/sql.js";

/** As it was stored; a row is never changed. */
export interface StoredPrices extends PriceTable {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly author: ActorRecord;
}

const versionRow = z.object({
  version: z.int(),
  valid_from: z.number(),
  currency: z.string(),
  created_at: z.number(),
  author: z.string().transform((author) => actorRecordSchema.parse(JSON.parse(author))),
});
// A row of ours, checked when it was stored: thousands of prices aren't looked at again.
const storedModels = z.custom<PriceTable["models"]>();
const tableRow = versionRow.extend({ models: z.string() }).transform(
  ({ valid_from: from, created_at: createdAt, models, ...row }): StoredPrices => ({
    ...row,
    ...{ from, createdAt, models: storedModels.parse(JSON.parse(models)) },
  }),
);
const listedRow = versionRow
  .extend({ models: z.int() })
  .transform(({ valid_from: from, created_at: createdAt, ...row }) => ({ ...row, from, createdAt }));
/** A version as it is listed: `models` is how many it names. */
export type ListedPrices = z.infer<typeof listedRow>;
const requestRow = z.object({ version: z.int(), request_hash: z.string() });
const storedRow = z.object({
  ...{ version: z.int(), valid_from: z.number(), currency: z.string() },
  ...{ models: z.string(), created_at: z.number(), author: z.string() },
});
type PriceRow = z.infer<typeof storedRow>;
/** Tables that are copied at once: each may name thousands of models. */
const copiedAtOnce = 5;
const lastRow = z.object({ version: z.int() });

const columns = sql`version, valid_from, currency, models, created_at, author`;

/** Work that is delivered later than this is priced by the oldest table that is kept, in milliseconds. */
const keptMs = 86_400_000;
/** How long a table may be used by who doesn't compare its version. */
const freshMs = 30_000;

export class PriceStore {
  /** Of the table that was stored last, as far as this isolate knows; 0 of none. Who goes by that compares it with the database. */
  version = 0;
  private tables: readonly StoredPrices[] = [];
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /** Reads those that hold, held a day ago, or will hold. */
  async read(): Promise<void> {
    const at = this.now();
    const since = at - keptMs;
    // The last one stored is among them: it may hold from a time long ago.
    const tables = await all(this.db, tableRow)`
      SELECT ${columns} FROM prices
      WHERE valid_from > ${since} OR version = (SELECT MAX(version) FROM prices) OR version = (
        SELECT version FROM prices WHERE valid_from <= ${since} ORDER BY valid_from DESC, version DESC LIMIT 1)`;
    this.tables = tables;
    this.version = Math.max(0, ...tables.map(({ version }) => version));
    this.readAt = at;
  }

  /** What calls of one model in work that ended at a time have cost, as far as this isolate knows. */
  priceOf(model: string, calls: readonly TokenUsage[], at: number): Price | undefined {
    const table = tableAt(this.tables, Math.max(at, this.readAt - keptMs));
    return table && priceOfCalls(model, calls, table);
  }

  /** The table that holds at a time, as it was half a minute ago at most; undefined where there is none. */
  async tableAt(at: number): Promise<StoredPrices | undefined> {
    if (this.now() - this.readAt > freshMs) await this.read();
    return tableAt(this.tables, at);
  }

  async get(version: number): Promise<StoredPrices | undefined> {
    return first(this.db, tableRow)`SELECT ${columns} FROM prices WHERE version = ${version}`;
  }

  /** Newest first. */
  async versions(before: number, limit: number): Promise<ListedPrices[]> {
    return all(this.db, listedRow)`
      SELECT version, valid_from, currency, (SELECT COUNT(*) FROM json_each(models)) AS models, created_at, author
      FROM prices WHERE version < ${before} ORDER BY version DESC LIMIT ${limit}`;
  }

  /** Those of a later version, as they are stored. */
  async rowsAfter(version: number): Promise<PriceRow[]> {
    return all(
      this.db,
      storedRow,
    )`SELECT ${columns} FROM prices WHERE version > ${version} ORDER BY version LIMIT ${copiedAtOnce}`;
  }

  /** The version that was stored last. */
  async lastVersion(): Promise<number> {
    return (await first(this.db, lastRow)`SELECT COALESCE(MAX(version), 0) AS version FROM prices`)?.version ?? 0;
  }

  /** Takes what the first database of the deployment has, under its versions: usage is priced beside its tenant. */
  async copy(rows: readonly PriceRow[]): Promise<void> {
    await batch(
      this.db,
      rows.map(
        ({ version, valid_from, currency, models, created_at, author }) =>
          sql`INSERT INTO prices (${columns}) VALUES (${version}, ${valid_from}, ${currency}, ${models}, ${created_at}, ${author})
            ON CONFLICT DO NOTHING`,
      ),
    );
    await this.read();
  }

  /** What was stored under the key of a request, and the hash of that. */
  async ofRequest(key: string): Promise<{ readonly version: number; readonly hash: string } | undefined> {
    const row = await first(this.db, requestRow)`
      SELECT version, request_hash FROM prices WHERE request_key = ${key}`;
    return row && { version: row.version, hash: row.request_hash };
  }

  /** @returns its version; undefined where another was stored under the key of the request meanwhile */
  async add(
    { currency, models }: Omit<NewPriceTable, "from">,
    from: number,
    by: ActorRecord,
    request?: { readonly key: string; readonly hash: string },
  ): Promise<number | undefined> {
    const row = await first(this.db, lastRow)`
      INSERT INTO prices (valid_from, currency, models, created_at, author, request_key, request_hash)
      VALUES (${from}, ${currency}, ${JSON.stringify(models)}, ${this.now()}, ${JSON.stringify(by)}, ${request?.key},
        ${request?.hash}) ON CONFLICT DO NOTHING RETURNING version`;
    await this.read();
    return row?.version;
  }
}
