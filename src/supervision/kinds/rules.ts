/** Supervisors of kind `rules`: declarative, without a model or a network, decided in microseconds. */

import { isAskHuman } from "../../agent/built-in/ask-human.js";
import { clip } from "../../agent/effects.js";
import type { RulesConfig } from "../rules/config.js";
import { type CompiledRules, compileRules, type RulesEdit } from "../rules/engine.js";
import { type Segment, type Subject, segmentsOf } from "../subject.js";
import type { Supervisor } from "../supervisor.js";
import { type Action, type Hook, isStricter, strictest, type Verdict } from "../verdict.js";

export interface RulesSupervisorSettings {
  readonly name: string;
  readonly hooks: readonly Hook[];
  readonly order: number;
  readonly mode: Supervisor["mode"];
  readonly onFailure: Supervisor["onFailure"];
  readonly mayModify: boolean;
  readonly config: RulesConfig;
}

/** Costs far more than judging a text with it: keep what it gives. */
export function rulesSupervisor(settings: RulesSupervisorSettings): Supervisor {
  const rules = compileRules(settings.config);
  return {
    name: settings.name,
    kind: "rules",
    hooks: new Set(settings.hooks),
    order: settings.order,
    onFailure: settings.onFailure,
    timeoutMs: 0,
    mode: settings.mode,
    mayModify: settings.mayModify,
    pure: true,
    judge: async (subject) => judgeSubject(rules, subject),
    openStream: (mayModify) => rules.openStream(mayModify),
    openDoubtStream: () => rules.openDoubtStream(),
  };
}

/** What is said is judged as one text, so that nothing hides between two turns; arguments and outputs each alone. */
function judgeSubject(rules: CompiledRules, subject: Subject): Verdict {
  // What a tool returned should only inform; what it says in a reply was looked at when it came. A person may give orders.
  const isData = subject.hook === "tool_result" && !isAskHuman(subject.call);
  const judge = isData ? rules.judgeData : rules.judge;
  const judgeOf = ({ kind }: Segment) => (kind === "label" ? rules.judgeLabel : judge);
  const segments = segmentsOf(subject);
  const spoken = segments.filter((segment) => segment.kind === "spoken" && segment.text !== "");
  const said = spoken.map((segment) => segment.text).join(separator);
  const whole = judge(said);

  const texts = new Map<Segment, string>();
  distribute(spoken, whole.edits).forEach((text, index) => {
    const segment = spoken[index];
    if (segment !== undefined) texts.set(segment, text);
  });
  const actions: Action[] = [whole.action];
  const reasons = [...whole.reasons];
  const judged = [said];
  let inDoubt = whole.inDoubt === true;
  for (const segment of segments) {
    if (segment.kind === "spoken" || segment.text === "") continue;
    const alone = judgeOf(segment)(segment.text);
    texts.set(segment, alone.text);
    actions.push(alone.action);
    reasons.push(...alone.reasons);
    judged.push(segment.text);
    inDoubt ||= alone.inDoubt === true;
  }

  const action = strictest(...actions);
  // What is stopped or held anyway leaves no doubt.
  inDoubt &&= !isStricter(action, "modify");
  if (action === "allow" && !inDoubt) return { action, reasons: [] };
  const change = { kind: "segments" as const, texts: segments.map((segment) => texts.get(segment) ?? segment.text) };
  const explain = (text: string) => [...rules.explain(text, isData), ...(inDoubt ? rules.explainDoubt(text) : [])];
  const explanation = [...new Set(judged.flatMap(explain))];
  const verdict = {
    action,
    reasons: [...new Set(reasons)],
    ...(explanation.length === 0 ? {} : { explanation }),
    ...(inDoubt ? { inDoubt } : {}),
    ...faultsOf(segments, action, judgeOf),
  };
  return segments.every((segment, index) => segment.text === change.texts[index]) ? verdict : { ...verdict, change };
}

/** The most texts that are named, and the most of each that is shown, in characters. */
const mostFaults = 5;
const faultCharacters = 500;

/** Which of several texts are stopped or held. Of what only breaks a rule where it is read as one, all that is said. */
function faultsOf(
  segments: readonly Segment[],
  action: Action,
  judgeOf: (segment: Segment) => CompiledRules["judge"],
): Pick<Verdict, "faults"> {
  const written = segments.filter(({ text }) => text !== "");
  if (written.length < 2 || !isStricter(action, "modify")) return {};
  const alone = written.filter((segment) => isStricter(judgeOf(segment)(segment.text).action, "modify"));
  const faulty = alone.length > 0 ? alone : written.filter(({ kind }) => kind === "spoken");
  return {
    faults: faulty.slice(0, mostFaults).map(({ place, text }) => ({ ...place, text: clip(text, faultCharacters) })),
  };
}

const separator = "\n";

/** Cuts edits of the joined text back into its segments; a replacement goes where its edit begins. */
function distribute(segments: readonly Segment[], edits: readonly RulesEdit[]): string[] {
  let start = 0;
  return segments.map((segment) => {
    const end = start + segment.text.length;
    let text = "";
    let at = start;
    for (const edit of edits) {
      if (edit.end <= start || edit.start >= end) {
        // An edit that begins on the separator before this segment, or is empty, leaves its replacement with its neighbour.
        continue;
      }
      text += segment.text.slice(at - start, Math.max(edit.start, start) - start);
      if (edit.start >= start) text += edit.replacement;
      at = Math.min(edit.end, end);
    }
    text += segment.text.slice(at - start);
    start = end + separator.length;
    return text;
  });
}

/** A rules supervisor whose rules all block or review has nothing to modify, and judges beside the others. */
export function rulesModify(config: RulesConfig): boolean {
  return config.rules.some((rule) => rule.action === "redact" || rule.action === "replace" || rule.action === "fence");
}
