/** What work has come to goes to its tenant's budget; all else that an outbox sends, on its way. */

import { isTopicOf, readPayload } from "../../catalogues/outbox.js";
import type { BudgetGateway } from "../../gateways/budget-gateway.js";
import type { Delivery } from "../../stores/deliveries.js";
import type { Settlement } from "../../tenancy/limits/grants.js";

/** All or throws. @param deliver the rest of the delivery */
export async function deliverSettled(
  delivery: Delivery,
  budgets: Pick<BudgetGateway, "settle">,
  deliver: (rest: Delivery) => Promise<void>,
): Promise<void> {
  const settled: Settlement[] = [];
  const rest = delivery.messages.filter(({ topic, payload }) => {
    if (!isTopicOf(topic, "budget")) return true;
    settled.push(readPayload(topic, payload));
    return false;
  });
  if (settled.length > 0) await budgets.settle(delivery.tenantId, settled);
  if (rest.length > 0 || settled.length === 0) await deliver({ ...delivery, messages: rest });
}
