/** Values on their way to and from an object: JSON text on the line, zod on arrival. */
import { z } from "zod";
import { issuesSchema } from "../conversation/issues.js";
import { type ProblemCode, problemCodes, type ReachedLimit, type Result } from "../conversation/problem.js";

/** JSON text of a T. */
export interface Wire<T> {
  readonly json: string;
  /** Never there; it only tells the compiler what the text holds. */
  readonly of?: T;
}

export function toWire<T>(value: T): Wire<T> {
  return { json: JSON.stringify(value) };
}

export function fromWire<T>(wire: Wire<T>, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(wire.json));
}

const refusalSchema = z.object({
  code: z.custom<ProblemCode>((code) => typeof code === "string" && Object.hasOwn(problemCodes, code)),
  detail: z.string(),
  userMessage: z.string().optional(),
  errors: issuesSchema.optional(),
  retryAfterSeconds: z.number().optional(),
  askId: z.string().optional(),
  sessionId: z.string().optional(),
  reached: z.custom<ReachedLimit>((limit) => typeof limit === "object" && limit !== null).optional(),
});

export function resultOf<T>(value: z.ZodType<T>): z.ZodType<Result<T>> {
  // Made with the first answer: an isolate reads few kinds of them.
  return z.lazy(() =>
    z.union([z.object({ ok: z.literal(true), value }), z.object({ ok: z.literal(false), problem: refusalSchema })]),
  );
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null when there is none. */
  readonly next: number | null;
}

export function pageSchema<T>(item: z.ZodType<T>): z.ZodType<Page<T>> {
  return z.object({ items: z.array(item), next: z.number().nullable() });
}

/** One row more than the limit was read, to know whether there is more. */
export function pageOfRows<Row extends { readonly seq: number }, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(item), next: rows.length > limit && last !== undefined ? last.seq : null };
}
