/** Texts of a caller that prompts, transcripts or memories show beside what they say: who speaks, a value that an agent is to know. */
import { z } from "zod";

export const callerTextSchema = z.object({ name: z.string(), text: z.string() });
export type CallerText = z.infer<typeof callerTextSchema>;

/** What supervision left of a text; the text itself where it wasn't among those judged. */
export function clearedText(beside: readonly CallerText[], name: string, text: string): string {
  return beside.find((one) => one.name === name)?.text ?? text;
}
