import { type Action, isStricter } from "../verdict.js";
import { maxPasses, Outcome, type RulesJudgement } from "./outcome.js";
import { type CompiledRule, isEditing } from "./rule.js";
import { LengthStage, ScanStage, type StreamStage } from "./stream-stage.js";

export interface RulesStreamStep {
  /** What may be passed on now; may be empty. */
  release: string;
  action: Action;
  reasons: string[];
}

/**
 * A text that is judged while it comes. It is released up to the earliest place where a match may be under way, which
 * for most rules is the last word or so. After `review` or `block` nothing more is released.
 */
export interface RulesStream {
  push(delta: string): RulesStreamStep;
  /** The text is over: releases what was held back. */
  end(): RulesStreamStep;
}

type Judge = (text: string) => RulesJudgement;

/**
 * Opens a stream.
 *
 * @param mayEdit whether it edits the text; else it closes where it would
 */
export function streamOf(rules: readonly CompiledRule[], judge: Judge, mayEdit: boolean): RulesStream {
  return rules.some(needsWholeText) ? new WholeTextStream(judge) : new StagedStream(rules, judge, mayEdit);
}

/** Whether a rule can only be decided when the text is over. */
function needsWholeText(rule: CompiledRule): boolean {
  return (
    rule.action === "fence" || rule.isViolatedBy !== undefined || (rule.maxLength !== undefined && !isEditing(rule))
  );
}

class WholeTextStream implements RulesStream {
  private readonly pieces: string[] = [];

  constructor(private readonly judge: Judge) {}

  push(delta: string): RulesStreamStep {
    this.pieces.push(delta);
    return { release: "", action: "allow", reasons: [] };
  }

  end(): RulesStreamStep {
    const { action, reasons, text } = this.judge(this.pieces.join(""));
    return { release: isStricter(action, "modify") ? "" : text, action, reasons };
  }
}

/**
 * Sends the text through the passes that judging a whole text makes, one stage each: what the first look makes of the
 * text is what the second looks at, so that a match made by an edit is held back like any other.
 */
class StagedStream implements RulesStream {
  private readonly outcome = new Outcome();
  private readonly stages: StreamStage[];
  private readonly pieces: string[] = [];
  private readonly released: string[] = [];

  constructor(
    rules: readonly CompiledRule[],
    private readonly judge: Judge,
    mayEdit: boolean,
  ) {
    this.stages = stagesOf(rules, this.outcome, mayEdit);
  }

  push(delta: string): RulesStreamStep {
    this.pieces.push(delta);
    if (this.outcome.isFinal) return this.step("");
    let piece = delta;
    for (const stage of this.stages) piece = stage.push(piece);
    return this.step(piece);
  }

  end(): RulesStreamStep {
    let last = "";
    for (const stage of this.outcome.isFinal ? [] : this.stages) last = stage.push(last) + stage.end();
    // The stages give what judging the whole gives; should they ever not, the stricter of the two counts. Once a person has to
    // look they read no further: what comes after may be a reason to block.
    if (this.outcome.action !== "block") {
      const whole = this.judge(this.pieces.join(""));
      this.outcome.join(whole.action, whole.reasons);
      if (!this.outcome.isFinal && whole.text !== this.released.join("") + last) this.outcome.unsettled();
    }
    return this.step(last);
  }

  private step(release: string): RulesStreamStep {
    const { action, reasons, isFinal } = this.outcome;
    if (isFinal) return { release: "", action, reasons };
    if (release !== "") this.released.push(release);
    return { release, action, reasons };
  }
}

function stagesOf(rules: readonly CompiledRule[], outcome: Outcome, mayEdit: boolean): StreamStage[] {
  const stages: StreamStage[] = [];
  const edits = mayEdit && rules.some((rule) => isEditing(rule) && rule.maxLength === undefined);
  for (let pass = 0; edits && pass < maxPasses; pass++) stages.push(new ScanStage(rules, outcome, true));
  for (const rule of rules) {
    if (rule.maxLength !== undefined) stages.push(new LengthStage(rule, rule.maxLength, outcome));
  }
  return [...stages, new ScanStage(rules, outcome, false)];
}
