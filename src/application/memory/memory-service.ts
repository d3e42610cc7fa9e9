/** Work on memories that goes through rows and objects alike: for the acts, and for the sessions that have a memory. */
import type { ActorRecord } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { ThreadGateway, ThreadIdentity } from "../../gateways/thread-gateway.js";
import type { Entry, NewEntry, Tags } from "../../memory/entry.js";
import { extractiveSummary } from "../../memory/extractive.js";
import {
  type ContextVersion,
  type DeadLetter,
  type Invocation,
  type NewMessage,
  standaloneThread,
  type Thread,
} from "../../memory/memory.js";
import { sha256Hex } from "../../platform/digest.js";
import { newId } from "../../platform/ids.js";
import type { Database } from "../../platform/sql.js";
import type { CreationClaims } from "../../stores/creation-claims.js";
import type { IdempotencyStore } from "../../stores/idempotency-store.js";
import type { ContextStore } from "../../stores/memory/context-store.js";
import type { DeadLetters } from "../../stores/memory/dead-letters.js";
import type { EntryStore } from "../../stores/memory/entry-store.js";
import type { MemoryEvents } from "../../stores/memory/memory-events.js";
import type { MemoryRef, MemoryStore } from "../../stores/memory/memory-store.js";
import type { EntryVectors } from "../../stores/memory/vectors.js";
import type { DoneBy } from "../../tenancy/audit.js";
import { eachThread } from "./each-thread.js";
import { eraseFromD1 } from "./erasure.js";
import type { MemoryPlatform } from "./memory-platform.js";

export interface MemoryServicePorts {
  readonly db: Database;
  readonly now: () => number;
  readonly memories: MemoryStore;
  readonly entries: EntryStore;
  readonly contexts: ContextStore;
  readonly vectors: EntryVectors;
  readonly threads: ThreadGateway;
  readonly deadLetters: DeadLetters;
  readonly events: MemoryEvents;
  readonly answers: IdempotencyStore;
  readonly claims: CreationClaims;
  readonly sendJobs: MemoryPlatform["sendJobs"];
}

export interface Started extends Invocation {
  readonly context: ContextVersion;
  /** What the context doesn't cover yet, within a budget, oldest first. */
  readonly recentEntries: Entry[];
}

/** What is written, and on whose word. */
export interface WriteOptions {
  readonly vouchedBy?: ActorRecord | undefined;
  /** What was asked for, where supervisors made something else of it: the same request is told by it. */
  readonly request?: unknown;
}

export interface RecordOptions extends WriteOptions {
  /** Messages sent twice under one key are there once. */
  readonly idempotencyKey?: string | undefined;
  /** They say what was said before in other words: the context learns of it at once. */
  readonly flushNow?: boolean;
}

export interface EntryOptions extends WriteOptions {
  readonly idempotencyKey?: string | undefined;
}

/** Characters of the entries that a start gives, at most. */
const startBudget = 12_000;
const startEntries = 100;

export class MemoryService {
  constructor(readonly ports: MemoryServicePorts) {}

  async memory(tenantId: string, memoryId: string): Promise<Result<MemoryRef>> {
    const memory = await this.ports.memories.find(tenantId, memoryId);
    return memory === undefined ? noMemory : ok(memory);
  }

  /** Begins a session of a thread, and returns the context with the entries that it doesn't cover yet. */
  async startSession(memory: MemoryRef, threadId: string): Promise<Started> {
    await this.ports.memories.noteThread(memory, threadId);
    const invocation = await this.ports.threads.start(identityOf(memory, threadId));
    const { context, recent } = await this.knowledge(memory);
    return { ...invocation, context, recentEntries: recent };
  }

  /** Takes messages of a thread; they are stored when this returns. */
  async processMessages(
    memory: MemoryRef,
    threadId: string,
    messages: readonly NewMessage[],
    { idempotencyKey = newId("req"), flushNow = false, vouchedBy, request = messages }: RecordOptions = {},
  ): Promise<Result<Invocation>> {
    await this.ports.memories.noteThread(memory, threadId);
    const requestHash = await sha256Hex(JSON.stringify(request));
    return this.ports.threads.append(identityOf(memory, threadId), {
      messages: [...messages],
      idempotencyKey,
      requestHash,
      flushNow,
      vouchedBy,
    });
  }

