import { diffWordsWithSpace } from "diff";
import { z } from "zod";

export const diffPartSchema = z.object({
  same: z.string().optional(),
  added: z.string().optional(),
  removed: z.string().optional(),
});
export type DiffPart = z.infer<typeof diffPartSchema>;

/** Two texts that have less in common than this are shown without a diff: finding it would take long and show nothing. */
const maxDiffEdits = 2_000;

/** What was taken out of a text and put into it, word by word. */
export function wordDiff(before: string, after: string): DiffPart[] | undefined {
  return diffWordsWithSpace(before, after, { maxEditLength: maxDiffEdits })?.map(({ value, added, removed }) => ({
    ...(added ? { added: value } : removed ? { removed: value } : { same: value }),
  }));
}
