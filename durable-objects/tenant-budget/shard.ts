/**
 * A shard of a hot tenant's limits: takes from what its root has leased to it, asks for more when that is used up, and tells the root where
 * it stands, at the latest when a lease ends. All that it says is where it stands, so that an answer that was lost corrects itself.
 */
import { defined } from "../../src/conversation/defined.js";
import { attempt, ok, type Problem, type Result } from "../../src/conversation/problem.js";
import type { Renewal, Renewed, Taking } from "../../src/gateways/budget-messages.js";
import type { Demand } from "../../src/tenancy/limits/demand.js";
import { leaseMs, leftOf, quietMs } from "../../src/tenancy/limits/leases.js";
import { type WindowSpan, windowAt } from "../../src/tenancy/limits/windows.js";
import type { Kit } from "../kit/kit.js";
import type { LeasedRow, LeaseStore } from "./lease-store.js";
import type { Ledger } from "./ledger.js";
import type { BudgetStore, CounterKey } from "./store.js";

export const leasesDeadline = "leases";

export interface ShardPorts {
  readonly shard: number;
  readonly store: BudgetStore;
  readonly leases: LeaseStore;
  readonly ledger: Pick<Ledger, "reserve" | "sweepNow">;
  readonly kit: Pick<Kit, "write" | "deadlines">;
  readonly now: () => number;
  readonly renew: (renewal: Renewal) => Promise<Result<number[]>>;
}

/** What is demanded of a counter, and where. */
interface Place {
  readonly demand: Demand;
  readonly span: WindowSpan;
  readonly key: CounterKey;
}

