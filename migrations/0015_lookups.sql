-- What lists filter by, the caller's own ids, and the keys under which something was made.

ALTER TABLE sessions ADD COLUMN status TEXT NOT NULL DEFAULT 'idle';
ALTER TABLE sessions ADD COLUMN subject TEXT;
ALTER TABLE sessions ADD COLUMN external_id TEXT;
ALTER TABLE sessions ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET updated_at = created_at, status = COALESCE(json_extract(body, '$.status'), 'idle');
CREATE INDEX sessions_by_agent ON sessions (tenant_id, agent, session_id);
CREATE INDEX sessions_by_status ON sessions (tenant_id, status, session_id);
CREATE INDEX sessions_by_subject ON sessions (tenant_id, subject, session_id) WHERE subject IS NOT NULL;
CREATE INDEX sessions_by_external_id ON sessions (tenant_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX sessions_by_update ON sessions (tenant_id, updated_at);

ALTER TABLE runs ADD COLUMN team TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN subject TEXT;
ALTER TABLE runs ADD COLUMN external_id TEXT;
UPDATE runs SET team = COALESCE(json_extract(body, '$.team'), '');
CREATE INDEX runs_by_team ON runs (tenant_id, team, run_id);
CREATE INDEX runs_by_status ON runs (tenant_id, status, run_id);
CREATE INDEX runs_by_subject ON runs (tenant_id, subject, run_id) WHERE subject IS NOT NULL;
CREATE INDEX runs_by_external_id ON runs (tenant_id, external_id) WHERE external_id IS NOT NULL;

ALTER TABLE memories ADD COLUMN subject TEXT;
ALTER TABLE memories ADD COLUMN external_id TEXT;
CREATE INDEX memories_by_subject ON memories (tenant_id, subject, memory_id) WHERE subject IS NOT NULL;
CREATE UNIQUE INDEX memories_by_external_id ON memories (tenant_id, external_id) WHERE external_id IS NOT NULL;

-- What a caller's own id stands for. Claimed before the thing is made, so that it is made once; `sessions` and `runs` are copies, a moment behind.
CREATE TABLE external_ids (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  external_id TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, kind, external_id)
) WITHOUT ROWID;
CREATE INDEX external_ids_of_thing ON external_ids (tenant_id, id);

-- Which thing an Idempotency-Key stands for. Claimed before it is made; a deleted thing is not made again by a retry.
CREATE TABLE creation_keys (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  sender TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  id TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, sender, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX creation_keys_of_thing ON creation_keys (tenant_id, id);
CREATE INDEX creation_keys_by_age ON creation_keys (created_at);
