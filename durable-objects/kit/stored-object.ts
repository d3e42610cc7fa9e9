import { DurableObject } from "cloudflare:workers";
import type { Kit } from "./kit.js";
import { applySchema, hasSchema, type SchemaStep } from "./schema.js";

/** The shell that all our objects have: tables that are made when something is created, and one alarm. */
export abstract class StoredObject<W extends { readonly kit: Kit }> extends DurableObject<Env> {
  constructor(
    ctx: DurableObjectState,
    env: Env,
    private readonly schema: readonly SchemaStep[],
    /** What the object does, apart from how it is called. */
    protected readonly engine: W,
  ) {
    super(ctx, env);
    if (this.exists()) this.makeTables();
  }

  override async alarm(): Promise<void> {
    if (this.exists()) this.engine.kit.onAlarm();
  }

  /** Whether it was ever created. Asking leaves nothing behind. */
  protected exists(): boolean {
    return hasSchema(this.ctx.storage.sql);
  }

  protected makeTables(): void {
    applySchema(this.ctx.storage, this.schema);
  }
}
