/** Lists in pages, for every face alike. Cursors are opaque to callers; they only say where the next page begins. */
import { z } from "zod";
import { type ProblemError, problem } from "../conversation/problem.js";
import { lazily } from "../text/lazily.js";

export interface PageRequest {
  /** Items of a page at most. */
  readonly limit: number;
  /** As the page before gave it; without one the list begins. */
  readonly cursor?: string | undefined;
}

/** The same as a face parses it: fields of an act's input. */
export const pageInput = lazily(() => ({
  limit: z.coerce.number<string>().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
}));

export interface Page<T> {
  readonly items: T[];
  /** Null when there is no more. */
  readonly nextCursor: string | null;
}

/** Of parameters that filter by metadata: `metadata.channel` is the entry `channel`. */
export const metadataPrefix = "metadata.";

/** Filters by metadata as a field `metadata` of an act's input: `metadata.channel=web` in the query is `{ channel: "web" }`. */
export const metadataInput = lazily(() => z.record(z.string(), z.string()).default({}));

/** The filters by metadata among other parameters. */
export function metadataFilter<T>(rest: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) =>
      name.startsWith(metadataPrefix) ? [[name.slice(metadataPrefix.length), value]] : [],
    ),
  );
}

export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/**
 * Reads a page of a list.
 * @param order of a list that has several: a cursor goes with the one it was given out for
 * @param read rows behind a position, as many as the limit; one row more than the page holds is read, to know whether there is more
 * @param positionOf the position of a row in its list
 */
export async function readPage<T>(
  { limit, cursor }: PageRequest,
  read: (position: string | undefined, limit: number) => Promise<readonly T[]>,
  positionOf: (row: T) => string,
  order = "",
): Promise<Page<T>> {
  const rows = await read(decodeCursor(cursor, order), limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? encodeCursor(positionOf(last), order) : null };
}

/** A page of a list that an object holds, whose positions are numbers. */
export async function readNumberedPage<T>(
  { limit, cursor }: PageRequest,
  read: (after: number, limit: number) => Promise<{ items: readonly T[]; next: number | null }>,
): Promise<Page<T>> {
  const after = decodeCursor(cursor) ?? "0";
  if (!/^\d{1,15}$/.test(after)) throw notACursor();
  const { items, next } = await read(Number(after), limit);
  return { items: [...items], nextCursor: next === null ? null : encodeCursor(String(next)) };
}

const markOf = (order: string): string => `${order} after `.trimStart();

function encodeCursor(position: string, order = ""): string {
  return btoa(markOf(order) + position).replaceAll("=", "");
}

function decodeCursor(cursor: string | undefined, order = ""): string | undefined {
  if (cursor === undefined) return undefined;
  const text = decodeBase64(cursor);
  const mark = markOf(order);
  if (text.startsWith(mark)) return text.slice(mark.length);
  throw notACursor();
}

/** Nothing when it isn't base64. */
function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

export function notACursor(): ProblemError {
  return problem("invalid", "The cursor is none that this list gave out. Begin without one.", {
    errors: [{ path: "cursor", message: "not a cursor of this list" }],
  });
}
