/** The SQL of what supervision decided of a session's texts. The passes of the turn under way are kept in memory. */

import { exec } from "../../src/platform/sql.js";
import { type SupervisionState, withoutTexts } from "../../src/supervision/state.js";
import { packed, storedStateSchema, storedTexts } from "../../src/supervision/stored-state.js";
import { ParsedTexts } from "../kit/parsed-texts.js";

export interface StoredPass {
  readonly seq: number;
  readonly turnId: string;
  readonly at: number;
  readonly state: SupervisionState;
}

export class PassStore {
  private readonly states = new ParsedTexts(storedStateSchema);
  private kept: { readonly turnId: string; readonly states: readonly SupervisionState[] } | undefined;

  constructor(private readonly sql: SqlStorage) {}

  /** A write was rolled back: what was read within it doesn't hold. */
  onRollback(): void {
    this.kept = undefined;
  }

  /** A turn begins: it has none yet. */
  begin(turnId: string): void {
    this.kept = { turnId, states: [] };
  }

  add(turnId: string, state: SupervisionState, at: number): void {
    exec(this.sql)`
      INSERT INTO passes (turn_id, at, state) VALUES (${turnId}, ${at}, ${JSON.stringify(packed(state))})`;
    if (this.kept?.turnId === turnId && !state.beside) this.kept = { turnId, states: [...this.kept.states, state] };
  }

  /** What became of a pass that was held for a review. Of passes that are alike, any one is it. */
  replace(turnId: string, before: SupervisionState, after: SupervisionState): void {
    this.kept = undefined;
    this.sql.exec(
      "UPDATE passes SET state = ? WHERE seq = (SELECT seq FROM passes WHERE turn_id = ? AND state IN (?, ?) ORDER BY seq LIMIT 1)",
      JSON.stringify(packed(after)),
      turnId,
      ...storedTexts(before),
    );
  }

  /** Reasons as they were given may quote the text: when it is erased, they go. */
  forgetTexts(turnId: string): void {
    this.kept = undefined;
    for (const { seq, state } of this.read("WHERE turn_id = ? ORDER BY seq", turnId)) {
      exec(this.sql)`UPDATE passes SET state = ${JSON.stringify(packed(withoutTexts(state)))} WHERE seq = ${seq}`;
    }
  }

  after(seq: number, limit: number): StoredPass[] {
    return this.read("WHERE seq > ? ORDER BY seq LIMIT ?", seq, limit);
  }

  /** Those that had a part in it, in the order of their events. */
  ofTurn(turnId: string): readonly SupervisionState[] {
    if (this.kept?.turnId === turnId) return this.kept.states;
    return this.read("WHERE turn_id = ? ORDER BY seq", turnId)
      .map(({ state }) => state)
      .filter(({ beside }) => !beside);
  }

  private read(rest: string, ...bindings: (string | number)[]): StoredPass[] {
    return this.sql
      .exec<{ seq: number; turn_id: string; at: number; state: string }>(
        `SELECT seq, turn_id, at, state FROM passes ${rest}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({ seq: row.seq, turnId: row.turn_id, at: row.at, state: this.states.read(row.state) }));
  }
}
