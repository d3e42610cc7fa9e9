-- Roundtables: copies, fed by their objects.

CREATE TABLE roundtables (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  roundtable_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  revision INTEGER NOT NULL,
  mode TEXT NOT NULL,
  panel TEXT NOT NULL,
  subject TEXT,
  external_id TEXT,
  PRIMARY KEY (tenant_id, roundtable_id)
) WITHOUT ROWID;
CREATE INDEX roundtables_by_status ON roundtables (tenant_id, status, roundtable_id);
CREATE INDEX roundtables_by_subject ON roundtables (tenant_id, subject, roundtable_id) WHERE subject IS NOT NULL;
CREATE INDEX roundtables_by_external_id ON roundtables (tenant_id, external_id) WHERE external_id IS NOT NULL;
