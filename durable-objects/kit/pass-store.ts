/** How supervisors decided on the work of an object, in order, in its table `passes (n, state)`. */
import type { SupervisionState } from "../../src/supervision/state.js";
import { packed, storedStateSchema, storedTexts } from "../../src/supervision/stored-state.js";
import { readJsonRows } from "./json-rows.js";

export class PassStore {
  constructor(private readonly sql: SqlStorage) {}

  add(state: SupervisionState): void {
    this.sql.exec("INSERT INTO passes (state) VALUES (?)", JSON.stringify(packed(state)));
  }

  /** What became of a pass that was held for a review. Of passes that are alike, any one is it. */
  replace(before: SupervisionState, after: SupervisionState): void {
    this.sql.exec(
      "UPDATE passes SET state = ? WHERE n = (SELECT n FROM passes WHERE state IN (?, ?) ORDER BY n LIMIT 1)",
      JSON.stringify(packed(after)),
      ...storedTexts(before),
    );
  }

  /** Those that had a part in the work, in the order of their events. */
  all(): SupervisionState[] {
    const passes = readJsonRows(this.sql, storedStateSchema, "SELECT state FROM passes ORDER BY n");
    return passes.filter(({ beside }) => !beside);
  }
}
