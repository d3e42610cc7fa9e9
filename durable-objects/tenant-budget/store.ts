/** A budget's tables: counters of windows, and what is reserved for work. */
import { z } from "zod";
import { exec, listed } from "../../src/platform/sql.js";
import { type Grant, recentTurns } from "../../src/tenancy/limits/grants.js";
import { type Measure, measures } from "../../src/tenancy/limits/limit.js";
import { type Counter, emptyCounter } from "../../src/tenancy/limits/room.js";
import type { WindowSpan } from "../../src/tenancy/limits/windows.js";

/** Which counter: of a limit, for whom, in the window that began then. */
export interface CounterKey {
  readonly limit: string;
  readonly scope: string;
  /** A limit that measures something else now begins anew. */
  readonly measure: Measure;
  readonly start: number;
}

export interface StoredGrant extends Grant, CounterKey {
  readonly work: string;
}

type Row = Record<string, SqlStorageValue>;
const grantRow = z
  .object({
    work: z.string(),
    limit_name: z.string(),
    step: z.number(),
    scope: z.string(),
    start: z.number(),
    measure: z.enum(measures),
    amount: z.number(),
    at: z.number(),
    state: z.enum(["open", "settled", "unsettled"]),
    spent: z.number(),
  })
  .transform(({ limit_name, ...row }): StoredGrant => ({ ...row, limit: limit_name }));

export class BudgetStore {
  private readonly exec;

  constructor(sql: SqlStorage) {
    this.exec = exec<Row>(sql);
  }

  counter({ limit, scope, measure, start }: CounterKey): Counter {
    const [row] = this.exec`SELECT used, reserved, warned, reached FROM counters
      WHERE limit_name = ${limit} AND scope = ${scope} AND start = ${start} AND COALESCE(measure, ${measure}) = ${measure}`.toArray();
    if (row === undefined) return emptyCounter;
    const { used, reserved, warned, reached } = row;
    return { used: Number(used), reserved: Number(reserved), warned: Number(warned), reached: Number(reached) === 1 };
  }

  putCounter({ limit, scope, measure }: Omit<CounterKey, "start">, { start, end }: WindowSpan, counter: Counter): void {
    const { used, reserved, warned } = counter;
    const reached = counter.reached ? 1 : 0;
    this.exec`INSERT INTO counters (limit_name, scope, start, ends, used, reserved, warned, reached, measure)
      VALUES (${limit}, ${scope}, ${start}, ${end}, ${used}, ${reserved}, ${warned}, ${reached}, ${measure})
      ON CONFLICT DO UPDATE SET used = excluded.used, reserved = excluded.reserved, warned = excluded.warned,
        reached = excluded.reached, measure = excluded.measure, ends = excluded.ends`;
  }

  /** Of a window that may be over; one that is forgotten stays so. */
  moveCounter(
    { limit, scope, measure, start }: CounterKey,
    by: { readonly used: number; readonly reserved: number },
  ): void {
    this.exec`UPDATE counters SET used = MAX(0, used + ${by.used}), reserved = MAX(0, reserved + ${by.reserved})
      WHERE limit_name = ${limit} AND scope = ${scope} AND start = ${start} AND COALESCE(measure, ${measure}) = ${measure}`;
  }

  /** Of a limit's window: reserved, counted as spent, and never settled. */
  unsettledIn({ limit, scope, measure, start }: CounterKey): number {
    return Number(
      this.exec`SELECT COALESCE(SUM(spent), 0) AS n FROM grants
        WHERE state = 'unsettled' AND limit_name = ${limit} AND scope = ${scope} AND start = ${start}
          AND measure = ${measure}`.one().n,
    );
  }

  hasGrant(work: string, step: number): boolean {
    return this.exec`SELECT 1 FROM grants WHERE work = ${work} AND step = ${step} LIMIT 1`.toArray().length > 0;
  }

  grantsOf(work: string): StoredGrant[] {
    return this.exec`SELECT * FROM grants WHERE work = ${work} ORDER BY limit_name, step`
      .toArray()
      .map((row) => grantRow.parse(row));
  }

