-- What resources, webhooks, channels and providers name in place of a secret of their own: written, sealed, exchanged by its name.
CREATE TABLE secrets (
  tenant_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed TEXT NOT NULL,
  -- A JSON list of the hosts that it may be sent to; NULL for any.
  hosts TEXT,
  description TEXT,
  -- Milliseconds since the epoch.
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;

-- What was made of one is known by the tenant's revision: whoever has another secret has another revision.
CREATE TRIGGER new_secrets_raise_revision AFTER INSERT ON secrets BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER changed_secrets_raise_revision AFTER UPDATE ON secrets BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER gone_secrets_raise_revision AFTER DELETE ON secrets BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = OLD.tenant_id;
END;

CREATE TRIGGER secrets_of_deleted_tenant AFTER DELETE ON tenants BEGIN
  DELETE FROM secrets WHERE tenant_id = OLD.tenant_id;
END;
