import { type CompiledRule, isEditing } from "./rule.js";

/** From the mildest to the strictest; of several, the strictest wins. */
export const RULES_ACTIONS = ["allow", "modify", "review", "block"] as const;
export type RulesAction = (typeof RULES_ACTIONS)[number];

/** How often a text is edited: an edit may make a new match. One that still breaks a rule after that is blocked. */
export const MAX_PASSES = 3;

/** Whether an action is stricter than another. */
export function isStricter(action: RulesAction, than: RulesAction): boolean {
  return RULES_ACTIONS.indexOf(action) > RULES_ACTIONS.indexOf(than);
}

/** The reason for blocking a text whose edits keep making new matches. */
export const UNSETTLED_REASON = "editing the text kept making new matches";

/** Gathers what rules have to say about a text. It only ever gets stricter. */
export class Outcome {
  #action: RulesAction = "allow";
  readonly #reasons = new Map<number, string>();
  readonly #extra = new Set<string>();

  get action(): RulesAction {
    return this.#action;
  }

  /** Each reason once, in the order of the rules. */
  get reasons(): string[] {
    const ordered = [...this.#reasons].sort(([a], [b]) => a - b).map(([, reason]) => reason);
    return [...new Set([...ordered, ...this.#extra])];
  }

  /** Nothing more of the text may be passed on. */
  get isFinal(): boolean {
    return isStricter(this.#action, "modify");
  }

  found(rule: CompiledRule): void {
    this.#reasons.set(rule.index, rule.reason);
    this.#raise(isEditing(rule) || rule.action === "fence" ? "modify" : rule.action === "block" ? "block" : "review");
  }

  overloaded(rule: CompiledRule): void {
    this.#extra.add(`too much work for a pattern, so it counts as found: ${rule.reason}`);
    this.#raise("block");
  }

  unsettled(): void {
    this.#extra.add(UNSETTLED_REASON);
    this.#raise("block");
  }

  /** Takes over what another look at the text said. */
  join(action: RulesAction, reasons: readonly string[]): void {
    for (const reason of reasons) if (!this.reasons.includes(reason)) this.#extra.add(reason);
    this.#raise(action);
  }

  #raise(action: RulesAction): void {
    if (isStricter(action, this.#action)) this.#action = action;
  }
}
