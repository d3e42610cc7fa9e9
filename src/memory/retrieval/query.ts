/** A query as it is understood before any entry is looked at: terms, names, dates, and what kind of answer it wants. */

import { tokenize } from "../../text/tokenizer.js";
import { beginningsOf, formLikeness, isBeyondEnglish } from "../../text/variants.js";
import type { MemoryStatistics } from "./candidate.js";
import { type DateMention, findDates } from "./dates.js";
import { dateMark, speakerMark, topicMark } from "./entry-terms.js";
import { topicsOfQuery } from "./topics.js";

/** One different term of a query. */
export interface QueryTerm {
  readonly term: string;
  /** The first word of the query that gave it. */
  readonly surface: string;
}

/** A parsed query; depends on no memory. */
export interface ParsedQuery {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
  readonly dates: readonly DateMention[];
  /** It is written in another language than English: then other forms of its words are looked for. */
  readonly beyondEnglish: boolean;
  /** It asks for a time ("when …", "what year …"). */
  readonly asksWhen: boolean;
  /** It is about the person asking ("my dog", "did I"), and not about what an assistant said. */
  readonly firstPerson: boolean;
  /** It is about what the one who is asked has said ("what did you recommend"). */
  readonly asksAssistant: boolean;
}

const asksWhenPattern =
  /\bwhen\s{1,20}(?:did|do|does|is|was|were|will|has|have|had|are|am)\b|\b(?:what|which)(?: exact| specific)? (?:date|day|week|weekend|month|season|year|time)\b|\bhow long\b/i;
const firstPersonPattern = /\b(?:I|I'm|I’m|I've|I’ve|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur)\b/;
const secondPersonPattern = /\b(?:you|your)\b/i;
const asksAssistantPattern = /\b(?:assistant|chatbot|bot|agent)\b/i;
/** Terms beyond this many are dropped, the last first: a pasted page is no better a query than its beginning. */
const maxQueryTerms = 32;

/**
 * Parses a query.
 * @param now ISO time that "yesterday" and the like count from; without it they are left out.
 */
export function parseQuery(text: string, now?: string): ParsedQuery {
  const terms = new Map<string, QueryTerm>();
  for (const token of tokenize(text)) {
    if (terms.size >= maxQueryTerms) break;
    if (!terms.has(token.term)) terms.set(token.term, token);
  }
  return {
    text,
    terms: [...terms.values()],
    dates: findDates(text, now),
    beyondEnglish: isBeyondEnglish(text),
    asksWhen: asksWhen(text),
    asksAssistant: secondPersonPattern.test(text) || asksAssistantPattern.test(text),
    firstPerson: firstPersonPattern.test(text) && !secondPersonPattern.test(text),
  };
}

/** Whether it asks for a time: by how it is worded, or by a "when" before a question mark of its line. */
function asksWhen(text: string): boolean {
  if (asksWhenPattern.test(text)) return true;
  return text.split("\n").some((line) => {
    const at = line.search(/\bwhen\b/i);
    return at >= 0 && line.includes("?", at);
  });
}

/** The marks of the days and months that a query names exactly enough to look them up. */
export function queryDateMarks(query: ParsedQuery): string[] {
  return query.dates.flatMap(({ range, precision }) => {
    if (range === undefined) return [];
    if (precision === "day") return [dateMark(range.from)];
    return precision === "month" ? [dateMark(range.from.slice(0, 7))] : [];
  });
}

/** The marks of the topics that a query asks for. */
export function queryTopicMarks(query: ParsedQuery): string[] {
  return [...new Set(query.terms.flatMap(({ term }) => topicsOfQuery(term)))].map(topicMark);
}

/** Every term and mark whose document frequency planning and ranking need. */
export function frequencyLookups(query: ParsedQuery): string[] {
  const terms = query.terms.map(({ term }) => term);
  return [...new Set([...terms, ...terms.map(speakerMark), ...queryDateMarks(query), ...queryTopicMarks(query)])];
}

/** Words whose other forms are looked for. */
const maxVariedTerms = 8;

/** What the other forms of the query's words begin with; none in English, where words are stemmed. */
export function formBeginnings(query: ParsedQuery): string[] {
  if (!query.beyondEnglish) return [];
  return [...new Set(query.terms.slice(0, maxVariedTerms).flatMap(({ term }) => beginningsOf(term)))];
}

/** Another form of a query's word that the memory has. */
export interface TermForm {
  readonly term: string;
  readonly frequency: number;
  /** What it counts, of one of the word itself. */
  readonly share: number;
}

function formsOf(term: string, query: ParsedQuery, statistics: MemoryStatistics): TermForm[] {
  if (!query.beyondEnglish || beginningsOf(term).length === 0) return [];
  const own = new Set(query.terms.map((one) => one.term));
  return [...statistics.frequencies]
    .filter(([form, frequency]) => frequency > 0 && !own.has(form) && /^[\p{L}\p{M}]+$/u.test(form))
    .map(([form, frequency]) => ({ term: form, frequency, share: formLikeness(term, form) }))
    .filter(({ share }) => share > 0);
}

/** A query term with what it is worth in the memory that is searched. */
export interface WeightedTerm extends QueryTerm {
  /** Inverse document frequency in this memory × the weight of the kind of term. */
  readonly weight: number;
  /** Entries of this memory that contain it. */
  readonly frequency: number;
  /** Someone in this memory is called so; then who speaks matters more than who is addressed by name. */
  readonly isSpeaker: boolean;
  readonly forms: readonly TermForm[];
}

/**
 * Weighs the terms of a query by the statistics of one memory. The inverse document frequency is the one of BM25
 * (Robertson & Zaragoza 2009, made positive): ln(1 + (N − n + ½) / (n + ½)).
 * @param speakerNameWeight what a name is worth as a word of the text if it is a speaker's (1: like any other word).
 */
export function weighTerms(
  query: ParsedQuery,
  statistics: MemoryStatistics,
  speakerNameWeight: number,
): WeightedTerm[] {
  return query.terms.map(({ term, surface }) => {
    // statistics may lag a little behind the entries: never let a count exceed the whole
    const forms = formsOf(term, query, statistics);
    const counted = forms.reduce((total, form) => total + form.frequency, statistics.frequencies.get(term) ?? 0);
    const frequency = Math.min(counted, statistics.entryCount);
    const idf = Math.log(1 + (statistics.entryCount - frequency + 0.5) / (frequency + 0.5));
    const isSpeaker = (statistics.frequencies.get(speakerMark(term)) ?? 0) > 0;
    return { term, surface, frequency, isSpeaker, forms, weight: idf * (isSpeaker ? speakerNameWeight : 1) };
  });
}
