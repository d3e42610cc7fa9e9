/** Links that sign a person in once: made, and given out again to a repetition of the very request. */
import { recordOf } from "../../conversation/actor-record.js";
import { base64Url } from "../../platform/bytes.js";
import { sha256Hex } from "../../platform/digest.js";
import type { NewInvitation } from "../../stores/people-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { markSecret } from "../../tenancy/home.js";
import type { Invitation } from "../../tenancy/person.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";

/** A secret of 128 bits, as links and cookies hold it. */
export function newCode(bytes = 16): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/**
 * Makes a link once for each request with an `Idempotency-Key`.
 * @param make stores it; returns for whom and until when it counts
 */
export async function inviteOnce(
  actor: Actor,
  tenantId: string,
  services: Services,
  make: (link: NewInvitation, claim?: WorkClaim) => Promise<{ readonly personId: string; readonly expiresAt: number }>,
): Promise<Invitation> {
  const shown = (personId: string, expiresAt: number, code: string): Invitation => ({
    personId,
    link: `${services.origin}/console/join#${code}`,
    expiresAt: new Date(expiresAt).toISOString(),
  });
  const work = async (claim?: WorkClaim): Promise<Invitation> => {
    const code = markSecret(newCode(), services.database);
    const note = claim === undefined ? "" : await services.sealer.seal(code);
    const link = { codeHash: await sha256Hex(code), note, by: recordOf(actor) };
    const { personId, expiresAt } = await make(link, claim);
    return shown(personId, expiresAt, code);
  };
  const again = async (note: string): Promise<Invitation> => {
    const [personId = "", expiresAt = "", sealed = ""] = note.split(" ");
    return shown(personId, Number(expiresAt), await services.sealer.open(sealed));
  };
  return doOnce(actor, services, work, again, tenantId);
}
