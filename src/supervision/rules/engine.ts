import type { RulesConfig } from "./config.js";
import { applyEdits, type RulesEdit, regionsOf, shorten, singleEdit } from "./edits.js";
import { fenced, isFenced } from "./fence.js";
import { maxPasses, Outcome, type RulesJudgement } from "./outcome.js";
import { type CompiledRule, compileRule, isEditing } from "./rule.js";
import { scanText } from "./scan.js";
import { type RulesStream, streamOf } from "./stream.js";

export type { RulesEdit } from "./edits.js";

export interface CompiledRules {
  /** Judges a whole text. */
  readonly judge: (text: string) => RulesJudgement;
  /** Judges a whole text that should only inform, such as a tool's result: orders in it have signs of their own. */
  readonly judgeData: (text: string) => RulesJudgement;
  /** Judges a name or a value that stands beside a text: it needn't be about anything. */
  readonly judgeLabel: (text: string) => RulesJudgement;
  /** Why rules found what they found, for operators, where it doesn't go without saying: nothing of the text. */
  explain(text: string, isData?: boolean): string[];
  /** The same of what leaves them in doubt. */
  explainDoubt(text: string): string[];
  /** Opens a stream for a text that comes in pieces and is passed on as far as it has been cleared; one that may not edit closes where it would. */
  openStream(mayEdit?: boolean): RulesStream;
  /** Opens a stream that passes a text on as it is, and closes where it is in doubt. */
  openDoubtStream(): RulesStream;
}

/** Makes a configuration ready for use. Costs far more than judging a text with it: keep what it gives. */
export function compileRules(config: RulesConfig): CompiledRules {
  const rules = config.rules.map(compileRule);
  const forData = rules.map((rule) => ({ ...rule, detectors: [...rule.detectors, ...(rule.inData ?? [])] }));
  const doubting = rules.flatMap(({ inDoubt = [], ...rule }): CompiledRule[] =>
    inDoubt.length === 0 ? [] : [{ ...rule, detectors: inDoubt, action: "review", isDoubt: true }],
  );
  const judge = (text: string) => judgeWhole(text, rules, doubting);
  const judgeData = (text: string) => judgeWhole(text, forData, doubting);
  const ofLabels = rules.filter(({ onlyOfTexts }) => onlyOfTexts !== true);
  const judgeLabel = (text: string) => judgeWhole(text, ofLabels, doubting);
  return {
    judge,
    judgeData,
    judgeLabel,
    explain: (text, isData = false) => rules.flatMap((rule) => rule.explain?.(text, isData) ?? []),
    explainDoubt: (text) => rules.flatMap((rule) => rule.explainDoubt?.(text) ?? []),
    openStream: (mayEdit = true) => streamOf(rules, judge, mayEdit),
    openDoubtStream: () => streamOf(doubting, (text) => judgeWhole(text, doubting, []), false),
  };
}

function judgeWhole(text: string, rules: readonly CompiledRule[], doubting: readonly CompiledRule[]): RulesJudgement {
  const outcome = new Outcome();
  let current = text;
  let edits: RulesEdit[] = [];
  let steps = 0;
  let toFence = false;
  let inDoubt: boolean = false;
  const scanning = [...rules, ...doubting];

  /** One scan; true if it changed the text. */
  const pass = (mayEdit: boolean): boolean => {
    const scanned = scanText(current, scanning);
    const findings = scanned.findings.filter(({ rule }) => rule.isDoubt !== true);
    // Of the last scan it counts: what was edited away is no doubt any more.
    inDoubt = findings.length < scanned.findings.length;
    for (const rule of scanned.overloaded) outcome.overloaded(rule);
    for (const { rule } of findings) {
      if (!isEditing(rule)) outcome.found(rule);
      if (rule.action === "fence") toFence = true;
    }
    const regions = regionsOf(findings).filter(
      ({ start, end, replacement }) => current.slice(start, end) !== replacement,
    );
    for (const rule of regions.flatMap((region) => region.findings.map((finding) => finding.rule))) outcome.found(rule);
    if (regions.length === 0) return false;
    if (!mayEdit) {
      outcome.unsettled();
      return false;
    }
    edits = regions.map(({ start, end, replacement, reason }) => ({ start, end, replacement, reason }));
    current = applyEdits(current, edits);
    steps += 1;
    return true;
  };

  let passes = 0;
  while (pass(passes < maxPasses)) passes += 1;

  let shortened = false;
  for (const rule of rules) {
    if (rule.maxLength === undefined || current.length <= rule.maxLength) continue;
    outcome.found(rule);
    if (!isEditing(rule)) continue;
    const short = shorten(current, rule.maxLength, rule.replacement ?? "");
    edits = [{ ...singleEdit(current, short, rule.reason) }];
    current = short;
    steps += 1;
    shortened = true;
  }
  // Cutting may make a new match, at a word's end for one.
  if (shortened) pass(false);

  if (toFence && !isFenced(current)) {
    const marked = fenced(current);
    edits = [singleEdit(current, marked, outcome.reasons.join("; "))];
    current = marked;
    steps += 1;
  }

  const reasons = outcome.reasons;
  if (steps > 1) edits = [singleEdit(text, current, reasons.join("; "))];
  if (current === text) edits = [];
  const action = outcome.action === "modify" && current === text ? "allow" : outcome.action;
  // What is stopped, held for a person or marked as giving orders leaves no doubt.
  const doubt = inDoubt && !outcome.isFinal && !toFence ? { inDoubt } : {};
  return {
    action,
    reasons: action === "allow" ? [] : reasons,
    rules: action === "allow" ? [] : outcome.rules,
    edits,
    text: current,
    ...doubt,
  };
}
