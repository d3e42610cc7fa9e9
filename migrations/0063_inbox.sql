-- The inbox: asks by who may answer, agent, tool, supervisor and claim; in the order in which they are worked off; how many are open, without
-- counting them; and when they were decided, and how. None of it is a text. All but the columns is kept by triggers: copies of asks come by
-- one statement, go with their session or their tenant, and may come back by a restore.
ALTER TABLE asks ADD COLUMN agent TEXT;
ALTER TABLE asks ADD COLUMN tool TEXT;
-- JSON: the names of the supervisors that hold it.
ALTER TABLE asks ADD COLUMN supervisors TEXT;
ALTER TABLE asks ADD COLUMN claimed_by TEXT;
ALTER TABLE asks ADD COLUMN claimed_until TEXT;
ALTER TABLE asks ADD COLUMN overdue_at TEXT;
-- 1 once webhooks were told of it.
ALTER TABLE asks ADD COLUMN overdue_told INTEGER;
ALTER TABLE asks ADD COLUMN closed_at TEXT;
ALTER TABLE asks ADD COLUMN closed_by TEXT;
ALTER TABLE asks ADD COLUMN decision TEXT;
-- By it the inbox is sorted: what is urgent, of that whose deadline is nearest.
ALTER TABLE asks ADD COLUMN inbox_key TEXT GENERATED ALWAYS AS (urgency || ' ' || COALESCE(deadline, '~')) VIRTUAL;
UPDATE asks SET
  agent = json_extract(body, '$.from.agent'),
  tool = json_extract(body, '$.from.tool'),
  supervisors = json_extract(body, '$.from.supervisors'),
  closed_at = json_extract(body, '$.closedAt'),
  closed_by = json_extract(body, '$.closedBy.id'),
  decision = CASE WHEN status = 'answered' THEN COALESCE(json_extract(body, '$.answer.decision'), 'answered') END
WHERE json_valid(body);

CREATE INDEX asks_inbox ON asks (tenant_id, inbox_key, ask_id) WHERE status = 'open';
CREATE INDEX asks_inbox_of ON asks (tenant_id, audience, inbox_key, ask_id) WHERE status = 'open';
CREATE INDEX asks_of_agent ON asks (tenant_id, agent, status, ask_id) WHERE agent IS NOT NULL;
CREATE INDEX asks_of_tool ON asks (tenant_id, tool, status, ask_id) WHERE tool IS NOT NULL;
CREATE INDEX asks_claimed ON asks (tenant_id, claimed_by, ask_id) WHERE claimed_by IS NOT NULL;
CREATE INDEX asks_overdue ON asks (overdue_at) WHERE status = 'open' AND overdue_at IS NOT NULL AND overdue_told IS NULL;
CREATE INDEX asks_overdue_of ON asks (tenant_id, overdue_at) WHERE status = 'open' AND overdue_at IS NOT NULL;
CREATE INDEX asks_closed ON asks (tenant_id, closed_at) WHERE status <> 'open';

CREATE TABLE ask_supervisors (
  tenant_id TEXT NOT NULL,
  supervisor TEXT NOT NULL,
  status TEXT NOT NULL,
  ask_id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, supervisor, status, ask_id)
) WITHOUT ROWID;
INSERT INTO ask_supervisors (tenant_id, supervisor, status, ask_id)
  SELECT DISTINCT tenant_id, json_each.value, status, ask_id FROM asks, json_each(asks.supervisors)
  WHERE asks.supervisors IS NOT NULL;

-- How many are open. An agent that isn't known is the empty text.
CREATE TABLE ask_counts (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  audience TEXT NOT NULL,
  agent TEXT NOT NULL,
  open INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, kind, audience, agent)
) WITHOUT ROWID;
INSERT INTO ask_counts (tenant_id, kind, audience, agent, open)
  SELECT tenant_id, kind, audience, COALESCE(agent, ''), COUNT(*) FROM asks WHERE status = 'open' GROUP BY 1, 2, 3, 4;

