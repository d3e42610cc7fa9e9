-- What the memory agent keeps: vaults, memories, entries with their index, contexts with what they cover, and dead letters.

CREATE TABLE vaults (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  vault_id TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, vault_id)
) WITHOUT ROWID;

CREATE TABLE memories (
  -- Stands before every term of this memory in the index, so that its lists belong to this memory alone.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,
  vault_id TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Statistics for ranking, kept by the triggers below in the very write that changes an entry.
  entry_count INTEGER NOT NULL DEFAULT 0,
  raw_length INTEGER NOT NULL DEFAULT 0,
  raw_count INTEGER NOT NULL DEFAULT 0,
  summary_length INTEGER NOT NULL DEFAULT 0,
  summary_count INTEGER NOT NULL DEFAULT 0,
  tag_length INTEGER NOT NULL DEFAULT 0,
  tag_count INTEGER NOT NULL DEFAULT 0,
  first_day TEXT,
  last_day TEXT,
  -- Grows with every deletion: a synthesis that began before one must not be stored after it.
  erasures INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tenant_id, memory_id),
  FOREIGN KEY (tenant_id, vault_id) REFERENCES vaults (tenant_id, vault_id) ON DELETE CASCADE
);
CREATE INDEX memories_of_vault ON memories (tenant_id, vault_id, memory_id);

-- Which threads a memory has; a thread's object holds everything else about it.
CREATE TABLE memory_threads (
  tenant_id TEXT NOT NULL,
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  thread_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (memory_key, thread_id)
) WITHOUT ROWID;

CREATE TABLE entries (
  -- The rowid in the index.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL,
  entry_id TEXT NOT NULL UNIQUE,
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  -- Empty for entries that were added without a conversation; they are numbered on their own.
  thread_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  session_key TEXT NOT NULL,
  role TEXT NOT NULL,
  speaker TEXT,
  raw_entry TEXT NOT NULL,
  summary TEXT NOT NULL,
  summary_source TEXT NOT NULL,
  tags TEXT NOT NULL,
  -- When it was said, and when it was written down; ISO 8601 UTC, so that text order is time order.
  occurred_at TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  expires_at TEXT,
  supersedes TEXT,
  superseded_by TEXT,
  superseded_at TEXT,
  idempotency_key TEXT,
  request_hash TEXT,
  -- A deleted entry keeps its place and nothing else, so that a late delivery can't write it again.
  deleted_at TEXT,
  raw_terms TEXT NOT NULL,
  summary_terms TEXT NOT NULL,
  tag_terms TEXT NOT NULL,
  mark_terms TEXT NOT NULL,
  raw_length INTEGER NOT NULL,
  summary_length INTEGER NOT NULL,
  tag_length INTEGER NOT NULL,
  -- Exactly what the index holds of it: the index can only forget what it is told by name.
  index_terms TEXT NOT NULL,
  -- One message is one entry.
  UNIQUE (memory_key, thread_id, seq)
);
CREATE INDEX entries_by_time ON entries (memory_key, occurred_at, entry_id);
CREATE UNIQUE INDEX entries_by_idempotency_key ON entries (memory_key, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE VIRTUAL TABLE entry_index USING fts5(terms, content='', detail=none, columnsize=0,
  tokenize="ascii tokenchars '@:.+#-_='");
-- Without it the words of deleted entries would stay in the index's blobs.
INSERT INTO entry_index (entry_index, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE entry_vocab USING fts5vocab('entry_index', 'row');

CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
  INSERT INTO entry_index (rowid, terms) VALUES (new.key, new.index_terms);
  UPDATE memories SET
    entry_count = entry_count + 1,
    raw_length = raw_length + new.raw_length, raw_count = raw_count + (new.raw_length > 0),
    summary_length = summary_length + new.summary_length, summary_count = summary_count + (new.summary_length > 0),
    tag_length = tag_length + new.tag_length, tag_count = tag_count + (new.tag_length > 0),
    first_day = MIN(COALESCE(first_day, new.occurred_at), new.occurred_at),
    last_day = MAX(COALESCE(last_day, new.occurred_at), new.occurred_at)
  WHERE key = new.memory_key;
END;

CREATE TRIGGER entry_changed AFTER UPDATE OF index_terms ON entries BEGIN
  INSERT INTO entry_index (entry_index, rowid, terms)
    SELECT 'delete', old.key, old.index_terms WHERE old.index_terms <> '';
  INSERT INTO entry_index (rowid, terms) SELECT new.key, new.index_terms WHERE new.index_terms <> '';
  UPDATE memories SET
    entry_count = entry_count + (new.deleted_at IS NULL) - (old.deleted_at IS NULL),
    raw_length = raw_length + new.raw_length - old.raw_length,
    raw_count = raw_count + (new.raw_length > 0) - (old.raw_length > 0),
    summary_length = summary_length + new.summary_length - old.summary_length,
    summary_count = summary_count + (new.summary_length > 0) - (old.summary_length > 0),
    tag_length = tag_length + new.tag_length - old.tag_length,
    tag_count = tag_count + (new.tag_length > 0) - (old.tag_length > 0)
  WHERE key = new.memory_key;
END;

-- Only when a whole memory goes: its statistics go with it.
CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
  INSERT INTO entry_index (entry_index, rowid, terms)
    SELECT 'delete', old.key, old.index_terms WHERE old.index_terms <> '';
END;

CREATE TABLE contexts (
  tenant_id TEXT NOT NULL,
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  document TEXT NOT NULL,
  -- model, extractive (a model was not to be had), person, restored, or erased (it rested on an entry that was deleted).
  source TEXT NOT NULL,
  author TEXT NOT NULL,
  -- The flush that wrote it: delivered twice, it finds its own version.
  flush_key TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (memory_key, version)
) WITHOUT ROWID;
CREATE UNIQUE INDEX contexts_by_flush ON contexts (memory_key, flush_key) WHERE flush_key IS NOT NULL;

-- What a version covers of a thread, where that differs from the version before: the row of the highest version counts.
CREATE TABLE context_coverage (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  thread_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  covered_seq INTEGER NOT NULL,
  PRIMARY KEY (memory_key, thread_id, version)
) WITHOUT ROWID;

-- The entries that a version took in; it rests on those of the versions before it too.
CREATE TABLE context_sources (
  memory_key INTEGER NOT NULL REFERENCES memories (key) ON DELETE CASCADE,
  entry_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (memory_key, entry_id, version)
) WITHOUT ROWID;
CREATE INDEX context_sources_by_version ON context_sources (memory_key, version, entry_id);

-- Flushes that the queue gave up on. No texts.
CREATE TABLE memory_dead_letters (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,
  dead_letter_id TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  reason TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  retried_at TEXT,
  PRIMARY KEY (tenant_id, memory_id, dead_letter_id)
) WITHOUT ROWID;
