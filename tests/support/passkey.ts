/** A passkey without a device: what a browser would hand over of it, signed by WebCrypto. */
import { base64Url } from "../../src/platform/bytes.js";

const encoder = new TextEncoder();

export interface TestPasskey {
  readonly credentialId: string;
  /** What `navigator.credentials.create` came to. */
  created(challenge: string, page?: PageAt): Promise<Record<string, string | number>>;
  /** What `navigator.credentials.get` came to. */
  asserted(challenge: string, page?: PageAt): Promise<Assertion>;
}

export interface Assertion {
  readonly challenge: string;
  readonly credentialId: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** Where the page says that it is, and how often the device says that it has signed. */
interface PageAt {
  readonly origin?: string;
  readonly host?: string;
  readonly count?: number;
  /** Of the device: somebody was there, and was recognised. */
  readonly flags?: number;
}

export async function newPasskey(): Promise<TestPasskey> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new TypeError("A pair of keys was asked for.");
  const spki = await crypto.subtle.exportKey("spki", pair.publicKey);
  if (!(spki instanceof ArrayBuffer)) throw new TypeError("SPKI is bytes.");
  const credentialId = base64Url(crypto.getRandomValues(new Uint8Array(16)));
  const said = async (type: string, challenge: string, page: PageAt) => {
    const { origin = "https://conclave.test", host = new URL(origin).hostname, count = 0, flags = 5 } = page;
    const client = encoder.encode(
      JSON.stringify({ type, challenge: base64Url(encoder.encode(challenge)), origin, crossOrigin: false }),
    );
    const data = new Uint8Array(37);
    data.set(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(host))));
    data[32] = flags;
    new DataView(data.buffer).setUint32(33, count);
    return { client, data };
  };
  return {
    credentialId,
    created: async (challenge, page = {}) => {
      const { client, data } = await said("webauthn.create", challenge, page);
      const publicKey = base64Url(new Uint8Array(spki));
      return {
        ...{ label: "Test", challenge, credentialId, publicKey, algorithm: -7 },
        ...{ clientDataJSON: base64Url(client), authenticatorData: base64Url(data) },
      };
    },
    asserted: async (challenge, page = {}) => {
      const { client, data } = await said("webauthn.get", challenge, page);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", client));
      const signed = new Uint8Array([...data, ...digest]);
      const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, pair.privateKey, signed);
      return {
        ...{ challenge, credentialId, clientDataJSON: base64Url(client), authenticatorData: base64Url(data) },
        signature: base64Url(der(new Uint8Array(signature))),
      };
    },
  };
}

/** Two integers as devices write them: as short as they can be, and never negative. */
function der(raw: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array): number[] => {
    const from = bytes.findIndex((byte) => byte !== 0);
    const short = [...bytes.slice(Math.max(0, from))];
    const positive = (short[0] ?? 0) > 127 ? [0, ...short] : short;
    return [2, positive.length, ...positive];
  };
  const both = [...integer(raw.slice(0, 32)), ...integer(raw.slice(32))];
  return new Uint8Array([0x30, both.length, ...both]);
}
