/** Keys of writes that are one batch of D1: claimed in that very batch, so that what comes again after a crash finds both or neither. */

import { batch, type Database, type Sql, sql } from "../platform/sql.js";
import type { CreationKey } from "./creation-claims.js";

/** A key to claim with what is written. */
export interface WorkClaim {
  readonly request: CreationKey;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The work was done under this key meanwhile, and nothing of the batch was. */
export class KeyTakenError extends Error {
  override readonly name = "KeyTakenError";
}

/**
 * Claims the key if the statement before it in the batch changed something; the whole batch fails where the key was claimed before.
 * @param note what a repetition needs to say the same
 */
export function claimStatements(claim: WorkClaim | undefined, note: string): Sql[] {
  if (claim === undefined) return [];
  const { tenantId, sender, key, hash } = claim.request;
  return [
    sql`INSERT INTO creation_keys (tenant_id, sender, idempotency_key, request_hash, id, created_at)
      SELECT ${tenantId}, ${sender}, ${key}, ${hash}, ${`done ${note}`}, ${claim.at} WHERE changes() > 0`,
  ];
}

/** @throws {KeyTakenError} where the batch failed because its key was claimed before */
export async function claimingBatch(db: Database, statements: readonly Sql[]): Promise<D1Result[]> {
  try {
    return await batch(db, statements);
  } catch (error) {
    if (error instanceof Error && error.message.includes("creation_keys")) {
      throw new KeyTakenError("the key was claimed meanwhile", { cause: error });
    }
    throw error;
  }
}
