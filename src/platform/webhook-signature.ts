/** Signatures of outgoing requests as Standard Webhooks say, so that a receiver verifies them with any of its libraries. */
import { base64Of, fromBase64 } from "./bytes.js";

const encoder = new TextEncoder();
const secretPrefix = "whsec_";

export interface SignedHeaders {
  readonly "webhook-id": string;
  /** Seconds since the epoch. */
  readonly "webhook-timestamp": string;
  /** `v1,<base64>` for each secret, with a space between them. */
  readonly "webhook-signature": string;
}

/**
 * Signs a body.
 * @param id the same over all tries of one message, so that a receiver knows a repetition
 * @param secrets `whsec_<base64>`, or any other text, whose bytes are the key then; while a secret is exchanged both sign
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @example await signWebhook({ id: "msg_1", at: now(), body }, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
 */
export async function signWebhook(
  message: { readonly id: string /** Milliseconds since the epoch. */; readonly at: number; readonly body: string },
  secrets: readonly string[],
): Promise<SignedHeaders> {
  const timestamp = String(Math.floor(message.at / 1_000));
  const content = encoder.encode(`${message.id}.${timestamp}.${message.body}`);
  const signatures = await Promise.all(secrets.map(async (secret) => `v1,${await hmacBase64(secret, content)}`));
  return { "webhook-id": message.id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

/** How far a signed time may lie from ours, in milliseconds: what is older may be a replay. */
const replayWindowMs = 300_000;

/**
 * Whether a request that came in is signed with one of these secrets, and new enough.
 * @param headers as they came; names in lower case
 */
export async function verifyWebhook(
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  secrets: readonly string[],
  now: number,
): Promise<boolean> {
  const { "webhook-id": id, "webhook-timestamp": timestamp = "", "webhook-signature": presented = "" } = headers;
  const at = Number(timestamp) * 1_000;
  if (id === undefined || !/^\d{1,12}$/.test(timestamp) || Math.abs(now - at) > replayWindowMs) return false;
  const content = encoder.encode(`${id}.${timestamp}.${body}`);
  const signatures = presented
    .split(" ")
    .slice(0, 10)
    .flatMap((part) => (part.startsWith("v1,") ? (fromBase64(part.slice(3)) ?? []) : []));
  for (const secret of secrets) {
    const key = await importKey(secret, "verify");
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, content)) return true;
    }
  }
  return false;
}

/** A new secret, `whsec_<base64 of 32 bytes>`. */
export function newWebhookSecret(): string {
  return secretPrefix + base64Of(crypto.getRandomValues(new Uint8Array(32)));
}

async function hmacBase64(secret: string, content: BufferSource): Promise<string> {
  return base64Of(new Uint8Array(await crypto.subtle.sign("HMAC", await importKey(secret, "sign"), content)));
}

function importKey(secret: string, use: "sign" | "verify"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", keyBytes(secret), { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

function keyBytes(secret: string): BufferSource {
  const encoded = secret.startsWith(secretPrefix) ? fromBase64(secret.slice(secretPrefix.length)) : undefined;
  return encoded ?? encoder.encode(secret);
}
