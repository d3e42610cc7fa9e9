/** Lists of copies that objects keep in D1: their conditions (what isn't given filters nothing), and how they are read. */
import { z } from "zod";
import { all, type Database, joined, raw, type Sql, sql } from "../platform/sql.js";

/** Rows whose columns are just these. */
export function equals(columns: Readonly<Record<string, string | undefined>>): Sql[] {
  return Object.entries(columns).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${raw(name)} = ${value}`],
  );
}

/** Rows whose body has these entries of metadata, each written as text: `4`, `true`, `blue`. */
export function hasMetadata(metadata: Readonly<Record<string, string>> = {}): Sql[] {
  return Object.entries(metadata).map(
    ([name, value]) => sql`EXISTS (SELECT 1 FROM json_each(body, '$.metadata') WHERE key = ${name}
        AND CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(atom AS TEXT) END = ${value})`,
  );
}

/**
 * Names the first index whose value is given. Without statistics the database takes the primary key for as good, and reads all rows
 * of the tenant.
 * @param values by index, the most selective one first: what its column after `tenant_id` has to be
 * @example sql`SELECT body FROM runs${byIndex({ runs_by_team: team })} WHERE tenant_id = ${tenantId}`
 */
export function byIndex(values: Readonly<Record<string, string | undefined>>): Sql {
  const index = Object.keys(values).find((name) => values[name] !== undefined);
  return raw(index === undefined ? "" : ` INDEXED BY ${index}`);
}

/** All of them, to be appended to a WHERE that has a condition already. */
export function allOf(conditions: readonly Sql[]): Sql {
  return joined(
    conditions.map((condition) => sql` AND ${condition}`),
    "",
  );
}

const bodyRow = z.object({ body: z.string() });

/** What the bodies of rows say. */
export async function bodiesOf<T>(db: Database, body: z.ZodType<T>, query: Sql): Promise<T[]> {
  return (await all(db, bodyRow)`${query}`).map((row) => body.parse(JSON.parse(row.body)));
}

interface Copies<T> {
  readonly table: string;
  /** The column of the id, by which they are sorted. */
  readonly id: string;
  readonly body: z.ZodType<T>;
}

/** A page of a tenant's copies, newest first. @param before the id that the page before ended with */
export function newestFirst<T>(
  db: Database,
  { table, id, body }: Copies<T>,
  tenantId: string,
  filter: { readonly conditions: readonly Sql[]; readonly index: Sql },
  before: string | undefined,
  limit: number,
): Promise<T[]> {
  const isBefore = before === undefined ? [] : [sql`${raw(id)} < ${before}`];
  const query = sql`SELECT body FROM ${raw(table)}${filter.index}
    WHERE tenant_id = ${tenantId}${allOf([...filter.conditions, ...isBefore])} ORDER BY ${raw(id)} DESC LIMIT ${limit}`;
  return bodiesOf(db, body, query);
}
