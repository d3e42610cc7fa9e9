-- What supervisors didn't let pass as it was: a row for each of their steps, without texts, beside the audit's row of its pass. They go with
-- their session. And what people say of them.

CREATE TABLE decisions (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  -- The session, run or roundtable; the number of the audit's row there; the step's place in its pass, or the message that was labelled.
  owner_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  step TEXT NOT NULL,
  at INTEGER NOT NULL,
  work_id TEXT NOT NULL,
  hook TEXT NOT NULL,
  supervisor TEXT NOT NULL,
  mode TEXT NOT NULL,
  action TEXT NOT NULL,
  -- What the pass came to.
  decision TEXT NOT NULL,
  agent TEXT,
  subject TEXT,
  -- The newest of its labels.
  label TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant_id, owner_id, revision, step)
) WITHOUT ROWID;
CREATE INDEX decisions_by_time ON decisions (tenant_id, at);
CREATE INDEX decisions_by_supervisor ON decisions (tenant_id, supervisor, at);
CREATE INDEX decisions_by_agent ON decisions (tenant_id, agent, at);
CREATE INDEX decisions_by_subject ON decisions (tenant_id, subject, at) WHERE subject IS NOT NULL;
CREATE INDEX decisions_by_label ON decisions (tenant_id, label, at) WHERE label IS NOT NULL;

CREATE TABLE decision_labels (
  tenant_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  step TEXT NOT NULL,
  -- One for each actor.
  actor_kind TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  label TEXT NOT NULL,
  note TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, owner_id, revision, step, actor_kind, actor_id),
  FOREIGN KEY (tenant_id, owner_id, revision, step) REFERENCES decisions ON DELETE CASCADE
) WITHOUT ROWID;