export class Shard {
  /** Counters that were refused, until when nobody asks for them again, and with what. */
  private readonly quiet = new Map<string, { readonly until: number; readonly problem: Problem }>();
  /** One word to the root after the other: each says where the shard stands then. */
  private talking: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: ShardPorts) {}

  /** Takes all of it, or nothing. */
  async take(taking: Taking): Promise<Result<null>> {
    for (;;) {
      const taken = this.takeLeased(taking);
      if (taken !== undefined) return taken;
      // Others took meanwhile what was leased for this.
      const refused = await this.inTurn(() => this.lease(taking.demands));
      if (refused !== undefined) return { ok: false, problem: refused };
    }
  }

  /** Something has changed that the root is to know of, at the latest when a lease ends. In the write that is under way. */
  changed(): void {
    const { kit, now } = this.ports;
    kit.deadlines.within(leasesDeadline, now() + leaseMs, now());
  }

  /** The alarm rang: what is left of leases that have ended goes back, and the root hears of all that has changed. */
  async report(): Promise<void> {
    const { leases, ledger, kit, now } = this.ports;
    await this.inTurn(async () => {
      kit.write(() => ledger.sweepNow());
      const ended = leases.allLeased().filter((row) => this.isNews(row));
      if (ended.length > 0) {
        const counters = kit.write(() => ended.map((row) => this.standing(row, row.until > now())));
        const sent = await attempt(() => this.send(counters));
        if (sent.ok && sent.value.ok) kit.write(() => this.noteReported(ended, counters));
      }
      kit.write(() => {
        if (leases.allLeased().some((row) => this.isNews(row) || this.keeps(row) > 0)) this.changed();
      });
    });
  }

  /** From the leases as they are; nothing where they don't suffice. */
  private takeLeased(taking: Taking): Result<null> | undefined {
    const { store, kit, ledger, now } = this.ports;
    if (taking.work !== undefined && store.hasGrant(taking.work, taking.step)) return ok(null);
    const places = this.placesOf(taking.demands);
    const isShort = (place: Place): boolean => this.leftIn(place.key) < place.demand.amount;
    if (places.some(isShort)) return undefined;
    kit.write(() => {
      for (const { demand, span } of places) ledger.reserve(taking, demand, span, now());
      this.changed();
    });
    return ok(null);
  }

  /** Asks for what is missing. @returns why there is none */
  private async lease(demands: readonly Demand[]): Promise<Problem | undefined> {
    const { kit, leases, now } = this.ports;
    const short = this.placesOf(demands).filter(({ key, demand }) => this.leftIn(key) < demand.amount);
    for (const { key } of short) {
      const refused = this.quiet.get(nameOf(key));
      if (refused !== undefined && refused.until > now()) return refused.problem;
      this.quiet.delete(nameOf(key));
    }
    if (short.length === 0) return undefined;
    const counters = kit.write(() =>
      short.map(({ key, span, demand }) => {
        const row = leases.leased(key) ?? { ...key, ends: span.end, leased: 0, until: 0, reported: -1 };
        return { ...this.standing(row, false), demand };
      }),
    );
    const leased = await attempt(() => this.send(counters));
    const answer = leased.ok ? leased.value : leased;
    if (!answer.ok) {
      const { problem } = answer;
      const isFull = ({ key }: Place): boolean =>
        key.limit === problem.reached?.limit && key.scope === problem.reached.scope;
      for (const { key } of short.filter(isFull)) this.quiet.set(nameOf(key), { until: now() + quietMs, problem });
      return problem;
    }
    kit.write(() => {
      short.forEach(({ key }, at) => {
        const row = leases.leased(key);
        const amount = answer.value[at] ?? 0;
        const reported = counters[at]?.used ?? -1;
        if (row !== undefined)
          leases.putLeased({ ...row, leased: row.leased + amount, until: now() + leaseMs, reported });
      });
      this.changed();
    });
    return undefined;
  }

  private send(counters: readonly Renewed[]): Promise<Result<number[]>> {
    const { shard, leases, kit, renew } = this.ports;
    const seq = kit.write(() => leases.nextRenewal());
    return renew({ shard, seq, counters: [...counters] });
  }

  /**
   * Where a counter stands, as the root is told. What isn't kept of its lease is given back in that very write: nobody takes of it
   * while the word is under way.
   */
  private standing(row: LeasedRow, keepsLeft: boolean): Renewed {
    const { store, leases } = this.ports;
    const { limit, scope, measure, start, ends } = row;
    const { used, reserved } = store.counter(row);
    const left = keepsLeft ? Math.max(0, row.leased - used - reserved) : 0;
    leases.putLeased({ ...row, leased: used + reserved + left });
    const unsettled = store.unsettledIn(row);
    return { limit, scope, measure, start, ...defined({ end: ends }), used, kept: reserved + left, unsettled };
  }

  private noteReported(rows: readonly LeasedRow[], counters: readonly Renewed[]): void {
    const { leases, now } = this.ports;
    rows.forEach((row, at) => {
      const current = leases.leased(row);
      if (current === undefined) return;
      const isOver = row.ends !== undefined && row.ends < now() && this.keeps(current) === 0;
      if (isOver) leases.forgetLeased(row);
      else leases.putLeased({ ...current, reported: counters[at]?.used ?? -1 });
    });
  }

  /** Whether the root has to hear of it: it has used more, or its lease has ended with something left. */
  private isNews(row: LeasedRow): boolean {
    const { used, reserved } = this.ports.store.counter(row);
    const isOver = row.ends !== undefined && row.ends < this.ports.now();
    return used !== row.reported || isOver || (row.until <= this.ports.now() && row.leased > used + reserved);
  }

  /** What is reserved in it, and left of it. */
  private keeps(row: LeasedRow): number {
    return Math.max(0, row.leased - this.ports.store.counter(row).used);
  }

  private leftIn(key: CounterKey): number {
    const { store, leases, now } = this.ports;
    const row = leases.leased(key);
    // Even what takes nothing of it is known to the root.
    return row === undefined ? -1 : leftOf(row, store.counter(key), now());
  }

  private placesOf(demands: readonly Demand[]): Place[] {
    return demands.map((demand) => {
      const span = windowAt(demand.window, demand.timeZone, this.ports.now());
      return { demand, span, key: { ...demand, start: span.start } };
    });
  }

  private inTurn<T>(next: () => Promise<T>): Promise<T> {
    const done = this.talking.then(next, next);
    this.talking = done.catch(() => undefined);
    return done;
  }
}

function nameOf({ limit, scope, measure, start }: CounterKey): string {
  return [limit, scope, measure, start].join(" ");
}
