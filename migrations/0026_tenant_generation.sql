-- A random number beside a tenant's revision, which is drawn anew with each change of its row (but not as it gets its first object). The
-- revision alone counts: after the database was set back to an earlier time it would come to the same number again, for another state,
-- and whoever kept the first would use it.

ALTER TABLE tenants ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER changes_renew_generation AFTER UPDATE ON tenants
WHEN NEW.generation IS OLD.generation AND NEW.placed IS OLD.placed BEGIN
  UPDATE tenants SET generation = random() & 1048575 WHERE tenant_id = NEW.tenant_id;
END;
