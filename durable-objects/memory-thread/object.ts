import { DurableObject } from "cloudflare:workers";
import { composeMemoryPlatform } from "../../src/composition.js";
import type { Invocation, Level, Thread } from "../../src/memory/memory.js";
import {
  type AppendCommand,
  appendSchema,
  type LevelReport,
  type SliceReport,
  type ThreadIdentity,
  type ThreadObject,
} from "../../src/platform/memory/thread-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/platform/wire.js";
import { ok, type Result, refuse } from "../../src/problem.js";
import { applySchema, hasSchema } from "../kit/schema.js";
import { memoryThreadSchema } from "./schema.js";
import { ThreadAtWork } from "./thread.js";

/** One thread of a memory: its messages, its marks, its checkpoint. */
export class MemoryThread extends DurableObject<Env> implements ThreadObject {
  private readonly thread: ThreadAtWork;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.thread = new ThreadAtWork(ctx, composeMemoryPlatform(env));
    if (this.exists()) applySchema(ctx.storage, memoryThreadSchema);
  }

  async start(identity: ThreadIdentity): Promise<Wire<Invocation>> {
    this.create(identity);
    return toWire(this.thread.start());
  }

  async append(identity: ThreadIdentity, command: Wire<AppendCommand>): Promise<Wire<Result<Invocation>>> {
    const parsed = fromWire(command, appendSchema);
    this.create(identity);
    return toWire(this.thread.append(parsed));
  }

  async noteEntry(identity: ThreadIdentity, seq: number, characters: number): Promise<void> {
    this.create(identity);
    this.thread.noteEntry(seq, characters);
  }

  async end(): Promise<Wire<Result<Invocation>>> {
    return toWire(this.exists() ? ok(this.thread.end()) : noThread);
  }

  async describe(atSeq?: number): Promise<Wire<Result<Thread>>> {
    return toWire(this.exists() ? ok(this.thread.view(atSeq)) : noThread);
  }

  async slice(): Promise<SliceReport> {
    return this.exists() ? this.thread.slice() : { more: false };
  }

  async reached(level: Level, seq: number | null, timeoutMs: number): Promise<Wire<Result<LevelReport>>> {
    if (!this.exists()) return toWire(noThread);
    const reached = await this.thread.reached(level, seq ?? undefined, timeoutMs);
    return toWire(ok({ reached, watermarks: this.thread.marksView() }));
  }

  async erase(entryId: string): Promise<boolean> {
    return this.exists() && this.thread.erase(entryId);
  }

  async rewriteAround(entryId: string, sinceVersion: number | null): Promise<string[]> {
    return this.exists() ? this.thread.rewriteAround(entryId, sinceVersion ?? undefined) : [];
  }

  async entriesOf(messageId: string, kept: string): Promise<string[]> {
    return this.exists() ? this.thread.store.entriesOf(messageId, kept) : [];
  }

  /** Empties the object. */
  async remove(): Promise<void> {
    if (!this.exists()) return;
    await this.thread.stop();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (this.exists()) this.thread.kit.alarmRang();
  }

  private create(identity: ThreadIdentity): void {
    if (this.exists()) return;
    this.ctx.storage.transactionSync(() => {
      applySchema(this.ctx.storage, memoryThreadSchema);
      this.thread.store.create(identity);
    });
  }

  private exists(): boolean {
    return hasSchema(this.ctx.storage.sql);
  }
}

const noThread = refuse("not_found", "There is no such thread in this memory. Start it, or send it a message.");
