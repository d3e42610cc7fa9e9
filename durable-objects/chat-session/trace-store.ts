/** The SQL of what teams did in turns, with its texts: the restricted record behind the events, which keep none. */
import { type TraceEntry, traceEntrySchema } from "../../src/routing/trace.js";

export class TraceStore {
  constructor(private readonly sql: SqlStorage) {}

  /** @param seq the number of the entry's event. */
  add(seq: number, turnId: string, entry: TraceEntry): void {
    this.sql.exec("INSERT INTO trace (seq, turn_id, entry) VALUES (?, ?, ?)", seq, turnId, JSON.stringify(entry));
  }

  /** The entries of a turn by the numbers of their events; none of what was erased. */
  ofTurn(turnId: string): ReadonlyMap<number, TraceEntry> {
    const rows = this.sql
      .exec<{ seq: number; entry: string }>("SELECT seq, entry FROM trace WHERE turn_id = ? ORDER BY seq", turnId)
      .toArray();
    return new Map(rows.map(({ seq, entry }) => [seq, traceEntrySchema.parse(JSON.parse(entry))]));
  }

  /** Tasks, reasons and results may quote any text of the turn. */
  erase(turnId: string): void {
    this.sql.exec("DELETE FROM trace WHERE turn_id = ?", turnId);
  }
}
