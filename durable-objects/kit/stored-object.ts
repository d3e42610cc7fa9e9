/** What all our objects have: tables that are made when something is created, and one alarm. */
import { DurableObject } from "cloudflare:workers";
import { NewerStateError } from "../../src/gateways/newer-state.js";
import { describeError, log } from "../../src/platform/logging.js";
import { pathOf } from "./home.js";
import type { Kit } from "./kit.js";
import { applySchema, hasSchema, kitSchema, type SchemaStep } from "./schema.js";

/** How often an object that this code can't read looks whether it runs under code that can, in milliseconds. */
const newerStateRecheckMs = 600_000;

export abstract class StoredObject<W extends { readonly kit: Kit }> extends DurableObject<Env> {
  /** Newer code has left its state in a form that this code can't read: nothing is read, written or begun. */
  private readonly newerState: NewerStateError | undefined;

  constructor(
    ctx: DurableObjectState,
    env: Env,
    /** The steps of its own tables; the kit's are added. */
    private readonly schema: readonly SchemaStep[],
    /** What the object does, apart from how it is called. */
    protected readonly engine: W,
  ) {
    super(ctx, env);
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
