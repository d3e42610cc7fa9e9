-- Objects that could not deliver something and have given up for now: how much, and since when. No texts. It goes with the work's copy.
CREATE TABLE parked_outboxes (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  owner_id TEXT NOT NULL,
  parked INTEGER NOT NULL,
  -- Milliseconds since the epoch.
  since INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, owner_id)
) WITHOUT ROWID;
CREATE INDEX parked_outboxes_now ON parked_outboxes (tenant_id, since) WHERE parked > 0;
CREATE TRIGGER sessions_parked_gone AFTER DELETE ON sessions BEGIN
  DELETE FROM parked_outboxes WHERE tenant_id = old.tenant_id AND owner_id = old.session_id;
END;
CREATE TRIGGER runs_parked_gone AFTER DELETE ON runs BEGIN
  DELETE FROM parked_outboxes WHERE tenant_id = old.tenant_id AND owner_id = old.run_id;
END;
CREATE TRIGGER roundtables_parked_gone AFTER DELETE ON roundtables BEGIN
  DELETE FROM parked_outboxes WHERE tenant_id = old.tenant_id AND owner_id = old.roundtable_id;
END;
