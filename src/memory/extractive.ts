/** What is written when no model is to be had: extracts, marked as such, until a model writes it properly. */
import { type ContextItem, itemsOfVersion, type StoredItems } from "./context-items.js";
import type { EarlierEntry, SynthesisEntry } from "./prompts.js";
import { endsInQuestion } from "./retrieval/entry-terms.js";

export const maxSummaryCharacters = 512;
/** Characters of a question that stand before its answer, at most. */
const questionCharacters = 200;
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
  return items.filter((item) => !isExtractOf(item, new Set(entryIds)));
}

function isExtract({ text }: ContextItem): boolean {
  return text.endsWith(extractMark);
}

/** Whether an item is an extract of one of these entries; the question that an entry answers stands before it in the origin. */
function isExtractOf(item: ContextItem, entryIds: ReadonlySet<string>): boolean {
  const extracted = item.origin.by === "entries" ? item.origin.entries.at(-1) : undefined;
  return isExtract(item) && extracted !== undefined && entryIds.has(extracted);
}

/** Whether an item rests on some of these entries, and on nothing else. */
function restsOnThese({ origin }: ContextItem, entryIds: ReadonlySet<string>): boolean {
  if (origin.by === "person" || origin.upTo !== undefined || origin.entries.length === 0) return false;
  return origin.entries.every((entryId) => entryIds.has(entryId));
}

/**
 * The context with an extract of each entry at the end of its timeline. What is corrected goes: the line that rested on it alone, and
 * its own extract. What answers an earlier question keeps the question with it.
 * @param earlier what was said just before, which earlier versions took in
 */
export function extractiveContext(
  previous: readonly ContextItem[],
  session: readonly SynthesisEntry[],
  earlier: readonly EarlierEntry[] = [],
): ContextItem[] {
  const corrected = new Set(session.flatMap(({ corrects }) => corrects?.entryId ?? []));
  const extracts = session.flatMap((entry): ContextItem[] => {
    if (entry.isSuperseded) return [];
    const who = entry.speaker ?? entry.role;
    const text = extractiveSummary(entry.summary === "" ? entry.content : entry.summary, 200);
    const question = earlier.find((other) => isQuestionFor(other, entry));
    const questionNote = question === undefined ? "" : ` (answers: ${lastSentence(question.content)})`;
    return [
      {
        heading: "Timeline",
        text: `${entry.occurredAt.slice(0, 10)} ${who}: ${text}${questionNote} ${extractMark}`,
        origin: { by: "entries", entries: [...(question === undefined ? [] : [question.entryId]), entry.entryId] },
      },
    ];
  });
  return [...previous.filter((item) => !restsOnThese(item, corrected) && !isExtractOf(item, corrected)), ...extracts];
}

/** Whether one entry is a question that the next one, by somebody else, answers. */
function isQuestionFor(question: EarlierEntry, entry: SynthesisEntry): boolean {
  const isNext = question.before === entry.entryId;
  const isOther = question.role !== entry.role || question.speaker !== entry.speaker;
  return isNext && isOther && endsInQuestion(question.content);
}

/** What a text ends with: of a question, what it asks. */
function lastSentence(text: string): string {
  const flat = text.slice(-questionCharacters).replace(/\s+/g, " ").trim();
  const begins = Math.max(...[". ", "! ", "? "].map((end) => flat.lastIndexOf(end, flat.length - 3)));
  return begins < 0 ? flat.toWellFormed() : flat.slice(begins + 2);
}
