/** What the rounds of a debate show: computed once a round, stored with it, and never computed again when it is read. */
import { z } from "zod";
import { estimatesSchema } from "../estimates.js";
import { stanceSchema } from "../position.js";

const share = z.number().min(0).max(1);
const seat = z.string();

const clusterSchema = z.object({
  /** In the order of their ids. */
  seats: z.array(seat),
  /** Absent where its seats state none. */
  stance: stanceSchema.optional(),
  /** The one whose words are nearest to those of all the others speaks for it. */
  spokenFor: seat,
  /** How that one's position begins. */
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
  /** The most that changed: the stance, what it holds, or only how sure it is. */
  kind: z.enum(["stance", "position", "confidence"]),
  stance: z.object({ from: stanceSchema.optional(), to: stanceSchema.optional() }).optional(),
  confidence: z.object({ from: share, to: share }),
  /** Whose views of the round before it came nearer to, the nearest first. */
  toward: z.array(seat),
  /** Whom it names in its reasoning. */
  credits: z.array(seat),
  /** Whether it rests on a source or an answer that it didn't rest on before. */
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
  /** In a survey: the figures that the seats estimate. */
  estimates: estimatesSchema.optional(),
  /** The stances are parts that the mode gives: they show nothing of what the seats think. */
  stancesAreParts: z.boolean(),
  summary: z.string(),
  clusters: z.array(clusterSchema),
  commonGround: z.array(z.object({ text: z.string(), seats: z.array(seat) })),
  disagreements: z.array(disagreementSchema),
  /** Conditions and exceptions that one seat makes and others of its cluster don't. */
  nuances: z.array(z.object({ seat, text: z.string() })),
  /** The views of fewer seats than the largest cluster has, each in words that its seats share; empty where all are of one view, or none has more seats than the others. */
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
export type Cluster = z.infer<typeof clusterSchema>;
export type Movement = z.infer<typeof movementSchema>;
export type MinorityView = z.infer<typeof minorityViewSchema>;
export type Disagreement = z.infer<typeof disagreementSchema>;
