/** What of an entry, a message or a document is text that supervisors see, and how what they made of it is put back. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import { maxEntryCharacters, type NewEntry, type Tags } from "../../memory/entry.js";
import { maxSummaryCharacters } from "../../memory/extractive.js";
import type { NewMessage } from "../../memory/memory.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import type { MemorySupervision } from "./memory-supervision.js";
import type { WrittenText } from "./written-text.js";

type Writer = Pick<Services, "memorySupervision" | "snapshots">;

/** Supervision by what is known of the actor's tenant at the revision with which it was authenticated. */
export function supervisionFor({ revision }: Actor, { memorySupervision, snapshots }: Writer): MemorySupervision {
  return memorySupervision.with(snapshots.at(revision));
}

export async function superviseEntry(
  memory: MemoryRef,
  actor: Actor,
  entry: NewEntry,
  services: Writer,
): Promise<Result<NewEntry>> {
  const { rawEntry, summary, tags, speaker } = entry;
  const written = await supervisionFor(actor, services).ofWrite(memory, recordOf(actor), [
    { path: "rawEntry", content: rawEntry },
    ...(summary === undefined ? [] : [{ path: "summary", content: summary }]),
    ...labels(tags, speaker),
  ]);
  if (!written.ok) return written;
  const [text = rawEntry, given] = written.value;
  return ok({
    ...entry,
    rawEntry: text.slice(0, maxEntryCharacters),
    ...(summary === undefined ? {} : { summary: (given ?? summary).slice(0, maxSummaryCharacters) }),
  });
}

export async function superviseMessages(
  memory: MemoryRef,
  actor: Actor,
  messages: readonly NewMessage[],
  services: Writer,
): Promise<Result<NewMessage[]>> {
  const texts = messages.map(({ content }, at) => ({ path: `messages.${at}.content`, content }));
  const speakers = messages.flatMap(({ speaker }) => labels({}, speaker));
  const written = await supervisionFor(actor, services).ofWrite(memory, recordOf(actor), [
    ...texts,
    ...distinct(speakers),
  ]);
  if (!written.ok) return written;
  return ok(
    messages.map((message, at) => ({
      ...message,
      content: (written.value[at] ?? message.content).slice(0, maxEntryCharacters),
    })),
  );
}

export async function superviseTags(
  memory: MemoryRef,
  actor: Actor,
  tags: Tags,
  services: Writer,
): Promise<Result<unknown>> {
  return supervisionFor(actor, services).ofWrite(memory, recordOf(actor), labels(tags, undefined));
}

/** Names and values are filtered by, so that they can't be put in other words: what would be changed is refused. */
function labels(tags: Tags, speaker: string | undefined): WrittenText[] {
  const lines = Object.entries(tags).map(([name, value]) => `${name}: ${value}`);
  return [
    ...(lines.length === 0 ? [] : [{ path: "tags", content: lines.join("\n"), isFixed: true }]),
    ...(speaker === undefined ? [] : [{ path: "speaker", content: speaker, isFixed: true }]),
  ];
}

function distinct(texts: readonly WrittenText[]): WrittenText[] {
  return [...new Map(texts.map((text) => [text.content, text])).values()];
}
