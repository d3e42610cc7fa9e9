-- A tenant's revision: raised in the very transaction of whatever changes its settings, keys, resources, pinned tools or webhooks.
-- Authenticating reads it, so that what was read of a tenant at a revision can be used until it has another.

ALTER TABLE tenants ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER settings_raise_revision AFTER UPDATE OF settings ON tenants BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;

CREATE TRIGGER new_keys_raise_revision AFTER INSERT ON keys BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER gone_keys_raise_revision AFTER DELETE ON keys BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = OLD.tenant_id;
END;

CREATE TRIGGER new_resources_raise_revision AFTER INSERT ON resource_heads BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER changed_resources_raise_revision AFTER UPDATE ON resource_heads BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER gone_resources_raise_revision AFTER DELETE ON resource_heads BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = OLD.tenant_id;
END;

CREATE TRIGGER new_pins_raise_revision AFTER INSERT ON pinned_tools BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER changed_pins_raise_revision AFTER UPDATE OF tools ON pinned_tools BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;

CREATE TRIGGER new_webhooks_raise_revision AFTER INSERT ON webhooks BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER changed_webhooks_raise_revision AFTER UPDATE OF status, body ON webhooks BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER gone_webhooks_raise_revision AFTER DELETE ON webhooks BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = OLD.tenant_id;
END;
