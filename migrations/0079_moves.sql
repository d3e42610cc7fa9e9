-- Tenants that go from this database to another, or come to it; of those that have gone the row stays, and says where they are.
CREATE TABLE moves (
  tenant_id TEXT PRIMARY KEY,
  to_database INTEGER NOT NULL,
  -- leaving, copied, settling, removing, moved; of one that comes here arriving.
  status TEXT NOT NULL,
  -- Of one that arrives JSON: how far it is, and by how much numbers of its rows are higher here.
  progress TEXT,
  at INTEGER NOT NULL
) WITHOUT ROWID;
