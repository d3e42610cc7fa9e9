/** The tables of a session, besides the kit's. */
import { renewed, type SchemaStep, withApprovals } from "../kit/schema.js";

const sessionTables = `
      CREATE TABLE session (
        one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, session_id TEXT NOT NULL,
        definition TEXT NOT NULL, salt TEXT NOT NULL, created_at INTEGER NOT NULL);
      CREATE TABLE context_versions (
        version INTEGER PRIMARY KEY, context TEXT NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL);
      CREATE TABLE turns (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, turn_id TEXT NOT NULL UNIQUE, idempotency_key TEXT UNIQUE,
        request_hash TEXT NOT NULL, status TEXT NOT NULL, message_id TEXT NOT NULL, reply_id TEXT NOT NULL,
        -- What was sent: the restricted record. Only the effective text in messages is ever shown to anyone else.
        original TEXT NOT NULL, accepted_at INTEGER NOT NULL, ended_at INTEGER, crashes INTEGER NOT NULL DEFAULT 0, outcome TEXT);
      CREATE INDEX turns_by_status ON turns (status, seq);
      CREATE TABLE messages (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL UNIQUE, turn_id TEXT NOT NULL,
        role TEXT NOT NULL, body TEXT NOT NULL, in_history INTEGER NOT NULL);
      CREATE TABLE originals (
        message_id TEXT PRIMARY KEY, body TEXT NOT NULL, decision TEXT NOT NULL, reasons TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE passes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, turn_id TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL);
      CREATE INDEX passes_of_turn ON passes (turn_id, seq);`;

