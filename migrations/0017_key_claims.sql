-- The first requests for a tenant or a key by their Idempotency-Keys: which id they settled on, and the key itself, sealed, so
-- that a retry after a crash makes nothing twice and is given the same key. Who runs the deployment has the scope `admin`.
CREATE TABLE key_claims (
  scope TEXT NOT NULL,
  sender TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  -- Of the tenant that was made, or of the key.
  id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  sealed_key TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, sender, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX key_claims_of_key ON key_claims (key_id);
CREATE INDEX key_claims_of_thing ON key_claims (id);
CREATE INDEX key_claims_by_age ON key_claims (created_at);
-- What was deleted isn't made anew by a retry, and its secret is gone.
CREATE TRIGGER key_claims_of_deleted_key AFTER DELETE ON keys BEGIN
  UPDATE key_claims SET deleted = 1, sealed_key = '' WHERE key_id = OLD.key_id;
END;
CREATE TRIGGER key_claims_of_deleted_tenant AFTER DELETE ON tenants BEGIN
  DELETE FROM key_claims WHERE scope = OLD.tenant_id;
END;
