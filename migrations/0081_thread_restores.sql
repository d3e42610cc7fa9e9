-- An entry whose message came after the minute to which its thread was put back: it is deleted as far as anybody reads, keeps its text under
-- the id of that restore, and comes back if that is undone. It isn't erased: the ledger doesn't have it, until its text goes for good.
ALTER TABLE entries ADD COLUMN aside TEXT;
CREATE INDEX entries_aside ON entries (deleted_at) WHERE aside IS NOT NULL;

DROP TRIGGER entry_erased;
CREATE TRIGGER entry_erased AFTER UPDATE OF deleted_at, aside ON entries
WHEN (old.deleted_at IS NULL OR old.aside IS NOT NULL) AND new.deleted_at IS NOT NULL AND new.aside IS NULL BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    SELECT new.tenant_id, 'entry', memory_id, new.entry_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM memories WHERE key = new.memory_key ON CONFLICT DO NOTHING;
END;

-- Whoever was told that it went is told that it is there again.
CREATE TRIGGER memory_event_entry_back AFTER UPDATE OF deleted_at ON entries
WHEN old.deleted_at IS NOT NULL AND new.deleted_at IS NULL BEGIN
  INSERT INTO memory_events (tenant_id, memory_id, type, data, at)
    SELECT new.tenant_id, memory_id, 'memory.entry_added',
      json_patch('{}', json_object('memoryId', memory_id, 'entryId', new.entry_id, 'threadId', nullif(new.thread_id, ''))),
      CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM memories WHERE key = new.memory_key;
END;

-- Since when a tenant has lines of its audit that no seal covers, or when it last had its turn without being done; milliseconds since the epoch.
ALTER TABLE audit_archive ADD COLUMN unsealed_since INTEGER NOT NULL DEFAULT 0;
DROP INDEX audit_unsealed;
CREATE INDEX audit_unsealed ON audit_archive (unsealed_since, tenant_id) WHERE next > sealed;

-- How much of what was overdue retention has taken of this database in a day, and how much it takes at most. UTC dates.
CREATE TABLE retention_nights (
  night TEXT PRIMARY KEY,
  most INTEGER NOT NULL,
  gone INTEGER NOT NULL
) WITHOUT ROWID;
