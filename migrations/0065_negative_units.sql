-- Units of experiments of whose turns or messages somebody gave one a -1: as `experiment_units` names them, by a digest that tells nobody who.
CREATE TABLE experiment_negatives (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  seed TEXT NOT NULL,
  unit TEXT NOT NULL,
  PRIMARY KEY (tenant_id, seed, unit)
) WITHOUT ROWID;
