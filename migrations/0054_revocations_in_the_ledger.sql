-- Who isn't let in any more stands in the ledger of erasures, too: a database that is set back to an earlier time would let them in again.
CREATE TRIGGER key_erased AFTER DELETE ON keys
WHEN EXISTS (SELECT 1 FROM tenants WHERE tenant_id = old.tenant_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'key', old.key_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER person_erased AFTER DELETE ON people
WHEN EXISTS (SELECT 1 FROM tenants WHERE tenant_id = old.tenant_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'person', old.person_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
-- One that has expired counts no more by itself; of those that go with their person the person says it.
CREATE TRIGGER grant_erased AFTER DELETE ON access_grants
WHEN old.expires_at > CAST(unixepoch('subsec') * 1000 AS INTEGER)
  AND EXISTS (SELECT 1 FROM people WHERE tenant_id = old.tenant_id AND person_id = old.person_id) BEGIN
  INSERT INTO erasures (tenant_id, kind, root_id, item_id, at)
    VALUES (old.tenant_id, 'grant', old.grant_id, '', CAST(unixepoch('subsec') * 1000 AS INTEGER)) ON CONFLICT DO NOTHING;
END;
