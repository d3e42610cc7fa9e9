/** Entries that say the same thing in (almost) the same words. */
import type { Candidate } from "./candidate.js";
import { splitTerms } from "./entry-terms.js";

/** Texts shorter than this many different terms must be the same to the last term. */
const shortSize = 6;
/** Share of common terms (of all terms of both, Jaccard) from which longer texts count as the same. */
const duplicateLikeness = 0.9;

/** Of the beginning and of the end of a long text. */
const comparedCharacters = 1_000;

/**
 * The words of an entry for comparing: those of the raw text, and its dates, since "I went running today" on two days
 * is two facts.
 */
function comparisonTerms(candidate: Candidate): ReadonlySet<string> {
  const dates = splitTerms(candidate.terms.marks).filter((mark) => mark.startsWith("on:"));
  const { raw } = candidate.terms;
  // Long texts that begin alike and end alike are the same; reading all of each would cost more than ranking them.
  const read =
    raw.length <= 2 * comparedCharacters
      ? raw
      : `${raw.slice(0, comparedCharacters)} ${raw.slice(-comparedCharacters)}`;
  return new Set([...splitTerms(read), ...dates]);
}

/** Whether two entries, by their comparison terms, are near-identical. Entries without any words never are. */
function isNearDuplicate(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a.size === 0 || b.size === 0) return false;
  const [smaller, larger] = a.size <= b.size ? [a, b] : [b, a];
  const needed = smaller.size < shortSize ? 1 : duplicateLikeness;
  if (smaller.size < needed * larger.size) return false;
  let common = 0;
  for (const term of smaller) if (larger.has(term)) common += 1;
  return common >= needed * (a.size + b.size - common);
}

/** A hit, as far as it names those that are left out for it. */
interface DuplicateHolder {
  readonly entryId: string;
  readonly duplicates: string[];
}

/** Once there are hits enough, duplicates are looked for among so many times as many. */
const duplicateDepth = 4;

/** Drops entries that repeat a better one, and names them there. */
export function withoutDuplicates<Hit extends DuplicateHolder>(
  hits: readonly { readonly hit: Hit; readonly candidate: Candidate }[],
  limit: number,
): Hit[] {
  const kept: { hit: Hit; speaker: string | undefined; terms: ReadonlySet<string> }[] = [];
  for (const [index, { hit, candidate }] of hits.entries()) {
    if (kept.length >= limit && index >= duplicateDepth * limit) break;
    const terms = comparisonTerms(candidate);
    const same = kept.find((other) => other.speaker === candidate.speaker && isNearDuplicate(other.terms, terms));
    if (same !== undefined) same.hit.duplicates.push(hit.entryId);
    else if (kept.length < limit) kept.push({ hit, speaker: candidate.speaker, terms });
  }
  return kept.map(({ hit }) => hit);
}
