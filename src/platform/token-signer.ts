/** Signs and reads the tokens of end users: `cnt_<claims>.<signature>`, under a key derived from the deployment's own secret. */

import { type TokenClaims, tokenClaimsSchema } from "../tenancy/user-token.js";
import { readJson } from "../text/json.js";

const tokenPattern = /^cnt_([A-Za-z0-9_-]{1,4000})\.([A-Za-z0-9_-]{43})$/;
const encoder = new TextEncoder();

export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
  /** What a token says; `undefined` when it is none, or wasn't signed here. Whether it counts is another question. */
  read(token: string): Promise<TokenClaims | undefined>;
}

/** Whether this looks like a token, and not like a key. */
export function isToken(presented: string): boolean {
  return presented.startsWith("cnt_");
}

export function createTokenSigner(masterSecret: string): TokenSigner {
  // Made when it is needed: most callers present a key.
  let made: Promise<CryptoKey> | undefined;
  const makeKey = async (): Promise<CryptoKey> => {
    const bytes = await crypto.subtle.digest("SHA-256", encoder.encode(`conclave tokens ${masterSecret}`));
    return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  };
  const keyOnce = (): Promise<CryptoKey> => {
    made ??= makeKey();
    return made;
  };
  return {
    async sign(claims) {
      const payload = base64Url(encoder.encode(JSON.stringify(claims)));
      const signature = await crypto.subtle.sign("HMAC", await keyOnce(), encoder.encode(payload));
      return `cnt_${payload}.${base64Url(new Uint8Array(signature))}`;
    },
    async read(token) {
      const [, payload, signature] = tokenPattern.exec(token) ?? [];
      if (payload === undefined || signature === undefined) return undefined;
      const bytes = fromBase64Url(signature);
      if (bytes === undefined || !(await crypto.subtle.verify("HMAC", await keyOnce(), bytes, encoder.encode(payload))))
        return undefined;
      const text = fromBase64Url(payload);
      return text === undefined ? undefined : tokenClaimsSchema.parse(readJson(new TextDecoder().decode(text)).value);
    },
  };
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}
