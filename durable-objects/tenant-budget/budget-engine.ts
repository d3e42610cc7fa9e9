/** A tenant's budget at work: its kit, and its ledger, which is loaded when somebody comes. */
import type { BudgetPlatform } from "../../src/application/limits/budget-platform.js";
import { limitEventsRoot } from "../../src/tenancy/limits/events.js";
import { loaded } from "../../src/text/lazily.js";
import { Kit } from "../kit/kit.js";

const ledger = loaded(() => import("./ledger.js"));
const store = loaded(() => import("./store.js"));

export class BudgetEngine {
  readonly kit: Kit;
  readonly ledger;

  constructor(ctx: DurableObjectState, platform: BudgetPlatform) {
    const { sql } = ctx.storage;
    const tenantId = (): string => String(sql.exec("SELECT tenant_id FROM budget").one().tenant_id);
    this.kit = new Kit(ctx, {
      now: platform.now,
      owner: () => ({ tenantId: tenantId(), id: limitEventsRoot }),
      deliver: (messages, owner) => platform.deliver({ tenantId: owner.tenantId, ownerId: owner.id, messages }),
      next: () => undefined,
      present: (_type, data) => data,
      askClosed: () => {},
    });
    this.ledger = loaded(async () => {
      const [{ Ledger }, { BudgetStore }] = await Promise.all([ledger(), store()]);
      return new Ledger(new BudgetStore(sql), this.kit, platform.now);
    });
  }
}
