import { composeMemoryPlatform } from "../../src/composition.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import {
  type AppendCommand,
  appendSchema,
  type LevelReport,
  type SliceReport,
  type ThreadIdentity,
  type ThreadObject,
} from "../../src/gateways/thread-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import type { Invocation, Level, Thread } from "../../src/memory/memory.js";
import { StoredObject } from "../kit/stored-object.js";
import { type Checkpoint, checkpointOf, checkpointSchema } from "./checkpoint.js";
import { memoryThreadSchema } from "./schema.js";
import { ThreadAtWork } from "./thread.js";

/** One thread of a memory: its messages, its marks, its checkpoint. */
export class MemoryThread extends StoredObject<ThreadAtWork> implements ThreadObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, memoryThreadSchema, new ThreadAtWork(ctx, composeMemoryPlatform(env)));
  }

  async start(identity: ThreadIdentity): Promise<Wire<Invocation>> {
    this.create(identity);
    return toWire(this.atWork.start());
  }

  async append(identity: ThreadIdentity, command: Wire<AppendCommand>): Promise<Wire<Result<Invocation>>> {
    const parsed = fromWire(command, appendSchema);
    this.create(identity);
    return toWire(this.atWork.append(parsed));
  }

  async noteEntry(identity: ThreadIdentity, seq: number, characters: number): Promise<void> {
    this.create(identity);
    this.atWork.noteEntry(seq, characters);
  }

  async end(): Promise<Wire<Result<Invocation>>> {
    return toWire(this.exists() ? ok(this.atWork.end()) : noThread);
  }

  async describe(atSeq?: number): Promise<Wire<Result<Thread>>> {
    return toWire(this.exists() ? ok(this.atWork.view(atSeq)) : noThread);
  }

  async slice(): Promise<SliceReport> {
    return this.exists() ? this.atWork.slice() : { more: false };
  }

  async reached(level: Level, seq: number | null, timeoutMs: number): Promise<Wire<Result<LevelReport>>> {
    if (!this.exists()) return toWire(noThread);
    const reached = await this.atWork.reached(level, seq ?? undefined, timeoutMs);
    // Deleted meanwhile.
    if (!this.exists()) return toWire(noThread);
    return toWire(ok({ reached, watermarks: this.atWork.marksView() }));
  }

  async erase(entryId: string): Promise<boolean> {
    return this.exists() && this.atWork.erase(entryId);
  }

  async rewriteAround(entryId: string, sinceVersion: number | null): Promise<string[]> {
    return this.exists() ? this.atWork.rewriteAround(entryId, sinceVersion ?? undefined) : [];
  }

  async writeAgain(entryIds: readonly string[]): Promise<void> {
    if (this.exists()) this.atWork.redo(entryIds.flatMap((entryId) => this.atWork.store.byEntry(entryId) ?? []));
  }

  /** For tests: no face offers it. */
  async checkpoint(seq: number): Promise<Wire<Checkpoint>> {
    return toWire(checkpointOf(this.atWork.store, seq));
  }

  /** For tests: brings a thread that is new to where another one stood at a checkpoint. */
  async restore(identity: ThreadIdentity, checkpoint: Wire<Checkpoint>): Promise<void> {
    if (this.exists()) throw new Error("only a new thread can be restored to a checkpoint");
    const parsed = fromWire(checkpoint, checkpointSchema);
    this.create(identity);
    this.atWork.restore(parsed);
  }

  async entriesOf(messageId: string, kept: string): Promise<string[]> {
    return this.exists() ? this.atWork.store.entriesOf(messageId, kept) : [];
  }

  /** Empties the object. */
  async remove(): Promise<void> {
    if (this.exists()) await this.atWork.remove();
  }

  private create(identity: ThreadIdentity): void {
    if (this.exists()) return;
    this.ctx.storage.transactionSync(() => {
      this.makeTables();
      this.atWork.store.create(identity);
    });
  }
}

const noThread = refuse("not_found", "There is no such thread in this memory. Start it, or send it a message.");
