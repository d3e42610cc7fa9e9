/** Lists in pages, for every face alike. Cursors are opaque to callers; they only say where the next page begins. */
import { ok, type Result, refuse } from "../conversation/problem.js";

export interface PageRequest {
  /** Items of a page at most. */
  readonly limit: number;
  /** As the page before gave it; without one the list begins. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: T[];
  /** Null when there is no more. */
  readonly nextCursor: string | null;
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
): Promise<Result<Page<T>>> {
  const position = decodeCursor(cursor, order);
  if (!position.ok) return position;
  const rows = await read(position.value, limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return ok({ items, nextCursor: hasMore ? encodeCursor(positionOf(last), order) : null });
}

/** A page of a list that an object holds, whose positions are numbers. */
export async function readNumberedPage<T>(
  { limit, cursor }: PageRequest,
  read: (after: number, limit: number) => Promise<Result<{ items: readonly T[]; next: number | null }>>,
): Promise<Result<Page<T>>> {
  const position = decodeCursor(cursor);
  if (!position.ok) return position;
  const after = position.value ?? "0";
  if (!/^\d{1,15}$/.test(after)) return notACursor;
  const page = await read(Number(after), limit);
  if (!page.ok) return page;
  const { items, next } = page.value;
  return ok({ items: [...items], nextCursor: next === null ? null : encodeCursor(String(next)) });
}

const markOf = (order: string): string => `${order} after `.trimStart();

function encodeCursor(position: string, order = ""): string {
  return btoa(markOf(order) + position).replaceAll("=", "");
}

function decodeCursor(cursor: string | undefined, order = ""): Result<string | undefined> {
  if (cursor === undefined) return ok(undefined);
  const text = decodeBase64(cursor);
  const mark = markOf(order);
  return text.startsWith(mark) ? ok(text.slice(mark.length)) : notACursor;
}

/** Nothing when it isn't base64. */
function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

const notACursor = refuse("invalid", "The cursor is none that this list gave out. Begin without one.", {
  errors: [{ path: "cursor", message: "not a cursor of this list" }],
});
