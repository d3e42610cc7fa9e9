/** What a hot tenant's root leases to its shards: where each stands, as it said last, and what counts as spent where none is heard of. */
import { ok, type Result } from "../../src/conversation/problem.js";
import type { Renewal, Renewed } from "../../src/gateways/budget-messages.js";
import type { Demand } from "../../src/tenancy/limits/demand.js";
import { unsettledAfterMs } from "../../src/tenancy/limits/grants.js";
import { leaseFor } from "../../src/tenancy/limits/leases.js";
import { limitReached } from "../../src/tenancy/limits/refusal.js";
import { type Counter, hasRoom, remainingOf } from "../../src/tenancy/limits/room.js";
import type { WindowSpan } from "../../src/tenancy/limits/windows.js";
import type { LeaseRow, LeaseStore } from "./lease-store.js";
import type { BudgetStore } from "./store.js";

/** Stores a counter, and whatever webhooks are to hear of it. */
interface CounterRecorder {
  record(demand: Demand, span: WindowSpan, counter: Counter, isOver: boolean, now: number): void;
}

export class RootLeases {
  constructor(
    private readonly store: BudgetStore,
    private readonly leases: LeaseStore,
    private readonly ledger: CounterRecorder,
    private readonly now: () => number,
  ) {}

  /**
   * Notes where a shard stands, whatever was known of it, and leases it what it needs: of all counters, or of none. The same again does
   * nothing more; what comes after something later does nothing.
   */
  renew({ shard, seq, counters }: Renewal): Result<number[]> {
    const now = this.now();
    for (const counter of counters) this.note(shard, seq, counter, now);
    const leased = counters.map((renewed) => {
      const { demand } = renewed;
      return demand === undefined ? 0 : leaseFor(demand, this.store.counter(renewed));
    });
    const at = leased.indexOf(undefined);
    const full = at < 0 ? undefined : counters[at];
    if (full?.demand !== undefined) {
      const { demand, start, end } = full;
      const counter = this.store.counter(full);
      this.ledger.record(demand, { start, end }, counter, true, now);
      return { ok: false, problem: limitReached(demand, { start, end }, remainingOf(counter, demand.max), now) };
    }
    const amounts = leased.map((amount) => amount ?? 0);
    counters.forEach((renewed, index) => {
      const { demand, start, end } = renewed;
      const amount = amounts[index] ?? 0;
      const row = this.leases.get(shard, renewed);
      if (demand === undefined || amount === 0 || row === undefined || row.seq > seq) return;
      const before = this.store.counter(renewed);
      const counter = { ...before, reserved: before.reserved + amount };
      this.ledger.record(demand, { start, end }, counter, !hasRoom(demand, before), now);
      this.leases.put({ ...row, kept: row.kept + amount });
    });
    return ok(amounts);
  }

  /** Shards that nobody has heard of for long: what they kept counts as spent, until they are heard of again. */
  expire(): void {
    const now = this.now();
    for (const row of this.leases.keptSince(now - unsettledAfterMs)) {
      this.store.moveCounter(row, { used: row.kept, reserved: -row.kept });
      this.leases.put({ ...row, kept: 0, lost: row.lost + row.kept });
    }
  }

  private note(shard: number, seq: number, renewed: Renewed, now: number): void {
    const before = this.leases.get(shard, renewed);
    if (before !== undefined && before.seq > seq) return;
    const { used, kept, unsettled } = renewed;
    const row: LeaseRow = { shard, ...keyOf(renewed), used, kept, unsettled, lost: 0, seq, at: now };
    if (before === undefined && used === 0 && kept === 0 && renewed.demand === undefined) return;
    // A counter of its own, if nobody has counted there yet, or something else.
    this.store.putCounter(renewed, { start: renewed.start, end: renewed.end }, this.store.counter(renewed));
    this.store.moveCounter(row, {
      used: used - (before?.used ?? 0) - (before?.lost ?? 0),
      reserved: kept - (before?.kept ?? 0),
    });
    this.leases.put(row);
  }
}

function keyOf({ limit, scope, measure, start }: Renewed): Pick<LeaseRow, "limit" | "scope" | "measure" | "start"> {
  return { limit, scope, measure, start };
}
