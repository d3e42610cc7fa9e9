/** Decisions: what single supervisors didn't let pass as it was, what people say of that, and how often they were wrong. No texts. */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import { type Share, shareOf } from "../statistics/shares.js";
import { lazily } from "../text/lazily.js";
import { passSubjectSchema, supervisionStepSchema } from "./state.js";
import { actions, hooks } from "./verdict.js";

/** Of a decision: `right` it was, `wrong` (a false alarm; of a text that passed: it should have been stopped), or nobody can tell. */
export const labels = ["right", "wrong", "unsure"] as const;
export type Label = (typeof labels)[number];

export const modes = ["enforce", "shadow"] as const;

export const decisionSchema = lazily(() =>
  z.object({
    decisionId: z.string(),
    at: z.iso.datetime(),
    sessionId: z.string().optional(),
    runId: z.string().optional(),
    roundtableId: z.string().optional(),
    /** The turn, or the run. */
    workId: z.string().optional(),
    hook: z.enum(hooks),
    /** What the supervisor said; `allow` of a message that was labelled though nobody had stopped it. */
    action: z.enum(actions),
    /** What the pass came to, with all others in it. */
    decision: z.enum(actions),
    /** Empty for a message that nobody had stopped. */
    supervisor: z.string(),
    mode: z.enum(modes),
    ...supervisionStepSchema.pick({ version: true, model: true, rules: true, reasons: true }).shape,
    /** Its failure decided. */
    failed: z.literal(true).optional(),
    about: passSubjectSchema,
    /** The session's agent, the run's team, the roundtable's panel. */
    agent: z.string().optional(),
    /** The end user. */
    subject: z.string().optional(),
    /** The newest that somebody gave it. */
    label: z.enum(labels).optional(),
  }),
);
export type Decision = z.infer<ReturnType<typeof decisionSchema>>;

export const givenLabelSchema = lazily(() =>
  z.object({ label: z.enum(labels), note: z.string().optional(), by: actorRecordSchema, at: z.iso.datetime() }),
);
export type GivenLabel = z.infer<ReturnType<typeof givenLabelSchema>>;

/** How many decisions were labelled how. */
export interface LabelCounts {
  readonly right: number;
  readonly wrong: number;
  readonly unsure: number;
}

/**
 * How often it was wrong, as far as people said so.
 * @returns the share of `wrong` among `right` and `wrong`, with Wilson's 95 % interval; nothing where there are too few
 * @example falseAlarms({ right: 22, wrong: 9, unsure: 1 }) // { share: 0.29, low: 0.161, high: 0.466 }
 */
export function falseAlarms({ right, wrong }: LabelCounts): Share | undefined {
  return shareOf(wrong, right + wrong);
}
