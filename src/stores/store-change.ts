/** A change of what a tenant configures, found but not made yet: for a batch of its own, or one with others. */
import type { Sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";

/** With its row of the audit. */
export type ChangeStatements = (done: DoneBy) => readonly Sql[];

export interface StoreChange {
  readonly decision: "created" | "changed";
  /** That are others then; of what is new none. */
  readonly fields: string[] | undefined;
  readonly statements: ChangeStatements;
}
