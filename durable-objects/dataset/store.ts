/** The SQL of a dataset: its items and their versions. What its evals keep is in `eval-store.ts`. */
import { z } from "zod";
import { type Item, itemSchema, type NewItem } from "../../src/evidence/item.js";
import { exec, listed } from "../../src/platform/sql.js";

type Row = Record<string, SqlStorageValue>;

const datasetRow = z
  .object({
    tenant_id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    version: z.number(),
    created_at: z.number(),
    updated_at: z.number(),
  })
  .transform((row) => ({
    tenantId: row.tenant_id,
    name: row.name,
    description: row.description ?? undefined,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
export type DatasetRecord = z.infer<typeof datasetRow>;

/** An item with its place. */
export interface PlacedItem {
  readonly n: number;
  readonly item: Item;
}

export class DatasetStore {
  private readonly exec;

  constructor(sql: SqlStorage) {
    this.exec = exec<Row>(sql);
  }

  create(tenantId: string, name: string, at: number): void {
    this.exec`INSERT INTO dataset (one, tenant_id, name, version, created_at, updated_at)
      VALUES (1, ${tenantId}, ${name}, 0, ${at}, ${at})`;
  }

  dataset(): DatasetRecord {
    return datasetRow.parse(this.exec`SELECT * FROM dataset`.one());
  }

  describe(description: string | undefined, at: number): void {
    this.exec`UPDATE dataset SET description = ${description}, updated_at = ${at}`;
  }

  /** The version that a change makes. */
  nextVersion(at: number): number {
    return Number(
      this.exec`UPDATE dataset SET version = version + 1, updated_at = ${at} RETURNING version`.one().version,
    );
  }

  /** Which of these are there now. */
  known(itemIds: readonly string[]): Set<string> {
    const rows = this.exec`SELECT item_id FROM items WHERE until IS NULL AND item_id IN ${listed(itemIds)}`.toArray();
    return new Set(rows.map(({ item_id }) => String(item_id)));
  }

  add(item: Item, version: number): void {
    const { itemId, ...body } = item;
    this.exec`INSERT INTO items (n, since, item_id, body)
      SELECT COALESCE(MAX(n), 0) + 1, ${version}, ${itemId}, ${JSON.stringify(body)} FROM items`;
  }

  /** Takes the place of the item as it stood. */
  replace({ n, item }: PlacedItem, version: number): void {
    const { itemId, ...body } = item;
    this.end(n, version);
    this.exec`INSERT INTO items (n, since, item_id, body) VALUES (${n}, ${version}, ${itemId}, ${JSON.stringify(body)})
      ON CONFLICT DO UPDATE SET body = excluded.body, until = NULL`;
  }

  /** The item and what was said of it are gone, from every version and eval. */
  erase(itemId: string): boolean {
    const [row] = this.exec`SELECT n FROM items WHERE item_id = ${itemId} LIMIT 1`.toArray();
    if (row === undefined) return false;
    const n = Number(row.n);
    this.exec`DELETE FROM results WHERE n = ${n}`;
    this.exec`DELETE FROM items WHERE n = ${n}`;
    return true;
  }

  /** What was answered, and called with which arguments, in results of a turn. @returns how many had such texts */
  eraseTexts(sessionId: string, turnId: string): number {
    return this
      .exec`UPDATE results SET body = json_replace(json_remove(body, '$.text'), '$.diverged', 'what was erased')
      WHERE (body ->> 'text' IS NOT NULL OR body ->> 'diverged' IS NOT NULL) AND n IN (SELECT n FROM items
        WHERE body ->> '$.input.sessionId' = ${sessionId} AND body ->> '$.input.turnId' = ${turnId})`.rowsWritten;
  }

  /** Items that were drawn from a session, of any version. */
  drawnFrom(sessionId: string): string[] {
    const rows = this.exec`SELECT DISTINCT item_id FROM items
      WHERE body ->> 'group' = ${sessionId} OR body ->> '$.input.sessionId' = ${sessionId}`;
    return rows.toArray().map(({ item_id }) => String(item_id));
  }

  item(itemId: string): PlacedItem | undefined {
    const [row] = this.exec`SELECT n, item_id, body FROM items WHERE item_id = ${itemId} AND until IS NULL`.toArray();
    return row && placed(row);
  }

  /** Those of a version, in their order. @param limit at most so many */
  items(version: number, after: number, limit: number): PlacedItem[] {
    return this.exec`SELECT n, item_id, body FROM items
      WHERE n > ${after} AND since <= ${version} AND (until IS NULL OR until > ${version})
      ORDER BY n LIMIT ${limit}`
      .toArray()
      .map(placed);
  }

  counts(version: number): { readonly items: number; readonly labelled: number } {
    const { items, labelled } = this.exec`SELECT COUNT(*) AS items, COUNT(body ->> 'expected') AS labelled FROM items
        WHERE since <= ${version} AND (until IS NULL OR until > ${version})`.one();
    return { items: Number(items), labelled: Number(labelled) };
  }

  /** Items at these places as a version has them. */
  at(version: number, places: readonly number[]): PlacedItem[] {
    return this.exec`SELECT n, item_id, body FROM items WHERE n IN ${listed(places)} AND since <= ${version}
        AND (until IS NULL OR until > ${version})`
      .toArray()
      .map(placed);
  }

  private end(n: number, version: number): void {
    this.exec`UPDATE items SET until = ${version} WHERE n = ${n} AND until IS NULL AND since < ${version}`;
  }
}

function placed({ n, item_id, body }: Row): PlacedItem {
  const stored: NewItem & object = JSON.parse(String(body));
  return { n: Number(n), item: itemSchema().parse({ ...stored, itemId: item_id }) };
}
