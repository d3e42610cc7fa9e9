/**
 * What a run may spend, over all its agents. Branches that work at the same time get equal shares, so that the whole stays within
 * the limit whatever each does, and a replay sees the same shares.
 */
import {
  type AgentLimits,
  addSpent,
  defaultAgentLimits,
  nothingSpent,
  type Spent,
  spentAtOnce,
} from "../agent/budget.js";
import type { LimitRefusal } from "../agent/limit-refusal.js";
import type { TeamLimits } from "./team.js";

type Allowance = Pick<TeamLimits, "maxModelCalls" | "maxTokens" | "maxActiveMs">;

export class TeamBudget {
  private total: Spent = nothingSpent;
  private refused: LimitRefusal | undefined;

  constructor(
    private readonly limits: TeamLimits,
    private readonly allowance: Allowance = limits,
  ) {}

  get spent(): Spent {
    return this.total;
  }

  /** Of the working time; at least one millisecond, so that what is begun has a deadline. */
  get timeLeftMs(): number {
    return Math.max(1, this.left().maxActiveMs);
  }

  /** The first limit of the tenant's that let a call of its agents not be made. */
  get refusal(): LimitRefusal | undefined {
    return this.refused;
  }

  /** @param refusal the limit that whoever spent it failed by */
  spend(spent: Spent, refusal?: LimitRefusal): void {
    this.total = addSpent(this.total, spent);
    this.refused ??= refusal;
  }

  /** One share for each branch that is about to work at once; `join` counts what they spent. */
  split(branches: number): TeamBudget[] {
    const left = this.left();
    const share: Allowance = {
      maxModelCalls: Math.floor(left.maxModelCalls / branches),
      maxTokens: Math.floor(left.maxTokens / branches),
      maxActiveMs: left.maxActiveMs,
    };
    return Array.from({ length: branches }, () => new TeamBudget(this.limits, share));
  }

  /** Time that passed at once counts once. */
  join(branches: readonly TeamBudget[]): void {
    const refusal = branches.flatMap((branch) => branch.refusal ?? []).at(0);
    this.spend(spentAtOnce(branches.map(({ spent }) => spent)), refusal);
  }

  /** What a team inside this one may spend: its own limits, but no more than is left here. */
  within(limits: TeamLimits): TeamBudget {
    const left = this.left();
    return new TeamBudget(limits, {
      maxModelCalls: Math.min(limits.maxModelCalls, left.maxModelCalls),
      maxTokens: Math.min(limits.maxTokens, left.maxTokens),
      maxActiveMs: Math.min(limits.maxActiveMs, left.maxActiveMs),
    });
  }

  /** Why nothing more can be begun; `undefined` while there is something left. */
  exhausted(): string | undefined {
    const { maxModelCalls, maxTokens, maxActiveMs } = this.left();
    if (maxModelCalls < 1) return `the run's budget of ${this.limits.maxModelCalls} model calls is used up`;
    if (maxTokens < 1) return `the run's budget of ${this.limits.maxTokens} tokens is used up`;
    if (maxActiveMs < 1) return `the run's budget of ${this.limits.maxActiveMs} ms is used up`;
    return undefined;
  }

  /** The limits of one agent: its last round is always paid for. */
  agentLimits(maxToolRounds: number): AgentLimits {
    const { maxModelCalls, maxTokens, maxActiveMs } = this.left();
    return {
      ...defaultAgentLimits,
      maxToolRounds: Math.max(0, Math.min(maxToolRounds, maxModelCalls - 1)),
      maxModelCalls,
      parallelTools: this.limits.parallelTools,
      modelTimeoutMs: this.limits.modelTimeoutMs,
      maxTokens,
      maxActiveMs,
    };
  }

  private left(): Allowance {
    const { modelCalls, inputTokens, outputTokens, activeMs } = this.total;
    return {
      maxModelCalls: Math.max(0, this.allowance.maxModelCalls - modelCalls),
      maxTokens: Math.max(0, this.allowance.maxTokens - inputTokens - outputTokens),
      maxActiveMs: Math.max(0, this.allowance.maxActiveMs - activeMs),
    };
  }
}
