/** Signs seals of tenants' audits, each with a key of its own that is made of the deployment's secret, so that there is nothing to keep. */
import { checkpointText, signedCheckpoint } from "../evidence/proof/checkpoint.js";
import { base64Of, derivedKey, fromBase64, hexOf } from "./bytes.js";
import type { SealingSecrets } from "./secrets.js";

const encoder = new TextEncoder();
/** A private key of Ed25519 as PKCS #8, up to its 32 bytes. */
const prefix = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/** Of a signature, among the kinds of signed notes. */
const ed25519 = 1;

interface SignedCheckpoint {
  readonly checkpoint: string;
  /** What verifies it: `<name>+<id>+<key>`. */
  readonly key: string;
}

/** @param root base64 */
export type CheckpointSigner = (tenantId: string, size: number, root: string) => Promise<SignedCheckpoint>;

export function createCheckpointSigner([secret]: SealingSecrets): CheckpointSigner {
  return async (tenantId, size, root) => {
    const name = `conclave/audit/${tenantId}`;
    const seed = await crypto.subtle.sign(
      "HMAC",
      await derivedKey(secret, "checkpoints", "HMAC"),
      encoder.encode(tenantId),
    );
    const pkcs8 = new Uint8Array([...prefix, ...new Uint8Array(seed)]);
    const signing = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
    const exported = await crypto.subtle.exportKey("jwk", signing);
    const { x = "" } = exported instanceof ArrayBuffer ? {} : exported;
    const published = new Uint8Array([ed25519, ...(fromBase64(x.replaceAll("-", "+").replaceAll("_", "/")) ?? [])]);
    const id = await keyId(name, published);
    const text = checkpointText({ origin: name, size, root });
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", signing, encoder.encode(text)));
    return {
      checkpoint: signedCheckpoint(text, name, base64Of(new Uint8Array([...id, ...signature]))),
      key: `${name}+${hexOf(id)}+${base64Of(published)}`,
    };
  };
}

async function keyId(name: string, published: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const named = new Uint8Array([...encoder.encode(`${name}\n`), ...published]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", named)).slice(0, 4);
}
