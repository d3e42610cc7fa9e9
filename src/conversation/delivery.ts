/**
 * One delivery, whatever goes out and wherever it is stored: an object's outbox, messages to chat platforms, webhooks, jobs of a queue.
 * It is due, is tried, waits longer after each failure, and is parked when the waits are used up: listed then, until somebody retries it.
 * Pure: the stores hold what waits, and ask here what a try came to.
 */
import { z } from "zod";

export const deliveryStatuses = ["pending", "delivered", "parked"] as const;

/** How a try ended. */
export type DeliveryOutcome =
  | { readonly kind: "delivered" }
  /** It didn't arrive; `afterMs`: when the receiver wants to be tried again, in milliseconds. */
  | { readonly kind: "failed"; readonly failure: string; readonly afterMs?: number | undefined }
  /** It may have arrived: its answer was lost. */
  | { readonly kind: "uncertain"; readonly failure: string }
  /** It will never work like this. */
  | { readonly kind: "refused"; readonly failure: string };

/** How long to wait after the first failure, the second, and so on, in milliseconds. The failure behind the last wait parks. */
export type Waits = readonly number[];

/** Waits that double from the first on, up to a longest, in milliseconds. @param tries how often it is tried in all */
export function doublingWaits(firstMs: number, longestMs: number, tries: number): Waits {
  return Array.from({ length: tries - 1 }, (_, failures) => Math.min(longestMs, firstMs * 2 ** failures));
}

/** The most that a receiver may have us wait, in milliseconds. */
const longestAskedMs = 86_400_000;

export type AfterTry =
  | { readonly status: "delivered" }
  | { readonly status: "pending"; readonly waitMs: number; readonly failure: string }
  | { readonly status: "parked"; readonly failure: string };

export interface RetryRules {
  readonly waits: Waits;
  /** Whether the receiver knows a repetition. Where it doesn't, what is uncertain is sent again by a person alone. */
  readonly knowsRepeats: boolean;
}

/**
 * What comes after a try.
 * @param attempts how many tries there were, with this one
 * @example
 * afterTry({ kind: "failed", failure: "503" }, 1, { waits: [5_000], knowsRepeats: true }); // pending, in 5 s
 * afterTry({ kind: "failed", failure: "503" }, 2, { waits: [5_000], knowsRepeats: true }); // parked
 * afterTry({ kind: "uncertain", failure: "no answer" }, 1, { waits: [5_000], knowsRepeats: false }); // parked
 */
export function afterTry(outcome: DeliveryOutcome, attempts: number, { waits, knowsRepeats }: RetryRules): AfterTry {
  if (outcome.kind === "delivered") return { status: "delivered" };
  const { kind, failure } = outcome;
  if (kind === "uncertain" && !knowsRepeats) return { status: "parked", failure: `${uncertain}: ${failure}` };
  const waitMs = kind === "refused" ? undefined : waits[attempts - 1];
  if (waitMs === undefined) return { status: "parked", failure };
  const askedMs = kind === "failed" ? outcome.afterMs : undefined;
  return { status: "pending", waitMs: Math.min(askedMs ?? waitMs, longestAskedMs), failure };
}

/** How a list says that a parked delivery may have arrived. */
const uncertain = "It is uncertain whether it arrived; look before you send it again";

/** What an object could not deliver, however often it tried, as operators see it. */
export const parkedDeliverySchema = z.object({
  /** Its number in the object's outbox. */
  deliveryId: z.int(),
  /** What it is about: one of the outbox's topics. */
  topic: z.string(),
  attempts: z.int(),
  /** Why the last try failed. */
  error: z.string(),
  parkedAt: z.iso.datetime(),
});
export type ParkedDelivery = z.infer<typeof parkedDeliverySchema>;
