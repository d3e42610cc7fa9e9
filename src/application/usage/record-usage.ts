/** What models take where no object's work counts it: trials, and supervision of what is written to memories. */
import { addUsage, type ModelUsage, noUsage } from "../../agent/work.js";
import { defined } from "../../conversation/defined.js";
import type { TokenUsage } from "../../model/port.js";
import type { Database } from "../../platform/sql.js";
import { deliverToD1 } from "../../stores/deliveries.js";
import type { PriceStore } from "../../stores/price-store.js";

/** Adds a call to what a model has taken. */
export function addModelUsage(usage: Map<string, ModelUsage>, model: string, taken: TokenUsage): void {
  const so = usage.get(model);
  const calls = [...(so?.calls ?? []), taken];
  usage.set(model, { ...addUsage(so ?? noUsage, { modelCalls: 1, ...taken }), model, calls });
}

/** What it was that models were called for. */
export interface UsageOrigin {
  readonly tenantId: string;
  /** Of this once: a repeated call counts nothing more. */
  readonly work: string;
  readonly kind: "trial" | "memory_write" | "memory_shadow";
  /** By whose request. */
  readonly keyId?: string | undefined;
  readonly subject?: string | undefined;
}

export interface UsagePorts {
  readonly db: Database;
  readonly now: () => number;
  readonly prices: () => Promise<PriceStore>;
}

/** The tenant pays for it as for turns. Nothing is written where no model was called. */
export async function recordUsage(
  { tenantId, work, kind, keyId, subject }: UsageOrigin,
  usage: ReadonlyMap<string, ModelUsage>,
  { db, now, prices }: UsagePorts,
): Promise<void> {
  if (usage.size === 0) return;
  const payload = { work, kind, agent: "", ...defined({ keyId, subject }), models: [...usage.values()], at: now() };
  const messages = [{ id: 0, topic: "usage", payload: JSON.stringify(payload) }];
  await deliverToD1(db, { tenantId, ownerId: work, messages }, { prices });
}
