/** What supervisors are tried on, and what comes of it. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { supervisorSchema } from "../../supervision/kinds/table.js";
import { contextChangesSchema, supervisionStepSchema } from "../../supervision/state.js";
import { actions, hooks } from "../../supervision/verdict.js";
import { lazily } from "../../text/lazily.js";

/** Supervisors of one trial. */
const maxTried = 8;

const text = z.string().max(100_000);

/** A stored supervisor, as it is or as it was in a version; or a body as a PUT takes it. What GET gives is taken, too. */
const namedSchema = z.union([itemName, z.strictObject({ name: itemName, version: z.int().min(1).optional() })]);

/** A body is read by its kind's schema once the fields that a GET adds are taken off. */
export const triedSchema = lazily(() => z.union([namedSchema, z.looseObject({ kind: z.string() })]));
/** The same as the document has it. */
export const triedShape = lazily(() => z.union([namedSchema, z.lazy(() => supervisorSchema)]));

const onSchema = z.union([
  z.strictObject({
    text,
    /** Left out: `request`, or the first hook of the first supervisor where none of them has that. */
    hook: z.enum(hooks).optional(),
  }),
  z.strictObject({
    /** The last one is judged, as a request or a response; those before it are what was said before. */
    messages: z
      .array(z.strictObject({ role: z.enum(["user", "assistant"]), content: text }))
      .min(1)
      .max(200),
  }),
  z.strictObject({
    sessionId: z.string().max(100),
    turnId: z.string().max(100),
    /** Which text of the turn, as it was before any supervisor saw it. */
    hook: z.enum(["request", "response"]).default("request"),
  }),
]);
export type TriedOn = z.infer<typeof onSchema>;

const common = lazily(() => ({
  on: onSchema,
  /** Without it endpoints of supervisors of kind `http` aren't called, and have no part in the trial. */
  callHttp: z.boolean().default(false),
}));

export const newTrialSchema = lazily(() =>
  z.strictObject({ supervisors: z.array(triedSchema()).min(1).max(maxTried), ...common() }),
);
export type NewTrial = z.infer<ReturnType<typeof newTrialSchema>>;

export const newTrialShape = lazily(() =>
  z.strictObject({ supervisors: z.array(triedShape()).min(1).max(maxTried), ...common() }),
);

const verdictSchema = z.object({ action: z.enum(actions), reasons: z.array(z.string()) });

export const trialSchema = lazily(() =>
  z.object({
    /** As a pass with all of them decides, in their order. `text` is what would go on, or be proposed to a reviewer. */
    together: verdictSchema.extend({ text: z.string() }),
    /** Each on the same text, enforced or not. */
    alone: z.array(
      verdictSchema.extend({
        supervisor: z.string(),
        /** Of a stored one. */
        version: z.int().optional(),
        mode: z.enum(["enforce", "shadow"]),
        /** What it makes of the text, where that is another. */
        text: z.string().optional(),
        /** The rules that matched, by their ids or their places from 1. */
        matched: z.array(z.string()).optional(),
        /** What it would change of a session's context. */
        contextChanges: contextChangesSchema.optional(),
        /** Tokens of its model, and what went wrong, as in the steps of a pass. */
        ...supervisionStepSchema.pick({
          model: true,
          latencyMs: true,
          usage: true,
          failed: true,
          skipped: true,
          inDoubt: true,
        }).shape,
      }),
    ),
  }),
);
export type ShownTrial = z.infer<ReturnType<typeof trialSchema>>;
