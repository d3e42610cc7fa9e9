/** Secrets in what a tenant stores: written, sealed, and never read back; or named, where they are stored by themselves. */
import { z } from "zod";

/** What is shown in place of a secret, which is written and never read back. */
export const hiddenSecret = "[hidden]";

/** Stands where a secret was in what was copied elsewhere: what is called with it refuses. */
export const notCarried = "not carried by the import: store it again";

export const secretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "a secret is named as variables are: letters, digits and underscores");

/** In place of a secret its name, as callers write and read it. */
export interface SecretReference {
  readonly $secret: string;
}

/**
 * A reference where the secret itself could stand: a text that every form of secret takes, so that it is stored, compared and copied as one.
 * It ends with the name, and is no secret: sealing leaves it as it is.
 */
const referenceMark = "conclave_secret_reference_";

export function referenceTo(name: string): string {
  return referenceMark + name;
}

/** The name of the secret that a text stands for. */
export function referredSecret(text: string): string | undefined {
  return text.startsWith(referenceMark) ? text.slice(referenceMark.length) : undefined;
}

/** As a GET shows what stands where a secret does. */
export function shownSecret(text: string): string | SecretReference {
  const name = referredSecret(text);
  return name === undefined ? hiddenSecret : { $secret: name };
}

function readReference(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || !("$secret" in sent) || Object.keys(sent).length > 1) return sent;
  const { data } = secretName.safeParse(sent.$secret);
  return data === undefined ? sent : referenceTo(data);
}

/** A secret as a caller gives it: never what was shown in its place. */
export function secretText(minLength: number, maxLength: number) {
  return z
    .preprocess(
      readReference,
      z
        .string({ error: 'it is a text, or {"$secret": "NAME"} of a secret that is stored' })
        .min(minLength)
        .max(maxLength)
        .refine(
          (secret) => secret !== hiddenSecret,
          "give the secret itself: what GET shows in its place stands for it only where its address stays the same",
        ),
    )
    .meta({
      type: ["string", "object"],
      minLength,
      maxLength,
      description: 'The secret, or `{"$secret": "NAME"}` of one that is stored under /v1/secrets.',
      properties: { $secret: { type: "string" } },
      required: ["$secret"],
      additionalProperties: false,
    });
}

/** What signs requests: `whsec_<base64>`, or any other text, whose bytes are the key then. */
export const signingSecret = secretText(1, 500).refine(
  (secret) => !secret.startsWith("whsec_") || /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret),
  "after whsec_ comes base64",
);

/** Headers of a tenant's own endpoints: any of them may be a credential. */
export const secretHeaders = z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), secretText(0, 4_000)).default({});
