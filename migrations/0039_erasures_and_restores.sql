-- Everything that was deleted or erased for good, by its ids alone: what is put back to an earlier state has it erased again. Written by
-- the very statement that erases. It outlives its tenant.
CREATE TABLE erasures (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL,
  -- tenant, vault, memory, thread, entry, session, message, run, roundtable
  kind TEXT NOT NULL,
  -- The object or the memory that held it.
  root_id TEXT NOT NULL,
  -- What of it; empty for all of it.
  item_id TEXT NOT NULL,
  -- Milliseconds since the epoch.
  at INTEGER NOT NULL
);
CREATE UNIQUE INDEX erasures_once ON erasures (tenant_id, root_id, kind, item_id);
CREATE INDEX erasures_by_time ON erasures (at);

CREATE TRIGGER tenant_erased AFTER DELETE ON tenants BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'tenant', old.tenant_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
-- Of what goes with its tenant, or with its vault, the tenant or the vault says it.
CREATE TRIGGER vault_erased AFTER DELETE ON vaults
WHEN EXISTS (SELECT 1 FROM tenants WHERE tenant_id = old.tenant_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'vault', old.vault_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER memory_erased AFTER DELETE ON memories
WHEN EXISTS (SELECT 1 FROM vaults WHERE tenant_id = old.tenant_id AND vault_id = old.vault_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'memory', old.memory_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER thread_erased AFTER DELETE ON memory_threads
WHEN EXISTS (SELECT 1 FROM memories WHERE key = old.memory_key) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    SELECT old.tenant_id, 'thread', memory_id, old.thread_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM memories WHERE key = old.memory_key ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER entry_erased AFTER UPDATE OF deleted_at ON entries
WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    SELECT new.tenant_id, 'entry', memory_id, new.entry_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM memories WHERE key = new.memory_key ON CONFLICT DO NOTHING;
END;
-- Sessions of one turn go by themselves, and would again.
CREATE TRIGGER session_erased AFTER DELETE ON sessions
WHEN old.stateless = 0 AND EXISTS (SELECT 1 FROM tenants WHERE tenant_id = old.tenant_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'session', old.session_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER run_erased AFTER DELETE ON runs
WHEN EXISTS (SELECT 1 FROM tenants WHERE tenant_id = old.tenant_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'run', old.run_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER roundtable_erased AFTER DELETE ON roundtables
WHEN EXISTS (SELECT 1 FROM tenants WHERE tenant_id = old.tenant_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'roundtable', old.roundtable_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
-- A session's object erases a message; its row of the audit comes with what else it delivers.
CREATE TRIGGER message_erased AFTER INSERT ON audit WHEN new.type = 'message.erased' BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    SELECT new.tenant_id, 'message', new.owner_id, json_extract(new.body, '$.subject.messageId'), new.at
    WHERE json_extract(new.body, '$.subject.messageId') IS NOT NULL ON CONFLICT DO NOTHING;
END;

-- Objects that were put back, or are being: what has to be known where that is interrupted.
CREATE TABLE restores (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  restore_id TEXT NOT NULL,
  root_id TEXT NOT NULL,
  -- To when, in milliseconds since the epoch; NULL for a bookmark.
  since INTEGER,
  -- JSON: what was asked for, by whom, and the numbers that the object goes on behind.
  body TEXT NOT NULL,
  -- What puts it back to how it was before.
  undo TEXT,
  begun_at INTEGER NOT NULL,
  finished_at INTEGER,
  PRIMARY KEY (tenant_id, restore_id)
) WITHOUT ROWID;
CREATE INDEX restores_unfinished ON restores (begun_at) WHERE finished_at IS NULL;
