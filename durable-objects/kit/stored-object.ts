/** What all our objects have: tables that are made when something is created, and one alarm. */
import { DurableObject } from "cloudflare:workers";
import { ok, type Result, refuse } from "../../src/conversation/problem.js";
import {
  type CopiedObject,
  type ReadPart,
  type StatePart,
  type StatePlace,
  statePartSchema,
  type TakenOutcome,
  type Takeover,
} from "../../src/gateways/copy-gateway.js";
import { NewerStateError } from "../../src/gateways/newer-state.js";
import type { RestoreTarget } from "../../src/gateways/root-gateway.js";
import { fromWire, toWire, type Wire } from "../../src/gateways/wire.js";
import { describeError, log } from "../../src/platform/logging.js";
import { pathOf } from "./home.js";
import type { Kit } from "./kit.js";
import { applySchema, hasSchema, kitSchema, type SchemaStep, tablesOf } from "./schema.js";
import {
  arrivedLines,
  forgetParts,
  putState,
  readState,
  StateStamp,
  stagePart,
  UnreadableStateError,
} from "./state-copy.js";
import { makeWhenWritten } from "./tables.js";

/** How often an object that this code can't read looks whether it runs under code that can, in milliseconds. */
const newerStateRecheckMs = 600_000;

/** How long parts of a state wait for the next one, in milliseconds: a week. */
const partsKeptMs = 604_800_000;

/** What an object does, as far as its shell has to know. */
interface StoredEngine {
  readonly kit: Kit;
  /** Sends its copies for lists anew. In the write that is under way. */
  renewCopy?(): void;
}

export abstract class StoredObject<W extends StoredEngine> extends DurableObject<Env> implements CopiedObject {
  /** Newer code has left its state in a form that this code can't read: nothing is read, written or begun. */
  private readonly newerState: NewerStateError | undefined;
  private readonly stamp = new StateStamp(this.ctx.storage.sql);

  constructor(
    ctx: DurableObjectState,
    env: Env,
    /** The steps of its own tables; the kit's are added. */
    private readonly schema: readonly SchemaStep[],
    /** What the object does, apart from how it is called. */
    protected readonly engine: W,
  ) {
    super(ctx, env);
    makeWhenWritten(ctx.storage.sql, tablesOf([...kitSchema, ...schema]));
    if (!hasSchema(ctx.storage.sql)) return;
    try {
      this.makeTables();
    } catch (error) {
      if (!(error instanceof NewerStateError)) throw error;
      this.newerState = error;
      const [tenantId, objectId] = pathOf(ctx);
      log("error", "object.newer_state", { tenantId, objectId, ...describeError(error) });
    }
  }

  override async alarm(): Promise<void> {
    // What was to be done then is done when code comes that can.
    if (this.newerState !== undefined) await this.ctx.storage.setAlarm(Date.now() + newerStateRecheckMs);
    else if (this.exists()) this.engine.kit.onAlarm();
    else forgetParts(this.ctx.storage.sql);
  }

  /** Its state as it is stored, part by part. */
  async readState(place: StatePlace | null): Promise<Wire<ReadPart>> {
    return toWire(this.exists() ? await readState(this.ctx.storage.sql, place, this.stamp) : null);
  }

  /** Becomes what another object was, once the last part has come: what waits there waits here, and its alarm is set. */
  async takeState(wire: Wire<StatePart>, takeover: Takeover): Promise<TakenOutcome> {
    if (this.exists()) return "there";
    const { storage } = this.ctx;
    const part = fromWire(wire, statePartSchema);
    const staged = stagePart(storage, part);
    await storage.setAlarm(Date.now() + partsKeptMs);
    if (staged !== "part" || !part.isLast) return staged;
    const { kit } = this.engine;
    const lines = await arrivedLines(storage.sql, takeover);
    const state = { steps: part.steps, lines, known: [...kitSchema, ...this.schema] };
    let outcome: TakenOutcome;
    try {
      outcome = putState(storage, state, () => {
        kit.reread();
        if (kit.owner().tenantId !== takeover.to) throw new UnreadableStateError();
      });
    } catch (error) {
      kit.reread();
      if (error instanceof UnreadableStateError || error instanceof SyntaxError) return "unreadable";
      throw error;
    }
    if (outcome !== "stored") return outcome;
    kit.deadlines.rearm();
    kit.write(() => {
      for (const ask of kit.asks.all()) kit.outbox.put("ask", ask.askId, ask);
      this.engine.renewCopy?.();
    });
    kit.resume();
    kit.loop.kick();
    return outcome;
  }

  async prepareRestore(target: RestoreTarget): Promise<Wire<Result<string>>> {
    return toWire(await this.bookmarkOf(target));
  }

  /** The next instance will be as it was then. @returns what undoes that */
  protected async bookmarkOf({ at = "", bookmark }: RestoreTarget): Promise<Result<string>> {
    const { storage } = this.ctx;
    try {
      // What is on its way to others gets there, as far as it can.
      if (this.exists()) await this.engine.kit.outbox.drain();
      return ok(
        await storage.onNextSessionRestoreBookmark(bookmark ?? (await storage.getBookmarkForTime(new Date(at)))),
      );
    } catch (error) {
      if (error instanceof NewerStateError) throw error;
      return noHistory(error);
    }
  }

  async restart(): Promise<void> {
    this.ctx.abort("It is put back to an earlier state.");
  }

  /**
   * Whether it was ever created. Asking leaves nothing behind.
   * @throws {NewerStateError} when newer code has left its state in a form that this code can't read: so every call asks this first
   */
  protected exists(): boolean {
    if (this.newerState !== undefined) throw this.newerState;
    return hasSchema(this.ctx.storage.sql);
  }

  /** Whether a new instance has something to go on with. */
  protected canGoOn(): boolean {
    return this.newerState === undefined && this.exists();
  }

  protected makeTables(): void {
    applySchema(this.ctx.storage, [...kitSchema, ...this.schema]);
  }
}

/** Locally the platform keeps no log of changes, and says so by an error. */
function noHistory(error: unknown): Result<never> {
  const why = error instanceof Error ? error.message.slice(0, 300) : "";
  return refuse(
    "unavailable",
    `The platform keeps no earlier state of this object that it could be put back to. Local development has none; deployed there are those of the last 30 days. It said: ${why}`,
  );
}
