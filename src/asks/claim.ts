/** Claims: somebody of the staff is at an ask, and for a while nobody else of them decides it by accident. The object that owns the ask keeps it. */
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
