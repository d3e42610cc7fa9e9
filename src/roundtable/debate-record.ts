/** Everything that a debate holds, for those who read it: its rounds, what was asked and answered, and what it came to. */
import { z } from "zod";
import { contextRequestSchema } from "./context-request.js";
import { debateStatuses, exitSchema, roundRecordSchema } from "./debate.js";
import { modeNames } from "./modes/table.js";
import { seatInfoSchema } from "./panel.js";
import { layeredAnswerSchema } from "./reading/layered-answer.js";
import { thoughtsSchema } from "./reading/thoughts.js";
import { synthesisSchema } from "./synthesis.js";

export const debateRecordSchema = z.object({
  sessionId: z.string(),
  /** The effective topic; absent until its verdict is in. */
  topic: z.string().optional(),
  mode: z.enum(modeNames),
  /** The stored panel, or `inline`. */
  panel: z.string(),
  status: z.enum(debateStatuses),
  seats: z.array(seatInfoSchema),
  totalRounds: z.int(),
  rounds: z.array(roundRecordSchema),
  requests: z.array(contextRequestSchema),
  exit: exitSchema.optional(),
  synthesis: synthesisSchema.optional(),
  usage: z.object({ modelCalls: z.number(), inputTokens: z.number(), outputTokens: z.number(), activeMs: z.number() }),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
});
export type DebateRecord = z.infer<typeof debateRecordSchema>;

/** A debate as it is taken away: with what it comes to, layer by layer, and what each seat thought. */
export const debateExportSchema = debateRecordSchema.extend({
  format: z.literal("conclave.roundtable/1"),
  answer: layeredAnswerSchema.optional(),
  thoughts: z.array(thoughtsSchema),
});