const steps: readonly SchemaStep[] = [
  { name: "session", sql: sessionTables, formerly: [withApprovals(sessionTables)] },
  {
    name: "edited messages",
    sql: `
      -- What a message said after each edit by a person; the first row of a message is what it said before any.
      CREATE TABLE message_edits (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL, body TEXT NOT NULL, author TEXT NOT NULL,
        reason TEXT NOT NULL, at INTEGER NOT NULL);
      CREATE INDEX edits_of_message ON message_edits (message_id, seq);`,
  },
  {
    name: "erased messages",
    sql: `
      -- Digests of a message and of its reply are salted each for itself: the salt goes with the text.
      ALTER TABLE turns ADD COLUMN message_salt TEXT;
      ALTER TABLE turns ADD COLUMN reply_salt TEXT;
      ALTER TABLE message_edits ADD COLUMN kind TEXT NOT NULL DEFAULT 'edited';
      -- What is left of a message that was erased: its versions without their texts.
      CREATE TABLE erased_messages (message_id TEXT PRIMARY KEY, versions TEXT NOT NULL) WITHOUT ROWID;`,
  },
  {
    name: "senders",
    sql: `
      -- Who sent a turn's message, as JSON; unknown of turns of versions before.
      ALTER TABLE turns ADD COLUMN sent_by TEXT;`,
  },
  {
    name: "speakers and answers",
    sql: `
      ALTER TABLE session ADD COLUMN updated_at INTEGER;
      ALTER TABLE turns ADD COLUMN speaker TEXT;
      ALTER TABLE turns ADD COLUMN metadata TEXT;
      -- Messages that were taken as the answer to a question of a turn; a key that comes again gets that turn.
      CREATE TABLE answer_messages (
        idempotency_key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, turn_id TEXT NOT NULL, message_id TEXT NOT NULL UNIQUE,
        ask_id TEXT NOT NULL, original TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;`,
  },
  { name: "who sent a turn", sql: "ALTER TABLE turns ADD COLUMN key_id TEXT;" },
  { name: "replies of turns that wait", sql: "ALTER TABLE turns ADD COLUMN partial TEXT;" },
  {
    name: "what teams did",
    sql: `
      -- Entries of the trace with their texts: the restricted record. seq is that of the entry's event.
      CREATE TABLE trace (seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL, entry TEXT NOT NULL);
      CREATE INDEX trace_of_turn ON trace (turn_id, seq);`,
  },
  {
    name: "chat conversation",
    sql: `
      -- JSON: which conversation of a chat channel is told when a turn ends, and when asks are opened and closed.
      ALTER TABLE session ADD COLUMN conversation TEXT;`,
  },
  {
    name: "an index of open turns alone",
    sql: `
      DROP INDEX turns_by_status;
      CREATE INDEX open_turns ON turns (seq) WHERE status IN ('queued', 'running', 'waiting');`,
  },
  {
    name: "passes and messages without a counter",
    sql: `
      -- Nothing is ever deleted from these: the next number is the highest there is and one, and needs no row that counts.
      CREATE TABLE counted_passes (seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL);
      INSERT INTO counted_passes SELECT seq, turn_id, at, state FROM passes;
      DROP TABLE passes;
      ALTER TABLE counted_passes RENAME TO passes;
      CREATE INDEX passes_of_turn ON passes (turn_id, seq);
      CREATE TABLE counted_messages (
        seq INTEGER PRIMARY KEY, message_id TEXT NOT NULL UNIQUE, turn_id TEXT NOT NULL,
        role TEXT NOT NULL, body TEXT NOT NULL, in_history INTEGER NOT NULL);
      INSERT INTO counted_messages SELECT seq, message_id, turn_id, role, body, in_history FROM messages;
      DROP TABLE messages;
      ALTER TABLE counted_messages RENAME TO messages;`,
  },
  // What the caller sent along with a turn's message, as JSON.
  { name: "what comes with a message", sql: "ALTER TABLE turns ADD COLUMN request TEXT;" },
  {
    name: "sessions of one turn",
    sql: `
      -- They were marked in the metadata, where a caller may write anything: by one turn that was sent with a conversation they are known.
      UPDATE session SET definition =
        json_set(json_remove(definition, '$.metadata."conclave.stateless"'), '$.stateless', json('true'))
        WHERE json_extract(definition, '$.metadata."conclave.stateless"') = 1 AND json_extract(definition, '$.externalId') IS NULL
          AND (SELECT COUNT(*) = 1 AND MAX(request IS NOT NULL) FROM turns);`,
  },
  {
    name: "turns without a counter",
    sql: `
      -- No turn is ever deleted, either. A message without a key of its sender's has none; its turn is known by its id.
      CREATE TABLE counted_turns (
        seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL UNIQUE, idempotency_key TEXT,
        request_hash TEXT NOT NULL, status TEXT NOT NULL, message_id TEXT NOT NULL, reply_id TEXT NOT NULL,
        -- What was sent: the restricted record. Only the effective text in messages is ever shown to anyone else.
        original TEXT NOT NULL, accepted_at INTEGER NOT NULL, ended_at INTEGER, crashes INTEGER NOT NULL DEFAULT 0, outcome TEXT,
        message_salt TEXT, reply_salt TEXT, sent_by TEXT, speaker TEXT, metadata TEXT, key_id TEXT, partial TEXT, request TEXT);
      INSERT INTO counted_turns
        SELECT seq, turn_id, idempotency_key, request_hash, status, message_id, reply_id, original, accepted_at, ended_at, crashes,
          outcome, message_salt, reply_salt, sent_by, speaker, metadata, key_id, partial, request FROM turns;
      DROP TABLE turns;
      ALTER TABLE counted_turns RENAME TO turns;
      CREATE UNIQUE INDEX turns_by_key ON turns (idempotency_key) WHERE idempotency_key IS NOT NULL;
      -- Up to this number all turns have ended: those that are open are looked for behind it, and need no index.
      ALTER TABLE session ADD COLUMN settled INTEGER;
      UPDATE session SET settled = COALESCE(
        (SELECT MIN(seq) - 1 FROM turns WHERE status IN ('queued', 'running', 'waiting')), (SELECT MAX(seq) FROM turns));`,
  },
  {
    name: "turns know where their events and passes lie",
    sql: `
      -- Each index is a row more of what a turn writes. Events and passes of a turn lie between those that its row names (NULL: anywhere
      -- from the first, up to the last); a message is looked for from the newest on.
      ALTER TABLE turns ADD COLUMN first_event INTEGER;
      ALTER TABLE turns ADD COLUMN last_event INTEGER;
      ALTER TABLE turns ADD COLUMN first_pass INTEGER;
      ALTER TABLE turns ADD COLUMN last_pass INTEGER;
      -- 1 of a turn that was tried as soon as it was made: that it is under way needs no row of attempts.
      ALTER TABLE turns ADD COLUMN first_try INTEGER;
      UPDATE turns SET first_event = first, last_event = CASE WHEN ended_at IS NOT NULL THEN last END
        FROM (SELECT work, MIN(seq) AS first, MAX(seq) AS last FROM events WHERE work IS NOT NULL GROUP BY work) WHERE work = turns.turn_id;
      UPDATE turns SET first_pass = first, last_pass = CASE WHEN ended_at IS NOT NULL THEN last END
        FROM (SELECT turn_id AS work, MIN(seq) AS first, MAX(seq) AS last FROM passes GROUP BY turn_id) WHERE work = turns.turn_id;
      -- Turns that code of before has ended meanwhile, whose passes it didn't know to be unsent: none, and so no rows.
      UPDATE turns SET last_event = 0 WHERE ended_at IS NOT NULL AND last_event IS NULL;
      CREATE INDEX turns_ended_by_code_before ON turns (seq) WHERE ended_at IS NOT NULL AND last_event IS NULL;
      -- 1 while the row of the audit is still to be sent: with the end of the turn, or when it begins to wait.
      ALTER TABLE passes ADD COLUMN unsent INTEGER;
      DROP INDEX passes_of_turn;
      DROP INDEX edits_of_message;
      CREATE TABLE plain_messages (
        seq INTEGER PRIMARY KEY, message_id TEXT NOT NULL, turn_id TEXT NOT NULL,
        role TEXT NOT NULL, body TEXT NOT NULL, in_history INTEGER NOT NULL);
      INSERT INTO plain_messages SELECT seq, message_id, turn_id, role, body, in_history FROM messages;
      DROP TABLE messages;
      ALTER TABLE plain_messages RENAME TO messages;`,
  },
  // JSON: that a person has the conversation, or was asked to take it.
  { name: "held sessions", sql: "ALTER TABLE session ADD COLUMN hold TEXT;" },
];

