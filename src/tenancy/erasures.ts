/** The ledger of erasures: what was deleted or erased for good, by its ids, and what of it has to be done again after something was put back. */
import { z } from "zod";

const kinds = [
  "tenant",
  "vault",
  "memory",
  "thread",
  "entry",
  "session",
  "message",
  "run",
  "roundtable",
  "subject",
  "key",
  "person",
  "grant",
] as const;

export const erasureSchema = z.object({
  kind: z.enum(kinds),
  /** The object or the memory that held it. */
  rootId: z.string(),
  /** What of it; empty for all of it. */
  itemId: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type Erasure = Readonly<z.infer<typeof erasureSchema>>;

/** Clocks of objects, the database and the platform's log of changes differ by less, in milliseconds. */
const clockMarginMs = 60_000;

/** From when on the ledger has what may not be erased in a state of that time. @param since milliseconds since the epoch */
export function ledgerSince(since: number): number {
  return since - clockMarginMs;
}

/**
 * What has to be erased again in what was put back: everything erased since then, each once, the oldest first. What the state of then
 * lacks already is erased once more, which changes nothing.
 * @param since to when it was put back, in milliseconds since the epoch; without it everything counts
 * @example erasuresSince(ledger, Date.parse("2026-11-24T10:00:00Z"))
 */
export function erasuresSince(ledger: readonly Erasure[], since: number | undefined): Erasure[] {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : ledgerSince(since);
  const byThing = new Map<string, Erasure>();
  for (const erasure of ledger.toSorted((a, b) => a.at - b.at)) {
    if (erasure.at >= from) byThing.set(`${erasure.kind} ${erasure.rootId} ${erasure.itemId}`, erasure);
  }
  return [...byThing.values()].toSorted((a, b) => a.at - b.at);
}
