-- Programs that people let in at /mcp: what each may reach for whom, and how often it was given tokens. Codes and tokens are sealed texts that
-- name their row; nothing of them is kept. Without its row none of them counts.

CREATE TABLE access_grants (
  tenant_id TEXT NOT NULL,
  grant_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  -- What the program calls itself, and where its answer went.
  client_name TEXT NOT NULL,
  client_host TEXT NOT NULL,
  -- own: as an end user whose subject is the person's id. role: with the role that the person has.
  reach TEXT NOT NULL,
  -- Names as JSON; without any all agents.
  agents TEXT,
  created_at INTEGER NOT NULL,
  -- How often tokens were given out: 0 until the code is exchanged. What was given out before the last time counts no more.
  issued INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, grant_id),
  FOREIGN KEY (tenant_id, person_id) REFERENCES people (tenant_id, person_id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX access_grants_of_person ON access_grants (tenant_id, person_id);
CREATE INDEX access_grants_by_end ON access_grants (expires_at);
