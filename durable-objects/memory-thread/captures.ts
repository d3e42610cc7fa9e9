/** Messages become entries: several at once, each with a journal of its own. */
import { settleInOrder } from "../../src/agent/concurrency.js";
import { type Captured, captureEntry } from "../../src/memory/capture.js";
import type { ThreadMessage } from "../../src/memory/memory.js";
import { type CurrentMessage, type PriorKnowledge, windowMessages } from "../../src/memory/prompts.js";
import { modelCooldown, recordModelFailure } from "./model-cooldown.js";
import { agentPorts, doPart, type Slice, type WorkPorts } from "./work-ports.js";

const parallelCaptures = 4;
/** Entries of other threads that a capture knows at most, beside the context. */
const uncoveredEntries = 24;

export async function captureMessages(
  messages: readonly ThreadMessage[],
  slice: Slice,
  ports: WorkPorts,
): Promise<void> {
  const { store, platform } = ports;
  const inTurn = <T>(piece: () => Promise<T>): Promise<T> => platform.bulkTurns.run(slice.memory.tenantId, piece);
  const known = await inTurn(() => knownBefore(slice, ports));
  const tasks = messages.map((message) => async () => {
    const { entryId, role, speaker, content: rawEntry, occurredAt, vouchedBy, seq } = message;
    const { threadId } = store.thread();
    const request: CaptureRequest = {
      work: `entry/${seq}`,
      message,
      known,
      save: (entry) => {
        const record = { entryId, threadId, role, speaker, rawEntry, occurredAt, vouchedBy, ...entry };
        return inTurn(() => platform.entries.put(slice.memory, record, seq, erasuresFor(entry, slice)));
      },
      store: ({ degraded, toolHistory }) => store.captured(seq, degraded, [...toolHistory]),
    };
    await captureMessage(request, slice, ports);
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
): Promise<PriorKnowledge> {
  const { contexts, entries } = platform;
  const { version, document } = await contexts.base(memory);
  const newest = await entries.uncovered(memory, await contexts.coverage(memory, version), uncoveredEntries);
  // The thread's own messages stand in the window.
  const { threadId } = store.thread();
  const elsewhere = newest.filter((entry) => entry.threadId !== threadId && entry.entryId !== entryId).reverse();
  const uncovered = elsewhere.map((entry) => ({ ...entry, seq: entry.seq ?? 0, content: entry.rawEntry }));
  return { context: document, uncovered };
}

/** A message of which a model is to write an entry's summary and tags. */
interface CaptureRequest {
  /** Its steps are kept under this id. */
  readonly work: string;
  readonly message: CurrentMessage;
  readonly known: PriorKnowledge;
  /** Puts the entry where it belongs. */
  readonly save: Parameters<typeof captureEntry>[1];
  /** What the thread keeps of it, in one write with the end of its steps. */
  readonly store: (captured: Captured) => void;
}

/** @returns nothing where an erasure superseded it */
export function captureMessage(
  { work, message, known, save, store }: CaptureRequest,
  slice: Slice,
  ports: WorkPorts,
): Promise<Captured | undefined> {
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
  const saveHeld: typeof save = async (entry) => !ports.lease.isHeld() || save(entry);
  const capture = () => captureEntry(setup, saveHeld, agentPorts(work, slice, ports));
  return doPart(work, slice, ports, capture, (captured) => {
    store(captured);
    recordModelFailure(captured, ports);
  });
}

/** What a model wrote counts only while nothing is deleted that it may have seen; an extract is of its own text alone. */
function erasuresFor(entry: { summarySource: string }, { memory }: Slice): number | undefined {
  return entry.summarySource === "model" ? memory.erasures : undefined;
}
