/**
 * The items of a context document, each with what it rests on: entries, or a person. A deletion takes the items that rest on the
 * deleted entry and leaves the rest; what those items rested on besides has to be taken in again.
 */
import { z } from "zod";
import {
  type ContextHeading,
  contextHeadings,
  dropOrder,
  itemKey,
  maxContextCharacters,
  parseContext,
  renderContext,
} from "./context-document.js";

/** What an item rests on. Stored with each version of a context. */
export const itemOriginSchema = z.discriminatedUnion("by", [
  /** A person wrote it: no deletion of an entry takes it. */
  z.object({ by: z.literal("person") }),
  z.object({
    by: z.literal("entries"),
    entries: z.array(z.string()),
    /** And on any entry that versions up to this one took in: nobody said which. */
    upTo: z.int().optional(),
  }),
]);
export type ItemOrigin = z.infer<typeof itemOriginSchema>;

export const contextItemSchema = z.object({
  heading: z.enum(contextHeadings),
  text: z.string(),
  origin: itemOriginSchema,
});
export type ContextItem = Readonly<z.infer<typeof contextItemSchema>>;

/** Entries that a version had taken in and holds no longer, since an item that rested on them went. */
export const forgottenSchema = z.object({
  entries: z.array(z.string()),
  /** And all entries that versions up to this one took in … */
  upTo: z.int().optional(),
  /** … behind this one, by their numbers in the store: those before are taken in again. */
  after: z.int().optional(),
});
export type Forgotten = z.infer<typeof forgottenSchema>;

/** A version as far as its items go. */
export interface StoredItems {
  readonly version: number;
  readonly document: string;
  /** In the order of the document's items; another number of them means that nobody knows. */
  readonly origins: readonly ItemOrigin[];
}

/** Entries that an origin names one by one; beyond them, the version that took them in stands for all. */
const maxNamedEntries = 64;

/** The items of a version with their origins. One whose origins aren't known rests on all that was taken in so far. */
export function itemsOfVersion({ version, document, origins }: StoredItems): ContextItem[] {
  const items = itemsOfText(document);
  const known = items.length === origins.length;
  return items.map((item, at) => ({ ...item, origin: (known ? origins[at] : undefined) ?? unknownOrigin(version) }));
}

/** The items of any text, in the order of the headings. */
export function itemsOfText(text: string): { heading: ContextHeading; text: string }[] {
  const sections = parseContext(text);
  return contextHeadings.flatMap((heading) => (sections.get(heading) ?? []).map((item) => ({ heading, text: item })));
}

/** The document as it is stored, with its origins: in order, no item twice, and short enough. */
export function storeItems(items: readonly ContextItem[]): { document: string; origins: ItemOrigin[] } {
  const fitted = fitItems(mergeDuplicates(items));
  const inOrder = contextHeadings.flatMap((heading) => fitted.filter((item) => item.heading === heading));
  return { document: renderItems(inOrder), origins: inOrder.map(({ origin }) => origin) };
}

/** What a document that a person puts rests on: its lines that were there before on what they did, all others on the person. */
export function originsByHand(document: string, before: readonly ContextItem[]): ItemOrigin[] {
  const known = byKey(before);
  return itemsOfText(document).map(({ text }) => known.get(itemKey(text))?.origin ?? { by: "person" });
}

/** Whether an item rests on an entry that version `since` was the first to take in. */
function restsOn(origin: ItemOrigin, entryId: string, since: number): boolean {
  return origin.by === "entries" && (origin.entries.includes(entryId) || (origin.upTo ?? 0) >= since);
}

/**
 * Takes what rests on an entry out of a version.
 * @param repeats whether a text has words that only this entry has: then it goes too, whatever it is said to rest on
 * @returns `undefined` when nothing rests on it
 */
export function withoutEntry(
  version: StoredItems & { readonly forgotten: Forgotten },
  entry: { readonly entryId: string; readonly since: number; readonly repeats: (text: string) => boolean },
): { document: string; origins: ItemOrigin[]; forgotten: Forgotten } | undefined {
  const isRemoved = ({ origin, text }: ContextItem): boolean =>
    restsOn(origin, entry.entryId, entry.since) || (origin.by === "entries" && entry.repeats(text));
  const items = itemsOfVersion(version);
  const removed = items.filter(isRemoved);
  if (removed.length === 0) return undefined;
  const lostOrigin = removed.map(({ origin }) => origin).reduce(union);
  return {
    ...storeItems(items.filter((item) => !isRemoved(item))),
    forgotten: forget(version.forgotten, lostOrigin, entry.entryId),
  };
}

export function hasForgotten({ entries, upTo }: Forgotten): boolean {
  return entries.length > 0 || upTo !== undefined;
}

/** What is left to be taken in again after these entries were. */
export function takenIn(forgotten: Forgotten, entryIds: readonly string[]): Forgotten {
  return { ...forgotten, entries: forgotten.entries.filter((entryId) => !entryIds.includes(entryId)) };
}

