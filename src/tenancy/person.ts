/** People who sign in to the console: who they are, what they may, and how long what lets them in counts. */
import { z } from "zod";
import { personRoles } from "../conversation/actor-record.js";

export type PersonRole = (typeof personRoles)[number];

const hour = 3_600_000;
/** How long a link counts, in milliseconds. */
export const invitationMs = 72 * hour;
/** How long somebody stays signed in who does nothing, and at most, in milliseconds. */
export const idleSessionMs = 12 * hour;
export const longestSessionMs = 7 * 24 * hour;
/** How long a question to a passkey may take, in milliseconds. */
export const challengeMs = 300_000;

/** How somebody signed in. */
export const signInMethods = ["link", "passkey", "access"] as const;
export type SignInMethod = (typeof signInMethods)[number];

const name = z.string().trim().min(1).max(200);
/** Compared in lower case. */
const email = z
  .string()
  .trim()
  .max(254)
  .toLowerCase()
  .pipe(z.email({ pattern: /^[^\s@]{1,64}@[^\s@]{1,190}$/ }));

export const newPersonSchema = z.strictObject({ name, email, role: z.enum(personRoles) });
export type NewPerson = z.infer<typeof newPersonSchema>;

export const personChangeSchema = z.strictObject({
  name: name.optional(),
  role: z.enum(personRoles).optional(),
  /** Somebody suspended is signed out, and can't sign in. */
  status: z.enum(["active", "suspended"]).optional(),
});
export type PersonChange = z.infer<typeof personChangeSchema>;

export const personStatuses = ["invited", "active", "suspended"] as const;

export const personSchema = z.object({
  personId: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.enum(personRoles),
  status: z.enum(personStatuses),
  createdAt: z.iso.datetime(),
  /** To five minutes. */
  lastSeenAt: z.iso.datetime().optional(),
});
export type Person = z.infer<typeof personSchema>;

/** A link as it is given out, once. */
export const invitationSchema = z.object({
  personId: z.string(),
  /** Signs its holder in at the console, once. What stands behind `#` no server is sent until the button there is pressed. */
  link: z.string(),
  expiresAt: z.iso.datetime(),
});
export type Invitation = z.infer<typeof invitationSchema>;

export const passkeySchema = z.object({
  credentialId: z.string(),
  label: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
});

/** Whether a session still counts. All in milliseconds since the epoch. */
export function sessionCounts(
  session: { readonly lastSeenAt: number; readonly expiresAt: number },
  now: number,
): boolean {
  return now < session.expiresAt && now < session.lastSeenAt + idleSessionMs;
}

/** Whether a link can still be used, or why not. */
export function invitationState(
  invitation: { readonly usedAt: number | undefined; readonly expiresAt: number; readonly suspended: boolean },
  now: number,
): "usable" | "used" | "expired" | "suspended" {
  if (invitation.usedAt !== undefined) return "used";
  if (invitation.expiresAt <= now) return "expired";
  return invitation.suspended ? "suspended" : "usable";
}
