/** A pass as a step of the journal. */
import { z } from "zod";
import type { StepSpec } from "../agent/journal.js";
import { type PassPorts, type PassResult, runPass } from "./pass.js";
import { packed, storedStateSchema } from "./stored-state.js";
import { type Subject, subjectSchema } from "./subject.js";
import type { Supervisor } from "./supervisor.js";

const passResultSchema = z.object({ state: storedStateSchema, subject: subjectSchema });

/** Does the pass as the journal's step `pass`: on a replay its stored result stands for it, and nobody is asked again. */
export function passStep(
  subject: Subject,
  supervisors: readonly Supervisor[],
  ports: PassPorts,
  written: Pick<StepSpec<PassResult>, "onDone" | "writtenWithNext">,
): Promise<PassResult> {
  return ports.journal.step<PassResult>(
    {
      id: "pass",
      kind: "supervision",
      schema: passResultSchema,
      stored: ({ state, subject: after }) => ({ state: packed(state), subject: after }),
      interrupted: "again",
      ...written,
    },
    () => runPass(subject, supervisors, ports),
  );
}
