/** What the object of a tenant's limits needs of the platform. */
import type { BudgetGateway } from "../../gateways/budget-gateway.js";
import type { Delivery } from "../../stores/deliveries.js";

export interface BudgetPlatform {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Of a hot tenant's shard: tells its root where it stands, and asks for more. */
  readonly renew: BudgetGateway["renew"];
  /** Brings what webhooks are told to D1; all or throws. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
}
