/** Calls of memory threads. Their names carry the tenant and the memory. */
import { z } from "zod";
import { actorRecordSchema } from "../conversation/actor-record.js";
import type { Result } from "../conversation/problem.js";
import {
  type Invocation,
  invocationSchema,
  type Level,
  newMessageSchema,
  type Thread,
  threadSchema,
} from "../memory/memory.js";
import type { DoneBy } from "../tenancy/audit.js";
import type { ObjectPath, PlacedObjects } from "./placement.js";
import type { Numbers, RestoreTarget } from "./root-gateway.js";
import { resultOf, toWire, type Wire } from "./wire.js";

export interface ThreadIdentity {
  readonly tenantId: string;
  readonly memoryId: string;
  readonly threadId: string;
}

export const appendSchema = z.object({
  messages: z.array(newMessageSchema).min(1),
  idempotencyKey: z.string(),
  /** Tells whether the same key came with the same messages. */
  requestHash: z.string(),
  /** They say what was said before in other words: the context learns of it at once. */
  flushNow: z.boolean().default(false),
  vouchedBy: actorRecordSchema.optional(),
});
export type AppendCommand = z.output<typeof appendSchema>;

export interface SliceReport {
  readonly more: boolean;
}

const marksViewSchema = z.object({
  stored: z.int(),
  indexed: z.int(),
  context: z.int(),
  failure: z.string().optional(),
});
/** Up to which message each level has got. */
export type ThreadMarksView = z.infer<typeof marksViewSchema>;

const levelReportSchema = z.object({ reached: z.boolean(), watermarks: marksViewSchema });
export type LevelReport = z.infer<typeof levelReportSchema>;

/** The last numbers of its messages to others and of its own (`events`), and the entries that were erased in it. */
export interface ThreadNumbers extends Numbers {
  readonly erased: string[];
}

/** A message by its number, and the entry that it is. */
export interface Living {
  readonly seq: number;
  readonly entryId: string;
}

/** What a thread's object offers. */
export interface ThreadObject {
  start(identity: ThreadIdentity): Promise<Wire<Invocation>>;
  append(identity: ThreadIdentity, command: Wire<AppendCommand>): Promise<Wire<Result<Invocation>>>;
  noteEntry(
    identity: ThreadIdentity,
    seq: number,
    characters: number,
    flushNow: boolean,
    unsummarised: string | null,
  ): Promise<void>;
  end(): Promise<Wire<Result<Invocation>>>;
  describe(atSeq?: number): Promise<Wire<Result<Thread>>>;
  /** A job of the queue: does one bounded slice. */
  deliver(): Promise<SliceReport>;
  reached(level: Level, seq: number | null, timeoutMs: number): Promise<Wire<Result<LevelReport>>>;
  /** @param deleted who wanted it, for the audit; null where the system did */
  erase(entryId: string, deleted: DoneBy | null): Promise<boolean>;
  rewriteAround(entryId: string): Promise<string[]>;
  rebuild(identity: ThreadIdentity): Promise<void>;
  backfill(entryIds: readonly string[]): Promise<void>;
  entriesOf(messageId: string, kept: string): Promise<string[]>;
  numbers(): Promise<ThreadNumbers | null>;
  /** Messages that aren't erased, behind one, by their numbers. */
  living(after: number, limit: number): Promise<Living[]>;
  /** The next instance will be as it was then. @returns what undoes that */
  prepareRestore(target: RestoreTarget): Promise<Wire<Result<string>>>;
  /** Ends this instance: whoever calls it hears an error. */
  restart(): Promise<void>;
  /** It was put back, and goes on behind these numbers. False where it wasn't there then. */
  restored(numbers: Numbers): Promise<boolean>;
  remove(): Promise<void>;
}

const invocationResult = resultOf(invocationSchema);
const threadResult = resultOf(threadSchema);
const bookmarkResult = resultOf(z.string());
const levelResult = resultOf(levelReportSchema);

/** Every command can be repeated: starts and ends change nothing twice, messages carry a key, the rest reads or erases. */
export class ThreadGateway {
  constructor(private readonly objects: PlacedObjects<ThreadObject>) {}

