-- For a share of end users another stored agent answers. Those that run are known with the tenant's revision: no turn asks for them by itself.
CREATE TABLE experiments (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;
CREATE INDEX experiments_running ON experiments (status, tenant_id) WHERE status = 'running';

CREATE TRIGGER new_experiments_raise_revision AFTER INSERT ON experiments BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER changed_experiments_raise_revision AFTER UPDATE ON experiments BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = NEW.tenant_id;
END;
CREATE TRIGGER gone_experiments_raise_revision AFTER DELETE ON experiments BEGIN
  UPDATE tenants SET revision = revision + 1 WHERE tenant_id = OLD.tenant_id;
END;

-- An end user or a session in an experiment, by a digest that tells nobody who: in the phase in which they came first, and whether any of
-- their turns was blocked, failed or degraded.
CREATE TABLE experiment_units (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  -- The experiment's seed: of one that was made anew under its name nothing is mixed.
  seed TEXT NOT NULL,
  unit TEXT NOT NULL,
  phase INTEGER NOT NULL,
  variant TEXT NOT NULL,
  blocked INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  degraded INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, seed, unit)
) WITHOUT ROWID;
