/** What rules make of a text: the strictest action, the reasons, the edits. */
import { type Action, isStricter } from "../verdict.js";
import type { RulesEdit } from "./edits.js";
import { type CompiledRule, isEditing } from "./rule.js";

export interface RulesJudgement {
  action: Action;
  /** The reasons of all rules that had a say, in the configuration's order. */
  reasons: string[];
  /** The ids of these rules. */
  rules: string[];
  /** The changes from the judged text to {@link text}: sorted, not overlapping. */
  edits: RulesEdit[];
  /** The judged text with the edits applied, those of a blocked text too. */
  text: string;
  /** Whether it passes, as far as these rules go, and may break one of them all the same: see `inDoubt` of a supervisor's `when`. */
  inDoubt?: true;
}

/** How often a text is edited: an edit may make a new match. One that still breaks a rule after that is blocked. */
export const maxPasses = 3;

/** The reason for blocking a text whose edits keep making new matches. */
export const unsettledReason = "editing the text kept making new matches";

/** Gathers what rules have to say about a text. It only ever gets stricter. */
export class Outcome {
  private strictest: Action = "allow";
  private readonly rulesByIndex = new Map<number, CompiledRule>();
  private readonly extra = new Set<string>();

  get action(): Action {
    return this.strictest;
  }

  /** Each reason once, in the order of the rules. */
  get reasons(): string[] {
    return [...new Set([...this.inOrder().map(({ reason }) => reason), ...this.extra])];
  }

  get rules(): string[] {
    return this.inOrder().map(({ id }) => id);
  }

  /** Nothing more of the text may be passed on. */
  get isFinal(): boolean {
    return isStricter(this.strictest, "modify");
  }

  found(rule: CompiledRule): void {
    this.rulesByIndex.set(rule.index, rule);
    this.raise(isEditing(rule) || rule.action === "fence" ? "modify" : rule.action === "block" ? "block" : "review");
  }

  overloaded(rule: CompiledRule): void {
    this.extra.add(`too much work for a pattern, so it counts as found: ${rule.reason}`);
    this.raise("block");
  }

  unsettled(): void {
    this.extra.add(unsettledReason);
    this.raise("block");
  }

  /** Takes over what another look at the text said. */
  join(action: Action, reasons: readonly string[]): void {
    for (const reason of reasons) if (!this.reasons.includes(reason)) this.extra.add(reason);
    this.raise(action);
  }

  private inOrder(): CompiledRule[] {
    return [...this.rulesByIndex.values()].sort((a, b) => a.index - b.index);
  }

  private raise(action: Action): void {
    if (isStricter(action, this.strictest)) this.strictest = action;
  }
}
