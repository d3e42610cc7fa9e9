/** What people do about their own way in: passkeys, and signing out. */
import { z } from "zod";
import { problem } from "../../conversation/problem.js";
import { sha256Hex } from "../../platform/digest.js";
import { readAuthenticatorData, readPasskey } from "../../platform/webauthn.js";
import { passkeySchema } from "../../tenancy/person.js";
import { act } from "../act.js";
import { openChallenge, wayInSchema } from "./challenges.js";

export const listOwnPasskeys = act("listOwnPasskeys", {
  role: "person",
  input: () => z.object({}),
  output: () => z.object({ items: z.array(passkeySchema) }),
  run: async ({ tenantId, id }, _input, { consoles }) => {
    const items = await (await consoles()).listPasskeys({ tenantId, personId: id });
    const iso = (at: number) => new Date(at).toISOString();
    return {
      items: items.map(({ createdAt, lastUsedAt, ...key }) => ({
        ...key,
        createdAt: iso(createdAt),
        ...(lastUsedAt === undefined ? {} : { lastUsedAt: iso(lastUsedAt) }),
      })),
    };
  },
});

/** What a browser hands over of a new passkey: `getPublicKey()`, `getAuthenticatorData()` and the rest, in base64url. */
const base64 = z
  .string()
  .min(1)
  .max(4_000)
  .regex(/^[A-Za-z0-9_-]+$/);
const newPasskeySchema = z.strictObject({
  label: z.string().trim().min(1).max(100),
  challenge: z.string().max(500),
  credentialId: base64.max(1_400),
  publicKey: base64,
  algorithm: z.coerce.number<string | number>().int(),
  clientDataJSON: base64,
  authenticatorData: base64,
});

export const addOwnPasskey = act("addOwnPasskey", {
  role: "person",
  input: () => z.object({ passkey: newPasskeySchema, at: wayInSchema }),
  run: async (actor, { passkey, at }, services) => {
    const { label, challenge, ...sent } = passkey;
    const who = { tenantId: actor.tenantId, personId: actor.id };
    const isOurs = await openChallenge(challenge, `add ${actor.id}`, services);
    const signCount = isOurs ? await readAuthenticatorData("webauthn.create", sent, { ...at, challenge }) : undefined;
    const { credentialId, publicKey, algorithm } = sent;
    if (signCount === undefined || (await readPasskey(publicKey, algorithm)) === undefined) throw notTaken();
    if (!(await (await services.consoles()).useChallenge(await sha256Hex(challenge)))) throw notTaken();
    if (
      !(await (await services.consoles()).addPasskey(who, { credentialId, publicKey, algorithm, signCount, label }))
    ) {
      throw problem("conflict", "This passkey is there already.");
    }
  },
});

export const deleteOwnPasskey = act("deleteOwnPasskey", {
  role: "person",
  input: () => z.object({ credentialId: base64.max(1_400) }),
  run: async ({ tenantId, id }, { credentialId }, { consoles }) => {
    if (!(await (await consoles()).deletePasskey({ tenantId, personId: id }, credentialId)))
      throw problem("not_found", "You have no such passkey.");
  },
});

export const signOut = act("signOut", {
  role: "person",
  input: () => z.object({ sessionHash: z.string().max(64) }),
  run: async ({ tenantId, id }, { sessionHash }, { consoles }) =>
    (await consoles()).signOut(sessionHash, { tenantId, personId: id }),
});

function notTaken() {
  return problem(
    "invalid",
    "The passkey isn't what was asked for, or the question to it is older than five minutes. Try again.",
  );
}
