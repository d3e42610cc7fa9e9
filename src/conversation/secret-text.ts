/** Secrets in what a tenant stores: written, sealed, and never read back. */
import { z } from "zod";

/** What is shown in place of a secret, which is written and never read back. */
export const hiddenSecret = "[hidden]";

/** A secret as a caller gives it: never what was shown in its place. */
export function secretText(minLength: number, maxLength: number) {
  return z
    .string()
    .min(minLength)
    .max(maxLength)
    .refine(
      (secret) => secret !== hiddenSecret,
      "give the secret itself: what GET shows in its place stands for it only where its address stays the same",
    );
}

/** What signs requests: `whsec_<base64>`, or any other text, whose bytes are the key then. */
export const signingSecret = secretText(1, 500).refine(
  (secret) => !secret.startsWith("whsec_") || /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret),
  "after whsec_ comes base64",
);

/** Headers of a tenant's own endpoints: any of them may be a credential. */
export const secretHeaders = z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), secretText(0, 4_000)).default({});
