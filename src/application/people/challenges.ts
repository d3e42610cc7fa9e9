/** Questions to passkeys. They are sealed texts that say until when they count and for what: nothing is kept of one until it is answered. */
import { z } from "zod";
import { challengeMs } from "../../tenancy/person.js";
import type { Services } from "../services.js";
import { newCode } from "./invitations.js";

/** Where somebody comes in: the page's origin and host, as passkeys are bound to them. */
export const wayInSchema = z.object({ origin: z.string(), host: z.string() });

/** @param purpose `sign in`, or `add` and the person's id */
export function newChallenge(purpose: string, { sealer, now }: Pick<Services, "sealer" | "now">): Promise<string> {
  return sealer.seal(`challenge ${now() + challengeMs} ${newCode()} ${purpose}`);
}

/** Whether it was asked here for this purpose and counts still. */
export async function openChallenge(
  challenge: string,
  purpose: string,
  { sealer, now }: Pick<Services, "sealer" | "now">,
): Promise<boolean> {
  const opened = await sealer.open(challenge).catch(() => "");
  const [, until = "0", asked] = /^challenge (\d+) \S+ (.+)$/.exec(opened) ?? [];
  return asked === purpose && Number(until) > now();
}