  endSession(memory: MemoryRef, threadId: string): Promise<Result<Invocation>> {
    return this.ports.threads.end(identityOf(memory, threadId));
  }

  thread(memory: MemoryRef, threadId: string, atSeq?: number): Promise<Result<Thread>> {
    return this.ports.threads.describe(identityOf(memory, threadId), atSeq);
  }

  /** The context as it is, and the entries after what it covers. */
  async knowledge(memory: MemoryRef): Promise<{ context: ContextVersion; recent: Entry[] }> {
    const context = await this.ports.contexts.current(memory);
    const newest = await this.ports.entries.uncovered(memory, context.coverage, startEntries);
    const recent: Entry[] = [];
    let used = 0;
    for (const entry of newest) {
      used += entry.rawEntry.length;
      if (used > startBudget) break;
      recent.unshift(entry);
    }
    return { context, recent };
  }

  async addEntry(memory: MemoryRef, entry: NewEntry, options: EntryOptions): Promise<Result<Entry>> {
    const { record, extra } = await this.recordOf(entry, options);
    return this.outcome(memory, await this.ports.entries.add(memory, record, extra), false);
  }

  /** Writes a new entry in the place of an old one, which holds no longer from the time on when the new one was said. */
  async correct(memory: MemoryRef, entryId: string, entry: NewEntry, options: EntryOptions): Promise<Result<Entry>> {
    const { idempotencyKey } = options;
    const { entries } = this.ports;
    const old = await entries.get(memory, entryId);
    if (old === undefined) return noEntry;
    const { record, extra } = await this.recordOf(entry, options);
    const repeated = idempotencyKey === undefined ? undefined : await entries.byKey(memory, idempotencyKey);
    if (old.supersededBy !== undefined && repeated === undefined) {
      return correctedBy(old.supersededBy);
    }
    const outcome = await entries.correct(memory, entryId, record, extra);
    // Another correction may have been first, at this very moment.
    const first = outcome.kind === "deleted" ? (await entries.get(memory, entryId))?.supersededBy : undefined;
    return first === undefined ? this.outcome(memory, outcome, true) : correctedBy(first);
  }

  async setTags(memory: MemoryRef, entryId: string, tags: Tags): Promise<Result<Entry>> {
    if (!(await this.ports.entries.tags(memory, entryId, tags))) return noEntry;
    const entry = await this.ports.entries.get(memory, entryId);
    return entry === undefined ? noEntry : ok(entry);
  }

  /**
   * Deletes an entry for good: in its thread's object first, then everywhere else.
   * @param deleted whose wish it is, for the audit; absent where it is the system's own
   */
  async deleteEntry(memory: MemoryRef, entryId: string, deleted?: DoneBy): Promise<Result<void>> {
    const row = await this.ports.entries.row(memory, entryId);
    // A message whose entry isn't written yet is known to its thread alone.
    let known = row !== undefined && (row.deleted_at === null || row.aside !== null);
    // One that was gone before was deleted by somebody else.
    const done = row === undefined || known ? deleted : undefined;
    const erase = async (threadId: string): Promise<void> => {
      if (await this.ports.threads.erase(identityOf(memory, threadId), entryId, done)) known ||= row === undefined;
    };
    if (row === undefined) await eachThread(memory, this.ports.memories, erase);
    else await erase(row.thread_id);
    if (row === undefined && !known) return noEntry;
    await eraseFromD1(memory, entryId, this.ports, done);
    return known ? ok(undefined) : noEntry;
  }

  /** Deletes what a message was recorded as under other keys than this one. */
  async forgetOthers(memory: MemoryRef, threadId: string, messageId: string, kept: string): Promise<void> {
    const thread = identityOf(memory, threadId);
    for (const entryId of await this.ports.threads.entriesOf(thread, messageId, kept)) {
      await this.deleteEntry(memory, entryId);
    }
  }

