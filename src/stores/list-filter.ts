/** Conditions of a list's query: what isn't given filters nothing. */
export interface Condition {
  readonly sql: string;
  readonly bindings: readonly (string | number)[];
}

/** Rows whose column is just this. */
export function equals(column: string, value: string | undefined): Condition[] {
  return value === undefined ? [] : [{ sql: `${column} = ?`, bindings: [value] }];
}

/** Rows whose body has these entries of metadata, each written as text: `4`, `true`, `blue`. */
export function hasMetadata(metadata: Readonly<Record<string, string>> = {}): Condition[] {
  return Object.entries(metadata).map(([name, value]) => ({
    sql: "EXISTS (SELECT 1 FROM json_each(body, '$.metadata') WHERE key = ? AND CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(atom AS TEXT) END = ?)",
    bindings: [name, value],
  }));
}

/**
 * Names the first index whose value is given. Without statistics the database takes the primary key for as good, and reads all rows
 * of the tenant.
 * @param values by index, the most selective one first: what its column after `tenant_id` has to be
 * @example `SELECT body FROM runs${byIndex({ runs_by_team: team })} WHERE tenant_id = ?`
 */
export function byIndex(values: Readonly<Record<string, string | undefined>>): string {
  const [index] = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return index === undefined ? "" : ` INDEXED BY ${index}`;
}

/** All of them, to be appended to a WHERE that has a condition already. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => ` AND ${sql}`).join(""),
    bindings: conditions.flatMap(({ bindings }) => bindings),
  };
}
