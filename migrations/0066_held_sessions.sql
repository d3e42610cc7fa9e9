-- Since when a person has a conversation, or was asked to take it.
ALTER TABLE sessions ADD COLUMN held_at INTEGER;
CREATE INDEX held_sessions ON sessions (tenant_id, session_id) WHERE held_at IS NOT NULL;
