/** The tables of a conversation in a chat, besides the kit's. Steps are only ever added. */
import { renewed, type SchemaStep } from "../kit/schema.js";

const steps: readonly SchemaStep[] = [
  {
    name: "channel conversation",
    sql: `
      CREATE TABLE conversation (
        one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, channel_id TEXT NOT NULL, conversation TEXT NOT NULL,
        -- Grows with each session that is begun anew.
        generation INTEGER NOT NULL DEFAULT 1, session_id TEXT, handed_over INTEGER NOT NULL DEFAULT 0,
        -- Where the last message came from, as JSON.
        target TEXT, created_at INTEGER NOT NULL);
      -- What is to be dealt with, and by which ids it is known once it was; the body goes when it is done.
      CREATE TABLE signals (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, signal_id TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, body TEXT,
        attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, received_at INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0);
      CREATE INDEX signals_waiting ON signals (done, lane, seq);
      -- The turns that messages from here led to.
      CREATE TABLE channel_turns (
        turn_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, target TEXT NOT NULL, ended INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
      -- The short names of questions that were posted here, which buttons carry.
      CREATE TABLE questions (token TEXT PRIMARY KEY, subject TEXT NOT NULL UNIQUE) WITHOUT ROWID;
      -- Whose next message is the text that they are editing.
      CREATE TABLE edits (user_id TEXT PRIMARY KEY, token TEXT NOT NULL) WITHOUT ROWID;
      -- What goes to the platform, in order; the body goes when it is delivered.
      CREATE TABLE posts (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, delivery_id TEXT NOT NULL UNIQUE, post_key TEXT NOT NULL UNIQUE, body TEXT,
        target TEXT NOT NULL, edits_key TEXT, message_id TEXT, status TEXT NOT NULL DEFAULT 'pending',
        attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, reported INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
      CREATE INDEX posts_by_status ON posts (status, seq);
      CREATE INDEX posts_by_message ON posts (message_id);`,
  },
  {
    name: "posts under way",
    // When the first try began of those whose end nobody knows; nothing of a post that no try is open of.
    sql: "ALTER TABLE posts ADD COLUMN tried_at INTEGER",
  },
];

export const channelConversationSchema = renewed(
  {
    name: "new conversations",
    sql: `CREATE TABLE conversation (one INTEGER PRIMARY KEY CHECK (one = 1), tenant_id TEXT NOT NULL, channel_id TEXT NOT NULL,
        conversation TEXT NOT NULL, generation INTEGER NOT NULL DEFAULT 1, session_id TEXT, handed_over INTEGER NOT NULL DEFAULT 0,
        target TEXT, created_at INTEGER NOT NULL)`,
    tables: {
      signals: `CREATE TABLE signals (seq INTEGER PRIMARY KEY AUTOINCREMENT, signal_id TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, body TEXT,
        attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, received_at INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX signals_waiting ON signals (done, lane, seq)`,
      channel_turns: `CREATE TABLE channel_turns (turn_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, target TEXT NOT NULL,
        ended INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`,
      questions: `CREATE TABLE questions (token TEXT PRIMARY KEY, subject TEXT NOT NULL UNIQUE) WITHOUT ROWID`,
      edits: `CREATE TABLE edits (user_id TEXT PRIMARY KEY, token TEXT NOT NULL) WITHOUT ROWID`,
      posts: `CREATE TABLE posts (seq INTEGER PRIMARY KEY AUTOINCREMENT, delivery_id TEXT NOT NULL UNIQUE, post_key TEXT NOT NULL UNIQUE,
        body TEXT, target TEXT NOT NULL, edits_key TEXT, message_id TEXT, status TEXT NOT NULL DEFAULT 'pending',
        attempts INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, reported INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
        tried_at INTEGER);
        CREATE INDEX posts_by_status ON posts (status, seq);
        CREATE INDEX posts_by_message ON posts (message_id)`,
    },
  },
  steps,
);
