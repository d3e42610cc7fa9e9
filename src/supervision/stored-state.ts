/**
 * How the record of a pass is stored and carried: steps in a row that say the same are one, with the names of all who said it. Ten
 * supervisors that allow are one step. In memory, and whoever reads a record, has a step for each.
 */
import { z } from "zod";
import { type SupervisionState, supervisionStateSchema, supervisionStepSchema, withoutTexts } from "./state.js";

/** A contract with what is stored. Without `repeatedBy` it is a step as every version stored it. */
const storedStepSchema = supervisionStepSchema.extend({
  /** The supervisors right after this one whose steps are the same but for the name. A version that doesn't know it shows the first. */
  repeatedBy: z.array(z.string()).optional(),
});
type StoredStep = z.infer<typeof storedStepSchema>;

/** Reads a record in either form. */
export const storedStateSchema = supervisionStateSchema.extend({
  steps: z
    .array(storedStepSchema)
    .transform((steps) =>
      steps.flatMap(({ repeatedBy = [], ...step }) => [
        step,
        ...repeatedBy.map((supervisor) => ({ ...step, supervisor })),
      ]),
    ),
});
/** What {@link storedStateSchema} reads. */
export type StoredState = z.input<typeof storedStateSchema>;

/**
 * @example
 * packed({ ...state, steps: [{ supervisor: "a", ...allow }, { supervisor: "b", ...allow }] })
 * // { ...state, steps: [{ supervisor: "a", ...allow, repeatedBy: ["b"] }] }
 */
export function packed(state: SupervisionState): StoredState {
  const steps: StoredStep[] = [];
  let lastSaid: string | undefined;
  for (const step of state.steps) {
    const { supervisor } = step;
    // A person's review stands alone.
    const said = supervisor === undefined ? undefined : JSON.stringify({ ...step, supervisor: undefined });
    const last = steps.at(-1);
    if (last !== undefined && supervisor !== undefined && said === lastSaid) {
      last.repeatedBy = [...(last.repeatedBy ?? []), supervisor];
    } else steps.push({ ...step });
    lastSaid = said;
  }
  return { ...state, steps };
}

/** The JSON texts that a record may be stored as, today's first: versions before stored a step for each supervisor. */
export function storedTexts(state: SupervisionState): readonly [today: string, before: string] {
  return [JSON.stringify(packed(state)), JSON.stringify(state)];
}

/** The body of a row of the audit: it outlives the texts, and names changes of the context where there are any. */
export type AuditBody = Omit<StoredState, "texts" | "contextChanges"> & Partial<Pick<StoredState, "contextChanges">>;

export function packedForAudit(state: SupervisionState): AuditBody {
  const { contextChanges, ...body } = packed(withoutTexts(state));
  const anyChange = Object.values(contextChanges).some((names) => names.length > 0);
  return anyChange ? { ...body, contextChanges } : body;
}
