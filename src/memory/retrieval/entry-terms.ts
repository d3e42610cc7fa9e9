/**
 * What is kept of an entry for search, made once when the entry is written: the index terms of its fields, and marks:
 * terms of our own that say who speaks, what is tagged and what day is spoken of, so that these are looked up and
 * counted like words. An ordinary term never contains ":" or "@", so no text can forge a mark.
 */

import { fold, indexTerms, tokenize } from "../../text/tokenizer.js";
import { findDates, namesTime } from "./dates.js";
import { topicsOfEntry } from "./topics.js";

/** What an entry consists of, as far as search cares. */
export interface EntryText {
  readonly rawText: string;
  readonly summary?: string | undefined;
  readonly tags?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Who said it, by name. Left out, it is read off a leading "Name: " or a tag called `speaker`. */
  readonly speaker?: string | undefined;
  readonly role?: string | undefined;
  /** When it was said, ISO 8601; "yesterday" in the text counts from here. */
  readonly occurredAt: string;
}

/** The stored terms of an entry: each field space-joined, in the order of the text, repetitions kept. */
export interface EntryTerms {
  readonly raw: string;
  readonly summary: string;
  readonly tags: string;
  readonly marks: string;
}

/** Name of the speaker, if one is known, and the text without the leading "Name: ". */
export interface SpokenText {
  readonly speaker: string | undefined;
  readonly text: string;
}

/** "Anna: …", "Dr. Anna Berg: …": up to three capitalised words and a colon. */
const speakerPrefix = /^\s*(\p{Lu}[\p{L}\p{M}.'’-]{0,30}(?: \p{Lu}[\p{L}\p{M}.'’-]{0,30}){0,2}):\s+(?=\S)/u;

/** The same at the beginning of any line, without looking beyond it: a text of empty lines would be read over and over. */
const speakerLine = /^[ \t]*(\p{Lu}[\p{L}\p{M}.'’-]{0,30}(?: \p{Lu}[\p{L}\p{M}.'’-]{0,30}){0,2}):[ \t]+\S/gmu;

/** Whether lines of a text begin with different names: a record of a talk, which nobody says as a whole. */
function isTranscript(text: string): boolean {
  let first: string | undefined;
  for (const [, name = ""] of text.matchAll(speakerLine)) {
    first ??= fold(name);
    if (fold(name) !== first) return true;
  }
  return false;
}

/** Roles of a protocol, however they are written; any other role with a capital is a name ("Anna"). */
const protocolRoles = new Set([
  "user",
  "assistant",
  "system",
  "developer",
  "tool",
  "function",
  "human",
  "ai",
  "agent",
  "bot",
  "model",
]);

function namedRole(role: string | undefined): string | undefined {
  return role !== undefined && /^\p{Lu}/u.test(role) && !protocolRoles.has(role.toLowerCase()) ? role : undefined;
}

/**
 * Who speaks in an entry: what was given, else the tag `speaker`, else a role that is a name, else a leading "Name: ", unless
 * other lines begin with other names.
 */
export function spokenText(entry: EntryText): SpokenText {
  const tagged = entry.tags?.speaker;
  const known =
    entry.speaker ?? (typeof tagged === "string" && tagged.trim() !== "" ? tagged : undefined) ?? namedRole(entry.role);
  const prefix = speakerPrefix.exec(entry.rawText);
  if (prefix === null || (known === undefined && isTranscript(entry.rawText)))
    return { speaker: known, text: entry.rawText };
  const [matched, name] = prefix;
  const agrees = known === undefined || fold(known) === fold(name ?? "");
  return agrees
    ? { speaker: known ?? name, text: entry.rawText.slice(matched.length) }
    : { speaker: known, text: entry.rawText };
}

/** The mark of a word of a speaker's name, from that word's term. */
export function speakerMark(term: string): string {
  return `@${term}`;
}

/** What the full-text index takes as part of one term; anything else in the value of a mark becomes "_". */
const notInMarks = /[^\p{L}\p{N}\p{M}.+#=_-]+/gu;

/** The mark of entries with a role; for filters. */
export function roleMark(role: string): string {
  return `role:${fold(role).replace(notInMarks, "_")}`;
}

/** The mark of entries with a tag or, given one, with that value of it; for filters. */
export function tagMark(name: string, value?: string | number | boolean): string {
  const text = value === undefined ? name : `${name}=${value}`;
  return `tag:${fold(text).replace(notInMarks, "_")}`;
}

/** The mark of entries that speak of a day ("2023-05-07"), a month ("2023-05") or a year. */
export function dateMark(iso: string): string {
  return `on:${iso}`;
}

/** The mark of entries that speak of a topic, whatever their words for it are. */
export function topicMark(topic: string): string {
  return `about:${topic}`;
}

/** The entry says when something happens. */
export const timedMark = "is:timed";
/** The entry ends in a question: it asks rather than tells. */
export const questionMark = "is:question";

const questionEnd = /[?？؟](?:["'”’)\s\p{Extended_Pictographic}]|\uFE0F)*$/u;

/** Whether a text ends in a question. */
export function endsInQuestion(text: string): boolean {
  return questionEnd.test(text);
}

function dateMarks(text: string, occurredAt: string): string[] {
  return findDates(text, occurredAt).flatMap((mention) => {
    if (mention.range === undefined) return [];
    const { from, to } = mention.range;
    if (mention.precision === "day") return [dateMark(from), dateMark(from.slice(0, 7))];
    if (mention.precision === "year") return [dateMark(from.slice(0, 4))];
    // weeks and seasons are looked up by the months that they touch
    return [...new Set([from.slice(0, 7), to.slice(0, 7)])].map(dateMark);
  });
}

function tagText(tags: EntryText["tags"]): string {
  return Object.entries(tags ?? {})
    .filter(([name]) => name !== "speaker")
    .map(([name, value]) => (typeof value === "boolean" ? name : `${name} ${value}`))
    .join(" , ");
}

/** Makes the stored terms of an entry. Pure: the same entry always gives the same terms. */
export function entryTerms(entry: EntryText): EntryTerms {
  const { speaker, text } = spokenText(entry);
  const raw = indexTerms(text);
  const marks = [
    ...(speaker === undefined ? [] : tokenize(speaker).map((token) => speakerMark(token.term))),
    ...(entry.role === undefined ? [] : [roleMark(entry.role)]),
    ...Object.entries(entry.tags ?? {}).flatMap(([name, value]) => [tagMark(name), tagMark(name, value)]),
    ...dateMarks(text, entry.occurredAt),
    ...(namesTime(text) ? [timedMark] : []),
    ...(endsInQuestion(text) ? [questionMark] : []),
    ...topicsOfEntry(splitTerms(raw)).map(topicMark),
  ];
  return {
    raw,
    summary: indexTerms(entry.summary ?? ""),
    tags: indexTerms(tagText(entry.tags)),
    marks: [...new Set(marks)].join(" "),
  };
}

/** The terms of a stored field as a list. */
export function splitTerms(field: string): string[] {
  return field === "" ? [] : field.split(" ");
}

/**
 * Every different term and mark of an entry, sorted: what goes into the full-text index and what an entry adds to
 * the document frequencies of its memory. Made from the stored terms, so that deleting can name exactly what was added.
 */
export function distinctTerms(terms: EntryTerms): string[] {
  const all = [terms.raw, terms.summary, terms.tags, terms.marks].flatMap(splitTerms);
  return [...new Set(all)].sort();
}
