/** Whether a message may begin work: everything that it takes, and what is reserved for its first calls, is asked for at once. */
import { countedInput, defaultMaxOutputTokens } from "../../agent/call-budget.js";
import { modelList } from "../../agent/definition.js";
import { defined } from "../../conversation/defined.js";
import { attempt, ok, type Result } from "../../conversation/problem.js";
import { estimateTokens } from "../../model/estimate.js";
import type { Amounts, LimitFacts } from "../../tenancy/limits/demand.js";
import { isConcurrent, isReserved } from "../../tenancy/limits/limit.js";
import { limitReached } from "../../tenancy/limits/refusal.js";
import { isOfKind } from "../../tenancy/resources.js";
import type { RootPlatform } from "../root-platform.js";
import { asksIn, demandsNow } from "./work-limits.js";

export interface NewWork {
  readonly work: string;
  /** Nobody answered in time: it may have been taken all the same, under this name. */
  readonly inDoubt?: ((reservation: string) => void) | undefined;
  readonly facts: LimitFacts;
  /** What is sent. */
  readonly text: string;
  /** The tenant's, as it was read with the caller's key. */
  readonly revision?: number | undefined;
}

export interface AdmittedWork {
  /** What the tenant's budget knows it by. */
  readonly reservation: string;
  /** What was reserved for it; nothing where there is nothing to give back. */
  readonly reserved: { readonly tokens: number; readonly money: number } | undefined;
  readonly revision: number | undefined;
}

/** Of instructions, tools and what was said before, where nobody has counted it yet, in tokens. A call that needs more reserves more. */
const usualPromptTokens = 1_000;

/**
 * Asks the tenant's budget for what the work takes: its tokens and money are worked out here. At most one call.
 * @param takes what it takes beside them
 */
export async function admitWork(
  { work, facts, text, revision: known, inDoubt }: NewWork,
  takes: Amounts,
  platform: RootPlatform,
): Promise<Result<AdmittedWork>> {
  const { tenantId } = facts;
  const revision = known ?? (await platform.revision(tenantId));
  const view = await platform.at(tenantId, revision);
  const first = await demandsNow(facts, takes, view);
  const limited = new Set(first.map(({ measure }) => measure));
  const reserved = { tokens: 0, money: 0 };
  if (limited.has("tokens") || limited.has("money")) {
    const inputTokens = countedInput(estimateTokens(text) + usualPromptTokens);
    reserved.tokens = inputTokens + defaultMaxOutputTokens;
    if (limited.has("money")) reserved.money = await firstCost(facts, inputTokens, view);
  }
  const counted = first.filter(({ measure }) => measure !== "openAsks");
  for (const demand of first.filter(({ measure }) => measure === "openAsks")) {
    const open = await asksIn(demand.scope, facts, view);
    // Work that is begun now may ask: it isn't begun while there are as many as may be.
    if (open >= demand.max && demand.isEnforced) {
      const problem = limitReached(demand, { start: 0, end: undefined }, 0, platform.now());
      return { ok: false, problem };
    }
  }
  const demands = counted.map((demand) => ({ ...demand, amount: sliceOf(demand.measure, reserved) ?? demand.amount }));
  const key = facts.subject ?? facts.sessionId ?? work;
  const reservation = view.budgets.reservationFor(tenantId, work, key, demands);
  if (demands.length === 0) return ok({ reservation, reserved: undefined, revision });
  const taken = await attempt(() =>
    view.budgets.take(tenantId, { work: reservation, step: 0, demands, ...defined({ agent: facts.agent }) }),
  );
  const refused = taken.ok ? taken.value : taken;
  if (!refused.ok) {
    if (refused.problem.code === "limits_unavailable") inDoubt?.(reservation);
    return refused;
  }
  const isKept = demands.some(({ measure }) => isConcurrent(measure) || isReserved(measure));
  // More than was asked for, where the agent's turns usually come to more.
  return ok({ reservation, reserved: isKept ? (refused.value ?? reserved) : undefined, revision });
}

function sliceOf(measure: string, reserved: Readonly<Record<"tokens" | "money", number>>): number | undefined {
  return measure === "tokens" || measure === "money" ? reserved[measure] : undefined;
}

/** What the agent's first call may cost; of a team or a panel the least there is: its calls reserve for themselves. */
async function firstCost({ tenantId, agent }: LimitFacts, inputTokens: number, view: RootPlatform): Promise<number> {
  if (agent === undefined) return 1;
  const pins = await view.resources.pins(tenantId, [{ kind: "agents", name: agent }]);
  const [found] = await view.resources.versions(
    tenantId,
    pins.filter(({ kind }) => kind === "agents"),
  );
  if (found === undefined || !isOfKind("agents", found) || found.body.kind !== "model") return 1;
  const priceOf = await view.priceOf();
  const usage = { inputTokens, outputTokens: found.body.maxOutputTokens ?? defaultMaxOutputTokens };
  return Math.max(1, ...modelList(found.body.model).map((model) => priceOf(model, usage) ?? 1));
}
