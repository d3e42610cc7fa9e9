/**
 * Citations: how a model says what each item of its context rests on. In the prompt the entries have numbers (`[3]`) and the items
 * of the context before have theirs (`[c2]`), as do messages that were taken in earlier (`[e1]`); an item of the new document ends with
 * those that it comes from: `[from c2, 3]`.
 */
import { itemKey } from "./context-document.js";
import {
  byKey,
  type ContextItem,
  compactOrigin,
  type ItemOrigin,
  itemsOfText,
  union,
  unknownOrigin,
} from "./context-items.js";

/** What a model has to know, whatever rules a tenant puts in the place of ours. */
export const citationNotice = [
  "CITATIONS: The items of the previous context are numbered [c1], [c2] …, the entries of the session [1], [2] …, earlier messages [e1], [e2] ….",
  "End every item of the new document with the numbers of all that it says something of: `- Lives in Lyon. [from c2, 4]`.",
  "An item that stays as it is keeps its own number: `[from c2]`. Numbers stand nowhere else.",
  "Items marked as a person's were written by hand: repeat them word for word; what contradicts them is an item of its own.",
].join(" ");

const citation = /\[from ((?:[ce]?\d{1,4})(?:\s*,\s*[ce]?\d{1,4})*)\]$/;

/** A document without what it cites: as it is stored, and as its length counts. */
export function withoutCitations(document: string): string {
  return document
    .split("\n")
    .map((line) => splitCitation(line).text)
    .join("\n");
}

/** A line or an item, and the labels that it ends with. */
function splitCitation(line: string): { readonly text: string; readonly labels: readonly string[] } {
  const found = citation.exec(line.trimEnd());
  if (found === null) return { text: line, labels: [] };
  return { text: line.slice(0, found.index).trimEnd(), labels: (found[1] ?? "").split(",") };
}

/** The context before as a prompt shows it, item by item with its number. */
export function numberedItems(items: readonly ContextItem[]): string {
  let heading = "";
  const lines = items.flatMap((item, at) => {
    const mark = item.origin.by === "person" ? `[c${at + 1}, a person's]` : `[c${at + 1}]`;
    const line = `- ${item.text} ${mark}`;
    if (item.heading === heading) return [line];
    heading = item.heading;
    return [`## ${heading}`, line];
  });
  return lines.join("\n");
}

/**
 * The items of a document that a model wrote, with what they rest on. An item that cites nothing rests on what it did before, or, if it
 * is new, on everything that the model had before it. What a person wrote stays, whatever the model made of it.
 * @param version the version that the model had before it, with its items
 * @param entryIds the entries that it had before it, in their order
 * @param earlierIds the earlier messages that it was shown beside them, in their order; earlier versions took them in
 */
export function citedItems(
  document: string,
  { version, items: before }: { readonly version: number; readonly items: readonly ContextItem[] },
  entryIds: readonly string[],
  earlierIds: readonly string[] = [],
): ContextItem[] {
  const known = byKey(before);
  const everything: ItemOrigin = union({ by: "entries", entries: [...entryIds] }, unknownOrigin(version));
  const items = itemsOfText(document).map(({ heading, text: marked }): ContextItem => {
    const { text, labels } = splitCitation(marked);
    const own = known.get(itemKey(text))?.origin;
    if (own?.by === "person") return { heading, text, origin: own };
    const cited = labels.flatMap((label): ItemOrigin[] => {
      const number = Number(label.replace(/\D/g, ""));
      if (label.trim().startsWith("c")) return before.slice(number - 1, number).map(({ origin }) => origin);
      const labelled = label.trim().startsWith("e") ? earlierIds : entryIds;
      return labelled.slice(number - 1, number).map((entryId) => ({ by: "entries", entries: [entryId] }));
    });
    const origins = own === undefined ? cited : [...cited, own];
    const origin = (origins.length === 0 ? [everything] : origins).reduce(union, unknownOrigin(0));
    return { heading, text, origin: compactOrigin(origin, version, entryIds) };
  });
  const written = byKey(items);
  const byHand = before.filter(({ origin, text }) => origin.by === "person" && !written.has(itemKey(text)));
  return [...byHand, ...items];
}
