/** What the object of a memory thread needs of the platform. */
import type { FlushJob } from "../../memory/memory.js";
import type { MemoryPrompts } from "../../memory/prompts.js";
import type { ModelPort } from "../../model/port.js";
import type { BulkTurns } from "../../platform/bulk-turns.js";
import type { IsolateLoad } from "../../platform/isolate-load.js";
import type { Delivery } from "../../stores/deliveries.js";
import type { ContextStore } from "../../stores/memory/context-store.js";
import type { EntryStore } from "../../stores/memory/entry-store.js";
import type { MemoryStore } from "../../stores/memory/memory-store.js";
import type { EntryVectors } from "../../stores/memory/vectors.js";
import type { DoneBy } from "../../tenancy/audit.js";
import type { LimitedWork } from "../limits/work-limits.js";

/** What a thread's object needs of the platform. */
export interface MemoryPlatform extends LimitedWork {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly model: (tenantId: string) => Promise<ModelPort>;
  readonly memories: MemoryStore;
  readonly entries: EntryStore;
  readonly contexts: ContextStore;
  readonly vectors: EntryVectors;
  readonly prompts: (tenantId: string) => Promise<MemoryPrompts>;
  readonly deliver: (delivery: Delivery) => Promise<void>;
  readonly sendJobs: (jobs: readonly FlushJob[]) => Promise<void>;
  /**
   * Removes a deleted entry from D1: its text, the index, the contexts that rest on it. Again is harmless.
   * @param deleted whose wish it is, for the audit; absent where it is the system's own
   */
  readonly eraseEntry: (
    place: { tenantId: string; memoryId: string },
    entryId: string,
    deleted: DoneBy | undefined,
  ) => Promise<void>;
  /** What all objects of the isolate have at work. */
  readonly load: IsolateLoad;
  /** What an import brings in bulk waits here for its turn, of all objects of the isolate. */
  readonly bulkTurns: BulkTurns;
}
