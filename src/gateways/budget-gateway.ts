/** Calls of tenants' budgets. An object that doesn't answer refuses: what nobody counted is not let through. */

import { problem, type Result } from "../conversation/problem.js";
import { withDeadline } from "../platform/clock.js";
import { describeError, log } from "../platform/logging.js";
import type { Demand } from "../tenancy/limits/demand.js";
import type { Settlement } from "../tenancy/limits/grants.js";
import { shardCount, shardOf } from "../tenancy/limits/leases.js";
import { isConcurrent, type LimitState } from "../tenancy/limits/limit.js";
import { loaded } from "../text/lazily.js";
import type { Renewal, Slice, Taking } from "./budget-messages.js";
import type { ObjectPath, PlacedObjects } from "./placement.js";
import { toWire, type Wire } from "./wire.js";

export interface BudgetObject {
  /** @param shard which of a hot tenant's shards this is; without it the root */
  take(tenantId: string, taking: Wire<Taking>, shard?: number): Promise<Taken>;
  /** Of the root: what one of its shards stands at, and needs. */
  renew(tenantId: string, renewal: Wire<Renewal>): Promise<Wire<Result<number[]>>>;
  settle(settlements: Wire<readonly Settlement[]>): Promise<void>;
  state(tenantId: string, demand: Wire<Demand>): Promise<Wire<LimitState>>;
  /** How many windows are counted for somebody: `subject ana`. */
  counted(scopes: readonly string[]): Promise<number>;
  forget(scopes: readonly string[]): Promise<number>;
  remove(): Promise<void>;
}

/** Whether there was room, and for how long callers go to shards of this tenant, in milliseconds. */
export interface Taken extends Wire<Result<Slice | null>> {
  readonly spreadMs?: number;
}

/** How long an answer is waited for, in milliseconds; and after how long somebody tries again, in seconds. */
const answerMs = 2_000;
const retryAfterSeconds = 5;

const messages = loaded(() => import("./budget-messages.js"));

export class BudgetGateway {
  /** Tenants whose limits are counted in shards, and until when, as this instance was told. */
  private readonly hot = new Map<string, number>();
  private turn = 0;

  constructor(
    private readonly objects: PlacedObjects<BudgetObject>,
    private readonly now: () => number,
  ) {}

  /**
   * What a reservation for some work is called: the name says which object holds it, so that everything about it goes there.
   * @param key whom it is for: the same go to the same shard
   */
  reservationFor(tenantId: string, work: string, key: string, demands: readonly Demand[]): string {
    const isSpread = this.isHot(tenantId) && !demands.some(({ measure }) => isConcurrent(measure));
    return isSpread ? `${work}@${shardOf(key)}` : work;
  }

  /**
   * Takes all that is demanded, or nothing: what has no room is refused.
   * @throws {ProblemError} `limits_unavailable` where the object doesn't answer
   */
  take(tenantId: string, taking: Taking): Promise<Result<Slice | null>> {
    const shard = this.placeOf(tenantId, taking);
    return this.within(tenantId, async () => {
      const { takenSchema } = await messages();
      return this.objects.read(pathOf(tenantId, shard), takenSchema(), async (object) => {
        const taken = await object.take(tenantId, toWire(taking), shard);
        if (taken.spreadMs !== undefined) this.hot.set(tenantId, this.now() + taken.spreadMs);
        return taken;
      });
    });
  }

  /** Of a shard, to its root. */
  renew(tenantId: string, renewal: Renewal): Promise<Result<number[]>> {
    return this.within(tenantId, async () => {
      const { leasesSchema } = await messages();
      return this.objects.read([tenantId], leasesSchema(), (object) => object.renew(tenantId, toWire(renewal)));
    });
  }

  /** Can be repeated. */
  async settle(tenantId: string, settlements: readonly Settlement[]): Promise<void> {
    const places = Map.groupBy(settlements, ({ work }) => shardIn(work));
    await Promise.all(
      [...places].map(([shard, own]) =>
        this.objects.call(pathOf(tenantId, shard), (object) => object.settle(toWire(own))),
      ),
    );
  }

  state(tenantId: string, demand: Demand): Promise<LimitState> {
    return this.within(tenantId, async () => {
      const { stateSchema } = await messages();
      return this.objects.read([tenantId], stateSchema(), (object) => object.state(tenantId, toWire(demand)));
    });
  }

  /** How many windows are counted for somebody, in the root and its shards. */
  async counted(tenantId: string, scopes: readonly string[]): Promise<number> {
    return this.sum(tenantId, (object) => object.counted([...scopes]));
  }

  /** Forgets what is counted and reserved for somebody. @returns how many windows */
  async forget(tenantId: string, scopes: readonly string[]): Promise<number> {
    return this.sum(tenantId, (object) => object.forget([...scopes]));
  }

  async remove(tenantId: string): Promise<void> {
    await this.everywhere(tenantId, (object) => object.remove());
  }

  private async sum(tenantId: string, count: (object: BudgetObject) => Promise<number>): Promise<number> {
    return (await this.everywhere(tenantId, count)).reduce((sum, n) => sum + n, 0);
  }

  /** At the root and at each shard. */
  private everywhere<T>(tenantId: string, call: (object: BudgetObject) => Promise<T>): Promise<T[]> {
    const places = [undefined, ...Array.from({ length: shardCount }, (_, shard) => shard)];
    return Promise.all(places.map((shard) => this.objects.call(pathOf(tenantId, shard), call)));
  }

  /** What holds nothing may be taken anywhere: in turn. */
  private placeOf(tenantId: string, { work, demands }: Taking): number | undefined {
    if (work !== undefined) return shardIn(work);
    const isSpread = this.isHot(tenantId) && !demands.some(({ measure }) => isConcurrent(measure));
    if (!isSpread) return undefined;
    this.turn = (this.turn + 1) % shardCount;
    return this.turn;
  }

  private isHot(tenantId: string): boolean {
    const until = this.hot.get(tenantId);
    if (until === undefined) return false;
    if (until > this.now()) return true;
    this.hot.delete(tenantId);
    return false;
  }

  private async within<T>(tenantId: string, call: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(answerMs, call);
    } catch (error) {
      log("error", "limits.unavailable", { tenantId, ...describeError(error) });
      throw problem(
        "limits_unavailable",
        "The tenant's limits can't be read now, so nothing is let through. Try again.",
        { retryAfterSeconds, userMessage: "This is not available at the moment. Please try again in a few seconds." },
      );
    }
  }
}

function pathOf(tenantId: string, shard: number | undefined): ObjectPath {
  return shard === undefined ? [tenantId] : [tenantId, `shard-${shard}`];
}

/** The shard that a reservation's name says. */
function shardIn(work: string): number | undefined {
  const [, shard] = /@(\d{1,2})$/.exec(work) ?? [];
  return shard === undefined ? undefined : Number(shard);
}
