/** Which entries without a conversation still wait for a model's summary and tags. Ids alone: the texts are in D1. */
import { exec } from "../../src/platform/sql.js";

export class DueSummaries {
  constructor(private readonly sql: SqlStorage) {}

  /** An entry that is there already is due again. */
  add(entryIds: readonly string[]): void {
    for (const entryId of entryIds) {
      exec(this.sql)`INSERT INTO summaries (entry_id) VALUES (${entryId}) ON CONFLICT DO UPDATE SET failed = 0`;
    }
  }

  /** @param failed those that a model was asked for in vain, or the others */
  next(failed: boolean, limit: number): string[] {
    return exec<{ entry_id: string }>(this.sql)`
      SELECT entry_id FROM summaries WHERE failed = ${failed ? 1 : 0} ORDER BY entry_id LIMIT ${limit}`
      .toArray()
      .map((row) => row.entry_id);
  }

  done(entryId: string): void {
    exec(this.sql)`DELETE FROM summaries WHERE entry_id = ${entryId}`;
  }

  /** No model was to be had: it is asked again when rewrites are due. */
  failed(entryId: string): void {
    exec(this.sql)`UPDATE summaries SET failed = 1 WHERE entry_id = ${entryId}`;
  }

  countFailed(): number {
    return exec<{ n: number }>(this.sql)`SELECT COUNT(*) AS n FROM summaries WHERE failed = 1`.one().n;
  }
}
