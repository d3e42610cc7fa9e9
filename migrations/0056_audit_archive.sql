-- Rows of the audit that have left their table: gzipped JSON lines, a segment each, here or in R2. Lines name no person and hold no words of
-- anybody's: what stands in their places is in two small tables, whose rows can be erased.

-- 1 of a row that stands in a segment, too: it stays here for its indexes.
ALTER TABLE audit ADD COLUMN archived INTEGER;

CREATE TABLE audit_archive (
  tenant_id TEXT PRIMARY KEY REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  -- The arrival number of the next row, from 0.
  next INTEGER NOT NULL,
  -- The time of the newest row that was archived, in milliseconds: what is older and comes later may have been archived before.
  up_to INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE audit_segments (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  -- The arrival number of its first row; it never goes beyond the next multiple of 4,096.
  first INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  min_at INTEGER NOT NULL,
  max_at INTEGER NOT NULL,
  -- Whether it holds anything but passes in which all allowed that nobody is named of.
  notable INTEGER NOT NULL,
  -- Where it is, or is about to be, in R2.
  object TEXT,
  -- Of the lines as they are: SHA-256, in hex.
  digest TEXT NOT NULL,
  -- Gzipped; NULL once it is in R2.
  body BLOB,
  PRIMARY KEY (tenant_id, first)
) WITHOUT ROWID;
CREATE INDEX audit_segments_by_time ON audit_segments (tenant_id, max_at);
CREATE INDEX audit_segments_here ON audit_segments (max_at) WHERE body IS NOT NULL;

-- Who a reference in a line stands for: an actor as JSON, or the owner of a row that is called after an end user or a person.
CREATE TABLE audit_people (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  ref TEXT NOT NULL,
  value TEXT NOT NULL,
  -- The end user that it names, or the id of the person.
  subject TEXT,
  PRIMARY KEY (tenant_id, ref)
) WITHOUT ROWID;
CREATE UNIQUE INDEX audit_people_once ON audit_people (tenant_id, value);
CREATE INDEX audit_people_of_subject ON audit_people (tenant_id, subject);

-- What was said: in a line stands its salted hash. Of no owner where it is the tenant's own: the reason of a stored rule.
CREATE TABLE audit_words (
  tenant_id TEXT NOT NULL REFERENCES tenants (tenant_id) ON DELETE CASCADE,
  owner_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  salt TEXT NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (tenant_id, owner_id, ref)
) WITHOUT ROWID;
CREATE INDEX audit_words_by_ref ON audit_words (tenant_id, ref);
