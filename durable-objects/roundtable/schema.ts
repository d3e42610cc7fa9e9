/** The tables of a roundtable, besides the kit's. */
import { renewed, type SchemaStep } from "../kit/schema.js";

const steps: readonly SchemaStep[] = [
  {
    name: "roundtable",
    sql: `
      CREATE TABLE roundtable (
        one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, roundtable_id TEXT NOT NULL, key_id TEXT,
        -- As it was sent: the restricted record. What is shown is the effective topic.
        definition TEXT NOT NULL, salt TEXT NOT NULL, topic TEXT, perspectives TEXT,
        paused INTEGER NOT NULL DEFAULT 0, exit TEXT, error TEXT, synthesis TEXT, degraded TEXT NOT NULL DEFAULT '[]',
        spent TEXT NOT NULL, works INTEGER NOT NULL DEFAULT 0, last_command TEXT,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER);
      -- Complete rounds.
      CREATE TABLE rounds (round INTEGER PRIMARY KEY, body TEXT NOT NULL);
      -- What is worked on, and the positions that were taken in it so far.
      CREATE TABLE command (
        one INTEGER PRIMARY KEY CHECK (one = 1), work TEXT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL);
      CREATE TABLE positions (seat TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE requests (request_id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE passes (n INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL);`,
  },
  {
    name: "what seats did",
    // With tools: a later round doesn't do it again.
    sql: "CREATE TABLE effects (n INTEGER PRIMARY KEY, body TEXT NOT NULL);",
  },
  {
    name: "what seats are doing",
    // Of the round that is worked on: kept if it comes to no end.
    sql: "CREATE TABLE effects_under_way (call TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;",
  },
];

export const roundtableSchemaSteps = renewed(
  {
    name: "new roundtables",
    sql: `CREATE TABLE roundtable (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, roundtable_id TEXT NOT NULL, key_id TEXT,
        definition TEXT NOT NULL, salt TEXT NOT NULL, topic TEXT, perspectives TEXT, paused INTEGER NOT NULL DEFAULT 0, exit TEXT,
        error TEXT, synthesis TEXT, degraded TEXT NOT NULL DEFAULT '[]', spent TEXT NOT NULL, works INTEGER NOT NULL DEFAULT 0,
        last_command TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER)`,
    tables: {
      rounds: `CREATE TABLE rounds (round INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
      command: `CREATE TABLE command (one INTEGER PRIMARY KEY CHECK (one = 1), work TEXT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL)`,
      positions: `CREATE TABLE positions (seat TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID`,
      requests: `CREATE TABLE requests (request_id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID`,
      passes: `CREATE TABLE passes (n INTEGER PRIMARY KEY AUTOINCREMENT, state TEXT NOT NULL)`,
      effects: `CREATE TABLE effects (n INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
      effects_under_way: `CREATE TABLE effects_under_way (call TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID`,
    },
  },
  steps,
);
