/** The tables of a dataset, besides the kit's. Steps are only ever added. */
import { renewed, type SchemaStep } from "../kit/schema.js";

const steps: readonly SchemaStep[] = [
  {
    name: "dataset",
    sql: `
      CREATE TABLE dataset (
        one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT,
        version INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
      -- An item as it stood from one version up to another, which is left out; n is its place, which never changes.
      CREATE TABLE items (
        n INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER, item_id TEXT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (n, since)) WITHOUT ROWID;
      CREATE INDEX items_by_id ON items (item_id, since);
      CREATE TABLE evals (
        eval_id TEXT PRIMARY KEY, version INTEGER NOT NULL, definition TEXT NOT NULL, status TEXT NOT NULL, reason TEXT,
        items INTEGER NOT NULL, wanted INTEGER NOT NULL, estimate TEXT NOT NULL, max_tokens INTEGER,
        -- The last item whose results are all there; what is left of a budget is what nobody has spent or reserved.
        done_to INTEGER NOT NULL, slice INTEGER NOT NULL, spent INTEGER NOT NULL, reserved INTEGER NOT NULL,
        greatest INTEGER NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER) WITHOUT ROWID;
      CREATE TABLE results (
        eval_id TEXT NOT NULL, n INTEGER NOT NULL, candidate INTEGER NOT NULL, repeat INTEGER NOT NULL,
        failed INTEGER NOT NULL, correct INTEGER, body TEXT NOT NULL,
        PRIMARY KEY (eval_id, n, candidate, repeat)) WITHOUT ROWID;`,
  },
];

export const datasetSchema = renewed(
  {
    name: "new datasets",
    sql: `CREATE TABLE dataset (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT,
        version INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL)`,
    tables: {
      items: `CREATE TABLE items (n INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER, item_id TEXT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (n, since)) WITHOUT ROWID;
        CREATE INDEX items_by_id ON items (item_id, since)`,
      evals: `CREATE TABLE evals (eval_id TEXT PRIMARY KEY, version INTEGER NOT NULL, definition TEXT NOT NULL, status TEXT NOT NULL, reason TEXT,
        items INTEGER NOT NULL, wanted INTEGER NOT NULL, estimate TEXT NOT NULL, max_tokens INTEGER, done_to INTEGER NOT NULL,
        slice INTEGER NOT NULL, spent INTEGER NOT NULL, reserved INTEGER NOT NULL, greatest INTEGER NOT NULL,
        created_at INTEGER NOT NULL, ended_at INTEGER) WITHOUT ROWID`,
      results: `CREATE TABLE results (eval_id TEXT NOT NULL, n INTEGER NOT NULL, candidate INTEGER NOT NULL, repeat INTEGER NOT NULL,
        failed INTEGER NOT NULL, correct INTEGER, body TEXT NOT NULL, PRIMARY KEY (eval_id, n, candidate, repeat)) WITHOUT ROWID`,
    },
  },
  steps,
);
