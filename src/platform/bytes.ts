/** Bytes as texts, and the keys that are derived from the deployment's own secret. */

const encoder = new TextEncoder();
/** Each byte in hex: every message takes several digests. */
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += hexOfByte[byte] ?? "";
  return hex;
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** With `-` and `_`, and without padding. */
export function base64Url(bytes: Uint8Array): string {
  return base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of base64; `undefined` where it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

const algorithms = { HMAC: { name: "HMAC", hash: "SHA-256" }, "AES-GCM": { name: "AES-GCM" } };

/** A key for one purpose. */
export async function derivedKey(
  masterSecret: string,
  purpose: "sealing" | "signing" | "tokens" | "checkpoints",
  algorithm: keyof typeof algorithms,
): Promise<CryptoKey> {
  const bytes = await crypto.subtle.digest("SHA-256", encoder.encode(`conclave ${purpose} ${masterSecret}`));
  const usages = algorithm === "HMAC" ? ["sign", "verify"] : ["encrypt", "decrypt"];
  return crypto.subtle.importKey("raw", bytes, algorithms[algorithm], false, usages);
}
