-- A person's data: what is kept in spite of everything, and the jobs that hand it out or erase it.

CREATE TABLE holds (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- JSON: subjects, sessions, reason.
  body TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;

-- What a hold names, one by one: asked for before anything is erased.
CREATE TABLE held_things (
  tenant_id TEXT NOT NULL,
  -- subject or session.
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (tenant_id, kind, id, name),
  FOREIGN KEY (tenant_id, name) REFERENCES holds (tenant_id, name) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX held_things_of_hold ON held_things (tenant_id, name);

-- Copies of what the jobs' objects hold.
CREATE TABLE subject_jobs (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  job_id TEXT NOT NULL,
  -- erasure or export.
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Whose data it is; NULL once it is erased.
  subject TEXT,
  -- JSON: the job as it is shown, without the subject.
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, job_id)
) WITHOUT ROWID;
CREATE INDEX subject_jobs_of_subject ON subject_jobs (tenant_id, subject) WHERE subject IS NOT NULL;
