/** What the debate was brought together in. */
import { z } from "zod";
import { citationSchema } from "./position.js";

export const synthesisRecordSchema = z.object({
  conclusion: z.string(),
  recommendation: z.string(),
  commonGround: z.array(z.string()),
  keyDifferences: z.array(z.string()),
  evolution: z.string(),
  confidence: z.number(),
  minority: z.array(z.string()),
  citations: z.array(citationSchema),
  /** The last round that it knows of. */
  round: z.int(),
});
export type Synthesis = z.infer<typeof synthesisRecordSchema>;
