/** D1 that notes how many rows its statements read, by D1's own account. */

export interface RecordedDb {
  readonly db: D1Database;
  /** Rows read since the last time this was asked. */
  rowsRead(): number;
}

/** What is behind a statement that this file made: D1 takes only its own in a batch. */
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

export function recordedDb(db: D1Database): RecordedDb {
  let rows = 0;
  const note = <T extends { meta: D1Meta }>(result: T): T => {
    rows += result.meta.rows_read;
    return result;
  };
  const recorded = (statement: D1PreparedStatement): D1PreparedStatement => {
    const made = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => recorded(target.bind(...values));
        if (name === "all" || name === "run") return async () => note(await target.all());
        if (name === "first") return async () => note(await target.all()).results[0] ?? null;
        throw new Error(`a recorded statement has no ${String(name)}`);
      },
    });
    originals.set(made, statement);
    return made;
  };
  const wrapped = new Proxy(db, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => recorded(target.prepare(sql));
      if (name !== "batch") throw new Error(`a recorded database has no ${String(name)}`);
      return async (statements: D1PreparedStatement[]) =>
        (await target.batch(statements.map((one) => originals.get(one) ?? one))).map(note);
    },
  });
  return {
    db: wrapped,
    rowsRead() {
      const read = rows;
      rows = 0;
      return read;
    },
  };
}
