/** The tables of a memory thread, besides the kit's. */
import { renewed, type SchemaStep } from "../kit/schema.js";

const steps: readonly SchemaStep[] = [
  {
    name: "thread",
    sql: `
      CREATE TABLE thread (
        one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, memory_id TEXT NOT NULL, thread_id TEXT NOT NULL,
        marks TEXT NOT NULL, control TEXT NOT NULL, indexed_seq INTEGER NOT NULL DEFAULT 0, covered_seq INTEGER NOT NULL DEFAULT 0,
        tool_history TEXT NOT NULL DEFAULT '[]', failure TEXT,
        -- While a model is down nobody waits for it; what was written without one is done again at redo_at.
        model_down_until INTEGER NOT NULL DEFAULT 0, redo_at INTEGER, redo_delay INTEGER NOT NULL DEFAULT 0,
        redo_count INTEGER NOT NULL DEFAULT 0, degraded_from INTEGER);
      -- captured: 0 not yet an entry, 1 an entry, 2 an entry with an extract that a model has to write again.
      CREATE TABLE messages (
        seq INTEGER PRIMARY KEY, entry_id TEXT NOT NULL UNIQUE, role TEXT NOT NULL, speaker TEXT, content TEXT NOT NULL,
        occurred_at TEXT NOT NULL, control TEXT NOT NULL, epoch INTEGER NOT NULL, captured INTEGER NOT NULL DEFAULT 0,
        erased INTEGER NOT NULL DEFAULT 0);
      CREATE INDEX messages_uncaptured ON messages (seq) WHERE captured = 0;
      CREATE INDEX messages_degraded ON messages (seq) WHERE captured = 2;
      -- A batch that came with an Idempotency-Key, by its messages.
      CREATE TABLE batches (
        idempotency_key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE flushes (
        to_seq INTEGER PRIMARY KEY, from_seq INTEGER NOT NULL, version INTEGER, done INTEGER NOT NULL DEFAULT 0);
      CREATE INDEX flushes_open ON flushes (to_seq) WHERE done = 0;`,
  },
  {
    name: "erasures",
    // Deletions in the memory that the journal's work knows of.
    sql: "ALTER TABLE thread ADD COLUMN erasures INTEGER NOT NULL DEFAULT 0;",
  },
  {
    name: "rebuild",
    // What the context forgot is to be taken in again; and whether some of that was, without a model.
    sql: `
      ALTER TABLE thread ADD COLUMN rebuild_due INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE thread ADD COLUMN extracts_due INTEGER NOT NULL DEFAULT 0;`,
  },
  {
    name: "vouchers",
    // Who vouches for a message, as JSON.
    sql: "ALTER TABLE messages ADD COLUMN vouched_by TEXT;",
  },
  {
    name: "summaries",
    // Entries without a conversation that wait for a model's summary; `failed` once a model was asked in vain.
    sql: "CREATE TABLE summaries (entry_id TEXT PRIMARY KEY, failed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;",
  },
];

export const memoryThreadSchema = renewed(
  {
    name: "new threads",
    sql: `CREATE TABLE thread (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, memory_id TEXT NOT NULL, thread_id TEXT NOT NULL,
        marks TEXT NOT NULL, control TEXT NOT NULL, indexed_seq INTEGER NOT NULL DEFAULT 0, covered_seq INTEGER NOT NULL DEFAULT 0,
        tool_history TEXT NOT NULL DEFAULT '[]', failure TEXT, model_down_until INTEGER NOT NULL DEFAULT 0, redo_at INTEGER,
        redo_delay INTEGER NOT NULL DEFAULT 0, redo_count INTEGER NOT NULL DEFAULT 0, degraded_from INTEGER,
        erasures INTEGER NOT NULL DEFAULT 0, rebuild_due INTEGER NOT NULL DEFAULT 0, extracts_due INTEGER NOT NULL DEFAULT 0)`,
    tables: {
      messages: `CREATE TABLE messages (seq INTEGER PRIMARY KEY, entry_id TEXT NOT NULL UNIQUE, role TEXT NOT NULL, speaker TEXT,
        content TEXT NOT NULL, occurred_at TEXT NOT NULL, control TEXT NOT NULL, epoch INTEGER NOT NULL,
        captured INTEGER NOT NULL DEFAULT 0, erased INTEGER NOT NULL DEFAULT 0, vouched_by TEXT);
        CREATE INDEX messages_uncaptured ON messages (seq) WHERE captured = 0;
        CREATE INDEX messages_degraded ON messages (seq) WHERE captured = 2`,
      batches: `CREATE TABLE batches (idempotency_key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, from_seq INTEGER NOT NULL,
        to_seq INTEGER NOT NULL) WITHOUT ROWID`,
      flushes: `CREATE TABLE flushes (to_seq INTEGER PRIMARY KEY, from_seq INTEGER NOT NULL, version INTEGER, done INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX flushes_open ON flushes (to_seq) WHERE done = 0`,
      summaries: `CREATE TABLE summaries (entry_id TEXT PRIMARY KEY, failed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
    },
  },
  steps,
);
