/**
 * Claims: somebody of the staff is at an ask, and for a while nobody else of them decides it by accident. Deferrals: somebody has put it off, and until
 * then the inbox doesn't show it. The object that owns the ask keeps both.
 */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema, recordOf } from "../conversation/actor-record.js";

/** How long a claim holds, in milliseconds, from when it was made or renewed last. */
export const claimMs = 600_000;

export const claimSchema = z.object({
  by: actorRecordSchema,
  /** Until when it holds, if it isn't renewed. */
  until: z.iso.datetime(),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;

export interface Claimable {
  readonly claim?: Claim | undefined;
}

/** For how long an ask is put off at most, in milliseconds. */
export const longestDeferralMs = 30 * 86_400_000;

/**
 * What is done about an open ask without answering it. By the staff: `until` puts it off (ISO 8601), or, if there is none, brings it back. By
 * the user whom it is for: they declined, and it stays open.
 */
export type Holding = "claim" | "release" | "decline" | { readonly until: string | undefined };

export interface Claimant {
  readonly by: ActorRecord;
  /** Acts as staff. A claim keeps nobody away whom the question is for. */
  readonly asStaff: boolean;
  /** Although somebody else is at it. */
  readonly takeOver?: boolean | undefined;
}

/** The claim that holds now. */
export function claimOf({ claim }: Claimable, now: number): Claim | undefined {
  return claim !== undefined && Date.parse(claim.until) > now ? claim : undefined;
}

/** Another's claim that holds now: until they take it over, whoever acts as staff neither answers nor cancels. */
export function claimOfAnother(
  ask: Claimable,
  { by, asStaff }: Omit<Claimant, "takeOver">,
  now: number,
): Claim | undefined {
  const claim = asStaff ? claimOf(ask, now) : undefined;
  return claim === undefined || (claim.by.kind === by.kind && claim.by.id === by.id) ? undefined : claim;
}

/** The deferral that holds now. */
export function deferralOf({ deferred }: { readonly deferred?: Claim | undefined }, now: number): Claim | undefined {
  return claimOf({ claim: deferred }, now);
}

/** What is wrong with a time to which an ask is put off; nothing if it is right. @param until ISO 8601 */
export function deferralFault({ deadline }: { readonly deadline?: string | undefined }, until: string, now: number) {
  const at = Date.parse(until);
  if (at <= now) return "is in the future";
  if (at > now + longestDeferralMs) return "is at most 30 days away";
  return deadline !== undefined && at >= Date.parse(deadline) ? `is before the deadline, ${deadline}` : undefined;
}

export type ClaimOutcome =
  /** Claimed, or renewed; `takenFrom` where it was somebody else's. */
  | { readonly kind: "claimed"; readonly claim: Claim; readonly takenFrom?: Claim | undefined }
  | { readonly kind: "claimed_by_another"; readonly claim: Claim };

/**
 * Decides what claiming does: who holds it renews it, anybody else gets it once it has run out, or by taking over.
 * @example claim({}, { by: { kind: "person", id: "per_1" }, asStaff: true }, now) // { kind: "claimed", claim: { by, until } }
 */
export function claim(ask: Claimable, claimant: Claimant, now: number): ClaimOutcome {
  const takenFrom = claimOfAnother(ask, claimant, now);
  if (takenFrom !== undefined && claimant.takeOver !== true) return { kind: "claimed_by_another", claim: takenFrom };
  const made = { by: recordOf(claimant.by), until: new Date(now + claimMs).toISOString() };
  return { kind: "claimed", claim: made, ...(takenFrom && { takenFrom }) };
}
