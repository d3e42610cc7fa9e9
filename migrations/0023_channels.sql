-- Connections to chat platforms, where their conversations are, and what could not be delivered there.

CREATE TABLE channels (
  -- Stays the same however often the address changes.
  channel_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- The part of the address that nobody can guess.
  connection_id TEXT NOT NULL UNIQUE,
  -- JSON; its credentials are sealed.
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_event_at INTEGER,
  last_failure_at INTEGER,
  last_failure TEXT,
  UNIQUE (tenant_id, name)
);

-- Which objects a connection has made: they go when it goes.
CREATE TABLE channel_conversations (
  channel_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  conversation TEXT NOT NULL,
  PRIMARY KEY (channel_id, conversation)
) WITHOUT ROWID;
CREATE INDEX channel_conversations_of_tenant ON channel_conversations (tenant_id, channel_id);

-- Messages that could not be delivered at once, without their texts: copies of what the conversations hold.
CREATE TABLE channel_deliveries (
  delivery_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL,
  conversation TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  failure TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
);
CREATE INDEX channel_deliveries_of_channel ON channel_deliveries (channel_id, status, delivery_id);
