/** Work under its tenant's limits: what it takes to begin, and what its models' calls have to have room in. */
import type { CallTaken } from "../../agent/call-budget.js";
import { defined } from "../../conversation/defined.js";
import type { Result } from "../../conversation/problem.js";
import type { BudgetGateway } from "../../gateways/budget-gateway.js";
import type { LimitStore } from "../../stores/limit-store.js";
import type { TenantReader } from "../../stores/tenant-snapshots.js";
import { type Amounts, type Demand, demandsOf, type LimitFacts } from "../../tenancy/limits/demand.js";
import { isReserved } from "../../tenancy/limits/limit.js";

/** What of the platform knows limits and what was used of them. */
export interface LimitPlatform {
  readonly openAsks: LimitStore["openAsks"];
  readonly now: () => number;
  readonly tenants: TenantReader;
  readonly budgets: Budgets;
  /** What a call costs, by the prices that hold now; nothing of a model without one. */
  readonly priceOf: () => Promise<PriceOf>;
}
type Budgets = Pick<BudgetGateway, "take" | "settle" | "reservationFor">;
/** In millionths of a unit of the currency. */
export type PriceOf = (model: string, usage: CallTaken["usage"]) => number | undefined;

/** What objects that work need of limits. */
export interface LimitedWork {
  readonly budgets: Budgets;
  /** The limits that calls of models in some work have to have room in; nothing where there are none. */
  readonly limitsOfWork: (facts: LimitFacts) => Promise<WorkLimits | undefined>;
}

/** The limits of some work. */
export interface WorkLimits {
  /** What the limits of tokens and money demand for an amount. */
  readonly demands: (cost: Readonly<Record<"tokens" | "money", number>>) => readonly Demand[];
  readonly priceOf: PriceOf;
  /** What the tenant's budget calls a reservation for work of this id. */
  readonly reservationFor: (work: string) => string;
  readonly take: (work: string, step: number, demands: readonly Demand[]) => Promise<Result<unknown>>;
}

/** The limits of a tenant that hold for calls of models; nothing where there are none. */
export async function limitsOfWork(
  facts: LimitFacts,
  platform: Omit<LimitPlatform, "openAsks">,
): Promise<WorkLimits | undefined> {
  const { tenantId } = facts;
  const limits = ((await platform.tenants.get(tenantId))?.limits ?? []).filter(({ measure }) => isReserved(measure));
  const demands = (amounts: Amounts): Demand[] => demandsOf(limits, facts, amounts, platform.now());
  const active = demands({ tokens: 1, money: 1 });
  if (active.length === 0) return undefined;
  const priceOf = active.some(({ measure }) => measure === "money") ? await platform.priceOf() : () => 0;
  return {
    demands,
    priceOf,
    reservationFor: (work: string) =>
      platform.budgets.reservationFor(tenantId, work, facts.subject ?? facts.sessionId ?? work, active),
    take: (work: string, step: number, taken: readonly Demand[]): Promise<Result<unknown>> =>
      platform.budgets.take(tenantId, { work, step, demands: [...taken] }),
  };
}

/** How many asks are open of those that a limit's scope names: `subject ana`. */
export function asksIn(
  scope: string,
  { tenantId, subject, sessionId }: LimitFacts,
  { openAsks }: Pick<LimitPlatform, "openAsks">,
): Promise<number> {
  if (scope.startsWith("subject ")) return openAsks(tenantId, defined({ subject }));
  return openAsks(tenantId, scope.startsWith("session ") ? defined({ ownerId: sessionId }) : {});
}

/** What an act demands of its tenant's limits, as they are known with its revision. */
export async function demandsNow(
  facts: LimitFacts,
  amounts: Amounts,
  { tenants, now }: Pick<LimitPlatform, "tenants" | "now">,
): Promise<Demand[]> {
  const limits = (await tenants.get(facts.tenantId))?.limits ?? [];
  return demandsOf(limits, facts, amounts, now());
}
