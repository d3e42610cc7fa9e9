-- What proves the audit: a Merkle tree (RFC 9162) for each tenant over the lines of its archive as they are, and the seals of its roots.
-- Subtrees and seals are only added; they name nobody, and stay when lines go.

-- How many lines the newest seal covers.
ALTER TABLE audit_archive ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX audit_unsealed ON audit_archive (tenant_id) WHERE next > sealed;

-- The roots over 4,096 lines each, in base64.
CREATE TABLE audit_subtrees (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  first INTEGER NOT NULL,
  root TEXT NOT NULL,
  PRIMARY KEY (tenant_id, first)
) WITHOUT ROWID;

-- Of lines that are kept no longer, the hashes that others of their 4,096 are proven with: 32 bytes each, in hex.
CREATE TABLE audit_leaves (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  first INTEGER NOT NULL,
  hashes TEXT NOT NULL,
  PRIMARY KEY (tenant_id, first)
) WITHOUT ROWID;

CREATE TABLE audit_seals (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  -- How many lines it covers, from the first on.
  size INTEGER NOT NULL,
  root TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- A signed checkpoint (C2SP), and the key that verifies it.
  checkpoint TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (tenant_id, size)
) WITHOUT ROWID;

-- The arrival number of a row that stands in a segment, too.
ALTER TABLE audit ADD COLUMN arrival INTEGER;
