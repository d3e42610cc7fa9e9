/** A tenant's budget at work: its kit, and its ledger, which is loaded when somebody comes. */
import type { BudgetPlatform } from "../../src/application/limits/budget-platform.js";
import type { Renewal } from "../../src/gateways/budget-messages.js";
import { limitEventsRoot } from "../../src/tenancy/limits/events.js";
import { type CallRate, countCall } from "../../src/tenancy/limits/leases.js";
import { loaded } from "../../src/text/lazily.js";
import { Kit } from "../kit/kit.js";

const ledger = loaded(() => import("./ledger.js"));
const store = loaded(() => import("./store.js"));
const leaseStore = loaded(() => import("./lease-store.js"));
const shards = loaded(() => import("./shard.js"));
const rootLeases = loaded(() => import("./root-leases.js"));

export class BudgetEngine {
  readonly kit: Kit;
  readonly ledger;
  /** What it leases to shards, where it is a root. */
  readonly root;
  /** What it does as a shard of a hot tenant; nothing where it is a root. */
  readonly shard;
  private rate: CallRate = { second: 0, calls: 0 };

  constructor(
    ctx: DurableObjectState,
    private readonly platform: BudgetPlatform,
  ) {
    const { sql } = ctx.storage;
    const tenantId = (): string => String(sql.exec("SELECT tenant_id FROM budget").one().tenant_id);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => ({ tenantId: tenantId(), id: limitEventsRoot }),
      deliver: (messages, owner) => platform.deliver({ tenantId: owner.tenantId, ownerId: owner.id, messages }),
      next: () => undefined,
      deadlinePassed: () => ctx.waitUntil(this.report()),
      present: (_type, data) => data,
      askClosed: () => {},
    });
    this.ledger = loaded(async () => {
      const [{ Ledger }, { BudgetStore }, { LeaseStore }] = await Promise.all([ledger(), store(), leaseStore()]);
      return new Ledger(new BudgetStore(sql), new LeaseStore(sql), this.kit, platform.now);
    });
    const stores = async () => {
      const [{ BudgetStore }, { LeaseStore }, own] = await Promise.all([store(), leaseStore(), this.ledger()]);
      return { store: new BudgetStore(sql), leases: new LeaseStore(sql), ledger: own };
    };
    this.root = loaded(async () => {
      const [{ RootLeases }, parts] = await Promise.all([rootLeases(), stores()]);
      return new RootLeases(parts.store, parts.leases, parts.ledger, platform.now);
    });
    this.shard = loaded(async () => {
      const { shard } = sql.exec("SELECT shard FROM budget").one();
      if (shard === null) return undefined;
      const [{ Shard }, parts] = await Promise.all([shards(), stores()]);
      const renew = (renewal: Renewal) => platform.renew(tenantId(), renewal);
      return new Shard({ ...parts, shard: Number(shard), kit: this.kit, now: platform.now, renew });
    });
  }

  /** Counts a call. @returns whether there are more of them than one object is to take */
  isHot(perSecond: number): boolean {
    this.rate = countCall(this.rate, this.platform.now());
    return this.rate.calls > perSecond;
  }

  private async report(): Promise<void> {
    await (await this.shard())?.report();
  }
}
