-- Subscriptions of a tenant to events, how far each has been read in each session or run, and what was sent.

CREATE TABLE webhooks (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  -- JSON; its secrets are sealed.
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_success_at INTEGER,
  last_failure_at INTEGER,
  last_failure TEXT,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;

-- Up to which event of a session or run a subscription has been read. Whoever holds the lease sends; `again` tells the holder that there is more.
CREATE TABLE webhook_streams (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  root_id TEXT NOT NULL,
  cursor INTEGER,
  leased_until INTEGER NOT NULL,
  again INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, name, root_id)
) WITHOUT ROWID;
CREATE INDEX webhook_streams_of_root ON webhook_streams (tenant_id, root_id);

-- Ids alone: what is sent is read from the log of events when it is sent.
CREATE TABLE webhook_deliveries (
  delivery_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  root_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,
  failure TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX webhook_deliveries_of_event ON webhook_deliveries (tenant_id, root_id, name, seq);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (tenant_id, name, root_id, seq) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (tenant_id, name, delivery_id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (updated_at) WHERE status <> 'pending';
