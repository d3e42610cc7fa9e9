/** What rules make of a text: the strictest action, the reasons, the edits. */
import { type Action, isStricter } from "../verdict.js";
import type { RulesEdit } from "./edits.js";
import { type CompiledRule, isEditing } from "./rule.js";

export interface RulesJudgement {
  action: Action;
  /** The reasons of all rules that had a say, in the configuration's order. */
  reasons: string[];
  /** The changes from the judged text to {@link text}: sorted, not overlapping. */
  edits: RulesEdit[];
  /** The judged text with the edits applied, those of a blocked text too. */
  text: string;
}

/** How often a text is edited: an edit may make a new match. One that still breaks a rule after that is blocked. */
export const MAX_PASSES = 3;

/** The reason for blocking a text whose edits keep making new matches. */
export const UNSETTLED_REASON = "editing the text kept making new matches";

/** Gathers what rules have to say about a text. It only ever gets stricter. */
export class Outcome {
  #action: Action = "allow";
  readonly #reasons = new Map<number, string>();
  readonly #extra = new Set<string>();

  get action(): Action {
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
    this.#raise(isEditing(rule) ? "modify" : rule.action === "block" ? "block" : "review");
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
  join(action: Action, reasons: readonly string[]): void {
    for (const reason of reasons) if (!this.reasons.includes(reason)) this.#extra.add(reason);
    this.#raise(action);
  }

  #raise(action: Action): void {
    if (isStricter(action, this.#action)) this.#action = action;
  }
}
