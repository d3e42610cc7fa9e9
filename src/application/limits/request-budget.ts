/**
 * Calls of models within one request, whose work no object keeps: what each may take of its tenant's limits is reserved before it, and
 * settled when the request ends. Where the Worker dies in between, all that was reserved counts as spent.
 */
import { type CallBudget, defaultMaxOutputTokens } from "../../agent/call-budget.js";
import type { Journal } from "../../agent/journal.js";
import { transientJournal, transientJournalWithin } from "../../agent/transient-journal.js";
import { attempt, type Problem, problem } from "../../conversation/problem.js";
import type { BudgetGateway } from "../../gateways/budget-gateway.js";
import { newId } from "../../platform/ids.js";
import { describeError, log } from "../../platform/logging.js";
import type { TenantReader } from "../../stores/tenant-snapshots.js";
import type { LimitFacts } from "../../tenancy/limits/demand.js";
import { type Cost, costOf, noCost, noPrice, refusedBy, sum, worstOf } from "./call-cost.js";
import type { WorkLimits } from "./work-limits.js";

export interface RequestBudget {
  readonly journal: Journal;
  /** Why a call wasn't made, where one wasn't. */
  readonly refusal: () => Problem | undefined;
  /** Gives back what was reserved and not taken. */
  readonly end: () => Promise<void>;
}

export interface RequestBudgetPorts {
  readonly limitsOfWork: (facts: LimitFacts, tenants?: TenantReader) => Promise<WorkLimits | undefined>;
  readonly budgets: Pick<BudgetGateway, "settle">;
  readonly tenants?: TenantReader;
}

/**
 * Asks nobody where the tenant has no limits of tokens or money.
 * @param facts whose request it is; nothing where it calls no model
 */
export async function requestBudget(facts: LimitFacts | undefined, ports: RequestBudgetPorts): Promise<RequestBudget> {
  const limits = facts && (await ports.limitsOfWork(facts, ports.tenants));
  if (facts === undefined || limits === undefined)
    return { journal: transientJournal, refusal: () => undefined, end: async () => {} };
  const reserving = new Reserving(limits, limits.reservationFor(newId("req")));
  return {
    journal: transientJournalWithin(reserving),
    refusal: () => reserving.refusal,
    end: () => reserving.settle(facts.tenantId, ports.budgets),
  };
}

class Reserving implements CallBudget {
  readonly maxOutputTokens = defaultMaxOutputTokens;
  /** The first of them. */
  refusal: Problem | undefined;
  private steps = 0;
  private spent: Cost = noCost;

  constructor(
    private readonly limits: WorkLimits,
    private readonly reservation: string,
  ) {}

  async reserve(call: Parameters<CallBudget["reserve"]>[0]): ReturnType<CallBudget["reserve"]> {
    const worst = worstOf(call, this.limits);
    if (worst === undefined) {
      const refused = noPrice(call);
      this.refusal ??= problem("limit_reached", `Nothing was done: ${refused.refused}.`).problem;
      return refused;
    }
    const step = this.steps++;
    const demands = this.limits.demands(worst).filter(({ amount }) => amount > 0);
    const taken = await attempt(() => this.limits.take(this.reservation, step, demands));
    const refused = taken.ok ? taken.value : taken;
    if (!refused.ok) {
      this.refusal ??= refused.problem;
      return refusedBy(refused.problem);
    }
    this.spent = sum(this.spent, worst);
    return {
      settle: (result) => {
        const cost = result === undefined ? noCost : costOf(result, this.limits);
        if (cost === undefined) return;
        const less = { tokens: cost.tokens - worst.tokens, money: cost.money - worst.money };
        this.spent = sum(this.spent, less);
      },
    };
  }

  async settle(tenantId: string, budgets: Pick<BudgetGateway, "settle">): Promise<void> {
    if (this.steps === 0) return;
    const settlement = { work: this.reservation, upTo: this.steps - 1, ...this.spent };
    try {
      await budgets.settle(tenantId, [settlement]);
    } catch (error) {
      // It counts as all that was reserved, in a while: more than was taken, never less.
      log("warn", "limits.unsettled", { tenantId, ...describeError(error) });
    }
  }
}
