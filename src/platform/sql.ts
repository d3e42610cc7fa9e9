/**
 * SQL with its values in place, for D1 and for objects: what stands in `${…}` is bound, never written into the text, but for pieces that are `sql`
 * themselves.
 * @example await first(db, vaultRow)`SELECT * FROM vaults WHERE tenant_id = ${tenantId} AND vault_id = ${vaultId}`
 */
import { z } from "zod";

/** A database of D1, or a session of it. */
export type Database = Pick<D1Database, "prepare" | "batch">;

/** Undefined is bound as NULL. */
type Value = string | number | null | undefined | Int8Array | Uint8Array;

/** A piece of SQL, or all of a statement, with what is bound in it. */
export class Sql {
  constructor(
    readonly text: string,
    readonly values: readonly Value[],
  ) {}
}

type Parts = readonly (Value | Sql)[];

export function sql(texts: TemplateStringsArray, ...parts: Parts): Sql {
  const pieces = parts.map((part) => (part instanceof Sql ? part : new Sql("?", [part])));
  return new Sql(
    texts.map((text, at) => text + (pieces[at]?.text ?? "")).join(""),
    pieces.flatMap(({ values }) => values),
  );
}

/** A text of ours as it stands, such as the name of a column; nothing of a caller's. */
export function raw(text: string): Sql {
  return new Sql(text, []);
}

/**
 * Writes zeros over texts where they stand: SQLite frees the bytes of what is shortened or deleted, and keeps what stood in them. As long as
 * the text, so that the row stays in its place; to be followed by what takes the text away.
 */
export function overwritten(columns: readonly string[]): Sql {
  return raw(columns.map((name) => `${name} = CAST(zeroblob(length(CAST(${name} AS BLOB))) AS TEXT)`).join(", "));
}

/** Pieces one after another. */
export function joined(pieces: readonly Sql[], between: string): Sql {
  return new Sql(
    pieces.map(({ text }) => text).join(between),
    pieces.flatMap(({ values }) => values),
  );
}

/** Values to look among, however many: one that is bound. @example sql`name IN ${listed(names)}` */
export function listed(values: readonly (string | number)[]): Sql {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

function statement(db: Database, { text, values }: Sql): D1PreparedStatement {
  return db.prepare(text).bind(...values.map((value) => value ?? null));
}

/** The first row, as its schema reads it. */
export function first<T>(db: Database, row: z.ZodType<T>) {
  return async (texts: TemplateStringsArray, ...parts: Parts): Promise<T | undefined> => {
    const found = await statement(db, sql(texts, ...parts)).first();
    return found === null ? undefined : row.parse(found);
  };
}

/** Whether there is any row. */
export function exists(db: Database) {
  return async (texts: TemplateStringsArray, ...parts: Parts): Promise<boolean> =>
    (await statement(db, sql(texts, ...parts)).first()) !== null;
}

/** All rows, as their schema reads them. */
export function all<T>(db: Database, row: z.ZodType<T>) {
  return async (texts: TemplateStringsArray, ...parts: Parts): Promise<T[]> => {
    const { results } = await statement(db, sql(texts, ...parts)).all();
    return z.array(row).parse(results);
  };
}

/** Does it. @returns how many rows it changed */
export function run(db: Database) {
  return async (texts: TemplateStringsArray, ...parts: Parts): Promise<number> =>
    (await statement(db, sql(texts, ...parts)).run()).meta.changes;
}

/** All of them or none. */
export function batch(db: Database, queries: readonly Sql[]): Promise<D1Result[]> {
  return db.batch(queries.map((query) => statement(db, query)));
}

/** Does it in an object's own database. */
export function exec<Row extends Record<string, SqlStorageValue>>(storage: SqlStorage) {
  return (texts: TemplateStringsArray, ...parts: Parts): SqlStorageCursor<Row> => {
    const { text, values } = sql(texts, ...parts);
    return storage.exec<Row>(text, ...values.map((value) => value ?? null));
  };
}

/** Whether a statement of a batch changed anything. */
export function hasChanged(result: D1Result | undefined): boolean {
  return (result?.meta.changes ?? 0) > 0;
}