/** What both rest on together. What is made of a person's words isn't the person's. */
export function union(one: ItemOrigin, other: ItemOrigin): ItemOrigin {
  const [oneEntries, otherEntries] = [one, other].map((origin) =>
    origin.by === "entries" ? origin : { entries: [], upTo: 0 },
  );
  const upTo = Math.max(oneEntries?.upTo ?? 0, otherEntries?.upTo ?? 0);
  const entries = [...new Set([...(oneEntries?.entries ?? []), ...(otherEntries?.entries ?? [])])];
  return { by: "entries", entries, ...(upTo === 0 ? {} : { upTo }) };
}

/**
 * An origin that names few entries: of many, those that were taken in before are covered by the version that was there.
 * @param version the version that a flush begins with
 * @param fresh the entries that the flush takes in
 */
export function compactOrigin(origin: ItemOrigin, version: number, fresh: readonly string[]): ItemOrigin {
  if (origin.by === "person" || origin.entries.length <= maxNamedEntries) return origin;
  const entries = origin.entries.filter((entryId) => fresh.includes(entryId));
  return union({ by: "entries", entries }, unknownOrigin(version));
}

/** Rests on whatever versions up to this one took in. */
export function unknownOrigin(version: number): ItemOrigin {
  return { by: "entries", entries: [], ...(version === 0 ? {} : { upTo: version }) };
}

export function byKey<Item extends { readonly text: string }>(items: readonly Item[]): Map<string, Item> {
  return new Map(items.map((item) => [itemKey(item.text), item]));
}

function forget(before: Forgotten, lostOrigin: ItemOrigin, entryId: string): Forgotten {
  const more = lostOrigin.by === "entries" ? lostOrigin : { entries: [], upTo: undefined };
  const entries = [...new Set([...before.entries, ...more.entries])].filter((id) => id !== entryId);
  if (more.upTo === undefined) return { ...before, entries };
  return { entries, upTo: Math.max(before.upTo ?? 0, more.upTo) };
}

/** Items that say the same are one: it rests on all that they rest on, or on the person who wrote one of them. */
function mergeDuplicates(items: readonly ContextItem[]): ContextItem[] {
  const merged = new Map<string, ContextItem>();
  for (const item of items) {
    const key = itemKey(item.text);
    if (key === "") continue;
    const duplicate = merged.get(key);
    if (duplicate === undefined) merged.set(key, item);
    else merged.set(key, { ...duplicate, origin: mergedOrigin(duplicate.origin, item.origin) });
  }
  return [...merged.values()];
}

function mergedOrigin(one: ItemOrigin, other: ItemOrigin): ItemOrigin {
  return one.by === "person" || other.by === "person" ? { by: "person" } : union(one, other);
}

/** Short enough: the least durable items are dropped first, the oldest of them first; a person's only when nothing else is left. */
function fitItems(items: readonly ContextItem[]): ContextItem[] {
  const kept = [...items];
  const excess = (): number => renderItems(kept).length - maxContextCharacters;
  for (const by of ["entries", "person"] as const) {
    for (const heading of dropOrder) {
      for (let over = excess(); over > 0; over = excess()) {
        const at = kept.findIndex((item) => item.heading === heading && item.origin.by === by);
        const oldest = kept[at];
        if (oldest === undefined) break;
        // One item alone may be the whole excess: it is cut rather than lost.
        if (oldest.text.length > over + 200) {
          kept[at] = { ...oldest, text: `${oldest.text.slice(0, oldest.text.length - over - 1).toWellFormed()}…` };
        } else kept.splice(at, 1);
      }
    }
  }
  return kept;
}

function renderItems(items: readonly ContextItem[]): string {
  return renderContext(
    Map.groupBy(items, ({ heading }) => heading),
    ({ text }) => text,
  );
}

/**
 * Two threads of a memory may flush at once: the second one merges what it wrote into what is there by then.
 * Merges three ways, item by item: what either side added is in, what either side dropped or rewrote is out. What a person wrote
 * meanwhile stays.
 * @param base what both began with
 * @param theirs what is stored by now
 * @param mine what was written meanwhile, from `base`
 */
export function mergeContexts(
  base: readonly ContextItem[],
  theirs: readonly ContextItem[],
  mine: readonly ContextItem[],
): ContextItem[] {
  return contextHeadings.flatMap((heading) => {
    const [before, stored, written] = [base, theirs, mine].map((items) =>
      items.filter((item) => item.heading === heading),
    );
    const [baseKeys, storedKeys, writtenKeys] = [before, stored, written].map(keysOf);
    const kept = (stored ?? []).filter(
      ({ text, origin }) => origin.by === "person" || writtenKeys?.has(itemKey(text)) || !baseKeys?.has(itemKey(text)),
    );
    const added = (written ?? []).filter(
      ({ text }) => !baseKeys?.has(itemKey(text)) && !storedKeys?.has(itemKey(text)),
    );
    return [...kept, ...added];
  });
}

function keysOf(items: readonly ContextItem[] = []): ReadonlySet<string> {
  return new Set(items.map(({ text }) => itemKey(text)));
}
