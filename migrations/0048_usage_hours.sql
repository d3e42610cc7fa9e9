-- Usage by the hour: of work that ended long ago one row stands for all of an hour that are alike. Of how many turns or runs it is with
-- this model, and of how many of them it is the first row, so that each is counted once where models don't matter; NULL of a row of one.
ALTER TABLE usage ADD COLUMN works INTEGER;
ALTER TABLE usage ADD COLUMN firsts INTEGER;

-- Up to when the rows of a tenant are added up; milliseconds.
CREATE TABLE usage_hours (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  up_to INTEGER NOT NULL
) WITHOUT ROWID;

-- Settled deliveries go by their age.
CREATE INDEX channel_deliveries_by_age ON channel_deliveries (updated_at) WHERE status <> 'pending';
