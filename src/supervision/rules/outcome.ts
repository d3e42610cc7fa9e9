import { type CompiledRule, isEditing } from "./rule.js";

/** From the mildest to the strictest; of several, the strictest wins. */
export const rulesActions = ["allow", "modify", "review", "block"] as const;
export type RulesAction = (typeof rulesActions)[number];

/** How often a text is edited: an edit may make a new match. One that still breaks a rule after that is blocked. */
export const maxPasses = 3;

/** Whether an action is stricter than another. */
export function isStricter(action: RulesAction, than: RulesAction): boolean {
  return rulesActions.indexOf(action) > rulesActions.indexOf(than);
}

/** The reason for blocking a text whose edits keep making new matches. */
export const unsettledReason = "editing the text kept making new matches";

/** Gathers what rules have to say about a text. It only ever gets stricter. */
export class Outcome {
  private strictest: RulesAction = "allow";
  private readonly reasonByRule = new Map<number, string>();
  private readonly extra = new Set<string>();

  get action(): RulesAction {
    return this.strictest;
  }

  /** Each reason once, in the order of the rules. */
  get reasons(): string[] {
    const ordered = [...this.reasonByRule].sort(([a], [b]) => a - b).map(([, reason]) => reason);
    return [...new Set([...ordered, ...this.extra])];
  }

  /** Nothing more of the text may be passed on. */
  get isFinal(): boolean {
    return isStricter(this.strictest, "modify");
  }

  found(rule: CompiledRule): void {
    this.reasonByRule.set(rule.index, rule.reason);
    this.raise(isEditing(rule) ? "modify" : rule.action === "block" ? "block" : "review");
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
  join(action: RulesAction, reasons: readonly string[]): void {
    for (const reason of reasons) if (!this.reasons.includes(reason)) this.extra.add(reason);
    this.raise(action);
  }

  private raise(action: RulesAction): void {
    if (isStricter(action, this.strictest)) this.strictest = action;
  }
}
