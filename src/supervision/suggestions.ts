/**
 * What labels suggest of a supervisor's rules: one that is mostly wrong is left out, or lets a person decide. Drawn from one half of the
 * labelled decisions, and held against the other; pure, and the same whenever it is asked for.
 */
import { hash32 } from "../statistics/random.js";

/** Decisions of a rule that have to be labelled in the half that a suggestion is drawn from. */
const fewestLabelled = 5;

interface Rule {
  readonly id?: string | undefined;
  readonly action: string;
}

export interface LabelledDecision {
  readonly decisionId: string;
  readonly label: "right" | "wrong";
  readonly rules: readonly string[];
}

export interface RuleSuggestion {
  readonly rule: string;
  readonly change: "remove" | "review";
  /** Of the half that it is drawn from. */
  readonly drawn: { readonly right: number; readonly wrong: number };
  /** Of the other half: decisions of this rule alone, which the change frees or leaves to a person. */
  readonly held: { readonly right: number; readonly wrong: number };
  readonly summary: string;
}

/** @returns those of rules that were wrong in more than half of what was labelled, the most often wrong first */
export function suggestForRules(rules: readonly Rule[], decisions: readonly LabelledDecision[]): RuleSuggestion[] {
  const [drawn, held] = [0, 1].map((half) => decisions.filter(({ decisionId }) => hash32(decisionId) % 2 === half));
  return rules
    .flatMap((rule, at): RuleSuggestion[] => {
      const name = rule.id ?? String(at + 1);
      const of = counted((drawn ?? []).filter((one) => one.rules.includes(name)));
      if (of.right + of.wrong < fewestLabelled || of.wrong <= of.right) return [];
      const change = of.right === 0 ? "remove" : "review";
      if (change === "review" && rule.action === "review") return [];
      // What another rule matched as well stays as it is.
      const alone = counted((held ?? []).filter((one) => one.rules.length === 1 && one.rules[0] === name));
      const summary = `${of.wrong} of ${of.right + of.wrong} were false alarms; of ${alone.right + alone.wrong} others ${change === "remove" ? "it would let pass" : "a person would decide"} ${alone.wrong} false alarms and ${alone.right} that were rightly stopped`;
      return [{ rule: name, change, drawn: of, held: alone, summary }];
    })
    .toSorted((a, b) => b.drawn.wrong - a.drawn.wrong);
}

/** The rules with a suggestion followed; undefined where none would be left. */
export function withSuggestion<T extends Rule>(
  rules: readonly T[],
  { rule, change }: Pick<RuleSuggestion, "rule" | "change">,
): (T | (Omit<T, "action"> & { action: "review" }))[] | undefined {
  const isMeant = (one: T, at: number): boolean => (one.id ?? String(at + 1)) === rule;
  if (change === "review")
    return rules.map((one, at) => (isMeant(one, at) ? { ...one, action: "review" as const } : one));
  const left = rules.filter((one, at) => !isMeant(one, at));
  return left.length === 0 ? undefined : left;
}

function counted(decisions: readonly LabelledDecision[]): { right: number; wrong: number } {
  const wrong = decisions.filter(({ label }) => label === "wrong").length;
  return { right: decisions.length - wrong, wrong };
}
