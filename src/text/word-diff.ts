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

/** Fewer words than this between two changes are read as part of one. */
const wordsApart = 3;

/** Changes that hardly anything separates are one change: crossed fragments can't be read. */
export function mergedDiff(parts: readonly DiffPart[]): DiffPart[] {
  const merged: { removed: string; added: string; same?: string }[] = [];
  for (const [at, { same, added = "", removed = "" }] of parts.entries()) {
    const last = merged.at(-1);
    const between = same !== undefined && at > 0 && at < parts.length - 1 && isShort(same);
    if (same !== undefined && !between) merged.push({ removed: "", added: "", same });
    else if (last === undefined || last.same !== undefined)
      merged.push({ removed: removed + (same ?? ""), added: added + (same ?? "") });
    else {
      last.removed += removed + (same ?? "");
      last.added += added + (same ?? "");
    }
  }
  return merged.map(({ same, added, removed }) => (same === undefined ? { removed, added } : { same }));
}

function isShort(text: string): boolean {
  return !text.includes("\n") && text.trim().split(/\s+/).filter(Boolean).length < wordsApart;
}
