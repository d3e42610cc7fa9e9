/** The record of a pass, and how it is shown: whole to operators, to others without what isn't theirs. */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { tokenUsageSchema } from "../model/port.js";
import type { ContextChange } from "./environment.js";
import { placeSchema } from "./subject.js";
import { actions, hooks } from "./verdict.js";

const toolRefSchema = z.object({ server: z.string(), tool: z.string() });

export const contextChangesSchema = z.object({
  addedRules: z.array(z.string()),
  removedRules: z.array(z.string()),
  addedReferences: z.array(z.string()),
  removedReferences: z.array(z.string()),
  addedTools: z.array(toolRefSchema),
  removedTools: z.array(toolRefSchema),
});
export type ContextChanges = z.infer<typeof contextChangesSchema>;

/** The changes of a pass in the seed's form. A tool server stands as a tool named `*`. */
export function changesOf(changes: readonly ContextChange[]): ContextChanges {
  const names = (act: ContextChange["act"], kind: ContextChange["kind"]): string[] =>
    changes.flatMap((change) => (change.act === act && change.kind === kind ? [change.name] : []));
  const tools = (act: ContextChange["act"]) => [
    ...names(act, "tools").map((name) => {
      const [server = "", ...tool] = name.split("/");
      return { server, tool: tool.join("/") };
    }),
    ...names(act, "toolServers").map((server) => ({ server, tool: "*" })),
  ];
  return {
    addedRules: names("include", "rules"),
    removedRules: names("exclude", "rules"),
    addedReferences: names("include", "references"),
    removedReferences: names("exclude", "references"),
    addedTools: tools("include"),
    removedTools: tools("exclude"),
  };
}

/** What a supervising agent did before it decided. */
export const supervisorCallSchema = z.object({
  tool: z.string(),
  /** The rule, reference, tool or tool server that it named. */
  about: z.string().optional(),
  /** Why the call was refused. */
  refused: z.string().optional(),
});
export type SupervisorCall = z.infer<typeof supervisorCallSchema>;

export const supervisionStepSchema = z.object({
  /** A supervisor, or a person who reviewed what one of them held. */
  supervisor: z.string().optional(),
  /** Of the supervisor's stored definition: for operators alone, like the model that it asked and the rules that matched. */
  version: z.int().optional(),
  model: z.string().optional(),
  /** By their `id`; of a rule without one its place, from 1. */
  rules: z.array(z.string()).optional(),
  actor: actorRecordSchema.optional(),
  action: z.enum(actions),
  /** As everybody who sees the work may read them. */
  reasons: z.array(z.string()),
  /** Its reasons as it gave them, if these aren't for everybody: for operators alone. */
  wholeReasons: z.array(z.string()).optional(),
  /** Which texts of a reply, or of a call's arguments, it stopped or held, and how they begin: for operators alone. */
  faults: z.array(placeSchema.extend({ text: z.string() })).optional(),
  /** The tools that a supervising agent called, and those that it was refused. */
  calls: z.array(supervisorCallSchema).optional(),
  /** Hashes of the supervised text before and after this supervisor: equal unless it changed something. */
  beforeHash: z.string(),
  afterHash: z.string(),
  latencyMs: z.number(),
  mode: z.enum(["enforce", "shadow"]),
  /** Tokens of its model, where it has one. */
  usage: tokenUsageSchema.optional(),
  /** What went wrong, when this is the outcome of a failure. */
  failed: z.string().optional(),
  /** Why it wasn't asked: its setting `when`. */
  skipped: z.string().optional(),
  /** The rules supervisor that wasn't sure of the text: this one, or the one because of which this one was asked. */
  inDoubt: z.string().optional(),
});
export type SupervisionStep = z.infer<typeof supervisionStepSchema>;

/** What was judged: a message by its id, a tool call, or what passed from one agent to another. */
export const passSubjectSchema = z.object({
  messageId: z.string().optional(),
  toolCallId: z.string().optional(),
  /** `server/tool`. */
  tool: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  /** It was a reply as far as it goes, while its turn waits. */
  partial: z.literal(true).optional(),
});
export type PassSubject = z.infer<typeof passSubjectSchema>;

/** What one pass of all supervisors over one subject came to: the seed's SupervisionState, with its record. */
export const supervisionStateSchema = z.object({
  hook: z.enum(hooks),
  decision: z.enum(actions),
  reasons: z.array(z.string()),
  contextChanges: contextChangesSchema,
  steps: z.array(supervisionStepSchema),
  /** Names of supervisors whose failure let the subject through. */
  degraded: z.array(z.string()),
  /** Absent in the records of versions before. */
  subject: passSubjectSchema.optional(),
  /** What a shadow said that judged beside the work, which had no part in it. */
  beside: z.literal(true).optional(),
  /** What was judged and what became of it, where it didn't pass as it was and no message keeps it: for operators alone. */
  texts: z.object({ before: z.string(), after: z.string() }).optional(),
});
export type SupervisionState = z.infer<typeof supervisionStateSchema>;

/** A step as it is shown. */
export const shownStepSchema = supervisionStepSchema.omit({ wholeReasons: true });

/** A pass as it is shown; the reasons of each reader are in `reasons`. */
export const shownPassSchema = supervisionStateSchema.extend({
  steps: z.array(shownStepSchema),
});
export type ShownPass = z.infer<typeof shownPassSchema>;

/** With reasons as they were given: for operators. */
export function passForOperators(state: SupervisionState): ShownPass {
  const steps = state.steps.map(({ wholeReasons, ...step }) => ({ ...step, reasons: wholeReasons ?? step.reasons }));
  const enforced = steps.filter(({ mode }) => mode === "enforce");
  const reasons = [...new Set(enforced.flatMap((step) => step.reasons))];
  return { ...state, steps, reasons: reasons.length === 0 ? state.reasons : reasons };
}

/** Without shadows, whole reasons, faults, doubts, texts, versions, models, rules, the errors of providers and what supervisors did before they decided. */
export function passForOthers({ texts: _, ...state }: SupervisionState): ShownPass {
  const enforced = state.steps.filter(({ mode }) => mode === "enforce");
  const steps = enforced.map(({ wholeReasons: _reasons, faults: _faults, calls: _calls, ...step }) => {
    const { inDoubt: _doubt, version: _version, model: _model, rules: _rules, failed, ...shown } = step;
    return { ...shown, ...(failed === undefined ? {} : { failed: "It failed." }) };
  });
  return { ...state, steps };
}

/** As it is copied to where texts aren't erased, and what is left of it when they are: reasons as they were given may quote a text. */
export function withoutTexts({ texts: _, ...state }: SupervisionState): SupervisionState {
  return { ...state, steps: state.steps.map(({ wholeReasons: _reasons, faults: _faults, ...step }) => step) };
}