  /** Open ones of measures that are settled, from before a time. */
  openSince(before: number): StoredGrant[] {
    return this.exec`SELECT * FROM grants
      WHERE state = 'open' AND at <= ${before} AND measure IN ('tokens', 'money') ORDER BY at LIMIT 500`
      .toArray()
      .map((row) => grantRow.parse(row));
  }

  /** Whoever has a place said that they have it still. */
  renewPlaces(work: string, at: number): void {
    this.exec`UPDATE grants SET at = ${at} WHERE work = ${work} AND state = 'open' AND measure = 'sockets'`;
  }

  /** Places of which nobody has said anything since a time. */
  placesSince(measure: Measure, before: number): StoredGrant[] {
    return this.exec`SELECT * FROM grants
      WHERE state = 'open' AND at <= ${before} AND measure = ${measure} ORDER BY at LIMIT 500`
      .toArray()
      .map((row) => grantRow.parse(row));
  }

  putGrant({ work, limit, step, scope, start, measure, amount, at, state, spent }: StoredGrant): void {
    this.exec`INSERT INTO grants (work, limit_name, step, scope, start, measure, amount, at, state, spent)
      VALUES (${work}, ${limit}, ${step}, ${scope}, ${start}, ${measure}, ${amount}, ${at}, ${state}, ${spent})
      ON CONFLICT DO UPDATE SET state = excluded.state, spent = excluded.spent`;
  }

  /** A turn of an agent began: what it comes to says what the next ones may. */
  beginTurn(work: string, agent: string, at: number): void {
    this.exec`INSERT INTO turn_costs (work, agent, at) VALUES (${work}, ${agent}, ${at}) ON CONFLICT DO NOTHING`;
  }

  /** What a turn has come to so far; nothing happens where it is none of these. */
  setTurnCost(work: string, { tokens, money }: { readonly tokens: number; readonly money: number }): void {
    const [turn] = this.exec`UPDATE turn_costs SET tokens = ${tokens}, money = ${money} WHERE work = ${work}
      RETURNING agent`.toArray();
    if (turn === undefined) return;
    const agent = String(turn.agent);
    this.exec`DELETE FROM turn_costs WHERE agent = ${agent} AND tokens IS NOT NULL AND work NOT IN
      (SELECT work FROM turn_costs WHERE agent = ${agent} AND tokens IS NOT NULL ORDER BY at DESC LIMIT ${recentTurns})`;
  }

  /** What an agent's last turns came to. */
  turnCosts(agent: string): { readonly tokens: number; readonly money: number }[] {
    return this.exec`SELECT tokens, money FROM turn_costs WHERE agent = ${agent} AND tokens > 0`
      .toArray()
      .map(({ tokens, money }) => ({ tokens: Number(tokens), money: Number(money) }));
  }

  countersOf(scopes: readonly string[]): number {
    return Number(this.exec`SELECT COUNT(*) AS n FROM counters WHERE scope IN ${listed(scopes)}`.one().n);
  }

  /** @returns how many counters there were */
  forgetScopes(scopes: readonly string[]): number {
    this.exec`DELETE FROM grants WHERE scope IN ${listed(scopes)}`;
    const counters = this.countersOf(scopes);
    this.exec`DELETE FROM counters WHERE scope IN ${listed(scopes)}`;
    this.exec`DELETE FROM leases WHERE scope IN ${listed(scopes)}`;
    this.exec`DELETE FROM leased WHERE scope IN ${listed(scopes)}`;
    return counters;
  }

  /** Windows and grants that nobody asks for any more. */
  forgetBefore(at: number): void {
    this.exec`DELETE FROM counters WHERE ends < ${at}`;
    this.exec`DELETE FROM grants WHERE state = 'settled' AND at < ${at}`;
    this.exec`DELETE FROM turn_costs WHERE tokens IS NULL AND at < ${at}`;
    this.exec`DELETE FROM grants WHERE state = 'unsettled' AND at < ${at - 30 * 86_400_000}`;
  }
}
