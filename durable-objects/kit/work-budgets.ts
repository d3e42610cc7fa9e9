/**
 * What is reserved for work under its tenant's limits, and what it has spent of it. A row of the work, where there are such limits: what a
 * call may cost counts as spent from before it is made until its provider says what it took, so that a death in between forgets nothing.
 */
import {
  type CallBudget,
  defaultMaxOutputTokens,
  type PlannedCall,
  type RefusedCall,
  type ReservedCall,
} from "../../src/agent/call-budget.js";
import { type Cost, costOf, noCost, noPrice, refusedBy, sum, worstOf } from "../../src/application/limits/call-cost.js";
import type { WorkLimits } from "../../src/application/limits/work-limits.js";
import { attempt } from "../../src/conversation/problem.js";
import type { Outbox } from "./outbox.js";

interface Row {
  /** What the tenant's budget knows it by. */
  readonly reservation: string;
  /** Of the last reservation. */
  readonly step: number;
  readonly reserved: Cost;
  readonly spent: Cost;
}

export interface WorkBudgetPorts {
  readonly sql: SqlStorage;
  readonly write: <T>(change: () => T) => T;
  readonly outbox: () => Pick<Outbox, "put">;
}

export class WorkBudgets {
  private readonly open = new Map<string, WorkLimits>();
  /** Reservations of one work are made one after another. */
  private readonly last = new Map<string, Promise<unknown>>();
  /** Works that have a row. */
  private rows: Set<string> | undefined;

  constructor(private readonly ports: WorkBudgetPorts) {}

  /** A write was rolled back, or everything was erased: what was read is read anew. */
  onRollback(): void {
    this.rows = undefined;
  }

  /** From here on calls of this work have to have room in its limits, in this instance; without any they always have. */
  limit(work: string, limits: WorkLimits | undefined): void {
    if (limits === undefined) this.open.delete(work);
    else this.open.set(work, limits);
  }

  /**
   * Work begins with what was reserved for it as its step 0. In the write that makes it.
   * @param reservation what the tenant's budget knows it by, where that isn't the work's id
   */
  begin(work: string, reserved: Cost, reservation = work): void {
    this.put(work, { reservation, step: 0, reserved, spent: noCost });
  }

  /** Whether work was begun with a reservation, and isn't over. */
  isBegun(reservation: string): boolean {
    const rows = this.ports.sql.exec("SELECT 1 FROM spending WHERE reservation = ? LIMIT 1", reservation).toArray();
    return rows.length > 0;
  }

  of(work: string): CallBudget | undefined {
    if (!this.open.has(work)) return undefined;
    return {
      maxOutputTokens: defaultMaxOutputTokens,
      reserve: (call) => this.inTurn(work, () => this.reserve(work, call)),
    };
  }

  /** The work waits: what it doesn't need meanwhile is given back. */
  park(work: string): void {
    const row = this.row(work);
    if (row === undefined) return;
    this.ports.write(() => {
      this.settle(row);
      this.put(work, { ...row, reserved: row.spent });
    });
  }

  /** In the write that ends the work. */
  end(work: string): void {
    const row = this.row(work);
    this.open.delete(work);
    this.last.delete(work);
    if (row === undefined) return;
    this.settle(row);
    this.rows?.delete(work);
    this.ports.sql.exec("DELETE FROM spending WHERE work = ?", work);
  }

  /** What was reserved for work that never began. */
  giveBack(reservation: string): void {
    this.settle({ reservation, step: 0, reserved: noCost, spent: noCost });
  }

  /** Somebody has a place still, such as an open socket. */
  renewPlace(reservation: string): void {
    const nothingSettled = { work: reservation, upTo: 0, ...noCost, renews: true };
    this.ports.outbox().put("budget", `budget/${reservation}`, nothingSettled);
  }

