/** What an end user's token reaches of memories, and what it is shown: those of its own subject, as the tenant's rules let them be read. */
import { problem } from "../../conversation/problem.js";
import type { Entry, NewEntry } from "../../memory/entry.js";
import type { Memory, MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import { supervisionFor } from "./supervised-texts.js";

/**
 * Whether an actor may know of a memory.
 * @throws {ProblemError} for a token that is for a session or some agents alone: a memory holds what was said to all of them
 */
export function isOwnMemory(
  { role, subject, only }: Actor,
  memory: { readonly subject?: string | undefined },
): boolean {
  if (role !== "user") return true;
  if (only?.sessionId !== undefined || only?.agents !== undefined) {
    const detail =
      "This token is for one session or some agents alone. Memories need a token of the subject without such limits.";
    throw problem("forbidden", detail);
  }
  return memory.subject !== undefined && memory.subject === subject;
}

/** A memory as its actor sees it: what the application notes of it, and which model writes it, is nothing for its end user. */
export function memoryFor({ role }: Actor, memory: Memory): Omit<Memory, "model"> & Partial<Pick<Memory, "model">> {
  if (role !== "user") return memory;
  const { model: _, description: __, ...shown } = memory;
  return { ...shown, metadata: {} };
}

/** Documents as their actor may read them: of what the tenant's rules don't let pass an end user reads nothing, line by line. */
export async function textsFor(
  actor: Actor,
  memory: MemoryRef,
  texts: readonly string[],
  services: Pick<Services, "memorySupervision" | "snapshots">,
): Promise<readonly string[]> {
  return actor.role === "user" ? supervisionFor(actor, services).ofReading(memory, texts) : texts;
}

/** A version of a context with the document as its actor may read it. Who wrote it is nothing for its end user. */
export function contextFor<T extends { readonly document: string; readonly author?: string | undefined }>(
  { role }: Actor,
  context: T,
  document = "",
): Omit<T, "author"> & Pick<Partial<T>, "author"> {
  if (role !== "user") return context;
  const { author: _, ...shown } = context;
  return { ...shown, document };
}

/** The same of entries. Who else vouched for one is nothing for its end user. */
export async function entriesFor(
  actor: Actor,
  memory: MemoryRef,
  entries: readonly Entry[],
  services: Pick<Services, "memorySupervision" | "snapshots">,
): Promise<readonly Entry[]> {
  if (actor.role !== "user") return entries;
  const texts = entries.flatMap(({ rawEntry, summary, speaker = "", tags }) => [
    rawEntry,
    summary,
    speaker,
    ...Object.entries(tags).map(([name, value]) => `${name}: ${value}`),
  ]);
  const passed = [...(await textsFor(actor, memory, texts, services))];
  return entries.map(({ vouchedBy, ...entry }) => {
    const [rawEntry = "", summary = "", speaker = ""] = passed.splice(0, 3);
    const tags = Object.entries(entry.tags).filter(([name, value]) => passed.shift() === `${name}: ${value}`);
    return {
      ...entry,
      rawEntry,
      summary,
      ...(entry.speaker === undefined ? {} : { speaker }),
      tags: Object.fromEntries(tags),
      ...(vouchedBy?.kind === "token" ? { vouchedBy } : {}),
    };
  });
}

/** @throws {ProblemError} where an end user writes more than what they say: who it is of, and what it is filed under, is the application's */
export function checkOwnWords({ role }: Actor, { role: speaks, speaker, summary, tags }: NewEntry): void {
  if (role !== "user") return;
  const sent = {
    speaker,
    summary,
    tags: Object.keys(tags).length > 0 || undefined,
    role: speaks !== "user" || undefined,
  };
  const errors = Object.entries(sent).flatMap(([path, value]) =>
    value === undefined ? [] : [{ path, message: "it can't be sent with a token" }],
  );
  if (errors.length === 0) return;
  throw problem("forbidden", "With a token an entry is `rawEntry`, `occurredAt` and `expiresAt`; see errors.", {
    errors,
  });
}
