/**
 * What a correction is found by: its own words, and those of what it corrects, as far back as corrections go. "It is Lyon" is found by
 * whoever asks where I live, since "I live in Paris" was. The words are the correction's; the old text is no hit for them.
 */
import type { Entry } from "../../memory/entry.js";
import { distinctTerms, type EntryTerms, entryTerms, splitTerms } from "../../memory/retrieval/entry-terms.js";

/** Corrections of corrections that are followed. */
export const maxCorrections = 8;
/** Words that a correction gets of what it corrects, at most. */
const maxTerms = 400;
const topicMarks = /^about:/;

/** The terms of a correction with those of the entries that it corrects, the nearest first. */
export function withCorrected(terms: EntryTerms, corrected: readonly Entry[]): EntryTerms {
  if (corrected.length === 0) return terms;
  const old = corrected.map(termsOf);
  const own = new Set(distinctTerms(terms));
  const words = new Set(old.flatMap(({ raw, summary, tags }) => [raw, summary, tags].flatMap(splitTerms)));
  const marks = old.flatMap((each) => splitTerms(each.marks)).filter((mark) => topicMarks.test(mark));
  return {
    ...terms,
    summary: [...splitTerms(terms.summary), ...[...words].filter((word) => !own.has(word)).slice(0, maxTerms)].join(
      " ",
    ),
    marks: [...new Set([...splitTerms(terms.marks), ...marks])].join(" "),
  };
}

function termsOf({ rawEntry, summary, summarySource, ...entry }: Entry): EntryTerms {
  return entryTerms({ ...entry, rawText: rawEntry, summary: summarySource === "extractive" ? "" : summary });
}
