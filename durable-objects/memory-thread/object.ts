/** The object of a memory thread as others call it: what it does is in `ThreadEngine`. */

import { environmentOf } from "../../src/composition/databases.js";
import { composeMemoryPlatform } from "../../src/composition/objects.js";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import type { Numbers, RestoreTarget } from "../../src/gateways/root-gateway.js";
import {
  type AppendCommand,
  appendSchema,
  type LevelReport,
  type Living,
  type SliceReport,
  type ThreadIdentity,
  type ThreadNumbers,
  type ThreadObject,
} from "../../src/gateways/thread-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import type { Invocation, Level, Thread } from "../../src/memory/memory.js";
import type { DoneBy } from "../../src/tenancy/audit.js";
import { tenantOf } from "../kit/home.js";
import { StoredObject } from "../kit/stored-object.js";
import { type Checkpoint, checkpointOf, checkpointSchema } from "./checkpoint.js";
import { memoryThreadSchema } from "./schema.js";
import { ThreadEngine } from "./thread-engine.js";

/** One thread of a memory: its messages, its marks, its checkpoint. */
export class MemoryThread extends StoredObject<ThreadEngine> implements ThreadObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(
      ctx,
      env,
      memoryThreadSchema,
      new ThreadEngine(ctx, composeMemoryPlatform(environmentOf(env, tenantOf(ctx, "thread")))),
    );
  }

  async start(identity: ThreadIdentity): Promise<Wire<Invocation>> {
    this.create(identity);
    return toWire(this.engine.intake.start());
  }

  async append(identity: ThreadIdentity, command: Wire<AppendCommand>): Promise<Wire<Result<Invocation>>> {
    const parsed = fromWire(command, appendSchema);
    this.create(identity);
    return toWire(this.engine.intake.append(parsed));
  }

  async noteEntry(
    identity: ThreadIdentity,
    seq: number,
    characters: number,
    flushNow: boolean,
    unsummarised?: string | null,
  ): Promise<void> {
    this.create(identity);
    this.engine.intake.noteEntry(seq, characters, flushNow, unsummarised ?? undefined);
  }

  async rebuild(identity: ThreadIdentity): Promise<void> {
    this.create(identity);
    this.engine.rebuild();
  }

  async end(): Promise<Wire<Result<Invocation>>> {
    return toWire(this.exists() ? ok(this.engine.intake.end()) : noThread);
  }

  async describe(atSeq?: number): Promise<Wire<Result<Thread>>> {
    return toWire(this.exists() ? ok(this.engine.view(atSeq)) : noThread);
  }

  async deliver(): Promise<SliceReport> {
    return this.exists() ? this.engine.deliver() : { more: false };
  }

  async reached(level: Level, seq: number | null, timeoutMs: number): Promise<Wire<Result<LevelReport>>> {
    if (!this.exists()) return toWire(noThread);
    const reached = await this.engine.reached(level, seq ?? undefined, timeoutMs);
    // Deleted meanwhile.
    if (!this.exists()) return toWire(noThread);
    return toWire(ok({ reached, watermarks: this.engine.marksView() }));
  }

  async erase(entryId: string, deleted: DoneBy | null): Promise<boolean> {
    return this.exists() && this.engine.erase(entryId, deleted ?? undefined);
  }

  async rewriteAround(entryId: string): Promise<string[]> {
    return this.exists() ? this.engine.rewriteAround(entryId) : [];
  }

  async backfill(entryIds: readonly string[]): Promise<void> {
    if (this.exists()) this.engine.backfill(entryIds);
  }

  /** For tests: no face offers it. */
  async checkpoint(seq: number): Promise<Wire<Checkpoint>> {
    return toWire(checkpointOf(this.engine.store, seq));
  }

  /** For tests: brings a thread that is new to where another one stood at a checkpoint. */
  async restore(identity: ThreadIdentity, checkpoint: Wire<Checkpoint>): Promise<void> {
    if (this.exists()) throw new Error("only a new thread can be restored to a checkpoint");
    const parsed = fromWire(checkpoint, checkpointSchema);
    this.create(identity);
    this.engine.intake.restore(parsed);
  }

  async entriesOf(messageId: string, kept: string): Promise<string[]> {
    return this.exists() ? this.engine.store.entriesOf(messageId, kept) : [];
  }

  async numbers(): Promise<ThreadNumbers | null> {
    return this.exists() ? this.engine.numbers() : null;
  }

  async living(after: number, limit: number): Promise<Living[]> {
    return this.exists() ? this.engine.store.living(after, limit) : [];
  }

  protected override async bookmarkOf(target: RestoreTarget): Promise<Result<string>> {
    if (this.exists()) await this.engine.leave();
    const found = await super.bookmarkOf(target);
    if (!found.ok && this.exists()) this.engine.goOn();
    return found;
  }

  async restored(numbers: Numbers): Promise<boolean> {
    if (!this.exists()) return false;
    this.engine.restored(numbers);
    return true;
  }

  /** Empties the object. */
  async remove(): Promise<void> {
    if (this.exists()) await this.engine.remove();
  }

  private create(identity: ThreadIdentity): void {
    if (this.exists()) return;
    this.ctx.storage.transactionSync(() => {
      this.makeTables();
      this.engine.store.create(identity);
    });
  }
}

const noThread = refuse("not_found", "There is no such thread in this memory. Start it, or send it a message.");