  private async reserve(work: string, call: PlannedCall): Promise<ReservedCall | RefusedCall> {
    const limits = this.open.get(work);
    const worst = limits && worstOf(call, limits);
    if (limits === undefined || worst === undefined) return noPrice(call);
    // What wasn't begun with a reservation may be done again under its id, and other objects name theirs alike.
    const row = this.row(work) ?? {
      ...{ reservation: limits.reservationFor(`${work}/${crypto.randomUUID()}`), step: -1 },
      ...{ reserved: noCost, spent: noCost },
    };
    const missing = {
      tokens: Math.max(0, row.spent.tokens + worst.tokens - row.reserved.tokens),
      money: Math.max(0, row.spent.money + worst.money - row.reserved.money),
    };
    const isShort = limits.demands(missing).some(({ amount }) => amount > 0);
    const step = isShort ? row.step + 1 : row.step;
    if (isShort) {
      const wanted = limits.demands(missing).filter(({ amount }) => amount > 0);
      const take = () => attempt(() => limits.take(row.reservation, step, wanted));
      const first = await take();
      // A moment without an answer is no limit: the step is the same, so asking again takes nothing twice.
      const taken = !first.ok && first.problem.code === "limits_unavailable" ? await take() : first;
      if (!taken.ok) return refusedBy(taken.problem);
      if (!taken.value.ok) return refusedBy(taken.value.problem);
    }
    // Others of this work wait for their turn: nobody has changed the row meanwhile, but calls that have ended.
    const now = this.row(work) ?? row;
    const reserved = isShort ? sum(now.reserved, missing) : now.reserved;
    this.ports.write(() =>
      this.put(work, { reservation: row.reservation, step, reserved, spent: sum(now.spent, worst) }),
    );
    return {
      settle: (taken) => {
        const cost = taken === undefined ? noCost : costOf(taken, limits);
        const before = this.row(work);
        // Ended meanwhile: all of it has counted as spent.
        if (before === undefined || cost === undefined) return;
        this.put(work, {
          ...before,
          spent: sum(before.spent, { tokens: cost.tokens - worst.tokens, money: cost.money - worst.money }),
        });
      },
    };
  }

  private async inTurn<T>(work: string, next: () => Promise<T>): Promise<T> {
    const before = this.last.get(work) ?? Promise.resolve();
    const done = before.then(next, next);
    this.last.set(
      work,
      done.catch(() => undefined),
    );
    return done;
  }

  private settle({ reservation, step, spent }: Row): void {
    this.ports.outbox().put("budget", `budget/${reservation}`, { work: reservation, upTo: step, ...spent });
  }

  /** Works without a row, which are nearly all, aren't looked for. */
  private row(work: string): Row | undefined {
    this.rows ??= new Set(
      this.ports.sql
        .exec<{ work: string }>("SELECT work FROM spending")
        .toArray()
        .map((row) => row.work),
    );
    if (!this.rows.has(work)) return undefined;
    const [row] = this.ports.sql
      .exec<{
        reservation: string | null;
        step: number;
        reserved_tokens: number;
        reserved_money: number;
        tokens: number;
        money: number;
      }>("SELECT reservation, step, reserved_tokens, reserved_money, tokens, money FROM spending WHERE work = ?", work)
      .toArray();
    if (row === undefined) return undefined;
    const { reservation, step, reserved_tokens, reserved_money, tokens, money } = row;
    return {
      reservation: reservation ?? work,
      step,
      reserved: { tokens: reserved_tokens, money: reserved_money },
      spent: { tokens, money },
    };
  }

  private put(work: string, { reservation, step, reserved, spent }: Row): void {
    this.rows?.add(work);
    this.ports.sql.exec(
      `INSERT INTO spending (work, step, reserved_tokens, reserved_money, tokens, money, reservation)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET step = excluded.step, reserved_tokens = excluded.reserved_tokens,
         reserved_money = excluded.reserved_money, tokens = excluded.tokens, money = excluded.money`,
      ...[work, step, reserved.tokens, reserved.money, spent.tokens, spent.money, reservation],
    );
  }
}
