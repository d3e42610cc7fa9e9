-- Datasets and evals as they are listed: copies of what their objects hold, without texts of items.

CREATE TABLE datasets (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;

CREATE TABLE evals (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  eval_id TEXT NOT NULL,
  dataset TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, eval_id)
) WITHOUT ROWID;
CREATE INDEX evals_of_dataset ON evals (tenant_id, dataset, eval_id);
