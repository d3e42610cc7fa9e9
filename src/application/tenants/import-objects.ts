/** Takes what an object of another tenant was stored as: its object here goes on with what that waited for. */
import { z } from "zod";
import { statePartSchema, type TakenOutcome } from "../../gateways/copy-gateway.js";
import type { ClaimedKind } from "../../stores/creation-claims.js";
import { type CopiedKind, copiedKinds } from "../../tenancy/copied-kinds.js";
import { lazily } from "../../text/lazily.js";
import { type Into, isErased, type Taken } from "./imported.js";

export const copiedObject = lazily(() =>
  z.object({
    ...statePartSchema.shape,
    of: z.enum(copiedKinds),
    /** Whose it was. */
    tenantId: z.string().max(100),
    /** What it is called within its tenant. */
    path: z.array(z.string().min(0).max(500)).min(1).max(2),
    externalId: z.string().optional(),
    /** The chat connections that it names, by id. */
    channels: z.record(z.string(), z.string()).default({}),
  }),
);
type CopiedObject = z.infer<ReturnType<typeof copiedObject>>;

export async function takeObject(copied: CopiedObject, { tenantId, services }: Into): Promise<Taken> {
  const { of, path, tenantId: from, externalId, channels: named, isLast, hidden } = copied;
  const shown = `${of} ${path.join("/")}`;
  const leftOut = (why: string): Taken => ({ outcome: "left_out", warning: `${shown}: ${why}` });
  const [id = "", threadId = ""] = path;
  const memory = of === "thread" ? await services.memory.ports.memories.find(tenantId, id) : undefined;
  if (of === "thread" && memory === undefined) return { outcome: "left_out" };
  if (await isErased(tenantId, id, services)) return leftOut("it was deleted here");
  const channels = new Map<string, string>();
  for (const [channelId, name] of Object.entries(named)) {
    const here = await services.channels.find(tenantId, name);
    if (here === undefined)
      return leftOut(`store the channel "${name}" first, with its credentials; then import this again`);
    channels.set(channelId, here.channelId);
  }
  const claimed = externalId === undefined ? undefined : claimedKinds[of];
  const owner = claimed && (await services.claims.byExternalId(tenantId, claimed, externalId ?? ""));
  if (owner !== undefined && owner !== id) return leftOut(`its externalId is that of ${owner} here`);
  // A conversation is called by its connection: by the one here.
  const called = of === "conversation" ? [channels.get(id) ?? id, ...path.slice(1)] : path;
  const copies = await services.copies();
  const outcome = await copies.take(of, called, copied, { from, to: tenantId, channels: Object.fromEntries(channels) });
  if (isLast && memory !== undefined) await services.memory.ports.memories.noteThread(memory, threadId);
  const taken = takenAs(outcome);
  if (typeof taken === "string") return leftOut(taken);
  // Not before it is there: whoever begins one with that id would get it as a new one.
  if (claimed !== undefined) await services.claims.claimExternalId(tenantId, claimed, externalId ?? "", id);
  return hidden ? { ...taken, warning: `${shown}: secrets that were sent along with it were not carried` } : taken;
}

function takenAs(outcome: TakenOutcome): Taken | string {
  switch (outcome) {
    case "stored":
    case "part":
      return { outcome: "stored" };
    case "there":
      return { outcome: "there" };
    case "newer":
      return "a newer version has stored it; deploy that one here, then import it again";
    case "incomplete":
      return "a part before it is missing; import the pages in their order";
    case "unreadable":
      return "this isn't what an export has handed out";
  }
}

const claimedKinds: Partial<Record<CopiedKind, ClaimedKind>> = {
  session: "sessions",
  run: "runs",
  roundtable: "roundtables",
};
