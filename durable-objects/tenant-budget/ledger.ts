/** The ledger of a tenant's limits: takes, reserves, settles, and says what is left. What is decided stands in `src/tenancy/limits`. */

import { defined } from "../../src/conversation/defined.js";
import { ok, type Result } from "../../src/conversation/problem.js";
import type { Slice, Taking } from "../../src/gateways/budget-messages.js";
import { type Demand, moneyParts } from "../../src/tenancy/limits/demand.js";
import type { Settlement } from "../../src/tenancy/limits/grants.js";
import { changeOf, expire, placeLeaseMs, settle, sliceOf, unsettledAfterMs } from "../../src/tenancy/limits/grants.js";
import { isConcurrent, isReserved, type LimitState } from "../../src/tenancy/limits/limit.js";
import { limitReached } from "../../src/tenancy/limits/refusal.js";
import { type Counter, hasRoom, newsOf, remainingOf, taken } from "../../src/tenancy/limits/room.js";
import { type WindowSpan, windowAt } from "../../src/tenancy/limits/windows.js";
import type { Kit } from "../kit/kit.js";
import type { LeaseStore } from "./lease-store.js";
import { RootLeases } from "./root-leases.js";
import type { BudgetStore, StoredGrant } from "./store.js";

/** How long what is over is kept, for settlements that come late, in milliseconds; and how often it is looked for. */
const keptMs = 86_400_000;
const sweepMs = 60_000;

export class Ledger {
  private sweptAt = 0;

  constructor(
    private readonly store: BudgetStore,
    private readonly leases: LeaseStore,
    private readonly kit: Pick<Kit, "write" | "outbox" | "deliverSoon" | "freeSpace">,
    private readonly now: () => number,
  ) {}

  /** Takes all of it, or nothing. What is reserved for work is known by the work and the step: the same again is taken already. */
  take({ work, step, demands, agent }: Taking): Result<Slice | null> {
    const now = this.now();
    const result = this.kit.write((): Result<Slice | null> => {
      this.sweep(now);
      if (work !== undefined && this.store.hasGrant(work, step)) return ok(null);
      const asked = demands.map((demand) => ({ demand, ...this.look(demand, now) }));
      const slice = work === undefined || agent === undefined ? undefined : this.sliceFor(agent, asked);
      const looked = asked.map((one) => ({ ...one, demand: withSlice(one.demand, slice) }));
      const over = looked.find(({ demand, counter }) => demand.isEnforced && !hasRoom(demand, counter));
      if (over !== undefined) {
        const { demand, counter, span } = over;
        this.record(demand, span, counter, true, now);
        return { ok: false, problem: limitReached(demand, span, remainingOf(counter, demand.max), now) };
      }
      for (const { demand, counter, span } of looked) {
        const after = this.reserve({ work, step }, demand, span, now);
        this.record(demand, span, after, !hasRoom(demand, counter), now);
      }
      if (work !== undefined && agent !== undefined && slice !== undefined) this.store.beginTurn(work, agent, now);
      return ok(slice ?? null);
    });
    this.kit.deliverSoon();
    return result;
  }

  /** Takes what one limit is demanded, whatever there is; nobody hears of it. In the write that is under way. @returns the counter after it */
  reserve({ work, step }: Pick<Taking, "work" | "step">, demand: Demand, span: WindowSpan, now: number): Counter {
    const isKept = isReserved(demand.measure) || isConcurrent(demand.measure);
    const after = taken(this.store.counter({ ...demand, start: span.start }), demand.amount, isKept);
    if (isKept && work !== undefined) this.store.putGrant(grantOf(work, step, demand, span, now));
    this.store.putCounter(demand, span, after);
    return after;
  }

  /** Counts what nobody has settled in time. In the write that is under way. */
  sweepNow(): void {
    this.sweep(this.now(), true);
  }

  /** What work has come to. In any order, and again. */
  settle(settlements: readonly Settlement[]): void {
    this.kit.write(() => {
      this.sweep(this.now());
      for (const { work, upTo, tokens, money, renews } of settlements) {
        if (renews === true) {
          this.store.renewPlaces(work, this.now());
          continue;
        }
        const known = this.store.grantsOf(work);
        this.store.setTurnCost(work, { tokens, money });
        // A take that comes after this finds itself taken, and holds nothing.
        if (known.length === 0 && upTo >= 0) this.store.putGrant(neverTaken(work, upTo, this.now()));
        for (const grants of Map.groupBy(known, ({ limit }) => limit).values()) {
          const spent = { tokens, money }[grants[0]?.measure === "money" ? "money" : "tokens"];
          // What was settled behind this is known better.
          if (grants.some(({ step, state }) => step > upTo && state === "settled")) continue;
          const total = isReserved(grants[0]?.measure ?? "turns") ? spent : 0;
          settle(grants, upTo, total).forEach((settled, at) => {
            const before = grants[at];
            if (before !== undefined) this.change(before, settled);
          });
        }
      }
    });
  }

