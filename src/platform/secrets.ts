/** Keys, and the sealing of what must be kept and not be read: AES-GCM under the deployment's own secret. */
import { equalDigests, sha256Hex } from "./digest.js";

const keyPattern = /^cnk_([0-9a-z]{26})_([A-Za-z0-9_-]{43})$/;

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

export interface Sealer {
  seal(text: string): Promise<string>;
  /** @throws when the text was sealed under another secret or was changed. */
  open(sealed: string): Promise<string>;
}

/** Whether a secret is what was sealed; false too of what was sealed under another master secret. */
export async function opens(sealer: Sealer, sealed: string, secret: string): Promise<boolean> {
  return (await sealer.open(sealed).catch(() => undefined)) === secret;
}

export function createSealer(masterSecret: string): Sealer {
  const key = crypto.subtle
    .digest("SHA-256", new TextEncoder().encode(`conclave sealing ${masterSecret}`))
    .then((bytes) => crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]));
  return {
    async seal(text) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key, new TextEncoder().encode(text));
      return `${base64Url(iv)}.${base64Url(new Uint8Array(data))}`;
    },
    async open(sealed) {
      const [iv = "", data = ""] = sealed.split(".");
      const plain = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: fromBase64Url(iv) },
        await key,
        fromBase64Url(data),
      );
      return new TextDecoder().decode(plain);
    },
  };
}

function base64Url(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
