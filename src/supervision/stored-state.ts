/**
 * How the record of a pass is stored and carried: steps in a row that say the same are one, with the names of all who said it. Ten
 * supervisors that allow are one step. In memory, and in a record as it is read, each has a step.
 */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import {
  type SupervisionState,
  type SupervisionStep,
  supervisionStateSchema,
  supervisionStepSchema,
  withoutTexts,
} from "./state.js";

/** A contract with what is stored. Without `repeatedBy` it is a step as every version stored it. */
const storedStepSchema = supervisionStepSchema.extend({
  /** The supervisors right after this one whose steps are the same but for the name. A version that doesn't know it shows the first. */
  repeatedBy: z.array(z.string()).optional(),
  /** Their versions, where not all are of this step's; null for one without. */
  repeatedVersions: z.array(z.int().nullable()).optional(),
});
type StoredStep = z.infer<typeof storedStepSchema>;

/** Reads a record in either form. */
export const storedStateSchema = supervisionStateSchema.extend({
  steps: z.array(storedStepSchema).transform((steps) =>
    steps.flatMap(({ repeatedBy = [], repeatedVersions, ...step }) => [
      step,
      ...repeatedBy.map((supervisor, at) => {
        const { version: ofFirst, ...same } = step;
        const version = repeatedVersions === undefined ? ofFirst : (repeatedVersions[at] ?? undefined);
        return { ...same, supervisor, ...defined({ version }) };
      }),
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
  for (const step of state.steps) {
    const last = steps.at(-1);
    // A person's review has no supervisor, and stands alone.
    if (last?.supervisor !== undefined && step.supervisor !== undefined && isRepeated(last, step)) {
      const { version, repeatedBy = [], repeatedVersions } = last;
      if (repeatedVersions !== undefined || version !== step.version) {
        last.repeatedVersions = [...(repeatedVersions ?? repeatedBy.map(() => version ?? null)), step.version ?? null];
      }
      last.repeatedBy = [...repeatedBy, step.supervisor];
    } else steps.push({ ...step });
  }
  return { ...state, steps };
}

const repeatedFields = supervisionStepSchema.keyof().exclude(["supervisor", "version"]).options;

/** Whether a step says what the one before it says. */
function isRepeated(before: SupervisionStep, step: SupervisionStep): boolean {
  return repeatedFields.every(
    (field) => before[field] === step[field] || JSON.stringify(before[field]) === JSON.stringify(step[field]),
  );
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
