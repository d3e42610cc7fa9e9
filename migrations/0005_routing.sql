-- Runs (copies, fed by their objects), what teams remember over all their runs, and kept results of tools.

CREATE TABLE runs (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  status TEXT NOT NULL,
  body TEXT NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
) WITHOUT ROWID;

-- Which run an Idempotency-Key stands for. Claimed before the run is made.
CREATE TABLE run_keys (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX run_keys_by_age ON run_keys (created_at);

-- Turns of round-robin teams: the same claim has the same position for ever, so that a step that is redone takes nobody's turn.
CREATE TABLE routing_turns (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  team TEXT NOT NULL,
  claim TEXT NOT NULL,
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, team, claim)
) WITHOUT ROWID;
CREATE UNIQUE INDEX routing_turns_by_position ON routing_turns (tenant_id, team, position);

-- Who is busy: one row per task under way. A claim that nobody releases runs out.
CREATE TABLE worker_claims (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  work TEXT NOT NULL,
  claim TEXT NOT NULL,
  team TEXT NOT NULL,
  worker TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Kept for a while after the release, so that a claim that is made again late counts nobody as busy.
  released INTEGER NOT NULL DEFAULT 0,
  -- How busy the worker was when it was chosen.
  load INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, work, claim)
) WITHOUT ROWID;
CREATE INDEX worker_claims_by_team ON worker_claims (tenant_id, team, released, expires_at);

CREATE TABLE tool_results (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  arguments_hash TEXT NOT NULL,
  arguments TEXT NOT NULL,
  content TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, tool, arguments_hash)
) WITHOUT ROWID;
CREATE INDEX tool_results_by_age ON tool_results (expires_at);
