/** Seals what D1 holds sealed under the current key, slice by slice, and keeps how far it is. */
import { z } from "zod";
import { reseal, type Sealer } from "../platform/secrets.js";
import { all, batch, type Database, first, joined, raw, run, type Sql, sql } from "../platform/sql.js";
import { lazily } from "../text/lazily.js";

/** Where sealed texts lie: a line a column, with the table's key. What seals into another one is added here. */
export const sealedColumns = [
  { table: "tenants", column: "settings", key: ["tenant_id"] },
  { table: "resource_versions", column: "body", key: ["tenant_id", "kind", "name", "version"] },
  { table: "webhooks", column: "body", key: ["tenant_id", "name"] },
  { table: "secrets", column: "sealed", key: ["tenant_id", "name"] },
  { table: "channels", column: "body", key: ["channel_id"] },
  { table: "key_claims", column: "sealed_key", key: ["scope", "sender", "idempotency_key"] },
  { table: "idempotency", column: "sealed_answer", key: ["scope", "idempotency_key"] },
  { table: "creation_keys", column: "id", key: ["tenant_id", "sender", "idempotency_key"] },
] as const;

/** Rows that are read at once. */
const sliceRows = 50;

const cursorSchema = lazily(() => z.tuple([z.int(), z.array(z.union([z.string(), z.number()]))]));
const row = lazily(() =>
  z
    .object({
      begun_at: z.number(),
      cursor: z.string().nullable(),
      found: z.number(),
      resealed: z.number(),
      unopened: z.number(),
      finished_at: z.number().nullable(),
    })
    .transform(({ begun_at, finished_at, ...rest }) => ({
      ...{ ...rest, begunAt: begun_at, finishedAt: finished_at ?? undefined },
    })),
);
/** Where the sealing anew of everything is. Times are milliseconds since the epoch. */
export type Resealing = z.infer<ReturnType<typeof row>>;
const sealedRow = lazily(() => z.object({ key: z.string(), text: z.string() }));

export class ResealStore {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /** Of the key in force; nothing while it was never begun. */
  async progress(): Promise<Resealing | undefined> {
    return first(this.db, row())`SELECT * FROM reseals WHERE key_id = ${await this.keyId()}`;
  }

  /** Begins it, or goes on; one that was finished begins anew. */
  async begin(): Promise<void> {
    await run(this.db)`INSERT INTO reseals (key_id, begun_at) VALUES (${await this.keyId()}, ${this.now()})
      ON CONFLICT DO UPDATE SET finished_at = NULL, cursor = NULL, found = 0, unopened = 0 WHERE finished_at IS NOT NULL`;
  }

  /**
   * One slice more: what changes and how far it is are one write, so that a slice which dies is done again, and one that two do is done once.
   * @returns where it is then; nothing where it was never begun
   */
  async slice(): Promise<Resealing | undefined> {
    const at = await this.progress();
    if (at === undefined || at.finishedAt !== undefined) return at;
    const [place, after] = at.cursor === null ? [0, []] : cursorSchema().parse(JSON.parse(at.cursor));
    const column = sealedColumns[place];
    const rows = column === undefined ? [] : await this.rows(column, after);
    const updates: Sql[] = [];
    let [resealed, unopened] = [0, 0];
    for (const { key, text } of rows) {
      const fresh = await reseal(text, this.sealer);
      unopened += fresh.unopened;
      resealed += fresh.resealed;
      if (column === undefined || fresh.text === text) continue;
      const name = raw(column.column);
      // Whoever has written it meanwhile is right: the next pass looks at it.
      updates.push(sql`UPDATE ${raw(column.table)} SET ${name} = ${fresh.text}
        WHERE ${keyOf(column.key)} = ${valuesOf(column.key, key)} AND ${name} = ${text}`);
    }
    const last = rows.length < sliceRows ? undefined : rows.at(-1);
    const next = last === undefined ? `[${place + 1},[]]` : `[${place},${last.key}]`;
    const isPassOver = last === undefined && place + 1 >= sealedColumns.length;
    const isFinished = isPassOver && at.found + resealed === 0;
    await batch(this.db, [
      ...updates,
      sql`UPDATE reseals SET cursor = ${isPassOver ? null : next}, resealed = resealed + ${resealed},
          found = ${isPassOver ? 0 : at.found + resealed},
          unopened = ${isPassOver && !isFinished ? 0 : at.unopened + unopened},
          finished_at = ${isFinished ? this.now() : null}
        WHERE key_id = ${await this.keyId()} AND cursor IS ${at.cursor} AND finished_at IS NULL`,
    ]);
    return this.progress();
  }

  private rows({ table, column, key }: (typeof sealedColumns)[number], after: readonly (string | number)[]) {
    const names = raw(key.join(", "));
    const behind = after.length === 0 ? sql`1` : sql`${keyOf(key)} > ${valuesOf(key, JSON.stringify(after))}`;
    return all(this.db, sealedRow())`SELECT json_array(${names}) AS key, ${raw(column)} AS text FROM ${raw(table)}
      WHERE ${behind} AND ${raw(column)} IS NOT NULL ORDER BY ${names} LIMIT ${sliceRows}`;
  }

  private async keyId(): Promise<string | undefined> {
    return (await this.sealer.keyIds())[0];
  }
}

function keyOf(key: readonly string[]): Sql {
  return raw(`(${key.join(", ")})`);
}

/** @param values as JSON, in the order of the key */
function valuesOf(key: readonly string[], values: string): Sql {
  const each = key.map((_, at) => sql`json_extract(${values}, ${`$[${at}]`})`);
  return sql`(${joined(each, ", ")})`;
}
