/** Ids of what is copied into another tenant: ids of entries are unique over all tenants of a database. */
import { sha256Hex } from "./digest.js";

const ownLength = "ent_".length + 26;

/** The same for the same entry, in the same order: its own, and digits of the tenant's. @param tenantId into which it is copied */
export async function copiedEntryId(tenantId: string, entryId: string): Promise<string> {
  return ownEntryId(entryId) + (await sha256Hex(tenantId)).slice(0, 8);
}

/** Under which it was written first, wherever it was copied since. */
export function ownEntryId(entryId: string): string {
  return entryId.slice(0, ownLength);
}

/** A text with the ids under which what it names is known in the tenant. @param known those besides entries' */
export async function withCopiedIds(
  tenantId: string,
  text: string,
  known: Readonly<Record<string, string>> = {},
): Promise<string> {
  const ids = new Map(Object.entries(known));
  for (const [entryId] of text.matchAll(/\bent_[0-9a-z]{26}(?:[0-9a-f]{8})?\b/g))
    if (!ids.has(entryId)) ids.set(entryId, await copiedEntryId(tenantId, entryId));
  return text.replaceAll(/\b(?:ten|ent|chn)_(?:d\d{2,4}_)?[0-9a-z]{26}(?:[0-9a-f]{8})?\b/g, (id) => ids.get(id) ?? id);
}