  /** Deletes a vault with all its memories. */
  async deleteVault(tenantId: string, vaultId: string): Promise<void> {
    const { memories, answers, claims } = this.ports;
    await claims.forget(tenantId, vaultId);
    await this.deleteAll(tenantId, vaultId);
    await answers.forget(tenantId, vaultId);
    await memories.removeVault(tenantId, vaultId);
  }

  /** All memories of a tenant, or of a vault, with their threads: the rows alone would go with it. */
  async deleteAll(tenantId: string, vaultId?: string): Promise<void> {
    const { memories } = this.ports;
    for (let page = await memories.memoryIds(tenantId, vaultId, "", 50); page.length > 0; ) {
      for (const memoryId of page) {
        const memory = await memories.find(tenantId, memoryId);
        if (memory !== undefined) await this.deleteMemory(memory);
      }
      page = await memories.memoryIds(tenantId, vaultId, page.at(-1) ?? "", 50);
    }
  }

  async deleteMemory(memory: MemoryRef): Promise<void> {
    const { memories, threads, vectors, answers, claims } = this.ports;
    await claims.forget(memory.tenantId, memory.memoryId);
    await eachThread(memory, memories, (threadId) => threads.remove(identityOf(memory, threadId)));
    await memories.removeMemory(memory);
    await vectors.index.forget();
    await answers.forget(memory.tenantId, memory.memoryId);
  }

  async retryDeadLetter(memory: MemoryRef, deadLetterId: string): Promise<Result<DeadLetter>> {
    const { deadLetters, sendJobs } = this.ports;
    const { tenantId, memoryId } = memory;
    const letter = await deadLetters.get(tenantId, memoryId, deadLetterId);
    if (letter === undefined) return refuse("not_found", "There is no such dead letter in this memory.");
    const { threadId, fromSeq, toSeq } = letter;
    await sendJobs([{ tenantId, memoryId, threadId, fromSeq, toSeq }]);
    await deadLetters.retried(tenantId, memoryId, deadLetterId);
    return ok((await deadLetters.get(tenantId, memoryId, deadLetterId)) ?? letter);
  }

  private async recordOf(entry: NewEntry, { idempotencyKey, vouchedBy, request = entry }: EntryOptions) {
    const { rawEntry, summary, expiresAt, occurredAt, ...rest } = entry;
    const record = {
      ...rest,
      entryId: newId("ent"),
      threadId: "",
      rawEntry,
      summary: summary ?? extractiveSummary(rawEntry),
      summarySource: summary === undefined ? ("extractive" as const) : ("given" as const),
      occurredAt: occurredAt ?? new Date(this.ports.now()).toISOString(),
      vouchedBy,
    };
    const requestHash = await sha256Hex(JSON.stringify(request));
    return { record, extra: { expiresAt, idempotencyKey, requestHash } };
  }

  private async outcome(
    memory: MemoryRef,
    outcome: Awaited<ReturnType<EntryStore["add"]>>,
    isCorrection: boolean,
  ): Promise<Result<Entry>> {
    if (outcome.kind === "deleted") return refuse("conflict", "The entry of this Idempotency-Key has been deleted.");
    if (outcome.kind === "exists" && !outcome.sameRequest) return otherEntry;
    // The thread that entries without a conversation share decides on their flush. An entry that existed before is noted as well:
    // its writer may have died before it noted it.
    await this.ports.memories.noteThread(memory, standaloneThread);
    await this.ports.threads.noteEntry(
      identityOf(memory, standaloneThread),
      outcome.seq,
      outcome.entry.rawEntry.length,
      isCorrection,
      outcome.entry.summarySource === "extractive" ? outcome.entry.entryId : undefined,
    );
    return ok(outcome.entry);
  }
}

function correctedBy(entryId: string): Result<never> {
  return refuse("conflict", `This entry was corrected already, by ${entryId}. Correct that one.`);
}

export function identityOf({ tenantId, memoryId }: MemoryRef, threadId: string): ThreadIdentity {
  return { tenantId, memoryId, threadId };
}

export const noMemory = refuse("not_found", "There is no such memory.");
const noEntry = refuse("not_found", "There is no such entry in this memory.");
const otherEntry = refuse(
  "idempotency_conflict",
  "This Idempotency-Key came with another entry before. Use a new key.",
);
