-- Who acts: what is revoked, who listens, which pages may call, who guesses at the deployment's secret, who stored a version, and
-- what work has taken.

-- Tokens of a subject that were issued up to then are void.
CREATE TABLE revoked_subjects (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  revoked_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, subject)
) WITHOUT ROWID;

-- Which objects hold a socket or a stream of whom. A row may outlive its connection: it says where to look.
CREATE TABLE connections (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  reader_id TEXT NOT NULL,
  -- The reader's key; for a token the one that it was minted with.
  key_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, reader_id, key_id, owner_id)
) WITHOUT ROWID;
CREATE INDEX connections_of_key ON connections (tenant_id, key_id, owner_id);
CREATE INDEX connections_by_age ON connections (opened_at);

-- A copy of settings.corsOrigins: a preflight carries no key that would say whose settings count.
CREATE TABLE cors_origins (
  origin TEXT NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  PRIMARY KEY (origin, tenant_id)
) WITHOUT ROWID;
CREATE INDEX cors_origins_of_tenant ON cors_origins (tenant_id);

CREATE TABLE admin_failures (
  minute INTEGER NOT NULL,
  address TEXT NOT NULL,
  failures INTEGER NOT NULL,
  PRIMARY KEY (minute, address)
) WITHOUT ROWID;

-- JSON: kind, id, role, subject. Versions from before have none.
ALTER TABLE resource_versions ADD COLUMN author TEXT;

CREATE INDEX sessions_of_subject ON sessions (tenant_id, json_extract(body, '$.subject'), session_id);

-- What each turn and run has taken, by model: a row per model, and one without a name for work that called none. Written once.
CREATE TABLE usage (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  work_id TEXT NOT NULL,
  model TEXT NOT NULL,
  kind TEXT NOT NULL,
  agent TEXT NOT NULL,
  subject TEXT,
  key_id TEXT,
  at INTEGER NOT NULL,
  model_calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, work_id, model)
) WITHOUT ROWID;
CREATE INDEX usage_by_time ON usage (tenant_id, at);
