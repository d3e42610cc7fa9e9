/** The synthesis of a debate as it is stored: with the round that it knows of. */
import { z } from "zod";
import { synthesisSchema } from "./synthesis.js";

export const synthesisRecordSchema = synthesisSchema.extend({
  /** The last round that it knows of. */
  round: z.int(),
});
export type SynthesisRecord = z.infer<typeof synthesisRecordSchema>;