  /** What a limit says now, for one of those that it is counted apart for. */
  state(demand: Demand): LimitState {
    const now = this.now();
    this.kit.write(() => this.sweep(now, true));
    const { counter, span } = this.look(demand, now);
    const key = { ...demand, start: span.start };
    const shown = (amount: number): number => (demand.measure === "money" ? amount / moneyParts : amount);
    return {
      used: shown(counter.used),
      reserved: shown(counter.reserved),
      max: shown(demand.max),
      remaining: shown(remainingOf(counter, demand.max)),
      unsettled: shown(this.store.unsettledIn(key) + this.leases.unsettledIn(key)),
      ...defined({ resetsAt: span.end === undefined ? undefined : new Date(span.end).toISOString() }),
    };
  }

  /** What is reserved for a turn of this agent, of tokens and of money; nothing where neither is limited. */
  private sliceFor(agent: string, asked: readonly Looked[]): Slice | undefined {
    const reserved = asked.filter(({ demand }) => isReserved(demand.measure));
    if (reserved.length === 0) return undefined;
    const costs = this.store.turnCosts(agent);
    const of = (measure: "tokens" | "money"): number => {
      const own = reserved.filter(({ demand }) => demand.measure === measure);
      const worst = Math.max(0, ...own.map(({ demand }) => demand.amount));
      const enforced = own.filter(({ demand }) => demand.isEnforced);
      const left = Math.min(...enforced.map(({ demand, counter }) => remainingOf(counter, demand.max)));
      return sliceOf(worst, own.length === 0 ? [] : costs.map((cost) => cost[measure]), left);
    };
    return { tokens: of("tokens"), money: of("money") };
  }

  counted(scopes: readonly string[]): number {
    return this.store.countersOf(scopes);
  }

  /** Somebody is to be forgotten: their windows begin anew, and what is reserved for them settles into nothing. */
  forget(scopes: readonly string[]): number {
    return this.kit.write(() => {
      this.kit.freeSpace.overwriteSoon();
      return this.store.forgetScopes(scopes);
    });
  }

  private look(demand: Demand, now: number) {
    const span = windowAt(demand.window, demand.timeZone, now);
    return { span, counter: this.store.counter({ ...demand, start: span.start }) };
  }

  /** Stores a counter, and whatever webhooks are to hear of it. In the write that is under way. */
  record(demand: Demand, span: WindowSpan, counter: Counter, isOver: boolean, now: number): void {
    const { counter: noted, news } = newsOf(counter, demand, isOver);
    this.store.putCounter(demand, span, noted);
    const { limit, scope } = demand;
    for (const { type, ...more } of news) {
      const resetsAt = span.end === undefined ? undefined : new Date(span.end).toISOString();
      const key = [type, ...Object.values(more), limit, scope, span.start].join(" ");
      const data = { limit, scope, ...defined({ resetsAt }), ...more };
      this.kit.outbox.put("limit", key, { type, key, data, at: now });
    }
  }

  private sweep(now: number, isAsked = false): void {
    if (!isAsked && now - this.sweptAt < sweepMs) return;
    this.sweptAt = now;
    for (const grant of this.store.openSince(now - unsettledAfterMs)) this.change(grant, expire(grant, now));
    // Somebody died who would have given it back.
    for (const measure of ["concurrentTurns", "sockets"] as const)
      for (const grant of this.store.placesSince(measure, now - placeLeaseMs[measure]))
        this.change(grant, { ...grant, state: "settled" });
    new RootLeases(this.store, this.leases, this, this.now).expire();
    this.store.forgetBefore(now - keptMs);
    this.leases.forgetBefore(now - keptMs);
  }

  private change<G extends Pick<StoredGrant, "state" | "spent">>(before: StoredGrant, after: G): void {
    const { state, spent } = after;
    const changed = { ...before, state, spent };
    this.store.moveCounter(before, changeOf(before, changed));
    this.store.putGrant(changed);
  }
}

interface Looked {
  readonly demand: Demand;
  readonly counter: Counter;
}

function withSlice(demand: Demand, slice: Slice | undefined): Demand {
  const { measure } = demand;
  return slice === undefined || (measure !== "tokens" && measure !== "money")
    ? demand
    : { ...demand, amount: slice[measure] };
}

function neverTaken(work: string, step: number, at: number): StoredGrant {
  return { work, limit: "", step, scope: "", start: 0, measure: "turns", amount: 0, at, state: "settled", spent: 0 };
}

function grantOf(work: string, step: number, demand: Demand, { start }: WindowSpan, at: number): StoredGrant {
  const { limit, scope, measure, amount } = demand;
  return { work, limit, step, scope, start, measure, amount, at, state: "open", spent: 0 };
}
