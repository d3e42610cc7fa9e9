-- Who did what. The columns by which asks are listed; and an audit that holds more than passes.

ALTER TABLE asks ADD COLUMN audience TEXT NOT NULL DEFAULT 'staff';
ALTER TABLE asks ADD COLUMN subject TEXT;
ALTER TABLE asks ADD COLUMN priority TEXT NOT NULL DEFAULT 'normal';
-- How urgent the priority is, the most urgent first.
ALTER TABLE asks ADD COLUMN urgency INTEGER NOT NULL DEFAULT 3;
ALTER TABLE asks ADD COLUMN deadline TEXT;
ALTER TABLE asks ADD COLUMN opened_at TEXT NOT NULL DEFAULT '';
UPDATE asks SET
  audience = CASE json_extract(body, '$.answerableBy') WHEN 'client' THEN 'user' ELSE 'staff' END,
  priority = json_extract(body, '$.priority'),
  urgency = CASE json_extract(body, '$.priority')
    WHEN 'critical' THEN 0 WHEN 'required' THEN 1 WHEN 'high' THEN 2 WHEN 'normal' THEN 3 WHEN 'low' THEN 4 ELSE 5 END,
  deadline = json_extract(body, '$.deadline'),
  opened_at = json_extract(body, '$.openedAt');
CREATE INDEX asks_by_audience ON asks (tenant_id, status, audience, ask_id);
CREATE INDEX asks_of_subject ON asks (tenant_id, subject, ask_id) WHERE subject IS NOT NULL;

-- What a row is about: a pass of supervisors, or what somebody did. Of the latter `hook` is empty where there is none.
ALTER TABLE audit ADD COLUMN type TEXT NOT NULL DEFAULT 'supervision';
-- Who did it, as JSON: {kind, id, role?, subject?}.
ALTER TABLE audit ADD COLUMN actor TEXT;
