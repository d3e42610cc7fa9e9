/** The object of a tenant's limits as others call it: what it does is in `BudgetEngine`. */

import { environmentOf } from "../../src/composition/databases.js";
import { composeBudgetPlatform } from "../../src/composition/objects.js";
import type { Result } from "../../src/conversation/problem.js";
import type { BudgetObject, Taken } from "../../src/gateways/budget-gateway.js";
import type { Renewal, Taking } from "../../src/gateways/budget-messages.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import type { Demand } from "../../src/tenancy/limits/demand.js";
import type { Settlement } from "../../src/tenancy/limits/grants.js";
import { hotCallsOfShard, hotCallsPerSecond, spreadMs } from "../../src/tenancy/limits/leases.js";
import type { LimitState } from "../../src/tenancy/limits/limit.js";
import { loaded } from "../../src/text/lazily.js";
import { tenantOf } from "../kit/home.js";
import { StoredObject } from "../kit/stored-object.js";
import { BudgetEngine } from "./budget-engine.js";
import { tenantBudgetSchema } from "./schema.js";

const messages = loaded(() => import("../../src/gateways/budget-messages.js"));

/** What one tenant has used and reserved of its limits. */
export class TenantBudget extends StoredObject<BudgetEngine> implements BudgetObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(
      ctx,
      env,
      tenantBudgetSchema,
      new BudgetEngine(ctx, composeBudgetPlatform(environmentOf(env, tenantOf(ctx, "budget")))),
    );
  }

  async take(tenantId: string, taking: Wire<Taking>, number?: number): Promise<Taken> {
    const { engine } = this;
    const parsed = fromWire(taking, (await messages()).takingSchema());
    this.create(tenantId, number);
    const shard = await engine.shard();
    const taken = shard === undefined ? (await engine.ledger()).take(parsed) : await shard.take(parsed);
    const isHot = engine.isHot(shard === undefined ? hotCallsPerSecond : hotCallsOfShard);
    return { ...toWire(taken), ...(isHot ? { spreadMs } : {}) };
  }

  async renew(tenantId: string, renewal: Wire<Renewal>): Promise<Wire<Result<number[]>>> {
    const { engine } = this;
    const parsed = fromWire(renewal, (await messages()).renewalSchema());
    this.create(tenantId);
    const root = await engine.root();
    const leased = engine.kit.write(() => root.renew(parsed));
    engine.kit.deliverSoon();
    return toWire(leased);
  }

  async settle(settlements: Wire<readonly Settlement[]>): Promise<void> {
    if (!this.exists()) return;
    const parsed = fromWire(settlements, (await messages()).settlementsSchema());
    const [ledger, shard] = await Promise.all([this.engine.ledger(), this.engine.shard()]);
    this.engine.kit.write(() => {
      ledger.settle(parsed);
      shard?.changed();
    });
  }

  async state(tenantId: string, demand: Wire<Demand>): Promise<Wire<LimitState>> {
    const parsed = fromWire(demand, (await messages()).demandSchema());
    this.create(tenantId);
    return toWire((await this.engine.ledger()).state(parsed));
  }

  async counted(scopes: readonly string[]): Promise<number> {
    return this.exists() ? (await this.engine.ledger()).counted(scopes) : 0;
  }

  async forget(scopes: readonly string[]): Promise<number> {
    return this.exists() ? (await this.engine.ledger()).forget(scopes) : 0;
  }

  async remove(): Promise<void> {
    if (!this.exists()) return;
    await this.engine.kit.stop();
    await this.engine.kit.empty();
  }

  private create(tenantId: string, shard?: number): void {
    if (this.exists()) return;
    this.ctx.storage.transactionSync(() => {
      this.makeTables();
      this.ctx.storage.sql.exec("INSERT INTO budget (one, tenant_id, shard) VALUES (1, ?, ?)", tenantId, shard ?? null);
    });
  }
}
