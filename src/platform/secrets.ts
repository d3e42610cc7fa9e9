/** Keys, and the sealing of what must be kept and not be read: AES-GCM under the deployment's own secret. */
import { ProblemError } from "../conversation/problem.js";
import { referredSecret } from "../conversation/secret-text.js";
import { base64Of, base64Url, derivedKey, fromBase64Url } from "./bytes.js";
import { equalDigests, sha256Hex } from "./digest.js";

const keyPattern = /^cnk_((?:d\d{2,4}_)?[0-9a-z]{26})_([A-Za-z0-9_-]{43})$/;

export interface NewKey {
  readonly keyId: string;
  /** What the caller keeps: `cnk_<id>_<secret>`. */
  readonly key: string;
  readonly secretHash: string;
}

export async function makeKey(keyId: string): Promise<NewKey> {
  const secret = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  return { keyId, key: `cnk_${keyId.slice("key_".length)}_${secret}`, secretHash: await sha256Hex(secret) };
}

/** The parts of a key as a caller presents it; `undefined` when it isn't one. */
export function readKey(presented: string): { readonly keyId: string; readonly secret: string } | undefined {
  const match = keyPattern.exec(presented);
  const [, id, secret] = match ?? [];
  return id === undefined || secret === undefined ? undefined : { keyId: `key_${id}`, secret };
}

export async function matchesKey(secret: string, secretHash: string): Promise<boolean> {
  return equalDigests(await sha256Hex(secret), secretHash);
}

/**
 * The deployment's secrets: the first seals and signs, each of them opens. There is a second one while they are exchanged
 * (docs/security.md, "Rotate a secret").
 */
export type SealingSecrets = readonly [current: string, ...others: string[]];

export function sealingSecretsOf(current: string, former: string | undefined): SealingSecrets {
  return former === undefined || former === "" || former === current ? [current] : [current, former];
}

/** What was sealed can't be read: under a secret that this deployment doesn't have, or it was changed. */
export class UnopenedError extends ProblemError {
  constructor(detail: string) {
    super({ code: "unavailable", detail });
  }
}

export interface Sealer {
  /** A reference to a secret is none: it stays as it is. */
  seal(text: string): Promise<string>;
  /** @throws {UnopenedError} when the text was sealed under another secret or was changed. */
  open(sealed: string): Promise<string>;
  /** The ids of the keys that open, that which seals first. */
  readonly keyIds: () => Promise<readonly string[]>;
}

/** Whether a secret is what was sealed; false too of what was sealed under another master secret. */
export async function opens(sealer: Sealer, sealed: string, secret: string): Promise<boolean> {
  return (await sealer.open(sealed).catch(() => undefined)) === secret;
}

/**
 * Seals as `<iv>.<data>.<key id>`. The id stands last, where code that doesn't know of it reads past it; what was sealed before there
 * were ids has none, and is tried under each key.
 */
export function createSealer(secrets: SealingSecrets): Sealer {
  const keys = Promise.all(
    secrets.map(async (secret) => ({
      id: await sealingKeyId(secret),
      key: await derivedKey(secret, "sealing", "AES-GCM"),
    })),
  );
  return {
    keyIds: async () => (await keys).map(({ id }) => id),
    async seal(text) {
      if (referredSecret(text) !== undefined) return text;
      const [current] = await keys;
      if (current === undefined) throw new RangeError("there is no secret to seal under");
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const data = new TextEncoder().encode(text);
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, current.key, data);
      return `${base64Url(iv)}.${base64Url(new Uint8Array(sealed))}.${current.id}`;
    },
    async open(sealed) {
      if (referredSecret(sealed) !== undefined) return sealed;
      const [ivText = "", dataText = "", id] = sealed.split(".");
      const [iv, data] = [fromBase64Url(ivText), fromBase64Url(dataText)];
      if (iv === undefined || data === undefined || dataText === "") throw new UnopenedError("It isn't a sealed text.");
      for (const { key } of (await keys).filter((one) => id === undefined || one.id === id)) {
        const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, data).catch(() => undefined);
        if (opened !== undefined) return new TextDecoder().decode(opened);
      }
      throw new UnopenedError(
        `A secret is sealed under ${id === undefined ? "a key" : `the key ${id}`} that this deployment doesn't have. Set SEALING_SECRET_PREVIOUS to the secret that it was sealed under, or store the secret again.`,
      );
    },
  };
}

/** Tells keys apart and nothing else of them: `k` and 32 bits of a digest. */
export async function sealingKeyId(secret: string): Promise<string> {
  return `k${(await sha256Hex(`conclave sealing key ${secret}`)).slice(0, 8)}`;
}

/** What may be a sealed text, within JSON too. */
const sealedPattern = /[\w-]{16}\.[\w-]{22,}(?:\.k[0-9a-f]{8})?/g;

export interface Resealed {
  readonly text: string;
  /** How many sealed texts in it were under another key and are under the current one now; how many nobody can open. */
  readonly resealed: number;
  readonly unopened: number;
}

/** A text with each sealed text in it sealed under the current key. What looks like one and says no key may be anything: it stays. */
export async function reseal(text: string, sealer: Sealer): Promise<Resealed> {
  const [current = ""] = await sealer.keyIds();
  const fresh = new Map<string, string>();
  let unopened = 0;
  for (const [found] of text.matchAll(sealedPattern)) {
    if (found.endsWith(`.${current}`) || fresh.has(found)) continue;
    const opened = await sealer.open(found).catch(() => undefined);
    if (opened !== undefined) fresh.set(found, await sealer.seal(opened));
    else if (found.split(".").length === 3) unopened++;
  }
  if (fresh.size === 0) return { text, resealed: 0, unopened };
  return { text: text.replaceAll(sealedPattern, (found) => fresh.get(found) ?? found), resealed: fresh.size, unopened };
}

/**
 * The secrets that sign a tenant's outgoing calls where a resource has none of its own: the one in force, and while the deployment's secrets
 * are exchanged the other one too. They are made from those and the tenant's id, so they are there from the first call on and need no room.
 * @returns for a tenant `whsec_<base64 of 32 bytes>`, the one in force first
 */
export function createSigningSecrets(secrets: SealingSecrets): (tenantId: string) => Promise<string[]> {
  const keys = Promise.all(secrets.map((secret) => derivedKey(secret, "signing", "HMAC")));
  return async (tenantId) =>
    Promise.all(
      (await keys).map(async (key) => {
        const bytes = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(tenantId));
        return `whsec_${base64Of(new Uint8Array(bytes))}`;
      }),
    );
}
