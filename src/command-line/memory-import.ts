/** Knowledge as entries of a memory: each part is one, known again by its tags. */
import type { Conclave, Schemas } from "../client/index.js";
import type { Part } from "./knowledge.js";
import { allPages, type Progress } from "./place.js";

/** The part's name, where it comes from, and what its text was before supervisors saw it: what they make of it is no difference. */
const nameTag = "imported";
const sourceTag = "importedFrom";
const digestTag = "importedText";

export interface Imported {
  readonly stored: readonly string[];
  readonly corrected: readonly string[];
  readonly unchanged: number;
  /** Parts that left the folder and are still there. */
  readonly gone: readonly string[];
  readonly removed: readonly string[];
}

/** Adds what isn't there, corrects what differs: the entry before holds until then, and nothing is there twice. */
export async function intoMemory(
  conclave: Conclave,
  memoryId: string,
  { source, parts, prune }: { readonly source: string; readonly parts: readonly Part[]; readonly prune: boolean },
  progress: Progress,
): Promise<Imported> {
  const known = await entriesOf(conclave, memoryId);
  const stored: string[] = [];
  const corrected: string[] = [];
  for (const [at, { name, text }] of parts.entries()) {
    progress(`importing ${at} of ${parts.length}`);
    const digest = await digestOf(text);
    const before = known.get(name);
    if (before?.tags[digestTag] === digest) continue;
    const body = {
      ...{ rawEntry: text, role: "document" },
      tags: { [nameTag]: name, [sourceTag]: source, [digestTag]: digest },
    };
    if (before === undefined) {
      await conclave.api.memory.createMemoryEntry({ memoryId, body });
      stored.push(name);
    } else {
      await conclave.api.memory.createMemoryEntryCorrection({ memoryId, entryId: before.entryId, body });
      corrected.push(name);
    }
  }
  progress("");
  const left = [...known].filter(
    ([name, { tags }]) => tags[sourceTag] === source && !parts.some((part) => part.name === name),
  );
  const names = left.map(([name]) => name);
  for (const [, { entryId }] of prune ? left : []) await conclave.api.memory.deleteMemoryEntry({ memoryId, entryId });
  const unchanged = parts.length - stored.length - corrected.length;
  return { stored, corrected, unchanged, gone: prune ? [] : names, removed: prune ? names : [] };
}

async function digestOf(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex");
}

/** What was imported before and still holds, by its part's name. */
async function entriesOf(conclave: Conclave, memoryId: string): Promise<Map<string, Schemas["Entry"]>> {
  const entries = await allPages(
    (page) => conclave.api.memory.listMemoryEntries({ memoryId, tag: nameTag, ...page }),
    100,
  );
  return new Map(
    entries.flatMap((entry) =>
      entry.supersededBy === undefined ? [[String(entry.tags[nameTag]), entry] as const] : [],
    ),
  );
}
