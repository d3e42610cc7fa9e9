/**
 * What labels and reviews suggest of a supervisor: a rule that is mostly wrong is left out, or lets a person decide; a moderation gets a
 * threshold, a supervising agent examples. Drawn from one half, and held against the other; pure, and the same whenever it is asked for.
 */
import { hash32 } from "../statistics/random.js";

/** Decisions of a rule or category that have to be labelled in the half that a suggestion is drawn from. */
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

/** Edited texts in the half that examples are drawn from. */
const fewestEdited = 2;
/** Examples that are given, and how long their texts may be together, in characters. */
const mostExamples = 5;
const longestExample = 1_000;

interface Counts {
  readonly right: number;
  readonly wrong: number;
}

export interface ScoredDecision {
  readonly decisionId: string;
  readonly label: "right" | "wrong";
  readonly reasons: readonly string[];
}

interface ThresholdSuggestion {
  readonly category: string;
  readonly threshold: number;
  readonly drawn: Counts;
  /** Of the other half: what it would let pass. */
  readonly held: Counts;
  readonly summary: string;
}

/** @example scoreIn("moderation: violence (0.83, from 0.5 on)") // { category: "violence", score: 0.83 } */
export function scoreIn(reason: string): { readonly category: string; readonly score: number } | undefined {
  const [mark, at] = ["moderation: ", reason.indexOf(" (")];
  const score = Number.parseFloat(reason.slice(at + 2));
  if (!reason.startsWith(mark) || at < mark.length || !Number.isFinite(score)) return undefined;
  return { category: reason.slice(mark.length, at), score };
}

/** Scores are on record to two digits: this is what they may be off by. */
const halfDigit = 0.005;

/** @returns for categories in which false alarms score below all that was rightly stopped */
export function suggestThresholds(decisions: readonly ScoredDecision[]): ThresholdSuggestion[] {
  const scored = decisions.flatMap(({ decisionId, label, reasons }) => {
    const found = reasons.map(scoreIn);
    // What another category stops as well is stopped all the same.
    const [one, ...others] = found;
    return one === undefined || others.length > 0 ? [] : [{ decisionId, label, ...one }];
  });
  return [...Map.groupBy(scored, ({ category }) => category)]
    .flatMap(([category, of]): ThresholdSuggestion[] => {
      const [drawn = [], held = []] = halves(of, ({ decisionId }) => decisionId);
      const scores = (all: typeof of, label: "right" | "wrong") =>
        all.flatMap((one) => (one.label === label ? [one.score] : []));
      const [right, wrong] = [scores(drawn, "right"), scores(drawn, "wrong")];
      if (drawn.length < fewestLabelled || wrong.length === 0) return [];
      const floor = Math.min(...right);
      const below = wrong.filter((score) => score < floor);
      const top = Math.max(...below);
      // Half way between the two, or just above the highest where nothing was right.
      const above = right.length === 0 ? Math.min(1, top + 2 * halfDigit) : (top + floor) / 2;
      const threshold = Math.round(above * 1_000) / 1_000;
      const isFreed = (score: number): boolean => score + halfDigit <= threshold;
      const freed = below.filter(isFreed).length;
      if (freed < 2) return [];
      const passing = {
        right: scores(held, "right").filter(isFreed).length,
        wrong: scores(held, "wrong").filter(isFreed).length,
      };
      const summary = `${freed} of ${wrong.length} false alarms scored below ${threshold}; of ${held.length} others it would let pass ${passing.wrong} false alarms and ${passing.right} that were rightly stopped`;
      return [{ category, threshold, drawn: { right: right.length, wrong: wrong.length }, held: passing, summary }];
    })
    .toSorted((a, b) => b.drawn.wrong - a.drawn.wrong || (a.category < b.category ? -1 : 1));
}

export interface EditedText {
  readonly askId: string;
  readonly before: string;
  readonly after: string;
}

/** @returns the instructions with examples of one half, and the other half to hold them against; nothing where there are too few */
export function suggestExamples<T extends EditedText>(
  instructions: string,
  edited: readonly T[],
): { readonly instructions: string; readonly drawn: readonly T[]; readonly held: readonly T[] } | undefined {
  const [drawn = [], held = []] = halves(
    edited.toSorted((a, b) => (a.askId < b.askId ? -1 : 1)),
    ({ askId }) => askId,
  );
  const short = drawn
    .filter(({ before, after }) => before.length + after.length <= longestExample)
    .slice(0, mostExamples);
  if (short.length < fewestEdited || held.length === 0) return undefined;
  const lines = short.map(({ before, after }) => `- ${JSON.stringify(before)} became ${JSON.stringify(after)}`);
  const added = ["What people made of texts that you held, as examples:", ...lines].join("\n");
  return { instructions: `${instructions}\n\n${added}`, drawn: short, held };
}

function halves<T>(all: readonly T[], idOf: (one: T) => string): T[][] {
  return [0, 1].map((half) => all.filter((one) => hash32(idOf(one)) % 2 === half));
}