-- A number that changes with all that the inbox shows: whoever looks again reads it alone.
CREATE TABLE inboxes (
  tenant_id TEXT NOT NULL PRIMARY KEY REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  -- When webhooks are told that something waits for staff, in milliseconds since the epoch; nothing while nothing does.
  tell_at INTEGER
) WITHOUT ROWID;
INSERT INTO inboxes (tenant_id, version, tell_at)
  SELECT tenant_id, 1, MAX(CASE WHEN status = 'open' AND audience = 'staff' THEN 0 END) FROM asks GROUP BY tenant_id;
CREATE INDEX inboxes_to_tell ON inboxes (tell_at) WHERE tell_at IS NOT NULL;

CREATE TRIGGER asks_added AFTER INSERT ON asks BEGIN
  INSERT INTO ask_supervisors (tenant_id, supervisor, status, ask_id)
    SELECT DISTINCT new.tenant_id, value, new.status, new.ask_id FROM json_each(COALESCE(new.supervisors, '[]')) WHERE true
    ON CONFLICT DO NOTHING;
  INSERT INTO ask_counts (tenant_id, kind, audience, agent, open)
    SELECT new.tenant_id, new.kind, new.audience, COALESCE(new.agent, ''), 1 WHERE new.status = 'open'
    ON CONFLICT DO UPDATE SET open = open + 1;
  INSERT INTO inboxes (tenant_id, version, tell_at)
    VALUES (new.tenant_id, 1, CASE WHEN new.status = 'open' AND new.audience = 'staff' THEN 0 END)
    ON CONFLICT DO UPDATE SET version = version + 1, tell_at = COALESCE(tell_at, excluded.tell_at);
END;
CREATE TRIGGER asks_changed AFTER UPDATE OF status, claimed_by, claimed_until ON asks BEGIN
  UPDATE inboxes SET version = version + 1 WHERE tenant_id = new.tenant_id;
END;
CREATE TRIGGER asks_moved AFTER UPDATE OF status ON asks WHEN old.status <> new.status BEGIN
  UPDATE ask_supervisors SET status = new.status
    WHERE tenant_id = new.tenant_id AND status = old.status AND ask_id = new.ask_id
      AND supervisor IN (SELECT value FROM json_each(COALESCE(new.supervisors, '[]')));
  INSERT INTO ask_counts (tenant_id, kind, audience, agent, open)
    SELECT new.tenant_id, new.kind, new.audience, COALESCE(new.agent, ''), 1 WHERE new.status = 'open'
    ON CONFLICT DO UPDATE SET open = open + 1;
  UPDATE ask_counts SET open = open - 1
    WHERE old.status = 'open' AND tenant_id = new.tenant_id AND kind = new.kind AND audience = new.audience
      AND agent = COALESCE(new.agent, '');
  DELETE FROM ask_counts
    WHERE tenant_id = new.tenant_id AND kind = new.kind AND audience = new.audience AND agent = COALESCE(new.agent, '')
      AND open <= 0;
END;
CREATE TRIGGER asks_gone AFTER DELETE ON asks BEGIN
  DELETE FROM ask_supervisors WHERE tenant_id = old.tenant_id AND status = old.status AND ask_id = old.ask_id
    AND supervisor IN (SELECT value FROM json_each(COALESCE(old.supervisors, '[]')));
  UPDATE ask_counts SET open = open - 1
    WHERE old.status = 'open' AND tenant_id = old.tenant_id AND kind = old.kind AND audience = old.audience
      AND agent = COALESCE(old.agent, '');
  DELETE FROM ask_counts
    WHERE tenant_id = old.tenant_id AND kind = old.kind AND audience = old.audience AND agent = COALESCE(old.agent, '')
      AND open <= 0;
  UPDATE inboxes SET version = version + 1 WHERE tenant_id = old.tenant_id;
END;
