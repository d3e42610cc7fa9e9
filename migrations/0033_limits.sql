-- What each tenant may use. A deployment's own limits are those of the tenant 'admin', which no tenant is called.
CREATE TABLE limits (
  tenant_id TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;

-- They are known with the tenant's revision: no request asks for them by itself.
CREATE TRIGGER new_limits_raise_revision AFTER INSERT ON limits BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE NEW.tenant_id IN (tenant_id, 'admin');
END;
CREATE TRIGGER changed_limits_raise_revision AFTER UPDATE ON limits BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE NEW.tenant_id IN (tenant_id, 'admin');
END;
CREATE TRIGGER gone_limits_raise_revision AFTER DELETE ON limits BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE OLD.tenant_id IN (tenant_id, 'admin');
END;

-- What webhooks are told of limits, once a window.
CREATE TABLE limit_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL,
  -- Tells apart what happened: delivered again it is the same.
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  -- Milliseconds since the epoch.
  at INTEGER NOT NULL,
  UNIQUE (tenant_id, key)
);
CREATE INDEX limit_events_by_age ON limit_events (at);

CREATE TRIGGER limits_of_deleted_tenant AFTER DELETE ON tenants BEGIN
  DELETE FROM limits WHERE tenant_id = OLD.tenant_id;
  DELETE FROM limit_events WHERE tenant_id = OLD.tenant_id;
END;