export const chatSessionSchema = renewed(
  {
    name: "new sessions",
    sql: `CREATE TABLE session (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, session_id TEXT NOT NULL,
        definition TEXT NOT NULL, salt TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER, conversation TEXT, settled INTEGER,
        hold TEXT)`,
    tables: {
      context_versions: `CREATE TABLE context_versions (version INTEGER PRIMARY KEY, context TEXT NOT NULL, author TEXT NOT NULL,
        reason TEXT NOT NULL, at INTEGER NOT NULL)`,
      turns: `CREATE TABLE turns (seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL UNIQUE, idempotency_key TEXT,
        request_hash TEXT NOT NULL, status TEXT NOT NULL, message_id TEXT NOT NULL, reply_id TEXT NOT NULL, original TEXT NOT NULL,
        accepted_at INTEGER NOT NULL, ended_at INTEGER, crashes INTEGER NOT NULL DEFAULT 0, outcome TEXT, message_salt TEXT, reply_salt TEXT,
        sent_by TEXT, speaker TEXT, metadata TEXT, key_id TEXT, partial TEXT, request TEXT, first_event INTEGER, last_event INTEGER,
        first_pass INTEGER, last_pass INTEGER, first_try INTEGER);
        CREATE UNIQUE INDEX turns_by_key ON turns (idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX turns_ended_by_code_before ON turns (seq) WHERE ended_at IS NOT NULL AND last_event IS NULL`,
      messages: `CREATE TABLE messages (seq INTEGER PRIMARY KEY, message_id TEXT NOT NULL, turn_id TEXT NOT NULL, role TEXT NOT NULL,
        body TEXT NOT NULL, in_history INTEGER NOT NULL)`,
      passes: `CREATE TABLE passes (seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL, unsent INTEGER)`,
      originals: `CREATE TABLE originals (message_id TEXT PRIMARY KEY, body TEXT NOT NULL, decision TEXT NOT NULL, reasons TEXT NOT NULL,
        at INTEGER NOT NULL) WITHOUT ROWID`,
      message_edits: `CREATE TABLE message_edits (seq INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL, body TEXT NOT NULL,
        author TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL DEFAULT 'edited')`,
      erased_messages: `CREATE TABLE erased_messages (message_id TEXT PRIMARY KEY, versions TEXT NOT NULL) WITHOUT ROWID`,
      answer_messages: `CREATE TABLE answer_messages (idempotency_key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, turn_id TEXT NOT NULL,
        message_id TEXT NOT NULL UNIQUE, ask_id TEXT NOT NULL, original TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID`,
      trace: `CREATE TABLE trace (seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL, entry TEXT NOT NULL);
        CREATE INDEX trace_of_turn ON trace (turn_id, seq)`,
      feedback: `CREATE TABLE feedback (about TEXT NOT NULL, actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL, turn_id TEXT NOT NULL,
        body TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (about, actor_kind, actor_id)) WITHOUT ROWID`,
    },
  },
  steps,
);
