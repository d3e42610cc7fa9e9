/**
 * Passkeys, as WebAuthn level 3 has them, by WebCrypto alone: the browser hands the key over as SPKI, and nothing is asked about the device that
 * made it (attestation `none`), so that no CBOR is read here. https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion
 */
import { readJson } from "../text/json.js";
import { fromBase64Url } from "./bytes.js";

/** Whose answer counts: the page's origin, its host, and the challenge that it was given. */
export interface Expected {
  readonly origin: string;
  readonly host: string;
  readonly challenge: string;
}

const seenFlags = { present: 0x01, verified: 0x04 } as const;
const decoder = new TextDecoder();

/** @returns the device's count of signatures; nothing where the answer isn't what was asked for */
export async function readAuthenticatorData(
  type: "webauthn.create" | "webauthn.get",
  sent: { readonly clientDataJSON: string; readonly authenticatorData: string },
  expected: Expected,
): Promise<number | undefined> {
  const [client, data] = [fromBase64Url(sent.clientDataJSON), fromBase64Url(sent.authenticatorData)];
  if (client === undefined || data === undefined || data.byteLength < 37) return undefined;
  const said = new Map(Object.entries(readJson(decoder.decode(client)).value ?? {}));
  const challenge = fromBase64Url(String(said.get("challenge")));
  const isAsked =
    said.get("type") === type &&
    said.get("origin") === expected.origin &&
    said.get("crossOrigin") !== true &&
    challenge !== undefined &&
    decoder.decode(challenge) === expected.challenge;
  const host = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(expected.host)));
  const isHost = crypto.subtle.timingSafeEqual(data.slice(0, 32), host);
  const view = new DataView(data.buffer);
  const isPerson = (view.getUint8(32) & seenFlags.present) !== 0 && (view.getUint8(32) & seenFlags.verified) !== 0;
  return isAsked && isHost && isPerson ? view.getUint32(33) : undefined;
}

/** The key of a new passkey, of kind ES256 (-7, as COSE numbers it) or RS256 (-257): every platform makes one of them. Nothing where it is of a kind that isn't taken, or none at all. */
export async function readPasskey(publicKey: string, algorithm: number): Promise<CryptoKey | undefined> {
  const bytes = fromBase64Url(publicKey);
  if (bytes === undefined) return undefined;
  const kind =
    algorithm === -7
      ? { name: "ECDSA", namedCurve: "P-256" }
      : algorithm === -257
        ? { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
        : undefined;
  if (kind === undefined) return undefined;
  return crypto.subtle.importKey("spki", bytes, kind, false, ["verify"]).catch(() => undefined);
}

/** Whether the passkey signed what it was asked to. */
export async function isSignedBy(
  passkey: { readonly publicKey: string; readonly algorithm: number },
  sent: { readonly clientDataJSON: string; readonly authenticatorData: string; readonly signature: string },
): Promise<boolean> {
  const key = await readPasskey(passkey.publicKey, passkey.algorithm);
  const [client, data, signature] = [sent.clientDataJSON, sent.authenticatorData, sent.signature].map(fromBase64Url);
  if (key === undefined || client === undefined || data === undefined || signature === undefined) return false;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", client));
  const signed = new Uint8Array([...data, ...digest]);
  if (passkey.algorithm === -257) return crypto.subtle.verify("RSASSA-PKCS1-v1_5", key, signature, signed);
  const raw = rawSignature(signature);
  return raw !== undefined && crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, raw, signed);
}

/** An ECDSA signature is sent as DER (two integers); WebCrypto takes the two, 32 bytes each. */
function rawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (der[0] !== 0x30 || der[1] !== der.byteLength - 2) return undefined;
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    const value = der.slice(at + 2, at + 2 + length);
    const significant = value.slice(Math.max(0, value.byteLength - 32));
    if (der[at] !== 0x02 || value.byteLength !== length || length > 33) return undefined;
    raw.set(significant, end - significant.byteLength);
    at += 2 + length;
  }
  return at === der.byteLength ? raw : undefined;
}
