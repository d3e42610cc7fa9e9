-- What somebody said of a turn or a message; comments lie in the session. One for each actor and thing.
CREATE TABLE feedback (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  -- The message, or the turn.
  about TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  message_id TEXT,
  score INTEGER NOT NULL,
  label TEXT,
  actor TEXT NOT NULL,
  agent TEXT NOT NULL,
  subject TEXT,
  at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, session_id, about, actor_kind, actor_id)
) WITHOUT ROWID;
CREATE INDEX feedback_by_time ON feedback (tenant_id, at);
CREATE INDEX feedback_by_agent ON feedback (tenant_id, agent, at);
CREATE INDEX feedback_by_score ON feedback (tenant_id, score, at);
CREATE INDEX feedback_by_subject ON feedback (tenant_id, subject, at) WHERE subject IS NOT NULL;
