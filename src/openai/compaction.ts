/** A conversation made short: its summary, sealed, so that it goes back and forth with a caller who can't change it. */
import { z } from "zod";
import type { Services } from "../application/services.js";
import type { Actor } from "../tenancy/actor.js";
import { readJson } from "../text/json.js";

const sealedSchema = z.object({
  kind: z.literal("compaction"),
  tenantId: z.string(),
  subject: z.string().optional(),
  summary: z.string(),
});

export async function sealCompaction(actor: Actor, summary: string, { sealer }: Services): Promise<string> {
  return sealer.seal(JSON.stringify({ kind: "compaction", tenantId: actor.tenantId, subject: actor.subject, summary }));
}

/** The summary as it is told; nothing where it is another tenant's or subject's, or was changed. */
export async function openCompaction(actor: Actor, sealed: string, { sealer }: Services): Promise<string | undefined> {
  const text = await sealer.open(sealed).catch(() => undefined);
  const { data } = sealedSchema.safeParse(text === undefined ? undefined : readJson(text).value);
  if (data?.tenantId !== actor.tenantId) return undefined;
  if (actor.role === "user" && data.subject !== actor.subject) return undefined;
  return `The conversation before, in short:\n${data.summary}`;
}
