/** Supervisors of kind `rules`: declarative, without a model or a network, decided in microseconds. */

import { z } from "zod";
import { isAskHuman } from "../../agent/built-in/ask-human.js";
import { clip } from "../../agent/effects.js";
import { conditionSchema } from "../condition.js";
import { type RulesConfig, rulesConfigSchema } from "../rules/config.js";
import { type CompiledRules, compileRules, type RulesEdit } from "../rules/engine.js";
import { type Segment, type Subject, segmentsOf } from "../subject.js";
import { mayModifyMessages, type Supervisor, supervisorSettingsSchema } from "../supervisor.js";
import { type Action, isStricter, strictest, type Verdict } from "../verdict.js";
import { type KindSettings, supervisorKind } from "./kind.js";

type RulesSettings = Omit<KindSettings<RulesConfig>, "timeoutMs">;

const editingActions: readonly string[] = ["redact", "replace", "fence"];

export const rulesKind = supervisorKind({
  schema: supervisorSettingsSchema.extend({
    kind: z.literal("rules"),
    config: rulesConfigSchema,
    when: conditionSchema
      .refine(({ inDoubt }) => inDoubt === undefined, {
        path: ["inDoubt"],
        message: "a second look is for kinds agent, http and moderation: rules look at everything, for free",
      })
      .optional(),
  }),
  // Nothing in it can fail but a fault of ours: then nothing passes, unless the tenant says otherwise.
  onFailure: "block",
  timeoutMs: 0,
  build: rulesSupervisor,
  hasDoubts: ({ rules }) => rules.some(({ match }) => match.type === "injection" && match.signs !== "data"),
});

/** Costs far more than judging a text with it: keep the result. */
export function rulesSupervisor({
  name,
  hooks,
  order,
  onFailure,
  mode,
  permission,
  config,
}: RulesSettings): Supervisor {
  const rules = compileRules(config);
  return {
    name,
    kind: "rules",
    hooks,
    order,
    onFailure,
    mode,
    timeoutMs: 0,
    // Rules that all block or review have nothing to modify, and judge beside the others.
    mayModify: mayModifyMessages(permission) && config.rules.some(({ action }) => editingActions.includes(action)),
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
  const spokenText = spoken.map((segment) => segment.text).join(separator);
  const ofSpoken = judge(spokenText);

  const texts = new Map<Segment, string>();
  distribute(spoken, ofSpoken.edits).forEach((text, index) => {
    const segment = spoken[index];
    if (segment !== undefined) texts.set(segment, text);
  });
  const actions: Action[] = [ofSpoken.action];
  const reasons = [...ofSpoken.reasons];
  const matched = new Set(ofSpoken.rules);
  const judged = [spokenText];
  let inDoubt = ofSpoken.inDoubt === true;
  for (const segment of segments) {
    if (segment.kind === "spoken" || segment.text === "") continue;
    const alone = judgeOf(segment)(segment.text);
    texts.set(segment, alone.text);
    actions.push(alone.action);
    reasons.push(...alone.reasons);
    for (const id of alone.rules) matched.add(id);
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
    ...(matched.size === 0 ? {} : { rules: [...matched] }),
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
