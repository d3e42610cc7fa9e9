-- What supervisors in shadow mode have to say of a write to a memory, which doesn't wait for them: what they are to judge, until their verdict
-- is on record. The text goes with it, and with whatever else is erased in the memory.
CREATE TABLE memory_shadows (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,
  shadow_id TEXT NOT NULL,
  body TEXT NOT NULL,
  tries INTEGER NOT NULL,
  -- Milliseconds since the epoch; while somebody is at it, when another one may take it up.
  due_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, memory_id, shadow_id)
) WITHOUT ROWID;
CREATE INDEX memory_shadows_due ON memory_shadows (due_at);

-- Each deletion in a memory counts here. The text is overwritten before it is dropped, so that the pages that held it don't go on holding it.
CREATE TRIGGER memory_shadows_forget AFTER UPDATE OF erasures ON memories BEGIN
  UPDATE memory_shadows SET body = CAST(zeroblob(length(CAST(body AS BLOB))) AS TEXT)
    WHERE tenant_id = new.tenant_id AND memory_id = new.memory_id;
  DELETE FROM memory_shadows WHERE tenant_id = new.tenant_id AND memory_id = new.memory_id;
END;
CREATE TRIGGER memory_shadows_gone AFTER DELETE ON memories BEGIN
  UPDATE memory_shadows SET body = CAST(zeroblob(length(CAST(body AS BLOB))) AS TEXT)
    WHERE tenant_id = old.tenant_id AND memory_id = old.memory_id;
  DELETE FROM memory_shadows WHERE tenant_id = old.tenant_id AND memory_id = old.memory_id;
END;
