/** A debate as it is taken away, in one piece, for programs. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { type DebateRecord, debateRecordSchema } from "../debate-record.js";
import { layeredAnswer, layeredAnswerSchema } from "./layered-answer.js";
import { withoutNames } from "./names.js";
import { thoughtsOf, thoughtsSchema } from "./thoughts.js";

export const debateExportSchema = debateRecordSchema.extend({
  format: z.literal("conclave.roundtable/1"),
  /** Layer by layer; absent before the first round is complete. */
  answer: layeredAnswerSchema.optional(),
  /** Of each seat, over the rounds. */
  thoughts: z.array(thoughtsSchema),
});
export type DebateExport = z.infer<typeof debateExportSchema>;

/** The debate with what it comes to. Pseudonyms stand for the seats of an anonymous one. */
export function debateJson(named: DebateRecord): DebateExport {
  const debate = withoutNames(named);
  return {
    format: "conclave.roundtable/1",
    ...debate,
    ...defined({ answer: layeredAnswer(debate) }),
    thoughts: debate.seats.flatMap(({ id }) => thoughtsOf(debate, id) ?? []),
  };
}
