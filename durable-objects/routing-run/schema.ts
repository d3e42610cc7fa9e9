/** The tables of a run, besides the kit's. */
import { renewed, type SchemaStep, withApprovals } from "../kit/schema.js";

const runTables = `
      CREATE TABLE run (
        one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, run_id TEXT NOT NULL,
        -- As it was sent: the restricted record. What is shown is the effective input.
        definition TEXT NOT NULL, salt TEXT NOT NULL, status TEXT NOT NULL, input TEXT,
        crashes INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, ended_at INTEGER, outcome TEXT);
      CREATE TABLE trace (n INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL);
      CREATE TABLE passes (n INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL);`;

const steps: readonly SchemaStep[] = [
  { name: "run", sql: runTables, formerly: [withApprovals(runTables)] },
  {
    name: "usage",
    sql: `
      -- What its models have taken so far, counted in the write of each call's result.
      CREATE TABLE usage (
        one INTEGER PRIMARY KEY CHECK (one = 1), model_calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL);
      INSERT INTO usage VALUES (1, 0, 0, 0);`,
  },
  {
    name: "usage is read from the journal",
    sql: "DROP TABLE usage;",
  },
  { name: "who began the run", sql: "ALTER TABLE run ADD COLUMN key_id TEXT;" },
];

export const routingRunSchema = renewed(
  {
    name: "new runs",
    sql: `CREATE TABLE run (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, run_id TEXT NOT NULL, definition TEXT NOT NULL,
        salt TEXT NOT NULL, status TEXT NOT NULL, input TEXT, crashes INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
        ended_at INTEGER, outcome TEXT, key_id TEXT)`,
    tables: {
      trace: `CREATE TABLE trace (n INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL)`,
      passes: `CREATE TABLE passes (n INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL)`,
    },
  },
  steps,
);
