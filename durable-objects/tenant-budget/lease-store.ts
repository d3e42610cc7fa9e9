/** The tables of leases: of the root, what its shards have; of a shard, what it may use. */
import { z } from "zod";
import { exec } from "../../src/platform/sql.js";
import type { Lease } from "../../src/tenancy/limits/leases.js";
import { measures } from "../../src/tenancy/limits/limit.js";
import { lazily } from "../../src/text/lazily.js";
import type { CounterKey } from "./store.js";

/** Of the root: where a shard stands with one counter. */
export interface LeaseRow extends CounterKey {
  readonly shard: number;
  readonly used: number;
  readonly kept: number;
  /** Of the shard that isn't heard of any more: counted as used. */
  readonly lost: number;
  readonly unsettled: number;
  readonly seq: number;
  /** When it was heard of last; milliseconds since the epoch. */
  readonly at: number;
}

/** Of a shard: what it may use of one counter. */
export interface LeasedRow extends CounterKey, Lease {
  readonly ends: number | undefined;
  /** What its root knows that it has used; −1 for nothing. */
  readonly reported: number;
}

type Row = Record<string, SqlStorageValue>;
const key = { limit_name: z.string(), scope: z.string(), start: z.number(), measure: z.enum(measures) };
const rows = lazily(() => ({
  lease: z
    .object({
      ...key,
      ...{ shard: z.number(), used: z.number(), kept: z.number(), lost: z.number(), unsettled: z.number() },
      ...{ seq: z.number(), at: z.number() },
    })
    .transform(({ limit_name, ...row }): LeaseRow => ({ ...row, limit: limit_name })),
  leased: z
    .object({
      ...key,
      ...{ ends: z.number().nullable(), leased: z.number(), until: z.number(), reported: z.number() },
    })
    .transform(({ limit_name, ends, ...row }): LeasedRow => ({ ...row, limit: limit_name, ends: ends ?? undefined })),
}));

export class LeaseStore {
  private readonly exec;

  constructor(sql: SqlStorage) {
    this.exec = exec<Row>(sql);
  }

  get(shard: number, { limit, scope, start, measure }: CounterKey): LeaseRow | undefined {
    const [row] = this.exec`SELECT * FROM leases WHERE shard = ${shard} AND limit_name = ${limit} AND scope = ${scope}
      AND start = ${start} AND measure = ${measure}`.toArray();
    return row && rows().lease.parse(row);
  }

  put({ shard, limit, scope, start, measure, used, kept, lost, unsettled, seq, at }: LeaseRow): void {
    this.exec`INSERT INTO leases (shard, limit_name, scope, start, measure, used, kept, lost, unsettled, seq, at)
      VALUES (${shard}, ${limit}, ${scope}, ${start}, ${measure}, ${used}, ${kept}, ${lost}, ${unsettled}, ${seq}, ${at})
      ON CONFLICT DO UPDATE SET used = excluded.used, kept = excluded.kept, lost = excluded.lost,
        unsettled = excluded.unsettled, seq = excluded.seq, at = excluded.at`;
  }

  /** Of the root: those that keep something, and weren't heard of since. */
  keptSince(before: number): LeaseRow[] {
    return this.exec`SELECT * FROM leases WHERE at <= ${before} AND kept > 0 ORDER BY at LIMIT 500`
      .toArray()
      .map((row) => rows().lease.parse(row));
  }

  /** Of the root: what is lost with shards, or was never settled in them. */
  unsettledIn({ limit, scope, start, measure }: CounterKey): number {
    return Number(
      this.exec`SELECT COALESCE(SUM(lost + unsettled), 0) AS n FROM leases
        WHERE limit_name = ${limit} AND scope = ${scope} AND start = ${start} AND measure = ${measure}`.one().n,
    );
  }

  /** Of a shard. */
  leased({ limit, scope, start, measure }: CounterKey): LeasedRow | undefined {
    const [row] = this.exec`SELECT * FROM leased WHERE limit_name = ${limit} AND scope = ${scope} AND start = ${start}
      AND measure = ${measure}`.toArray();
    return row && rows().leased.parse(row);
  }

  allLeased(): LeasedRow[] {
    return this.exec`SELECT * FROM leased ORDER BY limit_name, scope, start`
      .toArray()
      .map((row) => rows().leased.parse(row));
  }

  putLeased({ limit, scope, start, measure, ends, leased, until, reported }: LeasedRow): void {
    this.exec`INSERT INTO leased (limit_name, scope, start, measure, ends, leased, until, reported)
      VALUES (${limit}, ${scope}, ${start}, ${measure}, ${ends}, ${leased}, ${until}, ${reported})
      ON CONFLICT DO UPDATE SET leased = excluded.leased, until = excluded.until, reported = excluded.reported`;
  }

  forgetLeased({ limit, scope, start, measure }: CounterKey): void {
    this.exec`DELETE FROM leased WHERE limit_name = ${limit} AND scope = ${scope} AND start = ${start}
      AND measure = ${measure}`;
  }

  /** The number of a shard's next word to its root. */
  nextRenewal(): number {
    return Number(this.exec`UPDATE budget SET renewals = renewals + 1 RETURNING renewals`.one().renewals);
  }

  forgetBefore(at: number): void {
    this.exec`DELETE FROM leases WHERE at < ${at} AND kept = 0`;
  }
}
