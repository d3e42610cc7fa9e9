import { inMemorySource, type SourceEntry } from "../../../tools/evaluation/evaluation.js";

/** Entries of one thread, from texts or parts of entries; ids "e0", "e1", …; one session unless told otherwise. */
export function entries(parts: readonly (string | Partial<SourceEntry>)[]): SourceEntry[] {
  return parts.map((part, seq) => ({
    entryId: `e${seq}`,
    threadId: "t1",
    seq,
    sessionKey: "s1",
    occurredAt: "2024-03-04T10:00:00.000Z",
    rawText: "",
    ...(typeof part === "string" ? { rawText: part } : part),
  }));
}

/** A store of one memory with these entries. */
export function memoryOf(parts: readonly (string | Partial<SourceEntry>)[]) {
  return inMemorySource(entries(parts));
}

/** Texts that have nothing to do with any query of the tests. */
export function filler(count: number): string[] {
  const things = [
    "gravel",
    "willow",
    "lantern",
    "harbour",
    "copper",
    "meadow",
    "ribbon",
    "saddle",
    "thimble",
    "orchard",
  ];
  return Array.from({ length: count }, (_, index) => {
    const pick = (step: number): string => things[(index * step + Math.floor(index / 10)) % things.length] ?? "";
    return `The ${pick(1)} stood beside the ${pick(3)} and the ${pick(7)}, number ${index + 100}.`;
  });
}
