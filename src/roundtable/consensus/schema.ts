/** What the rounds of a debate show: computed once a round, stored with it, and never computed again when it is read. */
import { z } from "zod";
import { stanceSchema } from "../position.js";

const share = z.number().min(0).max(1);
const seat = z.string();

const clusterSchema = z.object({
  seats: z.array(seat),
  stance: stanceSchema.optional(),
  spokenFor: seat,
  position: z.string(),
  confidence: share,
});

export const disagreementSchema = z.object({
  /** `stance`: they answer differently. `statement`: one denies what the other says, or names another. `figures`: numbers or dates differ. */
  kind: z.enum(["stance", "statement", "figures"]),
  sides: z.array(z.object({ seats: z.array(seat), text: z.string() })),
});

export const movementSchema = z.object({
  seat,
  kind: z.enum(["stance", "position", "confidence"]),
  stance: z.object({ from: stanceSchema.optional(), to: stanceSchema.optional() }).optional(),
  confidence: z.object({ from: share, to: share }),
  toward: z.array(seat),
  credits: z.array(seat),
  newEvidence: z.boolean(),
});

export const minorityViewSchema = z.object({
  seats: z.array(seat),
  stance: stanceSchema.optional(),
  position: z.string(),
  reasoning: z.string(),
  confidence: share,
});

/** What the analyst model says; it stands beside what is counted, and changes nothing of it. */
export const analysisSchema = z.object({
  agreementLevel: share,
  summary: z.string(),
  commonGround: z.array(z.string()),
  disagreements: z.array(z.string()),
  nuances: z.array(z.string()),
  groupthinkWarning: z.string().optional(),
  /** Why the debate shouldn't end yet, although it could. */
  veto: z.string().optional(),
});
export type Analysis = z.infer<typeof analysisSchema>;

export const consensusSchema = z.object({
  round: z.int(),
  /** Counted: from stances, confidences and words in common. Decides whether a debate may end. */
  agreementLevel: share,
  meanConfidence: share,
  stances: z.object({ YES: z.int(), NO: z.int(), NEUTRAL: z.int(), none: z.int() }),
  /** The stances are parts that the mode gives: they show nothing of what the seats think. */
  stancesAreParts: z.boolean(),
  summary: z.string(),
  clusters: z.array(clusterSchema),
  commonGround: z.array(z.object({ text: z.string(), seats: z.array(seat) })),
  disagreements: z.array(disagreementSchema),
  /** Conditions and exceptions that one seat makes and others of its cluster don't. */
  nuances: z.array(z.object({ seat, text: z.string() })),
  /** Every view but the largest cluster's; empty where all are of one view. */
  minority: z.array(minorityViewSchema),
  /** Views that were held in the round before and are held by nobody any more. */
  givenUp: z.array(minorityViewSchema),
  movements: z.array(movementSchema),
  /** Nobody moved over the last rounds, three if the panel says nothing else. */
  isStable: z.boolean(),
  groupthink: z.object({ warning: z.string(), signs: z.array(z.string()) }).optional(),
  analysis: analysisSchema.optional(),
  /** Why there is no analysis, where one was wanted. */
  analysisError: z.string().optional(),
});
export type Consensus = z.infer<typeof consensusSchema>;
export type MinorityView = z.infer<typeof minorityViewSchema>;
export type Disagreement = z.infer<typeof disagreementSchema>;
