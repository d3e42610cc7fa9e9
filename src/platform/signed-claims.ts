/** Claims that another house has signed (a JWT under RS256, RFC 7519), by WebCrypto alone. */
import { readJson } from "../text/json.js";
import { fromBase64Url } from "./bytes.js";

const form = /^([\w-]{1,2000})\.([\w-]{1,12000})\.([\w-]{1,2000})$/;
const decoder = new TextDecoder();
const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

/** A key as its house publishes it. */
export interface PublishedKey {
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

export interface SignedClaims {
  /** What it says; whether that counts is `isSigned`'s to say. */
  readonly claims: unknown;
  /** Which of the house's keys signed it, as it says. */
  readonly kid: string;
  /** Whether one of these keys signed it. No other algorithm than RS256 counts, whatever the token says. */
  readonly isSigned: (keys: readonly PublishedKey[]) => Promise<boolean>;
}

/** @returns nothing where it isn't of the form */
export function readSignedClaims(token: string): SignedClaims | undefined {
  const [, head = "", body = "", signature = ""] = form.exec(token) ?? [];
  const [header, claims, signed] = [partOf(head), partOf(body), fromBase64Url(signature)];
  if (header === undefined || claims === undefined || signed === undefined) return undefined;
  const { alg, kid } = Object(header);
  return {
    claims,
    kid: String(kid),
    isSigned: async (keys) => {
      const key = alg === "RS256" ? keys.find((one) => one.kid === kid) : undefined;
      if (key === undefined) return false;
      const jwk = { kty: "RSA", n: key.n, e: key.e };
      const imported = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]).catch(() => undefined);
      const said = new TextEncoder().encode(`${head}.${body}`);
      return imported !== undefined && crypto.subtle.verify(algorithm, imported, signed, said);
    },
  };
}

function partOf(part: string): unknown {
  const bytes = fromBase64Url(part);
  return bytes === undefined ? undefined : readJson(decoder.decode(bytes)).value;
}
