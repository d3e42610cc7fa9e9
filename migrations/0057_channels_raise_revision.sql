-- A configuration is planned at a revision of its tenant, and applied at that one alone: its channels count, too.
CREATE TRIGGER new_channels_raise_revision AFTER INSERT ON channels BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER changed_channels_raise_revision AFTER UPDATE OF body ON channels BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER gone_channels_raise_revision AFTER DELETE ON channels BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = OLD.tenant_id;
END;
