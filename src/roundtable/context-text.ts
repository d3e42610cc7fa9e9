/** What seats read of context requests: each with its question, its reason, what came of it and the source, within the room of a prompt. */
import { dataBlock } from "../conversation/data-block.js";
import { defined } from "../conversation/defined.js";
import { shorten } from "../text/passages.js";
import { type ContextRequest, labelOf } from "./context-request.js";

/** A request as seats read it. */
export interface ContextItem {
  /** What it is cited by; absent of what can't be cited. */
  readonly label?: string | undefined;
  readonly query: string;
  readonly reason: string;
  /** Of what has no answer: how it stands. */
  readonly status?: string | undefined;
  readonly source?: string | undefined;
  /** The answer, or why there is none. */
  readonly text: string;
}

export function contextItem(request: ContextRequest): ContextItem {
  const { query, askers, status, source } = request;
  return {
    ...(status === "answered" ? { label: labelOf(request) } : { status }),
    query,
    reason: [...new Set(askers.map(({ reason }) => reason))].join("; "),
    ...defined({ source }),
    text: answerText(request),
  };
}

function answerText({ status, result, error }: ContextRequest): string {
  switch (status) {
    case "answered":
      return result ?? "";
    case "unavailable":
      return `This could not be had: ${error ?? "no reason was given"}`;
    case "open":
      return "Not answered yet.";
    case "expired":
      return "Nobody answered in time.";
    case "withdrawn":
    case "skipped":
      return "The debate went on without an answer.";
  }
}

/** Least room for a request, in characters; where there is less, the oldest are left out. */
const leastRoom = 300;
const longest = { query: 1_000, reason: 300, source: 300 } as const;

/**
 * The requests of a debate as data, oldest first. Where the room is too small, the longest answers are cut first, and the newest requests
 * stay.
 * @param room in characters, escapes counted: what is returned never has more.
 */
export function renderContext(items: readonly ContextItem[], room: number): string {
  const blocks = contextBlocks(items, room);
  if (blocks.length === 0) return "";
  return [...(blocks.length === items.length ? [] : [missingNote]), ...blocks].join(separator);
}

/** The same in blocks: of all items, or of the last of them. Where all fit as they are, none depends on how many there are. */
export function contextBlocks(items: readonly ContextItem[], room: number): string[] {
  const whole = items.map((item) => contextBlock(item, item.text, Number.POSITIVE_INFINITY));
  if (whole.reduce((sum, block) => sum + block.length + separator.length, 0) <= room) return whole;
  const count = Math.min(items.length, Math.floor((room - missingNote.length) / leastRoom));
  if (count <= 0) return [];
  const share = Math.floor((room - missingNote.length) / count);
  const kept = items.slice(items.length - count);
  const frames = kept.map((item) => contextBlock(item, "", share).length + separator.length);
  const left = room - missingNote.length - frames.reduce((sum, length) => sum + length, 0);
  const texts = fitTexts(
    kept.map(({ text }) => text),
    left,
  );
  return kept.map((item, index) => contextBlock(item, texts[index] ?? "", share));
}

const separator = "\n\n";
const missingNote = "(Earlier requests are left out here.)";

/** @param room for all of it but the text, in characters. */
function contextBlock({ label, query, reason, status, source }: ContextItem, text: string, room: number): string {
  // Escaping makes six characters of one at most.
  const short = (value: string, most: number, part: number) =>
    shorten(value, Math.max(10, Math.min(most, Math.floor((room * part) / 6))));
  return dataBlock(
    "context",
    {
      ...defined({ id: label }),
      question: short(query, longest.query, 0.5),
      reason: short(reason, longest.reason, 0.2),
      ...defined({ status }),
      ...(source === undefined ? {} : { source: short(source, longest.source, 0.2) }),
    },
    text,
  );
}

/** The texts within so much room together: the longest are cut until all fit. Characters that data blocks escape count as what they become. */
export function fitTexts(texts: readonly string[], room: number): string[] {
  const lengths = texts.map(escapedLength);
  // The most that one text may have: what short ones leave goes to the long ones.
  let most = 0;
  let left = Math.max(0, room);
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    most = Math.floor(left / (ascending.length - index));
    if (length > most) break;
    left -= length;
    most = length;
  }
  return texts.map((text, index) => ((lengths[index] ?? 0) <= most ? text : cutTo(text, most)));
}

const cutMark = " […]";

function cutTo(text: string, room: number): string {
  if (room < cutMark.length) return "";
  let length = cutMark.length;
  let end = 0;
  for (; end < text.length; end++) {
    length += escapedLengths.get(text[end] ?? "") ?? 1;
    if (length > room) break;
  }
  return `${text.slice(0, end).toWellFormed().trimEnd()}${cutMark}`;
}

/** What characters become in a data block. */
const escapedLengths: ReadonlyMap<string, number> = new Map([
  ["&", "&amp;".length],
  ["<", "&lt;".length],
  [">", "&gt;".length],
]);

function escapedLength(text: string): number {
  let length = text.length;
  for (const [character] of text.matchAll(/[&<>]/g)) length += (escapedLengths.get(character) ?? 1) - 1;
  return length;
}

/** The first of the texts that fit together. @param room in characters */
export function firstWithin(texts: readonly string[], room: number): string[] {
  let left = room;
  const end = texts.findIndex((text) => {
    left -= text.length;
    return left < 0;
  });
  return end < 0 ? [...texts] : texts.slice(0, end);
}

/** The last of the texts that fit together, in their order. */
export function lastWithin(texts: readonly string[], room: number): string[] {
  return firstWithin(texts.toReversed(), room).toReversed();
}
