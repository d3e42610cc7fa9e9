/** SHA-256 and constant-time comparison. */
import { hexOf } from "./bytes.js";

const encoder = new TextEncoder();

export async function sha256Hex(text: string): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

/** Whether two texts are equal, in a time that doesn't tell where they differ. */
export async function equalInConstantTime(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([a, b].map((text) => crypto.subtle.digest("SHA-256", encoder.encode(text))));
  return left !== undefined && right !== undefined && crypto.subtle.timingSafeEqual(left, right);
}

/** Whether two digests in hex are equal, in a time that doesn't tell where they differ; their length is no secret. */
export function equalDigests(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

/** HMAC-SHA256 of a text, in hex. */
export async function hmacSha256Hex(secret: string, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return hexOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))));
}