  start(identity: ThreadIdentity): Promise<Invocation> {
    return this.objects.read(pathOf(identity), invocationSchema, (object) => object.start(identity));
  }

  append(identity: ThreadIdentity, command: AppendCommand): Promise<Result<Invocation>> {
    return this.objects.read(pathOf(identity), invocationResult, (object) => object.append(identity, toWire(command)));
  }

  /**
   * Tells the thread of entries without a conversation that there is another one.
   * @param flushNow the context learns of it at once
   * @param unsummarised its id, where a model is to write its summary
   */
  noteEntry(
    identity: ThreadIdentity,
    seq: number,
    characters: number,
    flushNow: boolean,
    unsummarised?: string,
  ): Promise<void> {
    return this.objects.call(pathOf(identity), (object) =>
      object.noteEntry(identity, seq, characters, flushNow, unsummarised ?? null),
    );
  }

  end(identity: ThreadIdentity): Promise<Result<Invocation>> {
    return this.objects.read(pathOf(identity), invocationResult, (object) => object.end());
  }

  describe(identity: ThreadIdentity, atSeq?: number): Promise<Result<Thread>> {
    return this.objects.read(pathOf(identity), threadResult, (object) => object.describe(atSeq));
  }

  /** Not repeated here: the queue delivers again. */
  deliver(identity: ThreadIdentity): Promise<SliceReport> {
    return this.objects.call(pathOf(identity), (object) => object.deliver(), false);
  }

  reached(
    identity: ThreadIdentity,
    level: Level,
    seq: number | undefined,
    timeoutMs: number,
  ): Promise<Result<LevelReport>> {
    return this.objects.read(pathOf(identity), levelResult, (object) => object.reached(level, seq ?? null, timeoutMs));
  }

  erase(identity: ThreadIdentity, entryId: string, deleted?: DoneBy): Promise<boolean> {
    return this.objects.call(pathOf(identity), (object) => object.erase(entryId, deleted ?? null));
  }

  rewriteAround(identity: ThreadIdentity, entryId: string): Promise<string[]> {
    return this.objects.call(pathOf(identity), (object) => object.rewriteAround(entryId));
  }

  /** Has this thread take in again what the memory's context forgot. */
  rebuild(identity: ThreadIdentity): Promise<void> {
    return this.objects.call(pathOf(identity), (object) => object.rebuild(identity));
  }

  /** Has a model write the summaries of these entries again. */
  backfill(identity: ThreadIdentity, entryIds: readonly string[]): Promise<void> {
    return this.objects.call(pathOf(identity), (object) => object.backfill(entryIds));
  }

  /** The entries that a message was recorded as: under its id or `<id>:<edit>`, but not under the key that is kept. */
  entriesOf(identity: ThreadIdentity, messageId: string, kept: string): Promise<string[]> {
    return this.objects.call(pathOf(identity), (object) => object.entriesOf(messageId, kept));
  }

  numbers(identity: ThreadIdentity): Promise<ThreadNumbers | null> {
    return this.objects.call(pathOf(identity), (object) => object.numbers());
  }

  living(identity: ThreadIdentity, after: number, limit: number): Promise<readonly Living[]> {
    return this.objects.call(pathOf(identity), (object) => object.living(after, limit));
  }

  prepareRestore(identity: ThreadIdentity, target: RestoreTarget): Promise<Result<string>> {
    return this.objects.read(pathOf(identity), bookmarkResult, (object) => object.prepareRestore(target), false);
  }

  async restart(identity: ThreadIdentity): Promise<void> {
    await this.objects.call(pathOf(identity), (object) => object.restart(), false).catch(() => undefined);
  }

  restored(identity: ThreadIdentity, { outbox, events }: Numbers): Promise<boolean> {
    return this.objects.call(pathOf(identity), (object) => object.restored({ outbox, events }));
  }

  remove(identity: ThreadIdentity): Promise<void> {
    return this.objects.call(pathOf(identity), (object) => object.remove());
  }
}

function pathOf({ tenantId, memoryId, threadId }: ThreadIdentity): ObjectPath {
  return [tenantId, memoryId, threadId];
}
