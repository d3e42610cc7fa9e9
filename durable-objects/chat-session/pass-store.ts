/** The SQL of what supervision decided of a session's texts. The passes of the turn under way are kept in memory. */

import { exec, listed, type Sql, sql } from "../../src/platform/sql.js";
import { type SupervisionState, withoutTexts } from "../../src/supervision/state.js";
import { packed, storedStateSchema, storedTexts } from "../../src/supervision/stored-state.js";
import { ParsedTexts } from "../kit/parsed-texts.js";
import type { TurnStore } from "./turn-store.js";

export interface StoredPass {
  readonly seq: number;
  readonly turnId: string;
  readonly at: number;
  readonly state: SupervisionState;
}

export class PassStore {
  private readonly states = new ParsedTexts(storedStateSchema);
  private kept: { readonly turnId: string; readonly states: readonly SupervisionState[] } | undefined;
  /** The number of the last there is; read when it is asked for. */
  private last: number | undefined;

  constructor(
    private readonly sql: SqlStorage,
    private readonly turns: Pick<TurnStore, "get" | "extendPasses">,
  ) {}

  /** A write was rolled back: what was read within it doesn't hold. */
  onRollback(): void {
    this.kept = undefined;
    this.last = undefined;
  }

  lastNumber(): number {
    this.last ??= exec<{ seq: number }>(this.sql)`SELECT COALESCE(MAX(seq), 0) AS seq FROM passes`.one().seq;
    return this.last;
  }

  /** A turn begins: it has none yet. */
  begin(turnId: string): void {
    this.kept = { turnId, states: [] };
  }

  /** @param unsent its row of the audit goes with those of {@link unsent} */
  add(turnId: string, state: SupervisionState, at: number, { unsent = false } = {}): void {
    const seq = this.lastNumber() + 1;
    exec(this.sql)`
      INSERT INTO passes (seq, turn_id, at, state, unsent)
      VALUES (${seq}, ${turnId}, ${at}, ${JSON.stringify(packed(state))}, ${unsent ? 1 : null})`;
    this.last = seq;
    this.turns.extendPasses(turnId, seq);
    if (this.kept?.turnId === turnId && !state.beside) this.kept = { turnId, states: [...this.kept.states, state] };
  }

  /** Those of a turn whose rows of the audit are still to be sent, in order. */
  unsent(turnId: string): StoredPass[] {
    return this.read(sql`WHERE ${this.isOf(turnId)} AND unsent = 1 ORDER BY seq`);
  }

  /** They are sent, in the write that is under way. An end says it for all of its turn, and needs no row for it. */
  markSent(passes: readonly StoredPass[]): void {
    if (passes.length === 0) return;
    exec(this.sql)`UPDATE passes SET unsent = NULL WHERE seq IN ${listed(passes.map(({ seq }) => seq))}`;
  }

  /** What became of a pass that was held for a review. Of passes that are alike, any one is it. */
  replace(turnId: string, before: SupervisionState, after: SupervisionState): void {
    this.kept = undefined;
    const [today, earlier] = storedTexts(before);
    exec(this.sql)`UPDATE passes SET state = ${JSON.stringify(packed(after))} WHERE seq =
      (SELECT seq FROM passes WHERE ${this.isOf(turnId)} AND state IN (${today}, ${earlier}) ORDER BY seq LIMIT 1)`;
  }

  /** Reasons as they were given may quote the text: when it is erased, they go. */
  forgetTexts(turnId: string): void {
    this.kept = undefined;
    for (const { seq, state } of this.read(sql`WHERE ${this.isOf(turnId)} ORDER BY seq`)) {
      exec(this.sql)`UPDATE passes SET state = ${JSON.stringify(packed(withoutTexts(state)))} WHERE seq = ${seq}`;
    }
  }

  after(seq: number, limit: number): StoredPass[] {
    return this.read(sql`WHERE seq > ${seq} ORDER BY seq LIMIT ${limit}`);
  }

  /** Those that had a part in it, in the order of their events. */
  ofTurn(turnId: string): readonly SupervisionState[] {
    if (this.kept?.turnId === turnId) return this.kept.states;
    return this.read(sql`WHERE ${this.isOf(turnId)} ORDER BY seq`)
      .map(({ state }) => state)
      .filter(({ beside }) => !beside);
  }

  /** Those of a turn, which has no index: they lie where its row says. */
  private isOf(turnId: string): Sql {
    const { first = 0, last } = this.turns.get(turnId)?.passes ?? {};
    return sql`seq BETWEEN ${first} AND ${last ?? Number.MAX_SAFE_INTEGER} AND turn_id = ${turnId}`;
  }

  private read(rest: Sql): StoredPass[] {
    return exec<{ seq: number; turn_id: string; at: number; state: string }>(this.sql)`
      SELECT seq, turn_id, at, state FROM passes ${rest}`
      .toArray()
      .map((row) => ({ seq: row.seq, turnId: row.turn_id, at: row.at, state: this.states.read(row.state) }));
  }
}
