-- What remote MCP servers listed when they were stored: that is what agents get, whatever the servers list later.

CREATE TABLE pinned_tools (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- JSON. None: the server couldn't be reached when it was stored, and has no tools until they are pinned.
  tools TEXT,
  listed_at INTEGER,
  -- What the server lists by now, where that differs from what is pinned.
  seen TEXT,
  checked_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name, version)
);
CREATE INDEX pinned_tools_by_age ON pinned_tools (checked_at);
