-- Until when the inbox doesn't show an ask that somebody has put off; ISO 8601. Its copy always comes with its status, so that the inbox's version changes.
ALTER TABLE asks ADD COLUMN deferred_until TEXT;
CREATE INDEX asks_deferred ON asks (tenant_id, deferred_until) WHERE status = 'open' AND deferred_until IS NOT NULL;
