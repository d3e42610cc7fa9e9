/** Which variant of an experiment a session got: a contract with what is stored. */
import { z } from "zod";

/** What a session is told of the experiment that it is in, for as long as it lasts. */
export const assignmentSchema = z.object({
  experiment: z.string(),
  seed: z.string(),
  variant: z.string(),
  phase: z.int(),
  unit: z.string(),
});
export type Assignment = z.infer<typeof assignmentSchema>;
