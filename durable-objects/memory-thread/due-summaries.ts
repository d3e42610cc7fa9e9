/** Which entries without a conversation still wait for a model's summary and tags. Ids alone: the texts are in D1. */
export class DueSummaries {
  constructor(private readonly sql: SqlStorage) {}

  /** An entry that is there already is due again. */
  add(entryIds: readonly string[]): void {
    for (const entryId of entryIds) {
      this.sql.exec("INSERT INTO summaries (entry_id) VALUES (?) ON CONFLICT DO UPDATE SET failed = 0", entryId);
    }
  }

  /** @param failed those that a model was asked for in vain, or the others */
  next(failed: boolean, limit: number): string[] {
    return this.sql
      .exec<{ entry_id: string }>(
        "SELECT entry_id FROM summaries WHERE failed = ? ORDER BY entry_id LIMIT ?",
        failed ? 1 : 0,
        limit,
      )
      .toArray()
      .map((row) => row.entry_id);
  }

  done(entryId: string): void {
    this.sql.exec("DELETE FROM summaries WHERE entry_id = ?", entryId);
  }

  /** No model was to be had: it is asked again when rewrites are due. */
  failed(entryId: string): void {
    this.sql.exec("UPDATE summaries SET failed = 1 WHERE entry_id = ?", entryId);
  }

  countFailed(): number {
    return this.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM summaries WHERE failed = 1").one().n;
  }
}
