/** Which rules and references that include themselves a message brings in: decided on excerpts, so that only those are loaded. */
import { z } from "zod";
import type { Journal } from "../agent/journal.js";
import { type ItemKind, likeMessage, type SessionContext } from "../chat/context.js";
import type { ResourceStore } from "../stores/resource-store.js";
import { type ResourcePin, resourcePinSchema } from "../tenancy/resources.js";

const kinds: readonly ItemKind[] = ["rules", "references"];

/** Journalled: a replay has the same in force. */
export async function selectAutoIncludes(
  message: string,
  pins: readonly ResourcePin[],
  excluded: SessionContext["excluded"],
  journal: Journal,
  { tenantId, store }: { readonly tenantId: string; readonly store: ResourceStore },
): Promise<readonly ResourcePin[]> {
  if (pins.length === 0) return [];
  return journal.step(
    { id: "auto", kind: "load", schema: z.array(resourcePinSchema), interrupted: "again" },
    async () => {
      const excerpts = await store.excerpts(tenantId, pins);
      return kinds.flatMap((kind) => {
        const candidates = excerpts.filter((item) => item.kind === kind && !excluded[kind].includes(item.name));
        const chosen = likeMessage(message, candidates);
        return pins.filter((pin) => pin.kind === kind && chosen.includes(pin.name));
      });
    },
  );
}
