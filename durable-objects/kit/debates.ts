/** Debates of panels within the work of an object, each under an id of its own, as they stand: read when the work is over, too. */
import { type DebateRecord, debateRecordSchema } from "../../src/roundtable/debate-record.js";

export class DebateBook {
  constructor(private readonly sql: SqlStorage) {}

  /** In the write of the step after which it stands so. */
  put(work: string, record: DebateRecord): void {
    this.sql.exec(
      "INSERT INTO debates (debate_id, work, body) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
      record.sessionId,
      work,
      JSON.stringify(record),
    );
  }

  get(debateId: string): { readonly work: string; readonly record: DebateRecord } | undefined {
    const [row] = this.sql
      .exec<{ work: string; body: string }>("SELECT work, body FROM debates WHERE debate_id = ?", debateId)
      .toArray();
    return row === undefined ? undefined : { work: row.work, record: debateRecordSchema.parse(JSON.parse(row.body)) };
  }

  /** Its positions may quote any text of the work. */
  erase(work: string): void {
    this.sql.exec("DELETE FROM debates WHERE work = ?", work);
  }
}
