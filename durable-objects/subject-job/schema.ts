/** The tables of a job on a person's data, besides the kit's. Steps are only ever added. */
import { renewed, type SchemaStep } from "../kit/schema.js";

const steps: readonly SchemaStep[] = [
  {
    name: "subject job",
    sql: `
      CREATE TABLE job (
        one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL,
        -- JSON; without the subject once that is erased.
        definition TEXT NOT NULL, status TEXT NOT NULL, ended_at INTEGER, holds TEXT NOT NULL DEFAULT '[]', failure TEXT,
        -- Whole passes over all kinds: what came in the meantime is found by the next one.
        passes INTEGER NOT NULL DEFAULT 0);
      -- The journal: what a kind has come to, and where its next slice begins. NULL: it is counted first.
      CREATE TABLE kinds (
        position INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE, found INTEGER, done INTEGER NOT NULL DEFAULT 0,
        kept INTEGER NOT NULL DEFAULT 0, why TEXT, next TEXT, is_done INTEGER NOT NULL DEFAULT 0);
      -- The files of an export, in parts.
      CREATE TABLE parts (n INTEGER PRIMARY KEY, kind TEXT NOT NULL, lines INTEGER NOT NULL, body TEXT NOT NULL);
      CREATE INDEX parts_of_kind ON parts (kind, n);`,
  },
];

export const subjectJobSchemaSteps = renewed(
  {
    name: "new jobs",
    sql: `CREATE TABLE job (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, definition TEXT NOT NULL, status TEXT NOT NULL,
        ended_at INTEGER, holds TEXT NOT NULL DEFAULT '[]', failure TEXT, passes INTEGER NOT NULL DEFAULT 0)`,
    tables: {
      kinds: `CREATE TABLE kinds (position INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE, found INTEGER, done INTEGER NOT NULL DEFAULT 0,
        kept INTEGER NOT NULL DEFAULT 0, why TEXT, next TEXT, is_done INTEGER NOT NULL DEFAULT 0)`,
      parts: `CREATE TABLE parts (n INTEGER PRIMARY KEY, kind TEXT NOT NULL, lines INTEGER NOT NULL, body TEXT NOT NULL);
        CREATE INDEX parts_of_kind ON parts (kind, n)`,
    },
  },
  steps,
);
