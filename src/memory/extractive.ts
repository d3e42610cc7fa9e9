/** What is written when no model is to be had: extracts, marked as such, until a model writes it properly. */
import { type ContextItem, itemsOfVersion, type StoredItems } from "./context-items.js";
import type { SynthesisEntry } from "./prompts.js";

export const maxSummaryCharacters = 512;
/** Ends an item that no model wrote. */
const extractMark = "[extract]";

/** The beginning of a text, cut between sentences or words. */
export function extractiveSummary(text: string, limit = maxSummaryCharacters): string {
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= limit) return flat;
  const cut = flat
    .slice(0, limit - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  const sentence = Math.max(cut.lastIndexOf(". "), cut.lastIndexOf("! "), cut.lastIndexOf("? "));
  if (sentence > limit / 2) return cut.slice(0, sentence + 1);
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** Some of the entries that extracts in a context stand for. */
export function citedByExtracts(context: StoredItems, limit: number): string[] {
  const extracts = itemsOfVersion(context).filter(isExtract);
  const cited = extracts.flatMap(({ origin }) => (origin.by === "entries" ? origin.entries : []));
  return [...new Set(cited)].slice(0, limit);
}

/** The items of a context without the extracts of these entries: they are to be written anew. */
export function withoutExtractsOf(items: readonly ContextItem[], entryIds: readonly string[]): ContextItem[] {
  return items.filter((item) => !(isExtract(item) && restsOnThese(item, new Set(entryIds))));
}

function isExtract({ text }: ContextItem): boolean {
  return text.endsWith(extractMark);
}

/** Whether an item rests on some of these entries, and on nothing else. */
function restsOnThese({ origin }: ContextItem, entryIds: ReadonlySet<string>): boolean {
  if (origin.by === "person" || origin.upTo !== undefined || origin.entries.length === 0) return false;
  return origin.entries.every((entryId) => entryIds.has(entryId));
}

/**
 * The context with an extract of each entry at the end of its timeline. What is corrected goes: the line that rested on it alone, and
 * its own extract.
 */
export function extractiveContext(previous: readonly ContextItem[], session: readonly SynthesisEntry[]): ContextItem[] {
  const corrected = new Set(session.flatMap(({ corrects }) => corrects?.entryId ?? []));
  const extracts = session.flatMap((entry): ContextItem[] => {
    if (entry.isSuperseded) return [];
    const who = entry.speaker ?? entry.role;
    const text = extractiveSummary(entry.summary === "" ? entry.content : entry.summary, 200);
    return [
      {
        heading: "Timeline",
        text: `${entry.occurredAt.slice(0, 10)} ${who}: ${text} ${extractMark}`,
        origin: { by: "entries", entries: [entry.entryId] },
      },
    ];
  });
  return [...previous.filter((item) => !restsOnThese(item, corrected)), ...extracts];
}
