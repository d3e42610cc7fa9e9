/** What all our objects have: tables that are made when something is created, and one alarm. */
import { DurableObject } from "cloudflare:workers";
import type { Kit } from "./kit.js";
import { applySchema, hasSchema, kitSchema, type SchemaStep } from "./schema.js";

export abstract class StoredObject<W extends { readonly kit: Kit }> extends DurableObject<Env> {
  constructor(
    ctx: DurableObjectState,
    env: Env,
    /** The steps of its own tables; the kit's are added. */
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
    applySchema(this.ctx.storage, [...kitSchema, ...this.schema]);
  }
}
