/** What the object of a tenant's limits needs of the platform. */
import type { Delivery } from "../../stores/deliveries.js";

export interface BudgetPlatform {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Brings what webhooks are told to D1; all or throws. */
  readonly deliver: (delivery: Delivery) => Promise<void>;
}
