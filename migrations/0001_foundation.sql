-- Tenants, their keys and resources, and the copies (inbox, index, audit) that objects feed through their outboxes.

CREATE TABLE tenants (
  tenant_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE keys (
  key_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  -- SHA-256 of the key's secret part; the secret itself is shown once and kept nowhere.
  secret_hash TEXT NOT NULL,
  label TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX keys_of_tenant ON keys (tenant_id, key_id);

-- Every version of every agent, supervisor, rule, reference and tool. The head says which version counts.
CREATE TABLE resource_versions (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, kind, name, version)
) WITHOUT ROWID;

CREATE TABLE resource_heads (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  -- Rules and references that are in force in every session.
  always INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, kind, name)
) WITHOUT ROWID;

CREATE TABLE sessions (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The outbox message that wrote this row: a late delivery of an earlier one changes nothing.
  revision INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, session_id)
) WITHOUT ROWID;

CREATE TABLE asks (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  ask_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, ask_id)
) WITHOUT ROWID;
CREATE INDEX asks_by_status ON asks (tenant_id, status, ask_id);
CREATE INDEX asks_of_owner ON asks (tenant_id, owner_id);

-- One row per decision of a supervision pass.
CREATE TABLE audit (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  owner_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  hook TEXT NOT NULL,
  decision TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant_id, owner_id, revision)
) WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit (tenant_id, at);

-- Answers to writes that came with an Idempotency-Key, sealed because they may hold a new key.
CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER,
  sealed_answer TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
