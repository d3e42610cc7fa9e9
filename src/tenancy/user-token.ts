/** Tokens of end users: what one says, and until when it counts. Signed, never stored; a subject can be revoked. */
import { z } from "zod";
import { itemName, subjectSchema } from "../conversation/names.js";
import { lazily } from "../text/lazily.js";

/** The longest that a token may count, in seconds. */
const maxTokenSeconds = 3_600;

/** What a token is asked for with. */
export const newTokenSchema = z.strictObject({
  /** Addresses can't name `.` and `..`: nobody could revoke them. */
  subject: subjectSchema.refine((subject) => !/^\.{1,2}$/.test(subject), "no address can name this subject"),
  /** Only this session. */
  sessionId: z.string().min(1).max(100).optional(),
  /** Only these agents may be talked to. */
  agents: z.array(itemName).min(1).max(50).optional(),
  expiresInSeconds: z.int().min(1).max(maxTokenSeconds).default(maxTokenSeconds),
});
export type NewToken = z.infer<typeof newTokenSchema>;

/** What a token carries. Times are seconds since the epoch. */
export const tokenClaimsSchema = lazily(() =>
  z.object({
    tenantId: z.string(),
    subject: subjectSchema,
    sessionId: z.string().optional(),
    agents: z.array(itemName).optional(),
    /** The key that it was minted with: it goes when that key goes. */
    mintedBy: z.string(),
    issuedAt: z.int(),
    expiresAt: z.int(),
  }),
);
export type TokenClaims = z.infer<ReturnType<typeof tokenClaimsSchema>>;

/** @param now milliseconds since the epoch */
export function tokenClaims(
  { expiresInSeconds, ...request }: NewToken,
  minter: { readonly tenantId: string; readonly keyId: string },
  now: number,
): TokenClaims {
  const issuedAt = Math.floor(now / 1_000);
  return {
    ...request,
    tenantId: minter.tenantId,
    mintedBy: minter.keyId,
    issuedAt,
    expiresAt: issuedAt + expiresInSeconds,
  };
}

/**
 * Whether a token counts: it hasn't expired, and its subject wasn't revoked at or after the second it was issued in.
 * @param revokedAt milliseconds since the epoch; `undefined` for a subject that never was
 */
export function tokenCounts(claims: TokenClaims, now: number, revokedAt: number | undefined): boolean {
  if (claims.expiresAt * 1_000 <= now) return false;
  return revokedAt === undefined || claims.issuedAt > Math.floor(revokedAt / 1_000);
}
