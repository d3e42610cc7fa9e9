/** Messages become entries: several at once, each with a journal of its own. */
import { settleInOrder } from "../../src/agent/concurrency.js";
import { type Captured, captureEntry } from "../../src/memory/capture.js";
import type { ThreadMessage } from "../../src/memory/memory.js";
import { type CurrentMessage, type KnownBefore, windowMessages } from "../../src/memory/prompts.js";
import { modelCooldown, recordModelFailure } from "./model-cooldown.js";
import { agentPorts, guarded, type Slice, type WorkPorts } from "./work-ports.js";

const parallelCaptures = 4;
/** Entries of other threads that a capture knows at most, beside the context. */
const uncoveredEntries = 24;

export async function captureMessages(
  messages: readonly ThreadMessage[],
  slice: Slice,
  ports: WorkPorts,
): Promise<void> {
  const { store, platform } = ports;
  const known = await knownBefore(slice, ports);
  const tasks = messages.map((message) => async () => {
    const captured = await guarded(ports, () =>
      captureMessage(`entry/${message.seq}`, message, known, slice, ports, async (entry) => {
        const { entryId, role, speaker, content: rawEntry, occurredAt, vouchedBy, seq } = message;
        const { threadId } = store.thread();
        const record = { entryId, threadId, role, speaker, rawEntry, occurredAt, vouchedBy, ...entry };
        return platform.entries.put(slice.memory, record, seq, erasuresFor(entry, slice));
      }),
    );
    if (captured === undefined) return;
    ports.kit.write(() => {
      store.captured(message.seq, captured.degraded, [...captured.toolHistory]);
      ports.kit.forgetSteps(`entry/${message.seq}`);
      recordModelFailure(captured, ports);
    });
  });
  await settleInOrder(tasks, parallelCaptures);
  await platform.vectors.fill(slice.memory);
}

/**
 * The context, and what was said elsewhere in the memory that it doesn't cover yet: a new session begins with both.
 * @param entryId the entry itself, where it is among these
 */
export async function knownBefore(
  { memory }: Slice,
  { store, platform }: WorkPorts,
  entryId?: string,
): Promise<KnownBefore> {
  const { contexts, entries } = platform;
  const { version, document } = await contexts.base(memory);
  const newest = await entries.uncovered(memory, await contexts.coverage(memory, version), uncoveredEntries);
  // The thread's own messages stand in the window.
  const { threadId } = store.thread();
  const elsewhere = newest.filter((entry) => entry.threadId !== threadId && entry.entryId !== entryId).reverse();
  const uncovered = elsewhere.map((entry) => ({ ...entry, seq: entry.seq ?? 0, content: entry.rawEntry }));
  return { context: document, uncovered };
}

export function captureMessage(
  work: string,
  message: CurrentMessage,
  known: KnownBefore,
  slice: Slice,
  ports: WorkPorts,
  save: Parameters<typeof captureEntry>[1],
): Promise<Captured> {
  const { vaultId, memoryId, models } = slice.memory;
  const setup = {
    vaultId,
    memoryId,
    models,
    prompts: slice.prompts,
    known,
    window: ports.store.window(message.seq - 1, windowMessages),
    message,
    // Asked anew for each: the first one that fails in a slice speaks for the others.
    withoutModel: slice.withoutModel ?? modelCooldown(ports),
  };
  return captureEntry(setup, async (entry) => !ports.lease.isHeld() || save(entry), agentPorts(work, slice, ports));
}

/** What a model wrote counts only while nothing is deleted that it may have seen; an extract is of its own text alone. */
function erasuresFor(entry: { summarySource: string }, { memory }: Slice): number | undefined {
  return entry.summarySource === "model" ? memory.erasures : undefined;
}
