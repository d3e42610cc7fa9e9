/** Signs and reads the tokens of end users: `cnt_<claims>.<signature>`, under a key derived from the deployment's own secret. */
import { type TokenClaims, tokenClaimsSchema } from "../tenancy/user-token.js";
import { readJson } from "../text/json.js";
import { lazily } from "../text/lazily.js";
import { base64Url, derivedKey, fromBase64Url } from "./bytes.js";
import type { SealingSecrets } from "./secrets.js";

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

export function createTokenSigner(secrets: SealingSecrets): TokenSigner {
  // Made when it is needed: most callers present a key.
  const signingKeys = lazily(() => Promise.all(secrets.map((secret) => derivedKey(secret, "tokens", "HMAC"))));
  return {
    async sign(claims) {
      const payload = base64Url(encoder.encode(JSON.stringify(claims)));
      const [key] = await signingKeys();
      if (key === undefined) throw new RangeError("there is no secret to sign under");
      const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(payload));
      return `cnt_${payload}.${base64Url(new Uint8Array(signature))}`;
    },
    async read(token) {
      const [, payload, signature] = tokenPattern.exec(token) ?? [];
      if (payload === undefined || signature === undefined) return undefined;
      const bytes = fromBase64Url(signature);
      if (bytes === undefined) return undefined;
      const signed = (await signingKeys()).map((key) =>
        crypto.subtle.verify("HMAC", key, bytes, encoder.encode(payload)),
      );
      if (!(await Promise.all(signed)).includes(true)) return undefined;
      const text = fromBase64Url(payload);
      return text === undefined ? undefined : tokenClaimsSchema().parse(readJson(new TextDecoder().decode(text)).value);
    },
  };
}
